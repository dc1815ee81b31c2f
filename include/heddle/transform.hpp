#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/transform/front.hpp>

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
    if constexpr (!impl::check_transform<F, decltype(std::get<I>(all))...>()) {
      return impl::any_result();
    } else {
      using T = impl::transformed<F, decltype(std::get<I>(all))...>;
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
  [&]<std::size_t... I>(std::index_sequence<I...> numbers) {
    using F = std::decay_t<decltype(std::get<inputs>(all))>;
    if constexpr (impl::check_transform_into<element_of<Out>, F, decltype(std::get<I>(all))...>()) {
      auto to = impl::output(out);
      const heddle::shape lengths = impl::shape_of(out);
      impl::transform_first<element_of<Out>, All, F>(where, &to, &lengths, all, std::get<inputs>(all),
                                                     numbers);
    }
  }(std::make_index_sequence<inputs>());
}

}  // namespace HD_BUILD

HD_EXPLAIN_MISUSE(transform)
HD_EXPLAIN_MISUSE(transform_into)

}  // namespace heddle
