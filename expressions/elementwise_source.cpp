#include "expressions/elementwise_source.hpp"

#include <heddle/error.hpp>

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace heddle::expressions {
namespace {

/// Along which axes of the result an input goes: how far apart its elements are, 0 where one goes with all.
std::vector<std::size_t> strides_of(const shape& own, const shape& whole) {
  std::vector<std::size_t> strides(whole.axes(), 0);
  std::size_t stride = 1;
  for (std::size_t k = own.axes(); k-- > 0;) {
    if (own[k] != 1) strides[whole.axes() - own.axes() + k] = stride;
    stride *= own[k];
  }
  return strides;
}

/// The element of a broadcast input that goes with element heddle_at_0, heddle_at_1, … of the result.
std::string definition_of(const array_input& input, const shape& whole) {
  const std::vector<std::size_t> strides = strides_of(input.lengths, whole);
  std::string place = "0";
  for (std::size_t k = 0; k < whole.axes(); ++k) {
    if (strides[k] != 0) place += fmt::format(" + heddle_at_{} * {}ull", k, strides[k]);
  }
  return fmt::format("const {0} in_{1} = all_{1}.elements[{2}]; ", code_name(input.type), input.name, place);
}

}  // namespace

shape broadcast_shape(const std::vector<array_input>& inputs) {
  std::size_t axes = 0;
  for (const array_input& input : inputs) axes = std::max(axes, input.lengths.axes());
  std::vector<std::size_t> lengths(axes, 1);
  for (const array_input& input : inputs) {
    const shape& own = input.lengths;
    for (std::size_t k = 0; k < own.axes(); ++k) {
      std::size_t& length = lengths[axes - own.axes() + k];
      if (length == 1) {
        length = own[k];
      } else if (own[k] != 1 && own[k] != length) {
        std::string shapes;
        for (const array_input& other : inputs) {
          shapes += fmt::format("{}{} {}", shapes.empty() ? "" : ", ", other.name, other.lengths.text());
        }
        throw error(fmt::format("the shapes of the inputs cannot be broadcast together: {}", shapes));
      }
    }
  }
  return shape(lengths);
}

bool is_broadcast(const array_input& input, const shape& whole) {
  return !(input.lengths == whole) && input.lengths.elements() != whole.elements();
}

elementwise_source source_of(const translated_expression& expression, const std::vector<array_input>& inputs,
                             const shape& whole, dtype type) {
  elementwise_source source;
  source.options.name = "expression";
  source.options.preamble = std::string(expression_functions) + complex_functions;
  bool broadcasts = false;
  for (const array_input& input : inputs) {
    const char* const element = code_name(input.type);
    if (is_broadcast(input, whole)) {
      broadcasts = true;
      source.options.preamble +=
          fmt::format("struct heddle_elements_of_{} {{ const {}* elements; }};\n", input.name, element);
      source.parameters += fmt::format("heddle_elements_of_{0} all_{0}, ", input.name);
    } else {
      source.parameters += fmt::format("const {} in_{}, ", element, input.name);
    }
  }
  source.parameters += fmt::format("{}& heddle_result", code_name(type));
  if (broadcasts) {
    source.operation = "heddle_size heddle_left = i; ";
    for (std::size_t k = whole.axes(); k-- > 0;) {
      source.operation +=
          fmt::format("const heddle_size heddle_at_{0} = heddle_left % {1}ull; heddle_left /= {1}ull; ", k,
                      std::max<std::size_t>(whole[k], 1));
    }
    for (const array_input& input : inputs)
      if (is_broadcast(input, whole)) source.operation += definition_of(input, whole);
  }
  source.operation += fmt::format("heddle_result = {};", converted(expression.code, expression.type, type));
  return source;
}

}  // namespace heddle::expressions
