#pragma once

#include <heddle/array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/argmin/front.hpp>
#include <heddle/runtime_op.hpp>

#include <cstddef>
#include <vector>

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

/// argmin or argmax of elements that arrive in pieces, such as a file that is larger than memory; with
/// several columns of rows that arrive in pieces, along the slowest axis. Memory for an index and an element
/// a column.
///
///     hd::streamed_arg smallest(where, hd::runtime_op::minimum, hd::dtype::float32);
///     for (const auto& piece : pieces) smallest.append(piece.data(), piece.size());
///     std::size_t index = smallest.result().front();
class streamed_arg {
 public:
  /// `op` is minimum or maximum. Throws heddle::error for complex elements, which have no order.
  streamed_arg(const target& where, runtime_op op, dtype type, std::size_t columns = 1);

  /// Takes the next `count` rows, of an element for each column, which are on the CPU. Waits until they have
  /// been read.
  void append(const void* elements, std::size_t count);

  /// The index of the extremum of each column among all rows so far. Throws heddle::error when there are
  /// none.
  const std::vector<std::size_t>& result() const;

 private:
  target where_;
  runtime_op op_;
  dtype type_;
  std::size_t columns_, size_ = 0;
  std::vector<std::size_t> indices_;
  std::vector<std::byte> extrema_;
};

HD_EXPLAIN_MISUSE(argmin)
HD_EXPLAIN_MISUSE(argmax)

}  // namespace heddle
