#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu {

enum class token_kind : std::uint8_t { identifier, number, text, punctuation };

struct token {
  token_kind kind;
  std::string_view text;
  std::size_t begin;  // in the source
  std::size_t line;
  const std::string* file;
};

/// Splits a preprocessed source into tokens, those of system headers left out.
class lexer {
 public:
  /// The tokens point into `source`.
  explicit lexer(std::string_view source);

  const std::vector<token>& tokens() const { return tokens_; }

 private:
  void run();
  void skip_line();
  void directive();
  void next();
  void raw_string();
  void add(token_kind kind, std::size_t begin);

  std::string_view source_;
  std::size_t at_ = 0, line_ = 1;
  bool in_system_header_ = false;
  struct open_file {
    std::string name;
    bool is_system_header = false;
  };
  std::vector<open_file> open_files_;  // the present one last, those that include it before it
  std::vector<std::unique_ptr<std::string>> files_;
  std::vector<token> tokens_;
};

/// The tokens of a source, and small questions about them.
class token_sequence {
 public:
  token_sequence(std::string_view source, const std::vector<token>& tokens) : source_(source), t_(tokens) {}

  std::size_t size() const { return t_.size(); }
  const token& operator[](std::size_t i) const { return t_[i]; }
  /// False after the last.
  bool is(std::size_t i, std::string_view text) const { return i < t_.size() && t_[i].text == text; }
  bool is_identifier(std::size_t i) const { return i < t_.size() && t_[i].kind == token_kind::identifier; }
  /// Where token i ends in the source.
  std::size_t end_of(std::size_t i) const { return t_[i].begin + t_[i].text.size(); }

  /// The token after the one that closes what token i, one of ( [ { <, opens.
  std::size_t after_group(std::size_t i) const;
  /// The token that opens what token i, one of ) ] >, closes; 0 when there is none.
  std::size_t before_group(std::size_t i) const;
  /// Whether token i is a specifier that has its own parentheses: alignas, __launch_bounds__, …
  bool takes_a_group(std::size_t i) const;
  /// The text of tokens first … last−1, as it stands.
  std::string_view text_of(std::size_t first, std::size_t last) const;
  /// The same on one line.
  std::string words_of(std::size_t first, std::size_t last) const;

 private:
  std::string_view source_;
  const std::vector<token>& t_;
};

/// Without the white space around it.
std::string_view trimmed(std::string_view text);

}  // namespace heddle::cuda_on_cpu
