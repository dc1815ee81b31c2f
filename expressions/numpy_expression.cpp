#include "expressions/numpy_expression.hpp"

#include "expressions/numpy_operations.hpp"

#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

/// The grammar of expressions.
namespace heddle::expressions {
namespace {

class parser : private numpy_operations {
 public:
  parser(std::string_view text, const std::vector<expression_input>& inputs)
      : numpy_operations(text), inputs_(inputs) {}

  translated_expression run() {
    value v = ternary();
    skip_blanks();
    if (at_ < text_.size()) fail(fmt::format("'{}' is not expected here", text_.substr(at_, 1)));
    v = as_code(v);
    return {v.code, v.type};
  }

 private:
  // -------------------------------------------------------------------------------------------------- tokens

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    token_ = at_;
  }
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

  /// Takes an operator, or a word as a whole; not the beginning of a longer one.
  bool take(std::string_view what) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(what)) return false;
    const char next = at_ + what.size() < text_.size() ? text_[at_ + what.size()] : '\0';
    if (is_word(what.back()) && is_word(next)) return false;
    static constexpr std::string_view longer[] = {"**", "//", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    for (const std::string_view l : longer) {
      if (l.size() > what.size() && l.starts_with(what) && text_.substr(at_).starts_with(l)) return false;
    }
    at_ += what.size();
    return true;
  }
  void expect(std::string_view what) {
    if (!take(what)) fail(fmt::format("'{}' is missing", what));
  }

  // --------------------------------------------------------------------------------------------------
  // grammar

  value ternary() {
    const nesting level(*this);
    value v = disjunction();
    if (take("if")) {
      const value condition = disjunction();
      expect("else");
      return choose(condition, v, ternary());
    }
    if (take("?")) {
      const value chosen = ternary();
      expect(":");
      return choose(v, chosen, ternary());
    }
    return v;
  }

  /// Limits the depth of an expression, because deep ones would overflow the stack.
  class nesting {
   public:
    explicit nesting(parser& of) : of_(of) {
      if (++of_.depth_ > 600) of_.fail("it is nested too deeply");
    }
    ~nesting() { --of_.depth_; }
    nesting(const nesting&) = delete;

   private:
    parser& of_;
  };

  value disjunction() {
    value v = conjunction();
    while (take("or") || take("||")) v = logical("||", v, conjunction());
    return v;
  }
  value conjunction() {
    value v = negation();
    while (take("and") || take("&&")) v = logical("&&", v, negation());
    return v;
  }
  value negation() {
    const nesting level(*this);
    return take("not") ? negated(negation()) : comparison();
  }

  value comparison() {
    value v = bits_or();
    for (bool is_first = true;; is_first = false) {
      const char* found = nullptr;
      for (const char* const sign : {"<=", ">=", "==", "!=", "<", ">"}) {
        if (found == nullptr && take(sign)) found = sign;
      }
      if (found == nullptr) return v;
      if (!is_first) fail("comparisons in a row have no value for arrays: join them with 'and'");
      v = compare(found, v, bits_or());
    }
  }

  value bits_or() {
    value v = bits_xor();
    while (take("|")) v = bitwise("|", v, bits_xor());
    return v;
  }
  value bits_xor() {
    value v = bits_and();
    while (take("^")) v = bitwise("^", v, bits_and());
    return v;
  }
  value bits_and() {
    value v = shift();
    while (take("&")) v = bitwise("&", v, shift());
    return v;
  }

  value shift() {
    value v = sum();
    for (;;) {
      if (take("<<")) {
        v = shift_left(v, sum());
      } else if (take(">>")) {
        v = shift_right(v, sum());
      } else {
        return v;
      }
    }
  }

  value sum() {
    value v = product();
    for (;;) {
      if (take("+")) {
        v = arithmetic('+', v, product());
      } else if (take("-")) {
        v = arithmetic('-', v, product());
      } else {
        return v;
      }
    }
  }

  value product() {
    value v = signed_value();
    for (;;) {
      if (take("*")) {
        v = arithmetic('*', v, signed_value());
      } else if (take("//")) {
        v = floor_divide(v, signed_value());
      } else if (take("/")) {
        v = divide(v, signed_value());
      } else if (take("%")) {
        v = remainder(v, signed_value());
      } else {
        return v;
      }
    }
  }

  value signed_value() {
    const nesting level(*this);
    if (take("+")) return function("positive", {signed_value()});
    if (take("-")) return negative(signed_value());
    if (take("~")) return inverted(signed_value());
    if (take("!")) return negated(signed_value());
    return raised();
  }

  value raised() {
    value v = primary();
    if (!take("**")) return v;
    const value exponent = signed_value();
    // As NumPy, where it shows in the type for bool.
    if (exponent.is == value::kind::integer && exponent.integer == 2) return function("square", {v});
    return power(v, exponent);
  }

  // --------------------------------------------------------------------------------------------------
  // primaries

  value primary() {
    skip_blanks();
    if (at_ >= text_.size()) fail("it ends too early");
    const char c = text_[at_];
    if (c == '(') {
      take("(");
      const value v = ternary();
      expect(")");
      return v;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') return literal();
    if (!is_word(c)) fail(fmt::format("'{}' is not expected here", c));
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.')) ++at_;
    std::string word(text_.substr(begin, at_ - begin));
    if (word.starts_with("np.")) word.erase(0, 3);
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '(') {
      std::vector<value> arguments;
      const std::size_t place = begin;
      take("(");
      if (!take(")")) {
        do arguments.push_back(ternary());
        while (take(","));
        expect(")");
      }
      token_ = place;
      return function(word, arguments);
    }
    token_ = begin;
    return name_of(word);
  }

  value literal() {
    const std::size_t begin = at_;
    std::string digits;
    const auto is_hexadecimal = text_.substr(at_).starts_with("0x") || text_.substr(at_).starts_with("0X");
    bool is_real = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '_') continue;
      const bool after_exponent = !is_hexadecimal && (c == '+' || c == '-') && !digits.empty() &&
                                  (digits.back() == 'e' || digits.back() == 'E');
      if (!is_hexadecimal && (c == 'j' || c == 'J')) break;
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && !after_exponent) break;
      if (!is_hexadecimal && (c == '.' || c == 'e' || c == 'E')) is_real = true;
      digits += c;
    }
    const bool is_imaginary = at_ < text_.size() && (text_[at_] == 'j' || text_[at_] == 'J');
    if (is_imaginary) ++at_;
    token_ = begin;
    const auto wrong = [&] { fail(fmt::format("'{}' is no number", text_.substr(begin, at_ - begin))); };
    if (!is_real && !is_imaginary) {
      std::uint64_t i = 0;
      const char* const first = digits.data() + (is_hexadecimal ? 2 : 0);
      const auto [end, status] =
          std::from_chars(first, digits.data() + digits.size(), i, is_hexadecimal ? 16 : 10);
      if (status != std::errc() || end != digits.data() + digits.size()) wrong();
      return integer_constant(i);
    }
    double d = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), d);
    if (status == std::errc::invalid_argument || end != digits.data() + digits.size()) wrong();
    if (status == std::errc::result_out_of_range) d = std::strtod(digits.c_str(), nullptr);
    return is_imaginary ? complex_constant({0, d}) : real_constant(d);
  }

  value name_of(const std::string& word) const {
    for (const expression_input& input : inputs_) {
      if (input.name == word) return coded("in_" + word, input.type);
    }
    if (word == "i") return coded("((long long)i)", dtype::int64);
    if (word == "pi") return real_constant(3.14159265358979323846);
    if (word == "e") return real_constant(2.71828182845904523536);
    if (word == "inf") return real_constant(std::numeric_limits<double>::infinity());
    if (word == "nan") return real_constant(std::numeric_limits<double>::quiet_NaN());
    if (word == "True" || word == "true") return coded("true", dtype::boolean);
    if (word == "False" || word == "false") return coded("false", dtype::boolean);
    std::string names;
    for (const expression_input& input : inputs_) names += input.name + ", ";
    fail(fmt::format("nothing is called '{}': there are {}i, pi, e, inf, nan and functions", word, names));
  }

  const std::vector<expression_input>& inputs_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

translated_expression translate_expression(std::string_view text,
                                           const std::vector<expression_input>& inputs) {
  return parser(text, inputs).run();
}

}  // namespace heddle::expressions
