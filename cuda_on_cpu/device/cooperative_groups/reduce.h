#pragma once

#include <cooperative_groups.h>
#include <cuda/atomic>
#include <heddle_device/names_begin.hpp>

namespace cooperative_groups {

#define HEDDLE_OPERATOR(NAME, EXPRESSION)           \
  template <class T = void>                         \
  struct NAME {                                     \
    template <class A, class B>                     \
    HEDDLE_DEVICE auto operator()(A a, B b) const { \
      return EXPRESSION;                            \
    }                                               \
  };
HEDDLE_OPERATOR(plus, a + b)
HEDDLE_OPERATOR(less, a < b ? a : b)
HEDDLE_OPERATOR(greater, a < b ? b : a)
HEDDLE_OPERATOR(bit_and, a& b)
HEDDLE_OPERATOR(bit_or, a | b)
HEDDLE_OPERATOR(bit_xor, a ^ b)
#undef HEDDLE_OPERATOR

/// The values of a group's threads in the order of their ranks, combined; every thread has the result.
template <class Group, class T, class Op>
HEDDLE_DEVICE T reduce(const Group& group, T value, Op op) {
  if constexpr (Group::spans_warps) {
    return group.combined(value, 0, group.size(), op);
  } else {
    T result = group.shfl(value, 0);
    for (unsigned rank = 1; rank < group.size(); ++rank) result = op(result, group.shfl(value, rank));
    return result;
  }
}

namespace heddle_detail {
/// Combines what an atomic has with a value; gives what it had.
template <class Atomic, class T, class Op>
HEDDLE_DEVICE T update(Atomic& atomic, T value, Op op) {
  T seen = atomic.load(cuda::memory_order_relaxed);
  while (!atomic.compare_exchange_strong(seen, static_cast<T>(op(seen, value)), cuda::memory_order_relaxed)) {
  }
  return seen;
}
}  // namespace heddle_detail

/// One thread combines the result with an atomic, or stores it there.
template <class Group, class Atomic, class T, class Op>
HEDDLE_DEVICE void reduce_update_async(const Group& group, Atomic& atomic, T value, Op op) {
  const T result = reduce(group, value, op);
  if (group.thread_rank() == 0) heddle_detail::update(atomic, result, op);
}
template <class Group, class Atomic, class T, class Op>
HEDDLE_DEVICE void reduce_store_async(const Group& group, Atomic& atomic, T value, Op op) {
  const T result = reduce(group, value, op);
  if (group.thread_rank() == 0) atomic.store(result, cuda::memory_order_relaxed);
}

}  // namespace cooperative_groups

#include <heddle_device/names_end.hpp>
