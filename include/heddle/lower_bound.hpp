#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/lower_bound.hpp>
#include <heddle/impl/misuse.hpp>
#include <heddle/sort_order.hpp>

#include <cstddef>

namespace heddle {

inline namespace HD_BUILD {

/// For each value the first place in `sorted` before which it can stand: the number of elements that come
/// before it, as numpy.searchsorted of side "left". `sorted` is in the order of hd::sort, from the smallest
/// to the largest and NaNs last, or in the other one, which is given then; −0 equals +0 there, and NaNs are
/// equal. What is not in order gives places that mean nothing. The result has the shape of the values. log₂ n
/// comparisons a value.
///
///     hd::array<std::size_t> places = hd::lower_bound(where, hd::sort(where, x), values);
///
/// In another order, and on elements of any trivially copyable type, by the function that they are sorted by:
/// compare(element, value) says whether the element comes before the value, which may be of another type. As
/// `transform`, it is marked HD_FN in a file that nvcc compiles where a GPU is to run it.
template <array_like Sorted, array_like Values, class Order = sort_order>
  requires impl::takes_values<Order, element_of<Sorted>, element_of<Values>, impl::bound::lower>
array<std::size_t> lower_bound(const target& where, const Sorted& sorted, const Values& values,
                               const Order& order = {}) {
  return impl::bounds_of<impl::bound::lower>("lower_bound", where, sorted, values, order);
}

/// For each value the last such place, behind all elements that equal it, as numpy.searchsorted of side
/// "right". A function is called with the value first: compare(value, element). Otherwise as lower_bound.
template <array_like Sorted, array_like Values, class Order = sort_order>
  requires impl::takes_values<Order, element_of<Sorted>, element_of<Values>, impl::bound::upper>
array<std::size_t> upper_bound(const target& where, const Sorted& sorted, const Values& values,
                               const Order& order = {}) {
  return impl::bounds_of<impl::bound::upper>("upper_bound", where, sorted, values, order);
}

}  // namespace HD_BUILD

HD_EXPLAIN_MISUSE(lower_bound)
HD_EXPLAIN_MISUSE(upper_bound)

}  // namespace heddle
