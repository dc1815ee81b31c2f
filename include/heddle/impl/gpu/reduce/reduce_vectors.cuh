#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/columns_of_thread.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/order.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

/// Reductions of columns of one- and two-byte integers, in any order: a thread goes down 16 bytes of columns,
/// and combines them as words. Short rows are taken several at a time, as one row that is as long as all.
namespace heddle::gpu {

/// Whether columns are folded so.
template <class T, class Op>
inline constexpr bool reduces_vectors = order::order_is_free<T, Op> && sizeof(T) <= 2;

inline constexpr unsigned reduce_vectors_threads = 256, reduce_vectors_blocks = 4;
/// Threads that keep a GPU's memory busy, and rows that are worth one.
inline constexpr std::size_t reduce_vectors_max_threads = std::size_t{1} << 16, rows_worth_a_thread = 64;

/// A thread folds a strip of its columns to a row of `out`.
template <class Columns, class T, class Op>
__global__ void __launch_bounds__(reduce_vectors_threads, reduce_vectors_blocks)
    reduce_vectors(const T* x, Op op, column_tiling<Columns> shape, T* out) {
  constexpr unsigned rows = 128 / sizeof(typename Columns::asked);  // of bytes asked for at once
  using combined = combined_across<Columns, T, Op>;
  using vector = typename combined::vector;
  const combined combine{op};
  const std::size_t number = std::size_t{blockIdx.x} * reduce_vectors_threads + threadIdx.x;
  const auto strip = shape[number];
  const std::size_t inner = shape.all.inner;
  const Columns mine(x, shape.all, strip.in_row, shape.lanes);
  const bool has_strip = number < shape.strips();
  typename Columns::stored result;
  if (has_strip) {
    const T* from = x + strip.begin + mine.column;
    vector total;
    for (std::size_t row = 0; row < strip.length; row += rows, from += rows * inner) {
      const auto left = static_cast<unsigned>(min(strip.length - row, std::size_t{rows}));
      typename Columns::asked asked[rows];
      mine.ask(from, left, inner, asked);
      auto past = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from));
#pragma unroll
      for (unsigned k = 0; k < rows; ++k, past += static_cast<unsigned>(inner * sizeof(T))) {
        const typename Columns::stored bits = mine.arrived(asked[k], past);
        vector next;
        memcpy(static_cast<void*>(&next), &bits, sizeof next);
        next = combine.enter(next);
        if (k == 0) {
          total = row > 0 ? combine(total, next) : next;
        } else if (k < left) {
          total = combine(total, next);
        }
      }
    }
    total = combine.leave(total);
    memcpy(static_cast<void*>(&result), &total, sizeof result);
  }
  mine.store(out + strip.row * inner + mine.column, result, has_strip);
}

template <class Columns, class T, class Op>
void launch_reduce_vectors(const target& where, const T* x, const Op& op, const segments& all,
                           std::size_t strip, T* out) {
  const column_tiling<Columns> shape{all, strip, reduce_vectors_threads};
  reduce_vectors<Columns>
      <<<grid_for(shape.strips(), reduce_vectors_threads), reduce_vectors_threads, 0, where.stream()>>>(
          x, op, shape, out);
  check(cudaGetLastError(), "launch of reduce_vectors");
}

/// Folds strips of columns to rows of `out`.
template <class T, class Op>
void reduce_vector_tiles(const target& where, const T* x, const Op& op, const segments& all,
                         std::size_t strip, T* out) {
  if (are_vectors(x, out, all))
    return launch_reduce_vectors<vector_columns<T>>(where, x, op, all, strip, out);
  launch_reduce_vectors<shifted_vector_columns<T>>(where, x, op, all, strip, out);
}

/// How many short rows are taken as one, a power of two: enough to be granules where rows suffice for that.
template <class T>
std::size_t rows_in_one(const segments& all) {
  const std::size_t bytes = all.inner * sizeof(T), enough = 4 * least_shifted_row;
  if (bytes >= least_shifted_row) return 1;
  const std::size_t wanted = std::max(std::bit_ceil((enough + bytes - 1) / bytes), std::size_t{16});
  if (all.outer == 1) return all.length / wanted >= rows_worth_a_thread ? wanted : 1;
  // What is left over would be in the way of the next of the outer ones.
  return std::min({wanted, std::size_t{1} << std::countr_zero(all.length),
                   std::bit_floor(std::max(all.length / 8, std::size_t{1}))});
}

/// Rows of a strip, so that threads suffice to keep the memory busy.
template <class T>
std::size_t rows_of_strip(const segments& all) {
  const std::size_t across = all.outer * ((all.inner + items_per_vector<T> - 1) / items_per_vector<T>),
                    parts = std::min((reduce_vectors_max_threads + across - 1) / across,
                                     std::max(all.length / rows_worth_a_thread, std::size_t{1}));
  return (all.length + parts - 1) / parts;
}

}  // namespace heddle::gpu
