#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/overlap.hpp>
#include <heddle/operators.hpp>

#include <complex>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace heddle::impl {

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

/// The task, after checks. A `real_length` of 0 takes that which follows from the shape.
fft_task task_of(fft_kind kind, bool is_double, const shape& lengths, const std::vector<std::ptrdiff_t>& axes,
                 std::size_t real_length);

/// Transforms x into `out`, which does not overlap it; both are on `where`.
void library_fft(const fft_task& task, const void* x, void* out, const target& where);

/// The target for a transform of so many bytes, which takes as long as reading and writing them a few times.
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
fft_task task_for(fft_kind kind, const X& x, const std::vector<std::ptrdiff_t>& axes,
                  std::size_t real_length = 0) {
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

}  // namespace heddle::impl
