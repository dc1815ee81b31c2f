#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/unique/front.hpp>
#include <heddle/sort.hpp>

namespace heddle {

/// The first element of each run of consecutive equal elements, flat, as std::unique leaves. NaNs equal one
/// another, and −0 equals +0. On built-in types. Waits for their number. A GPU reads x
/// once, and a CPU three times.
template <array_like X>
  requires has_dtype<element_of<X>>
array<element_of<X>> unique_consecutive(const target& where, const X& x) {
  return impl::first_of_runs(where, impl::any_view_of(x)).template as<element_of<X>>();
}

/// The distinct elements of x in ascending order, as numpy.unique: a sort, and the first of each run. One NaN
/// remains, and of the zeros −0 if there is one. Waits for their number.
///
///     hd::array<int> values = hd::unique(where, x);
template <impl::sortable_elements X>
array<element_of<X>> unique(const target& where, const X& x) {
  return impl::different_elements(where, impl::any_view_of(x)).template as<element_of<X>>();
}

HD_EXPLAIN_MISUSE(unique_consecutive)
HD_EXPLAIN_MISUSE(unique)

}  // namespace heddle
