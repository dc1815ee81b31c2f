#include "dispatch/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/fft.hpp>
#include <heddle/linear_algebra.hpp>

#include <complex>
#include <cstddef>

#include <fmt/core.h>

namespace heddle {

namespace {

[[noreturn]] void fail_type(const char* pattern, dtype type, const char* types) {
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
  fail_type(pattern, x.dtype(),
            Real && Complex ? "float32, float64, complex64 or complex128"
            : Real          ? "float32 or float64"
                            : "complex64 or complex128");
}

template <class T>
using complex_like_of = impl::complex_for<array_view<const T>>;

/// The output of a transform, whose result has elements of T.
template <class T>
array_view<T> output_of(const any_view& out) {
  if (out.dtype() != dtype_of<T>)
    fail(fmt::format("the output is {}, where the result is {}", name(out.dtype()), name(dtype_of<T>)));
  return out.as<T>();
}

}  // namespace

any_array fft(const target& where, const any_const_view& x, const fft_axes& axes) {
  return visit_floating<any_array, true, true>("fft", x, [&](const auto& v) { return fft(where, v, axes); });
}
any_array ifft(const target& where, const any_const_view& x, const fft_axes& axes) {
  return visit_floating<any_array, true, true>("ifft", x,
                                               [&](const auto& v) { return ifft(where, v, axes); });
}
any_array rfft(const target& where, const any_const_view& x, const fft_axes& axes) {
  return visit_floating<any_array, true, false>("rfft", x,
                                                [&](const auto& v) { return rfft(where, v, axes); });
}
any_array irfft(const target& where, const any_const_view& x, const fft_axes& axes, std::size_t length) {
  return visit_floating<any_array, false, true>("irfft", x,
                                                [&](const auto& v) { return irfft(where, v, axes, length); });
}
void fft_into(const target& where, const any_view& out, const any_const_view& x, const fft_axes& axes) {
  visit_floating<void, true, true>("fft", x, [&]<class T>(const array_view<const T>& v) {
    fft_into(where, output_of<complex_like_of<T>>(out), v, axes);
  });
}
void ifft_into(const target& where, const any_view& out, const any_const_view& x, const fft_axes& axes) {
  visit_floating<void, true, true>("ifft", x, [&]<class T>(const array_view<const T>& v) {
    ifft_into(where, output_of<complex_like_of<T>>(out), v, axes);
  });
}
void rfft_into(const target& where, const any_view& out, const any_const_view& x, const fft_axes& axes) {
  visit_floating<void, true, false>("rfft", x, [&]<class T>(const array_view<const T>& v) {
    rfft_into(where, output_of<complex_like_of<T>>(out), v, axes);
  });
}
void irfft_into(const target& where, const any_view& out, const any_const_view& x, const fft_axes& axes,
                std::size_t length) {
  visit_floating<void, false, true>("irfft", x, [&]<class T>(const array_view<const T>& v) {
    irfft_into(where, output_of<typename T::value_type>(out), v, axes, length);
  });
}
shape fft_shape(const shape& lengths, const fft_axes& axes) {
  return impl::task_of(impl::fft_kind::forward, true, lengths, axes, 0).result();
}
shape rfft_shape(const shape& lengths, const fft_axes& axes) {
  return impl::task_of(impl::fft_kind::real_forward, true, lengths, axes, 0).result();
}
shape irfft_shape(const shape& lengths, const fft_axes& axes, std::size_t length) {
  return impl::task_of(impl::fft_kind::real_inverse, true, lengths, axes, length).result();
}

any_array matmul(const target& where, const any_const_view& a, const any_const_view& b,
                 matmul_algorithm algorithm) {
  return visit_floating<any_array, true, true>("matmul", a, [&]<class T>(const array_view<const T>& m) {
    impl::require_type("the second matrix", b.dtype(), a.dtype());
    return matmul(where, m, b.as<T>(), algorithm);
  });
}
void matmul_into(const target& where, const any_view& c, const any_const_view& a, const any_const_view& b,
                 matmul_algorithm algorithm) {
  visit_floating<void, true, true>("matmul", a, [&]<class T>(const array_view<const T>& m) {
    impl::require_type("the second matrix", b.dtype(), a.dtype());
    impl::require_type("the product", c.dtype(), a.dtype());
    matmul_into(where, c.as<T>(), m, b.as<T>(), algorithm);
  });
}
shape matmul_shape(const shape& a, const shape& b) {
  return impl::shape_of_product(a, b).whole;
}
target matmul_target(const target& where, const shape& a, const shape& b, dtype type) {
  const impl::product_shape of = impl::shape_of_product(a, b);
  return impl::matmul_target(where, of.a, of.b, size_of(type));
}

}  // namespace heddle
