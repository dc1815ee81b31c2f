#include "operand.hpp"
#include "patterns.hpp"
#include "results.hpp"
#include "target.hpp"
#include <heddle/any_patterns.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {
namespace {

nb::object matmul(nb::handle first, nb::handle second, nb::handle out, nb::handle type_wanted,
                  nb::handle target_wanted) {
  operand a(first), b(second);
  const target where = a.place_for(target_from(target_wanted));
  const bool as_array = a.gives_array() || b.gives_array();
  if (!type_wanted.is_none()) {
    convert(a, dtype_from(type_wanted));
    convert(b, a.type());
  }
  convert_to_common(a, b);
  const shape product = matmul_shape(a.lengths(), b.lengths());
  const target there =
      as_array ? resolve(b.place_for(where),
                         {a.bytes() + b.bytes(), product.elements() * size_of(a.type()), a.where(), true})
               : where;
  output to(out, as_array, a.type(), product, there, a, false, &b);
  {
    const without_gil released(a.bytes() + b.bytes(), there);
    matmul_into(there, to.view(product), a.view(), b.view());
  }
  return to.finish();
}

/// A Fourier transform along axes, whose results are multiplied by `scale`.
nb::object fft(std::string_view kind, nb::handle a, const std::vector<std::ptrdiff_t>& axes,
               std::size_t length, double scale, nb::handle out, nb::handle target_wanted) {
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  const bool is_complex = x.type() >= dtype::complex64;
  if (kind == "rfft" && is_complex)
    raise(PyExc_TypeError, "rfft: the elements are real, not " + std::string(name(x.type())));
  std::optional<any_array> result;
  {
    const without_gil released(x.bytes(), where);
    if (kind == "irfft" && !is_complex) {
      x.convert(x.type() == dtype::float32 ? dtype::complex64 : dtype::complex128);
    } else if (x.type() < dtype::float32) {
      x.convert(dtype::float64);
    }
    const any_const_view seen = x.view();
    result.emplace(kind == "fft"    ? heddle::fft(where, seen, axes)
                   : kind == "ifft" ? heddle::ifft(where, seen, axes)
                   : kind == "rfft" ? heddle::rfft(where, seen, axes)
                                    : heddle::irfft(where, seen, axes, length));
    if (scale != 1) transform_into(result->where(), *result, *result, scale, runtime_op::multiplies);
  }
  return delivered(std::move(*result), {}, out, x);
}

}  // namespace

void bind_products_and_transforms(nb::module_& m) {
  const auto none = nb::arg().none();
  m.def("matmul", &matmul, none, none, none, none, none);
  m.def("fft", &fft, nb::arg(), none, nb::arg(), nb::arg(), nb::arg(), none, none);
}

}  // namespace heddle::python
