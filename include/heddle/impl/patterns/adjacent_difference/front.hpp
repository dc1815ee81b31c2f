#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/call_along_lines.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/impl/patterns/transform/cpu.hpp>
#include <heddle/operators.hpp>
#include <heddle/support/function_ref.hpp>
#include <heddle/support/threads.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#if defined(__CUDACC__)
#include <heddle/impl/patterns/adjacent_difference/gpu.cuh>
#endif

namespace heddle::cpu {

/// out[i] = op(x[i], y[i]) for `count` elements. `out` may be x, and does not overlap y.
using map_of_two =
    function_ref<void(const void* x, const void* y, std::size_t count, bool non_temporal, void* out)>;

/// Writes op(element, the one before it in its line) to `out`, which may be x. `before` has the element
/// before each line, and then all.outer is 1; or it is null, and the first element of each line is copied.
void adjacent_difference(int threads, std::size_t element_bytes, const void* x, const axis_lines& all,
                         const void* before, void* out, map_of_two op);

/// Whether a call of map_of_two for each line would cost more than the differences.
inline bool are_short_lines(const axis_lines& all, std::size_t element_bytes) {
  return all.outer > 1 && all.length * all.inner * element_bytes < 4 * impl::threshold.stream_page_bytes;
}

inline namespace HD_BUILD {

/// Differences in many short lines, by an operator that only takes neighbours in a line.
template <class T, class Op>
void differences_of_short_lines(int threads, const T* x, const axis_lines& all, const Op& op, T* out) {
  const std::size_t block = all.length * all.inner;
  for_slices(threads, all.outer, impl::threshold.transform_grain_bytes / (block * sizeof(T)) + 1,
             [&](std::size_t first, std::size_t last) {
               for (std::size_t begin = first * block; begin < last * block; begin += block) {
                 // From the last element, because in place each element overwrites what the next one reads.
                 std::size_t i = begin + block;
                 while (i-- > begin + all.inner) out[i] = op(x[i], x[i - all.inner]);
                 for (i = begin; i < begin + all.inner; ++i) out[i] = x[i];
               }
             });
}

}  // namespace HD_BUILD

}  // namespace heddle::cpu

namespace heddle::impl {

/// The same by minus on elements of a built-in type. All arrays are on `where`.
void library_adjacent_difference(dtype type, const void* x, const axis_lines& all, const void* before,
                                 void* out, const target& where);

inline namespace HD_BUILD {

/// Whether Op takes two elements of T and returns one. It need not be associative.
template <class T, class Op>
concept takes_neighbours =
    fault_of_operator<T, Op>() == operator_fault::none || fault_of_operator<T, Op>() == operator_fault::minus;

/// Whether the compiled library holds Op on neighbours of type T.
template <class T, class Op>
inline constexpr bool library_subtracts = has_dtype<T> && std::is_same_v<Op, minus>;

/// How often adjacent_difference reads and writes the elements.
template <class T, class Op>
inline constexpr passes difference_passes{1, 1, 0, compiled_for_gpu || library_subtracts<T, Op>};

template <class T, class Op>
void difference_array(const target& where, const T* x, const axis_lines& all, const Op& op, const T* before,
                      T* out) {
  if constexpr (library_subtracts<T, Op>) {
    library_adjacent_difference(dtype_of<T>, x, all, before, out, where);
  } else if (!where.is_gpu()) {
    if (cpu::are_short_lines(all, sizeof(T)))
      return cpu::differences_of_short_lines(where.threads(), x, all, op, out);
    cpu::adjacent_difference(
        where.threads(), sizeof(T), x, all, before, out,
        [&](const void* elements, const void* others, std::size_t count, bool non_temporal, void* to) {
          const element_of_array<T> a{static_cast<const T*>(elements)}, b{static_cast<const T*>(others)};
          cpu::write_elements(
              mapped_elements<Op, std::index_sequence<0, 1>, element_of_array<T>, element_of_array<T>>(op, a,
                                                                                                       b),
              count, non_temporal, static_cast<T*>(to));
        });
  } else {
#if defined(__CUDACC__)
    gpu::adjacent_difference(where, x, all, op, before, out);
#else
    fail_not_compiled_for_gpu();
#endif
  }
}

/// The differences of a call whose target is chosen into `out`, as large as its input.
template <class T, class Op>
void difference_lines(call_along_lines& call, elements<T> out, const Op& op) {
  if (out.size == 0) return;
  const T* const from = call.data_as<T>();
  staged_output<T> staged_out(out, call.where());
  difference_array<T>(call.where(), from, call.lines(), op, nullptr, staged_out.data());
  staged_out.deliver();
}

/// `along_axis` is null for the differences of all elements in C order.
template <class X, class Op, class T = element_of<X>>
array<T> difference_new(const target& requested, const X& x, const axis* along_axis, const Op& op) {
  if constexpr (!takes_neighbours<T, Op>) {
    check_operator<T, Op>();
    return any_result();
  } else {
    call_along_lines call("adjacent_difference", untyped(x), along_axis);
    call.choose_target(requested, difference_passes<T, Op>);
    array<T> result(shape_of(x), call.where());
    difference_lines<T>(call, {result.data(), result.size(), call.where()}, op);
    return result;
  }
}

template <class Out, class X, class Op, class T = element_of<X>>
void difference_existing(const target& requested, Out& out, const X& x, const axis* along_axis,
                         const Op& op) {
  constexpr bool same_type = std::is_same_v<element_of<Out>, T>;
  static_assert(same_type, "adjacent_difference_into writes elements of the type that it reads");
  if constexpr (!same_type) {
  } else if constexpr (!takes_neighbours<T, Op>) {
    check_operator<T, Op>();
  } else {
    call_along_lines call("adjacent_difference", untyped(x), along_axis);
    call.choose_target(requested, difference_passes<T, Op>);
    call.check_output(untyped(out));
    if (along_axis != nullptr && !(shape_of(out) == shape_of(x)))
      common::fail_shapes("", 0, shape_of(out), shape_of(x));
    difference_lines<T>(call, output(out), op);
  }
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
