#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/cpu/transform.hpp>
#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/misuse.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#if defined(__CUDACC__)
#include <heddle/impl/gpu/transform.cuh>
#endif

namespace heddle {
namespace impl {

/// Elements of a type known at run time, which any_patterns.hpp transforms.
template <class X>
concept runtime_typed = requires(const X& x) {
  x.dtype();
  x.where();
};

inline namespace HD_BUILD {

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
}  // namespace impl

inline namespace HD_BUILD {

/// An array of f(x[i], y[i], …): any number of arrays of one shape, and scalars, which go with every element.
/// It has their shape and lives on the target. `transform(where, x, y, …, f)`: n calls of f; reads each input
/// once.
///
///     hd::array<float> y = hd::transform(where, x, peaks, [] HD_FN(float a, float b) { return a / b; });
///     hd::array<float> z = hd::transform(where, x, 2.0f, hd::multiplies{});
///
/// Built-in functions on built-in types run on every target; a function of the user's own runs on a GPU when
/// it is marked HD_FN and its file is compiled by nvcc. Throws heddle::error when shapes differ.
template <class... Arguments>
  requires(sizeof...(Arguments) >= 2 && !(impl::runtime_typed<Arguments> || ...))
auto transform(const target& where, const Arguments&... arguments) {
  constexpr std::size_t inputs = sizeof...(Arguments) - 1;
  const auto all = std::forward_as_tuple(arguments...);
  using All = decltype(all);
  return [&]<std::size_t... I>(std::index_sequence<I...> numbers) {
    using F = std::decay_t<decltype(std::get<inputs>(all))>;
    if constexpr (!impl::takes_arguments<F, decltype(std::get<I>(all))...>) {
      static_assert(impl::never<I...>, "transform: " HD_NOT_AN_ARRAY);
      return impl::any_result();
    } else {
      static_assert((impl::argument<std::remove_cvref_t<decltype(std::get<I>(all))>>::is_array || ...),
                    "transform needs at least one array to know how many elements there are");
      static_assert(
          impl::takes_elements<F, decltype(std::get<I>(all))...>,
          "transform(where, x, y, ..., f): f cannot be called with an element of each argument; a built-in "
          "function takes two of one type, such as 2.0f among floats");
      static_assert(impl::takes_as_they_are<F, impl::value_of_argument<decltype(std::get<I>(all))>...>,
                    "transform: f takes a type that loses values of the elements, such as int for float");
      using T = impl::transformed<F, decltype(std::get<I>(all))...>;
      static_assert(element<T>, "transform: f must return elements, which are trivially copyable");
      return impl::transform_first<T, All, F>(where, nullptr, nullptr, all, std::get<inputs>(all), numbers);
    }
  }(std::make_index_sequence<inputs>());
}

/// The same into `out`, which has the shape of the inputs and may be one of them: `transform_into(where, out,
/// x, …, f)`. Where the result is not already on the target it is brought to `out`.
template <array_like Out, class... Arguments>
  requires(sizeof...(Arguments) >= 1)
void transform_into(const target& where, Out&& out, const Arguments&... arguments) {
  constexpr std::size_t inputs = sizeof...(Arguments) - 1;
  const auto all = std::forward_as_tuple(arguments...);
  using All = decltype(all);
  auto to = impl::output(out);
  const heddle::shape lengths = impl::shape_of(out);
  [&]<std::size_t... I>(std::index_sequence<I...> numbers) {
    using F = std::decay_t<decltype(std::get<inputs>(all))>;
    if constexpr (!impl::takes_arguments<F, decltype(std::get<I>(all))...>) {
      static_assert(impl::never<I...>, "transform_into: " HD_NOT_AN_ARRAY);
    } else {
      static_assert(
          std::is_invocable_r_v<element_of<Out>, const F&,
                                const impl::value_of_argument<decltype(std::get<I>(all))>&...>,
          "transform_into(where, out, x, y, ..., f): f must take an element of each argument and return "
          "what becomes one of out");
      static_assert(
          impl::takes_as_they_are<F, impl::value_of_argument<decltype(std::get<I>(all))>...>,
          "transform_into: f takes a type that loses values of the elements, such as int for float");
      static_assert(
          impl::keeps_results<impl::transformed<F, decltype(std::get<I>(all))...>, element_of<Out>>(),
          "transform_into: f returns a type that loses values as an element of out, such as double for "
          "float: let it return the type of out's elements");
      impl::transform_first<element_of<Out>, All, F>(where, &to, &lengths, all, std::get<inputs>(all),
                                                     numbers);
    }
  }(std::make_index_sequence<inputs>());
}

}  // namespace HD_BUILD

HD_EXPLAIN_MISUSE(transform)
HD_EXPLAIN_MISUSE(transform_into)

}  // namespace heddle
