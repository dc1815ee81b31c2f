#pragma once

#include <heddle/impl/core/order.hpp>

/// Prefixes by blocks of a power of two of parts, as scan_order.hpp defines them, in registers.
namespace heddle::gpu {

/// The totals of the largest blocks that the parts so far make up, fewer than 2^Levels parts.
template <class T, unsigned Levels>
class block_totals {
 public:
  __device__ void clear() { count_ = 0; }

  /// Adds a block of 2^level parts after a multiple of 2^level parts. Returns whether 2^Levels parts are
  /// complete: then removes them and sets `total` to their total.
  template <class Op>
  __device__ bool append(const Op& op, T& total, unsigned level = 0) {
    bool carried = true;
#pragma unroll
    for (unsigned l = 0; l != Levels; ++l) {
      if (!carried || l < level) continue;
      carried = (count_ >> l & 1) != 0;
      if (carried) {
        total = op(block_[l], total);
      } else {
        block_[l] = total;
      }
    }
    count_ = (count_ + (1u << level)) & ((1u << Levels) - 1);
    return carried;
  }

  /// Sets the total of a block of 2^level parts, of which there was none.
  __device__ void put(unsigned level, const T& total) {
    block_[level] = total;
    count_ |= 1u << level;
  }

  /// Removes the blocks of fewer than 2^level parts.
  __device__ void drop_below(unsigned level) { count_ &= ~0u << level; }

  /// Prepends the blocks to `sum`, from right to left: P of vectors.
  template <class Op>
  __device__ void prepend_to(const Op& op, bool& exists, T& sum) const {
#pragma unroll
    for (unsigned l = 0; l != Levels; ++l) {
      if ((count_ >> l & 1) == 0) continue;
      sum = exists ? op(block_[l], sum) : block_[l];
      exists = true;
    }
  }

  /// Appends the blocks to `sum`, from left to right: Q of rows.
  template <class Op>
  __device__ void append_to(const Op& op, bool& exists, T& sum) const {
#pragma unroll
    for (unsigned l = Levels; l-- > 0;) {
      if ((count_ >> l & 1) == 0) continue;
      sum = exists ? op(sum, block_[l]) : block_[l];
      exists = true;
    }
  }

 private:
  unsigned count_ = 0;
  order::uninitialized<T, (Levels > 0 ? Levels : 1)> block_;
};

}  // namespace heddle::gpu
