#pragma once

#include <heddle/grouping.hpp>
#include <heddle/operators.hpp>

#include <type_traits>

namespace heddle::cuda {

template <class T, class Op>
inline constexpr T constant_identity = Op::template identity<T>();

/// What changes no element.
template <class T, class Op>
__device__ T neutral(const Op& op) {
  if constexpr (detail::has_typed_identity<Op, T>) {
    return constant_identity<T, Op>;
  } else {
    return T(op.identity_value);
  }
}

/// Whether an element that changes no other in any bit can stand where there is none.
template <class T, class Op>
inline constexpr bool has_filler = (grouping::order_is_free<T, Op> && detail::has_identity<Op, T>) ||
                                   (std::is_floating_point_v<T> &&
                                    (std::is_same_v<Op, plus> || std::is_same_v<Op, multiplies> ||
                                     std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>));
/// That element: 0 would make 0 of −0.
template <class T, class Op>
__device__ T filler(const Op& op) {
  if constexpr (std::is_floating_point_v<T> && std::is_same_v<Op, plus>) {
    return -T(0);
  } else {
    return neutral<T>(op);
  }
}

}  // namespace heddle::cuda
