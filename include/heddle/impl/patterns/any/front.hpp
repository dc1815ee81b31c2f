#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/patterns/copy_if/predicate.hpp>
#include <heddle/operators.hpp>
#include <heddle/reduce.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace heddle::impl {

/// out[i] = (x[i] == 1), where x[i] is 0 or 1 of a type of `element_bytes` bytes.
void library_to_bool(const void* x, std::size_t element_bytes, std::size_t count, bool* out,
                     const target& where);

/// The real and imaginary parts of complex numbers, as an array with one more axis of length 2.
template <class X, class P = typename complex_parts<element_of<X>>::part>
array_view<const P> parts_of(const X& x) {
  const shape whole = shape_of(x);
  std::vector<std::size_t> lengths(whole.begin(), whole.end());
  lengths.push_back(2);
  const auto in = input(x);
  return {reinterpret_cast<const P*>(in.data), shape(lengths), in.where};
}

inline namespace HD_BUILD {

/// Reduces the elements of x by Op, logical_or or logical_and, and reads each element once.
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

/// A function of one element whose result converts to bool.
template <class F, class X>
concept predicate_on = array_like<X> && std::is_invocable_r_v<bool, const F&, const element_of<X>&>;

}  // namespace heddle::impl
