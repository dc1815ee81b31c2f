#pragma once

#include "expressions/numpy_expression.hpp"
#include <heddle/dtype.hpp>
#include <heddle/kernel.hpp>
#include <heddle/shape.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::expressions {

/// An array that an expression names, with its shape.
struct array_input {
  std::string name;
  dtype type;
  shape lengths;
};

/// The shape that NumPy broadcasts these to; throws heddle::error naming all where they do not fit.
shape broadcast_shape(const std::vector<array_input>& inputs);

/// Whether an element of the input goes with several of the result, so that a kernel needs all of them: else
/// elements of both go side by side, in C order.
bool is_broadcast(const array_input& input, const shape& whole);

/// The texts that make an hd::elementwise_kernel: a parameter for each input, the pointer to all elements
/// where it is broadcast, and one for the result.
struct elementwise_source {
  std::string parameters, operation;
  expression_options options;
};

/// The kernel of an expression of these inputs, whose results have the shape `whole` and are converted to
/// `type` as NumPy's astype does.
elementwise_source source_of(const translated_expression& expression, const std::vector<array_input>& inputs,
                             const shape& whole, dtype type);

}  // namespace heddle::expressions
