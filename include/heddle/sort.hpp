#pragma once

#include <heddle/array.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#include <utility>

namespace heddle {
namespace detail {

/// Sorts n elements of x into `out`, which may be x; both are on `where`.
void library_sort(dtype type, const void* x, std::size_t n, void* out, const target& where);

/// The places of the elements of x in their sorted order.
void library_argsort(dtype type, const void* x, std::size_t n, std::size_t* places, const target& where);

/// out[i] = x[places[i]] for elements of any size.
void library_gather(const void* x, std::size_t element_bytes, const std::size_t* places, std::size_t n,
                    void* out, const target& where);

/// Elements that have an order: all built-in types but the complex ones.
template <class X>
concept sortable_elements = array_like<X> && library_has<element_of<X>, minimum>();

template <class T>
target sort_target(const target& requested, const elements<const T>& x) {
  return resolve(requested, {8 * x.size * sizeof(T), 8 * x.size * sizeof(T), x.where, true});
}

/// The places of x in order, on `where`, where x is staged.
template <class T>
array<std::size_t> places_in_order(const target& where, const T* x, std::size_t n) {
  array<std::size_t> places(n, where);
  library_argsort(dtype_of<T>, x, n, places.data(), where);
  return places;
}

}  // namespace detail

/// The elements of x from the smallest to the largest, flat in C order, as numpy.sort: NaNs come last, and −0
/// before +0. The same bits on every target. On a CPU and on a GPU by a radix sort: time in proportion to n
/// and to the bytes of an element; scratch memory for two arrays.
///
///     hd::array<float> ordered = hd::sort(where, x);
template <detail::sortable_elements X>
array<element_of<X>> sort(const target& requested, const X& x) {
  using T = element_of<X>;
  const detail::elements<const T> in = detail::input(x);
  detail::operation running("sort", in.size, detail::type_name<T>());
  const target where = detail::sort_target(requested, in);
  running.runs_on(where);
  array<T> out(in.size, where);
  const detail::staged_input<T> staged(in, where);
  detail::library_sort(dtype_of<T>, staged.data(), in.size, out.data(), where);
  return out;
}

/// The same into `out`, which has as many elements and may be x itself.
template <array_like Out, detail::sortable_elements X>
requires std::is_same_v<element_of<Out>, element_of<X>>
void sort_into(const target& requested, Out&& out, const X& x) {
  using T = element_of<X>;
  const detail::elements<const T> in = detail::input(x);
  const auto to = detail::output(out);
  detail::operation running("sort", in.size, detail::type_name<T>());
  const target where = detail::sort_target(requested, in);
  running.runs_on(where);
  if (to.size != in.size) detail::fail_sizes("the output", to.size, in.size);
  detail::check_in_place(in, to);
  const detail::staged_input<T> staged(in, where);
  detail::staged_output<T> staged_out(to, where);
  detail::library_sort(dtype_of<T>, staged.data(), in.size, staged_out.data(), where);
  staged_out.deliver();
}

/// The places of the elements of x in their order: x[places[0]] ≤ x[places[1]] ≤ …, as numpy.argsort of kind
/// "stable": equal elements, the two zeros among them and all NaNs, keep the order that they have.
template <detail::sortable_elements X>
array<std::size_t> argsort(const target& requested, const X& x) {
  using T = element_of<X>;
  const detail::elements<const T> in = detail::input(x);
  detail::operation running("argsort", in.size, detail::type_name<T>());
  const target where = detail::sort_target(requested, in);
  running.runs_on(where);
  const detail::staged_input<T> staged(in, where);
  return detail::places_in_order(where, staged.data(), in.size);
}

/// Keys and values that belong to one another, in the stable order of the keys. Values are of any type.
///
///     auto [keys, values] = hd::sort_by_key(where, k, v);
template <detail::sortable_elements Keys, array_like Values>
std::pair<array<element_of<Keys>>, array<element_of<Values>>> sort_by_key(const target& requested,
                                                                          const Keys& keys,
                                                                          const Values& values) {
  using K = element_of<Keys>;
  using V = element_of<Values>;
  const detail::elements<const K> k = detail::input(keys);
  const detail::elements<const V> v = detail::input(values);
  detail::operation running("sort_by_key", k.size, detail::type_name<K>());
  const target where = detail::sort_target(requested, k);
  running.runs_on(where);
  if (v.size != k.size) detail::fail_sizes("the values", v.size, k.size);
  const detail::staged_input<K> staged_keys(k, where);
  const detail::staged_input<V> staged_values(v, where);
  const array<std::size_t> places = detail::places_in_order(where, staged_keys.data(), k.size);
  std::pair<array<K>, array<V>> sorted{array<K>(k.size, where), array<V>(v.size, where)};
  detail::library_gather(staged_keys.data(), sizeof(K), places.data(), k.size, sorted.first.data(), where);
  detail::library_gather(staged_values.data(), sizeof(V), places.data(), k.size, sorted.second.data(), where);
  return sorted;
}

}  // namespace heddle
