#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/transform/cpu.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#if defined(__CUDACC__)
#include <heddle/impl/patterns/transform/gpu.cuh>
#endif

namespace heddle::impl {

/// Elements of a type known at run time, which any_patterns.hpp transforms.
template <class X>
concept runtime_typed = requires(const X& x) {
  x.dtype();
  x.where();
};

inline namespace HD_BUILD {

/// Does not compile, and says what is wrong with the arguments A of `transform` and its function. Returns
/// whether nothing is.
template <class F, class... A>
constexpr bool check_transform() {
  if constexpr (array_like<F>) {
    static_assert(!array_like<F>, "transform: f comes last: write transform(where, x, y, ..., f)");
  } else if constexpr (!takes_arguments<F, A...>) {
    static_assert(takes_arguments<F, A...>, "transform: " HD_NOT_AN_ARRAY);
  } else if constexpr (!(argument<std::remove_cvref_t<A>>::is_array || ...)) {
    static_assert((argument<std::remove_cvref_t<A>>::is_array || ...),
                  "transform needs at least one array to know how many elements there are");
  } else if constexpr (!takes_elements<F, A...>) {
    static_assert(takes_elements<F, A...>,
                  "transform(where, x, y, ..., f): f cannot be called with an element of each argument; a "
                  "built-in function takes two of one type, such as 2.0f among floats");
  } else if constexpr (!takes_as_they_are<F, value_of_argument<A>...>) {
    static_assert(takes_as_they_are<F, value_of_argument<A>...>,
                  "transform: f takes a type that loses values of the elements, such as int for float");
  } else {
    static_assert(element<transformed<F, A...>>,
                  "transform: f must return elements, which are trivially copyable");
    return element<transformed<F, A...>>;
  }
  return false;
}

/// The same of `transform_into`, whose output has elements of type T.
template <class T, class F, class... A>
constexpr bool check_transform_into() {
  if constexpr (array_like<F>) {
    static_assert(!array_like<F>,
                  "transform_into: f comes last: write transform_into(where, out, x, y, ..., f)");
  } else if constexpr (!takes_arguments<F, A...>) {
    static_assert(takes_arguments<F, A...>, "transform_into: " HD_NOT_AN_ARRAY);
  } else if constexpr (!std::is_invocable_r_v<T, const F&, const value_of_argument<A>&...>) {
    static_assert(
        std::is_invocable_r_v<T, const F&, const value_of_argument<A>&...>,
        "transform_into(where, out, x, y, ..., f): f must take an element of each argument and return "
        "what becomes one of out");
  } else if constexpr (!takes_as_they_are<F, value_of_argument<A>...>) {
    static_assert(takes_as_they_are<F, value_of_argument<A>...>,
                  "transform_into: f takes a type that loses values of the elements, such as int for float");
  } else {
    static_assert(
        keeps_results<transformed<F, A...>, T>(),
        "transform_into: f returns a type that loses values as an element of out, such as double for "
        "float: let it return the type of out's elements");
    return keeps_results<transformed<F, A...>, T>();
  }
  return false;
}

/// out[i] = f(argument(i)…) on `where`, by the library where it holds f and by what this compiler made of f
/// elsewhere.
template <class T, class F, class... A, std::size_t... I>
void transform_staged(const target& where, const F& f, std::size_t count, T* out,
                      const staged_arguments<std::index_sequence<I...>, A...>& arguments,
                      std::index_sequence<I...> numbers) {
  if constexpr (on_library<T, F, typename argument<A>::value...>) {
    map_by_library<T, F>(where, count, out, arguments, numbers);
  } else if (!where.is_gpu()) {
    cpu::transform(where.threads(), arguments.map(f), count, out);
  } else {
#if defined(__CUDACC__)
    gpu::transform(where, arguments.map(f), count, out);
#else
    fail_not_compiled_for_gpu();
#endif
  }
}

/// transform of the first arguments in `all`, numbered I, into `out`, or into a new array when `out` is null.
template <class T, class All, class F, std::size_t... I>
array<T> transform_first(const target& requested, elements<T>* out, const heddle::shape* out_shape,
                         const All& all, const F& f, std::index_sequence<I...> numbers) {
  using A = std::index_sequence<I...>;
  constexpr bool by_library = on_library<T, F, value_of_argument<std::tuple_element_t<I, All>>...>;
  common shared{"transform"};
  (shared.add(std::get<I>(all)), ...);
  if (out != nullptr && shared.found && !(*out_shape == shared.lengths)) {
    common::fail_shapes("transform", 0, *out_shape, shared.lengths);
  }
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): an array is among the arguments, or `out` is given
  const std::size_t size = shared.found ? shared.size : out->size;
  operation running("transform", size, type_name<T>());
  const target where =
      resolve(requested, {shared.bytes, size * sizeof(T), shared.found ? shared.where : out->where,
                          compiled_for_gpu || by_library});
  running.runs_on(where);
  array<T> result;
  elements<T> to;
  if (out != nullptr) {
    to = *out;
  } else {
    result = array<T>(shared.lengths, where);
    to = {result.data(), result.size(), where};
  }
  if (size == 0) return result;
  (check_argument_in_place(std::get<I>(all), to), ...);
  const staged_arguments<A, std::remove_cvref_t<std::tuple_element_t<I, All>>...> staged(where,
                                                                                         std::get<I>(all)...);
  staged_output<T> staged_out(to, where);
  transform_staged(where, f, size, staged_out.data(), staged, numbers);
  staged_out.deliver();
  return result;
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
