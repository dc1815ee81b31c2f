#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/block/columns_of_thread.cuh>
#include <heddle/impl/patterns/reduce/gpu/reduce_columns.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>

/// Reductions of columns of 1- and 2-byte integers, in any order: 16 bytes of neighbouring columns are one
/// element of reduce_columns, combined as words. Rows that do not begin at multiples of 16 bytes, or are
/// short, are taken several at a time, as one row.
namespace heddle::gpu {

/// Whether columns are reduced so.
template <class T, class Op>
inline constexpr bool reduces_vectors = order::order_is_free<T, Op> && sizeof(T) <= 2;

/// Combines neighbouring columns.
template <class T, class Op>
struct columns_op : vector_op<vector_columns<T>, T, Op> {
  static constexpr bool commutative = true, any_order = true;
};

/// i ↦ the i-th 16 bytes of x, as columns_op combines them.
template <class T, class Op>
struct vector_at {
  const T* x;
  columns_op<T, Op> op;
  __device__ auto operator()(std::size_t i) const {
    const uint4 bits = reinterpret_cast<const uint4*>(x)[i];
    typename columns_op<T, Op>::vector vector;
    memcpy(static_cast<void*>(&vector), &bits, sizeof bits);
    return op.encode(vector);
  }
};

/// Reduces parts of `part` rows to a row of `out` each; are_vectors(x, out, all).
template <class T, class Op>
void reduce_vectors(const target& where, const T* x, const Op& op, const axis_lines& all, std::size_t part,
                    T* out) {
  using vector = typename columns_op<T, Op>::vector;
  const columns_op<T, Op> combine{{op}};
  launch_reduce_columns<reduce_tuning<vector, columns_op<T, Op>>::column_items, true>(
      where, vector_at<T, Op>{x, combine}, combine, {all.outer, all.length, all.inner / items_per_vector<T>},
      part, 1, 1, reinterpret_cast<vector*>(out));
}

/// How many rows are taken as one, a power of two.
template <class T>
std::size_t rows_in_one(const axis_lines& all) {
  using tuning = reduce_vectors_tuning;
  const std::size_t bytes = all.inner * sizeof(T);
  const bool is_short = bytes < tuning::short_row;
  const std::size_t wanted =
      is_short ? std::max(std::bit_ceil((tuning::long_row + bytes - 1) / bytes), std::size_t{16})
               : 16 / std::gcd(bytes, std::size_t{16});
  if (all.outer == 1) {
    const std::size_t least = is_short ? tuning::rows_per_thread : tuning::rows_of_several;
    return all.length / wanted >= least ? wanted : 1;
  }
  // What is left over would be between an outer one and the next.
  return std::min({wanted, std::size_t{1} << std::countr_zero(all.length),
                   std::bit_floor(std::max(all.length / tuning::rows_of_several, std::size_t{1}))});
}

/// Rows of a part, so that threads suffice to keep the memory busy.
template <class T>
std::size_t rows_of_part(const axis_lines& all) {
  using tuning = reduce_vectors_tuning;
  const std::size_t across = std::max(all.outer * (all.inner / items_per_vector<T>), std::size_t{1}),
                    parts = std::min((tuning::threads + across - 1) / across,
                                     std::max(all.length / tuning::rows_per_thread, std::size_t{1}));
  return (all.length + parts - 1) / parts;
}

}  // namespace heddle::gpu
