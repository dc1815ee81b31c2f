#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/lower_bound/front.hpp>
#include <heddle/sort_order.hpp>

#include <cstddef>

namespace heddle {

inline namespace HD_BUILD {

/// For each value the first index in `sorted` where inserting it keeps the order: the number of elements that
/// come before it, as numpy.searchsorted with side="left". `sorted` is in the order of hd::sort: ascending
/// with NaNs last, or descending where `order` says so; −0 equals +0, and NaNs equal one another. If `sorted`
/// is not in this order, the results are unspecified. They have the shape of the values. log₂ n comparisons a
/// value. Asynchronous on a GPU.
///
///     hd::array<std::size_t> bounds = hd::lower_bound(where, hd::sort(where, x), values);
///
/// For another order, and for elements of any trivially copyable type, `order` is the function that they are
/// sorted by: compare(element, value) says whether the element comes before the value, which may have another
/// type. For a GPU it is marked HD_FN in a file that nvcc compiles, as for `transform`.
template <array_like Sorted, array_like Values, class Order = sort_order>
  requires impl::takes_values<Order, element_of<Sorted>, element_of<Values>, impl::bound::lower>
array<std::size_t> lower_bound(const target& where, const Sorted& sorted, const Values& values,
                               const Order& order = {}) {
  return impl::bounds_of<impl::bound::lower>("lower_bound", where, sorted, values, order);
}

/// For each value the last such index, after all elements that equal it, as numpy.searchsorted with
/// side="right". A function is called as compare(value, element). Otherwise as lower_bound.
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
