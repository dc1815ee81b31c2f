#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/any/front.hpp>
#include <heddle/operators.hpp>

namespace heddle {

inline namespace HD_BUILD {

/// Whether any element is non-zero, as numpy.any. NaN is non-zero, and so is a complex number with a non-zero
/// part. False for no elements. Takes every built-in type. Waits for the answer. Reads each element once, as
/// `reduce` with `logical_or` does.
///
///     if (hd::any(where, flags)) …
template <array_like X>
  requires has_dtype<element_of<X>>
bool any(const target& where, const X& x) {
  return impl::logical_of_all<logical_or>("any", where, x);
}

/// Whether f(x[i]) is true for any element; elements may have any type. On a GPU f is marked HD_FN and nvcc
/// compiles its file. n calls of f, whose results are not stored.
///
///     if (hd::any(where, x, [] HD_FN(float a) { return a > 1; })) …
template <array_like X, impl::predicate_on<X> F>
bool any(const target& where, const X& x, const F& f) {
  return impl::logical_of_all<logical_or>("any", where, x, f);
}

/// `any` of each row or column along one axis of x. The result has the other axes and lives on the target.
/// Asynchronous on a GPU.
template <array_like X>
  requires has_dtype<element_of<X>>
array<bool> any(const target& where, const X& x, axis along_axis) {
  return impl::logical_along<logical_or>("any", where, x, along_axis);
}
template <array_like X, impl::predicate_on<X> F>
array<bool> any(const target& where, const X& x, axis along_axis, const F& f) {
  return impl::logical_along<logical_or>("any", where, x, along_axis, f);
}

/// Whether every element is non-zero, as numpy.all; true for no elements. Otherwise as `any`, but complex
/// elements take at least a byte of scratch memory each.
template <array_like X>
  requires has_dtype<element_of<X>>
bool all(const target& where, const X& x) {
  return impl::logical_of_all<logical_and>("all", where, x);
}

/// Whether f(x[i]) is true for all elements; otherwise as `any`.
template <array_like X, impl::predicate_on<X> F>
bool all(const target& where, const X& x, const F& f) {
  return impl::logical_of_all<logical_and>("all", where, x, f);
}

/// `all` of each row or column along one axis of x; otherwise as `any`.
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
