#pragma once

#include <heddle/compiler.hpp>
#include <heddle/operators.hpp>

namespace heddle::impl {

/// Whether two elements are unequal. NaNs are equal, and so are zeros. A complex number with a NaN in
/// either part counts as NaN. Without branches for real numbers, so that compilers vectorise loops over it.
template <class T>
HD_INLINE bool is_unequal(const T& a, const T& b) {
  if constexpr (is_complex<T>) {
    const bool a_is_nan = part(a, 0) != part(a, 0) || part(a, 1) != part(a, 1);
    const bool b_is_nan = part(b, 0) != part(b, 0) || part(b, 1) != part(b, 1);
    return a_is_nan || b_is_nan ? a_is_nan != b_is_nan : part(a, 0) != part(b, 0) || part(a, 1) != part(b, 1);
  } else {
    return (a != b) & ((a == a) | (b == b));
  }
}

}  // namespace heddle::impl
