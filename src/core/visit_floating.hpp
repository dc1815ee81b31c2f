#pragma once

#include <heddle/any_array.hpp>
#include <heddle/error.hpp>

#include <complex>

#include <fmt/core.h>

namespace heddle::impl {

[[noreturn]] inline void fail_floating_type(const char* pattern, dtype type, const char* types) {
  fail(fmt::format("{} of {}: the type is {}", pattern, name(type), types));
}

/// Calls f with the elements of x by their static type, a real or a complex one, which `real` and `complex`
/// say.
template <class R, bool Real, bool Complex, class F>
R visit_floating(const char* pattern, const any_const_view& x, const F& f) {
  if constexpr (Real) {
    if (x.dtype() == dtype::float32) return f(x.as<float>());
    if (x.dtype() == dtype::float64) return f(x.as<double>());
  }
  if constexpr (Complex) {
    if (x.dtype() == dtype::complex64) return f(x.as<std::complex<float>>());
    if (x.dtype() == dtype::complex128) return f(x.as<std::complex<double>>());
  }
  fail_floating_type(pattern, x.dtype(),
                     Real && Complex ? "float32, float64, complex64 or complex128"
                     : Real          ? "float32 or float64"
                                     : "complex64 or complex128");
}

}  // namespace heddle::impl
