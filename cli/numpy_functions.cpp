#include "counted.hpp"
#include "numpy_operations.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

/// The functions that expressions may call.
namespace heddle::cli {
namespace {

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

}  // namespace

value numpy_operations::function(const std::string& word, const std::vector<value>& all) const {
  const auto takes = [&](std::size_t count) {
    if (all.size() != count) fail(word + " " + heddle::detail::wrong_number_of_arguments(count, all.size()));
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
      word == "reciprocal" || word == "isnan" || word == "isinf" || word == "isfinite" || word == "signbit" ||
      word == "logical_not" || word == "deg2rad" || word == "radians" || word == "rad2deg" ||
      word == "degrees") {
    takes(1);
    return of_one(word, as_code(all[0]));
  }
  if (word == "logical_and" || word == "logical_or") {
    takes(2);
    return logical(word == "logical_and" ? "&&" : "||", all[0], all[1]);
  }
  fail(fmt::format("there is no function '{}'", word));
}

value numpy_operations::of_one(const std::string& word, const value& v) const {
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

value numpy_operations::extremum(const std::string& which, const value& a, const value& b) const {
  const dtype type = common_type(a, b);
  if (is_complex(type)) fail(fmt::format("{} has no order", name(type)));
  return call(("heddle_" + which).c_str(), type, a, b, type);
}

}  // namespace heddle::cli
