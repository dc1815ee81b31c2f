#include "cuda_on_cpu/ptx/ptx_text.hpp"

#include <heddle/error.hpp>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu::ptx {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class parser {
 public:
  parser(std::string_view text, std::size_t& at) : text_(text), at_(at) {}

  std::vector<statement> run() {
    for (skip(); at_ < text_.size(); skip()) next();
    return std::move(result_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void skip() {
    for (;;) {
      const char c = peek();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '/' && peek(1) == '*') {
        const std::size_t end = text_.find("*/", at_);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }
  bool take(char c) {
    skip();
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) throw error(fmt::format("a {} is expected before \"{}\"", c, rest()));
  }
  /// The end of a statement, or of the text.
  void end() {
    skip();
    if (at_ < text_.size() && peek() != '}') expect(';');
  }
  std::string rest() const { return std::string(text_.substr(at_, 20)); }

  std::string word(bool with_colons = false) {
    const std::size_t begin = at_;
    while (is_letter(peek()) || is_digit(peek()) || (with_colons && peek() == ':' && peek(1) == ':') ||
           (with_colons && peek() == ':' && at_ > begin && text_[at_ - 1] == ':'))
      ++at_;
    if (at_ == begin) throw error(fmt::format("\"{}\" is not understood", rest()));
    return std::string(text_.substr(begin, at_ - begin));
  }

  void next() {
    statement s;
    s.offset = at_;
    if (take(';')) return;
    if (take('{')) {
      s.what = statement::kind::open;
    } else if (take('}')) {
      s.what = statement::kind::close;
    } else if (peek() == '.') {
      directive(s);
    } else {
      if (take('@')) {
        s.is_guarded = true;
        s.is_guard_negated = take('!');
        skip();
        s.guard_operand = simple();
        skip();
      }
      s.opcode = peek() == '%' ? simple().text : word();
      skip();
      if (!s.is_guarded && peek() == ':' && peek(1) != ':') {
        ++at_;
        s.what = statement::kind::label;
      } else {
        instruction(s);
      }
    }
    result_.push_back(std::move(s));
  }

  void directive(statement& s) {
    ++at_;
    const std::string name = word();
    if (name != "reg") throw error(fmt::format(".{} is not supported in inline PTX", name));
    s.what = statement::kind::registers;
    skip();
    while (take('.')) {
      s.opcode = word();
      s.modifiers.push_back(s.opcode);
      skip();
    }
    do {
      skip();
      operand name_of = simple();
      if (take('<')) {
        skip();
        name_of.offset = word();
        expect('>');
      }
      s.operands.push_back(std::move(name_of));
    } while (take(','));
    end();
  }

  void instruction(statement& s) {
    while (peek() == '.') {
      ++at_;
      s.modifiers.push_back(word(true));
      skip();
    }
    s.spelled = s.opcode;
    for (const std::string& m : s.modifiers) s.spelled += "." + m;
    skip();
    if (peek() != ';' && peek() != '}' && at_ < text_.size()) {
      do {
        s.operands.push_back(any());
      } while (take(','));
    }
    end();
  }

  operand any() {
    skip();
    operand result;
    if (take('{')) {
      result.kind = operand_kind::vector;
      if (take('}')) return result;
      do {
        result.parts.push_back(any());
      } while (take(','));
      expect('}');
    } else if (take('[')) {
      result.kind = operand_kind::address;
      do {
        result.parts.push_back(any());
      } while (take(','));
      result.offset = result.parts.front().offset;
      result.parts.front().offset.clear();
      expect(']');
    } else {
      result.is_negated = take('!');
      skip();
      operand first = simple();
      first.is_negated = result.is_negated;
      result = std::move(first);
      if (take('|')) {
        operand pair;
        pair.kind = operand_kind::pair;
        pair.parts.push_back(std::move(result));
        skip();
        pair.parts.push_back(simple());
        return pair;
      }
      skip();
      if (peek() == '+' || (peek() == '-' && result.kind != operand_kind::number)) {
        const bool is_minus = peek() == '-';
        ++at_;
        skip();
        const operand by = simple();
        result.offset = is_minus ? "-" + added(by) : added(by);
      }
    }
    return result;
  }
  static std::string added(const operand& by) {
    return by.kind == operand_kind::argument ? fmt::format("%{}", by.argument) : by.text;
  }

  operand simple() {
    operand result;
    if (peek() == '%') {
      ++at_;
      if (is_digit(peek())) {
        result.kind = operand_kind::argument;
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), result.argument);
        while (is_digit(peek())) ++at_;
        return result;
      }
      if (peek() == '%') ++at_;
      result.text = "%" + word();
      while (peek() == '.') {
        ++at_;
        result.text += "." + word();
      }
    } else if (is_digit(peek()) ||
               ((peek() == '-' || peek() == '+') && (is_digit(peek(1)) || peek(1) == '.')) ||
               (peek() == '.' && is_digit(peek(1)))) {
      result.kind = operand_kind::number;
      result.text = number();
    } else {
      result.text = word();
    }
    return result;
  }

  std::string number() {
    const std::size_t begin = at_;
    if (peek() == '-' || peek() == '+') ++at_;
    const bool is_hexadecimal = peek() == '0' &&
                                std::string_view("xXfFdD").find(peek(1)) != std::string_view::npos &&
                                peek(1) != '\0';
    for (;; ++at_) {
      const char c = peek();
      const bool is_sign = (c == '-' || c == '+') && !is_hexadecimal && at_ > begin &&
                           (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
      if (!is_letter(c) && !is_digit(c) && c != '.' && !is_sign) break;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  std::size_t& at_;
  std::vector<statement> result_;
};

}  // namespace

bool statement::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::vector<statement> parse(std::string_view text, std::size_t& failed_at) {
  failed_at = 0;
  return parser(text, failed_at).run();
}

}  // namespace heddle::cuda_on_cpu::ptx
