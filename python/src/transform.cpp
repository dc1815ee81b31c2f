#include "transform.hpp"

#include "elementwise_call.hpp"
#include "expressions/elementwise_source.hpp"
#include "expressions/numpy_expression.hpp"
#include "operand.hpp"
#include "target.hpp"
#include <heddle/any_array.hpp>
#include <heddle/kernel.hpp>
#include <heddle/support/fork.hpp>

#include <cstddef>
#include <deque>
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
elementwise_kernel kernel_of(const std::string& parameters, const std::string& operation,
                             const std::string& preamble) {
  constexpr std::size_t most = 256;
  constinit static fork_aware<std::unordered_map<std::string, elementwise_kernel>> all_kept;
  const std::string key = preamble + parameters + '\n' + operation;
  const auto kept = all_kept.lock();
  const auto found = kept->find(key);
  if (found != kept->end()) return found->second;
  if (kept->size() >= most) kept->clear();
  expression_options options;
  options.preamble =
      std::string(expressions::expression_functions) + expressions::complex_functions + preamble;
  return kept->emplace(key, elementwise_kernel(parameters, operation, options)).first->second;
}

any_array computed(const expressions::translated_expression& translated, const target& where, dtype type,
                   const shape& whole, const std::deque<operand>& inputs,
                   const std::vector<std::string>& names) {
  any_array result(type, whole, where);
  const std::size_t n = whole.elements();
  if (n == 0) return result;
  elementwise_call call(where, whole, inputs);
  for (std::size_t k = 0; k < inputs.size(); ++k) call.take(inputs[k], names[k]);
  call.parameters += std::string(expressions::code_name(type)) + "& heddle_result";
  call.operation += "heddle_result = " + expressions::converted(translated.code, translated.type, type) + ";";
  call.arguments.push_back({result.data(), size_of(type), true, true, where});
  kernel_of(call.parameters, call.operation, call.preamble).on_piece(where, call.arguments, n, 0, n);
  call.wait_for_readers();
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
  std::optional<any_array> result;
  {
    // The first call compiles.
    const without_gil released;
    const target where = place_of_expression(requested, data_on, bytes, whole.elements() * size_of(type));
    result.emplace(computed(translated, where, type, whole, inputs, names));
  }
  if (out.is_none()) return result_of(std::move(*result), as_array);
  output to(out, as_array, type, whole, target(), inputs.front());
  to.view(whole).copy_from(*result);
  return to.finish();
}

}  // namespace

any_array converted_by_kernel(const any_const_view& x, dtype type) {
  any_array result(type, x.shape(), x.where());
  const std::string from = expressions::code_name(x.dtype()), to = expressions::code_name(type);
  kernel_of("const " + from + " in_a, " + to + "& heddle_result",
            "heddle_result = " + expressions::converted("in_a", x.dtype(), type) + ";", {})
      .on_piece(x.where(),
                {{x.data(), size_of(x.dtype()), true, false, x.where()},
                 {result.data(), size_of(type), true, true, x.where()}},
                x.size(), 0, x.size());
  return result;
}

void bind_transform(nb::module_& m) {
  const auto none = nb::arg().none();
  m.def("transform", &transform, nb::arg(), nb::arg(), nb::arg(), none, none, none);
}

}  // namespace heddle::python
