#include "vectorized.hpp"

#include "axes.hpp"
#include "elementwise_call.hpp"
#include "expressions/elementwise_source.hpp"
#include "expressions/numpy_operations.hpp"
#include "operand.hpp"
#include "readable.hpp"
#include "target.hpp"
#include <heddle/any_array.hpp>
#include <heddle/error.hpp>
#include <heddle/kernel.hpp>
#include <heddle/support/fork.hpp>

#include <cstddef>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {
namespace {

using expressions::value;

// ------------------------------------------------------------------------------------------------------------
// operations

/// The operators and functions of expressions, one by one.
class operations : public expressions::numpy_operations {
 public:
  operations() : numpy_operations({}) {}

  value of(const std::string& word, const std::vector<value>& all) const {
    try {
      return function(word, all);
    } catch (const error& e) {
      // The place in the text, which there is not.
      constexpr std::string_view place = "expression '', column 1: ";
      const std::string_view text = e.what();
      throw error(std::string(text.starts_with(place) ? text.substr(place.size()) : text));
    }
  }
};

value value_of(nb::handle given) {
  if (PyTuple_Check(given.ptr())) {
    const nb::tuple pair = nb::borrow<nb::tuple>(given);
    return expressions::coded(nb::cast<std::string>(pair[0]), parse_dtype(nb::cast<std::string>(pair[1])));
  }
  if (PyFloat_Check(given.ptr())) return expressions::real_constant(PyFloat_AsDouble(given.ptr()));
  if (PyComplex_Check(given.ptr())) {
    return expressions::complex_constant(
        {PyComplex_RealAsDouble(given.ptr()), PyComplex_ImagAsDouble(given.ptr())});
  }
  const std::string digits = nb::str(given).c_str();
  const bool is_negative = digits.starts_with('-');
  if (digits.size() > 31) raise(PyExc_ValueError, "the numbers are too large");
  __int128 i = 0;
  for (const char c : std::string_view(digits).substr(is_negative ? 1 : 0)) i = i * 10 + (c - '0');
  return expressions::integer_constant(is_negative ? -i : i);
}

nb::object object_of(const value& v) {
  if (v.is == value::kind::real) return nb::steal(PyFloat_FromDouble(v.number.real()));
  if (v.is == value::kind::complex) return nb::steal(PyComplex_FromDoubles(v.number.real(), v.number.imag()));
  if (v.is == value::kind::code) return nb::make_tuple(v.code, name(v.type));
  std::string digits;
  __int128 left = v.integer;
  do digits.insert(digits.begin(), static_cast<char>('0' + std::abs(static_cast<int>(left % 10))));
  while ((left /= 10) != 0);
  return nb::steal(PyLong_FromString(((v.integer < 0 ? "-" : "") + digits).c_str(), nullptr, 10));
}

/// Applies an operator or a function of `heddle transform` to numbers and to (code, type).
nb::object operate(const std::string& word, const nb::sequence& given) {
  std::vector<value> all;
  for (const nb::handle each : given) all.push_back(value_of(each));
  return object_of(operations().of(word, all));
}

// ------------------------------------------------------------------------------------------------------------
// kernels

constexpr const char* line_functions = R"(
struct heddle_lines {
  const heddle_element* from;
  heddle_element* to;
  heddle_size length, piece, pieces, inner;
};
/// A piece of a line, combined from the left.
HEDDLE_BOTH heddle_element heddle_reduced_piece(heddle_lines x, heddle_size k) {
  const heddle_size line = k / x.inner, piece = line % x.pieces;
  const heddle_element* const at = x.from + line / x.pieces * x.length * x.inner + k % x.inner;
  const heddle_size first = piece * x.piece, last = x.length - first < x.piece ? x.length : first + x.piece;
  heddle_element all = at[first * x.inner];
  for (heddle_size j = first + 1; j < last; ++j) all = heddle_combined(all, at[j * x.inner]);
  return all;
}
HEDDLE_BOTH void heddle_accumulate(heddle_lines x, heddle_size k) {
  const heddle_size first = k / x.inner * x.length * x.inner + k % x.inner;
  heddle_element all = x.from[first];
  x.to[first] = all;
  for (heddle_size j = 1; j < x.length; ++j) {
    all = heddle_combined(all, x.from[first + j * x.inner]);
    x.to[first + j * x.inner] = all;
  }
}
)";

/// `heddle_lines` of the source.
struct lines {
  const void* from;
  void* to;
  unsigned long long length, piece, pieces, inner;
};

/// The kernels of a vectorized function by their sources, and those that combine elements.
struct kept_kernels {
  std::map<std::string, elementwise_kernel> kernels;
  std::shared_ptr<void> reduction, scan;
};

/// A translated function: code of one type tuple, and the kernels that were made of it.
class vectorized {
 public:
  vectorized(const std::string& functions, std::string function, const std::vector<std::string>& parameters,
             const std::string& result, std::string title)
      : function_(std::move(function)), result_(parse_dtype(result)) {
    for (const std::string& parameter : parameters) parameters_.push_back(parse_dtype(parameter));
    options_.name = std::move(title);
    options_.preamble =
        std::string(expressions::expression_functions) + expressions::complex_functions + functions;
  }

  nb::object call(const nb::sequence& given, nb::handle type_wanted, nb::handle out,
                  nb::handle target_wanted) {
    const target requested = target_from(target_wanted);
    std::deque<operand> inputs;
    std::vector<expressions::array_input> arrays;
    target data_on;
    std::size_t bytes = 0;
    bool as_array = false;
    for (const nb::handle x : given) {
      const operand& input = inputs.emplace_back(x);
      arrays.push_back({"argument " + std::to_string(inputs.size()), input.type(), input.lengths()});
      bytes += input.bytes();
      as_array = as_array || input.gives_array();
      if (input.where().is_gpu()) data_on = input.where();
    }
    const shape whole = expressions::broadcast_shape(arrays);
    const dtype type = type_wanted.is_none() ? result_ : dtype_from(type_wanted);
    std::optional<any_array> result;
    {
      // The first call compiles.
      const without_gil released;
      const target where = place_of_expression(requested, data_on, bytes, whole.elements() * size_of(type));
      result.emplace(computed(where, type, whole, inputs));
    }
    if (out.is_none()) return result_of(std::move(*result), as_array);
    output to(out, as_array, type, whole, target(), inputs.front());
    to.view(whole).copy_from(*result);
    return to.finish();
  }

  /// Combines the elements along axes, of which there are some.
  nb::object reduce(nb::handle a, nb::handle axis, bool keeps, nb::handle target_wanted) {
    const target requested = target_from(target_wanted);
    operand x(a);
    x.convert(result_);
    const axes_plan plan = plan_axes(x, axis, keeps, true);
    std::optional<any_array> result;
    {
      const without_gil released;
      const target where = resolved(requested, x, plan.all.count() * size_of(result_));
      result.emplace(std::move(reduced(where, x, plan.all)).reshaped(plan.result));
    }
    return result_of(std::move(*result), x.gives_array());
  }

  nb::object accumulate(nb::handle a, nb::handle axis, nb::handle target_wanted) {
    const target requested = target_from(target_wanted);
    operand x(a);
    x.convert(result_);
    const axes_plan plan = plan_one_axis(x, axis);
    std::optional<any_array> result;
    {
      const without_gil released;
      const target where = resolved(requested, x, x.bytes());
      result.emplace(std::move(accumulated(where, x, plan.all)).reshaped(plan.result));
    }
    return result_of(std::move(*result), x.gives_array());
  }

 private:
  static target resolved(const target& requested, const operand& x, std::size_t bytes_written) {
    return place_of_expression(requested, x.where(), x.bytes(), bytes_written);
  }

  /// A kernel that was made before, or a new one: compiled by its first call.
  elementwise_kernel kernel(const std::string& parameters, const std::string& operation,
                            const std::string& preamble) {
    const auto kept = kept_.lock();
    const std::string key = parameters + '\n' + operation + '\n' + preamble;
    const auto found = kept->kernels.find(key);
    if (found != kept->kernels.end()) return found->second;
    expression_options options = options_;
    options.preamble += preamble;
    return kept->kernels.emplace(key, elementwise_kernel(parameters, operation, options)).first->second;
  }

  any_array computed(const target& where, dtype type, const shape& whole, const std::deque<operand>& inputs) {
    any_array result(type, whole, where);
    const std::size_t n = whole.elements();
    if (n == 0) return result;
    elementwise_call call(where, whole, inputs);
    std::string given;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const std::string element = call.take(inputs[k], std::to_string(k));
      given += (k == 0 ? "" : ", ") + expressions::converted(element, inputs[k].type(), parameters_[k]);
    }
    call.parameters += std::string(expressions::code_name(type)) + "& heddle_result";
    call.operation +=
        "heddle_result = " + expressions::converted(function_ + "(" + given + ")", result_, type) + ";";
    call.arguments.push_back({result.data(), size_of(type), true, true, where});
    kernel(call.parameters, call.operation, call.preamble).on_piece(where, call.arguments, n, 0, n);
    call.wait_for_readers();
    return result;
  }

  std::string combining_functions() const {
    const std::string element = expressions::code_name(result_);
    return "typedef " + element + " heddle_element;\nHEDDLE_BOTH " + element + " heddle_combined(" + element +
           " a, " + element + " b) { return " + function_ + "(a, b); }\n" + line_functions;
  }

  any_array reduced(const target& where, const operand& x, const axis_lines& all) {
    if (all.count() == 1 && all.inner == 1 && result_ < dtype::complex64)
      return reduced_to_one(where, x.view({x.size()}));
    // Lines are cut into pieces, whose results are the next ones' elements.
    constexpr std::size_t piece = 512;
    const readable first(x.view(), where);
    std::optional<any_array> from;
    for (std::size_t length = all.length;;) {
      const std::size_t pieces = length <= 2 * piece ? 1 : (length + piece - 1) / piece;
      any_array to(result_, {all.outer, pieces, all.inner}, where);
      if (to.size() == 0) return to;
      const lines these{from ? from->data() : first.data(), nullptr, length,
                        pieces == 1 ? length : piece,       pieces,  all.inner};
      kernel(std::string("heddle_lines all, ") + expressions::code_name(result_) + "& heddle_result",
             "heddle_result = heddle_reduced_piece(all, i);", combining_functions())
          .on_piece(where, {{&these, sizeof these, false}, {to.data(), size_of(result_), true, true, where}},
                    to.size(), 0, to.size());
      if (first.is_of_another_stream()) where.wait();
      if (pieces == 1) return to;
      from = std::move(to);
      length = pieces;
    }
  }

  any_array accumulated(const target& where, const operand& x, const axis_lines& all) {
    if (all.outer == 1 && all.inner == 1 && result_ < dtype::complex64)
      return accumulated_as_one(where, x.view({x.size()}));
    any_array to(result_, {all.outer, all.length, all.inner}, where);
    if (to.size() == 0) return to;
    const readable from(x.view(), where);
    const lines these{from.data(), to.data(), all.length, all.length, 1, all.inner};
    const std::size_t count = all.outer * all.inner;
    kernel("heddle_lines all", "heddle_accumulate(all, i);", combining_functions())
        .on_piece(where, {{&these, sizeof these, false}}, count, 0, count);
    if (from.is_of_another_stream()) where.wait();
    return to;
  }

  template <class Kernel>
  Kernel& combining(std::shared_ptr<void> kept_kernels::* which) {
    const auto kept = kept_.lock();
    std::shared_ptr<void>& kernel = (*kept).*which;
    if (kernel == nullptr) {
      kernel = std::make_shared<Kernel>(std::string(expressions::code_name(result_)) + " x", "x",
                                        function_ + "(a, b)", "", options_);
    }
    return *static_cast<Kernel*>(kernel.get());
  }

  any_array reduced_to_one(const target& where, const any_const_view& x) {
    return with_type(result_, [&]<class T>(T) {
      if constexpr (dtype_of<T> < dtype::complex64) {
        any_array result(result_, {1, 1, 1});
        *static_cast<T*>(result.data()) =
            combining<reduction_kernel<T>>(&kept_kernels::reduction)(where, x.as<T>());
        return result;
      } else {
        return any_array();
      }
    });
  }

  any_array accumulated_as_one(const target& where, const any_const_view& x) {
    return with_type(result_, [&]<class T>(T) {
      if constexpr (dtype_of<T> < dtype::complex64) {
        array<T> result = combining<scan_kernel<T>>(&kept_kernels::scan)(where, x.as<T>());
        where.wait();
        return any_array(std::move(result));
      } else {
        return any_array();
      }
    });
  }

  std::string function_;
  std::vector<dtype> parameters_;
  dtype result_;
  expression_options options_;
  fork_aware_member<kept_kernels> kept_;
};

}  // namespace

void bind_vectorized(nb::module_& m) {
  m.def("operate", &operate, nb::arg(), nb::arg());
  m.def("converted", [](const std::string& code, const std::string& from, const std::string& to) {
    return expressions::converted(code, parse_dtype(from), parse_dtype(to));
  });
  m.def("code_name", [](const std::string& type) { return expressions::code_name(parse_dtype(type)); });
  const auto none = nb::arg().none();
  nb::class_<vectorized>(m, "Vectorized")
      .def(nb::init<const std::string&, std::string, const std::vector<std::string>&, const std::string&,
                    std::string>())
      .def("call", &vectorized::call, nb::arg(), none, none, none)
      .def("reduce", &vectorized::reduce, nb::arg(), none, nb::arg(), none)
      .def("accumulate", &vectorized::accumulate, nb::arg(), none, none);
}

}  // namespace heddle::python
