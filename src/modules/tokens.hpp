#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::modules {

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
  std::vector<std::unique_ptr<std::string>> files_;
  std::vector<token> tokens_;
};

}  // namespace heddle::modules
