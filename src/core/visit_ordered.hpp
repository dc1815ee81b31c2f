#pragma once

#include <heddle/any_distributed.hpp>
#include <heddle/error.hpp>

#include <fmt/core.h>

namespace heddle::impl {

/// Calls f with the array of the static type, which has an order; f returns R.
template <class R, class F>
R visit_ordered(const char* pattern, const any_distributed_array& x, const F& f) {
  return x.visit([&]<class T>(const distributed_array<T>& y) -> R {
    if constexpr (is_complex<T>) {
      fail(fmt::format("{} of {}: complex numbers have no order", pattern, name(x.dtype())));
    } else {
      return f(y);
    }
  });
}

}  // namespace heddle::impl
