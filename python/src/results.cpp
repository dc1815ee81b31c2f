#include "results.hpp"

#include "target.hpp"

#include <string>
#include <utility>

namespace heddle::python {
namespace {

/// The type in which NumPy adds and multiplies elements of a type: 64 bits for integers and bool.
dtype summed_in(dtype type) {
  if (type <= dtype::int64) return dtype::int64;
  return type <= dtype::uint64 ? dtype::uint64 : type;
}

}  // namespace

bool is_true(nb::handle x) {
  const int truth = PyObject_IsTrue(x.ptr());
  if (truth < 0) throw nb::python_error();
  return truth != 0;
}

dtype combined_in(dtype type, bool widens, nb::handle wanted, nb::handle out) {
  if (!wanted.is_none()) return dtype_from(wanted);
  if (!widens) return type;
  const dtype own = summed_in(type);
  if (out.is_none()) return own;
  require_array_as_output(out);
  // float16 and long double only receive the result, because Heddle does not have these types.
  const nb::object out_type = out.attr("dtype");
  for (const dtype wide : {dtype::float32, dtype::float64, dtype::complex64, dtype::complex128}) {
    if (nb::cast<bool>(python().can_cast(out_type, numpy_dtype(wide), "equiv")))
      return dtype_from(python().promote_types(numpy_dtype(own), numpy_dtype(wide)));
  }
  return own;
}

optional_value initial_value(nb::handle initial, dtype type) {
  if (initial.is_none()) return {};
  return value_from(initial, type);
}

void require_ordered(const char* what, dtype type) {
  if (type >= dtype::complex64)
    raise(PyExc_TypeError, std::string(what) + " of " + name(type) + ": complex numbers have no order");
}

target place_of_result(const target& where, const operand& x, std::size_t bytes_written) {
  return resolve(where, {x.bytes(), bytes_written, x.where(), true});
}

target place_of_output(const target& where, const operand& x, std::size_t bytes_written) {
  if (!x.gives_array()) return where;
  const without_gil released(x.bytes(), where);
  return place_of_result(where, x, bytes_written);
}

void convert(operand& x, dtype type) {
  const without_gil released(x.bytes(), x.where());
  x.convert(type);
}

nb::object turned(const nb::object& result, const axes_plan& plan) {
  return plan.is_reversed && plan.result.axes() > 1 ? nb::object(result.attr("T")) : result;
}

nb::object delivered(any_array&& result, std::optional<dtype> as, nb::handle out, const operand& x) {
  if (out.is_none()) return result_of(std::move(result), x.gives_array(), as);
  const dtype type = as ? *as : result.dtype();
  output to(out, x.gives_array(), type, result.shape(), target(), x);
  to.view(result.shape()).copy_from(any_const_view(result.data(), type, result.shape(), result.where()));
  return to.finish();
}

void convert_to_common(operand& a, operand& b) {
  if (a.type() == b.type()) return;
  const dtype common = dtype_from(python().promote_types(numpy_dtype(a.type()), numpy_dtype(b.type())));
  convert(a, common);
  convert(b, common);
}

}  // namespace heddle::python
