#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/fft/front.hpp>

#include <complex>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace heddle {

/// The axes along which an array is transformed; negative numbers count from the last, as in NumPy.
using fft_axes = std::vector<std::ptrdiff_t>;

/// The discrete Fourier transform of x along the last axis, or along several: y[k] = Σ x[j]·exp(−2πi·jk/n),
/// unscaled, as numpy.fft.fft and fftn. Any length; a prime takes a few times as long as its neighbours. x is
/// real or complex, float or double; the result is complex, of that precision, and lives on the target. Sums
/// are in no fixed order, so bits differ from one target to another. Asynchronous on a GPU. Throws
/// heddle::error for axes that do not exist or have no elements. O(n·log n).
///
///     hd::array<std::complex<float>> y = hd::fft(where, x);
///     hd::array<std::complex<float>> z = hd::fft(where, image, {-2, -1});
template <impl::fft_elements X>
array<impl::complex_for<X>> fft(const target& where, const X& x, const fft_axes& axes = {-1}) {
  return impl::transformed_by_fft<impl::complex_for<X>>(where, x,
                                                        impl::task_for(impl::fft_kind::forward, x, axes));
}
/// The same into `out`, an array of the result's shape; throws heddle::error where it overlaps x. Likewise
/// for the three below.
template <class Out, impl::fft_elements X>
  requires impl::complex_output_of<Out, X>
void fft_into(const target& where, Out&& out, const X& x, const fft_axes& axes = {-1}) {
  impl::transform_by_fft(where, out, x, impl::task_for(impl::fft_kind::forward, x, axes));
}

/// The inverse of fft: the sum with exp(+2πi·jk/n), divided by the number of elements that are transformed
/// together.
template <impl::fft_elements X>
array<impl::complex_for<X>> ifft(const target& where, const X& x, const fft_axes& axes = {-1}) {
  return impl::transformed_by_fft<impl::complex_for<X>>(where, x,
                                                        impl::task_for(impl::fft_kind::inverse, x, axes));
}
template <class Out, impl::fft_elements X>
  requires impl::complex_output_of<Out, X>
void ifft_into(const target& where, Out&& out, const X& x, const fft_axes& axes = {-1}) {
  impl::transform_by_fft(where, out, x, impl::task_for(impl::fft_kind::inverse, x, axes));
}

/// fft of real elements without the redundant half: for n elements along the last of `axes`, the first n/2 +
/// 1, as numpy.fft.rfft and rfftn.
template <impl::fft_elements X>
  requires std::is_floating_point_v<element_of<X>>
array<impl::complex_for<X>> rfft(const target& where, const X& x, const fft_axes& axes = {-1}) {
  return impl::transformed_by_fft<impl::complex_for<X>>(
      where, x, impl::task_for(impl::fft_kind::real_forward, x, axes));
}
template <class Out, impl::fft_elements X>
  requires(std::is_floating_point_v<element_of<X>> && impl::complex_output_of<Out, X>)
void rfft_into(const target& where, Out&& out, const X& x, const fft_axes& axes = {-1}) {
  impl::transform_by_fft(where, out, x, impl::task_for(impl::fft_kind::real_forward, x, axes));
}

/// The inverse of rfft, with real elements. m elements along the last of `axes` give `length`: 2·(m − 1)
/// unless given, or 2·m − 1 where the original length was odd.
template <impl::fft_elements X>
  requires is_complex<element_of<X>>
array<typename element_of<X>::value_type> irfft(const target& where, const X& x, const fft_axes& axes = {-1},
                                                std::size_t length = 0) {
  return impl::transformed_by_fft<typename element_of<X>::value_type>(
      where, x, impl::task_for(impl::fft_kind::real_inverse, x, axes, length));
}
template <class Out, impl::fft_elements X>
  requires(is_complex<element_of<X>> && impl::real_output_of<Out, X>)
void irfft_into(const target& where, Out&& out, const X& x, const fft_axes& axes = {-1},
                std::size_t length = 0) {
  impl::transform_by_fft(where, out, x, impl::task_for(impl::fft_kind::real_inverse, x, axes, length));
}

HD_EXPLAIN_MISUSE(fft)
HD_EXPLAIN_MISUSE(fft_into)
HD_EXPLAIN_MISUSE(ifft)
HD_EXPLAIN_MISUSE(ifft_into)
HD_EXPLAIN_MISUSE(rfft)
HD_EXPLAIN_MISUSE(rfft_into)
HD_EXPLAIN_MISUSE(irfft)
HD_EXPLAIN_MISUSE(irfft_into)

}  // namespace heddle
