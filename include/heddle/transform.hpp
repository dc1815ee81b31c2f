#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/misuse.hpp>
#include <heddle/impl/transform.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace heddle {

inline namespace HD_BUILD {

/// An array of f(x[i], y[i], …): `transform(where, x, y, …, f)` for any number of arrays of one shape, and
/// scalars, which are broadcast. The result has their shape and lives on the target. n calls of f; reads each
/// input once. Asynchronous on a GPU.
///
///     hd::array<float> y = hd::transform(where, x, peaks, [] HD_FN(float a, float b) { return a / b; });
///     hd::array<float> z = hd::transform(where, x, 2.0f, hd::multiplies{});
///
/// Built-in functions on built-in types run on every target; your own function runs on a GPU if it is marked
/// HD_FN and nvcc compiles its file. Throws heddle::error when shapes differ.
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
/// x, …, f)`. A result on another target is copied to `out`.
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
