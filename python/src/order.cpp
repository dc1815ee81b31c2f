#include "axes.hpp"
#include "operand.hpp"
#include "patterns.hpp"
#include "results.hpp"
#include "target.hpp"
#include <heddle/any_patterns.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {
namespace {

nb::object sort(nb::handle a, nb::handle axis, bool is_descending, nb::handle target_wanted) {
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  require_ordered("sort", x.type());
  const axes_plan plan = plan_one_axis(x, axis, number_has::no_axis);
  const target there = place_of_output(where, x, x.bytes());
  output to(nb::none(), x.gives_array(), x.type(), plan.result, there, x);
  {
    const without_gil released(x.bytes(), there);
    sort_into(there, to.view(plan.whole()), x.view(plan.whole()), middle,
              is_descending ? sort_order::descending : sort_order::ascending);
  }
  return to.finish();
}

nb::object argsort(nb::handle a, nb::handle axis, bool is_descending, nb::handle target_wanted) {
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  require_ordered("argsort", x.type());
  const axes_plan plan = plan_one_axis(x, axis);
  std::optional<any_array> places;
  {
    const without_gil released(x.bytes(), where);
    places.emplace(argsort(where, x.view(plan.whole()), middle,
                           is_descending ? sort_order::descending : sort_order::ascending));
    *places = std::move(*places).reshaped(plan.result);
  }
  return result_of(std::move(*places), x.gives_array(), dtype::int64);
}

nb::object unique(nb::handle a, nb::handle target_wanted) {
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  require_ordered("unique", x.type());
  std::optional<any_array> values;
  {
    const without_gil released(x.bytes(), where);
    values.emplace(heddle::unique(where, x.view()));
  }
  return result_of(std::move(*values), x.gives_array());
}

nb::object searchsorted(nb::handle a, nb::handle v, bool is_right, nb::handle target_wanted) {
  operand sorted(a), values(v);
  const target where = sorted.place_for(target_from(target_wanted));
  if (sorted.lengths().axes() != 1)
    raise(PyExc_ValueError, "searchsorted: a has one axis, not the shape " + sorted.lengths().text());
  const bool as_array = sorted.gives_array() || values.gives_array();
  convert_to_common(sorted, values);
  require_ordered("searchsorted", sorted.type());
  std::optional<any_array> places;
  {
    const without_gil released(sorted.bytes() + values.bytes(), where);
    places.emplace(is_right ? upper_bound(where, sorted.view(), values.view())
                            : lower_bound(where, sorted.view(), values.view()));
  }
  return result_of(std::move(*places), as_array, dtype::int64);
}

nb::tuple top_k(nb::handle a, std::size_t k, nb::handle axis, bool is_largest, nb::handle target_wanted) {
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  require_ordered("top_k", x.type());
  const axes_plan plan = plan_one_axis(x, axis);
  const shape lengths = axis.is_none() ? shape{k} : plan.result.with_length(plan.axis, k);
  std::optional<any_array> values, places;
  {
    const without_gil released(x.bytes(), where);
    any_top_elements top = heddle::top_k(where, x.view(plan.whole()), k, middle,
                                         is_largest ? sort_order::descending : sort_order::ascending);
    values.emplace(std::move(top.values).reshaped(lengths));
    any_array indices(std::move(top.indices));
    places.emplace(std::move(indices).reshaped(lengths));
  }
  return nb::make_tuple(result_of(std::move(*values), x.gives_array()),
                        result_of(std::move(*places), x.gives_array(), dtype::int64));
}

/// The quantiles of fractions, whose axes come first in the result; without fractions the median.
nb::object quantile(nb::handle a, const std::optional<std::vector<double>>& fractions,
                    const std::vector<std::size_t>& lengths, nb::handle axis, bool keepdims, bool is_single,
                    nb::handle target_wanted) {
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  require_ordered(fractions ? "quantile" : "median", x.type());
  const axes_plan plan = plan_axes(x, axis, keepdims, true);
  std::vector<std::size_t> axes = lengths;
  axes.insert(axes.end(), plan.result.begin(), plan.result.end());
  std::optional<any_array> values;
  {
    const without_gil released(x.bytes(), where);
    const any_const_view lines = x.view(plan.whole());
    values.emplace(fractions ? heddle::quantile(where, lines, *fractions, middle)
                             : heddle::median(where, lines, middle));
    if (is_single) *values = values->converted(dtype::float32);
    *values = std::move(*values).reshaped(shape(axes));
  }
  return result_of(std::move(*values), x.gives_array());
}

/// The counts between edges, which are compared with elements as float64.
nb::object histogram(nb::handle a, nb::handle bins, nb::handle weights, nb::handle target_wanted) {
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  require_ordered("histogram", x.type());
  operand given(bins);
  convert(given, dtype::float64);
  const any_array on_cpu = given.view().on(target());
  const auto* const first = static_cast<const double*>(on_cpu.data());
  const std::vector<double> edges(first, first + on_cpu.size());
  std::optional<operand> weighed;
  if (!weights.is_none()) {
    weighed.emplace(weights);
    if (!(weighed->lengths() == x.lengths()))
      raise(PyExc_ValueError, "histogram: the weights have shape " + weighed->lengths().text() +
                                  ", where the elements have " + x.lengths().text());
  }
  const bool as_array = x.gives_array() || (weighed && weighed->gives_array());
  std::optional<any_array> result;
  {
    const without_gil released(x.bytes(), where);
    if (weighed) {
      result.emplace(heddle::histogram(where, x.view(), edges, weighed->view()));
    } else {
      result.emplace(heddle::histogram(where, x.view(), edges));
    }
  }
  return result_of(std::move(*result), as_array, weighed ? std::nullopt : std::optional(dtype::int64));
}

}  // namespace

void bind_order(nb::module_& m) {
  const auto none = nb::arg().none();
  m.def("sort", &sort, none, none, nb::arg(), none);
  m.def("argsort", &argsort, none, none, nb::arg(), none);
  m.def("unique", &unique, none, none);
  m.def("searchsorted", &searchsorted, none, none, nb::arg(), none);
  m.def("quantile", &quantile, none, none, nb::arg(), none, nb::arg(), nb::arg(), none);
  m.def("top_k", &top_k, none, nb::arg(), none, nb::arg(), none);
  m.def("histogram", &histogram, none, none, none, none);
}

}  // namespace heddle::python
