#include "cuda_on_cpu/translate/tokens.hpp"

#include <heddle/support/fork.hpp>

#include <algorithm>
#include <charconv>

namespace heddle::cuda_on_cpu {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 128;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

lexer::lexer(std::string_view source) : source_(source) {
  run();
}

void lexer::run() {
  bool line_begins = true;
  while (at_ < source_.size()) {
    const char c = source_[at_];
    if (c == '\n') {
      ++line_, ++at_, line_begins = true;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (c == '#' && line_begins) {
      directive();
    } else {
      line_begins = false;
      if (in_system_header_) {
        skip_line();
      } else {
        next();
      }
    }
  }
}

void lexer::skip_line() {
  const std::size_t end = source_.find('\n', at_);
  at_ = end == std::string_view::npos ? source_.size() : end;
}

/// `# 12 "file" 1 3`, or a pragma.
void lexer::directive() {
  const std::size_t end = std::min(source_.find('\n', at_), source_.size());
  std::string_view text = source_.substr(at_, end - at_);
  at_ = end;
  text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::size_t number = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc()) return;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  const std::size_t open = text.find('"'), close = text.rfind('"');
  if (open == std::string_view::npos || close == open) return;
  const std::string_view name = text.substr(open + 1, close - open - 1), flags = text.substr(close + 1);
  const auto has = [&](const char* flag) { return flags.find(flag) != std::string_view::npos; };
  if (has(" 1")) open_files_.emplace_back();
  if (has(" 2") && open_files_.size() > 1) open_files_.pop_back();
  if (open_files_.empty()) open_files_.emplace_back();
  // Within a line of the user's, what a macro of a system header has become is marked like such a header.
  open_file& present = open_files_.back();
  if (has(" 1") || has(" 2") || present.name != name) present = {std::string(name), has(" 3")};
  in_system_header_ = present.is_system_header;
  line_ = number - 1;  // of the line that this one ends
  if (files_.empty() || *files_.back() != name) files_.push_back(std::make_unique<std::string>(name));
}

void lexer::next() {
  const std::size_t begin = at_;
  const char c = source_[at_];
  if (is_letter(c)) {
    while (at_ < source_.size() && (is_letter(source_[at_]) || is_digit(source_[at_]))) ++at_;
    const std::string_view word = source_.substr(begin, at_ - begin);
    if (at_ < source_.size() && source_[at_] == '"' && !word.empty() && word.back() == 'R' &&
        word.size() <= 3) {
      raw_string();
      return add(token_kind::text, begin);
    }
    return add(token_kind::identifier, begin);
  }
  if (is_digit(c) || (c == '.' && at_ + 1 < source_.size() && is_digit(source_[at_ + 1]))) {
    while (at_ < source_.size()) {
      const char d = source_[at_];
      const bool after_exponent =
          (d == '+' || d == '-') && std::string_view("eEpP").find(source_[at_ - 1]) != std::string_view::npos;
      const bool separator = d == '\'' && at_ + 1 < source_.size() &&
                             (is_letter(source_[at_ + 1]) || is_digit(source_[at_ + 1]));
      if (!is_letter(d) && !is_digit(d) && d != '.' && !separator && !(after_exponent && at_ > begin)) break;
      ++at_;
    }
    return add(token_kind::number, begin);
  }
  if (c == '"' || c == '\'') {
    for (++at_; at_ < source_.size() && source_[at_] != c && source_[at_] != '\n'; ++at_) {
      if (source_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, source_.size());
    return add(token_kind::text, begin);
  }
  for (const std::string_view longer :
       {"<<<", "::", "->", "==", "<=", ">=", "!=", "&&", "||", "++", "--", "+=", "-="}) {
    if (source_.substr(at_, longer.size()) == longer) {
      at_ += longer.size();
      return add(token_kind::punctuation, begin);
    }
  }
  ++at_;
  add(token_kind::punctuation, begin);
}

void lexer::raw_string() {
  const std::size_t open = source_.find('(', at_);
  if (open == std::string_view::npos) return skip_line();
  const std::string end = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
  const std::size_t close = std::min(source_.find(end, open), source_.size() - end.size());
  line_ += static_cast<std::size_t>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                               source_.begin() + static_cast<std::ptrdiff_t>(close), '\n'));
  at_ = close + end.size();
}

void lexer::add(token_kind kind, std::size_t begin) {
  constinit static made_once<std::string> nowhere;
  const std::string* const file =
      files_.empty() ? &nowhere.get([] { return std::string(); }) : files_.back().get();
  tokens_.push_back({kind, source_.substr(begin, at_ - begin), begin, line_, file});
}

std::size_t token_sequence::after_group(std::size_t i) const {
  const std::string_view open = t_[i].text, close = open == "("   ? ")"
                                                    : open == "[" ? "]"
                                                    : open == "{" ? "}"
                                                                  : ">";
  std::size_t depth = 0;
  for (; i < t_.size(); ++i) {
    if (t_[i].text == open) ++depth;
    if (t_[i].text == close && --depth == 0) return i + 1;
    if (close == ">" && (t_[i].text == "(" || t_[i].text == "[" || t_[i].text == "{")) i = after_group(i) - 1;
    if (close == ">" && t_[i].text == ";") break;
  }
  return t_.size();
}

std::size_t token_sequence::before_group(std::size_t i) const {
  const std::string_view close = t_[i].text, open = close == ")" ? "(" : close == "]" ? "[" : "<";
  std::size_t depth = 0;
  for (;; --i) {
    if (is(i, close)) ++depth;
    if (is(i, open) && --depth == 0) return i;
    // Whatever stands in parentheses compares or shifts.
    if (close == ">" && (is(i, ")") || is(i, "]"))) i = before_group(i);
    if (i == 0) return 0;
  }
}

std::string_view token_sequence::text_of(std::size_t first, std::size_t last) const {
  if (first >= last) return {};
  return source_.substr(t_[first].begin, end_of(last - 1) - t_[first].begin);
}

std::string token_sequence::words_of(std::size_t first, std::size_t last) const {
  std::string result;
  for (std::size_t i = first; i < last; ++i) {
    // The two tokens of << and of >> stay together.
    if (i > first && t_[i].begin != end_of(i - 1)) result += ' ';
    result += t_[i].text;
  }
  return result;
}

bool token_sequence::takes_a_group(std::size_t i) const {
  for (const std::string_view word : {"alignas", "__attribute__", "__launch_bounds__", "__cluster_dims__",
                                      "decltype", "noexcept", "requires", "explicit", "__declspec"}) {
    if (t_[i].text == word && is(i + 1, "(")) return true;
  }
  return false;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view white_space = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(white_space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white_space) + 1 - first);
}

}  // namespace heddle::cuda_on_cpu
