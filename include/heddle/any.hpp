#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/misuse.hpp>
#include <heddle/operators.hpp>
#include <heddle/reduce.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace heddle {
namespace impl {

/// out[i] = whether x[i], which is 0 or 1 of a type of `element_bytes` bytes, is 1.
void library_to_bool(const void* x, std::size_t element_bytes, std::size_t count, bool* out,
                     const target& where);

/// The parts of complex numbers as an array with one axis more, of two.
template <class X, class P = typename complex_parts<element_of<X>>::part>
array_view<const P> parts_of(const X& x) {
  const shape whole = shape_of(x);
  std::vector<std::size_t> lengths(whole.begin(), whole.end());
  lengths.push_back(2);
  const auto in = input(x);
  return {reinterpret_cast<const P*>(in.data), shape(lengths), in.where};
}

inline namespace HD_BUILD {

/// Op, logical_or or logical_and, of the elements of x, none of which is read twice.
template <class Op, class X, class T = element_of<X>>
bool logical_of_all(const char* pattern, const target& where, const X& x) {
  const operation running(pattern, input(x).size, type_name<T>());
  if constexpr (is_complex<T>) {
    const auto parts = parts_of(x);
    if constexpr (std::is_same_v<Op, logical_or>) return reduce(where, parts, Op()) != 0;
    return reduce(where, reduce(where, parts, axis{-1}, logical_or()), Op()) != 0;
  } else {
    return reduce(where, x, Op()) != T(0);
  }
}

template <class Op, class X, class T = element_of<X>>
array<bool> logical_along(const char* pattern, const target& where, const X& x, axis along_axis) {
  const operation running(pattern, input(x).size, type_name<T>());
  if constexpr (is_complex<T>) {
    const auto whole = shape_of(x);
    const auto index = static_cast<std::ptrdiff_t>(whole.resolve_axis(along_axis.index));
    const auto are_not_zero = reduce(where, parts_of(x), axis{-1}, logical_or());
    return logical_along<Op>(pattern, where, are_not_zero, axis{index});
  } else {
    auto reduced = reduce(where, x, along_axis, Op());
    if constexpr (std::is_same_v<T, bool>) {
      return reduced;
    } else {
      array<bool> out(reduced.shape(), reduced.where());
      library_to_bool(reduced.data(), sizeof(T), reduced.size(), out.data(), out.where());
      return out;
    }
  }
}

/// Whether f(x) is true.
template <class F>
struct holds {
  F f;
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  template <class T>
  HD_INLINE bool operator()(const T& x) const {
    return static_cast<bool>(f(x));
  }
};

template <class Op, class X, class F>
bool logical_of_all(const char* pattern, const target& where, const X& x, const F& f) {
  const operation running(pattern, input(x).size, type_name<element_of<X>>());
  return transform_reduce(where, x, holds<F>{f}, Op());
}
template <class Op, class X, class F>
array<bool> logical_along(const char* pattern, const target& where, const X& x, axis along_axis, const F& f) {
  const operation running(pattern, input(x).size, type_name<element_of<X>>());
  return transform_reduce(where, along_axis, x, holds<F>{f}, Op());
}

}  // namespace HD_BUILD

/// A function of one element that returns what is true or false.
template <class F, class X>
concept predicate_on = array_like<X> && std::is_invocable_r_v<bool, const F&, const element_of<X>&>;

}  // namespace impl

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
