#include "axes.hpp"
#include "operand.hpp"
#include "patterns.hpp"
#include "results.hpp"
#include "target.hpp"
#include <heddle/any_patterns.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

#include <nanobind/stl/string_view.h>

namespace heddle::python {
namespace {

/// Fills the result by fill(target, out, x) along the middle axis of both, whose elements are of `type`.
template <class Fill>
nb::object filled_along(operand& x, const target& where, dtype type, nb::handle axis, nb::handle out,
                        const Fill& fill) {
  const axes_plan plan = plan_one_axis(x, axis);
  const target there = place_of_output(where, x, x.size() * size_of(type));
  if (type != x.type() && out.is_none()) {
    const bool as_array = x.gives_array();
    {
      const without_gil released(2 * x.bytes(), there);
      x.convert(type);
      any_array& own = *x.converted();
      if (as_array && there.is_gpu() != own.where().is_gpu()) own = own.on(there);
      const any_view view(own.data(), type, plan.whole(), own.where());
      fill(there, view, view);
      own = std::move(own).reshaped(plan.result);
    }
    return result_of(std::move(*x.converted()), as_array);
  }
  output to(out, x.gives_array(), type, plan.result, there, x, true);
  {
    const without_gil released(2 * x.bytes(), there);
    x.convert(type);
    fill(there, to.view(plan.whole()), x.view(plan.whole()));
  }
  return to.finish();
}

nb::object scan(std::string_view op_name, bool widens, bool is_exclusive, nb::handle a, nb::handle axis,
                nb::handle type_wanted, nb::handle out, nb::handle initial, nb::handle target_wanted) {
  const runtime_op op = parse_runtime_op(op_name);
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  const dtype type = combined_in(x.type(), widens, type_wanted, out);
  const optional_value first = initial_value(initial, type);
  return filled_along(x, where, type, axis, out,
                      [&](const target& there, const any_view& to, const any_const_view& from) {
                        is_exclusive ? exclusive_scan_into(there, to, from, middle, op, first)
                                     : inclusive_scan_into(there, to, from, middle, op, first);
                      });
}

nb::object adjacent_difference(nb::handle a, nb::handle axis, nb::handle out, nb::handle target_wanted) {
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  return filled_along(x, where, x.type(), axis, out,
                      [](const target& there, const any_view& to, const any_const_view& from) {
                        adjacent_difference_into(there, to, from, middle);
                      });
}

}  // namespace

void bind_scans(nb::module_& m) {
  const auto none = nb::arg().none();
  m.def(
      "summed_in",
      [](nb::handle type, nb::handle wanted, nb::handle out) {
        return nb::borrow(numpy_dtype(combined_in(dtype_from(type), true, wanted, out)));
      },
      nb::arg(), none, none);
  m.def("scan", &scan, nb::arg(), nb::arg(), nb::arg(), none, none, none, none, none, none);
  m.def("adjacent_difference", &adjacent_difference, none, none, none, none);
}

}  // namespace heddle::python
