#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/any.hpp>
#include <heddle/impl/misuse.hpp>
#include <heddle/operators.hpp>

namespace heddle {

inline namespace HD_BUILD {

/// Whether any element is not 0, as numpy.any: a NaN is not 0, and a complex number not where a part of it is
/// not. False where there are no elements. Waits for the answer and returns it. Takes every built-in type.
/// Reads each element once, in `reduce` with `logical_or`.
///
///     if (hd::any(where, flags)) …
template <array_like X>
  requires has_dtype<element_of<X>>
bool any(const target& where, const X& x) {
  return impl::logical_of_all<logical_or>("any", where, x);
}

/// Whether f(x[i]) is true of any element, of any type. On a GPU f is marked HD_FN, and its file is compiled
/// by nvcc. n calls of f, of which nothing is stored.
///
///     if (hd::any(where, x, [] HD_FN(float a) { return a > 1; })) …
template <array_like X, impl::predicate_on<X> F>
bool any(const target& where, const X& x, const F& f) {
  return impl::logical_of_all<logical_or>("any", where, x, f);
}

/// any of each row or column along one axis of x; the result has the other axes, and lives on the target;
/// asynchronous on a GPU.
template <array_like X>
  requires has_dtype<element_of<X>>
array<bool> any(const target& where, const X& x, axis along_axis) {
  return impl::logical_along<logical_or>("any", where, x, along_axis);
}
template <array_like X, impl::predicate_on<X> F>
array<bool> any(const target& where, const X& x, axis along_axis, const F& f) {
  return impl::logical_along<logical_or>("any", where, x, along_axis, f);
}

/// Whether no element is 0, as numpy.all; true where there are no elements. Otherwise as `any`; of complex
/// numbers, whose parts are looked at first, one byte or more an element is stored.
template <array_like X>
  requires has_dtype<element_of<X>>
bool all(const target& where, const X& x) {
  return impl::logical_of_all<logical_and>("all", where, x);
}

/// Whether f(x[i]) is true of all elements; otherwise as `any`.
template <array_like X, impl::predicate_on<X> F>
bool all(const target& where, const X& x, const F& f) {
  return impl::logical_of_all<logical_and>("all", where, x, f);
}

/// all of each row or column along one axis of x; otherwise as `any`.
template <array_like X>
  requires has_dtype<element_of<X>>
array<bool> all(const target& where, const X& x, axis along_axis) {
  return impl::logical_along<logical_and>("all", where, x, along_axis);
}
template <array_like X, impl::predicate_on<X> F>
array<bool> all(const target& where, const X& x, axis along_axis, const F& f) {
  return impl::logical_along<logical_and>("all", where, x, along_axis, f);
}

}  // namespace HD_BUILD

HD_EXPLAIN_MISUSE(any)
HD_EXPLAIN_MISUSE(all)

}  // namespace heddle
