#include "cuda_on_cpu/translate/shared_variables.hpp"

#include "cuda_on_cpu/translate/refusals.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {
namespace {

/// alignas takes a number or a type.
std::string alignment_of(const token_sequence& t, std::size_t first, std::size_t last) {
  const std::string text = t.words_of(first, last);
  const bool is_expression =
      t[first].kind == token_kind::number || t.is(first, "alignof") || t.is(first, "sizeof");
  return is_expression ? text : fmt::format("alignof({})", text);
}

std::size_t index_from(const std::vector<std::size_t>& rest, std::size_t token) {
  return static_cast<std::size_t>(std::lower_bound(rest.begin(), rest.end(), token) - rest.begin());
}

std::string join(const token_sequence& t, const std::vector<std::size_t>& rest, std::size_t first,
                 std::size_t last) {
  std::string result;
  for (std::size_t k = first; k < last; ++k) {
    // The two tokens of << and of >> stay together.
    if (k > first && t[rest[k]].begin != t.end_of(rest[k - 1])) result += ' ';
    result += t[rest[k]].text;
  }
  return result;
}

void write_shared(const token_sequence& t, std::size_t i, const std::vector<std::size_t>& rest,
                  bool is_dynamic, const std::string& alignment, bool in_namespace, std::size_t number,
                  shared_declaration& result) {
  // The specifiers end before the first declarator's name: the last word before [ , or the end.
  std::size_t at = 0, name = rest.size();
  for (; at < rest.size(); ++at) {
    const std::size_t j = rest[at];
    if (t.is(j, "<")) {
      at = index_from(rest, t.after_group(j)) - 1;
    } else if (t.is(j, "{")) {
      at = index_from(rest, t.after_group(j)) - 1;
    } else if (t.is(j, "(")) {
      refuse(t[i], "a shared variable declared with parentheses is not supported");
    } else if (t.is(j, "[") || t.is(j, ",")) {
      break;
    } else if (t.is(j, "=")) {
      refuse(t[i], "a shared variable cannot have an initialiser");
    } else if (t.is_identifier(j)) {
      name = at;
    }
  }
  if (name >= rest.size() || name == 0) refuse(t[i], "a shared variable without a name or a type");
  std::size_t specifiers = name;
  while (specifiers > 0 &&
         (t.is(rest[specifiers - 1], "*") ||
          (t.is(rest[specifiers - 1], "const") && specifiers > 1 && t.is(rest[specifiers - 2], "*"))))
    --specifiers;

  std::string shared_part = fmt::format("using heddle_type_{} = {};", number, join(t, rest, 0, specifiers));
  std::string text;
  std::size_t part = specifiers, of = 0;
  while (part < rest.size()) {
    std::size_t last = part;
    while (last < rest.size() && !t.is(rest[last], ",")) {
      last = t.is(rest[last], "[") ? index_from(rest, t.after_group(rest[last])) : last + 1;
    }
    std::size_t n = part;
    while (n < last && !(t.is_identifier(rest[n]) && !t.is(rest[n], "const") && !t.is(rest[n], "volatile")))
      ++n;
    if (n == last) refuse(t[i], "a shared variable without a name");
    const std::string_view called = t[rest[n]].text;
    const std::string tag = fmt::format("heddle_tag_{}_{}", number, of++);
    shared_part += fmt::format(" struct {} {{ static constexpr const char* name() {{ return \"{}\"; }} }};",
                               tag, called);
    // The type is spelled out: in a template the members of what is deduced would not be known for templates.
    const bool is_pointer = is_dynamic && n + 2 < last && t.is(rest[n + 1], "[") && t.is(rest[n + 2], "]");
    const std::string of_elements = fmt::format("heddle_type_{} {}", number, join(t, rest, part, n));
    const std::string declaration =
        fmt::format("{} ({}{}){} = ::heddle_device::shared_reference<{}, {} {}, {}>::get();", of_elements,
                    is_pointer ? "*const " : "&", called, join(t, rest, is_pointer ? n + 3 : n + 1, last),
                    tag, of_elements, join(t, rest, n + 1, last), alignment);
    if (in_namespace) {
      result.of_namespace.push_back({called, declaration});
    } else {
      text += " " + declaration;
    }
    part = last + 1;
  }
  result.text = shared_part + text;
}

}  // namespace

shared_declaration rewrite_shared(const token_sequence& t, std::size_t begin, std::size_t i,
                                  bool in_namespace, std::size_t number) {
  std::size_t end = i;
  while (end < t.size() && !t.is(end, ";")) {
    if (t.is(end, "(") || t.is(end, "[") || t.is(end, "{")) {
      end = t.after_group(end);
    } else {
      ++end;
    }
  }
  if (end >= t.size()) refuse(t[i], "a shared variable's declaration does not end");
  bool is_dynamic = false;
  std::string alignment = "0";
  // What is left once the words that only place the variable have been taken out.
  std::vector<std::size_t> rest;
  for (std::size_t j = begin; j < end; ++j) {
    if (t.is(j, "extern")) {
      is_dynamic = true;
    } else if (t.is(j, "alignas") && t.is(j + 1, "(")) {
      const std::size_t after = t.after_group(j + 1);
      alignment = alignment_of(t, j + 2, after - 1);
      j = after - 1;
    } else if (t.is(j, "__attribute__") && t.is(j + 1, "(")) {
      const std::size_t after = t.after_group(j + 1);
      for (std::size_t k = j; k < after; ++k) {
        if ((t.is(k, "aligned") || t.is(k, "__aligned__")) && t.is(k + 1, "("))
          alignment = t.words_of(k + 2, t.after_group(k + 1) - 1);
      }
      j = after - 1;
    } else if (t.is(j, "typedef") || t.is(j, "using")) {
      refuse(t[i], "__shared__ belongs to a variable");
    } else if (!t.is(j, "__shared__") && !t.is(j, "static") && !t.is(j, "__device__") && !t.is(j, "inline")) {
      rest.push_back(j);
    }
  }
  shared_declaration result;
  result.end = end + 1;
  write_shared(t, i, rest, is_dynamic, alignment, in_namespace, number, result);
  return result;
}

}  // namespace heddle::cuda_on_cpu
