#pragma once

#include "numpy_expression.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

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

value integer_constant(__int128 i);
value real_constant(double d);
value coded(std::string code, dtype type);

bool is_complex(dtype type);
bool is_real_number(dtype type);
bool is_integer(dtype type);
bool is_unsigned(dtype type);
/// The floating-point type that a function of numbers computes in.
dtype floating(dtype type);
/// Of a complex type that of its parts.
dtype part_of(dtype type);

/// What operators and functions of an expression make of values: constants are computed, the rest becomes
/// code. What NumPy does not allow is a heddle::error with the place in the expression.
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
  value floor_divide(const value& a, const value& b) const;
  value remainder(const value& a, const value& b) const;
  value power(const value& base, const value& exponent) const;
  /// A function by its name.
  value function(const std::string& word, const std::vector<value>& all) const;

  std::string_view text_;
  std::size_t token_ = 0;  // where the present one begins

 private:
  static std::string text_of(__int128 i);
  value quotient(const char* function, const value& a, const value& b) const;
  value of_one(const std::string& word, const value& v) const;
  value extremum(const std::string& which, const value& a, const value& b) const;
};

}  // namespace heddle::cli
