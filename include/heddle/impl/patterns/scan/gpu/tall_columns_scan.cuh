#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/scan_order.hpp>
#include <heddle/impl/gpu/arch/bulk_copy.cuh>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/block_totals.cuh>
#include <heddle/impl/gpu/block/pipeline_stage.cuh>
#include <heddle/impl/gpu/block/tile_prefix.cuh>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/temp_storage.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/patterns/scan/gpu/column_tiles.cuh>
#include <heddle/impl/patterns/scan/gpu/tall_columns_copies.cuh>
#include <heddle/impl/patterns/scan/gpu/tall_columns_prefixes.cuh>
#include <heddle/impl/patterns/scan/gpu/tall_columns_work.cuh>
#include <heddle/impl/patterns/scan/gpu/tuning.cuh>

#include <algorithm>
#include <cstddef>

/// Scans of long columns in one launch that reads and writes each element once. Columns are cut into panels,
/// and these into tiles of some rows, which resident blocks take in order.
///
/// Warps of a block have roles, as in lookahead_scan(). One copies tiles to shared memory, up to four at a
/// time. Eight reduce a tile as soon as it has arrived, well before it is scanned, and publish the aggregates
/// of its columns. Four look ahead: they combine the aggregates of the tiles above, each block for itself.
/// Eight scan tiles in shared memory, and one copies them out. Who looks ahead for the last tile of a group
/// of 16 publishes what the group combines to. So of each column a block reads the aggregates of up to 15
/// tiles of the group, and of the groups above since its tile before.
///
/// Threads below one another take parts of a tile, which are blocks of scan_order.hpp where the order of
/// combinations matters.
namespace heddle::gpu {

/// Reads `count` elements, `stride` apart; the last is repeated.
template <class Op, std::size_t Rows, class T>
__device__ void load_rows(const T* x, std::size_t stride, unsigned count,
                          order::uninitialized<T, Rows>& value) {
  if (count >= Rows) {
#pragma unroll
    for (unsigned k = 0; k < Rows; ++k) value[k] = impl::lift<Op>(x[k * stride]);
  } else {
#pragma unroll
    for (unsigned k = 0; k < Rows; ++k) value[k] = impl::lift<Op>(x[min(k, count - 1) * stride]);
  }
}

/// Some vectors of a column: each scanned by itself, and the totals of vectors by a tree.
template <class T, class Op>
class column_unit {
 public:
  static constexpr unsigned rows = column_unit_tuning<T>::rows, vectors = column_unit_tuning<T>::vectors,
                            vector = rows / vectors;

  /// Of load_rows().
  __device__ column_unit(const T* x, std::size_t stride, unsigned count, const Op& op) {
    load_rows<Op>(x, stride, count, own_);
#pragma unroll
    for (unsigned k = 0; k < rows; ++k) {
      if (k % vector > 0) own_[k] = op(own_[k - 1], own_[k]);
    }
#pragma unroll
    for (unsigned v = 0; v < vectors; ++v) up_to_[v] = own_[v * vector + vector - 1];
#pragma unroll
    for (unsigned half = 1; half < vectors; half *= 2) {
#pragma unroll
      for (unsigned v = 0; v < vectors; ++v) {
        if ((v & half) != 0) up_to_[v] = op(up_to_[v / half * half - 1], up_to_[v]);
      }
    }
  }

  __device__ const T& own(unsigned row) const { return own_[row]; }
  /// P of the vectors up to and with one.
  __device__ const T& up_to(unsigned number) const { return up_to_[number]; }
  __device__ const T& total() const { return up_to_[vectors - 1]; }

 private:
  order::uninitialized<T, rows> own_;
  order::uninitialized<T, vectors> up_to_;
};

/// The totals of units of a row of the order.
template <class T>
using units_of_row = block_totals<T, column_unit_tuning<T>::log2_units_of_row>;

/// The total of `count` rows of a column. In order they are a power of two of units, up to a row.
template <class T, class Op>
__device__ T reduce_rows_of_column(const T* x, std::size_t stride, unsigned count, const Op& op) {
  order::uninitialized<T, 1> total;
  if constexpr (order::any_scan_order<T, Op>) {
    total[0] = impl::lift<Op>(*x);
#pragma unroll 8
    for (unsigned k = 1; k < count; ++k) total[0] = op(total[0], impl::lift<Op>(x[k * stride]));
  } else {
    using unit = column_unit<T, Op>;
    units_of_row<T> units;
    for (unsigned k = 0; k < count; k += unit::rows) {
      total[0] = unit(x + k * stride, stride, count - k, op).total();
      units.append(op, total[0]);
    }
  }
  return total[0];
}

/// Combines tiles and publishes the totals of their columns.
template <class T, bool Panels, class Op>
__device__ void reduce_columns_warps(const columns_work<T, Panels>& work, const Op& op,
                                     columns_shared<T, Panels>& shared, unsigned char* stages) {
  using tuning = tall_columns_tuning<T, Panels>;
  const column_tiles<T, Panels>& shape = work.shape;
  const unsigned group = threadIdx.x / shape.columns, column = threadIdx.x - group * shape.columns;
  const unsigned first_row = group * shape.rows_of_thread;
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const column_tile_in_flight tile = shared.tiles[at.stage];
    if (tile.panel == column_tile_in_flight::none) return;
    // Nothing is below parts that are not whole.
    const bool is_whole =
        group < shape.groups && column < tile.columns && first_row + shape.rows_of_thread <= tile.rows;
    T* const total = &shared.total[at.stage * tuning::scan_threads + threadIdx.x];
    order::uninitialized<T, 1> sum;
    if (is_whole) {
      sum[0] =
          reduce_rows_of_column(work.begin_of(tile, stages + at.stage * tuning::stage_bytes, group) + column,
                                work.row_stride(), shape.rows_of_thread, op);
    }
    for (unsigned half = 1; half < shape.groups; half *= 2) {
      if (is_whole && (group & (half - 1)) == half - 1) *total = sum[0];
      sync_some_threads<1, tuning::reduce_threads>();
      if (is_whole && (group & (2 * half - 1)) == 2 * half - 1)
        sum[0] = op(*(total - half * shape.columns), sum[0]);
    }
    if (is_whole && group + 1 == shape.groups && !tile.is_last) {
      *total = sum[0];
      if (shape.concurrent_tiles > 1)
        publish_aggregate(work.states, shape.totals(), shape.of_tile(tile.panel, tile.part) + column, sum[0]);
    }
    __syncwarp();
    if (threadIdx.x % warp_size == 0) shared.reduced[at.stage].arrive();
  }
}

/// Scans `count` rows of a column one after another, where any order gives the same bits. `above` is what the
/// rows above combine to, if `has_above`.
template <class T, bool Panels, class Op>
__device__ __forceinline__ void scan_rows_of_column(const columns_work<T, Panels>& work, const T* x,
                                                    std::size_t stride, unsigned count, bool has_above,
                                                    order::uninitialized<T, 1>& above, T* to,
                                                    std::size_t to_stride, const Op& op) {
  unsigned k = 0;
  const auto write = [&](const T& value) {
    const T before = above[0];
    above[0] = op(before, value);
    to[k++ * to_stride] = order::canonical(work.exclusive ? before : above[0]);
  };
  if (!has_above) {
    above[0] = impl::lift<Op>(*x);
    to[k++] = order::canonical(above[0]);
  }
  constexpr unsigned at_once = 8;
  while (k + at_once <= count) {
    order::uninitialized<T, at_once> value;
    load_rows<Op>(x + k * stride, stride, at_once, value);
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) write(value[j]);
  }
  while (k < count) write(impl::lift<Op>(x[k * stride]));
}

/// Returns whether there are rows above vector `v` of a unit, and sets `before` to what they combine to.
/// `units` are the units above in the same row of the order, and `above` is what the rows of the order above
/// combine to.
template <class T, class Op>
__device__ __forceinline__ bool find_prefix_of_vector(const column_unit<T, Op>& here, unsigned v,
                                                      const units_of_row<T>& units, bool has_above,
                                                      const order::uninitialized<T, 1>& above,
                                                      order::uninitialized<T, 1>& before, const Op& op) {
  bool has_before = v > 0;
  if (has_before) before[0] = here.up_to(v - 1);
  units.prepend_to(op, has_before, before[0]);
  if (has_above) before[0] = has_before ? op(above[0], before[0]) : above[0];
  return has_before || has_above;
}

/// Writes the results of vector `v` of a unit, of which the first `left` rows are in the column.
template <class T, bool Panels, class Op>
__device__ __forceinline__ void write_vector(const columns_work<T, Panels>& work,
                                             const column_unit<T, Op>& here, unsigned v, bool has_before,
                                             const order::uninitialized<T, 1>& before, unsigned left, T* to,
                                             std::size_t to_stride, const Op& op) {
  using unit = column_unit<T, Op>;
#pragma unroll
  for (unsigned j = 0; j < unit::vector; ++j) {
    const unsigned i = v * unit::vector + j;
    if (i >= left) continue;
    if (work.exclusive && j == 0) {
      if (has_before) to[i * to_stride] = order::canonical(before[0]);
    } else {
      const T& own = work.exclusive ? here.own(i - (j > 0 ? 1 : 0)) : here.own(i);
      to[i * to_stride] = order::canonical(has_before ? op(before[0], own) : own);
    }
  }
}

/// Scans each tile when its exclusive prefix is known; stores results where they are not copied.
template <class T, bool Panels, class Op>
__device__ void scan_columns_warps(const columns_work<T, Panels>& work, const Op& op,
                                   columns_shared<T, Panels>& shared, unsigned char* stages) {
  using tuning = tall_columns_tuning<T, Panels>;
  const column_tiles<T, Panels>& shape = work.shape;
  const unsigned thread = threadIdx.x - tuning::reduce_threads;
  const unsigned group = thread / shape.columns, column = thread - group * shape.columns;
  const unsigned first_row = group * shape.rows_of_thread;
  const unsigned log2_units = shape.log2_units_of_thread();
  const bool copies_back = work.copies_back();
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const column_tile_in_flight tile = shared.tiles[at.stage];
    if (tile.panel == column_tile_in_flight::none) return;
    shared.reduced[at.stage].wait(at.parity);
    shared.prefixed[at.stage].wait(at.parity);
    if (group < shape.groups && first_row < tile.rows && column < tile.columns) {
      const std::size_t stride = work.row_stride(), to_stride = copies_back ? stride : shape.all.inner;
      T* x = work.begin_of(tile, stages + at.stage * tuning::stage_bytes, group) + column;
      T* to = copies_back ? x : work.out + tile.first + first_row * shape.all.inner + column;
      const unsigned count = min(tile.rows - first_row, shape.rows_of_thread);
      const T* const totals = &shared.total[at.stage * tuning::scan_threads + column];
      // The largest blocks of a power of two of groups of threads that are above this group.
      const auto block = [&](unsigned bit) -> const T& {
        return totals[((group >> bit << bit) - 1) * shape.columns];
      };
      bool has_above = tile.part > 0 || work.has_init;
      order::uninitialized<T, 1> above;
      if (has_above) above[0] = shared.prefix[at.stage * tuning::most_width + column];
      constexpr unsigned most_bits = 8;
      if constexpr (order::any_scan_order<T, Op>) {
#pragma unroll
        for (unsigned bit = most_bits; bit-- > 0;) {
          if ((group >> bit & 1) != 0) append_block(has_above, above[0], block(bit), op);
        }
        scan_rows_of_column(work, x, stride, count, has_above, above, to, to_stride, op);
      } else {
        using unit = column_unit<T, Op>;
        constexpr unsigned levels = column_unit_tuning<T>::log2_units_of_row;
        // Blocks of whole rows of the order continue the prefix. Smaller ones are in the row of the order
        // that the thread's own rows belong to.
        units_of_row<T> units;
#pragma unroll
        for (unsigned bit = most_bits; bit-- > 0;) {
          if ((group >> bit & 1) != 0 && bit + log2_units >= levels)
            append_block(has_above, above[0], block(bit), op);
        }
#pragma unroll
        for (unsigned level = 0; level < levels; ++level) {
          if (level >= log2_units && (group >> (level - log2_units) & 1) != 0)
            units.put(level, block(level - log2_units));
        }
        for (unsigned k = 0; k < count; k += unit::rows) {
          const unsigned left = count - k;
          const unit here(x, stride, left, op);  // in registers: `to` may be `x`
#pragma unroll
          for (unsigned v = 0; v < unit::vectors; ++v) {
            order::uninitialized<T, 1> before;
            const bool has_before = find_prefix_of_vector(here, v, units, has_above, above, before, op);
            write_vector(work, here, v, has_before, before, left, to, to_stride, op);
          }
          T total = here.total();
          units.append(op, total);
          x += unit::rows * stride;
          to += unit::rows * to_stride;
        }
      }
    }
#if HD_PTX_ARCH >= 900
    if (copies_back) fence_proxy_async();
#endif
    __syncwarp();
    if (threadIdx.x % warp_size == 0) shared.scanned[at.stage].arrive();
  }
}

template <class T, bool Panels, class Op>
__global__ void __launch_bounds__(tall_columns_tuning<T, Panels>::threads, 1)
    tall_columns_scan(const __grid_constant__ columns_work<T, Panels> work, Op op) {
  using tuning = tall_columns_tuning<T, Panels>;
  static_assert(sizeof(columns_shared<T, Panels>) + tuning::stages * tuning::stage_bytes <= 226 * 1024);
  extern __shared__ __align__(128) unsigned char stages[];
  __shared__ columns_shared<T, Panels> shared;
  if (threadIdx.x == 0) {
    for (unsigned s = 0; s < tuning::stages; ++s) {
      shared.arrived[s].init(1);
      shared.taken[s].init(1 + tuning::most_width / warp_size);
      shared.reduced[s].init(tuning::reduce_threads / warp_size);
      shared.grouped[s].init(tuning::most_width / warp_size);
      shared.prefixed[s].init(tuning::most_width / warp_size);
      shared.scanned[s].init(tuning::scan_threads / warp_size);
    }
    fence_mbarrier_init();
  }
  grid_dependency_sync();
  __syncthreads();
  if (threadIdx.x < tuning::reduce_threads) {
    reduce_columns_warps(work, op, shared, stages);
  } else if (threadIdx.x < tuning::first_to_load) {
    scan_columns_warps(work, op, shared, stages);
  } else if (threadIdx.x < tuning::first_to_store) {
    load_columns_warp(work, shared, stages);
  } else if (threadIdx.x < tuning::first_of_groups) {
    store_columns_warp(work, shared, stages);
  } else if (threadIdx.x < tuning::first_ahead) {
    combine_group_warps(work, op, shared);
  } else {
    lookahead_columns_warps(work, op, shared);
  }
}

/// Scans columns of which are_few_columns() or are_panels().
template <bool Panels, class T, class Op>
void launch_tall_columns_scan(const target& where, const T* x, const Op& op, const axis_lines& all,
                              bool exclusive, const T* init, T* out) {
  using tuning = tall_columns_tuning<T, Panels>;
  const column_tiles<T, Panels> shape(all, multiprocessors(where), !order::any_scan_order<T, Op>);
  columns_work<T, Panels> work{x, out, shape, exclusive, init != nullptr, {}, {}, nullptr};
  if (init != nullptr) memcpy(static_cast<void*>(&work.init), init, sizeof(T));
  static pdl_kernel kernel(tall_columns_scan<T, Panels, Op>, "launch of tall_columns_scan",
                           tuning::stages * tuning::stage_bytes);
  const std::size_t tickets = shape.panels() * shape.concurrent_tiles, resident = multiprocessors(where);
  const auto grid = static_cast<unsigned>(std::min(tickets, resident));
  // The counter of tickets precedes the words, and exists if any word does.
  temp_storage scratch(where, {.words = std::max<std::size_t>(shape.totals() * words_of<T>, 1),
                               .counters = shape.concurrent_tiles > 1 ? shape.panels() : 0});
  work.states = states_in(scratch);
  work.requests = scratch.counters();
  kernel.launch(where, grid, tuning::threads, work, op);
  scratch.launched(tickets + grid);
}

}  // namespace heddle::gpu
