#include "cuda_on_cpu/translate/module_variables.hpp"

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {

std::vector<std::size_t> names_of_variables(const token_sequence& t, std::size_t first, std::size_t end) {
  std::size_t name = t.size();
  std::vector<std::size_t> result;
  bool in_value = false, named = false, defines_type = false;
  for (std::size_t j = first; j <= end; ++j) {
    defines_type |= t.is(j, "struct") || t.is(j, "union") || t.is(j, "class");
    if (t.takes_a_group(j)) {
      j = t.after_group(j + 1) - 1;
    } else if (!in_value && t.is(j, "<")) {
      j = t.after_group(j) - 1;
    } else if (t.is(j, "(") && !in_value && !named) {
      return {};  // a function
    } else if (t.is(j, "(") || t.is(j, "[") || t.is(j, "{")) {
      named |= t.is(j, "[");
      const bool is_body = t.is(j, "{") && defines_type && !in_value;
      if (is_body) name = t.size();
      defines_type &= !is_body;
      in_value |= t.is(j, "{") && !is_body && name < t.size();
      j = t.after_group(j) - 1;
    } else if (t.is(j, "=")) {
      in_value = true;
    } else if (t.is(j, ",") || j == end) {
      if (name < t.size()) result.push_back(name);
      in_value = named = false;
      name = t.size();
    } else if (t.is_identifier(j) && !in_value && !named) {
      name = j;
    }
  }
  return result;
}

std::string describe_variables(const token_sequence& t, std::size_t first, std::size_t end, bool is_static,
                               std::size_t& number) {
  bool is_of_module = is_static, is_constant = false, is_managed = false;
  for (std::size_t j = first; j < end; ++j) {
    if (t.is(j, "{")) j = t.after_group(j) - 1;
    if (is_static && (t.is(j, "const") || t.is(j, "constexpr"))) return "";
    if (t.is(j, "extern") || t.is(j, "template") || t.is(j, "using") || t.is(j, "typedef") ||
        t.is(j, "friend"))
      return "";
    is_constant |= t.is(j, "__constant__");
    is_managed |= t.is(j, "__managed__");
    is_of_module |= t.is(j, "__device__") || t.is(j, "__constant__") || t.is(j, "__managed__");
  }
  if (!is_of_module) return "";
  std::string text;
  for (const std::size_t name : names_of_variables(t, first, end)) {
    text += fmt::format(
        " __attribute__((section(\"heddle_variables\"), used)) static const ::heddle_device::variable "
        "heddle_variable_{0} = {{\"{1}\", (void*)&{1}, sizeof({1}), "
        "::heddle_device::variable_elements<decltype({1})>::value, {2} || "
        "::heddle_device::element<decltype({1})>::is_const, "
        "::heddle_device::element<decltype({1})>::is_const, {3}}};",
        number++, t[name].text, is_constant, is_managed);
  }
  return text;
}

std::optional<template_variable> find_template_variable(const token_sequence& t, std::size_t first,
                                                        std::size_t end) {
  template_variable result{{}, false, false};
  bool is_of_module = false;
  for (std::size_t i = first; i < end; ++i) {
    if (t.is(i, "template") && t.is(i + 1, "<")) {
      i = t.after_group(i + 1) - 1;
    } else if (t.takes_a_group(i)) {
      i = t.after_group(i + 1) - 1;
    } else if (t.is(i, "<")) {
      i = t.after_group(i) - 1;
    } else if (t.is(i, "(") || t.is(i, "using") || t.is(i, "extern") || t.is(i, "struct") ||
               t.is(i, "class")) {
      return std::nullopt;
    } else if (t.is(i, "[") || t.is(i, "=") || t.is(i, "{")) {
      break;
    }
    result.is_constant |= t.is(i, "__constant__");
    result.is_managed |= t.is(i, "__managed__");
    is_of_module |= t.is(i, "__device__") || t.is(i, "__constant__") || t.is(i, "__managed__");
    if (t.is_identifier(i)) result.name = t[i].text;
  }
  if (!is_of_module || result.name.empty()) return std::nullopt;
  return result;
}

std::optional<std::vector<token_edit>> register_variable(const token_sequence& t, std::size_t i,
                                                         const template_variable& of) {
  if (!t.is(i + 1, "<")) return std::nullopt;
  const std::size_t end = t.after_group(i + 1);
  std::size_t first = i;
  while (first >= 2 && t.is(first - 1, "::") && t.is_identifier(first - 2)) first -= 2;
  if (end >= t.size() || !t.is(end - 1, ">")) return std::nullopt;
  return std::vector<token_edit>{
      {first, first, "::heddle_device::known_variable("},
      {end, end, fmt::format(", \"{}\", {}, {})", of.name, of.is_constant, of.is_managed)}};
}

}  // namespace heddle::cuda_on_cpu
