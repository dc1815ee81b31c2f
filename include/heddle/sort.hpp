#pragma once

#include <heddle/array.hpp>
#include <heddle/gather.hpp>
#include <heddle/misuse.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace heddle {

/// From the smallest to the largest, NaNs last; or the other way round, NaNs first. Equal elements keep their
/// order in both.
enum class sort_order : std::uint8_t { ascending, descending };

namespace detail {

/// Sorts each of `lines` of x into `out`, which may be x; both are on `where`.
void library_sort(dtype type, const void* x, const segments& lines, sort_order order, void* out,
                  const target& where);

/// The places of the elements of each line in their sorted order, counted from the first of the line.
void library_argsort(dtype type, const void* x, const segments& lines, sort_order order, std::size_t* places,
                     const target& where);

/// Elements that have an order: all built-in types but the complex ones.
template <class X>
concept sortable_elements = array_like<X> && library_has<element_of<X>, minimum>();

template <class T>
target sort_target(const target& requested, const elements<const T>& x) {
  return resolve(requested, {8 * x.size * sizeof(T), 8 * x.size * sizeof(T), x.where, true});
}

/// What is sorted by itself: all of x, or each line along an axis.
template <class X>
segments sorted_lines(const X& x, const axis* along_axis) {
  const shape lengths = shape_of(x);
  if (along_axis == nullptr) return {1, lengths.elements(), 1};
  return along(lengths, lengths.resolve_axis(along_axis->index));
}
template <class X>
shape sorted_shape(const X& x, const axis* along_axis) {
  const shape lengths = shape_of(x);
  return along_axis == nullptr ? shape{lengths.elements()} : lengths;
}

template <class X, class T = element_of<X>>
array<T> sorted(const target& requested, const X& x, const axis* along_axis, sort_order order) {
  const elements<const T> in = input(x);
  operation running("sort", in.size, type_name<T>());
  const segments lines = sorted_lines(x, along_axis);
  const target where = sort_target(requested, in);
  running.runs_on(where);
  array<T> out(sorted_shape(x, along_axis), where);
  const staged_input<T> staged(in, where);
  library_sort(dtype_of<T>, staged.data(), lines, order, out.data(), where);
  return out;
}

template <class Out, class X, class T = element_of<X>>
void sort_to(const target& requested, Out& out, const X& x, const axis* along_axis, sort_order order) {
  const elements<const T> in = input(x);
  const auto to = output(out);
  operation running("sort", in.size, type_name<T>());
  const segments lines = sorted_lines(x, along_axis);
  const target where = sort_target(requested, in);
  running.runs_on(where);
  if (to.size != in.size) fail_sizes("the output", to.size, in.size);
  check_in_place(in, to);
  const staged_input<T> staged(in, where);
  staged_output<T> staged_out(to, where);
  library_sort(dtype_of<T>, staged.data(), lines, order, staged_out.data(), where);
  staged_out.deliver();
}

template <class X, class T = element_of<X>>
array<std::size_t> places_in_order(const target& requested, const X& x, const axis* along_axis,
                                   sort_order order) {
  const elements<const T> in = input(x);
  operation running("argsort", in.size, type_name<T>());
  const segments lines = sorted_lines(x, along_axis);
  const target where = sort_target(requested, in);
  running.runs_on(where);
  array<std::size_t> places(sorted_shape(x, along_axis), where);
  const staged_input<T> staged(in, where);
  library_argsort(dtype_of<T>, staged.data(), lines, order, places.data(), where);
  return places;
}

}  // namespace detail

/// The elements of x from the smallest to the largest, flat in C order, as numpy.sort: NaNs come last, and −0
/// before +0; descending, all of this the other way round. The same bits on every target. On a CPU and on a
/// GPU by a radix sort: time in proportion to n and to the bytes of an element; scratch memory for two
/// arrays.
///
///     hd::array<float> ordered = hd::sort(where, x);
///     hd::array<float> falling = hd::sort(where, x, hd::sort_order::descending);
template <detail::sortable_elements X>
array<element_of<X>> sort(const target& where, const X& x, sort_order order = sort_order::ascending) {
  return detail::sorted(where, x, nullptr, order);
}
/// The same of each row or column along one axis; the result has the shape of x. On a GPU in the time of
/// `argsort`.
///
///     hd::array<float> rows_in_order = hd::sort(where, table, hd::axis{1});
template <detail::sortable_elements X>
array<element_of<X>> sort(const target& where, const X& x, axis along_axis,
                          sort_order order = sort_order::ascending) {
  return detail::sorted(where, x, &along_axis, order);
}

/// The same into `out`, which has as many elements and may be x itself.
template <array_like Out, detail::sortable_elements X>
requires std::is_same_v<element_of<Out>, element_of<X>>
void sort_into(const target& where, Out&& out, const X& x, sort_order order = sort_order::ascending) {
  detail::sort_to(where, out, x, nullptr, order);
}
template <array_like Out, detail::sortable_elements X>
requires std::is_same_v<element_of<Out>, element_of<X>>
void sort_into(const target& where, Out&& out, const X& x, axis along_axis,
               sort_order order = sort_order::ascending) {
  detail::sort_to(where, out, x, &along_axis, order);
}

/// The places of the elements of x in their order: x[places[0]] ≤ x[places[1]] ≤ …, as numpy.argsort of kind
/// "stable": equal elements, the two zeros among them and all NaNs, keep the order that they have, in a
/// descending order too.
template <detail::sortable_elements X>
array<std::size_t> argsort(const target& where, const X& x, sort_order order = sort_order::ascending) {
  return detail::places_in_order(where, x, nullptr, order);
}
/// The same of each row or column along one axis: places are counted along it.
template <detail::sortable_elements X>
array<std::size_t> argsort(const target& where, const X& x, axis along_axis,
                           sort_order order = sort_order::ascending) {
  return detail::places_in_order(where, x, &along_axis, order);
}

/// Keys and values that belong to one another, in the stable order of the keys. Values are of any type.
///
///     auto [keys, values] = hd::sort_by_key(where, k, v);
template <detail::sortable_elements Keys, array_like Values>
std::pair<array<element_of<Keys>>, array<element_of<Values>>> sort_by_key(
    const target& requested, const Keys& keys, const Values& values,
    sort_order order = sort_order::ascending) {
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
  array<std::size_t> places(k.size, where);
  const segments all{1, k.size, 1};
  detail::library_argsort(dtype_of<K>, staged_keys.data(), all, order, places.data(), where);
  std::pair<array<K>, array<V>> sorted{array<K>(k.size, where), array<V>(v.size, where)};
  const detail::index_list order_of_keys{dtype::uint64, places.data(), k.size};
  detail::library_gather(staged_keys.data(), all, sizeof(K), order_of_keys, sorted.first.data(), where);
  detail::library_gather(staged_values.data(), all, sizeof(V), order_of_keys, sorted.second.data(), where);
  return sorted;
}

HD_EXPLAIN_MISUSE(sort)
HD_EXPLAIN_MISUSE(sort_into)
HD_EXPLAIN_MISUSE(argsort)
HD_EXPLAIN_MISUSE(sort_by_key)

}  // namespace heddle
