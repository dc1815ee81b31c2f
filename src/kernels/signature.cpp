#include "array/counted.hpp"
#include "cuda_on_cpu/translate/tokens.hpp"
#include "kernels/module_state.hpp"
#include <heddle/error.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace heddle::impl {
namespace {

using cuda_on_cpu::trimmed;

struct number_name {
  number type;
  const char* name;
  std::size_t size;
};
constexpr number_name numbers[] = {
    {number::boolean, "bool", 1},
    {number::i8, "signed char", 1},
    {number::i16, "short", 2},
    {number::i32, "int", 4},
    {number::i64, "long long", 8},
    {number::u8, "unsigned char", 1},
    {number::u16, "unsigned short", 2},
    {number::u32, "unsigned int", 4},
    {number::u64, "unsigned long long", 8},
    {number::f16, "__half", 2},
    {number::f32, "float", 4},
    {number::f64, "double", 8},
};
// Of other names the first that is asked for is found above.
constexpr number_name other_names[] = {
    {number::i8, "char", 1},           {number::i64, "long", 8},      {number::u64, "unsigned long", 8},
    {number::f16, "half", 2},          {number::i8, "int8_t", 1},     {number::i16, "int16_t", 2},
    {number::i32, "int32_t", 4},       {number::i64, "int64_t", 8},   {number::u8, "uint8_t", 1},
    {number::u16, "uint16_t", 2},      {number::u32, "uint32_t", 4},  {number::u64, "uint64_t", 8},
    {number::u32, "unsigned", 4},      {number::u64, "size_t", 8},    {number::i64, "long int", 8},
    {number::i64, "long long int", 8}, {number::i16, "short int", 2},
};
struct vector_name {
  const char* name;
  number type;
};
constexpr vector_name vectors[] = {
    {"char", number::i8},    {"uchar", number::u8},  {"short", number::i16},    {"ushort", number::u16},
    {"int", number::i32},    {"uint", number::u32},  {"longlong", number::i64}, {"ulonglong", number::u64},
    {"long", number::i64},   {"ulong", number::u64}, {"float", number::f32},    {"double", number::f64},
    {"__half", number::f16},
};

/// Takes a word off the end; says whether it was there.
bool drop(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text = trimmed(text.substr(0, text.size() - end.size()));
  return true;
}

/// "float", "float4", "a structure of 24 bytes", "void".
std::string type_text(number type, unsigned components, std::size_t size, bool is_void,
                      const std::string& type_name) {
  if (is_void) return "void";
  if (type != number::other) {
    if (components <= 1) return name(type);
    for (const vector_name& v : vectors) {
      if (v.type == type) return fmt::format("{}{}", v.name, components);
    }
  }
  if (!type_name.empty()) return type_name;
  return size == 0 ? "void" : fmt::format("structure of {} bytes", size);
}

std::string text_of(const kernel_argument& a) {
  std::string type = type_text(a.type, 1, a.size, false, "");
  if (!a.is_pointer) return type;
  return fmt::format("{}{}*", a.is_const ? "const " : "", type);
}

/// Whether the argument can stand for the parameter.
bool fits(const parameter_description& p, const kernel_argument& a) {
  if (!p.is_known) return p.size == 0 || p.size == (a.is_pointer ? sizeof(void*) : a.size);
  if (p.is_pointer != a.is_pointer) return false;
  if (p.is_pointer && a.is_const && !p.is_const) return false;
  if (p.is_void || (p.is_pointer && a.size == 0)) return true;
  // float4 may be read from an array of float; what is no number is known by its size alone.
  if (p.type != number::other && a.type != number::other)
    return p.type == a.type && (p.is_pointer || p.components == 1);
  return p.size == 0 || p.size == a.size;
}

}  // namespace

parameter_description parameter_in(std::string_view type) {
  parameter_description p;
  type = trimmed(type);
  while (drop(type, "const") || drop(type, "__restrict") || drop(type, "volatile")) {
  }
  if (type.ends_with('*') || type.ends_with('&')) {
    p.is_pointer = true;
    type = trimmed(type.substr(0, type.size() - 1));
    for (bool more = true; more;) {
      const bool is_const = drop(type, "const");
      more = is_const || drop(type, "volatile") || drop(type, "__restrict");
      p.is_const |= is_const;
    }
  }
  if (type == "void") {
    p.is_void = true;
    return p;
  }
  for (const auto* const list : {numbers, other_names}) {
    const std::size_t count = list == numbers ? std::size(numbers) : std::size(other_names);
    for (std::size_t i = 0; i < count; ++i) {
      if (type != list[i].name) continue;
      p.type = list[i].type;
      p.size = list[i].size;
      return p;
    }
  }
  for (const vector_name& v : vectors) {
    const std::string_view name = v.name;
    if (!type.starts_with(name) || type.size() != name.size() + 1) continue;
    if (type.back() < '1' || type.back() > '4') continue;
    p.type = v.type;
    p.components = static_cast<unsigned>(type.back() - '0');
    p.size = p.components * size_of(v.type);
    return p;
  }
  p.type_name = type;
  return p;
}

std::string type_name(const heddle_device::element_type& element) {
  const auto type = static_cast<number>(element.type);
  if (type != number::other && size_of(type) == element.size) return name(type);
  if (element.spelled == nullptr) return "";
  // "constexpr const char* spelled() [with T = particle]", and what other names in it stand for.
  constexpr std::string_view begin = "T = ";
  std::string_view text = element.spelled;
  text.remove_prefix(std::min(text.find(begin) + begin.size(), text.size()));
  return std::string(text.substr(0, std::min(text.find("; "), text.rfind(']'))));
}

parameter_description described(const heddle_device::parameter& p, std::string name) {
  parameter_description result;
  result.name = std::move(name);
  result.is_pointer = p.kind != heddle_device::parameter_kind::value;
  result.is_const = p.is_const;
  result.type = static_cast<number>(p.element.type);
  result.components = p.components;
  result.size = p.size;
  if (result.type == number::other) result.type_name = type_name(p.element);
  result.is_void = result.is_pointer && p.size == 0;
  return result;
}

const char* name(number type) noexcept {
  for (const number_name& n : numbers) {
    if (n.type == type) return n.name;
  }
  return "structure";
}

std::size_t size_of(number type) noexcept {
  for (const number_name& n : numbers) {
    if (n.type == type) return n.size;
  }
  return 0;
}

std::string parameter_description::text() const {
  if (!is_known) return size == 0 ? "?" : fmt::format("{} bytes", size);
  const std::string of = type_text(type, components, size, is_void, type_name);
  return is_pointer ? fmt::format("{}{}*", is_const ? "const " : "", of) : of;
}

std::string_view function_name(std::string_view demangled) {
  constexpr std::string_view unnamed = "(anonymous namespace)";
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if (depth == 0 && demangled.substr(i).starts_with(unnamed)) {
      i += unnamed.size() - 1;
    } else if (c == '<' || c == '>') {
      depth += c == '<' ? 1 : -1;
    } else if (c == ' ' && depth == 0) {
      begin = i + 1;
    } else if (c == '(' && depth == 0 && i > begin) {
      return demangled.substr(begin, i - begin);
    }
  }
  return demangled;
}

std::vector<parameter_description> parameters_in(std::string_view demangled) {
  std::vector<parameter_description> result;
  // The last parentheses at the level of the whole name hold the parameters.
  std::size_t depth = 0, open = std::string_view::npos;
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if (c == '(' && depth == 0) open = i;
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if ((c == '>' && !(i > 0 && demangled[i - 1] == '-')) || c == ')' || c == ']' || c == '}') --depth;
  }
  if (open == std::string_view::npos) return result;
  std::size_t begin = open + 1;
  depth = 0;
  for (std::size_t i = begin; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if ((c == ',' || c == ')') && depth == 0) {
      const std::string_view type = trimmed(demangled.substr(begin, i - begin));
      if (!type.empty() && type != "void") result.push_back(parameter_in(type));
      begin = i + 1;
      if (c == ')') break;
    }
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
  }
  return result;
}

void check_arguments(const function_state& function, const kernel_argument* arguments, std::size_t count) {
  if (!function.has_parameters) return;
  if (function.parameters.size() != count) {
    throw error(
        fmt::format("{} {}", function.name, wrong_number_of_arguments(function.parameters.size(), count)));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const parameter_description& p = function.parameters[i];
    if (fits(p, arguments[i])) continue;
    const std::string named = p.name.empty() ? "" : fmt::format(" ({})", p.name);
    throw error(fmt::format("{}: argument {}{}: the kernel takes {}, and {} was given", function.name, i + 1,
                            named, p.text(), text_of(arguments[i])));
  }
}

}  // namespace heddle::impl
