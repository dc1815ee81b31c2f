#pragma once

#include "expressions/numpy_expression.hpp"

#include <complex>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::expressions {

/// A number that is written out, which takes the type of what it meets, or code of a type.
struct value {
  enum class kind { code, integer, real, complex } is = kind::code;
  std::string code;
  dtype type = dtype::float64;
  std::complex<double> number;
  __int128 integer = 0;

  bool is_constant() const { return is != kind::code; }
  bool is_real_constant() const { return is == kind::integer || is == kind::real; }
  double as_double() const { return as_complex().real(); }
  std::complex<double> as_complex() const {
    return is == kind::integer ? static_cast<double>(integer) : number;
  }
};

value integer_constant(__int128 i);
value real_constant(double d);
value complex_constant(std::complex<double> c);
value coded(std::string code, dtype type);

bool is_complex(dtype type);
bool is_real_number(dtype type);
bool is_integer(dtype type);
bool is_unsigned(dtype type);
/// Whether an integer type has the number.
bool fits(__int128 i, dtype type);
/// The floating-point type that a function of numbers computes in.
dtype floating(dtype type);
/// Of a complex type that of its parts.
dtype part_of(dtype type);

/// Operators and functions of an expression applied to values: constants are computed, other values become
/// code. An operation that NumPy does not allow is a heddle::error with the place in the expression.
class numpy_operations {
 protected:
  explicit numpy_operations(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(const std::string& message) const;

  /// A constant as code, in the type that NumPy gives it alone.
  value as_code(const value& v) const;
  /// The same value as code of a type.
  value in_type(const value& v, dtype type) const;
  /// The type in which two values meet.
  dtype common_type(const value& a, const value& b) const;
  value call(const char* function, dtype type, const value& a, const value& b, dtype result) const;
  value choose(const value& condition, const value& a, const value& b) const;
  value logical(const char* sign, const value& a, const value& b) const;
  value negated(const value& v) const;
  value bitwise(const char* sign, const value& a, const value& b) const;
  value negative(const value& v) const;
  value inverted(const value& v) const;
  value arithmetic(char sign, const value& a, const value& b) const;
  value divide(const value& a, const value& b) const;
  value compare(std::string_view sign, const value& a, const value& b) const;
  value shift_left(const value& a, const value& b) const;
  value shift_right(const value& a, const value& b) const;
  value floor_divide(const value& a, const value& b) const;
  value remainder(const value& a, const value& b) const;
  /// With the sign of the dividend.
  value truncated_remainder(const value& a, const value& b) const;
  value power(const value& base, const value& exponent) const;
  /// A function by its name.
  value function(const std::string& word, const std::vector<value>& all) const;

  std::string_view text_;
  std::size_t token_ = 0;  // where the present one begins

 private:
  struct function_of_two;
  static const function_of_two functions_of_two[];

  value whole(__int128 i) const;
  value shift(const char* function, const value& a, const value& b) const;
  value quotient(const char* function, const value& a, const value& b) const;
  value divisor(const char* function, const value& a, const value& b) const;
  value of_one(const std::string& word, const value& v) const;
  value angle(const value& v) const;
  value of_real_constant(const std::string& word, const value& v) const;
  value of_complex_constant(const std::string& word, const value& v) const;
  value extremum(const std::string& which, const value& a, const value& b) const;
  value clip(const value& v, const value& least, const value& most) const;
};

}  // namespace heddle::expressions
