#include "cuda_on_cpu/translate/c_source.hpp"

#include "cuda_on_cpu/translate/tokens.hpp"

#include <algorithm>
#include <iterator>

namespace heddle::cuda_on_cpu {
namespace {

/// Of C++ alone, and of C's old versions names as any other.
bool is_keyword_of_cpp(std::string_view word) {
  constexpr std::string_view keywords[] = {
      "catch",     "class",    "delete",   "explicit", "export",    "friend",   "mutable",
      "namespace", "new",      "operator", "private",  "protected", "public",   "template",
      "this",      "throw",    "try",      "typeid",   "typename",  "using",    "virtual",
      "and",       "or",       "not",      "xor",      "bitand",    "bitor",    "compl",
      "concept",   "requires", "decltype", "noexcept", "nullptr",   "constexpr"};
  return std::find(std::begin(keywords), std::end(keywords), word) != std::end(keywords);
}

/// `# 12 "file" 1 3`: whether a file begins, or goes on, behind this line, and whether it is the system's.
struct change_of_file {
  bool is_change = false, is_of_system = false;
};
change_of_file change_in(std::string_view marker) {
  const std::size_t close = marker.rfind('"');
  const std::string_view flags = close == std::string_view::npos ? "" : marker.substr(close);
  const auto has = [&](char flag) { return flags.find(flag) != std::string_view::npos; };
  return {has('1') || has('2'), has('3')};
}

/// The source's own lines, with the linkage of C.
std::string with_linkage(std::string_view text) {
  std::string result;
  bool is_open = false, is_of_system = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (const auto change = line.starts_with("# ") ? change_in(line) : change_of_file{}; change.is_change) {
      is_of_system = change.is_of_system;
      if (is_of_system && is_open) result += "}\n";
      is_open &= !is_of_system;
    }
    // On the line of what follows.
    if (!line.starts_with("# ") && !line.empty() && !is_of_system && !is_open) {
      result += "extern \"C\" { ";
      is_open = true;
    }
    result += line;
    result += '\n';
  }
  if (is_open) result += "}\n";
  return result;
}

}  // namespace

std::string c_as_cpp(std::string_view preprocessed) {
  const lexer read(preprocessed);
  std::string renamed;
  std::size_t from = 0;
  for (const token& t : read.tokens()) {
    const bool is_restrict = t.text == "restrict";
    if (t.kind != token_kind::identifier || !(is_restrict || t.text == "_Bool" || is_keyword_of_cpp(t.text)))
      continue;
    renamed += preprocessed.substr(from, t.begin - from);
    renamed += is_restrict ? "__restrict" : t.text == "_Bool" ? "bool" : "heddle_c_" + std::string(t.text);
    from = t.begin + t.text.size();
  }
  renamed += preprocessed.substr(from);
  return with_linkage(renamed);
}

}  // namespace heddle::cuda_on_cpu
