#include "shell_words.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

/// Whether a text of one line can show the word as it is.
bool is_shown(const std::string& word) {
  const bool has_control =
      std::any_of(word.begin(), word.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  try {
    return !has_control && !nlohmann::json(word).dump().empty();
  } catch (const nlohmann::json::type_error&) {
    return false;  // no UTF-8
  }
}

/// $'…', in which bytes are octal numbers.
std::string by_numbers(const std::string& word) {
  std::string quoted = "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte >= 0x20 && byte < 0x7f && c != '\'' && c != '\\';
    quoted += is_plain ? std::string(1, c) : fmt::format("\\{:03o}", byte);
  }
  return quoted + "'";
}

}  // namespace

std::string shell_words(const std::vector<std::string>& words) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == word.npos) {
      line += word;
      continue;
    }
    if (!is_shown(word)) {
      line += by_numbers(word);
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? "'\\''" : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace heddle::cli
