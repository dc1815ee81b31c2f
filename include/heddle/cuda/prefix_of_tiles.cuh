#pragma once

#include <heddle/grouping.hpp>

namespace heddle::cuda {

/// What stands before a tile of a row, from the totals of a group of tiles at a time: these are combined in
/// groups of 32 again, so that rounding errors grow with the logarithm of their number.
template <class T, class Op, unsigned Levels = 4>
class prefix_of_tiles {
 public:
  __device__ explicit prefix_of_tiles(const Op& op) : op_(op) {}

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

  /// `first` combined with all so far; `first` need not exist when something does.
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
  grouping::uninitialized<T, levels> sum_;
};

}  // namespace heddle::cuda
