#include "cuda_on_cpu/translate/members.hpp"

#include <vector>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {
namespace {

/// "struct particle", or the name that a typedef gives one without; empty where there is none, or where it is
/// no plain structure.
std::string name_of_structure(const token_sequence& t, std::size_t first, std::size_t open, std::size_t close,
                              std::size_t end) {
  bool is_typedef = false, is_structure = false;
  std::string tag;
  for (std::size_t i = first; i < open; ++i) {
    if (t.is(i, "template") || t.is(i, "class") || t.is(i, "enum") || t.is(i, ":") || t.is(i, "<")) return "";
    is_typedef |= t.is(i, "typedef");
    if (t.takes_a_group(i)) {
      i = t.after_group(i + 1) - 1;
    } else if (t.is(i, "struct")) {
      is_structure = true;
    } else if (is_structure && t.is_identifier(i) && !t.is(i, "final")) {
      tag = t[i].text;
    }
  }
  if (!is_structure) return "";
  if (!tag.empty()) return "struct " + tag;
  return is_typedef && end == close + 2 && t.is_identifier(close + 1) ? std::string(t[close + 1].text) : "";
}

}  // namespace

std::string describe_members(const token_sequence& t, std::size_t first, std::size_t open, std::size_t close,
                             std::size_t end, std::size_t& number) {
  const std::string structure = name_of_structure(t, first, open, close, end);
  if (structure.empty()) return "";
  std::vector<std::size_t> members;
  constexpr auto none = static_cast<std::size_t>(-1);
  std::size_t name = none;
  bool is_variable = true, has_name = false, has_parameters = false, is_type = false;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (t.is(i, "private") || t.is(i, "protected") || t.is(i, "requires")) return "";
    if (t.is(i, "public") && t.is(i + 1, ":")) {
      ++i;
    } else if (t.is(i, ";") || t.is(i, ",")) {
      if (is_variable && name != none) members.push_back(name);
      name = none;
      has_name = false;
      if (t.is(i, ";")) {
        is_variable = true;
        has_parameters = is_type = false;
      }
    } else if (t.is(i, "{")) {
      // An initialiser, the body of a function, or a type within, whose variables are not described.
      const bool is_initialiser = has_name || (is_variable && name != none && name + 1 == i);
      const bool is_function = has_parameters;
      i = t.after_group(i) - 1;
      if (is_initialiser && !is_type) continue;
      while (!is_function && i + 1 < close && !t.is(i + 1, ";"))
        i = t.is(i + 1, "{") || t.is(i + 1, "(") ? t.after_group(i + 1) - 1 : i + 1;
      name = none;
      is_variable = is_function;
      has_parameters = is_type = false;
    } else if (t.is(i, "(") && has_name) {
      i = t.after_group(i) - 1;
    } else if (t.is(i, "(") || t.is(i, ":") || t.is(i, "&") || t.is(i, "static") || t.is(i, "using") ||
               t.is(i, "typedef") || t.is(i, "friend") || t.is(i, "enum") || t.is(i, "template") ||
               t.is(i, "operator") || t.is(i, "~")) {
      is_variable = false;
      is_type |= t.is(i, "enum");
      has_parameters |= t.is(i, "(");
      if (t.is(i, "(")) i = t.after_group(i) - 1;
    } else if (t.is(i, "struct") || t.is(i, "union") || t.is(i, "class")) {
      is_type = true;
    } else if (t.is(i, "=") || t.is(i, "[")) {
      has_name = true;
      if (t.is(i, "[")) i = t.after_group(i) - 1;
    } else if (t.is(i, "<") && !has_name) {
      i = t.after_group(i) - 1;
    } else if (t.takes_a_group(i)) {
      i = t.after_group(i + 1) - 1;
    } else if (t.is_identifier(i) && !has_name) {
      name = i;
    }
  }
  std::string text;
  for (const std::size_t m : members) {
    text += fmt::format(
        " __attribute__((section(\"heddle_members\"), used)) static const ::heddle_device::member "
        "heddle_member_{0} = {{::heddle_device::spelled<{1}>(), \"{2}\", __builtin_offsetof({1}, {2}), "
        "sizeof((({1}*)0)->{2})}};",
        number++, structure, t[m].text);
  }
  return text;
}

}  // namespace heddle::cuda_on_cpu
