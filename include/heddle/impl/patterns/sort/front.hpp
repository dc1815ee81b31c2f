#pragma once

#include <heddle/array.hpp>
#include <heddle/gather.hpp>
#include <heddle/impl/core/call_along_lines.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/patterns/sort/cpu.hpp>
#include <heddle/operators.hpp>
#include <heddle/sort_order.hpp>

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#if defined(__CUDACC__)
#include <heddle/impl/patterns/sort/gpu/sort.cuh>
#endif

namespace heddle::impl {

/// Sorts each of `lines` of x into `out`, which may be x; both are on `where`.
void library_sort(dtype type, const void* x, const axis_lines& lines, sort_order order, void* out,
                  const target& where);

/// The indices of the elements of each line in sorted order, counted from the first of the line.
void library_argsort(dtype type, const void* x, const axis_lines& lines, sort_order order,
                     std::size_t* indices, const target& where);

/// Elements that have an order: all built-in types but the complex ones.
template <class X>
concept sortable_elements = array_like<X> && library_has<element_of<X>, minimum>();

/// The order of the built-in types, by the code that the library holds.
struct built_in_order {
  static constexpr bool on_gpu = true;
  sort_order order;

  template <class T>
  void sort(const T* x, const axis_lines& lines, T* out, const target& where) const {
    library_sort(dtype_of<T>, x, lines, order, out, where);
  }
  template <class T>
  void argsort(const T* x, const axis_lines& lines, std::size_t* indices, const target& where) const {
    library_argsort(dtype_of<T>, x, lines, order, indices, where);
  }
};

inline namespace HD_BUILD {

/// Whether a comes before b, as a user's function says.
template <class F>
struct comparison {
  F f;
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  template <class A, class B>
  HD_INLINE bool operator()(const A& a, const B& b) const {
    return static_cast<bool>(f(a, b));
  }
};

/// The order of a user's function.
template <class F>
struct users_order {
  static constexpr bool on_gpu = compiled_for_gpu;
  comparison<F> comes_before;

  template <class T>
  void sort(const T* x, const axis_lines& lines, T* out, const target& where) const {
    if (lines.elements() == 0) return;
    if (!where.is_gpu()) return cpu::sort_by(where.threads(), x, lines, comes_before, out);
#if defined(__CUDACC__)
    gpu::sort_by(where, x, lines, comes_before, out);
#else
    fail_not_compiled_for_gpu();
#endif
  }
  template <class T>
  void argsort(const T* x, const axis_lines& lines, std::size_t* indices, const target& where) const {
    if (lines.elements() == 0) return;
    if (!where.is_gpu()) return cpu::argsort_by(where.threads(), x, lines, comes_before, indices);
#if defined(__CUDACC__)
    gpu::argsort_by(where, x, lines, comes_before, indices);
#else
    fail_not_compiled_for_gpu();
#endif
  }
};

}  // namespace HD_BUILD

template <class Order, class T>
inline constexpr bool is_less = std::is_same_v<Order, std::less<>> || std::is_same_v<Order, std::less<T>>;
template <class Order, class T>
inline constexpr bool is_greater =
    std::is_same_v<Order, std::greater<>> || std::is_same_v<Order, std::greater<T>>;

/// Whether the library holds the code for an order: a sort_order, or the standard library's name for one.
template <class Order, class T>
inline constexpr bool is_built_in_order =
    library_has<T, minimum>() &&
    (std::is_same_v<Order, sort_order> || is_less<Order, T> || is_greater<Order, T>);

/// What elements of T can be sorted by: a sort_order where they have one, or a function of two of them.
template <class Order, class T>
concept orders = is_built_in_order<Order, T> || std::is_invocable_r_v<bool, const Order&, const T&, const T&>;

inline namespace HD_BUILD {

template <class T, class Order>
auto order_of(const Order& order) {
  if constexpr (is_less<Order, T> && is_built_in_order<Order, T>) {
    return built_in_order{sort_order::ascending};
  } else if constexpr (is_greater<Order, T> && is_built_in_order<Order, T>) {
    return built_in_order{sort_order::descending};
  } else if constexpr (is_built_in_order<Order, T>) {
    return built_in_order{order};
  } else {
    return users_order<std::decay_t<Order>>{{order}};
  }
}

}  // namespace HD_BUILD

/// What a sort of all elements reads and writes, in passes over them.
constexpr passes of_sort(bool gpu_possible) {
  return {8, 8, 0, gpu_possible};
}

template <class X, class By, class T = element_of<X>>
array<T> sorted(const target& requested, const X& x, const axis* along_axis, const By& by) {
  call_along_lines call("sort", untyped(x), along_axis);
  call.choose_target(requested, of_sort(By::on_gpu));
  array<T> out(call.with_lines_of(call.lines().length), call.where());
  by.sort(call.data_as<T>(), call.lines(), out.data(), call.where());
  return out;
}

template <class Out, class X, class By, class T = element_of<X>>
void sort_to(const target& requested, Out& out, const X& x, const axis* along_axis, const By& by) {
  const auto to = output(out);
  call_along_lines call("sort", untyped(x), along_axis);
  call.choose_target(requested, of_sort(By::on_gpu));
  call.check_output(untyped(out));
  staged_output<T> staged_out(to, call.where());
  by.sort(call.data_as<T>(), call.lines(), staged_out.data(), call.where());
  staged_out.deliver();
}

template <class X, class By, class T = element_of<X>>
array<std::size_t> indices_in_order(const target& requested, const X& x, const axis* along_axis,
                                    const By& by) {
  call_along_lines call("argsort", untyped(x), along_axis);
  call.choose_target(requested, of_sort(By::on_gpu));
  array<std::size_t> indices(call.with_lines_of(call.lines().length), call.where());
  by.argsort(call.data_as<T>(), call.lines(), indices.data(), call.where());
  return indices;
}

template <class Keys, class Values, class By, class K = element_of<Keys>, class V = element_of<Values>>
std::pair<array<K>, array<V>> sorted_by_key(const target& requested, const Keys& keys, const Values& values,
                                            const By& by) {
  const elements<const K> k = input(keys);
  const elements<const V> v = input(values);
  operation running("sort_by_key", k.size, type_name<K>());
  const target where =
      resolve(requested, {8 * k.size * sizeof(K), 8 * k.size * sizeof(K), k.where, By::on_gpu});
  running.runs_on(where);
  if (v.size != k.size) fail_sizes("the values", v.size, k.size);
  const staged_input<K> staged_keys(k, where);
  const staged_input<V> staged_values(v, where);
  array<std::size_t> indices(k.size, where);
  const axis_lines all{1, k.size, 1};
  by.argsort(staged_keys.data(), all, indices.data(), where);
  std::pair<array<K>, array<V>> sorted{array<K>(k.size, where), array<V>(v.size, where)};
  const index_list order_of_keys{dtype::uint64, indices.data(), k.size};
  library_gather(staged_keys.data(), all, sizeof(K), order_of_keys, sorted.first.data(), where);
  library_gather(staged_values.data(), all, sizeof(V), order_of_keys, sorted.second.data(), where);
  return sorted;
}

}  // namespace heddle::impl
