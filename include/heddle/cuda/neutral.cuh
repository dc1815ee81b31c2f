#pragma once

#include <heddle/operators.hpp>

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

}  // namespace heddle::cuda
