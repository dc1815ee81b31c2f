#include "jit/module_variables.hpp"

#include <fmt/format.h>

namespace heddle::jit {

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
  std::size_t name = t.size();
  std::string text;
  bool in_value = false, named = false, defines_type = false;
  for (std::size_t j = first; j <= end; ++j) {
    defines_type |= t.is(j, "struct") || t.is(j, "union") || t.is(j, "class");
    if (t.takes_a_group(j)) {
      j = t.after_group(j + 1) - 1;
    } else if (!in_value && t.is(j, "<")) {
      j = t.after_group(j) - 1;
    } else if (t.is(j, "(") && !in_value && !named) {
      return "";  // a function
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
      if (name < t.size()) {
        const std::string_view n = t[name].text;
        text += fmt::format(
            " __attribute__((section(\"heddle_variables\"), used)) static const ::heddle_device::variable "
            "heddle_variable_{0} = {{\"{1}\", (void*)&{1}, sizeof({1}), "
            "::heddle_device::variable_elements<decltype({1})>::value, {2} || "
            "::heddle_device::element<decltype({1})>::is_const, "
            "::heddle_device::element<decltype({1})>::is_const, {3}}};",
            number++, n, is_constant, is_managed);
      }
      in_value = named = false;
      name = t.size();
    } else if (t.is_identifier(j) && !in_value && !named) {
      name = j;
    }
  }
  return text;
}

}  // namespace heddle::jit
