#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/sort/front.hpp>
#include <heddle/sort_order.hpp>

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace heddle {

inline namespace HD_BUILD {

/// The elements of x in ascending order, flat, as numpy.sort with axis=None: NaNs come last, and −0 before
/// +0; descending is the reverse. The same bits on every target. A radix sort on every target: time in
/// proportion to n and to the bytes of an element; scratch memory for two arrays. Asynchronous on a GPU.
///
///     hd::array<float> ordered = hd::sort(where, x);
///     hd::array<float> falling = hd::sort(where, x, hd::sort_order::descending);
///
/// Elements of any trivially copyable type are sorted by a function of two of them that says whether the
/// first comes before the second: a strict weak ordering, as for std::sort. This sort too is stable on every
/// target. A merge sort: n log n calls, and scratch memory for two arrays on a CPU; on a GPU for one, or, for
/// elements of more than 16 bytes, for two of 8 bytes an element. For a GPU the function is marked HD_FN in a
/// file that nvcc compiles, as for `transform`. On built-in types std::less<> and std::greater<> stand for
/// the two values of sort_order.
///
///     hd::sort(where, people, [] HD_FN(const person& a, const person& b) { return a.age < b.age; });
template <array_like X, class Order = sort_order>
  requires impl::orders<Order, element_of<X>>
array<element_of<X>> sort(const target& where, const X& x, const Order& order = {}) {
  return impl::sorted(where, x, nullptr, impl::order_of<element_of<X>>(order));
}
/// The same of each row or column along one axis; the result has the shape of x. On a GPU in the time of
/// `argsort`.
///
///     hd::array<float> rows_in_order = hd::sort(where, table, hd::axis{1});
template <array_like X, class Order = sort_order>
  requires impl::orders<Order, element_of<X>>
array<element_of<X>> sort(const target& where, const X& x, axis along_axis, const Order& order = {}) {
  return impl::sorted(where, x, &along_axis, impl::order_of<element_of<X>>(order));
}

/// The same into `out`, which has as many elements and may be x itself.
template <array_like Out, array_like X, class Order = sort_order>
  requires(std::is_same_v<element_of<Out>, element_of<X>> && impl::orders<Order, element_of<X>>)
void sort_into(const target& where, Out&& out, const X& x, const Order& order = {}) {
  impl::sort_to(where, out, x, nullptr, impl::order_of<element_of<X>>(order));
}
template <array_like Out, array_like X, class Order = sort_order>
  requires(std::is_same_v<element_of<Out>, element_of<X>> && impl::orders<Order, element_of<X>>)
void sort_into(const target& where, Out&& out, const X& x, axis along_axis, const Order& order = {}) {
  impl::sort_to(where, out, x, &along_axis, impl::order_of<element_of<X>>(order));
}

/// The indices in C order that sort x: x[indices[0]] ≤ x[indices[1]] ≤ …, as numpy.argsort with axis=None and
/// kind="stable". Equal elements keep their order, in a descending order too; −0 equals +0, and NaNs equal
/// one another. Takes a function of two elements as `sort` does. The cost is that of sort, with scratch
/// memory for two arrays of indices more.
template <array_like X, class Order = sort_order>
  requires impl::orders<Order, element_of<X>>
array<std::size_t> argsort(const target& where, const X& x, const Order& order = {}) {
  return impl::indices_in_order(where, x, nullptr, impl::order_of<element_of<X>>(order));
}
/// The same of each row or column along one axis; indices count along it.
template <array_like X, class Order = sort_order>
  requires impl::orders<Order, element_of<X>>
array<std::size_t> argsort(const target& where, const X& x, axis along_axis, const Order& order = {}) {
  return impl::indices_in_order(where, x, &along_axis, impl::order_of<element_of<X>>(order));
}

/// Keys and their values in the stable sorted order of the keys, also by a function of two keys. Values are
/// of any type. Throws heddle::error unless there are as many values as keys.
///
///     auto [keys, values] = hd::sort_by_key(where, k, v);
template <array_like Keys, array_like Values, class Order = sort_order>
  requires impl::orders<Order, element_of<Keys>>
std::pair<array<element_of<Keys>>, array<element_of<Values>>> sort_by_key(const target& where,
                                                                          const Keys& keys,
                                                                          const Values& values,
                                                                          const Order& order = {}) {
  return impl::sorted_by_key(where, keys, values, impl::order_of<element_of<Keys>>(order));
}

}  // namespace HD_BUILD

/// Explain what to do about elements that have no order.
template <array_like X, class Order = sort_order>
  requires(!impl::orders<Order, element_of<X>>)
impl::any_result sort(const target&, const X&, const Order& = {}) {
  static_assert(impl::orders<Order, element_of<X>>, "sort: " HD_NO_ORDER);
  return {};
}
template <array_like Out, array_like X, class Order = sort_order>
  requires(!impl::orders<Order, element_of<X>>)
impl::any_result sort_into(const target&, Out&&, const X&, const Order& = {}) {
  static_assert(impl::orders<Order, element_of<X>>, "sort_into: " HD_NO_ORDER);
  return {};
}
template <array_like X, class Order = sort_order>
  requires(!impl::orders<Order, element_of<X>>)
impl::any_result argsort(const target&, const X&, const Order& = {}) {
  static_assert(impl::orders<Order, element_of<X>>, "argsort: " HD_NO_ORDER);
  return {};
}
template <array_like Keys, array_like Values, class Order = sort_order>
  requires(!impl::orders<Order, element_of<Keys>>)
impl::any_result sort_by_key(const target&, const Keys&, const Values&, const Order& = {}) {
  static_assert(impl::orders<Order, element_of<Keys>>, "sort_by_key: " HD_NO_ORDER);
  return {};
}

/// Explains what to do about an output of another type.
template <array_like Out, array_like X, class... Rest>
  requires(!std::is_same_v<element_of<Out>, element_of<X>> && impl::orders<sort_order, element_of<X>>)
impl::any_result sort_into(const target&, Out&&, const X&, const Rest&...) {
  static_assert(std::is_same_v<element_of<Out>, element_of<X>>,
                "sort_into writes elements of the type that it reads");
  return {};
}

HD_EXPLAIN_MISUSE(sort)
HD_EXPLAIN_MISUSE(sort_into)
HD_EXPLAIN_MISUSE(argsort)
HD_EXPLAIN_MISUSE(sort_by_key)

}  // namespace heddle
