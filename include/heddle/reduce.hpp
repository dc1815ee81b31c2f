#pragma once

#include <heddle/array.hpp>
#include <heddle/cpu/reduce.hpp>
#include <heddle/elementwise.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#if defined(__CUDACC__)
#include <heddle/cuda/reduce.cuh>
#endif

namespace heddle {

/// Which axis a pattern goes along; negative counts from the last, as in NumPy.
struct axis {
  std::ptrdiff_t index;
};

namespace detail {

/// Reduces each of `all` segments of x to one element of `out` by a built-in operator; both are on `where`.
void library_reduce(function op, dtype type, const void* x, segments all, void* out, const target& where);

/// Throws: nothing to combine, and no identity.
[[noreturn]] void fail_empty(const char* pattern);

inline namespace HD_BUILD {

template <class T, class Load, class Op>
void reduce_segments(const target& where, const Load& load, const Op& op, segments all, T* out) {
  if (!where.is_gpu()) return cpu::reduce<T>(where.threads(), load, op, all, out);
#if defined(__CUDACC__)
  cuda::reduce<T>(where, load, op, all, out);
#else
  fail_not_compiled_for_gpu();
#endif
}

template <class T, class Op>
void reduce_array(const target& where, const T* x, const Op& op, segments all, T* out) {
  if constexpr (library_has<T, Op>()) {
    library_reduce(function_of<Op>, dtype_of<T>, x, all, out, where);
  } else {
    reduce_segments(where, element_at<T, Op>{x}, op, all, out);
  }
}

/// Runs `reduce_into(T* out)` for one result on `where` and returns it, with `init` before it unless that is
/// null.
template <class T, class Op, class ReduceInto>
T reduce_to_value(const target& where, const Op& op, const T* init, const ReduceInto& reduce_into) {
  grouping::uninitialized<T, 1> total;
  if (where.is_gpu()) {
    const memory on_gpu(sizeof(T), where);
    reduce_into(static_cast<T*>(on_gpu.data()));
    copy(&total[0], target(), on_gpu.data(), where, sizeof(T));
  } else {
    reduce_into(&total[0]);
  }
  return init == nullptr ? total[0] : grouping::canonical(op(lift<Op>(*init), total[0]));
}

template <class T, class Op>
T reduce_of_nothing(const char* pattern, const Op& op, const T* init) {
  if (init != nullptr) return lift<Op>(*init);
  if constexpr (has_identity<Op, T>) {
    if constexpr (!(std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>))
      return identity_of<Op, T>(op);
  }
  fail_empty(pattern);
}

template <class T, class X, class Op>
T reduce_flat(const target& requested, const X& x, const Op& op, const T* init) {
  const elements<const T> in = input(x);
  operation running("reduce", in.size, type_name<T>());
  if (in.size == 0) return reduce_of_nothing("reduce", op, init);
  const target where =
      resolve(requested, {in.size * sizeof(T), 0, in.where, compiled_for_gpu || library_has<T, Op>(), false});
  running.runs_on(where);
  const staged_input<T> staged(in, where);
  return reduce_to_value<T>(where, op, init, [&](T* out) {
    reduce_array(where, staged.data(), op, segments{1, in.size, 1}, out);
  });
}

/// transform_reduce of the first arguments in `all`, numbered I.
template <class All, class F, class Op, std::size_t... I>
auto transform_reduce_first(const target& requested, const All& all, const F& f, const Op& op,
                            std::index_sequence<I...> numbers) {
  using T = std::remove_cvref_t<
      std::invoke_result_t<const F&, const value_of_argument<std::tuple_element_t<I, All>>&...>>;
  constexpr bool by_library =
      on_library<T, F, value_of_argument<std::tuple_element_t<I, All>>...> && library_has<T, Op>();
  common shared{"transform_reduce"};
  (shared.add(std::get<I>(all)), ...);
  operation running("transform_reduce", shared.size, type_name<T>());
  if (shared.size == 0) return reduce_of_nothing<T>("transform_reduce", op, static_cast<const T*>(nullptr));
  const target where =
      resolve(requested, {shared.bytes, 0, shared.where, compiled_for_gpu || by_library, false});
  running.runs_on(where);
  const staged_arguments<std::index_sequence<I...>, std::remove_cvref_t<std::tuple_element_t<I, All>>...>
  staged(where, std::get<I>(all)...);
  const segments whole{1, shared.size, 1};
  return reduce_to_value<T, Op>(where, op, nullptr, [&](T* out) {
    if constexpr (by_library && !compiled_for_gpu) {
      if (where.is_gpu()) {
        const memory mapped(shared.size * sizeof(T), where);
        map_by_library<T, F>(where, shared.size, static_cast<T*>(mapped.data()), staged, numbers);
        return library_reduce(function_of<Op>, dtype_of<T>, mapped.data(), whole, out, where);
      }
    }
    auto load = staged.map(f);
    if constexpr (is_logical<Op>) {
      reduce_segments(where, lifted<Op, decltype(load)>{load}, op, whole, out);
    } else {
      reduce_segments(where, load, op, whole, out);
    }
  });
}

}  // namespace HD_BUILD
}  // namespace detail

inline namespace HD_BUILD {

/// Combines the elements of x, in C order, with an associative operator: plus unless another is given. Waits
/// for the value and returns it. The bits are the same on every target, run after run (grouping.hpp). The
/// error of a floating-point sum grows as that of pairwise summation. No elements give the operator's
/// identity; minimum and maximum, and functions without an identity, throw heddle::error. n − 1 combinations;
/// reads each element once.
///
///     float total = hd::reduce(where, x);
///     float largest = hd::reduce(where, x, hd::maximum{});
template <array_like X, class Op = plus>
element_of<X> reduce(const target& where, const X& x, const Op& op = {}) {
  return detail::reduce_flat<element_of<X>>(where, x, op, nullptr);
}

/// op(init, the elements of x combined); init alone when there are none.
template <array_like X, class Op>
element_of<X> reduce(const target& where, const X& x, const Op& op,
                     const std::type_identity_t<element_of<X>>& init) {
  return detail::reduce_flat<element_of<X>>(where, x, op, &init);
}

/// Combines along one axis of x; the result has the other axes, and lives on the target. Each of its elements
/// is what `reduce` of that row or column alone gives, bit for bit.
///
///     hd::array<float> column_sums = hd::reduce(where, m, hd::axis{0});
template <array_like X, class Op = plus>
array<element_of<X>> reduce(const target& requested, const X& x, axis along_axis, const Op& op = {}) {
  using T = element_of<X>;
  using namespace detail;
  const elements<const T> in = input(x);
  operation running("reduce", in.size, type_name<T>());
  const heddle::shape whole = shape_of(x);
  const std::size_t axis = whole.resolve_axis(along_axis.index);
  const segments all = along(whole, axis);
  const target where = resolve(requested, {in.size * sizeof(T), all.count() * sizeof(T), in.where,
                                           compiled_for_gpu || library_has<T, Op>(), true});
  running.runs_on(where);
  array<T> out(whole.without_axis(axis), where);
  if (out.size() == 0) return out;
  if (all.length == 0) {
    out.fill(reduce_of_nothing<T>("reduce", op, nullptr));
    return out;
  }
  const staged_input<T> staged(in, where);
  reduce_array(where, staged.data(), op, all, out.data());
  return out;
}

/// Combines f(x[i], y[i], …) over all i: any number of arrays of one shape, and scalars, which go with every
/// element. `transform_reduce(where, x, y, f, op)`; the elements that f returns are never stored when f or op
/// is the user's own.
///
///     double dot = hd::transform_reduce(where, x, y, hd::multiplies{}, hd::plus{});
template <class... Arguments>
requires(sizeof...(Arguments) >= 3) auto transform_reduce(const target& requested,
                                                          const Arguments&... arguments) {
  constexpr std::size_t inputs = sizeof...(Arguments) - 2;
  const auto all = std::forward_as_tuple(arguments...);
  return detail::transform_reduce_first(requested, all, std::get<inputs>(all), std::get<inputs + 1>(all),
                                        std::make_index_sequence<inputs>());
}

}  // namespace HD_BUILD
}  // namespace heddle
