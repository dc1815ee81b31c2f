#include "cuda_on_cpu/translate/kernel_declaration.hpp"

#include "cuda_on_cpu/translate/tokens.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// With a space between words, and behind a comma, and nowhere else.
std::string spaced(std::string_view text) {
  std::string result;
  bool had_space = false;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      had_space = true;
      continue;
    }
    if (!result.empty() && (result.back() == ',' || (had_space && is_word(result.back()) && is_word(c))))
      result += ' ';
    result += c;
    had_space = false;
  }
  return result;
}

/// Without its name, its value and what makes no difference to callers.
std::string type_of_parameter(const token_sequence& t, std::size_t first, std::size_t last,
                              std::size_t name) {
  // A constant parameter is the kernel's own affair; what it points to is not.
  std::size_t own = last;
  while (own > first && !t.is(own - 1, "*") && !t.is(own - 1, "]") && !t.is(own - 1, ">") &&
         !t.is(own - 1, ")"))
    --own;
  std::string result;
  for (std::size_t i = first; i < last && !t.is(i, "="); ++i) {
    const bool is_own_const = t.is(i, "const") && (own == first || i >= own);
    if (i != name && !t.is(i, "__restrict__") && !t.is(i, "__restrict") && !is_own_const)
      result += std::string(t[i].text) + " ";
  }
  return spaced(result);
}

/// Words of a parameter that say nothing of its name or its type.
bool is_qualifier(std::string_view word) {
  constexpr std::string_view qualifiers[] = {"const", "volatile", "__restrict__", "__restrict"};
  return std::find(std::begin(qualifiers), std::end(qualifiers), word) != std::end(qualifiers);
}

/// Words that begin the name of a type and are no part of it.
bool is_type_keyword(std::string_view word) {
  constexpr std::string_view keywords[] = {"struct", "class", "union", "enum", "typename"};
  return std::find(std::begin(keywords), std::end(keywords), word) != std::end(keywords);
}

bool is_builtin_type(std::string_view word) {
  constexpr std::string_view types[] = {"void",     "bool",     "char",     "short",  "int",     "long",
                                        "signed",   "unsigned", "float",    "double", "wchar_t", "char8_t",
                                        "char16_t", "char32_t", "__int128", "auto"};
  return std::find(std::begin(types), std::end(types), word) != std::end(types);
}

/// As it is told: "sum(float*, int)".
std::string signature(const kernel_declaration& k) {
  return fmt::format("{}({})", k.qualified, parameter_types(k));
}

template <class List>
std::string signatures(const List& kernels) {
  std::vector<std::string> result;
  result.reserve(kernels.size());
  for (const kernel_declaration* const k : kernels) result.push_back(signature(*k));
  return fmt::format("{}", fmt::join(result, ", "));
}

}  // namespace

void read_parameters(const token_sequence& t, std::size_t open, kernel_declaration& k) {
  const std::size_t end = t.after_group(open) - 1;
  std::size_t first = open + 1;
  while (first < end) {
    std::size_t last = first, name = t.size(), words = 0;
    for (bool named = false; last < end && !t.is(last, ","); ++last) {
      if (t.is(last, "(") && t.is(last + 1, "*")) {
        // A pointer to rows: float (*x)[32].
        const std::size_t close = t.after_group(last) - 1;
        named = t.is_identifier(close - 1) && !is_qualifier(t[close - 1].text);
        if (named) name = close - 1, words = 2;
        last = close;
      } else if (t.is(last, "<") || t.is(last, "(") || t.is(last, "{")) {
        last = t.after_group(last) - 1;
      } else if (t.is(last, "[") || t.is(last, "=")) {
        named = true;
        if (t.is(last, "[")) last = t.after_group(last) - 1;
      } else if (!named && t.is_identifier(last) && !is_qualifier(t[last].text) &&
                 !is_type_keyword(t[last].text)) {
        // The last word, unless it is of the type: std::size_t, unsigned long.
        name = t.is(last - 1, "::") || is_builtin_type(t[last].text) ? t.size() : last;
        ++words;
      }
    }
    const bool has_name =
        name < t.size() &&
        (words >= 2 || (words == 1 && name > first &&
                        (t.is(name - 1, "*") || t.is(name - 1, "__restrict__") || t.is(name - 1, ">"))));
    if (!(last == first + 1 && t.is(first, "void"))) {
      k.parameters.emplace_back(has_name ? t[name].text : "");
      k.types.push_back(type_of_parameter(t, first, last, has_name ? name : last));
    }
    first = last + 1;
  }
}

kernel_name parse_kernel_name(std::string_view text) {
  kernel_name result;
  text = trimmed(text);
  if (text.ends_with(')')) {
    std::size_t depth = 0, at = text.size();
    while (at > 0) {
      --at;
      if (text[at] == ')') ++depth;
      if (text[at] == '(' && --depth == 0) break;
    }
    result.parameters = text.substr(at);
    text = trimmed(text.substr(0, at));
  }
  const std::size_t open = std::min(text.find('<'), text.size());
  result.arguments = text.substr(open);
  result.name = trimmed(text.substr(0, open));
  if (result.name.starts_with("::")) result.name.remove_prefix(2);
  return result;
}

std::string parameter_types(const kernel_declaration& kernel) {
  return fmt::format("{}", fmt::join(kernel.types, ", "));
}

std::string entry_name(const kernel_declaration& kernel, std::string_view asked_for) {
  const kernel_name asked = parse_kernel_name(asked_for);
  if (!kernel.is_template) return kernel.is_overloaded ? signature(kernel) : kernel.qualified;
  return kernel.qualified + std::string(asked.arguments) + std::string(asked.parameters.value_or(""));
}

const kernel_declaration& find_kernel(const std::vector<kernel_declaration>& kernels,
                                      std::string_view asked_for) {
  const kernel_name asked = parse_kernel_name(asked_for);
  std::vector<const kernel_declaration*> all, named, found;
  for (const kernel_declaration& k : kernels) {
    all.push_back(&k);
    if (k.qualified == asked.name || k.name == asked.name ||
        k.qualified.ends_with(fmt::format("::{}", asked.name)))
      named.push_back(&k);
  }
  if (kernels.empty()) throw error("the file has no kernel (no __global__ function)");
  if (named.empty()) {
    std::vector<std::string_view> names;
    names.reserve(all.size());
    for (const kernel_declaration* const k : all) names.push_back(k->qualified);
    throw error(fmt::format("no kernel is called '{}': the file has {}", asked.name, fmt::join(names, ", ")));
  }
  for (const kernel_declaration* const k : named) {
    if (k->is_template != !asked.arguments.empty()) continue;
    const bool fits = !asked.parameters || k->is_template ||
                      spaced(*asked.parameters) == fmt::format("({})", parameter_types(*k));
    if (fits) found.push_back(k);
  }
  const bool are_templates =
      std::all_of(named.begin(), named.end(), [](const auto* k) { return k->is_template; });
  if (found.empty() && are_templates) {
    throw error(fmt::format("kernel {0} is a template: name an instance, such as '{0}<float>'", asked.name));
  }
  if (found.empty())
    throw error(fmt::format("no kernel is '{}': there {} {}", asked_for, named.size() == 1 ? "is" : "are",
                            signatures(named)));
  // Of overloaded templates the compiler chooses by the types.
  if (found.size() > 1 && !(asked.parameters && found.front()->is_template))
    throw error(fmt::format("several kernels are called '{}': name one with its parameters: {}", asked_for,
                            signatures(found)));
  return *found.front();
}

}  // namespace heddle::cuda_on_cpu
