#pragma once

#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/patterns/transform/gpu.cuh>
#include <heddle/memory.hpp>
#include <heddle/shape.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// adjacent_difference on a GPU. In place, a block may overwrite an element that another block reads.
/// Therefore the last element before each tile is saved first.
namespace heddle::gpu {

template <class T, class Op>
struct difference_work {
  const T* x;
  T* out;  ///< may be x
  Op op;
  axis_lines all;
  const T* before;  ///< the elements before the first of each line; null if there are none
  const T* saved;   ///< the element before each tile of rows or part of a column; null if none must be saved
};

/// result[k] = op(x[first + k], x[first + k − 1]) for up to `Items` elements of rows.
template <class T, unsigned Items, class Op>
__device__ void difference_of_items(const difference_work<T, Op>& work, std::size_t first, const T* saved,
                                    order::uninitialized<T, Items>& result) {
  const std::size_t left = work.all.elements() - first;
  order::uninitialized<T, Items> value;
  bool is_loaded = false;
  if constexpr (Items > 1) {
    is_loaded = left >= Items;
    if (is_loaded) value = vector_of_items<T, Items>(vector_of_items<T, Items>::load(work.x + first)).values;
  }
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    if (!is_loaded && k < left) value[k] = work.x[first + k];
  }
  // A division takes as long as the rest, so one row does without it.
  std::size_t place = work.all.outer == 1 ? first : first % work.all.length;
  bool has_previous = place > 0 || work.before != nullptr;
  order::uninitialized<T, 1> previous;
  if (has_previous) previous[0] = place == 0 ? work.before[0] : saved != nullptr ? *saved : work.x[first - 1];
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    if (k >= left) break;
    if (has_previous) {
      result[k] = work.op(value[k], previous[0]);
    } else {
      result[k] = value[k];
    }
    previous[0] = value[k];
    has_previous = ++place < work.all.length;
    if (!has_previous) place = 0;
  }
}

/// Elements of a tile of rows.
template <class T, unsigned Items>
inline constexpr std::size_t difference_tile = transform_threads * Items * transform_vectors<T, Items>;

/// One row or many, in tiles of consecutive elements.
template <class T, unsigned Items, class Op>
__global__ void __launch_bounds__(transform_threads)
    difference_of_rows(const __grid_constant__ difference_work<T, Op> work) {
  constexpr unsigned vectors = transform_vectors<T, Items>;
  constexpr std::size_t step = transform_threads * Items, tile = difference_tile<T, Items>;
  const std::size_t n = work.all.elements();
  for (std::size_t begin = blockIdx.x * tile; begin < n; begin += gridDim.x * tile) {
    const std::size_t own = begin + threadIdx.x * Items;
    order::uninitialized<T, Items> result[vectors];
#pragma unroll
    for (unsigned v = 0; v < vectors; ++v) {
      const std::size_t first = own + v * step;
      const bool is_saved = first == begin && work.saved != nullptr;
      if (first < n)
        difference_of_items<T, Items>(work, first, is_saved ? work.saved + begin / tile : nullptr, result[v]);
    }
    if (work.x == work.out) __syncthreads();
#pragma unroll
    for (unsigned v = 0; v < vectors; ++v) {
      const std::size_t first = own + v * step;
      if constexpr (Items > 1) {
        if (first + Items <= n) {
          vector_of_items<T, Items>::store(result[v], work.out + first);
          continue;
        }
      }
#pragma unroll
      for (unsigned k = 0; k < Items; ++k) {
        if (first + k < n) work.out[first + k] = result[v][k];
      }
    }
  }
}

/// Rows of a column that a thread takes.
inline constexpr std::size_t difference_rows = 32;

/// A part of a column: its place among all parts, and the place of its first element.
struct part_of_column {
  std::size_t row, column, first;
  __device__ part_of_column(const axis_lines& all, std::size_t part) : column(part % all.inner) {
    const std::size_t above = part / all.inner, parts = (all.length + difference_rows - 1) / difference_rows;
    row = above % parts * difference_rows;
    first = (above / parts * all.length + row) * all.inner + column;
  }
};

/// Columns side by side. A thread goes down a part of one.
template <class T, class Op>
__global__ void __launch_bounds__(transform_threads)
    difference_of_columns(const __grid_constant__ difference_work<T, Op> work, std::size_t parts) {
  constexpr unsigned at_once = sizeof(T) <= 16 ? 4 : 1;
  const std::size_t inner = work.all.inner;
  for (std::size_t p = std::size_t{blockIdx.x} * transform_threads + threadIdx.x; p < parts;
       p += std::size_t{gridDim.x} * transform_threads) {
    const part_of_column part(work.all, p);
    const std::size_t left = work.all.length - part.row,
                      rows = left < difference_rows ? left : difference_rows;
    const T* const x = work.x + part.first;
    T* const out = work.out + part.first;
    bool has_previous = part.row > 0 || work.before != nullptr;
    order::uninitialized<T, 1> previous;
    if (has_previous)
      previous[0] = part.row == 0           ? work.before[part.column]
                    : work.saved != nullptr ? work.saved[p]
                                            : work.x[part.first - inner];
    for (std::size_t row = 0; row < rows; row += at_once) {
      // All are read before one is written, so that the loads do not wait for each other.
      order::uninitialized<T, at_once> value;
#pragma unroll
      for (unsigned k = 0; k < at_once; ++k) {
        if (row + k < rows) value[k] = x[(row + k) * inner];
      }
#pragma unroll
      for (unsigned k = 0; k < at_once; ++k) {
        if (row + k >= rows) break;
        if (has_previous) {
          out[(row + k) * inner] = work.op(value[k], previous[0]);
        } else {
          out[(row + k) * inner] = value[k];
        }
        previous[0] = value[k];
        has_previous = true;
      }
    }
  }
}

/// t ↦ the element before tile t; any element for the first tile.
template <class T>
struct element_before_tile {
  const T* x;
  std::size_t tile;
  __device__ T operator()(std::size_t t) const { return x[t > 0 ? t * tile - 1 : 0]; }
};
/// p ↦ the element above part p of the columns; any element if the part begins its column.
template <class T>
struct element_above_part {
  const T* x;
  axis_lines all;
  __device__ T operator()(std::size_t p) const {
    const part_of_column part(all, p);
    return x[part.row > 0 ? part.first - all.inner : part.first];
  }
};

/// Writes op(element, the one before it in its line) to `out`, which may be x, on the GPU's stream. `before`
/// is as on a CPU.
template <class T, class Op>
void adjacent_difference(const target& where, const T* x, const axis_lines& all, const Op& op,
                         const T* before, T* out) {
  const std::size_t n = all.elements();
  if (n == 0) return;
  const current_device on(where);
  difference_work<T, Op> work{x, out, op, all, before, nullptr};
  memory saved;
  const auto save = [&](const auto& element, std::size_t count) {
    if (x != out || count < 2) return;
    saved = memory(count * sizeof(T), where);
    auto* const to = static_cast<T*>(saved.data());
    transform(where, element, count, to);
    work.saved = to;
  };
  if (all.inner > 1) {
    const std::size_t parts = all.outer * ((all.length + difference_rows - 1) / difference_rows) * all.inner;
    if (all.length > difference_rows) save(element_above_part<T>{x, all}, parts);
    const unsigned grid = grid_for(parts, transform_threads);
    difference_of_columns<<<grid, transform_threads, 0, where.stream()>>>(work, parts);
    return check(cudaGetLastError(), "launch of difference_of_columns");
  }
  const auto launch = [&]<unsigned Items>(std::integral_constant<unsigned, Items>) {
    constexpr std::size_t tile = difference_tile<T, Items>;
    save(element_before_tile<T>{x, tile}, (n + tile - 1) / tile);
    difference_of_rows<T, Items><<<grid_for(n, tile), transform_threads, 0, where.stream()>>>(work);
    check(cudaGetLastError(), "launch of difference_of_rows");
  };
  constexpr unsigned items = transform_items<T, impl::element_of_array<T>>;
  if constexpr (items > 1) {
    const auto addresses = reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(out);
    if (addresses % (items * sizeof(T)) == 0) return launch(std::integral_constant<unsigned, items>());
  }
  launch(std::integral_constant<unsigned, 1>());
}

}  // namespace heddle::gpu
