#include "cuda_on_cpu/translate/host_addresses.hpp"

#include "cuda_on_cpu/translate/module_variables.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {
namespace {

bool is_one_of(const token_sequence& t, std::size_t i, std::initializer_list<std::string_view> all) {
  return std::any_of(all.begin(), all.end(), [&](std::string_view text) { return t.is(i, text); });
}

bool is_keyword_of_statement(const token_sequence& t, std::size_t i) {
  return is_one_of(t, i, {"if", "while", "for", "switch", "catch", "else", "do", "try", "return"});
}

}  // namespace

void host_addresses::note_variables(std::size_t first, std::size_t end) {
  bool is_of_device = false;
  for (std::size_t j = first; j < end && !is_one_of(t_, j, {"=", "[", "{"}); ++j) {
    if (is_one_of(t_, j, {"__managed__", "__shared__", "template", "using", "typedef", "friend"})) return;
    is_of_device |= t_.is(j, "__device__") || t_.is(j, "__constant__");
  }
  if (!is_of_device) return;
  for (const std::size_t name : names_of_variables(t_, first, end)) variables_.insert(t_[name].text);
}

void host_addresses::note_function(std::size_t first, std::size_t open) {
  bool is_template = false;
  std::size_t name = first;
  for (; name < open && !t_.is(name + 1, "("); ++name) {
    if (t_.is(name, "operator")) return;
    if (t_.is(name, "template")) {
      is_template = true;
      ++name;
    }
    if (t_.takes_a_group(name) || t_.is(name, "<"))
      name = t_.after_group(t_.is(name, "<") ? name : name + 1) - 1;
  }
  if (name >= open || !t_.is_identifier(name) || t_.is(name - 1, "::")) return;
  const auto [known, is_new] = functions_.try_emplace(t_[name].text, device_function{is_template, false});
  known->second.is_overloaded |= !is_new;
}

std::vector<token_edit> host_addresses::name_by_host(std::size_t i, std::size_t function,
                                                     bool is_in_class) const {
  std::size_t first = i;
  while (first >= 2 && t_.is(first - 1, "::") && t_.is_identifier(first - 2)) first -= 2;
  if (first > 0 && t_.is(first - 1, "::")) --first;
  if (variables_.count(t_[i].text) != 0) {
    if (!is_one_of(t_, i + 1, {",", ")", ";", "}", "+", "-", "[", "."}) || !is_value(first, i + 1)) return {};
    return {{first, first, "::heddle_device::of_host("}, {i + 1, i + 1, ")"}};
  }
  // A class may have a member of a function's name.
  const bool may_be_member = is_in_class || first + 1 < i;
  const auto known = functions_.find(t_[i].text);
  if (known == functions_.end() || known->second.is_overloaded || may_be_member) return {};
  const std::size_t end = t_.is(i + 1, "<") ? t_.after_group(i + 1) : i + 1;
  if (known->second.is_template != (end > i + 1)) return {};
  const bool is_compared = is_one_of(t_, end, {"==", "!="}) || is_one_of(t_, first - 1, {"==", "!="});
  if (!is_one_of(t_, end, {",", ")", ";", "}", ":", "==", "!="}) || (!is_compared && !is_value(first, end)))
    return {};
  for (std::size_t j = function; j < first; ++j) {
    if (t_[j].text == t_[i].text && declares(j)) return {};
  }
  const std::size_t from = t_.is(first - 1, "&") ? first - 1 : first;
  return {{from, end, fmt::format("::heddle_device::host_function<{}>()", t_.words_of(first, end))}};
}

/// Whether tokens first … last − 1, which name something, are a value by what stands before them.
bool host_addresses::is_value(std::size_t first, std::size_t last) const {
  if (first < 2) return false;
  std::size_t before = first - 1;
  if (is_one_of(t_, before, {"&", "*"})) --before;
  if (t_.is(before, "("))
    return !is_one_of(t_, before - 1, {"decltype", "sizeof", "alignof", "typeid", "__typeof__"});
  if (t_.is(before, ",")) return is_in_call_or_list(before);
  if (t_.is(before, "{")) return !t_.is(last, ";");
  if (t_.is(before, ")")) {
    // A cast.
    const std::size_t open = t_.before_group(before);
    return open > 0 && !t_.is(open - 1, ">") && !t_.is(open - 1, ")") &&
           (!t_.is_identifier(open - 1) || t_.is(open - 1, "return"));
  }
  return is_one_of(t_, before, {"=", "return", "?", ":"});
}

/// Whether the comma at token i is between arguments of a call or of a list in braces, rather than between
/// declarators, captures or arguments of a template.
bool host_addresses::is_in_call_or_list(std::size_t i) const {
  for (std::size_t j = i; j-- > 0;) {
    if (is_one_of(t_, j, {")", "]", "}"})) {
      j = t_.before_group(j);
    } else if (t_.is(j, "(") || t_.is(j, "<<<")) {
      return true;
    } else if (t_.is(j, "{")) {
      return j > 0 && (is_one_of(t_, j - 1, {"=", ",", "(", "]", ">", "{", "return"}) ||
                       (t_.is_identifier(j - 1) && !is_keyword_of_statement(t_, j - 1)));
    } else if (t_.is(j, "<") && j > 0 && t_.is_identifier(j - 1)) {
      const std::size_t end = t_.after_group(j);
      if (end > i && end <= t_.size() && t_.is(end - 1, ">")) return false;
    } else if (t_.is(j, ";") || t_.is(j, "[")) {
      return false;
    }
  }
  return false;
}

/// Whether token i, a name, is what something is declared as, by what stands before it.
bool host_addresses::declares(std::size_t i) const {
  if (i == 0) return false;
  const std::size_t before = is_one_of(t_, i - 1, {"&", "*", "&&"}) ? i - 2 : i - 1;
  return (t_.is_identifier(before) && !is_keyword_of_statement(t_, before)) || t_.is(before, ">") ||
         t_.is(before, "[");
}

}  // namespace heddle::cuda_on_cpu
