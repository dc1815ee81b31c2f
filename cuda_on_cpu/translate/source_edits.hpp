#pragma once

#include "cuda_on_cpu/translate/tokens.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu {

/// What takes the place of tokens first … last−1; nothing is taken out when they are the same.
struct token_edit {
  std::size_t first, last;
  std::string text;
};

/// A part of a text.
struct text_range {
  std::size_t begin, end;
};

/// From `begin` to `end` of a source, which was kept as it is.
struct kept_part {
  std::size_t begin, end;
  std::size_t in_text;  ///< where it begins in what was made of the source
};

/// Changes of a source, noted in any order and made at once. Lines keep their numbers.
class source_edits {
 public:
  source_edits(std::string_view source, const token_sequence& tokens) : source_(source), tokens_(tokens) {}

  /// Replaces tokens first … last−1. Edits within what is replaced as a whole have no effect.
  void replace(std::size_t first, std::size_t last, std::string text, bool is_whole = false);
  void apply(const token_edit& e);
  void apply(const std::vector<token_edit>& all) {
    for (const token_edit& e : all) apply(e);
  }
  void insert(std::size_t offset, std::string text) { edits_.push_back({offset, 0, std::move(text)}); }
  void erase(const text_range& range) { edits_.push_back({range.begin, range.end - range.begin, ""}); }

  /// Writes the edited source to `text`, which is empty, and its parts that are unchanged to `kept`.
  void write(std::string& text, std::vector<kept_part>& kept);

 private:
  struct edit {
    std::size_t begin, length;
    std::string text;
    bool is_whole = false;
  };

  std::string_view source_;
  const token_sequence& tokens_;
  std::vector<edit> edits_;
};

}  // namespace heddle::cuda_on_cpu
