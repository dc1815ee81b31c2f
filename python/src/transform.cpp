#include "transform.hpp"

#include "expressions/elementwise_source.hpp"
#include "expressions/numpy_expression.hpp"
#include "operand.hpp"
#include "readable.hpp"
#include "target.hpp"
#include <heddle/any_array.hpp>
#include <heddle/kernel.hpp>

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {
namespace {

/// A kernel of what was asked for before, so that it is compiled once a process.
elementwise_kernel kernel_of(const expressions::elementwise_source& source) {
  constexpr std::size_t most = 256;
  // Never destroyed: daemon threads may call while the process ends.
  static auto& locked = *new std::mutex;
  static auto& kept = *new std::unordered_map<std::string, elementwise_kernel>;
  const std::string key = source.options.preamble + source.parameters + '\n' + source.operation;
  const std::scoped_lock lock(locked);
  const auto found = kept.find(key);
  if (found != kept.end()) return found->second;
  if (kept.size() >= most) kept.clear();
  return kept.emplace(key, elementwise_kernel(source.parameters, source.operation, source.options))
      .first->second;
}

any_array computed(const expressions::elementwise_source& source, const target& where, dtype type,
                   const shape& whole, const std::deque<operand>& inputs,
                   const std::vector<expressions::array_input>& arrays) {
  any_array result(type, whole, where);
  const std::size_t n = whole.elements();
  if (n == 0) return result;
  std::deque<readable> elements;
  std::vector<untyped_argument> arguments;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    elements.emplace_back(inputs[k].view(), where);
    arguments.push_back(elements.back().argument(is_broadcast(arrays[k], whole), where));
  }
  arguments.push_back({result.data(), size_of(type), true, true, where});
  kernel_of(source).on_piece(where, arguments, n, 0, n);
  // The copies are freed now.
  where.wait();
  return result;
}

nb::object transform(const std::string& expression, const std::vector<std::string>& names,
                     const nb::sequence& given, nb::handle type_wanted, nb::handle out,
                     nb::handle target_wanted) {
  const target requested = target_from(target_wanted);
  std::deque<operand> inputs;
  std::vector<expressions::expression_input> typed;
  std::vector<expressions::array_input> arrays;
  target data_on;
  std::size_t bytes = 0;
  bool as_array = false;
  for (const nb::handle x : given) {
    const operand& input = inputs.emplace_back(x);
    const std::string& name = names.at(inputs.size() - 1);
    typed.push_back({name, input.type()});
    arrays.push_back({name, input.type(), input.lengths()});
    bytes += input.bytes();
    as_array = as_array || input.gives_array();
    if (input.where().is_gpu()) data_on = input.where();
  }
  const expressions::translated_expression translated = expressions::translate_expression(expression, typed);
  const dtype type = type_wanted.is_none() ? translated.type : dtype_from(type_wanted);
  const shape whole = expressions::broadcast_shape(arrays);
  const expressions::elementwise_source source = expressions::source_of(translated, arrays, whole, type);
  std::optional<any_array> result;
  {
    // The first call compiles.
    const without_gil released;
    const target where = resolve(requested, {bytes, whole.elements() * size_of(type), data_on,
                                             requested.is_automatic() && can_compile_for_gpu()});
    result.emplace(computed(source, where, type, whole, inputs, arrays));
  }
  if (out.is_none()) return result_of(std::move(*result), as_array);
  output to(out, as_array, type, whole, target(), inputs.front());
  to.view(whole).copy_from(*result);
  return to.finish();
}

}  // namespace

void bind_transform(nb::module_& m) {
  const auto none = nb::arg().none();
  m.def("transform", &transform, nb::arg(), nb::arg(), nb::arg(), none, none, none);
}

}  // namespace heddle::python
