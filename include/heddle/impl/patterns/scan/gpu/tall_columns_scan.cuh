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
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/temp_storage.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/patterns/scan/gpu/column_tiles.cuh>
#include <heddle/impl/patterns/scan/gpu/tuning.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

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

/// A tile of columns whose copy to shared memory has started.
struct column_tile_in_flight {
  std::size_t panel;  ///< none when there are no more
  std::size_t first;  ///< its first element
  unsigned part;      ///< its number in its panel
  unsigned rows, columns;
  bool is_last;
  static constexpr std::size_t none = ~std::size_t{0};
};

template <class T, bool Panels>
struct columns_shared {
  using tuning = tall_columns_tuning<T, Panels>;
  mbarrier arrived[tuning::stages];   ///< the tile is in shared memory
  mbarrier taken[tuning::stages];     ///< all warps have read it
  mbarrier reduced[tuning::stages];   ///< `total` has the totals of its parts
  mbarrier grouped[tuning::stages];   ///< `of_group` has the blocks of the tiles above in its group
  mbarrier prefixed[tuning::stages];  ///< its exclusive prefix has been written
  mbarrier scanned[tuning::stages];   ///< it is in shared memory, scanned
  column_tile_in_flight tiles[tuning::stages];
  order::uninitialized<T, tuning::stages * tuning::most_width> prefix;
  order::uninitialized<T, tuning::stages * 4 * tuning::most_width> of_group;
  /// Of each group of threads, what the largest block of a power of two of groups that it ends combines to.
  order::uninitialized<T, tuning::stages * tuning::scan_threads> total;

  __device__ const T& total_of_tile(unsigned stage, const column_tiles<T, Panels>& shape,
                                    unsigned column) const {
    return total[stage * tuning::scan_threads + (shape.groups - 1) * shape.columns + column];
  }
};

template <class T, bool Panels>
struct columns_work {
  const T* x;
  T* out;
  column_tiles<T, Panels> shape;
  bool exclusive, has_init;
  order::uninitialized<T, 1> init;
  tile_state states;
  unsigned* requests;  ///< requests for a tile of each panel, zero before and after

  /// Whether tiles are scanned in place in shared memory and copied from there.
  __device__ bool copies_back() const { return has_bulk_copies && misalignment16(x) == misalignment16(out); }
  __device__ unsigned padding_of(const column_tile_in_flight& tile) const {
    return has_bulk_copies && misalignment16(x + tile.first) == 0 ? shape.padding : 0;
  }
  /// Elements from a row to the next, where begin_of() is.
  __device__ std::size_t row_stride() const { return has_bulk_copies ? shape.columns : shape.all.inner; }
  /// The first element of a group of threads: in its stage, aligned as in global memory, or in global memory.
  __device__ T* begin_of(const column_tile_in_flight& tile, unsigned char* stage, unsigned group) const {
    const T* const from = x + tile.first;
    const std::size_t elements = group * shape.rows_of_thread * row_stride();
    if constexpr (has_bulk_copies)
      return reinterpret_cast<T*>(stage + misalignment16(from) + group * padding_of(tile)) + elements;
    return const_cast<T*>(from) + elements;
  }

  /// Rows that are copied at once, which follow one another in global and in shared memory.
  __device__ unsigned rows_of_copy(const column_tile_in_flight& tile) const {
    return Panels ? 1 : padding_of(tile) > 0 ? shape.rows_of_thread : shape.rows();
  }
  /// Whether this lane copies any.
  __device__ bool copies(const column_tile_in_flight& tile) const {
    return threadIdx.x % warp_size * rows_of_copy(tile) < tile.rows;
  }
  /// Calls f(byte of the stage, byte of the array, bytes) with each copy of this lane.
  template <class F>
  __device__ void for_copies(const column_tile_in_flight& tile, const F& f) const {
    const unsigned rows = rows_of_copy(tile), lane = threadIdx.x % warp_size;
    const auto pitch = static_cast<unsigned>(rows * shape.columns * sizeof(T)) + padding_of(tile);
    for (unsigned c = lane; c * rows < tile.rows; c += warp_size) {
      const std::size_t begin = (tile.first + std::size_t{c} * rows * shape.all.inner) * sizeof(T);
      f(c * pitch, begin, static_cast<unsigned>(min(rows, tile.rows - c * rows) * tile.columns * sizeof(T)));
    }
  }
};

/// Takes tiles of panels, in order.
template <class T, bool Panels>
class tall_columns_tiles {
 public:
  __device__ explicit tall_columns_tiles(const columns_work<T, Panels>& work) : work_(work) {}

  __device__ column_tile_in_flight next() {
    const column_tiles<T, Panels>& shape = work_.shape;
    column_tile_in_flight tile;
    while (true) {
      if (panel_ == column_tile_in_flight::none) {
        const std::size_t ticket = work_.states.next_tile();
        if (ticket >= shape.panels() * shape.concurrent_tiles) {
          tile.panel = column_tile_in_flight::none;
          return tile;
        }
        panel_ = ticket % shape.panels();
        part_ = 0;
      }
      if (shape.concurrent_tiles > 1) {
        part_ = atomicAdd(&work_.requests[panel_], 1u);
        // Every ticket asks once past the end.
        if (part_ == shape.parts + shape.concurrent_tiles - 1) work_.requests[panel_] = 0;
      }
      if (part_ < shape.parts) break;
      panel_ = column_tile_in_flight::none;
    }
    const std::size_t top = std::size_t{part_} * shape.rows(), outer = panel_ / shape.row_panels,
                      left = (panel_ - outer * shape.row_panels) * shape.columns;
    tile.panel = panel_;
    tile.part = part_;
    tile.first = (outer * shape.all.length + top) * shape.all.inner + left;
    tile.rows = static_cast<unsigned>(min(shape.all.length - top, std::size_t{shape.rows()}));
    tile.columns = static_cast<unsigned>(min(shape.all.inner - left, std::size_t{shape.columns}));
    tile.is_last = part_ + 1 == shape.parts;
    ++part_;
    return tile;
  }

 private:
  const columns_work<T, Panels>& work_;
  std::size_t panel_ = column_tile_in_flight::none;
  unsigned part_ = 0;
};

/// Copies tiles to shared memory.
template <class T, bool Panels>
__device__ void load_columns_warp(const columns_work<T, Panels>& work, columns_shared<T, Panels>& shared,
                                  unsigned char* stages) {
  using tuning = tall_columns_tuning<T, Panels>;
  const unsigned lane = threadIdx.x % warp_size;
  tall_columns_tiles<T, Panels> tiles(work);
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    if (lane == 0) {
      const column_tile_in_flight next = tiles.next();
      shared.taken[at.stage].wait(at.parity ^ 1);
      shared.tiles[at.stage] = next;
    }
    __syncwarp();
    const column_tile_in_flight tile = shared.tiles[at.stage];
    if (has_bulk_copies && tile.panel != column_tile_in_flight::none) {
#if HD_PTX_ARCH >= 900
      const auto begin = reinterpret_cast<std::uintptr_t>(work.x);
      const whole_vec16 whole(begin, begin + work.shape.all.elements() * sizeof(T));
      unsigned expected = 0;
      work.for_copies(tile, [&](unsigned to, std::size_t from, unsigned bytes) {
        expected += start_copy_of_vec16(stages + at.stage * tuning::stage_bytes + to, begin + from,
                                        begin + from + bytes, whole, shared.arrived[at.stage]);
      });
      expected = __reduce_add_sync(whole_warp, expected);
      if (lane == 0) shared.arrived[at.stage].arrive_and_expect(expected);
#endif
    } else if (lane == 0) {
      shared.arrived[at.stage].arrive();
    }
    if (tile.panel == column_tile_in_flight::none) return;
  }
}

/// Copies scanned tiles from shared memory to where results go.
template <class T, bool Panels>
__device__ void store_columns_warp(const columns_work<T, Panels>& work, columns_shared<T, Panels>& shared,
                                   unsigned char* stages) {
  using tuning = tall_columns_tuning<T, Panels>;
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const column_tile_in_flight tile = shared.tiles[at.stage];
    if (tile.panel == column_tile_in_flight::none) return;
    shared.scanned[at.stage].wait(at.parity);
#if HD_PTX_ARCH >= 900
    if (work.copies_back()) {
      const unsigned char* const stage =
          stages + at.stage * tuning::stage_bytes + misalignment16(work.x + tile.first);
      work.for_copies(tile, [&](unsigned from, std::size_t to, unsigned bytes) {
        const auto begin = reinterpret_cast<std::uintptr_t>(work.out) + to, end = begin + bytes;
        const whole_vec16 whole(begin, end);
        const std::uintptr_t whole_begin = min(whole.first, end), whole_end = max(whole.end, whole_begin);
        const unsigned char* const source = stage + from;
        if (whole_begin < whole_end) {
          start_store(reinterpret_cast<void*>(whole_begin), source + (whole_begin - begin),
                      static_cast<unsigned>(whole_end - whole_begin));
        }
        // Bytes at both ends that do not fill 16.
        const auto store_bytes = [&](std::uintptr_t from_byte, std::uintptr_t to_byte) {
          for (; from_byte < to_byte; ++from_byte)
            *reinterpret_cast<unsigned char*>(from_byte) = source[from_byte - begin];
        };
        store_bytes(begin, whole_begin);
        store_bytes(whole_end, end);
      });
      if (work.copies(tile)) wait_for_stores();
    }
#endif
    __syncwarp();
    if (threadIdx.x % warp_size == 0) shared.taken[at.stage].arrive();
  }
}

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

/// The total of published values of a column: up to seven, by the largest blocks of a power of two of them,
/// or eight.
template <class T, class Op>
class blocks_of_totals {
 public:
  static constexpr unsigned most = 8;

  template <bool Panels>
  __device__ blocks_of_totals(const columns_work<T, Panels>& work, std::size_t first, unsigned count,
                              const Op& op)
      : count_(count) {
    if (count == 0) return;
    order::uninitialized<T, most> value;
    wait_values<most>(work.states, work.shape.totals(), first, work.shape.columns, count, value);
    one_[0] = count < 4 ? count < 2 ? value[0] : value[2] : count < 6 ? value[4] : value[6];
#pragma unroll
    for (unsigned k = 0; k < most; k += 2) value[k] = op(value[k], value[k + 1]);
    two_[0] = count < 4 ? value[0] : value[4];
#pragma unroll
    for (unsigned k = 0; k < most; k += 4) value[k] = op(value[k], value[k + 2]);
    four_[0] = count < most ? value[0] : op(value[0], value[4]);
  }

  /// Of all eight.
  __device__ const T& total() const { return four_[0]; }

  /// Kinds of blocks, which are that many columns apart: upper ones of eight, lower ones of four, two and
  /// one.
  static constexpr unsigned kinds = 4;
  __device__ void put(T* to, unsigned apart) const {
    if ((count_ & 12) != 0) to[0] = four_[0];
    if ((count_ & 2) != 0) to[apart] = two_[0];
    if ((count_ & 1) != 0) to[2 * apart] = one_[0];
  }
  /// Appends the blocks of `count` values to `sum`, from left to right.
  __device__ static void append_to(const Op& op, unsigned count, const T* blocks, unsigned apart,
                                   bool& exists, T& sum) {
    if ((count & 12) != 0) append_block(exists, sum, blocks[0], op);
    if ((count & 2) != 0) append_block(exists, sum, blocks[apart], op);
    if ((count & 1) != 0) append_block(exists, sum, blocks[2 * apart], op);
  }
  __device__ void append_to(const Op& op, bool& exists, T& sum) const {
    if ((count_ & 12) != 0) append_block(exists, sum, four_[0], op);
    if ((count_ & 2) != 0) append_block(exists, sum, two_[0], op);
    if ((count_ & 1) != 0) append_block(exists, sum, one_[0], op);
  }
  /// Prepends the blocks to `sum`, from right to left.
  __device__ void prepend_to(const Op& op, T& sum) const {
    if ((count_ & 1) != 0) sum = op(one_[0], sum);
    if ((count_ & 2) != 0) sum = op(two_[0], sum);
    if ((count_ & 12) != 0) sum = op(four_[0], sum);
  }

 private:
  unsigned count_;
  order::uninitialized<T, 1> one_, two_, four_;
};

/// Combines the aggregates of the tiles above in the group of each tile of this block, and publishes those of
/// whole groups.
template <class T, bool Panels, class Op>
__device__ void combine_group_warps(const columns_work<T, Panels>& work, const Op& op,
                                    columns_shared<T, Panels>& shared) {
  using tuning = tall_columns_tuning<T, Panels>;
  using blocks = blocks_of_totals<T, Op>;
  static_assert(tuning::group_tiles == 2 * blocks::most);
  const column_tiles<T, Panels>& shape = work.shape;
  const unsigned column = threadIdx.x - tuning::first_of_groups;
  if (shape.concurrent_tiles == 1) return;
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const column_tile_in_flight tile = shared.tiles[at.stage];
    if (tile.panel == column_tile_in_flight::none) return;
    if (column < tile.columns) {
      const unsigned in_group = tile.part % tuning::group_tiles, in_upper = in_group & blocks::most;
      const std::size_t first = shape.of_tile(tile.panel, tile.part - in_group) + column;
      const blocks upper(work, first, in_upper, op),
          lower(work, first + std::size_t{in_upper} * shape.columns, in_group - in_upper, op);
      if (!tile.is_last && in_group + 1 == tuning::group_tiles) {
        shared.reduced[at.stage].wait(at.parity);
        T total = shared.total_of_tile(at.stage, shape, column);
        lower.prepend_to(op, total);
        publish_aggregate(work.states, shape.totals(),
                          shape.of_tile_group(tile.panel, tile.part / tuning::group_tiles) + column,
                          op(upper.total(), total));
      }
      T* const to = &shared.of_group[at.stage * tuning::most_width * blocks::kinds + column];
      upper.put(to, tuning::most_width);
      lower.put(to + tuning::most_width, tuning::most_width);
    }
    __syncwarp();
    if (threadIdx.x % warp_size == 0) shared.grouped[at.stage].arrive();
  }
}

/// Computes the exclusive prefixes of each tile of this block from the aggregates of the tiles above.
template <class T, bool Panels, class Op>
__device__ void lookahead_columns_warps(const columns_work<T, Panels>& work, const Op& op,
                                        columns_shared<T, Panels>& shared) {
  using tuning = tall_columns_tuning<T, Panels>;
  using blocks = blocks_of_totals<T, Op>;
  constexpr unsigned level_of_eight = tuning::log2_group_tiles + 3;
  const column_tiles<T, Panels>& shape = work.shape;
  const unsigned column = threadIdx.x - tuning::first_ahead;
  order::row_prefix<T, 40> above;  // of tiles: eight groups at a time where several blocks take them
  std::size_t panel = column_tile_in_flight::none;
  unsigned groups = 0;  // that are in `above`
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const column_tile_in_flight tile = shared.tiles[at.stage];
    if (tile.panel == column_tile_in_flight::none) return;
    if (tile.panel != panel) {
      panel = tile.panel;
      groups = 0;
      above.start(work.has_init ? &work.init[0] : nullptr);
    }
    if (column < tile.columns) {
      order::uninitialized<T, 1> sum;
      bool exists = false;
      const auto begin = [&] {
        exists = above.exists();
        if (exists) sum[0] = above.value();
      };
      if (shape.concurrent_tiles > 1) {
        const unsigned group = tile.part / tuning::group_tiles, in_group = tile.part % tuning::group_tiles;
        for (; groups + blocks::most <= group; groups += blocks::most) {
          const blocks eight(work, shape.of_tile_group(panel, groups) + column, blocks::most, op);
          above.append(op, eight.total(), level_of_eight);
        }
        const blocks rest(work, shape.of_tile_group(panel, groups) + column, group - groups, op);
        begin();
        rest.append_to(op, exists, sum[0]);
        shared.grouped[at.stage].wait(at.parity);
        const T* const of_tiles = &shared.of_group[at.stage * tuning::most_width * blocks::kinds + column];
        if ((in_group & blocks::most) != 0) append_block(exists, sum[0], of_tiles[0], op);
        blocks::append_to(op, in_group % blocks::most, of_tiles + tuning::most_width, tuning::most_width,
                          exists, sum[0]);
      } else {
        begin();
      }
      if (exists) shared.prefix[at.stage * tuning::most_width + column] = sum[0];
    }
    __syncwarp();
    if (threadIdx.x % warp_size == 0) shared.prefixed[at.stage].arrive();
    if (shape.concurrent_tiles == 1 && column < tile.columns && !tile.is_last) {
      shared.reduced[at.stage].wait(at.parity);
      above.append(op, shared.total_of_tile(at.stage, shape, column));
    }
    __syncwarp();
    if (threadIdx.x % warp_size == 0) shared.taken[at.stage].arrive();
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
      } else {
        using unit = column_unit<T, Op>;
        constexpr unsigned levels = column_unit_tuning<T>::log2_units_of_row;
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
          const unit here(x, stride, left, op);
#pragma unroll
          for (unsigned v = 0; v < unit::vectors; ++v) {
            order::uninitialized<T, 1> before;
            bool has_before = v > 0;
            if (has_before) before[0] = here.up_to(v - 1);
            units.prepend_to(op, has_before, before[0]);
            if (has_above) before[0] = has_before ? op(above[0], before[0]) : above[0];
            has_before = has_before || has_above;
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
