#include "core/any_arguments.hpp"
#include "core/visit_floating.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/fft.hpp>

#include <complex>
#include <cstddef>

#include <fmt/core.h>

namespace heddle {

namespace {

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
  return impl::visit_floating<any_array, true, true>("fft", x,
                                                     [&](const auto& v) { return fft(where, v, axes); });
}
any_array ifft(const target& where, const any_const_view& x, const fft_axes& axes) {
  return impl::visit_floating<any_array, true, true>("ifft", x,
                                                     [&](const auto& v) { return ifft(where, v, axes); });
}
any_array rfft(const target& where, const any_const_view& x, const fft_axes& axes) {
  return impl::visit_floating<any_array, true, false>("rfft", x,
                                                      [&](const auto& v) { return rfft(where, v, axes); });
}
any_array irfft(const target& where, const any_const_view& x, const fft_axes& axes, std::size_t length) {
  return impl::visit_floating<any_array, false, true>(
      "irfft", x, [&](const auto& v) { return irfft(where, v, axes, length); });
}
void fft_into(const target& where, const any_view& out, const any_const_view& x, const fft_axes& axes) {
  impl::visit_floating<void, true, true>("fft", x, [&]<class T>(const array_view<const T>& v) {
    fft_into(where, output_of<complex_like_of<T>>(out), v, axes);
  });
}
void ifft_into(const target& where, const any_view& out, const any_const_view& x, const fft_axes& axes) {
  impl::visit_floating<void, true, true>("ifft", x, [&]<class T>(const array_view<const T>& v) {
    ifft_into(where, output_of<complex_like_of<T>>(out), v, axes);
  });
}
void rfft_into(const target& where, const any_view& out, const any_const_view& x, const fft_axes& axes) {
  impl::visit_floating<void, true, false>("rfft", x, [&]<class T>(const array_view<const T>& v) {
    rfft_into(where, output_of<complex_like_of<T>>(out), v, axes);
  });
}
void irfft_into(const target& where, const any_view& out, const any_const_view& x, const fft_axes& axes,
                std::size_t length) {
  impl::visit_floating<void, false, true>("irfft", x, [&]<class T>(const array_view<const T>& v) {
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

}  // namespace heddle
