#include "expressions/numpy_operations.hpp"
#include <heddle/support/number_text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

/// The functions that expressions may call.
namespace heddle::expressions {
namespace {

bool is_whole(const value& v) {
  return !v.is_constant() && v.type <= dtype::uint64;
}

/// The factor of deg2rad and rad2deg; 0 for any other function.
double degrees(std::string_view word) {
  constexpr double pi = 3.14159265358979323846;
  if (word == "deg2rad" || word == "radians") return pi / 180;
  return word == "rad2deg" || word == "degrees" ? 180 / pi : 0;
}

using complex = std::complex<double>;

struct unary_function {
  const char* name;
  const char* code;
  double (*of_constant)(double);
  complex (*of_complex)(const complex&) = nullptr;  ///< where there is one
};
// Their values are floating-point numbers.
constexpr unary_function unary_functions[] = {
    {"sqrt", "sqrt", std::sqrt, std::sqrt},
    {"cbrt", "cbrt", std::cbrt},
    {"exp", "exp", std::exp, std::exp},
    {"exp2", "exp2", std::exp2, [](const complex& z) { return std::pow(2.0, z); }},
    {"expm1", "expm1", std::expm1, [](const complex& z) { return std::exp(z) - 1.0; }},
    {"log", "log", std::log, std::log},
    {"log2", "log2", std::log2, [](const complex& z) { return std::log(z) / std::log(2.0); }},
    {"log10", "log10", std::log10, std::log10},
    {"log1p", "log1p", std::log1p, [](const complex& z) { return std::log(z + 1.0); }},
    {"sin", "sin", std::sin, std::sin},
    {"cos", "cos", std::cos, std::cos},
    {"tan", "tan", std::tan, std::tan},
    {"arcsin", "asin", std::asin, std::asin},
    {"asin", "asin", std::asin, std::asin},
    {"arccos", "acos", std::acos, std::acos},
    {"acos", "acos", std::acos, std::acos},
    {"arctan", "atan", std::atan, std::atan},
    {"atan", "atan", std::atan, std::atan},
    {"sinh", "sinh", std::sinh, std::sinh},
    {"cosh", "cosh", std::cosh, std::cosh},
    {"tanh", "tanh", std::tanh, std::tanh},
    {"arcsinh", "asinh", std::asinh, std::asinh},
    {"asinh", "asinh", std::asinh, std::asinh},
    {"arccosh", "acosh", std::acosh, std::acosh},
    {"acosh", "acosh", std::acosh, std::acosh},
    {"arctanh", "atanh", std::atanh, std::atanh},
    {"atanh", "atanh", std::atanh, std::atanh},
    {"rint", "rint", std::rint,
     [](const complex& z) { return complex(std::rint(z.real()), std::rint(z.imag())); }},
    {"floor", "floor", std::floor},
    {"ceil", "ceil", std::ceil},
    {"trunc", "trunc", std::trunc},
    {"fabs", "fabs", std::fabs},
};

struct real_function_of_two {
  const char* name;
  const char* code;
  double (*of_constants)(double, double);
};
constexpr real_function_of_two real_functions_of_two[] = {
    {"arctan2", "heddle_atan2", std::atan2},
    {"atan2", "heddle_atan2", std::atan2},
    {"hypot", "heddle_hypot", std::hypot},
    {"copysign", "heddle_copysign", std::copysign},
    {"heaviside", "heddle_heaviside",
     [](double x, double at_zero) {
       return x == 0 ? at_zero : std::isnan(x) ? x : x > 0 ? 1.0 : 0.0;
     }},
};

constexpr std::string_view functions_of_one[] = {
    "real",    "imag",          "conj",     "conjugate",  "abs",      "absolute", "square",
    "sign",    "round",         "positive", "angle",      "negative", "invert",   "bitwise_not",
    "isnan",   "bitwise_count", "isinf",    "reciprocal", "isfinite", "signbit",  "logical_not",
    "deg2rad", "radians",       "rad2deg",  "degrees"};

}  // namespace

/// A function that is an operator, too, or that keeps integers.
struct numpy_operations::function_of_two {
  const char* name;
  value (*of)(const numpy_operations& with, const value& a, const value& b);
};

const numpy_operations::function_of_two numpy_operations::functions_of_two[] = {
    {"add", [](auto& o, auto& a, auto& b) { return o.arithmetic('+', a, b); }},
    {"subtract", [](auto& o, auto& a, auto& b) { return o.arithmetic('-', a, b); }},
    {"multiply", [](auto& o, auto& a, auto& b) { return o.arithmetic('*', a, b); }},
    {"divide", [](auto& o, auto& a, auto& b) { return o.divide(a, b); }},
    {"true_divide", [](auto& o, auto& a, auto& b) { return o.divide(a, b); }},
    {"floor_divide", [](auto& o, auto& a, auto& b) { return o.floor_divide(a, b); }},
    {"remainder", [](auto& o, auto& a, auto& b) { return o.remainder(a, b); }},
    {"mod", [](auto& o, auto& a, auto& b) { return o.remainder(a, b); }},
    {"fmod", [](auto& o, auto& a, auto& b) { return o.truncated_remainder(a, b); }},
    {"power", [](auto& o, auto& a, auto& b) { return o.power(a, b); }},
    {"pow", [](auto& o, auto& a, auto& b) { return o.power(a, b); }},
    {"gcd", [](auto& o, auto& a, auto& b) { return o.divisor("heddle_gcd", a, b); }},
    {"lcm", [](auto& o, auto& a, auto& b) { return o.divisor("heddle_lcm", a, b); }},
    {"left_shift", [](auto& o, auto& a, auto& b) { return o.shift_left(a, b); }},
    {"right_shift", [](auto& o, auto& a, auto& b) { return o.shift_right(a, b); }},
    {"bitwise_and", [](auto& o, auto& a, auto& b) { return o.bitwise("&", a, b); }},
    {"bitwise_or", [](auto& o, auto& a, auto& b) { return o.bitwise("|", a, b); }},
    {"bitwise_xor", [](auto& o, auto& a, auto& b) { return o.bitwise("^", a, b); }},
    {"equal", [](auto& o, auto& a, auto& b) { return o.compare("==", a, b); }},
    {"not_equal", [](auto& o, auto& a, auto& b) { return o.compare("!=", a, b); }},
    {"less", [](auto& o, auto& a, auto& b) { return o.compare("<", a, b); }},
    {"less_equal", [](auto& o, auto& a, auto& b) { return o.compare("<=", a, b); }},
    {"greater", [](auto& o, auto& a, auto& b) { return o.compare(">", a, b); }},
    {"greater_equal", [](auto& o, auto& a, auto& b) { return o.compare(">=", a, b); }},
    {"logical_and", [](auto& o, auto& a, auto& b) { return o.logical("&&", a, b); }},
    {"logical_or", [](auto& o, auto& a, auto& b) { return o.logical("||", a, b); }},
    {"logical_xor", [](auto& o, auto& a, auto& b) { return o.logical("!=", a, b); }},
    {"minimum", [](auto& o, auto& a, auto& b) { return o.extremum("minimum", a, b); }},
    {"min", [](auto& o, auto& a, auto& b) { return o.extremum("minimum", a, b); }},
    {"maximum", [](auto& o, auto& a, auto& b) { return o.extremum("maximum", a, b); }},
    {"max", [](auto& o, auto& a, auto& b) { return o.extremum("maximum", a, b); }},
    {"fmin", [](auto& o, auto& a, auto& b) { return o.extremum("fmin", a, b); }},
    {"fmax", [](auto& o, auto& a, auto& b) { return o.extremum("fmax", a, b); }},
};

value numpy_operations::function(const std::string& word, const std::vector<value>& all) const {
  const auto takes = [&](std::size_t count) {
    if (all.size() == count) return;
    fail(fmt::format("{} takes {}, and {} {} given", word, counted(count, "argument"), all.size(),
                     all.size() == 1 ? "was" : "were"));
  };
  for (const unary_function& f : unary_functions) {
    if (word != f.name) continue;
    takes(1);
    const bool keeps_integers = word == "floor" || word == "ceil" || word == "trunc";
    if (keeps_integers && (all[0].is == value::kind::integer || is_whole(all[0]))) return all[0];
    if (all[0].is_real_constant()) return real_constant(f.of_constant(all[0].as_double()));
    if (all[0].is_constant() && f.of_complex != nullptr)
      return complex_constant(f.of_complex(all[0].as_complex()));
    const value v = as_code(all[0]);
    const dtype type = floating(v.type);
    if (is_complex(type) && f.of_complex == nullptr)
      fail(fmt::format("{} of {} is not supported", word, name(type)));
    return coded(fmt::format("heddle_{}({})", f.code, in_type(v, type).code), type);
  }
  for (const real_function_of_two& f : real_functions_of_two) {
    if (word != f.name) continue;
    takes(2);
    const value &a = all[0], &b = all[1];
    if (a.is_real_constant() && b.is_real_constant())
      return real_constant(f.of_constants(a.as_double(), b.as_double()));
    // Each argument becomes a floating-point number by itself: int8 and uint16 meet in float32.
    const dtype type = a.is_constant() || b.is_constant()
                           ? floating(common_type(a, b))
                           : common_type(coded("", floating(a.type)), coded("", floating(b.type)));
    if (is_complex(type)) fail(fmt::format("{} of {} is not supported", word, name(type)));
    return call(f.code, type, a, b, type);
  }
  for (const function_of_two& f : functions_of_two) {
    if (word != f.name) continue;
    takes(2);
    return f.of(*this, all[0], all[1]);
  }
  if (std::find(std::begin(functions_of_one), std::end(functions_of_one), word) !=
      std::end(functions_of_one)) {
    takes(1);
    return of_one(word, all[0]);
  }
  for (int t = 0; t <= static_cast<int>(dtype::complex128); ++t) {
    const auto type = static_cast<dtype>(t);
    if (word != name(type)) continue;
    takes(1);
    return in_type(as_code(all[0]), type);
  }
  if (word == "bool_" || word == "int" || word == "float" || word == "complex") {
    takes(1);
    if (all[0].is_real_constant() && word == "int") {
      const double d = all[0].as_double();
      if (!(std::abs(d) < 0x1p100)) fail(fmt::format("{} has no integer", d));
      return all[0].is == value::kind::integer ? all[0] : integer_constant(static_cast<__int128>(d));
    }
    if (all[0].is_real_constant() && word == "float") return real_constant(all[0].as_double());
    if (all[0].is_constant() && word == "complex") return complex_constant(all[0].as_complex());
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
    return clip(all[0], all[1], all[2]);
  }
  fail(fmt::format("there is no function '{}'", word));
}

value numpy_operations::of_one(const std::string& word, const value& given) const {
  if (word == "negative") return negative(given);
  if (word == "invert" || word == "bitwise_not") return inverted(given);
  if (word == "logical_not") return negated(given);
  if (word == "angle") return angle(given);
  if (given.is_real_constant()) return of_real_constant(word, given);
  if (given.is_constant()) return of_complex_constant(word, given);
  value v = as_code(given);
  const dtype type = v.type;
  // Functions that NumPy has for int8 first.
  const dtype of_numbers = type == dtype::boolean ? dtype::int8 : type;
  if (word == "positive") {
    if (type == dtype::boolean) fail("positive of bool is not defined");
    return v;
  }
  if (word == "real") return is_complex(type) ? coded(v.code + ".re", part_of(type)) : v;
  if (word == "imag")
    return is_complex(type) ? coded(v.code + ".im", part_of(type))
                            : coded(fmt::format("(({})0)", code_name(type)), type);
  if (word.starts_with("conj"))
    return is_complex(type) ? coded(fmt::format("heddle_conj({})", v.code), type) : in_type(v, of_numbers);
  if (word.starts_with("abs")) {
    if (is_complex(type)) return coded(fmt::format("heddle_abs({})", v.code), part_of(type));
    if (is_real_number(type)) return coded(fmt::format("heddle_fabs({})", v.code), type);
    if (type == dtype::boolean || is_unsigned(type)) return v;
    return coded(fmt::format("heddle_absolute({})", v.code), type);
  }
  if (word == "square")
    return coded(fmt::format("heddle_square({})", in_type(v, of_numbers).code), of_numbers);
  if (word.starts_with("is") || word == "signbit") {
    if (is_complex(type)) {
      if (word == "signbit") fail("signbit of complex numbers is not defined");
      return coded(fmt::format("heddle_{}({})", word, v.code), dtype::boolean);
    }
    return coded(fmt::format("heddle_{}({})", word, in_type(v, floating(type)).code), dtype::boolean);
  }
  if (word == "reciprocal")
    return coded(fmt::format("heddle_reciprocal({})", in_type(v, of_numbers).code), of_numbers);
  if (word == "round") {
    if (is_integer(type)) return v;
    return coded(fmt::format("heddle_rint({})", in_type(v, floating(type)).code), floating(type));
  }
  if (word == "sign") {
    if (type == dtype::boolean) fail("sign of bool is not defined");
    return coded(fmt::format("heddle_sign({})", v.code), type);
  }
  if (word == "bitwise_count") {
    if (!is_integer(of_numbers)) fail(fmt::format("it takes integers, not {}", name(type)));
    return coded(fmt::format("heddle_bitwise_count({})", in_type(v, of_numbers).code), dtype::uint8);
  }
  if (is_complex(type)) fail(fmt::format("{} of {} is not supported", word, name(type)));
  const dtype of = floating(type);
  // NumPy rounds the factor to the type first.
  return coded(fmt::format("({} * {})", in_type(v, of).code, in_type(real_constant(degrees(word)), of).code),
               of);
}

/// Of a number that is written out, which takes the type of what it meets.
value numpy_operations::of_real_constant(const std::string& word, const value& v) const {
  const bool is_integer = v.is == value::kind::integer;
  const double d = v.as_double();
  if (word == "real" || word.starts_with("conj") || word == "positive" || (word == "round" && is_integer))
    return v;
  if (word == "imag") return integer_constant(0);
  if (word.starts_with("abs"))
    return is_integer ? integer_constant(v.integer < 0 ? -v.integer : v.integer) : real_constant(std::abs(d));
  if (word == "square") return arithmetic('*', v, v);
  if (word == "sign")
    return is_integer ? integer_constant((v.integer > 0) - (v.integer < 0))
                      : real_constant(std::isnan(d) ? d : (d > 0) - (d < 0));
  if (word == "round") return real_constant(std::nearbyint(d));
  if (word == "reciprocal" && !is_integer) return divide(integer_constant(1), v);
  if (degrees(word) != 0) return real_constant(d * degrees(word));
  return of_one(word, as_code(v));
}

value numpy_operations::of_complex_constant(const std::string& word, const value& v) const {
  if (word == "real") return real_constant(v.number.real());
  if (word == "imag") return real_constant(v.number.imag());
  if (word.starts_with("abs")) return real_constant(std::abs(v.number));
  if (word.starts_with("conj")) return complex_constant(std::conj(v.number));
  if (word == "positive") return v;
  if (word == "square") return arithmetic('*', v, v);
  if (word == "reciprocal") return divide(integer_constant(1), v);
  return of_one(word, as_code(v));
}

value numpy_operations::angle(const value& v) const {
  if (v.is == value::kind::complex) return real_constant(std::arg(v.number));
  if (v.is_real_constant() || !is_complex(as_code(v).type))
    return function("arctan2", {integer_constant(0), v});
  const value c = as_code(v);
  return coded(fmt::format("heddle_angle({})", c.code), part_of(c.type));
}

value numpy_operations::extremum(const std::string& which, const value& a, const value& b) const {
  const dtype type = common_type(a, b);
  if (is_complex(type)) fail(fmt::format("{} has no order", name(type)));
  return call(("heddle_" + which).c_str(), type, a, b, type);
}

value numpy_operations::clip(const value& v, const value& least, const value& most) const {
  // As NumPy, which leaves out bounds that the type cannot exceed.
  const auto is_beyond = [&](const value& bound, std::string_view sign) {
    return !v.is_constant() && is_integer(v.type) && bound.is == value::kind::integer &&
           !fits(bound.integer, v.type) && (bound.integer < 0) == (sign == "<");
  };
  const bool has_least = !is_beyond(least, "<"), has_most = !is_beyond(most, ">");
  if (!has_least || !has_most) {
    const value raised = has_least ? extremum("maximum", v, least) : v;
    return has_most ? extremum("minimum", raised, most) : raised;
  }
  // All three meet in one type, where constants come last.
  std::array<value, 3> all{v, least, most};
  std::stable_partition(all.begin(), all.end(), [](const value& one) { return !one.is_constant(); });
  const dtype type = common_type(coded("", common_type(all[0], all[1])), all[2]);
  if (is_complex(type)) fail(fmt::format("{} has no order", name(type)));
  const value raised = call("heddle_maximum", type, v, least, type);
  return call("heddle_minimum", type, raised, most, type);
}

}  // namespace heddle::expressions
