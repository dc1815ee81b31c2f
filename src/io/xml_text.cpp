#include "io/xml_text.hpp"

#include <cstddef>

namespace heddle::impl {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

/// The beginning of a text: a character of UTF-8, or bytes that are the beginning of none, which decoders
/// replace as one.
struct beginning {
  std::size_t bytes;
  bool is_character;
};

/// As in table 3-7 of the Unicode standard.
beginning beginning_of(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return {1, true};
  if (first < 0xc2 || first > 0xf4) return {1, false};
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size()) return {i, false};
    const auto next = static_cast<unsigned char>(text[i]);
    if (next < least || next > most) return {i, false};
    least = 0x80, most = 0xbf;
  }
  return {length, true};
}

}  // namespace

std::string utf8_text(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [bytes, is_character] = beginning_of(text);
    result += is_character ? text.substr(0, bytes) : replacement;
    text.remove_prefix(bytes);
  }
  return result;
}

std::string xml_text(std::string_view text) {
  std::string result;
  const std::string characters = utf8_text(text);
  for (std::size_t at = 0; at < characters.size(); ++at) {
    const char c = characters[at];
    const std::string_view three = std::string_view(characters).substr(at, 3);
    if (three == "\xef\xbf\xbe" || three == "\xef\xbf\xbf") {
      result += replacement;
      at += 2;
      continue;
    }
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
        result += "&#10;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 32 ? ' ' : c;
    }
  }
  return result;
}

}  // namespace heddle::impl
