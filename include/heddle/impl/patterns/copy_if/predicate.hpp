#pragma once

#include <heddle/compiler.hpp>

namespace heddle::impl {
inline namespace HD_BUILD {

/// Whether f(x) is true.
template <class F>
struct holds {
  F f;
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  template <class T>
  HD_INLINE bool operator()(const T& x) const {
    return static_cast<bool>(f(x));
  }
};

}  // namespace HD_BUILD
}  // namespace heddle::impl
