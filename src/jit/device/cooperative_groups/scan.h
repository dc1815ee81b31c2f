#pragma once

#include <cooperative_groups/reduce.h>
#include <heddle_device/names_begin.hpp>

namespace cooperative_groups {

/// The values of the group's threads up to this one, combined in the order of their ranks.
template <class Group, class T, class Op = plus<T>>
HEDDLE_DEVICE T inclusive_scan(const Group& group, T value, Op op = {}) {
  T result = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); ++rank) {
    const T next = group.shfl(value, rank);
    if (rank <= group.thread_rank()) result = op(result, next);
  }
  return result;
}

/// The values of the threads before this one; the first has T().
template <class Group, class T, class Op = plus<T>>
HEDDLE_DEVICE T exclusive_scan(const Group& group, T value, Op op = {}) {
  T result = T(), all = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); ++rank) {
    if (rank == group.thread_rank()) result = all;
    all = op(all, group.shfl(value, rank));
  }
  return result;
}

}  // namespace cooperative_groups

#include <heddle_device/names_end.hpp>
