#include "expressions/numpy_operations.hpp"

#include <heddle/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

/// Types of expressions, conversions between them, and operators.
namespace heddle::expressions {

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

dtype floating(dtype type) {
  if (type >= dtype::float32) return type;
  return size_of(type) <= 2 ? dtype::float32 : dtype::float64;
}
dtype part_of(dtype type) {
  return type == dtype::complex64 ? dtype::float32 : type == dtype::complex128 ? dtype::float64 : type;
}

bool fits(__int128 i, dtype type) {
  const std::size_t bits = 8 * size_of(type);
  if (is_unsigned(type)) return i >= 0 && i >> bits == 0;
  return i >> (bits - 1) == 0 || i >> (bits - 1) == -1;
}

namespace {

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

std::string real_code(double d) {
  if (std::isnan(d)) return "heddle_nan()";
  if (std::isinf(d)) return d > 0 ? "heddle_inf()" : "(-heddle_inf())";
  return fmt::format("({:a})", d);
}

std::string text_of(__int128 i) {
  if (i < 0) return fmt::format("-{}", text_of(-i));
  std::string digits;
  do digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(i % 10)));
  while ((i /= 10) != 0);
  return digits;
}

value boolean_constant(bool b) {
  return coded(b ? "true" : "false", dtype::boolean);
}

template <class T>
bool holds(std::string_view sign, T x, T y) {
  return sign == "<"    ? x < y
         : sign == "<=" ? x <= y
         : sign == "==" ? x == y
         : sign == "!=" ? x != y
         : sign == ">"  ? x > y
                        : x >= y;
}

bool are_integers(const value& a, const value& b) {
  return a.is == value::kind::integer && b.is == value::kind::integer;
}
bool are_real_constants(const value& a, const value& b) {
  return a.is_real_constant() && b.is_real_constant();
}

/// Python's %, which has the sign of the divisor.
double real_remainder(double x, double y) {
  const double rest = std::fmod(x, y);
  if (rest == 0) return std::copysign(0.0, y);
  return (rest < 0) != (y < 0) ? rest + y : rest;
}

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
    if (to == dtype::boolean) return fmt::format("heddle_is_nonzero({})", code);
    return converted(code + ".re", part_of(from), to);
  }
  if (is_complex(to)) return fmt::format("{}({}, 0)", code_name(to), converted(code, from, part_of(to)));
  if (to == dtype::boolean) return fmt::format("({} != 0)", code);
  if (is_real_number(from) && is_integer(to))
    return fmt::format("heddle_integer<{}>({})", code_name(to), code);
  return fmt::format("(({}){})", code_name(to), code);
}

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
value complex_constant(std::complex<double> c) {
  value v;
  v.is = value::kind::complex;
  v.number = c;
  return v;
}
value coded(std::string code, dtype type) {
  value v;
  v.code = std::move(code);
  v.type = type;
  return v;
}

void numpy_operations::fail(const std::string& message) const {
  std::string line(text_);
  std::replace(line.begin(), line.end(), '\n', ' ');  // columns stay as they are
  throw error(fmt::format("expression '{}', column {}: {}", line, token_ + 1, message));
}

/// An integer constant, none of which is so large that a sum or a shift of two overflows.
value numpy_operations::whole(__int128 i) const {
  constexpr __int128 most = __int128{1} << 100;
  if (i > most || i < -most) fail("the numbers are too large");
  return integer_constant(i);
}

value numpy_operations::as_code(const value& v) const {
  switch (v.is) {
    case value::kind::integer:
      return in_type(v, fits(v.integer, dtype::int64) ? dtype::int64 : dtype::uint64);
    case value::kind::real:
      return in_type(v, dtype::float64);
    case value::kind::complex:
      return in_type(v, dtype::complex128);
    default:
      return v;
  }
}

value numpy_operations::in_type(const value& v, dtype type) const {
  if (v.is == value::kind::code) return coded(converted(v.code, v.type, type), type);
  if (v.is == value::kind::complex) {
    if (!is_complex(type)) return in_type(as_code(v), type);
    return coded(
        fmt::format("{}({}, {})", code_name(type), real_code(v.number.real()), real_code(v.number.imag())),
        type);
  }
  if (type == dtype::boolean) return boolean_constant(v.as_double() != 0);
  if (v.is == value::kind::integer && is_integer(type)) {
    if (!fits(v.integer, type)) fail(fmt::format("{} does not fit {}", text_of(v.integer), name(type)));
    return coded(fmt::format("(({})0x{:x}ull)", code_name(type), static_cast<std::uint64_t>(v.integer)),
                 type);
  }
  return coded(converted(real_code(v.as_double()), dtype::float64, type), type);
}

dtype numpy_operations::common_type(const value& a, const value& b) const {
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

value numpy_operations::call(const char* function, dtype type, const value& a, const value& b,
                             dtype result) const {
  return coded(fmt::format("{}({}, {})", function, in_type(a, type).code, in_type(b, type).code), result);
}

value numpy_operations::choose(const value& condition, const value& a, const value& b) const {
  const dtype type = common_type(a, b);
  return coded(fmt::format("({} ? {} : {})", in_type(as_code(condition), dtype::boolean).code,
                           in_type(a, type).code, in_type(b, type).code),
               type);
}

value numpy_operations::logical(const char* sign, const value& a, const value& b) const {
  return coded(fmt::format("({} {} {})", in_type(as_code(a), dtype::boolean).code, sign,
                           in_type(as_code(b), dtype::boolean).code),
               dtype::boolean);
}

value numpy_operations::negated(const value& v) const {
  return coded(fmt::format("(!{})", in_type(as_code(v), dtype::boolean).code), dtype::boolean);
}

value numpy_operations::bitwise(const char* sign, const value& a, const value& b) const {
  if (are_integers(a, b)) {
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

value numpy_operations::negative(const value& v) const {
  if (v.is == value::kind::integer) return integer_constant(-v.integer);
  if (v.is_constant()) {
    value result = v;
    result.number = -v.number;
    return result;
  }
  if (v.type == dtype::boolean) fail("'-' of bool is not defined: use ~ or not");
  // The smallest integer has no negative: it wraps around.
  if (is_integer(v.type))
    return coded(fmt::format("(({})(-(unsigned long long){}))", code_name(v.type), v.code), v.type);
  return coded(fmt::format("(-{})", v.code), v.type);
}

value numpy_operations::inverted(const value& v) const {
  if (v.is == value::kind::integer) return integer_constant(~v.integer);
  const value c = as_code(v);
  if (c.type == dtype::boolean) return negated(c);
  if (!is_integer(c.type)) fail(fmt::format("'~' takes integers, not {}", name(c.type)));
  return coded(fmt::format("(({})(~{}))", code_name(c.type), c.code), c.type);
}

value numpy_operations::arithmetic(char sign, const value& a, const value& b) const {
  if (are_integers(a, b)) {
    if (sign != '*') return whole(sign == '+' ? a.integer + b.integer : a.integer - b.integer);
    if (std::abs(a.as_double() * b.as_double()) > 0x1p100) fail("the numbers are too large");
    return whole(a.integer * b.integer);
  }
  if (a.is_constant() && b.is_constant()) {
    const std::complex<double> x = a.as_complex(), y = b.as_complex();
    const std::complex<double> result = sign == '+' ? x + y : sign == '-' ? x - y : x * y;
    return are_real_constants(a, b) ? real_constant(result.real()) : complex_constant(result);
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

value numpy_operations::divide(const value& a, const value& b) const {
  if (a.is_constant() && b.is_constant()) {
    if (b.as_complex() == 0.0) fail("division by zero");
    if (are_real_constants(a, b)) return real_constant(a.as_double() / b.as_double());
    return complex_constant(a.as_complex() / b.as_complex());
  }
  dtype type = common_type(a, b);
  if (type <= dtype::uint64) type = dtype::float64;
  return coded(fmt::format("({} / {})", in_type(a, type).code, in_type(b, type).code), type);
}

value numpy_operations::compare(std::string_view sign, const value& a, const value& b) const {
  if (are_integers(a, b)) return boolean_constant(holds(sign, a.integer, b.integer));
  if (are_real_constants(a, b)) return boolean_constant(holds(sign, a.as_double(), b.as_double()));
  const dtype type = common_type(a, b);
  if (is_complex(type) && sign != "==" && sign != "!=") fail(fmt::format("{} has no order", name(type)));
  for (const value* const v : {&a, &b}) {
    // A number that the type does not have is beyond all that it has, such as 0.
    if (v->is == value::kind::integer && is_integer(type) && !fits(v->integer, type))
      return boolean_constant(holds(sign, v == &a ? v->integer : 0, v == &b ? v->integer : 0));
  }
  const auto widest = [&](const value& v) {
    return in_type(v, is_unsigned(v.type) ? dtype::uint64 : dtype::int64).code;
  };
  // Where no integer type has both, integers are compared as they are, and not as float64.
  if (!a.is_constant() && !b.is_constant() && is_integer(a.type) && is_integer(b.type) && !is_integer(type))
    return coded(fmt::format("(heddle_order({}, {}) {} 0)", widest(a), widest(b), sign), dtype::boolean);
  return coded(fmt::format("({} {} {})", in_type(a, type).code, sign, in_type(b, type).code), dtype::boolean);
}

value numpy_operations::shift_left(const value& a, const value& b) const {
  if (!are_integers(a, b)) return shift("heddle_shift_left", a, b);
  if (b.integer < 0) fail("negative shift count");
  return arithmetic('*', a, power(integer_constant(2), b));
}

value numpy_operations::shift_right(const value& a, const value& b) const {
  if (!are_integers(a, b)) return shift("heddle_shift_right", a, b);
  if (b.integer < 0) fail("negative shift count");
  return integer_constant(a.integer >> (b.integer < 127 ? static_cast<int>(b.integer) : 127));
}

value numpy_operations::shift(const char* function, const value& a, const value& b) const {
  dtype type = common_type(a, b);
  if (type == dtype::boolean) type = dtype::int8;
  if (!is_integer(type)) fail(fmt::format("a shift takes integers, not {}", name(type)));
  return call(function, type, a, b, type);
}

value numpy_operations::floor_divide(const value& a, const value& b) const {
  if (!are_real_constants(a, b)) return quotient("heddle_floor_divide", a, b);
  if (b.as_double() == 0) fail("division by zero");
  if (are_integers(a, b)) {
    const bool rounds = a.integer % b.integer != 0 && (a.integer < 0) != (b.integer < 0);
    return integer_constant(a.integer / b.integer - rounds);
  }
  const double x = a.as_double(), y = b.as_double();
  return real_constant(std::nearbyint((x - real_remainder(x, y)) / y));
}

value numpy_operations::remainder(const value& a, const value& b) const {
  if (!are_real_constants(a, b)) return quotient("heddle_remainder", a, b);
  if (b.as_double() == 0) fail("division by zero");
  if (!are_integers(a, b)) return real_constant(real_remainder(a.as_double(), b.as_double()));
  const __int128 rest = a.integer % b.integer;
  return integer_constant(rest != 0 && (rest < 0) != (b.integer < 0) ? rest + b.integer : rest);
}

value numpy_operations::truncated_remainder(const value& a, const value& b) const {
  if (!are_real_constants(a, b)) return quotient("heddle_fmod", a, b);
  if (b.as_double() == 0) fail("division by zero");
  if (are_integers(a, b)) return integer_constant(a.integer % b.integer);
  return real_constant(std::fmod(a.as_double(), b.as_double()));
}

value numpy_operations::quotient(const char* function, const value& a, const value& b) const {
  dtype type = common_type(a, b);
  if (type == dtype::boolean) type = dtype::int8;
  if (is_complex(type)) fail(fmt::format("it is not defined for {}", name(type)));
  return call(function, type, a, b, type);
}

value numpy_operations::divisor(const char* function, const value& a, const value& b) const {
  const dtype type = common_type(a, b);
  if (!is_integer(type)) fail(fmt::format("it takes integers, not {}", name(type)));
  return call(function, type, a, b, type);
}

value numpy_operations::power(const value& base, const value& exponent) const {
  if (are_integers(base, exponent) && exponent.integer >= 0) {
    value result = integer_constant(1), factor = base;
    for (__int128 left = exponent.integer;; left /= 2) {
      if (left % 2 != 0) result = arithmetic('*', result, factor);
      if (left < 2) return result;
      factor = arithmetic('*', factor, factor);
    }
  }
  if (are_real_constants(base, exponent))
    return real_constant(std::pow(base.as_double(), exponent.as_double()));
  if (base.is_constant() && exponent.is_constant())
    return complex_constant(std::pow(base.as_complex(), exponent.as_complex()));
  dtype type = common_type(base, exponent);
  if (type == dtype::boolean) type = dtype::int8;
  // As NumPy, which gives these exponents to functions that round once.
  if (exponent.is_real_constant() && !is_integer(type)) {
    value b = in_type(base, type);
    const double e = exponent.as_double();
    if (e == 2) return coded(fmt::format("heddle_square({})", b.code), type);
    if (e == 1) return b;
    if (e == 0.5) return coded(fmt::format("heddle_sqrt({})", b.code), type);
    if (e == -1) return coded(fmt::format("heddle_reciprocal({})", b.code), type);
  }
  if (exponent.is == value::kind::integer && exponent.integer < 0 && is_integer(type))
    fail("integers cannot be raised to negative powers");
  return call("heddle_power", type, base, exponent, type);
}

}  // namespace heddle::expressions
