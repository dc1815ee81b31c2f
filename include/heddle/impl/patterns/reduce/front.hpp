#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/core/overlap.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/impl/patterns/reduce/cpu.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#if defined(__CUDACC__)
#include <heddle/impl/patterns/reduce/gpu/reduce.cuh>
#endif

namespace heddle::impl {

/// Reduces each of `all` segments of x to one element of `out` by a built-in operator; both are on `where`.
void library_reduce(runtime_op op, dtype type, const void* x, axis_lines all, void* out, const target& where);

/// Reduces the elements of x, on the CPU, to *out by a built-in operator that is defined on them, on the
/// calling thread: at least one element and at most `tiles_here` tiles, which are too few for a second
/// thread.
inline constexpr std::size_t tiles_here = threshold.reduce_tiles_here;
void library_reduce_here(runtime_op op, dtype type, const void* x, std::size_t n, void* out);

/// Throws heddle::error: no elements and no identity.
[[noreturn]] void fail_empty();

/// Throws unless an output of shape `have`, with as many elements, takes results of shape `wanted`: it has
/// this shape or is flat.
void check_result_shape(const heddle::shape& have, const heddle::shape& wanted);

inline namespace HD_BUILD {

template <class T, class Load, class Op>
void reduce_segments(const target& where, const Load& load, const Op& op, axis_lines all, T* out) {
  if (!where.is_gpu()) return cpu::reduce<T>(where.threads(), load, op, all, out);
#if defined(__CUDACC__)
  gpu::reduce<T>(where, load, op, all, out);
#else
  fail_not_compiled_for_gpu();
#endif
}

template <class T, class Op>
void reduce_array(const target& where, const T* x, const Op& op, axis_lines all, T* out) {
  if constexpr (library_combines<T, Op>()) {
    library_reduce(function_of<Op>, dtype_of<T>, x, all, out, where);
  } else {
    reduce_segments(where, element_at<T, Op>{x}, op, all, out);
  }
}

/// Returns the result that `reduce_elements(T* out)` writes on `where`, combined with *init unless that is
/// null.
template <class T, class Op, class ReduceElements>
T reduce_to_value(const target& where, const Op& op, const T* init, const ReduceElements& reduce_elements) {
  const T total = written_value<T>(where, reduce_elements);
  return init == nullptr ? total : order::canonical(op(lift<Op>(*init), total));
}

template <class T, class Op>
T reduce_of_nothing(const Op& op, const T* init) {
  if (init != nullptr) return lift<Op>(*init);
  if constexpr (has_identity<Op, T>) {
    if constexpr (!is_extreme<Op>) return identity_of<Op, T>(op);
  }
  fail_empty();
}

/// `reduce_elements(where, x, n, out)` combines the n elements at x, which are on `where`, into *out.
template <class T, class X, class Op, class ReduceElements>
T reduce_flat_with(const target& requested, const X& x, const Op& op, const T* init,
                   const ReduceElements& reduce_elements) {
  check_operator<T, Op>();
  const elements<const T> in = input(x);
  operation running("reduce", in.size, type_name<T>());
  if (in.size == 0) return reduce_of_nothing(op, init);
  const target where =
      resolve(requested, {in.size * sizeof(T), 0, in.where, compiled_for_gpu || library_has<T, Op>()});
  running.runs_on(where);
  const staged_input<T> staged(in, where);
  return reduce_to_value<T>(where, op, init,
                            [&](T* out) { reduce_elements(where, staged.data(), in.size, out); });
}

/// The most elements that are combined on the calling thread without the cost of a call into the library.
template <class T, class Op>
inline constexpr std::size_t most_here = (library_combines<T, Op>() ? tiles_here : 1) * order::tile<T, Op>;

template <class T, class Op>
T reduce_here(const T* x, std::size_t n, const Op& op) {
  if constexpr (cpu::few_elements < T, Op >> 0) {
    if (n <= cpu::few_elements<T, Op>) return cpu::reduce_few(x, n, op);
  }
  order::uninitialized<T, 1> total;
  if constexpr (library_combines<T, Op>()) {
    library_reduce_here(function_of<Op>, dtype_of<T>, x, n, &total);
  } else {
    cpu::reduce_tile<T>(element_at<T, Op>{x}, n, op, &total[0]);
  }
  return total[0];
}

template <class T, class X, class Op>
T reduce_flat(const target& requested, const X& x, const Op& op, const T* init) {
  if (const elements<const T> in = input(x);
      in.size > 0 && in.size <= most_here<T, Op> && requested.is_cpu() && in.where.is_cpu()) {
    const T total = reduce_here(in.data, in.size, op);
    return init == nullptr ? total : order::canonical(op(lift<Op>(*init), total));
  }
  return reduce_flat_with<T>(requested, x, op, init,
                             [&](const target& where, const T* elements, std::size_t n, T* out) {
                               reduce_array(where, elements, op, axis_lines{1, n, 1}, out);
                             });
}

template <class T, class X, class Op>
  requires(!combines<T, Op>)
any_result reduce_flat(const target&, const X&, const Op&, const T*) {
  check_operator<T, Op>();
  return {};
}

/// Fills `out`, on `where`, with the result of each of `all` segments, combined with *init unless that is
/// null. `reduce_elements(where, all, out)` reduces segments that have elements.
template <class T, class Op, class ReduceElements>
void fill_with_results(const target& where, const axis_lines& all, const Op& op, const T* init, T* out,
                       const ReduceElements& reduce_elements) {
  const std::size_t results = all.count();
  if (results == 0) return;
  if (all.length == 0) {
    const T of_nothing = reduce_of_nothing<T>(op, init);
    return fill(out, where, results, &of_nothing, sizeof(T));
  }
  if (init == nullptr) return reduce_elements(where, all, out);
  // A reduction of two rows, the initial values and the results, has the bits of one with both.
  array<T> rows({2, results}, where);
  rows.row(0).fill(*init);
  reduce_elements(where, all, rows.row(1).data());
  reduce_array(where, std::as_const(rows).data(), op, axis_lines{1, 2, results}, out);
}

/// The result of reducing an array of shape `whole` along one axis. `where` becomes the target that it runs
/// on, which the error of `running` names.
template <class T, class Op, class ReduceElements>
array<T> reduced_along(operation& running, target& where, const heddle::shape& whole, axis along_axis,
                       const Op& op, const T* init, traffic work, const ReduceElements& reduce_elements) {
  const std::size_t axis = whole.resolve_axis(along_axis.index);
  const axis_lines all = along(whole, axis);
  work.bytes_written = all.count() * sizeof(T);
  where = resolve(where, work);
  running.runs_on(where);
  array<T> out(whole.without_axis(axis), where);
  fill_with_results(where, all, op, init, out.data(), reduce_elements);
  return out;
}

/// The same into `out`, of shape `out_shape`; of all elements when `along_axis` is null. Asynchronous if
/// `out` is on the target.
template <class T, class Op, class ReduceElements>
void reduce_to(operation& running, target& where, const elements<T>& out, const heddle::shape& out_shape,
               const heddle::shape& whole, const axis* along_axis, const Op& op, const T* init, traffic work,
               const ReduceElements& reduce_elements) {
  axis_lines all{1, whole.elements(), 1};
  heddle::shape results{1};
  if (along_axis != nullptr) {
    const std::size_t axis = whole.resolve_axis(along_axis->index);
    all = along(whole, axis);
    results = whole.without_axis(axis);
  }
  work.bytes_written = all.count() * sizeof(T);
  where = resolve(where, work);
  running.runs_on(where);
  if (out.size != all.count()) fail_sizes("the output", out.size, all.count());
  if (along_axis != nullptr) check_result_shape(out_shape, results);
  if (out.size == 0) return;
  staged_output<T> staged_out(out, where);
  fill_with_results(where, all, op, init, staged_out.data(), reduce_elements);
  staged_out.deliver();
}

template <class X, class Op, class T = element_of<X>>
  requires combines<T, Op>
array<T> reduce_along(target where, const X& x, axis along_axis, const Op& op,
                      const std::type_identity_t<T>* init) {
  const elements<const T> in = input(x);
  operation running("reduce", in.size, type_name<T>());
  return reduced_along<T>(running, where, shape_of(x), along_axis, op, init,
                          {in.size * sizeof(T), 0, in.where, compiled_for_gpu || library_has<T, Op>()},
                          [&](const target& on, axis_lines over, T* out) {
                            const staged_input<T> staged(in, on);
                            reduce_array(on, staged.data(), op, over, out);
                          });
}

template <class X, class Op, class T = element_of<X>>
  requires(!combines<T, Op>)
any_result reduce_along(target, const X&, axis, const Op&, const std::type_identity_t<T>*) {
  check_operator<T, Op>();
  return {};
}

template <class Out, class X, class Op, class T = element_of<X>>
  requires(!std::is_same_v<element_of<Out>, T> || !combines<T, Op>)
void reduce_existing(target, Out&, const X&, const axis*, const Op&, const std::type_identity_t<T>*) {
  constexpr bool same_type = std::is_same_v<element_of<Out>, T>;
  static_assert(same_type,
                "reduce_into writes elements of the type that it reads: convert with transform_reduce_into");
  if constexpr (same_type) check_operator<T, Op>();
}

template <class Out, class X, class Op, class T = element_of<X>>
  requires(std::is_same_v<element_of<Out>, T> && combines<T, Op>)
void reduce_existing(target where, Out& out, const X& x, const axis* along_axis, const Op& op,
                     const std::type_identity_t<T>* init) {
  const elements<const T> in = input(x);
  const elements<T> to = output(out);
  operation running("reduce", in.size, type_name<T>());
  check_apart(in.data, in.size * sizeof(T), in.where, to.data, to.size * sizeof(T), to.where);
  reduce_to(running, where, to, shape_of(out), shape_of(x), along_axis, op, init,
            {in.size * sizeof(T), 0, in.where, compiled_for_gpu || library_has<T, Op>()},
            [&](const target& on, const axis_lines& over, T* results) {
              const staged_input<T> staged(in, on);
              reduce_array(on, staged.data(), op, over, results);
            });
}

template <class A, class T>
void check_argument_apart(const A& value, const elements<T>& out) {
  if constexpr (argument<A>::is_array) {
    const auto in = input(value);
    check_apart(in.data, in.size * sizeof(*in.data), in.where, out.data, out.size * sizeof(T), out.where);
  }
}

/// The inputs of a transform_reduce, arguments I, and its function.
template <class All, class F, class Numbers>
struct mapped_arguments;
template <class All, class F, std::size_t... I>
struct mapped_arguments<All, F, std::index_sequence<I...>> {
  using value = transformed<F, std::tuple_element_t<I, All>...>;
  using staged =
      staged_arguments<std::index_sequence<I...>, std::remove_cvref_t<std::tuple_element_t<I, All>>...>;
  template <class Op>
  static constexpr bool on_gpu_by_library =
      on_library<value, F, value_of_argument<std::tuple_element_t<I, All>>...> && library_has<value, Op>();
  template <class Op>
  static constexpr bool gpu_possible = compiled_for_gpu || on_gpu_by_library<Op>;

  const All& all;
  const F& f;

  common shared() const {
    common found{"transform_reduce"};
    (found.add(std::get<I>(all)), ...);
    return found;
  }

  void check_apart_from(const elements<value>& out) const {
    (check_argument_apart(std::get<I>(all), out), ...);
  }

  template <class Op>
  void reduce(const target& where, const Op& op, axis_lines over, value* out) const {
    const staged arguments(where, std::get<I>(all)...);
    if constexpr (on_gpu_by_library<Op> && !compiled_for_gpu) {
      if (where.is_gpu()) {
        const memory mapped(over.elements() * sizeof(value), where);
        map_by_library<value, F>(where, over.elements(), static_cast<value*>(mapped.data()), arguments,
                                 std::index_sequence<I...>());
        return library_reduce(function_of<Op>, dtype_of<value>, mapped.data(), over, out, where);
      }
    }
    auto load = arguments.map(f);
    if constexpr (is_logical<Op>) {
      reduce_segments(where, lifted<Op, decltype(load)>{load}, op, over, out);
    } else {
      reduce_segments(where, load, op, over, out);
    }
  }
};

template <std::size_t Inputs, class All>
auto mapped_arguments_of(const All& all) {
  const auto& f = std::get<Inputs>(all);
  return mapped_arguments<All, std::remove_cvref_t<decltype(f)>, std::make_index_sequence<Inputs>>{all, f};
}

/// Whether the last of a transform_reduce's arguments is an initial value: then the third from the end is the
/// function.
template <class All, std::size_t Count = std::tuple_size_v<All>>
constexpr bool ends_with_initial_value() {
  if constexpr (Count < 4) {
    return false;
  } else {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      using F = std::tuple_element_t<Count - 3, All>;
      return !argument<std::remove_cvref_t<F>>::is_array &&
             std::is_invocable_v<F, const value_of_argument<std::tuple_element_t<I, All>>&...>;
    }(std::make_index_sequence<Count - 3>());
  }
}

/// Does not compile, and says what is wrong with the inputs and the function of a transform_reduce. Returns
/// whether nothing is.
template <class All, class F, std::size_t... I>
constexpr bool check_mapped_arguments(std::index_sequence<I...>) {
  if constexpr (array_like<std::remove_cvref_t<F>> ||
                array_like<std::remove_cvref_t<std::tuple_element_t<sizeof...(I) + 1, All>>>) {
    static_assert(
        never<I...>,
        "transform_reduce: f and the operator come last: write transform_reduce(where, x, y, ..., f, "
        "op)");
  } else if constexpr (!takes_arguments<F, std::tuple_element_t<I, All>...>) {
    static_assert(never<I...>, "transform_reduce: " HD_NOT_AN_ARRAY);
  } else if constexpr (!(argument<std::remove_cvref_t<std::tuple_element_t<I, All>>>::is_array || ...)) {
    static_assert(never<I...>,
                  "transform_reduce needs at least one array to know how many elements there are");
  } else if constexpr (!takes_elements<F, std::tuple_element_t<I, All>...>) {
    static_assert(
        never<I...>,
        "transform_reduce(where, x, y, ..., f, op): f cannot be called with an element of each argument; a "
        "built-in function takes two of one type, such as 2.0f among floats");
  } else if constexpr (!takes_as_they_are<F, value_of_argument<std::tuple_element_t<I, All>>...>) {
    static_assert(
        never<I...>,
        "transform_reduce: f takes a type that loses values of the elements, such as int for float");
  } else if constexpr (!element<transformed<F, std::tuple_element_t<I, All>...>>) {
    static_assert(never<I...>, "transform_reduce: f must return elements, which are trivially copyable");
  } else {
    return true;
  }
  return false;
}

/// Calls f(mapped arguments, operator, initial value or null) for the arguments of a transform_reduce.
template <class F, class... Arguments>
auto with_mapped_arguments(const F& f, const Arguments&... arguments) {
  using All = std::tuple<const Arguments&...>;
  constexpr bool has_init = ends_with_initial_value<All>();
  constexpr std::size_t inputs = sizeof...(Arguments) - (has_init ? 3 : 2);
  if constexpr (!check_mapped_arguments<All, std::tuple_element_t<inputs, All>>(
                    std::make_index_sequence<inputs>())) {
    return any_result();
  } else {
    const auto all = std::forward_as_tuple(arguments...);
    const auto mapped = mapped_arguments_of<inputs>(all);
    using T = typename decltype(mapped)::value;
    if constexpr (has_init) {
      using V = std::remove_cvref_t<decltype(std::get<inputs + 2>(all))>;
      static_assert(fraction_is_kept<V, T>::value);  // here, where compilers name the caller's line
      const given<T> converted(std::get<inputs + 2>(all));
      const T& init = converted;
      return f(mapped, std::get<inputs + 1>(all), &init);
    } else {
      return f(mapped, std::get<inputs + 1>(all), static_cast<const T*>(nullptr));
    }
  }
}

template <class Mapped, class Op, class T = typename Mapped::value>
  requires(!combines<T, Op>)
any_result transform_reduce_flat(const target&, const Mapped&, const Op&, const T*) {
  check_operator<T, Op>();
  return {};
}

template <class Mapped, class Op, class T = typename Mapped::value>
T transform_reduce_flat(const target& requested, const Mapped& mapped, const Op& op, const T* init) {
  const common shared = mapped.shared();
  operation running("transform_reduce", shared.size, type_name<T>());
  if (shared.size == 0) return reduce_of_nothing<T>(op, init);
  const target where = resolve(requested, {shared.bytes, 0, shared.where, Mapped::template gpu_possible<Op>});
  running.runs_on(where);
  return reduce_to_value<T, Op>(
      where, op, init, [&](T* out) { mapped.reduce(where, op, axis_lines{1, shared.size, 1}, out); });
}

template <class Mapped, class Op, class T = typename Mapped::value>
  requires(!combines<T, Op>)
any_result transform_reduce_along(target, axis, const Mapped&, const Op&, const T*) {
  check_operator<T, Op>();
  return {};
}

template <class Mapped, class Op, class T = typename Mapped::value>
array<T> transform_reduce_along(target where, axis along_axis, const Mapped& mapped, const Op& op,
                                const T* init) {
  const common shared = mapped.shared();
  operation running("transform_reduce", shared.size, type_name<T>());
  return reduced_along<T>(
      running, where, shared.lengths, along_axis, op, init,
      {shared.bytes, 0, shared.where, Mapped::template gpu_possible<Op>},
      [&](const target& on, axis_lines over, T* out) { mapped.reduce(on, op, over, out); });
}

template <class Out, class Mapped, class Op, class T = typename Mapped::value>
  requires(!std::is_same_v<element_of<Out>, T> || !combines<T, Op>)
void transform_reduce_existing(target, Out&, const axis*, const Mapped&, const Op&, const T*) {
  constexpr bool same_type = std::is_same_v<element_of<Out>, T>;
  static_assert(same_type, "transform_reduce_into: f must return the type of the output's elements");
  if constexpr (same_type) check_operator<T, Op>();
}

template <class Out, class Mapped, class Op, class T = typename Mapped::value>
void transform_reduce_existing(target where, Out& out, const axis* along_axis, const Mapped& mapped,
                               const Op& op, const T* init) {
  const common shared = mapped.shared();
  const elements<T> to = output(out);
  operation running("transform_reduce", shared.size, type_name<T>());
  mapped.check_apart_from(to);
  reduce_to(
      running, where, to, shape_of(out), shared.lengths, along_axis, op, init,
      {shared.bytes, 0, shared.where, Mapped::template gpu_possible<Op>},
      [&](const target& on, const axis_lines& over, T* results) { mapped.reduce(on, op, over, results); });
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
