#pragma once

#include <heddle/array.hpp>
#include <heddle/operators.hpp>

#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

/// Along which axes an array is transformed; negative numbers count from the last, as in NumPy.
using fft_axes = std::vector<std::ptrdiff_t>;

namespace detail {

enum class fft_kind { forward, inverse, real_forward, real_inverse };

/// One transform: of an array of shape `lengths` along `axes`, each of them once. The real ones go along the
/// last of these, which has `real_length` real elements and `real_length`/2 + 1 complex ones.
struct fft_task {
  fft_kind kind;
  bool is_double;
  shape lengths;
  std::vector<std::size_t> axes;
  std::size_t real_length = 0;
  bool from_real = false;  ///< a complex task of real elements

  /// The shape of the result.
  shape result() const;
};

/// The task, after checks; `real_length` is 0 for what follows from the shape.
fft_task task_of(fft_kind kind, bool is_double, const shape& lengths, const fft_axes& axes,
                 std::size_t real_length);

/// Transforms x into `out`, which is apart from it; both are on `where`.
void library_fft(const fft_task& task, const void* x, void* out, const target& where);

template <class T>
struct part_of_complex {
  using type = T;
};
template <class T>
struct part_of_complex<std::complex<T>> {
  using type = T;
};

template <class Out, class X>
array<Out> transformed_by_fft(const target& requested, const X& x, const fft_task& task) {
  using T = element_of<X>;
  const elements<const T> in = input(x);
  operation running("fft", in.size, type_name<T>());
  // As long as reading and writing a few times.
  const target where = resolve(requested, {8 * in.size * sizeof(T), 8 * in.size * sizeof(T), in.where, true});
  running.runs_on(where);
  array<Out> out(task.result(), where);
  if (out.size() == 0) return out;
  const staged_input<T> staged(in, where);
  library_fft(task, staged.data(), out.data(), where);
  return out;
}

template <class X>
concept fft_elements = array_like<X> &&
    (std::is_same_v<element_of<X>, float> || std::is_same_v<element_of<X>, double> ||
     std::is_same_v<element_of<X>, std::complex<float>> ||
     std::is_same_v<element_of<X>, std::complex<double>>);

template <class X>
using complex_for = std::complex<typename part_of_complex<element_of<X>>::type>;

template <class X>
array<complex_for<X>> complex_fft(const target& where, const X& x, const fft_axes& axes, fft_kind kind) {
  constexpr bool is_double = sizeof(complex_for<X>) == 16;
  fft_task task = task_of(kind, is_double, shape_of(x), axes, 0);
  task.from_real = !is_complex<element_of<X>>;
  return transformed_by_fft<complex_for<X>>(where, x, task);
}

}  // namespace detail

/// The discrete Fourier transform of x along the last axis, or along several: y[k] = Σ x[j]·exp(−2πi·jk/n),
/// not scaled, as numpy.fft.fft and fftn. Of any length: primes take a few times as long as their neighbours.
/// x is real or complex, float or double; the result is complex, of that precision, and lives on the target.
/// Sums are in no fixed order, so bits differ from one target to another. Asynchronous on a GPU. Throws
/// heddle::error for axes that there are not, and for ones of no elements. O(n·log n).
///
///     hd::array<std::complex<float>> y = hd::fft(where, x);
///     hd::array<std::complex<float>> z = hd::fft(where, image, {-2, -1});
template <detail::fft_elements X>
array<detail::complex_for<X>> fft(const target& where, const X& x, const fft_axes& axes = {-1}) {
  return detail::complex_fft(where, x, axes, detail::fft_kind::forward);
}

/// The inverse of fft: the sum with exp(+2πi·jk/n), divided by the number of elements that are transformed
/// together.
template <detail::fft_elements X>
array<detail::complex_for<X>> ifft(const target& where, const X& x, const fft_axes& axes = {-1}) {
  return detail::complex_fft(where, x, axes, detail::fft_kind::inverse);
}

/// fft of real elements, less the half that follows from the other: of n elements along the last of `axes`,
/// the first n/2 + 1, as numpy.fft.rfft and rfftn.
template <detail::fft_elements X>
requires std::is_floating_point_v<element_of<X>> array<detail::complex_for<X>> rfft(
    const target& where, const X& x, const fft_axes& axes = {-1}) {
  return detail::transformed_by_fft<detail::complex_for<X>>(
      where, x,
      detail::task_of(detail::fft_kind::real_forward, sizeof(element_of<X>) == 8, detail::shape_of(x), axes,
                      0));
}

/// The inverse of rfft: real elements, 2·(m − 1) of m along the last of `axes`, or `length`, which is one
/// more where there was an odd number.
template <detail::fft_elements X>
requires detail::is_complex<element_of<X>> array<typename element_of<X>::value_type> irfft(
    const target& where, const X& x, const fft_axes& axes = {-1}, std::size_t length = 0) {
  return detail::transformed_by_fft<typename element_of<X>::value_type>(
      where, x,
      detail::task_of(detail::fft_kind::real_inverse, sizeof(element_of<X>) == 16, detail::shape_of(x), axes,
                      length));
}

}  // namespace heddle
