#pragma once

#include <heddle/impl/core/order.hpp>
#include <heddle/impl/core/scan_order.hpp>
#include <heddle/impl/gpu/block/pipeline_stage.cuh>
#include <heddle/impl/gpu/block/tile_prefix.cuh>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/patterns/scan/gpu/tall_columns_work.cuh>

#include <cstddef>

/// The warps of tall_columns_scan() that find what the tiles above a tile combine to.
namespace heddle::gpu {

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

  /// The total of all eight.
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

}  // namespace heddle::gpu
