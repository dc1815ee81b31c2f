#pragma once

#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>

#include <cstddef>

/// Prefixes of warps and tiles as scan_order.hpp defines those of rows: blocks of a power of two, from
/// left to right.
namespace heddle::gpu {

template <class T, class Op>
__device__ void append_block(bool& exists, T& sum, const T& block, const Op& op) {
  sum = exists ? op(sum, block) : block;
  exists = true;
}

/// The totals of the blocks that make up the first `count` of `lanes` lanes of a warp, fewer than all.
/// `count` may differ between lanes.
template <class T, unsigned Most = warp_size>
class blocks_of_lanes {
 public:
  template <class Op>
  __device__ blocks_of_lanes(const T& value, unsigned count, unsigned lanes, const Op& op)
      : count_(count), lanes_(lanes) {
    total_[0] = value;
#pragma unroll
    for (unsigned level = 0; level < levels; ++level) {
      if (1u << level >= lanes) break;
      block_[level] = shuffle_from(total_[0], count >> level >> 1 << level << 1);
      total_[0] = op(total_[0], shuffle_down(total_[0], 1u << level));
    }
  }

  /// The total of all lanes, in lane 0; only where they are a power of two.
  __device__ const T& total() const { return total_[0]; }

  template <class Op>
  __device__ void append_to(bool& exists, T& sum, const Op& op) const {
#pragma unroll
    for (unsigned level = levels; level-- > 0;) {
      if (1u << level < lanes_ && (count_ >> level & 1) != 0) append_block(exists, sum, block_[level], op);
    }
  }

 private:
  static constexpr unsigned levels = Most <= 2 ? 1 : Most <= 4 ? 2 : Most <= 8 ? 3 : Most <= 16 ? 4 : 5;
  unsigned count_, lanes_;
  order::uninitialized<T, levels> block_;
  order::uninitialized<T, 1> total_;
};

/// Appends the first `count` aggregates, fewer than all, of `Rows` rows of 32 lanes to `sum`.
template <unsigned Rows, class T, class Op>
__device__ void append_aggregates(order::uninitialized<T, Rows> rows, unsigned count, bool& exists, T& sum,
                                  const Op& op) {
  static_assert(Rows == 1 || Rows == 2 || Rows == 4);
  order::uninitialized<T, 1> last;
  last[0] = rows[0];
#pragma unroll
  for (unsigned r = 1; r < Rows; ++r) {
    if (count / warp_size == r) last[0] = rows[r];
  }
  const blocks_of_lanes<T> rest(last[0], count % warp_size, count % warp_size + 1, op);
  if constexpr (Rows > 1) {
    if (count >= warp_size) {
      reduce_warp<Rows>(rows, op);
#pragma unroll
      for (unsigned r = 0; r < Rows; ++r) rows[r] = shuffle_from(rows[r], 0);
      const unsigned whole = count / warp_size;
      if (whole >= 2) append_block(exists, sum, op(rows[0], rows[1]), op);
      if (whole % 2 == 1) append_block(exists, sum, rows[Rows == 4 && whole == 3 ? 2 : 0], op);
    }
  }
  rest.append_to(exists, sum, op);
}

/// The prefix of tiles from published aggregates, for a warp that needs those of tiles in rising order. Reads
/// whole groups of aggregates once.
template <class T, class Op>
class published_prefix {
 public:
  /// `init` is null for none, and outlives this.
  __device__ published_prefix(const Op& op, const T* init) : op_(op), init_(init) {}

  /// Finds, in all lanes, the total of the initial value and of the first `part` tiles of the row that begins
  /// with tile `row_begin`. Waits until all of them have been published. Returns whether there are any.
  __device__ bool find(const tile_state& states, std::size_t tiles, std::size_t row_begin, std::size_t part,
                       T& prefix) {
    if (row_begin != row_begin_) {
      row_begin_ = row_begin;
      groups_ = 0;
    }
    order::uninitialized<T, most_rows> rows;
    unsigned rest = 0;
    for (bool more = true; more;) {
      const std::size_t reduced = groups_ * group;
      rest = static_cast<unsigned>(min(part - reduced, std::size_t{most_rows * warp_size}));
      if (rest == 0) break;
      more = rest == most_rows * warp_size;
      // Polling takes bandwidth from the stores that it waits for.
      wait_aggregates<most_rows>(states, tiles, row_begin + reduced, rest, 100, rows);
      if (rest >= group) {
        append_group(rows);
        rest -= group;
        rows[0] = rows[most_rows - 1];
      }
    }
    bool exists = groups_ > 0;
    if (exists) {
      prefix = value_[0];
    } else if (init_ != nullptr) {
      prefix = *init_;
      exists = true;
    }
    if (rest > 0) {
      order::uninitialized<T, rows_of_group> first;
#pragma unroll
      for (unsigned r = 0; r < rows_of_group; ++r) first[r] = rows[r];
      append_aggregates<rows_of_group>(first, rest, exists, prefix, op_);
    }
    return exists;
  }

 private:
  // As many as the registers of a thread hold: spilling took longer than all else.
  static constexpr unsigned rows_of_group = words_of<T> <= 2 ? 4 : words_of<T> <= 8 ? 2 : 1;
  static constexpr unsigned group = rows_of_group * warp_size;
  // A whole group is read together with the first tiles after it, if registers suffice. Two groups at a time
  // were slower on an H200.
  static constexpr unsigned most_rows = rows_of_group + (words_of<T> <= 2 ? 1 : 0);

  /// Like row_prefix::append(), with level l in lane l.
  __device__ void append_group(const order::uninitialized<T, most_rows>& rows) {
    const unsigned lane = threadIdx.x % warp_size;
    order::uninitialized<T, rows_of_group> total;
#pragma unroll
    for (unsigned r = 0; r < rows_of_group; ++r) total[r] = rows[r];
    reduce_warp<rows_of_group>(total, op_);
#pragma unroll
    for (unsigned size = 1; size < rows_of_group; size *= 2) {
#pragma unroll
      for (unsigned r = 0; r < rows_of_group; r += 2 * size) total[r] = op_(total[r], total[r + size]);
    }
    T sum = shuffle_from(total[0], 0);
    unsigned level = 0;
    for (; (groups_ >> level & 1) != 0; ++level) sum = op_(shuffle_from(block_[0], level), sum);
    if (lane == level) block_[0] = sum;
    ++groups_;
    const auto above = static_cast<unsigned>(groups_ >> level >> 1);
    if (above != 0) {
      sum = op_(shuffle_from(up_to_[0], level + static_cast<unsigned>(__ffs(static_cast<int>(above)))), sum);
    } else if (init_ != nullptr) {
      sum = op_(*init_, sum);
    }
    value_[0] = sum;
    if (lane == level) up_to_[0] = sum;
  }

  const Op& op_;
  const T* const init_;
  std::size_t row_begin_ = 0, groups_ = 0;  // whole groups of the row that are in value_
  order::uninitialized<T, 1> block_, up_to_, value_;
};

}  // namespace heddle::gpu
