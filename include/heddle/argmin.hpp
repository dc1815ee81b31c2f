#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/argmin/front.hpp>

#include <cstddef>

namespace heddle {

/// The index, in C order, of the smallest element: of the first of several, and of the first NaN if there is
/// one, as numpy.argmin. Waits for it. Throws heddle::error when there are no elements. Reads the elements at
/// most twice.
template <impl::ordered_elements X>
std::size_t argmin(const target& where, const X& x) {
  const auto in = impl::input(x);
  return impl::arg_of_all("argmin", runtime_op::minimum, dtype_of<element_of<X>>, in.data, in.size, in.where,
                          where);
}

/// The index of the largest element; otherwise as argmin.
template <impl::ordered_elements X>
std::size_t argmax(const target& where, const X& x) {
  const auto in = impl::input(x);
  return impl::arg_of_all("argmax", runtime_op::maximum, dtype_of<element_of<X>>, in.data, in.size, in.where,
                          where);
}

/// argmin of every row or column along one axis; the result has the other axes, and lives on the target.
/// Asynchronous on a GPU.
template <impl::ordered_elements X>
array<std::size_t> argmin(const target& where, const X& x, axis along_axis) {
  const auto in = impl::input(x);
  return impl::arg_along("argmin", runtime_op::minimum, dtype_of<element_of<X>>, in.data, impl::shape_of(x),
                         along_axis, in.where, where);
}

/// argmax of every row or column along one axis.
template <impl::ordered_elements X>
array<std::size_t> argmax(const target& where, const X& x, axis along_axis) {
  const auto in = impl::input(x);
  return impl::arg_along("argmax", runtime_op::maximum, dtype_of<element_of<X>>, in.data, impl::shape_of(x),
                         along_axis, in.where, where);
}

HD_EXPLAIN_MISUSE(argmin)
HD_EXPLAIN_MISUSE(argmax)

}  // namespace heddle
