#include "cuda_on_cpu/translate/shifts.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {
namespace {

bool is_adjacent(const token_sequence& t, std::size_t i, std::string_view next) {
  return t.is(i + 1, next) && t[i + 1].begin == t.end_of(i);
}

bool ends_operand(const token_sequence& t, std::size_t i) {
  constexpr std::string_view words[] = {"operator", "template", "return", "case", "else"};
  const bool is_word = std::find(std::begin(words), std::end(words), t[i].text) != std::end(words);
  return (t.is_identifier(i) && !is_word) || t[i].kind == token_kind::number || t.is(i, ")") || t.is(i, "]");
}

bool begins_operand(const token_sequence& t, std::size_t i) {
  if (i >= t.size() || t[i].kind == token_kind::text) return false;
  return t.is_identifier(i) || t[i].kind == token_kind::number || t.is(i, "(") || t.is(i, "-") ||
         t.is(i, "+") || t.is(i, "~") || t.is(i, "!") || t.is(i, "*") || t.is(i, "::") || t.is(i, "++") ||
         t.is(i, "--");
}

/// A number that every type can be shifted by, and that nothing binds to more tightly.
bool is_small_number(const token_sequence& t, std::size_t i) {
  if (t[i].kind != token_kind::number) return false;
  unsigned value = 0;
  const std::string_view text = t[i].text;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view suffix(read.ptr, static_cast<std::size_t>(text.data() + text.size() - read.ptr));
  if (read.ec != std::errc() || value >= 32 || suffix.find_first_not_of("uUlL") != std::string_view::npos)
    return false;
  for (const std::string_view binding : {"+", "-", "*", "/", "%"}) {
    if (t.is(i + 1, binding)) return false;
  }
  return true;
}

/// Whether the two > of tokens i and i+1 close the arguments of templates: as many are open.
bool closes_arguments(const token_sequence& t, std::size_t i, std::size_t first) {
  std::size_t open = 0, closed = 0;
  for (std::size_t j = i; j-- > first;) {
    if (t.is(j, ")") || t.is(j, "]")) {
      j = t.before_group(j);
    } else if (t.is(j, "(") || t.is(j, "[") || t.is(j, "{") || t.is(j, ";")) {
      break;
    } else if (t.is(j, ">")) {
      ++closed;
    } else if (t.is(j, "<") && j > first && t.is(j - 1, "<")) {
      --j;
    } else if (t.is(j, "<")) {
      if (closed > 0) {
        --closed;
      } else {
        ++open;
      }
    }
  }
  return open >= 2;
}

/// A stream is written to, not shifted.
bool is_stream(const token_sequence& t, std::size_t i, std::size_t first) {
  for (std::size_t j = i; j-- > first && !t.is(j, ";") && !t.is(j, "{");) {
    if (t[j].kind == token_kind::text || t.is(j, "cout") || t.is(j, "cerr")) return true;
  }
  return t.is(i + 2, "endl") || (t.is(i + 2, "std") && t.is(i + 4, "endl"));
}

}  // namespace

std::vector<token_edit> rewrite_shift(const token_sequence& t, std::size_t i, std::size_t first) {
  const bool is_left = t.is(i, "<");
  const bool assigns = is_adjacent(t, i, is_left ? "<=" : ">=");
  if (!assigns && !is_adjacent(t, i, t[i].text)) return {};
  if (i == 0 || !ends_operand(t, i - 1) || !begins_operand(t, i + 2) || is_small_number(t, i + 2)) return {};
  // A member may be a bit-field, which no reference binds to.
  if (assigns && i > 1 && (t.is(i - 2, ".") || t.is(i - 2, "->"))) return {};
  if (!is_left && !assigns && closes_arguments(t, i, first)) return {};
  if (!assigns && is_stream(t, i, first)) return {};
  const std::string_view sign = assigns ? (is_left ? "<<=" : ">>=") : (is_left ? "<<" : ">>");
  return {
      {i, i + 2, fmt::format("{0} ::heddle_device::{1} {0}", sign, is_left ? "shift_left" : "shift_right")}};
}

}  // namespace heddle::cuda_on_cpu
