#pragma once

#include <cooperative_groups.h>
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
  T result = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); ++rank) result = op(result, group.shfl(value, rank));
  return result;
}

}  // namespace cooperative_groups

#include <heddle_device/names_end.hpp>
