#pragma once

#include <cooperative_groups/reduce.h>
#include <heddle_device/names_begin.hpp>

namespace cooperative_groups {

/// The values of the group's threads up to this one, combined in the order of their ranks.
template <class Group, class T, class Op = plus<T>>
HEDDLE_DEVICE T inclusive_scan(const Group& group, T value, Op op = {}) {
  if constexpr (Group::spans_warps) {
    return group.combined(value, 0, group.thread_rank() + 1, op);
  } else {
    T result = group.shfl(value, 0);
    for (unsigned rank = 1; rank < group.size(); ++rank) {
      const T next = group.shfl(value, rank);
      if (rank <= group.thread_rank()) result = op(result, next);
    }
    return result;
  }
}

/// The values of the threads before this one; the first has T().
template <class Group, class T, class Op = plus<T>>
HEDDLE_DEVICE T exclusive_scan(const Group& group, T value, Op op = {}) {
  if constexpr (Group::spans_warps) {
    const unsigned rank = group.thread_rank();
    const T result = group.combined(value, 0, rank == 0 ? 1 : rank, op);
    return rank == 0 ? T() : result;
  } else {
    T result = T(), all = group.shfl(value, 0);
    for (unsigned rank = 1; rank < group.size(); ++rank) {
      if (rank == group.thread_rank()) result = all;
      all = op(all, group.shfl(value, rank));
    }
    return result;
  }
}

/// The same behind what an atomic had, with which the whole group's result is combined.
template <class Group, class Atomic, class T, class Op = plus<T>>
HEDDLE_DEVICE T inclusive_scan_update(const Group& group, Atomic& atomic, T value, Op op = {}) {
  const T own = inclusive_scan(group, value, op);
  const unsigned last = group.size() - 1;
  T before = T();
  if (group.thread_rank() == last) before = heddle_detail::update(atomic, own, op);
  return op(group.shfl(before, last), own);
}
template <class Group, class Atomic, class T, class Op = plus<T>>
HEDDLE_DEVICE T exclusive_scan_update(const Group& group, Atomic& atomic, T value, Op op = {}) {
  const T own = exclusive_scan(group, value, op), all = reduce(group, value, op);
  T before = T();
  if (group.thread_rank() == 0) before = heddle_detail::update(atomic, all, op);
  before = group.shfl(before, 0);
  return group.thread_rank() == 0 ? before : op(before, own);
}

}  // namespace cooperative_groups

#include <heddle_device/names_end.hpp>
