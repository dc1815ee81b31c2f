#include "checker/report/source_quotes.hpp"

#include "cuda_on_cpu/translate/tokens.hpp"
#include "io/contents.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace heddle::checker {
namespace {

using cuda_on_cpu::lexer;
using cuda_on_cpu::token;
using cuda_on_cpu::token_kind;
using cuda_on_cpu::token_sequence;

/// The lines of sources, each of which is read once.
class source_files {
 public:
  /// The line of this number, from 1 on; nothing where there is none.
  std::optional<std::string_view> line(const std::string& file, std::size_t number) {
    const std::vector<std::string>& all = lines_of(file);
    if (number == 0 || number > all.size()) return std::nullopt;
    return all[number - 1];
  }

 private:
  const std::vector<std::string>& lines_of(const std::string& file) {
    const auto [at, is_new] = files_.try_emplace(file);
    if (!is_new) return at->second;
    std::string text = impl::contents(file).value_or("");
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      at->second.push_back(text.substr(begin, end - begin));
      if (at->second.back().ends_with('\r')) at->second.back().pop_back();
      begin = end + 1;
    }
    return at->second;
  }
  std::map<std::string, std::vector<std::string>> files_;
};

/// A line as tokens.
class line_tokens {
 public:
  explicit line_tokens(std::string_view line) : read_(line), t_(line, read_.tokens()) {}
  const token_sequence& operator*() const { return t_; }
  const token_sequence* operator->() const { return &t_; }

 private:
  lexer read_;
  token_sequence t_;
};

/// The `=` of an assignment, also of `+=`; the number of tokens for none.
std::size_t assignment_in(const token_sequence& t) {
  for (std::size_t i = 1; i < t.size(); ++i) {
    const bool is_plain = t.is(i, "=") && !t.is(i - 1, "=") && !t.is(i - 1, "<") && !t.is(i - 1, ">") &&
                          !t.is(i - 1, "!") && !t.is(i + 1, "=");
    const std::string_view text = t[i].text;
    if (is_plain || (text.size() > 1 && text.back() == '=' && text != "==" && text != "!=" && text != "<=" &&
                     text != ">="))
      return i;
  }
  return t.size();
}

/// The columns at which expressions begin that access memory: x[…], *x, x->y.
std::vector<std::size_t> accesses_in(const token_sequence& t) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const bool follows_value = i > 0 && (t.is_identifier(i - 1) || t.is(i - 1, ")") || t.is(i - 1, "]") ||
                                         t[i - 1].kind == token_kind::number);
    const bool is_return = i > 0 && t.is(i - 1, "return");
    if (t.is(i, "*") && (!follows_value || is_return) && (t.is_identifier(i + 1) || t.is(i + 1, "("))) {
      result.push_back(i);
      ++i;
    } else if (t.is_identifier(i) && (t.is(i + 1, "[") || t.is(i + 1, "->")) &&
               !(i > 0 && (t.is(i - 1, ".") || t.is(i - 1, "->")))) {
      result.push_back(i);
    }
  }
  return result;
}

std::optional<std::size_t> find_word(const token_sequence& t, std::string_view word,
                                     bool is_beginning = false) {
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t[i].text == word || (is_beginning && t[i].text.starts_with(word))) return i;
  }
  return std::nullopt;
}

/// The token of a line at which a place is, by what happens there.
std::optional<std::size_t> token_of(const token_sequence& t, const finding& f, const place& p) {
  for (const std::string_view does : {"calls ", "allocates ", "frees ", "launches "}) {
    if (!p.what.starts_with(does)) continue;
    std::string_view name = std::string_view(p.what).substr(does.size());
    name = name.substr(0, name.find_first_of("<( "));
    if (const std::size_t space = name.rfind(':'); space != std::string_view::npos)
      name.remove_prefix(space + 1);
    return find_word(t, name);
  }
  if (p.what.find("barrier") != std::string::npos) {
    if (const auto at = find_word(t, "__sync", true)) return at;
    return find_word(t, "sync");
  }
  if (p.what.find("atomic") != std::string::npos) return find_word(t, "atomic", true);
  const std::vector<std::size_t> all = accesses_in(t);
  const std::size_t assigned = assignment_in(t);
  const bool writes = p.what.starts_with("writes");
  const auto is_on_side = [&](std::size_t i) { return assigned == t.size() || writes == (i < assigned); };
  const auto has_name = [&](std::size_t i) { return t.is(i, f.variable) || t.is(i + 1, f.variable); };
  for (const bool by_name : {true, false}) {
    const auto found = std::find_if(
        all.begin(), all.end(), [&](std::size_t i) { return is_on_side(i) && (!by_name || has_name(i)); });
    if (found != all.end()) return *found;
  }
  return all.empty() ? std::nullopt : std::optional(all.front());
}

std::size_t first_letter(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

/// The last parameter of a function that is a whole number: most often how many elements there are.
std::string count_of(source_files& files, const place& p) {
  const std::string_view name = std::string_view(p.function).substr(0, p.function.find_first_of("<("));
  constexpr std::size_t most_lines = 200;
  for (std::size_t n = p.line; n > 0 && n + most_lines > p.line; --n) {
    const auto first = files.line(p.file, n);
    if (!first || first->find(fmt::format("{}(", name)) == std::string_view::npos) continue;
    std::string text;
    for (std::size_t k = n; k <= p.line; ++k) text += std::string(files.line(p.file, k).value_or("")) + "\n";
    const line_tokens t(text);
    const auto at = find_word(*t, name);
    if (!at || !t->is(*at + 1, "(")) return "";
    std::string found;
    for (std::size_t i = *at + 2; i < t->after_group(*at + 1); ++i) {
      const bool ends = t->is(i, ",") || t->is(i, ")");
      const bool is_whole = i >= 2 && (t->is(i - 2, "int") || t->is(i - 2, "unsigned") ||
                                       t->is(i - 2, "long") || t->is(i - 2, "size_t"));
      if (ends && is_whole && t->is_identifier(i - 1)) found = (*t)[i - 1].text;
    }
    return found;
  }
  return "";
}

std::string likely_fix(source_files& files, const finding& f) {
  if (f.places.empty() || !f.places.front().has_thread || f.places.front().source.empty()) return "";
  const place& p = f.places.front();
  const line_tokens t(p.source);
  const auto at = token_of(*t, f, p);
  if (!at) return "";
  if (f.kind == finding_kind::out_of_bounds && f.index >= 0 &&
      f.index >= static_cast<std::int64_t>(f.extent) && t->is(*at + 1, "[") && t->is_identifier(*at + 2) &&
      t->is(*at + 3, "]")) {
    const std::string count = count_of(files, p);
    const std::string condition = fmt::format("{} < {}", (*t)[*at + 2].text, count);
    const bool is_there =
        p.source.find(condition) != std::string::npos ||
        files.line(p.file, p.line - 1).value_or("").find(condition) != std::string_view::npos;
    return count.empty() || is_there ? "" : fmt::format("if ({})", condition);
  }
  const std::size_t assigned = assignment_in(*t);
  const bool adds =
      t->is(assigned, "+=") || (assigned > 0 && t->is(assigned, "=") && t->is(assigned - 1, "+"));
  const bool is_one_line = std::all_of(f.places.begin(), f.places.end(), [&](const place& other) {
    return !other.has_thread || other.line == p.line;
  });
  if (f.kind == finding_kind::data_race && f.level == severity::error && adds && is_one_line) {
    const std::size_t target_end = t->is(assigned, "+=") ? assigned : assigned - 1;
    std::size_t end = assigned + 1;
    while (end < t->size() && !t->is(end, ";")) ++end;
    if (*at >= target_end || end == t->size()) return "";
    const std::string target =
        t->is(*at, "*") ? t->words_of(*at + 1, target_end) : "&" + t->words_of(*at, target_end);
    return fmt::format("atomicAdd({}, {});", target, t->words_of(assigned + 1, end));
  }
  if (f.kind == finding_kind::data_race && f.detail.starts_with("__syncthreads() between the two"))
    return "__syncthreads();";
  return "";
}

}  // namespace

void quote_sources(std::vector<finding>& findings) {
  source_files files;
  for (finding& f : findings) {
    for (place& p : f.places) {
      const auto line = files.line(p.file, p.line);
      if (!line) continue;
      p.source = *line;
      const line_tokens t(p.source);
      const auto at = token_of(*t, f, p);
      p.caret = at ? (*t)[*at].begin : first_letter(p.source);
    }
    f.fix = likely_fix(files, f);
  }
}

}  // namespace heddle::checker
