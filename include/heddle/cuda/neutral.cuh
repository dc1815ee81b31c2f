#pragma once

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

/// Whether some number changes no other in any bit, as 1 · x does not: it stands where there is no element.
template <class T, class Op>
inline constexpr bool has_filler = std::is_floating_point_v<T> &&
                                   (std::is_same_v<Op, plus> || std::is_same_v<Op, multiplies> ||
                                    std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>);
/// That number: 0 would make 0 of −0.
template <class T, class Op>
inline constexpr T filler = std::is_same_v<Op, plus> ? -T(0) : constant_identity<T, Op>;

}  // namespace heddle::cuda
