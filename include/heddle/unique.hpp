#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/unique/front.hpp>
#include <heddle/sort.hpp>

namespace heddle {

/// The first element of each run of consecutive equal elements, flat, as std::unique leaves. NaNs equal one
/// another, and −0 equals +0. On built-in types. Waits for their number. Reads x three times.
template <array_like X>
  requires has_dtype<element_of<X>>
array<element_of<X>> unique_consecutive(const target& requested, const X& x) {
  using T = element_of<X>;
  const impl::elements<const T> in = impl::input(x);
  operation running("unique_consecutive", in.size, impl::type_name<T>());
  const target where = resolve(requested, {3 * in.size * sizeof(T), in.size * sizeof(T), in.where, true});
  running.runs_on(where);
  const impl::staged_input<T> staged(in, where);
  return impl::first_of_runs(where, staged.data(), in.size);
}

/// The distinct elements of x in ascending order, as numpy.unique: a sort, and the first of each run. One NaN
/// remains, and of the zeros −0 if there is one. Waits for their number.
///
///     hd::array<int> values = hd::unique(where, x);
template <impl::sortable_elements X>
array<element_of<X>> unique(const target& requested, const X& x) {
  using T = element_of<X>;
  const impl::elements<const T> in = impl::input(x);
  operation running("unique", in.size, impl::type_name<T>());
  const target where = impl::sort_target(requested, in, true);
  running.runs_on(where);
  const array<T> sorted = impl::sorted(where, x, nullptr, impl::built_in_order{});
  return impl::first_of_runs(where, sorted.data(), sorted.size());
}

HD_EXPLAIN_MISUSE(unique_consecutive)
HD_EXPLAIN_MISUSE(unique)

}  // namespace heddle
