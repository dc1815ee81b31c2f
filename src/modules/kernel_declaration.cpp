#include "modules/kernel_declaration.hpp"

#include "modules/tokens.hpp"
#include <heddle/error.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace heddle::modules {
namespace {

/// Without its name, its value and what makes no difference to callers.
std::string type_of_parameter(const token_sequence& t, std::size_t first, std::size_t last,
                              std::size_t name) {
  bool is_pointer = false;
  for (std::size_t i = first; i < last; ++i) is_pointer |= t.is(i, "*") || t.is(i, "[");
  std::string result;
  for (std::size_t i = first; i < last && !t.is(i, "="); ++i) {
    if (i != name && !t.is(i, "__restrict__") && !t.is(i, "__restrict") && (is_pointer || !t.is(i, "const")))
      result += std::string(t[i].text) + " ";
  }
  return result;
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
        named = t.is_identifier(close - 1) && !t.is(close - 1, "__restrict__") && !t.is(close - 1, "const");
        if (named) name = close - 1, words = 2;
        last = close;
      } else if (t.is(last, "<") || t.is(last, "(") || t.is(last, "{")) {
        last = t.after_group(last) - 1;
      } else if (t.is(last, "[") || t.is(last, "=")) {
        named = true;
        if (t.is(last, "[")) last = t.after_group(last) - 1;
      } else if (!named && t.is_identifier(last) && !t.is(last, "const") && !t.is(last, "__restrict__") &&
                 !t.is(last, "__restrict") && !t.is(last, "volatile")) {
        name = last;
        ++words;
      }
    }
    const bool has_name =
        words >= 2 || (words == 1 && name > first &&
                       (t.is(name - 1, "*") || t.is(name - 1, "__restrict__") || t.is(name - 1, ">")));
    if (!(last == first + 1 && t.is(first, "void"))) {
      k.parameters.emplace_back(has_name ? t[name].text : "");
      k.types.push_back(type_of_parameter(t, first, last, has_name ? name : last));
    }
    first = last + 1;
  }
}

std::string entry_name(const kernel_declaration& kernel, std::string_view name) {
  return kernel.qualified + std::string(template_arguments(name));
}

std::string_view template_arguments(std::string_view name) {
  return name.substr(std::min(name.find('<'), name.size()));
}

const kernel_declaration& find_kernel(const std::vector<kernel_declaration>& kernels,
                                      std::string_view asked_for) {
  const std::string_view arguments = template_arguments(asked_for);
  std::string_view name = asked_for.substr(0, asked_for.size() - arguments.size());
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  if (name.starts_with("::")) name.remove_prefix(2);
  std::vector<const kernel_declaration*> found;
  std::vector<std::string_view> names, all;
  for (const kernel_declaration& k : kernels) {
    all.push_back(k.qualified);
    if (k.qualified != name && k.name != name && !k.qualified.ends_with("::" + std::string(name))) continue;
    found.push_back(&k);
    names.push_back(k.qualified);
  }
  if (kernels.empty()) throw error("the file has no kernel (no __global__ function)");
  if (found.empty())
    throw error(fmt::format("no kernel is called '{}': the file has {}", name, fmt::join(all, ", ")));
  if (found.size() > 1)
    throw error(fmt::format("several kernels are called '{}': {}", name, fmt::join(names, ", ")));
  if (found.front()->is_template && arguments.empty()) {
    throw error(fmt::format("kernel {0} is a template: name an instance, such as '{0}<float>'", name));
  }
  return *found.front();
}

}  // namespace heddle::modules
