#pragma once

#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/order.hpp>

#include <cstddef>

namespace heddle::gpu {

/// Accumulates the exclusive prefix of a tile of a row from the totals of groups of tiles. They are combined
/// 32 at a time, and the results again, so that rounding errors grow with the logarithm of their number.
template <class T, class Op, unsigned Levels = 4>
class tile_prefix {
 public:
  __device__ explicit tile_prefix(const Op& op) : op_(op) {}

  __device__ void clear() {
#pragma unroll
    for (unsigned level = 0; level < levels; ++level) filled_[level] = 0;
  }

  __device__ void append(T total) {
    bool carried = true;
#pragma unroll
    for (unsigned level = 0; level < levels; ++level) {
      if (!carried) continue;
      sum_[level] = filled_[level] == 0 ? total : op_(sum_[level], total);
      carried = ++filled_[level] == group && level + 1 < levels;
      if (carried) {
        total = sum_[level];
        filled_[level] = 0;
      }
    }
  }

  /// Combines all totals so far, from the left, with `last`, or assigns them to it unless `has_last`. Returns
  /// whether `last` has a value.
  __device__ bool prepend_to(bool has_last, T& last) const {
    bool exists = has_last;
#pragma unroll
    for (unsigned level = 0; level < levels; ++level) {
      if (filled_[level] == 0) continue;
      last = exists ? op_(sum_[level], last) : sum_[level];
      exists = true;
    }
    return exists;
  }

 private:
  static constexpr unsigned levels = Levels, group = 32;
  const Op& op_;
  unsigned filled_[levels] = {};
  order::uninitialized<T, levels> sum_;
};

/// Waits for the aggregates of `count` tiles and reduces each row of 32 of them, to lane 0.
template <unsigned Rows, class T, class Op>
__device__ order::uninitialized<T, Rows> totals_of_rows(const tile_state& states, std::size_t tiles,
                                                        std::size_t first, unsigned count, const Op& op) {
  order::uninitialized<T, Rows> total;
  // A pause, because polling delays the stores that it waits for.
  wait_aggregates<Rows>(states, tiles, first, count, 100, total);
  reduce_warp<Rows>(total, count, op);
  return total;
}

/// Reduces the first results of totals_of_rows(), `Rows` at most, which are those of `count` tiles.
template <unsigned Rows, class T, class Op>
__device__ T total_of_rows(const T* rows, unsigned count, const Op& op) {
  order::uninitialized<T, 1> total;
  total[0] = rows[0];
#pragma unroll
  for (unsigned r = 1; r < Rows; ++r) {
    if (r * warp_size < count) total[0] = op(total[0], rows[r]);
  }
  return total[0];
}

/// The exclusive prefixes of tiles from published aggregates, for a warp that takes tiles in rising order.
/// Each whole group of aggregates is read once, and groups are combined in `Levels` levels.
template <class T, class Op, unsigned Levels = 4>
class published_prefix {
 public:
  __device__ explicit published_prefix(const Op& op) : op_(op), before_(op) {}

  /// The exclusive prefix of tile `part` of the row that begins with tile `row_begin`, in lane 0. Waits until
  /// all tiles before it have published. Returns false for the first tile, which has no prefix.
  __device__ bool find(const tile_state& states, std::size_t tiles, std::size_t row_begin, std::size_t part,
                       T& prefix) {
    if (row_begin != row_begin_) {
      row_begin_ = row_begin;
      reduced_ = 0;
      before_.clear();
    }
    unsigned rest = 0;
    for (bool more = true; more;) {
      rest = static_cast<unsigned>(min(part - reduced_, std::size_t{most_rows * warp_size}));
      if (rest == 0) break;
      more = rest == most_rows * warp_size;
      auto rows = totals_of_rows<most_rows, T>(states, tiles, row_begin + reduced_, rest, op_);
      if (rest >= group) {
        before_.append(total_of_rows<rows_of_group>(&rows[0], group, op_));
        reduced_ += group;
        rest -= group;
        rows[0] = rows[most_rows - 1];
      }
      if (rest > 0) prefix = total_of_rows<rows_of_group>(&rows[0], rest, op_);
    }
    return before_.prepend_to(rest > 0, prefix);
  }

 private:
  // As many as the registers of a thread hold: spilled ones took longer than all else.
  static constexpr unsigned rows_of_group = words_of<T> <= 2 ? 4 : words_of<T> <= 8 ? 2 : 1;
  static constexpr unsigned group = rows_of_group * warp_size;
  // A whole group is read together with the first tiles after it, if registers suffice. Two groups at a time
  // were slower on an H200.
  static constexpr unsigned most_rows = rows_of_group + (words_of<T> <= 2 ? 1 : 0);

  const Op& op_;
  tile_prefix<T, Op, Levels> before_;
  std::size_t row_begin_ = 0, reduced_ = 0;  // tiles of the row that are in before_
};

}  // namespace heddle::gpu
