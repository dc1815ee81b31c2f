#pragma once

#include <heddle/dtype.hpp>

#include <cstdint>
#include <string_view>

namespace heddle {

/// An operator of operators.hpp as a value at run time: for patterns on elements of a type known at run time,
/// and for the compiled library. `hd::runtime_op::plus` stands for `hd::plus{}`, and so on; `none` is no
/// operator, and not defined on any type.
enum class runtime_op : std::uint8_t {
  plus,
  multiplies,
  minimum,
  maximum,
  logical_and,
  logical_or,
  logical_xor,
  bit_and,
  bit_or,
  bit_xor,
  minus,
  none,
};

/// "plus", "multiplies", "minimum", …, "minus": the name in C++.
const char* name(runtime_op op) noexcept;

/// The operator with that name, or with NumPy's or a short one: "add", "sum", "multiply", "prod", "min",
/// "max", "bitwise_and", "bitwise_or", "bitwise_xor", "subtract". Throws heddle::error listing the names when
/// there is none.
runtime_op parse_runtime_op(std::string_view name);

/// Whether `op` is defined on elements of that type: bitwise operators on integers and bool, order and logic
/// on all but complex numbers, minus on all but bool.
constexpr bool is_defined(runtime_op op, dtype type) noexcept {
  const bool complex = type >= dtype::complex64;
  const bool real = type == dtype::float32 || type == dtype::float64;
  switch (op) {
    case runtime_op::plus:
    case runtime_op::multiplies:
      return true;
    case runtime_op::minus:
      return type != dtype::boolean;
    case runtime_op::minimum:
    case runtime_op::maximum:
    case runtime_op::logical_and:
    case runtime_op::logical_or:
    case runtime_op::logical_xor:
      return !complex;
    case runtime_op::bit_and:
    case runtime_op::bit_or:
    case runtime_op::bit_xor:
      return !complex && !real;
    case runtime_op::none:
      break;
  }
  return false;
}

}  // namespace heddle
