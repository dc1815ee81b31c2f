#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/cpu/transform.hpp>
#include <heddle/impl/elementwise.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#if defined(__CUDACC__)
#include <heddle/impl/gpu/transform.cuh>
#endif

namespace heddle::impl {

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

}  // namespace heddle::impl
