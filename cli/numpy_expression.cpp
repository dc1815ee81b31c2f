#include "numpy_expression.hpp"

#include <heddle/error.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace heddle::cli {
namespace {

bool is_complex(dtype type) {
  return type >= dtype::complex64;
}
bool is_real_number(dtype type) {
  return type == dtype::float32 || type == dtype::float64;
}
bool is_integer(dtype type) {
  return type >= dtype::int8 && type <= dtype::uint64;
}
bool is_unsigned(dtype type) {
  return type >= dtype::uint8 && type <= dtype::uint64;
}

/// NumPy's promote_types.
dtype promoted(dtype a, dtype b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);
  if (a == dtype::boolean) return b;
  if (is_complex(b)) {
    const bool wide = b == dtype::complex128 || a == dtype::float64 || (is_integer(a) && size_of(a) >= 4);
    return wide ? dtype::complex128 : dtype::complex64;
  }
  if (is_real_number(b)) {
    const bool wide = b == dtype::float64 || (is_integer(a) && size_of(a) >= 4);
    return wide ? dtype::float64 : dtype::float32;
  }
  if (is_unsigned(a) == is_unsigned(b)) return std::max(a, b);
  // Signed a, unsigned b: the signed type that holds both.
  const std::size_t bytes = std::max(size_of(a), 2 * size_of(b));
  return bytes == 2 ? dtype::int16 : bytes == 4 ? dtype::int32 : bytes == 8 ? dtype::int64 : dtype::float64;
}

/// The floating-point type that a function of numbers computes in.
dtype floating(dtype type) {
  if (type >= dtype::float32) return type;
  return size_of(type) <= 2 ? dtype::float32 : dtype::float64;
}
dtype part_of(dtype type) {
  return type == dtype::complex64 ? dtype::float32 : type == dtype::complex128 ? dtype::float64 : type;
}

/// A number that is written out, which takes the type of what it meets, or code of a type.
struct value {
  enum class kind { code, integer, real, imaginary } is = kind::code;
  std::string code;
  dtype type = dtype::float64;
  double number = 0;
  __int128 integer = 0;

  bool is_constant() const { return is != kind::code; }
  double as_double() const { return is == kind::integer ? static_cast<double>(integer) : number; }
};

value integer_constant(__int128 i) {
  value v;
  v.is = value::kind::integer;
  v.integer = i;
  return v;
}
value real_constant(double d) {
  value v;
  v.is = value::kind::real;
  v.number = d;
  return v;
}
value coded(std::string code, dtype type) {
  value v;
  v.code = std::move(code);
  v.type = type;
  return v;
}

std::string real_code(double d) {
  if (std::isnan(d)) return "heddle_nan()";
  if (std::isinf(d)) return d > 0 ? "heddle_inf()" : "(-heddle_inf())";
  return fmt::format("({:a})", d);
}

struct unary_function {
  const char* name;
  const char* code;
  double (*of_constant)(double);
};
// Their values are floating-point numbers.
constexpr unary_function unary_functions[] = {
    {"sqrt", "sqrt", std::sqrt},      {"cbrt", "cbrt", std::cbrt},      {"exp", "exp", std::exp},
    {"exp2", "exp2", std::exp2},      {"expm1", "expm1", std::expm1},   {"log", "log", std::log},
    {"log2", "log2", std::log2},      {"log10", "log10", std::log10},   {"log1p", "log1p", std::log1p},
    {"sin", "sin", std::sin},         {"cos", "cos", std::cos},         {"tan", "tan", std::tan},
    {"arcsin", "asin", std::asin},    {"asin", "asin", std::asin},      {"arccos", "acos", std::acos},
    {"acos", "acos", std::acos},      {"arctan", "atan", std::atan},    {"atan", "atan", std::atan},
    {"sinh", "sinh", std::sinh},      {"cosh", "cosh", std::cosh},      {"tanh", "tanh", std::tanh},
    {"arcsinh", "asinh", std::asinh}, {"asinh", "asinh", std::asinh},   {"arccosh", "acosh", std::acosh},
    {"acosh", "acosh", std::acosh},   {"arctanh", "atanh", std::atanh}, {"atanh", "atanh", std::atanh},
    {"floor", "floor", std::floor},   {"ceil", "ceil", std::ceil},      {"trunc", "trunc", std::trunc},
    {"rint", "rint", std::rint},      {"fabs", "fabs", std::fabs},
};

class parser {
 public:
  parser(std::string_view text, const std::vector<expression_input>& inputs) : text_(text), inputs_(inputs) {}

  translated_expression run() {
    value v = ternary();
    skip_blanks();
    if (at_ < text_.size()) fail(fmt::format("'{}' is not expected here", text_.substr(at_, 1)));
    v = as_code(v);
    return {v.code, v.type};
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw error(fmt::format("expression '{}', column {}: {}", text_, token_ + 1, message));
  }

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

  // -------------------------------------------------------------------------------------------------- types

  /// A constant as code, in the type that NumPy gives it alone.
  value as_code(const value& v) const {
    switch (v.is) {
      case value::kind::integer:
        return in_type(v, dtype::int64);
      case value::kind::real:
        return in_type(v, dtype::float64);
      case value::kind::imaginary:
        return in_type(v, dtype::complex128);
      default:
        return v;
    }
  }

  /// The same value as code of a type.
  value in_type(const value& v, dtype type) const {
    if (v.is == value::kind::code) return coded(converted(v.code, v.type, type), type);
    if (v.is == value::kind::imaginary)
      return coded(fmt::format("{}(0, {})", code_name(type), real_code(v.number)), type);
    if (type == dtype::boolean) return coded(v.as_double() != 0 ? "true" : "false", type);
    if (v.is == value::kind::integer && is_integer(type)) {
      const bool fits = is_unsigned(type) ? v.integer >= 0 && v.integer >> (8 * size_of(type)) == 0
                                          : v.integer >> (8 * size_of(type) - 1) == 0 ||
                                                v.integer >> (8 * size_of(type) - 1) == -1;
      if (!fits) fail(fmt::format("{} does not fit {}", text_of(v.integer), name(type)));
      return coded(fmt::format("(({})0x{:x}ull)", code_name(type), static_cast<std::uint64_t>(v.integer)),
                   type);
    }
    return coded(converted(real_code(v.as_double()), dtype::float64, type), type);
  }
  static std::string text_of(__int128 i) {
    if (i < 0) return "-" + text_of(-i);
    std::string digits;
    do digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(i % 10)));
    while ((i /= 10) != 0);
    return digits;
  }

  /// The type in which two values meet.
  dtype common_type(const value& a, const value& b) const {
    if (!a.is_constant() && !b.is_constant()) return promoted(a.type, b.type);
    if (a.is_constant() && b.is_constant()) return promoted(as_code(a).type, as_code(b).type);
    const value& constant = a.is_constant() ? a : b;
    const dtype type = a.is_constant() ? b.type : a.type;
    if (constant.is == value::kind::integer) return type == dtype::boolean ? dtype::int64 : type;
    if (constant.is == value::kind::real) return type <= dtype::uint64 ? dtype::float64 : type;
    return promoted(type, type == dtype::float32 ? dtype::complex64
                          : is_complex(type)     ? type
                                                 : dtype::complex128);
  }

  value call(const char* function, dtype type, const value& a, const value& b, dtype result) const {
    return coded(fmt::format("{}({}, {})", function, in_type(a, type).code, in_type(b, type).code), result);
  }

  // --------------------------------------------------------------------------------------------------
  // grammar

  value ternary() {
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

  value choose(const value& condition, const value& a, const value& b) const {
    const dtype type = common_type(a, b);
    return coded(fmt::format("({} ? {} : {})", in_type(as_code(condition), dtype::boolean).code,
                             in_type(a, type).code, in_type(b, type).code),
                 type);
  }

  value logical(const char* sign, const value& a, const value& b) const {
    return coded(fmt::format("({} {} {})", in_type(as_code(a), dtype::boolean).code, sign,
                             in_type(as_code(b), dtype::boolean).code),
                 dtype::boolean);
  }
  value negated(const value& v) const {
    return coded(fmt::format("(!{})", in_type(as_code(v), dtype::boolean).code), dtype::boolean);
  }

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
  value negation() { return take("not") ? negated(negation()) : comparison(); }

  value comparison() {
    value v = bits_or();
    for (bool is_first = true;; is_first = false) {
      const char* found = nullptr;
      for (const char* const sign : {"<=", ">=", "==", "!=", "<", ">"}) {
        if (found == nullptr && take(sign)) found = sign;
      }
      if (found == nullptr) return v;
      if (!is_first) fail("comparisons in a row have no value for arrays: join them with 'and'");
      const value right = bits_or();
      const dtype type = common_type(v, right);
      if (is_complex(type) && std::string_view(found) != "==" && std::string_view(found) != "!=")
        fail(fmt::format("{} has no order", name(type)));
      v = coded(fmt::format("({} {} {})", in_type(v, type).code, found, in_type(right, type).code),
                dtype::boolean);
    }
  }

  value bitwise(const char* sign, const value& a, const value& b) const {
    if (a.is == value::kind::integer && b.is == value::kind::integer) {
      return integer_constant(*sign == '|'   ? a.integer | b.integer
                              : *sign == '^' ? a.integer ^ b.integer
                                             : a.integer & b.integer);
    }
    const dtype type = common_type(a, b);
    if (!is_integer(type) && type != dtype::boolean)
      fail(fmt::format("'{}' takes integers, not {}", sign, name(type)));
    return coded(
        fmt::format("(({})({} {} {}))", code_name(type), in_type(a, type).code, sign, in_type(b, type).code),
        type);
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
      const char* const function = take("<<")   ? "heddle_shift_left"
                                   : take(">>") ? "heddle_shift_right"
                                                : nullptr;
      if (function == nullptr) return v;
      const value by = sum();
      const value left = v.is_constant() && by.is_constant() ? as_code(v) : v;
      dtype type = common_type(left, by);
      if (type == dtype::boolean) type = dtype::int8;
      if (!is_integer(type)) fail(fmt::format("a shift takes integers, not {}", name(type)));
      v = call(function, type, left, by, type);
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
    if (take("+")) return signed_value();
    if (take("-")) return negative(signed_value());
    if (take("~")) return inverted(signed_value());
    if (take("!")) return negated(signed_value());
    return raised();
  }

  value raised() {
    value v = primary();
    if (take("**")) return power(v, signed_value());
    return v;
  }

  value negative(const value& v) const {
    if (v.is == value::kind::integer) return integer_constant(-v.integer);
    if (v.is_constant()) {
      value result = v;
      result.number = -v.number;
      return result;
    }
    if (v.type == dtype::boolean) fail("'-' of bool is not defined: use ~ or not");
    return coded(fmt::format("(({})(-{}))", code_name(v.type), v.code), v.type);
  }
  value inverted(const value& v) const {
    if (v.is == value::kind::integer) return integer_constant(~v.integer);
    const value c = as_code(v);
    if (c.type == dtype::boolean) return negated(c);
    if (!is_integer(c.type)) fail(fmt::format("'~' takes integers, not {}", name(c.type)));
    return coded(fmt::format("(({})(~{}))", code_name(c.type), c.code), c.type);
  }

  value arithmetic(char sign, const value& a, const value& b) const {
    if (a.is == value::kind::integer && b.is == value::kind::integer) {
      constexpr __int128 most = __int128{1} << 100;
      const __int128 result = sign == '+'   ? a.integer + b.integer
                              : sign == '-' ? a.integer - b.integer
                                            : a.integer * b.integer;
      if (result > most || result < -most) fail("the numbers are too large");
      return integer_constant(result);
    }
    if (a.is_constant() && b.is_constant() && a.is != value::kind::imaginary &&
        b.is != value::kind::imaginary) {
      const double x = a.as_double(), y = b.as_double();
      return real_constant(sign == '+' ? x + y : sign == '-' ? x - y : x * y);
    }
    const dtype type = common_type(a, b);
    if (type == dtype::boolean) {
      if (sign == '-') fail("'-' of bool is not defined: use ^");
      return logical(sign == '+' ? "||" : "&&", a, b);
    }
    // Integers wrap around: as unsigned ones, whose products of 16 bits must not become int.
    const std::string left = in_type(a, type).code, right = in_type(b, type).code;
    if (is_integer(type))
      return coded(fmt::format("(({})((unsigned long long){} {} (unsigned long long){}))", code_name(type),
                               left, sign, right),
                   type);
    return coded(fmt::format("({} {} {})", left, sign, right), type);
  }

  value divide(const value& a, const value& b) const {
    if (a.is_constant() && b.is_constant() && a.is != value::kind::imaginary &&
        b.is != value::kind::imaginary) {
      if (b.as_double() == 0) fail("division by zero");
      return real_constant(a.as_double() / b.as_double());
    }
    dtype type = common_type(a, b);
    if (type <= dtype::uint64) type = dtype::float64;
    return coded(fmt::format("({} / {})", in_type(a, type).code, in_type(b, type).code), type);
  }
  value floor_divide(const value& a, const value& b) const { return quotient("heddle_floor_divide", a, b); }
  value remainder(const value& a, const value& b) const { return quotient("heddle_remainder", a, b); }
  value quotient(const char* function, const value& a, const value& b) const {
    dtype type = common_type(a, b);
    if (type == dtype::boolean) type = dtype::int8;
    if (is_complex(type)) fail(fmt::format("it is not defined for {}", name(type)));
    return call(function, type, a, b, type);
  }

  value power(const value& base, const value& exponent) const {
    if (base.is_constant() && exponent.is_constant()) {
      if (base.is == value::kind::integer && exponent.is == value::kind::integer && exponent.integer >= 0) {
        __int128 result = 1;
        for (__int128 i = 0; i < exponent.integer; ++i) {
          result *= base.integer;
          if (result > (__int128{1} << 64) || result < -(__int128{1} << 64))
            fail("the numbers are too large");
          if (result == 0 || (result == 1 && base.integer == 1)) break;
        }
        return integer_constant(result);
      }
      return real_constant(std::pow(base.as_double(), exponent.as_double()));
    }
    dtype type = common_type(base, exponent);
    if (is_complex(type)) fail(fmt::format("'**' of {} is not supported", name(type)));
    if (type == dtype::boolean) type = dtype::int8;
    // As NumPy, which gives these exponents to functions that round once.
    if (exponent.is_constant() && is_real_number(type)) {
      const value b = in_type(base, type);
      const double e = exponent.as_double();
      if (e == 2) return coded(fmt::format("heddle_square({})", b.code), type);
      if (e == 1) return b;
      if (e == 0.5) return coded(fmt::format("heddle_sqrt({})", b.code), type);
      if (e == -1) return coded(fmt::format("(({})1 / {})", code_name(type), b.code), type);
    }
    if (exponent.is == value::kind::integer && exponent.integer < 0 && is_integer(type))
      fail("integers cannot be raised to negative powers");
    return call("heddle_power", type, base, exponent, type);
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
    value v = real_constant(d);
    if (is_imaginary) v.is = value::kind::imaginary;
    return v;
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

  value function(const std::string& word, const std::vector<value>& all) const {
    const auto takes = [&](std::size_t count) {
      if (all.size() != count)
        fail(fmt::format("{} takes {} argument{}, and {} were given", word, count, count == 1 ? "" : "s",
                         all.size()));
    };
    for (const unary_function& f : unary_functions) {
      if (word != f.name) continue;
      takes(1);
      if (all[0].is == value::kind::integer || all[0].is == value::kind::real)
        return real_constant(f.of_constant(all[0].as_double()));
      const value v = as_code(all[0]);
      const dtype type = floating(v.type);
      if (is_complex(type)) fail(fmt::format("{} of {} is not supported", word, name(type)));
      return coded(fmt::format("heddle_{}({})", f.code, in_type(v, type).code), type);
    }
    for (int t = 0; t <= static_cast<int>(dtype::complex128); ++t) {
      const auto type = static_cast<dtype>(t);
      if (word != name(type)) continue;
      takes(1);
      return in_type(as_code(all[0]), type);
    }
    if (word == "bool_" || word == "int" || word == "float" || word == "complex") {
      takes(1);
      return in_type(as_code(all[0]), word == "int"     ? dtype::int64
                                      : word == "float" ? dtype::float64
                                      : word == "bool_" ? dtype::boolean
                                                        : dtype::complex128);
    }
    if (word == "where") {
      takes(3);
      return choose(all[0], all[1], all[2]);
    }
    if (word == "clip") {
      takes(3);
      return extremum("minimum", extremum("maximum", all[0], all[1]), all[2]);
    }
    if (word == "minimum" || word == "min" || word == "maximum" || word == "max" || word == "fmin" ||
        word == "fmax") {
      takes(2);
      return extremum(word == "min" ? "minimum" : word == "max" ? "maximum" : word, all[0], all[1]);
    }
    if (word == "power" || word == "pow") {
      takes(2);
      return power(all[0], all[1]);
    }
    if (word == "mod" || word == "remainder") {
      takes(2);
      return remainder(all[0], all[1]);
    }
    if (word == "floor_divide") {
      takes(2);
      return floor_divide(all[0], all[1]);
    }
    for (const auto& [known, code] : {std::pair<const char*, const char*>{"arctan2", "heddle_atan2"},
                                      {"atan2", "heddle_atan2"},
                                      {"hypot", "heddle_hypot"},
                                      {"copysign", "heddle_copysign"},
                                      {"fmod", "heddle_fmod"}}) {
      if (word != known) continue;
      takes(2);
      dtype type = common_type(all[0], all[1]);
      if (is_complex(type)) fail(fmt::format("{} of {} is not supported", word, name(type)));
      const bool keeps_integers = word == "fmod" && is_integer(type);
      if (!keeps_integers) type = floating(type);
      return call(code, type, all[0], all[1], type);
    }
    if (word == "real" || word == "imag" || word == "conj" || word == "conjugate" || word == "abs" ||
        word == "absolute" || word == "square" || word == "sign" || word == "round" || word == "negative" ||
        word == "reciprocal" || word == "isnan" || word == "isinf" || word == "isfinite" ||
        word == "signbit" || word == "logical_not" || word == "deg2rad" || word == "radians" ||
        word == "rad2deg" || word == "degrees") {
      takes(1);
      return of_one(word, as_code(all[0]));
    }
    if (word == "logical_and" || word == "logical_or") {
      takes(2);
      return logical(word == "logical_and" ? "&&" : "||", all[0], all[1]);
    }
    fail(fmt::format("there is no function '{}'", word));
  }

  value of_one(const std::string& word, const value& v) const {
    const dtype type = v.type;
    if (word == "logical_not") return negated(v);
    if (word == "negative") return negative(v);
    if (word == "real") return is_complex(type) ? coded(v.code + ".re", part_of(type)) : v;
    if (word == "imag")
      return is_complex(type) ? coded(v.code + ".im", part_of(type))
                              : coded(fmt::format("(({})0)", code_name(type)), type);
    if (word.starts_with("conj"))
      return is_complex(type) ? coded(fmt::format("heddle_conj({})", v.code), type) : v;
    if (word.starts_with("abs")) {
      if (is_complex(type)) return coded(fmt::format("heddle_hypot({0}.re, {0}.im)", v.code), part_of(type));
      if (is_real_number(type)) return coded(fmt::format("heddle_fabs({})", v.code), type);
      if (type == dtype::boolean || is_unsigned(type)) return v;
      return coded(fmt::format("heddle_absolute({})", v.code), type);
    }
    if (word == "square") return arithmetic('*', v, v);
    if (word.starts_with("is") || word == "signbit") {
      if (is_complex(type)) {
        const char* const sign = word == "isfinite" ? "&&" : "||";
        if (word == "signbit") fail("signbit of complex numbers is not defined");
        return coded(fmt::format("(heddle_{0}({1}.re) {2} heddle_{0}({1}.im))", word, v.code, sign),
                     dtype::boolean);
      }
      return coded(fmt::format("heddle_{}({})", word, in_type(v, floating(type)).code), dtype::boolean);
    }
    if (is_complex(type)) fail(fmt::format("{} of {} is not supported", word, name(type)));
    if (word == "sign") {
      if (type == dtype::boolean) fail("sign of bool is not defined");
      return coded(fmt::format("heddle_sign({})", v.code), type);
    }
    if (word == "round") {
      if (!is_real_number(type)) return v;
      return coded(fmt::format("heddle_rint({})", v.code), type);
    }
    if (word == "reciprocal") {
      const dtype of = type == dtype::boolean ? dtype::int8 : type;
      return call(is_integer(of) ? "heddle_truncated" : "heddle_over", of, integer_constant(1), v, of);
    }
    const dtype of = floating(type);
    const bool to_radians = word == "deg2rad" || word == "radians";
    const double factor = to_radians ? 3.14159265358979323846 / 180 : 180 / 3.14159265358979323846;
    // NumPy rounds the factor to the type first.
    return coded(fmt::format("({} * {})", in_type(v, of).code, in_type(real_constant(factor), of).code), of);
  }

  value extremum(const std::string& which, const value& a, const value& b) const {
    const dtype type = common_type(a, b);
    if (is_complex(type)) fail(fmt::format("{} has no order", name(type)));
    return call(("heddle_" + which).c_str(), type, a, b, type);
  }

  std::string_view text_;
  const std::vector<expression_input>& inputs_;
  std::size_t at_ = 0, token_ = 0;
};

}  // namespace

const char* code_name(dtype type) noexcept {
  constexpr const char* names[] = {"bool",
                                   "signed char",
                                   "short",
                                   "int",
                                   "long long",
                                   "unsigned char",
                                   "unsigned short",
                                   "unsigned int",
                                   "unsigned long long",
                                   "float",
                                   "double",
                                   "heddle_complex64",
                                   "heddle_complex128"};
  return names[static_cast<int>(type)];
}

std::string converted(const std::string& code, dtype from, dtype to) {
  if (from == to) return code;
  if (is_complex(from) && is_complex(to)) return fmt::format("{}({})", code_name(to), code);
  if (is_complex(from)) {
    if (to == dtype::boolean) return fmt::format("heddle_truth({})", code);
    return converted(code + ".re", part_of(from), to);
  }
  if (is_complex(to)) return fmt::format("{}({}, 0)", code_name(to), converted(code, from, part_of(to)));
  if (to == dtype::boolean) return fmt::format("({} != 0)", code);
  if (is_real_number(from) && is_integer(to))
    return fmt::format("heddle_integer<{}>({})", code_name(to), code);
  return fmt::format("(({}){})", code_name(to), code);
}

translated_expression translate_expression(std::string_view text,
                                           const std::vector<expression_input>& inputs) {
  return parser(text, inputs).run();
}

const char* const expression_functions = R"(
template <class T>
struct heddle_complex {
  T re, im;
  HEDDLE_BOTH heddle_complex(T re, T im) : re(re), im(im) {}
  template <class U>
  HEDDLE_BOTH explicit heddle_complex(heddle_complex<U> other) : re((T)other.re), im((T)other.im) {}
};
typedef heddle_complex<float> heddle_complex64;
typedef heddle_complex<double> heddle_complex128;
#define HEDDLE_COMPLEX template <class T> HEDDLE_BOTH
HEDDLE_COMPLEX heddle_complex<T> operator+(heddle_complex<T> a, heddle_complex<T> b) {
  return heddle_complex<T>(a.re + b.re, a.im + b.im);
}
HEDDLE_COMPLEX heddle_complex<T> operator-(heddle_complex<T> a, heddle_complex<T> b) {
  return heddle_complex<T>(a.re - b.re, a.im - b.im);
}
HEDDLE_COMPLEX heddle_complex<T> operator-(heddle_complex<T> a) { return heddle_complex<T>(-a.re, -a.im); }
HEDDLE_COMPLEX heddle_complex<T> operator*(heddle_complex<T> a, heddle_complex<T> b) {
  return heddle_complex<T>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
// R. L. Smith: Algorithm 116, complex division. Communications of the ACM 5 (1962).
HEDDLE_COMPLEX heddle_complex<T> operator/(heddle_complex<T> a, heddle_complex<T> b) {
  const T re = b.re < 0 ? -b.re : b.re, im = b.im < 0 ? -b.im : b.im;
  if (re >= im) {
    if (re == 0 && im == 0) return heddle_complex<T>(a.re / re, a.im / re);
    const T ratio = b.im / b.re, scale = (T)1 / (b.re + b.im * ratio);
    return heddle_complex<T>((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale);
  }
  const T ratio = b.re / b.im, scale = (T)1 / (b.im + b.re * ratio);
  return heddle_complex<T>((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale);
}
HEDDLE_COMPLEX bool operator==(heddle_complex<T> a, heddle_complex<T> b) { return a.re == b.re && a.im == b.im; }
HEDDLE_COMPLEX bool operator!=(heddle_complex<T> a, heddle_complex<T> b) { return !(a == b); }
HEDDLE_COMPLEX heddle_complex<T> heddle_conj(heddle_complex<T> a) { return heddle_complex<T>(a.re, -a.im); }
HEDDLE_COMPLEX bool heddle_truth(heddle_complex<T> a) { return a.re != 0 || a.im != 0; }

#if defined(__CUDACC_RTC__)
HEDDLE_BOTH double heddle_inf() { return __longlong_as_double(0x7ff0000000000000ll); }
HEDDLE_BOTH double heddle_nan() { return __longlong_as_double(0x7ff8000000000000ll); }
#else
HEDDLE_BOTH double heddle_inf() { return __builtin_huge_val(); }
HEDDLE_BOTH double heddle_nan() { return __builtin_nan(""); }
#endif

#define HEDDLE_REAL(NAME)                                        \
  HEDDLE_BOTH float heddle_##NAME(float x) { return NAME##f(x); } \
  HEDDLE_BOTH double heddle_##NAME(double x) { return NAME(x); }
HEDDLE_REAL(sqrt) HEDDLE_REAL(cbrt) HEDDLE_REAL(exp) HEDDLE_REAL(exp2) HEDDLE_REAL(expm1) HEDDLE_REAL(log)
HEDDLE_REAL(log2) HEDDLE_REAL(log10) HEDDLE_REAL(log1p) HEDDLE_REAL(sin) HEDDLE_REAL(cos) HEDDLE_REAL(tan)
HEDDLE_REAL(asin) HEDDLE_REAL(acos) HEDDLE_REAL(atan) HEDDLE_REAL(sinh) HEDDLE_REAL(cosh) HEDDLE_REAL(tanh)
HEDDLE_REAL(asinh) HEDDLE_REAL(acosh) HEDDLE_REAL(atanh) HEDDLE_REAL(floor) HEDDLE_REAL(ceil) HEDDLE_REAL(trunc)
HEDDLE_REAL(rint) HEDDLE_REAL(fabs)
#define HEDDLE_REALS(NAME)                                                            \
  HEDDLE_BOTH float heddle_##NAME(float x, float y) { return NAME##f(x, y); }          \
  HEDDLE_BOTH double heddle_##NAME(double x, double y) { return NAME(x, y); }
HEDDLE_REALS(atan2) HEDDLE_REALS(hypot) HEDDLE_REALS(copysign) HEDDLE_REALS(fmod) HEDDLE_REALS(fmin) HEDDLE_REALS(fmax)

template <class T>
HEDDLE_BOTH bool heddle_isnan(T x) { return x != x; }
template <class T>
HEDDLE_BOTH bool heddle_isinf(T x) { return x == (T)heddle_inf() || x == -(T)heddle_inf(); }
template <class T>
HEDDLE_BOTH bool heddle_isfinite(T x) { return x - x == 0; }
template <class T>
HEDDLE_BOTH bool heddle_signbit(T x) { return heddle_copysign((T)1, x) < 0; }
template <class T>
HEDDLE_BOTH T heddle_square(T x) { return x * x; }
template <class T>
HEDDLE_BOTH T heddle_over(T x, T y) { return x / y; }
template <class T>
HEDDLE_BOTH T heddle_truncated(T x, T y) { return y == 0 ? (T)0 : y == (T)-1 ? (T)-(unsigned long long)x : (T)(x / y); }
template <class T>
HEDDLE_BOTH T heddle_absolute(T x) { return x < 0 ? (T)-(unsigned long long)x : x; }
template <class T>
HEDDLE_BOTH T heddle_sign(T x) { return x != x ? x : (T)((x > 0) - (x < 0)); }
template <class T>
HEDDLE_BOTH T heddle_minimum(T a, T b) { return a < b || a != a ? a : b; }
template <class T>
HEDDLE_BOTH T heddle_maximum(T a, T b) { return a > b || a != a ? a : b; }
template <class T>
HEDDLE_BOTH T heddle_fmin(T a, T b) { return a < b ? a : b; }
template <class T>
HEDDLE_BOTH T heddle_fmax(T a, T b) { return a > b ? a : b; }
template <class T>
HEDDLE_BOTH T heddle_fmod(T a, T b) { return b == 0 ? (T)0 : b == (T)-1 ? (T)0 : (T)(a % b); }

// Quotients round to minus infinity, and remainders have the sign of the divisor.
template <class T>
HEDDLE_BOTH T heddle_floor_divide(T a, T b) {
  if (b == 0) return 0;
  if (b == (T)-1 && (T)-1 < 0) return (T)-(unsigned long long)a;
  return (T)(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}
template <class T>
HEDDLE_BOTH T heddle_remainder(T a, T b) {
  if (b == 0 || (b == (T)-1 && (T)-1 < 0)) return 0;
  const T rest = (T)(a % b);
  return rest != 0 && (rest < 0) != (b < 0) ? (T)(rest + b) : rest;
}
template <class T>
HEDDLE_BOTH T heddle_real_remainder(T a, T b) {
  const T rest = heddle_fmod(a, b);
  if (b == 0) return rest;
  if (rest == 0) return heddle_copysign((T)0, b);
  return (b < 0) != (rest < 0) ? rest + b : rest;
}
template <class T>
HEDDLE_BOTH T heddle_real_floor_divide(T a, T b) {
  if (b == 0) return a / b;
  const T rest = heddle_fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return heddle_copysign((T)0, a / b);
  const T whole = heddle_floor(quotient);
  return quotient - whole > (T)0.5 ? whole + 1 : whole;
}
HEDDLE_BOTH float heddle_remainder(float a, float b) { return heddle_real_remainder(a, b); }
HEDDLE_BOTH double heddle_remainder(double a, double b) { return heddle_real_remainder(a, b); }
HEDDLE_BOTH float heddle_floor_divide(float a, float b) { return heddle_real_floor_divide(a, b); }
HEDDLE_BOTH double heddle_floor_divide(double a, double b) { return heddle_real_floor_divide(a, b); }

template <class T>
HEDDLE_BOTH T heddle_power(T base, T exponent) {
  if (exponent < 0) return base == 1 ? (T)1 : base == (T)-1 ? (T)(exponent % 2 ? -1 : 1) : (T)0;
  unsigned long long result = 1, factor = (unsigned long long)base;
  for (unsigned long long left = (unsigned long long)exponent; left != 0; left /= 2) {
    if (left % 2) result *= factor;
    factor *= factor;
  }
  return (T)result;
}
HEDDLE_BOTH float heddle_power(float base, float exponent) { return powf(base, exponent); }
HEDDLE_BOTH double heddle_power(double base, double exponent) { return pow(base, exponent); }

template <class T>
HEDDLE_BOTH T heddle_shift_left(T x, T by) {
  return (unsigned long long)by < 8 * sizeof(T) ? (T)((unsigned long long)x << by) : (T)0;
}
template <class T>
HEDDLE_BOTH T heddle_shift_right(T x, T by) {
  return (unsigned long long)by < 8 * sizeof(T) ? (T)(x >> by) : x < 0 ? (T)-1 : (T)0;
}

/// The nearest integer towards 0 that the type has; 0 for NaN.
template <class To, class From>
HEDDLE_BOTH To heddle_integer(From x) {
  const bool is_signed = (To)-1 < 0;
  const int bits = 8 * sizeof(To) - is_signed;
  const From end = (From)2 * (From)(1ull << (bits - 1));
  const To most = (To)(~0ull >> (64 - bits)), least = is_signed ? (To)(-(long long)most - 1) : (To)0;
  if (x != x) return 0;
  if (x >= end) return most;
  return is_signed ? (x <= -end ? least : (To)x) : (x <= 0 ? (To)0 : (To)x);
}
)";

}  // namespace heddle::cli
