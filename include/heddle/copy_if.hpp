#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/copy_if/front.hpp>

#include <cstddef>

namespace heddle {

/// All elements, those for which the predicate or the flag is true first, and how many they are.
template <element T>
struct partitioned {
  array<T> elements;
  std::size_t chosen = 0;
};

inline namespace HD_BUILD {

/// The elements of x for which f is true, in the order of x, as a flat array. Waits for their number. n calls
/// of f, and a few more on a GPU. A GPU reads x once, and the result may keep memory for up to four times its
/// elements; a CPU reads x twice, with a byte of scratch memory an element.
///
///     hd::array<float> hot = hd::copy_if(where, x, [] HD_FN(float t) { return t > 100; });
///
/// On a GPU f is marked HD_FN in a file that nvcc compiles, as for `transform`.
template <array_like X, class F>
  requires(!array_like<F> && !impl::not_an_array<F>)
array<element_of<X>> copy_if(const target& where, const X& x, const F& f) {
  return impl::chosen_elements("copy_if", where, x, f, false).elements;
}

/// The elements of x for which f is true, then the others, both in the order of x, and how many the first
/// are. The cost is that of copy_if, and on a GPU scratch memory as large as x.
template <array_like X, class F>
  requires(!array_like<F> && !impl::not_an_array<F>)
partitioned<element_of<X>> partition(const target& where, const X& x, const F& f) {
  return impl::chosen_elements("partition", where, x, f, true);
}

}  // namespace HD_BUILD

/// The same by flags, an array of bool with as many elements, as x[flags] in NumPy. Runs on every target,
/// whichever compiler compiles the call.
template <array_like X, array_like Flags>
array<element_of<X>> copy_if(const target& where, const X& x, const Flags& flags) {
  return impl::flagged_elements("copy_if", where, x, flags, false).elements;
}
template <array_like X, array_like Flags>
partitioned<element_of<X>> partition(const target& where, const X& x, const Flags& flags) {
  return impl::flagged_elements("partition", where, x, flags, true);
}

HD_EXPLAIN_MISUSE(copy_if)
HD_EXPLAIN_MISUSE(partition)

}  // namespace heddle
