#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/misuse.hpp>
#include <heddle/impl/overlap.hpp>
#include <heddle/operators.hpp>

#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

/// Along which axes an array is transformed; negative numbers count from the last, as in NumPy.
using fft_axes = std::vector<std::ptrdiff_t>;

namespace impl {

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

/// Where to transform so many bytes: it takes as long as reading and writing them a few times.
inline target fft_target(const target& requested, std::size_t bytes, const target& data_where) {
  return resolve(requested, {8 * bytes, 8 * bytes, data_where, true});
}
[[noreturn]] void fail_fft_output(const shape& have, const shape& result);

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
  const target where = fft_target(requested, in.size * sizeof(T), in.where);
  running.runs_on(where);
  array<Out> out(task.result(), where);
  if (out.size() == 0) return out;
  const staged_input<T> staged(in, where);
  library_fft(task, staged.data(), out.data(), where);
  return out;
}
template <class Out, class X>
void transform_by_fft(const target& requested, Out&& out, const X& x, const fft_task& task) {
  using T = element_of<X>;
  const elements<const T> in = input(x);
  operation running("fft", in.size, type_name<T>());
  if (!(shape_of(out) == task.result())) fail_fft_output(shape_of(out), task.result());
  const auto to = output(out);
  check_apart(in.data, in.size * sizeof(T), in.where, to.data, to.size * sizeof(element_of<Out>), to.where);
  const target where = fft_target(requested, in.size * sizeof(T), in.where);
  running.runs_on(where);
  const staged_input<T> staged(in, where);
  staged_output<element_of<Out>> result(to, where);
  library_fft(task, staged.data(), result.data(), where);
  result.deliver();
}

template <class X>
concept fft_elements =
    array_like<X> && (std::is_same_v<element_of<X>, float> || std::is_same_v<element_of<X>, double> ||
                      std::is_same_v<element_of<X>, std::complex<float>> ||
                      std::is_same_v<element_of<X>, std::complex<double>>);

template <class X>
using complex_for = std::complex<typename part_of_complex<element_of<X>>::type>;

/// The task of transforming x.
template <class X>
fft_task task_for(fft_kind kind, const X& x, const fft_axes& axes, std::size_t real_length = 0) {
  fft_task task = task_of(kind, sizeof(complex_for<X>) == 16, shape_of(x), axes, real_length);
  task.from_real = (kind == fft_kind::forward || kind == fft_kind::inverse) && !is_complex<element_of<X>>;
  return task;
}

/// An array that transforms of x give elements to: complex ones, or the real ones of an inverse.
template <class Out, class X>
concept complex_output_of = array_like<Out> && std::is_same_v<element_of<Out>, complex_for<X>>;
template <class Out, class X>
concept real_output_of =
    array_like<Out> && std::is_same_v<element_of<Out>, typename complex_for<X>::value_type>;

}  // namespace impl

/// The discrete Fourier transform of x along the last axis, or along several: y[k] = Σ x[j]·exp(−2πi·jk/n),
/// not scaled, as numpy.fft.fft and fftn. Of any length: primes take a few times as long as their neighbours.
/// x is real or complex, float or double; the result is complex, of that precision, and lives on the target.
/// Sums are in no fixed order, so bits differ from one target to another. Asynchronous on a GPU. Throws
/// heddle::error for axes that there are not, and for ones of no elements. O(n·log n).
///
///     hd::array<std::complex<float>> y = hd::fft(where, x);
///     hd::array<std::complex<float>> z = hd::fft(where, image, {-2, -1});
template <impl::fft_elements X>
array<impl::complex_for<X>> fft(const target& where, const X& x, const fft_axes& axes = {-1}) {
  return impl::transformed_by_fft<impl::complex_for<X>>(where, x,
                                                        impl::task_for(impl::fft_kind::forward, x, axes));
}
/// The same into `out`, an array of the result's shape; heddle::error where it overlaps x. So for the three
/// below.
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

/// fft of real elements, less the half that follows from the other: of n elements along the last of `axes`,
/// the first n/2 + 1, as numpy.fft.rfft and rfftn.
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

/// The inverse of rfft: real elements, 2·(m − 1) of m along the last of `axes`, or `length`, which is one
/// more where there was an odd number.
template <impl::fft_elements X>
  requires impl::is_complex<element_of<X>>
array<typename element_of<X>::value_type> irfft(const target& where, const X& x, const fft_axes& axes = {-1},
                                                std::size_t length = 0) {
  return impl::transformed_by_fft<typename element_of<X>::value_type>(
      where, x, impl::task_for(impl::fft_kind::real_inverse, x, axes, length));
}
template <class Out, impl::fft_elements X>
  requires(impl::is_complex<element_of<X>> && impl::real_output_of<Out, X>)
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
