#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/patterns/reduce/gpu/tuning.cuh>
#include <heddle/impl/patterns/transform/gpu.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>

/// Reductions of columns: neighbouring threads take neighbouring columns, so that a warp reads contiguous
/// memory. Short columns have a thread each, long ones several.
namespace heddle::gpu {

/// How the threads of a block share columns. The counts that have logarithms are powers of two.
struct column_threads {
  axis_lines all;
  std::size_t part;          ///< elements of a column that are combined to one result
  std::size_t pitch;         ///< thread numbers from one row of results to the next, at least its columns
  unsigned log2_threads;     ///< of a column
  unsigned log2_groups;      ///< of accumulators, which each thread combines one after another
  unsigned log2_neighbours;  ///< consecutive threads that take neighbouring columns

  HD_INLINE std::size_t parts() const { return (all.length + part - 1) / part; }
  HD_INLINE std::size_t results() const { return all.outer * parts() * pitch; }
};

/// `count` elements of a column, from load(first) on in steps of `stride`.
template <class Load>
struct column_elements {
  Load load;
  std::size_t first, stride;
  unsigned count;

  /// Loads the first N at most of elements i, i + 2^log2_step, … below `end`; with `All` there are N. Returns
  /// how many there are, which may be more than N.
  template <bool All, std::size_t N, class T>
  __device__ __forceinline__ unsigned read(unsigned i, unsigned log2_step, unsigned end,
                                           order::uninitialized<T, N>& x) const {
    const unsigned there = All ? static_cast<unsigned>(N) : (end - i + (1u << log2_step) - 1) >> log2_step;
    std::size_t at = first + i * stride;
    const std::size_t step = stride << log2_step;
#pragma unroll
    for (unsigned m = 0; m < N; ++m, at += step) {
      if (m < there) x[m] = load(at);
    }
    return there;
  }
};

template <unsigned Items, class T, class Op>
inline constexpr unsigned group_levels = reduce_tuning<T, Op>::levels(Items);
inline constexpr unsigned log2_rows = std::bit_width(order::rows) - 1;

/// Whether columns are one part each, and every group of accumulators has elements.
template <unsigned Items, bool SeveralRows, class T, class Op>
inline constexpr bool one_part =
    !SeveralRows || (Items == reduce_tuning<T, Op>::many_columns_items && !reduce_tuning<T, Op>::any_order);

/// Combines the first `count` of x in a tree, to x[0].
template <std::size_t N, class T, class Op>
__device__ void reduce_items(order::uninitialized<T, N>& x, unsigned count, const Op& op) {
  tree_reduce<N>([&](unsigned m, unsigned other) {
    if (other < count) x[m] = op(x[m], x[other]);
  });
}

/// Elements thread, thread + threads, … in any order.
template <unsigned Items, class T, class Load, class Op>
__device__ __forceinline__ T reduce_in_any_order(const column_elements<Load>& column, unsigned thread,
                                                 unsigned log2_threads, const Op& op) {
  const unsigned step = Items << log2_threads, last = (Items - 1) << log2_threads;
  order::uninitialized<T, Items> x;
  order::uninitialized<T, 1> sum;
  const auto append = [&](bool is_first) { sum[0] = is_first ? x[0] : op(sum[0], x[0]); };
  unsigned i = thread;
  for (; i + last < column.count; i += step) {
    column.template read<true>(i, log2_threads, column.count, x);
    reduce_items(x, Items, op);
    append(i == thread);
  }
  if (i < column.count) {
    reduce_items(x, column.template read<false>(i, log2_threads, column.count, x), op);
    append(i == thread);
  }
  return sum[0];
}

/// Combines the thread's accumulators of order.hpp, in groups of Items: if the operator commutes, numbers
/// thread, thread + threads, …, and those of a group as far apart as there are groups; otherwise consecutive
/// ones, in groups of one. SeveralRows: accumulators have more than one element.
template <unsigned Items, bool SeveralRows, class T, class Load, class Op>
__device__ __forceinline__ T reduce_accumulators(const column_elements<Load>& column, unsigned thread,
                                                 const column_threads& shape, const Op& op) {
  using tuning = reduce_tuning<T, Op>;
  constexpr bool striped = tuning::striped;
  constexpr unsigned accumulators = tuning::accumulators;
  constexpr unsigned levels = group_levels<Items, T, Op>;
  const unsigned log2_apart = shape.log2_threads + shape.log2_groups, count = column.count;
  // Whether an accumulator has elements.
  const auto exists = [&](unsigned a) {
    return one_part<Items, SeveralRows, T, Op> ||
           (striped ? a : a * static_cast<unsigned>(order::rows)) < count;
  };
  order::uninitialized<T, (levels > 0 ? levels : 1)> waiting;  // results of 1, 2, 4, … groups before
  order::uninitialized<T, 1> sum;
#pragma unroll 1
  for (unsigned g = 0; g < 1u << shape.log2_groups; ++g) {
    // In an order in which groups that are combined follow each other.
    const unsigned group = striped
                               ? thread + (__brev(g) >> 1 >> (31 - shape.log2_groups) << shape.log2_threads)
                               : (thread << shape.log2_groups) + g;
    order::uninitialized<T, Items> x;
    if constexpr (striped) {
      if (exists(group)) {
        const unsigned there = column.template read<false>(group, log2_apart, count, x);
        if constexpr (SeveralRows) {
          order::uninitialized<T, Items> next;
          unsigned i = group + accumulators;
// The next row is loaded before this one is combined where registers suffice.
#pragma unroll(Items == tuning::column_items && sizeof(T) <= 8 ? 2 : 1)
          for (; i + ((Items - 1) << log2_apart) < count; i += accumulators) {
            column.template read<true>(i, log2_apart, count, next);
#pragma unroll
            for (unsigned m = 0; m < Items; ++m) x[m] = op(x[m], next[m]);
          }
          if (i < count) {
            const unsigned rest = column.template read<false>(i, log2_apart, count, next);
#pragma unroll
            for (unsigned m = 0; m < Items; ++m) {
              if (m < rest) x[m] = op(x[m], next[m]);
            }
          }
        }
        reduce_items(x, there, op);
        sum[0] = x[0];
      }
    } else {
      const unsigned begin = group * order::rows,
                     end = min(count, begin + static_cast<unsigned>(order::rows));
      for (unsigned i = begin; i < end; i += Items) {
        const unsigned there = column.template read<false>(i, 0, end, x);
#pragma unroll
        for (unsigned m = 0; m < Items; ++m) {
          if (m < there) sum[0] = i + m > begin ? op(sum[0], x[m]) : x[m];
        }
      }
    }
    if constexpr (levels > 0) {
      unsigned first = group;   // of those in `sum`
      bool is_waiting = false;  // a break would put the array in local memory
#pragma unroll
      for (unsigned level = 0; level < levels; ++level) {
        if (is_waiting) continue;
        is_waiting = (g >> level & 1) == 0;
        if (is_waiting) {
          if (exists(first)) waiting[level] = sum[0];
        } else {
          const unsigned left = first - (striped ? 1u << log2_apart >> (level + 1) : 1u << level);
          if (exists(first)) {
            sum[0] = op(waiting[level], sum[0]);
          } else if (exists(left)) {
            sum[0] = waiting[level];
          }
          first = left;
        }
      }
    }
  }
  return sum[0];
}

/// Combines each part of each column to an element of `out`.
template <unsigned Items, bool SeveralRows, class T, class Load, class Op>
__global__ void __launch_bounds__(reduce_tuning<T, Op>::column_threads(Items, SeveralRows),
                                  reduce_tuning<T, Op>::column_blocks(Items, SeveralRows))
    reduce_columns(Load load, Op op, column_threads shape, T* out) {
  using tuning = reduce_tuning<T, Op>;
  using element = order::uninitialized<T, 1>;
  constexpr unsigned block = tuning::column_threads(Items, SeveralRows);
  constexpr bool shares = Items == tuning::column_items && SeveralRows && tuning::threads_per_column > 1;
  __shared__ alignas(16) unsigned char exchange_bytes[shares ? block * sizeof(element) : 1];
  element* const mine = reinterpret_cast<element*>(exchange_bytes) + (shares ? threadIdx.x : 0);
  if (!shares) shape.log2_threads = 0;
  const unsigned neighbours = 1u << shape.log2_neighbours, threads = 1u << shape.log2_threads;
  const unsigned below = threadIdx.x >> shape.log2_neighbours, thread = shares ? below & (threads - 1) : 0;
  const unsigned in_block =
      shares ? (below >> shape.log2_threads << shape.log2_neighbours) + (threadIdx.x & (neighbours - 1))
             : threadIdx.x;
  const unsigned results_of_block = block >> shape.log2_threads;
  const std::size_t parts = one_part<Items, SeveralRows, T, Op> ? 1 : shape.parts();
  const std::size_t results = shape.all.outer * parts * shape.pitch;
  for (std::size_t base = std::size_t{blockIdx.x} * results_of_block; base < results;
       base += std::size_t{gridDim.x} * results_of_block) {
    // Divisions of 64 bits take as long as some rows.
    const std::size_t number = base + in_block, row = number < shape.pitch ? 0 : number / shape.pitch,
                      c = number - row * shape.pitch,
                      outer = parts == 1    ? row
                              : row < parts ? 0
                                            : row / parts,
                      top = (row - outer * parts) * shape.part;
    const std::size_t left = shape.all.length - top;
    const bool is_column = number < results && c < shape.all.inner;
    T* const result = out + row * shape.all.inner + c;
    const column_elements<Load> column{load, (outer * shape.all.length + top) * shape.all.inner + c,
                                       shape.all.inner,
                                       static_cast<unsigned>(left < shape.part ? left : shape.part)};
    // Whether a thread of the column has elements.
    const auto has_elements = [&](unsigned t) {
      const unsigned first = tuning::striped || tuning::any_order ? t : t << shape.log2_groups << log2_rows;
      return is_column && first < column.count;
    };
    element sum;
    if (has_elements(thread)) {
      if constexpr (tuning::any_order) {
        sum[0] = reduce_in_any_order<Items, T>(column, thread, shape.log2_threads, op);
      } else {
        sum[0] = reduce_accumulators<Items, SeveralRows, T>(column, thread, shape, op);
      }
    }
    if constexpr (shares) {
      if (threads > 1) {
        if (has_elements(thread)) *mine = sum;
        __syncthreads();
        constexpr bool halves = tuning::striped || tuning::any_order;
        for (unsigned step = halves ? threads / 2 : 1; halves ? step > 0 : step < threads;
             step = halves ? step / 2 : 2 * step) {
          const bool is_left = halves ? thread < step : thread % (2 * step) == 0;
          if (is_left && has_elements(thread + step)) {
            sum[0] = op(sum[0], mine[step << shape.log2_neighbours][0]);
            *mine = sum;
          }
          __syncthreads();
        }
      }
    }
    if (thread == 0 && is_column) {
      if constexpr (requires { Op::any_order; }) {
        *result = op.decode(sum[0]);
      } else {
        *result = order::canonical(sum[0]);
      }
    }
  }
}

/// Reduces columns cut into parts of `part` elements. `per_column` threads share a part, and each combines
/// `groups` groups of accumulators one after another; both are powers of two.
template <unsigned Items, bool SeveralRows, class T, class Load, class Op>
void launch_reduce_columns(const target& where, const Load& load, const Op& op, const axis_lines& all,
                           std::size_t part, std::size_t per_column, std::size_t groups, T* out) {
  using tuning = reduce_tuning<T, Op>;
  const auto log2 = [](std::size_t x) { return static_cast<unsigned>(std::countr_zero(x)); };
  constexpr unsigned block = tuning::column_threads(Items, SeveralRows);
  std::size_t neighbours = block / per_column, pitch = all.inner;
  if (per_column > 1 && all.inner < warp_size) neighbours = pitch = std::bit_ceil(all.inner);
  const column_threads shape{all, part, pitch, log2(per_column), log2(groups), log2(neighbours)};
  reduce_columns<Items, SeveralRows, T>
      <<<grid_for(shape.results(), block / per_column), block, 0, where.stream()>>>(load, op, shape, out);
  check(cudaGetLastError(), "launch of reduce_columns");
}

/// i ↦ load(i), the result of one row.
template <class T, class Load>
struct one_row {
  Load load;
  __device__ T operator()(std::size_t i) const { return order::canonical(T(load(i))); }
};

/// Column ↦ its `length` elements combined, from 2 to `Rows`.
template <unsigned Rows, class T, class Load, class Op>
struct few_rows {
  Load load;
  Op op;
  std::size_t inner;
  double of_inner;  ///< 1 / inner
  unsigned length;
  __device__ T operator()(std::size_t i) const {
    // A division would keep the loads of a thread's next elements waiting.
    std::size_t outer = static_cast<std::size_t>(static_cast<double>(i) * of_inner);
    outer -= outer * inner > i ? 1 : 0;
    outer += i - outer * inner >= inner ? 1 : 0;
    const std::size_t first = i + outer * (length - 1) * inner;
    order::uninitialized<T, Rows> x;
#pragma unroll
    for (unsigned m = 0; m < Rows; ++m) {
      if (m < 2 || m < length) x[m] = load(first + m * inner);
    }
    if constexpr (reduce_tuning<T, Op>::striped || reduce_tuning<T, Op>::any_order) {
      reduce_items(x, length, op);
    } else {
#pragma unroll
      for (unsigned m = 1; m < Rows; ++m) {
        if (m < 2 || m < length) x[0] = op(x[0], x[m]);
      }
    }
    return order::canonical(x[0]);
  }
};

/// Reduces each tile of columns.
template <class T, class Load, class Op>
void reduce_tiles_of_columns(const target& where, const Load& load, const Op& op, const axis_lines& all,
                             T* out) {
  using tuning = reduce_tuning<T, Op>;
  constexpr unsigned items = tuning::column_items, accumulators = tuning::accumulators;
  constexpr std::size_t tile = order::tile<T, Op>;
  const std::size_t length = all.length;
  if (length == 1) return gpu::transform(where, one_row<T, Load>{load}, all.count(), out);
  const auto by_transform = [&]<unsigned Rows>(std::integral_constant<unsigned, Rows>) {
    const few_rows<Rows, T, Load, Op> columns{load, op, all.inner, 1 / static_cast<double>(all.inner),
                                              static_cast<unsigned>(length)};
    gpu::transform(where, columns, all.count(), out);
  };
  if (length == 2) return by_transform(std::integral_constant<unsigned, 2>());
  if constexpr (sizeof(T) <= 4 || (tuning::any_order && sizeof(T) <= 16)) {
    if (length <= 4) return by_transform(std::integral_constant<unsigned, 4>());
  }
  if constexpr (sizeof(T) <= 2) {
    if (length <= 8) return by_transform(std::integral_constant<unsigned, 8>());
    if (length <= 16) return by_transform(std::integral_constant<unsigned, 16>());
  }
  const auto shared_by = [&](std::size_t per_column, std::size_t groups) {
    launch_reduce_columns<items, true>(where, load, op, all, tile, per_column, groups, out);
  };
  const bool are_many = all.count() >= tuning::many_columns && length <= tile;
  constexpr unsigned most_threads = tuning::threads_per_column;
  if constexpr (sizeof(T) > 16) {
    shared_by(most_threads, accumulators / most_threads);
  } else if constexpr (tuning::any_order) {
    // Few columns have as many threads as fill a block: a warp reads contiguous rows.
    const std::size_t for_few =
        tuning::column_threads(items, true) / std::bit_ceil(std::min<std::size_t>(all.inner, warp_size));
    shared_by(length <= tuning::short_column || are_many ? 1 : for_few, 1);
  } else if constexpr (!tuning::striped) {
    if (length <= order::rows) return shared_by(1, 1);
    if (length <= tuning::short_column) return shared_by(1, 2);
    shared_by(most_threads, accumulators / most_threads);
  } else {
    if (length <= items) return launch_reduce_columns<items, false>(where, load, op, all, tile, 1, 1, out);
    // Larger elements are as fast with several threads to a column, unless accumulators have one element.
    constexpr bool in_rows = sizeof(T) <= 4;
    if (length <= tuning::short_column || (are_many && (in_rows || length <= accumulators))) {
      constexpr unsigned at_once = tuning::many_columns_items;
      const std::size_t groups =
          std::bit_ceil((std::min<std::size_t>(length, accumulators) + at_once - 1) / at_once);
      if constexpr (in_rows) {
        if (length > accumulators)
          return launch_reduce_columns<at_once, true>(where, load, op, all, tile, 1, groups, out);
      }
      return launch_reduce_columns<at_once, false>(where, load, op, all, tile, 1, groups, out);
    }
    const std::size_t apart =
                          std::bit_ceil((std::min<std::size_t>(length, accumulators) + items - 1) / items),
                      threads = std::min<std::size_t>(apart, most_threads);
    shared_by(threads, apart / threads);
  }
}

}  // namespace heddle::gpu
