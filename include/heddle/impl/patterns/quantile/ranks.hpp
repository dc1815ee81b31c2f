#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/patterns/quantile/front.hpp>
#include <heddle/impl/patterns/ranks_along.hpp>
#include <heddle/impl/patterns/sort/ranks.hpp>
#include <heddle/ranks.hpp>
#include <heddle/shape.hpp>
#include <heddle/sort_order.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::impl {

/// The values of sorted elements, which are flat and distributed: on every rank, on the CPU.
array<double> values_of_sorted(const ranks& all, dtype type, const block_to_read& sorted,
                               const sorted_line_values& of);

/// Several values of each line along axis `a` of an array of more axes: an array with the other axes for each
/// value, in the blocks of `reduce` along the axis. `of_column` fills the values of one column, of which
/// every rank has its own rows.
std::vector<distributed_array<double>> values_along_over_ranks(const char* pattern, const ranks& all,
                                                               dtype type, const block_to_read& x,
                                                               std::size_t a, const sorted_line_values& of,
                                                               pattern_on_column of_column);

/// The same blocks in float.
distributed_array<float> rounded(const distributed_array<double>& x);

inline namespace HD_BUILD {

/// The length of lines, which are all elements if `along` is null. Throws if lines have no elements, or if x
/// is distributed over other ranks.
template <element T>
std::size_t checked_length(const char* pattern, const ranks& all, const distributed_array<T>& x,
                           const axis* along = nullptr) {
  check_ranks(pattern, all, x.all());
  const std::size_t a = along != nullptr ? x.shape().resolve_axis(along->index) : 0,
                    length = along != nullptr ? x.shape()[a] : x.size();
  require_elements_of_lines(pattern, length, along != nullptr ? x.shape().without_axis(a).elements() : 1);
  return length;
}

template <element T>
array<double> sorted_values_over_ranks(const ranks& all, const distributed_array<T>& x,
                                       const sorted_line_values& of) {
  const distributed_array<T> sorted = sort_over_ranks(all, x, sort_order::ascending);
  return values_of_sorted(all, dtype_of<T>, to_read(all, sorted), of);
}

template <element T>
std::vector<distributed_array<double>> sorted_values_along_over_ranks(const char* pattern, const ranks& all,
                                                                      const distributed_array<T>& x,
                                                                      axis along_axis,
                                                                      const sorted_line_values& of) {
  const std::size_t a = x.shape().resolve_axis(along_axis.index);
  return values_along_over_ranks(
      pattern, all, dtype_of<T>, to_read(all, x), a, of, [&](const void* own_rows, void* values) {
        const array<double> column = sorted_values_over_ranks(all, column_of(all, x, own_rows), of);
        std::memcpy(values, column.data(), column.size() * sizeof(double));
      });
}

template <class M>
distributed_array<M> median_from(distributed_array<double> medians) {
  if constexpr (std::is_same_v<M, float>) {
    return rounded(medians);
  } else {
    return medians;
  }
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
