#include "axes.hpp"
#include "operand.hpp"
#include "patterns.hpp"
#include "results.hpp"
#include "target.hpp"
#include <heddle/any_patterns.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nanobind/stl/string_view.h>

namespace heddle::python {
namespace {

dtype widest(dtype type) {
  return type >= dtype::complex64 ? dtype::complex128 : dtype::float64;
}

/// How many integers of that type have a sum that float64 holds, whatever they are; 0 for another type.
std::size_t most_summed_in_double(dtype type) {
  if (type == dtype::int64 || type == dtype::uint64 || type > dtype::uint64) return 0;
  return std::size_t{1} << (53 - 8 * size_of(type));
}

/// Elements that are converted faster than anything else is set up.
constexpr std::size_t few = 4096;

/// Whether sums of x in 64 bits are made in float64, exactly, which needs no converted copy of x.
bool sums_in_double(runtime_op op, const operand& x, dtype type, const axis_lines& all) {
  const bool keeps_sign = type == dtype::int64 ||
                          (type == dtype::uint64 && (x.type() == dtype::boolean || x.type() >= dtype::uint8));
  const std::size_t most = most_summed_in_double(x.type());
  return op == runtime_op::plus && keeps_sign && most > 0 && x.size() > few &&
         (all.outer == 1 || all.length <= most);
}

/// The sums, and `first` where there is one, of x along the middle axis of (outer, length, inner).
void sum_in_double(const target& where, const any_view& out, const operand& x, const axis_lines& all,
                   const optional_value& first) {
  const std::size_t most = most_summed_in_double(x.type());
  array<double> sums({all.outer, all.inner});
  any_array total(out.dtype(), out.shape());
  total.fill(first ? *first : any_value(0));
  for (std::size_t begin = 0; begin < all.length; begin += most) {
    const std::size_t length = std::min(most, all.length - begin);
    const any_const_view piece =
        all.length <= most ? x.view({all.outer, length, all.inner})
                           : any_const_view(x.view({all.length, all.inner}).slice(begin, begin + length))
                                 .reshaped({1, length, all.inner});
    reduce_into(where, any_view(sums), piece, middle);
    const any_array converted = any_const_view(sums).converted(out.dtype());
    transform_into(target(), total, total, converted, runtime_op::plus);
  }
  out.copy_from(total);
}

/// Throws as NumPy does where rows have no elements, even if there are no rows.
void require_elements(const axes_plan& plan) {
  if (plan.all.length == 0 && plan.all.count() == 0)
    raise(PyExc_ValueError,
          "there are no elements, and the operator has no identity to return: give an initial value");
}

nb::object reduce(std::string_view op_name, bool widens, nb::handle a, nb::handle axis,
                  nb::handle type_wanted, nb::handle out, nb::handle keepdims, nb::handle initial,
                  nb::handle target_wanted) {
  const runtime_op op = parse_runtime_op(op_name);
  operand x(a, operand::order::any);
  const target where = x.place_for(target_from(target_wanted));
  const dtype type = combined_in(x.type(), widens, type_wanted, out);
  const axes_plan plan = plan_axes(x, axis, is_true(keepdims), out.is_none());
  const bool is_wide_sum = op == runtime_op::plus && type != x.type() && type == widest(x.type());
  const optional_value first = initial_value(initial, type);
  const bool is_sum_in_double = type != x.type() && sums_in_double(op, x, type, plan.all);
  if (!first && (op == runtime_op::minimum || op == runtime_op::maximum)) require_elements(plan);
  const bool is_value = plan.is_whole && plan.result.axes() == 0 && out.is_none() && !x.gives_array();
  if (is_value) {
    any_value total(false);
    {
      const without_gil released(x.bytes(), where);
      if (is_wide_sum) {
        std::complex<double> slot;
        reduce_into(where, any_view(&slot, type, {}), x.view(), op, first);
        total = any_value(type, &slot);
      } else if (is_sum_in_double) {
        std::uint64_t slot;
        sum_in_double(where, any_view(&slot, type, {1, 1}), x, plan.all, first);
        total = any_value(type, &slot);
      } else {
        x.convert(type);
        total = heddle::reduce(where, x.view(), op, first);
      }
    }
    return numpy_scalar(total);
  }
  const std::size_t bytes = plan.all.count() * size_of(type);
  const target there = place_of_output(where, x, bytes);
  output to(out, x.gives_array(), type, plan.result, there, x);
  {
    const without_gil released(x.bytes() + bytes, there);
    if (is_sum_in_double) {
      sum_in_double(there, to.view(plan.without()), x, plan.all, first);
    } else {
      if (!is_wide_sum) x.convert(type);
      reduce_into(there, to.view(plan.without()), x.view(plan.whole()), middle, op, first);
    }
  }
  return turned(to.finish(), plan);
}

/// A result of a function that makes a new array, from the flat form or from that along an axis.
template <class F>
nb::object new_result(nb::handle a, nb::handle axis, nb::handle out, nb::handle keepdims,
                      nb::handle target_wanted, std::optional<dtype> as, const F& f) {
  operand x(a, operand::order::any);
  const target where = x.place_for(target_from(target_wanted));
  const axes_plan plan = plan_axes(x, axis, is_true(keepdims), out.is_none());
  std::optional<any_array> result;
  {
    const without_gil released(x.bytes(), where);
    result.emplace(f(place_of_result(where, x, plan.all.count()), x.view(plan.whole()), plan));
    *result = std::move(*result).reshaped(plan.result);
  }
  return turned(delivered(std::move(*result), as, out, x), plan);
}

nb::object any_or_all(bool is_all, nb::handle a, nb::handle axis, nb::handle out, nb::handle keepdims,
                      nb::handle target_wanted) {
  return new_result(a, axis, out, keepdims, target_wanted, {},
                    [&](const target& where, const any_const_view& x, const axes_plan&) {
                      return any_array(is_all ? all(where, x, middle) : any(where, x, middle));
                    });
}

nb::object arg_extremum(bool is_max, nb::handle a, nb::handle axis, nb::handle out, nb::handle keepdims,
                        nb::handle target_wanted) {
  if (PyTuple_Check(axis.ptr()) || PyList_Check(axis.ptr()))
    raise(PyExc_TypeError, "a place is along one axis, an integer, or in the flat array: None");
  // A place is an integer, and never negative.
  dtype type = dtype::int64;
  if (!out.is_none()) {
    require_array_as_output(out);
    const nb::object out_type = out.attr("dtype");
    const std::string kind = nb::str(nb::object(out_type.attr("kind"))).c_str();
    if (kind != "i" && kind != "u")
      raise(PyExc_TypeError, std::string(is_max ? "argmax" : "argmin") +
                                 ": a place is an integer, and out is " + nb::str(out_type).c_str());
    if (kind == "u") type = dtype::uint64;
  }
  return new_result(a, axis, out, keepdims, target_wanted, type,
                    [&](const target& where, const any_const_view& x, const axes_plan&) {
                      return any_array(is_max ? argmax(where, x, middle) : argmin(where, x, middle));
                    });
}

/// The mean, or the variance: of no elements NaN, with a warning, as NumPy's.
nb::object moment(bool is_mean, nb::handle a, nb::handle axis, nb::handle type_wanted, nb::handle out,
                  nb::handle keepdims, std::size_t ddof, nb::handle target_wanted) {
  operand x(a, operand::order::any);
  const target where = x.place_for(target_from(target_wanted));
  const axes_plan plan = plan_axes(x, axis, is_true(keepdims), out.is_none(), number_has::no_axis);
  if (!type_wanted.is_none()) convert(x, dtype_from(type_wanted));
  if (plan.all.length == 0 || (!is_mean && plan.all.length <= ddof)) {
    const char* const warning = is_mean ? "Mean of empty slice" : "Degrees of freedom <= 0 for slice";
    if (PyErr_WarnEx(PyExc_RuntimeWarning, warning, 2) != 0) throw nb::python_error();
  }
  std::optional<any_array> result;
  {
    const without_gil released(x.bytes(), where);
    const target there = place_of_result(where, x, plan.all.count());
    if (plan.all.length == 0) {
      const dtype type = x.type() < dtype::float32                ? dtype::float64
                         : is_mean || x.type() < dtype::complex64 ? x.type()
                         : x.type() == dtype::complex64           ? dtype::float32
                                                                  : dtype::float64;
      result.emplace(type, plan.without(), there);
      if (type >= dtype::complex64) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        result->fill(std::complex<double>(nan, nan));
      } else {
        result->fill(std::numeric_limits<double>::quiet_NaN());
      }
    } else {
      const any_const_view seen = x.view(plan.whole());
      result.emplace(is_mean ? mean(there, seen, middle) : variance(there, seen, middle, ddof));
    }
    *result = std::move(*result).reshaped(plan.result);
  }
  return turned(delivered(std::move(*result), {}, out, x), plan);
}

nb::tuple minmax(nb::handle a, nb::handle axis, nb::handle keepdims, nb::handle target_wanted) {
  operand x(a, operand::order::any);
  const target where = x.place_for(target_from(target_wanted));
  require_ordered("minmax", x.type());
  const axes_plan plan = plan_axes(x, axis, is_true(keepdims), true);
  require_elements(plan);
  std::optional<minmax_result<any_array>> both;
  {
    const without_gil released(x.bytes(), where);
    both.emplace(heddle::minmax(place_of_result(where, x, plan.all.count()), x.view(plan.whole()), middle));
    both->min = std::move(both->min).reshaped(plan.result);
    both->max = std::move(both->max).reshaped(plan.result);
  }
  return nb::make_tuple(turned(result_of(std::move(both->min), x.gives_array()), plan),
                        turned(result_of(std::move(both->max), x.gives_array()), plan));
}

}  // namespace

void bind_reductions(nb::module_& m) {
  const auto none = nb::arg().none();
  m.def("reduce", &reduce, nb::arg(), nb::arg(), none, none, none, none, none, none, none);
  m.def("any_or_all", &any_or_all, nb::arg(), none, none, none, none, none);
  m.def("arg_extremum", &arg_extremum, nb::arg(), none, none, none, none, none);
  m.def("moment", &moment, nb::arg(), none, none, none, none, none, nb::arg(), none);
  m.def("minmax", &minmax, none, none, none, none);
}

}  // namespace heddle::python
