#include "cuda_on_cpu/translate/host_part.hpp"

#include <heddle/error.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {
namespace {

[[noreturn]] void refuse_launch(const token& at, const char* what) {
  throw error(fmt::format("{}:{}: <<<: {}", *at.file, at.line, what));
}

bool is_keyword_before_expression(std::string_view word) {
  return word == "return" || word == "else" || word == "do";
}

/// Where the expression begins that names a kernel and ends before token `end`: k, space::k<T>, kernels[i],
/// object.kernel, (*kernel).
std::size_t begin_of_callee(const token_sequence& t, std::size_t end) {
  std::size_t first = end;
  while (first > 0) {
    std::size_t at = first;
    while (at > 0 && (t.is(at - 1, ")") || t.is(at - 1, "]"))) at = t.before_group(at - 1);
    if (at > 0 && t.is(at - 1, ">")) at = t.before_group(at - 1);
    if (at > 0 && t.is_identifier(at - 1) && !is_keyword_before_expression(t[at - 1].text)) {
      --at;
    } else if (at == first) {
      return end;
    }
    first = at;
    if (first > 0 && t.is(first - 1, "::")) {
      --first;
      if (first > 0 && (t.is_identifier(first - 1) || t.is(first - 1, ">")) &&
          !is_keyword_before_expression(t[first - 1].text))
        continue;
      return first;
    }
    if (first > 0 && (t.is(first - 1, ".") || t.is(first - 1, "->"))) {
      --first;
      continue;
    }
    return first;
  }
  return first;
}

/// Where the expression ends that begins with token `first` and is followed by a comma or a closing bracket.
std::size_t end_of_argument(const token_sequence& t, std::size_t first) {
  std::size_t i = first;
  while (i < t.size() && !t.is(i, ",") && !t.is(i, ")") && !t.is(i, ";")) {
    const bool opens = t.is(i, "(") || t.is(i, "[") || t.is(i, "{") ||
                       (t.is(i, "<") && i > first && t.is_identifier(i - 1) && t.after_group(i) < t.size() &&
                        t.is(t.after_group(i) - 1, ">"));
    i = opens ? t.after_group(i) : i + 1;
  }
  return i;
}

}  // namespace

bool opens_launch(const token_sequence& t, std::size_t i) {
  if (t.is(i, "<<<")) return true;
  const bool are_three = t.is(i, "<") && ((t.is(i + 1, "<") && t.is(i + 2, "<")) || t.is(i + 1, "<<<"));
  return are_three && i > 0 &&
         (t.is_identifier(i - 1) || t.is(i - 1, ">") || t.is(i - 1, ")") || t.is(i - 1, "]")) &&
         !t.is(i - 1, "operator");
}

launch_parts find_launch(const token_sequence& t, std::size_t open) {
  const std::size_t first = begin_of_callee(t, open);
  if (first == open) refuse_launch(t[open], "the kernel that is launched must be named before it");
  const std::size_t inside = t.is(open, "<<<") ? open + 1 : open + 3;
  const auto closes = [&](std::size_t j, bool has_blanks) {
    return t.is(j, ">") && t.is(j + 1, ">") && t.is(j + 2, ">") && t.is(j + 3, "(") &&
           (has_blanks || t[j + 2].begin == t[j].begin + 2);
  };
  for (const bool has_blanks : {false, true}) {
    std::size_t end = inside;
    while (end < t.size() && !t.is(end, ";") && !closes(end, has_blanks))
      end = t.is(end, "(") || t.is(end, "{") || t.is(end, "[") ? t.after_group(end) : end + 1;
    if (closes(end, has_blanks)) return {first, open, inside, end};
  }
  refuse_launch(t[open], "the launch has no >>> with arguments after it");
}

std::vector<token_edit> rewrite_launch(const token_sequence& t, const launch_parts& launch,
                                       std::string_view bound) {
  const std::string kernel = t.words_of(launch.first, launch.open);
  std::string name;
  for (std::size_t i = launch.first; i < launch.open; ++i) {
    if (i > launch.first && t.is(i - 1, ",")) name += ' ';
    for (const char c : t[i].text) {
      if (c == '"' || c == '\\') name += '\\';
      name += c;
    }
  }
  const std::string taken = fmt::format("heddle_take({}{}{})", kernel, bound.empty() ? "" : ", ", bound);
  std::vector<token_edit> edits{
      {launch.first, launch.inside,
       fmt::format(
           "::heddle_device::launching<{}>(\"{}\", [&](auto heddle_take) -> decltype({}) {{ return {}; }}, "
           "[&](auto&... heddle_arguments) {{ {}(heddle_arguments...); }}, "
           "[&](auto heddle_type) -> decltype(static_cast<decltype(heddle_type)>({})) {{ return {}; }}, ",
           bound.empty() ? "0" : bound, name, taken, taken, kernel, kernel, kernel)},
      {launch.close, launch.close + 3, ")"}};
  // NULL passes through a parameter of any type as an integer.
  for (std::size_t i = launch.close + 4; i < t.size() && !t.is(i - 1, ")");) {
    const std::size_t end = end_of_argument(t, i);
    if (end == i + 1 && t.is(i, "__null")) edits.push_back({i, end, "nullptr"});
    i = end + 1;
  }
  return edits;
}

std::optional<token_edit> name_allocation(const token_sequence& t, std::size_t i) {
  constexpr std::string_view functions[] = {
      "cudaMalloc",         "cudaMallocManaged", "cudaMallocHost",
      "cudaHostAlloc",      "cudaMallocAsync",   "cudaMallocPitch",
      "cudaMalloc3D",       "cudaHostRegister",  "cudaMallocFromPoolAsync",
      "cudaMallocArray",    "cudaMalloc3DArray", "cudaMallocMipmappedArray",
      "cuArrayCreate",      "cuArray3DCreate",   "cuMipmappedArrayCreate",
      "cuMemAlloc",         "cuMemAllocManaged", "cuMemAllocHost",
      "cuMemHostAlloc",     "cuMemAllocAsync",   "cuMemAllocPitch",
      "cuMemAddressReserve"};
  if (std::find(std::begin(functions), std::end(functions), t[i].text) == std::end(functions) ||
      !t.is(i + 1, "(") || (i > 0 && (t.is(i - 1, ".") || t.is(i - 1, "->"))))
    return std::nullopt;
  std::size_t first = i + 2, last = end_of_argument(t, first);
  // A cast hides the variable, and the type of its elements.
  for (bool more = true; more && first < last;) {
    more = false;
    if (t.is(first, "(") && t.after_group(first) < last) {
      first = t.after_group(first);
      more = true;
    } else if ((t.is(first, "reinterpret_cast") || t.is(first, "static_cast")) && t.is(first + 1, "<")) {
      const std::size_t open = t.after_group(first + 1);
      if (!t.is(open, "(") || t.after_group(open) != last) break;
      first = open + 1;
      --last;
      more = true;
    } else if (t.is(first, "(") && t.after_group(first) == last) {
      ++first;
      --last;
      more = true;
    }
  }
  if (first >= last) return std::nullopt;
  std::string name;
  for (std::size_t j = first + (t.is(first, "&") ? 1 : 0); j < last; ++j) {
    if (t[j].kind == token_kind::text || t.is(j, "{")) return std::nullopt;
    name += t[j].text;
  }
  return token_edit{
      i + 2, i + 2,
      fmt::format("::heddle_device::allocated<decltype({})>(\"{}\"), ", t.words_of(first, last), name)};
}

std::optional<std::vector<token_edit>> register_instance(const token_sequence& t, std::size_t i) {
  if (!t.is(i + 1, "<")) return std::nullopt;
  const std::size_t end = t.after_group(i + 1);
  if (end >= t.size() || !t.is(end - 1, ">") || opens_launch(t, end) || t.is(end, "(")) return std::nullopt;
  std::size_t first = i;
  while (first >= 2 && t.is(first - 1, "::") && t.is_identifier(first - 2)) first -= 2;
  if (first > 0 && t.is(first - 1, "::")) --first;
  if (first == 0 || t.is(first - 1, "<") || t.is_identifier(first - 1)) return std::nullopt;
  return std::vector<token_edit>{{first, first, "::heddle_device::registered("}, {end, end, ")"}};
}

}  // namespace heddle::cuda_on_cpu
