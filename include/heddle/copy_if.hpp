#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/misuse.hpp>
#include <heddle/transform.hpp>

#include <cstddef>
#include <type_traits>

namespace heddle {

/// All elements, those that a function chose first, and how many it chose.
template <class T>
struct partitioned {
  array<T> elements;
  std::size_t chosen = 0;
};

namespace impl {

/// Which elements are chosen, counted in tiles, so that each knows its place: what copy_if, partition and
/// unique have in common. It lives on `where`, and so do the flags and all elements that it is given.
class selection {
 public:
  /// Waits for the number of chosen elements.
  selection(const bool* flags, std::size_t n, const target& where);

  std::size_t count() const noexcept { return count_; }

  /// The chosen elements of x, in order, to `out`; the others behind them when `all`.
  void copy(const void* x, std::size_t element_bytes, bool all, void* out) const;
  /// The places of the chosen elements.
  void places(std::size_t* out) const;

 private:
  const bool* flags_;
  std::size_t size_, count_ = 0;
  target where_;
  memory before_;  ///< how many are chosen before each tile
};

/// Whether each element differs from the one before it; the first does. NaNs are alike, and zeros.
void library_flag_changes(dtype type, const void* x, std::size_t n, bool* flags, const target& where);

inline namespace HD_BUILD {

/// What f says, as a bool.
template <class F>
struct truth_of {
  F f;
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  template <class T>
  HD_INLINE bool operator()(const T& x) const {
    return static_cast<bool>(f(x));
  }
};

template <class X, class F, class T = element_of<X>>
partitioned<T> chosen_elements(const char* pattern, const target& requested, const X& x, const F& f,
                               bool all) {
  static_assert(std::is_invocable_r_v<bool, const F&, const T&>,
                "f must take an element and say whether it is chosen");
  const elements<const T> in = input(x);
  operation running(pattern, in.size, type_name<T>());
  const target where =
      resolve(requested, {2 * in.size * sizeof(T), in.size * sizeof(T), in.where, compiled_for_gpu});
  running.runs_on(where);
  const staged_input<T> staged(in, where);
  const array_view<const T> view(staged.data(), heddle::shape{in.size}, where);
  const array<bool> flags = transform(where, view, truth_of<F>{f});
  const selection chosen(flags.data(), in.size, where);
  partitioned<T> result{array<T>(all ? in.size : chosen.count(), where), chosen.count()};
  chosen.copy(staged.data(), sizeof(T), all, result.elements.data());
  return result;
}

}  // namespace HD_BUILD
}  // namespace impl

inline namespace HD_BUILD {

/// The elements of x for which f is true, in their order, flat. It waits for their number. n calls of f, one
/// an element; reads x twice; scratch memory of a byte an element.
///
///     hd::array<float> hot = hd::copy_if(where, x, [] HD_FN(float t) { return t > 100; });
///
/// As `transform`: on a GPU the function is marked HD_FN in a file that nvcc compiles.
template <array_like X, class F>
  requires(!array_like<F> && !impl::not_an_array<F>)
array<element_of<X>> copy_if(const target& where, const X& x, const F& f) {
  return impl::chosen_elements("copy_if", where, x, f, false).elements;
}

/// All elements of x, those for which f is true first, both in their order, and how many these are.
template <array_like X, class F>
  requires(!array_like<F> && !impl::not_an_array<F>)
partitioned<element_of<X>> partition(const target& where, const X& x, const F& f) {
  return impl::chosen_elements("partition", where, x, f, true);
}

}  // namespace HD_BUILD

namespace impl {

template <class X, class Flags, class T = element_of<X>>
partitioned<T> flagged_elements(const char* pattern, const target& requested, const X& x, const Flags& flags,
                                bool all) {
  static_assert(std::is_same_v<element_of<Flags>, bool>, "flags are an array of bool");
  const elements<const T> in = input(x);
  const elements<const bool> chosen_in = input(flags);
  operation running(pattern, in.size, type_name<T>());
  const target where = resolve(requested, {2 * in.size * sizeof(T), in.size * sizeof(T), in.where, true});
  running.runs_on(where);
  if (chosen_in.size != in.size) fail_sizes("the flags", chosen_in.size, in.size);
  const staged_input<T> staged(in, where);
  const staged_input<bool> staged_flags(chosen_in, where);
  const selection chosen(staged_flags.data(), in.size, where);
  partitioned<T> result{array<T>(all ? in.size : chosen.count(), where), chosen.count()};
  chosen.copy(staged.data(), sizeof(T), all, result.elements.data());
  return result;
}

}  // namespace impl

/// The same by flags that there are already, an array of bool of as many elements, as x[flags] in NumPy: on
/// every target from any file.
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
