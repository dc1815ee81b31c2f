#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/top_k/front.hpp>
#include <heddle/sort_order.hpp>

#include <cstddef>

namespace heddle {

/// The first elements of an order, and their indices.
template <class T>
struct top_elements {
  array<T> values;
  array<std::size_t> indices;
};

/// The k largest elements of x, the largest first, and their indices in C order; or, ascending, the k
/// smallest, the smallest first. They are the first k of `argsort` in that order, on every target: NaNs count
/// as larger than all numbers, as for torch.topk; −0 equals +0; of equal elements those of lower indices come
/// first. Throws heddle::error for fewer than k elements.
///
/// On a CPU every element is read once; for k below n/16 it takes O(n + k log k) work and scratch memory for
/// 2k elements a thread, and from there on an argsort. A GPU finds the k-th element by radix selection,
/// reading the elements once for each digit of 8 bits, and the call waits for that.
///
///     const auto [values, indices] = hd::top_k(where, x, 10);
///     const auto smallest = hd::top_k(where, x, 10, hd::sort_order::ascending);
template <impl::sortable_elements X>
top_elements<element_of<X>> top_k(const target& where, const X& x, std::size_t k,
                                  sort_order order = sort_order::descending) {
  return impl::top_of(where, x, k, nullptr, order);
}
/// The same of each row or column along one axis, which has k elements in the result; indices are counted
/// along it. On a GPU in the time of `argsort` along the axis.
///
///     const auto best_of_rows = hd::top_k(where, table, 3, hd::axis{1});
template <impl::sortable_elements X>
top_elements<element_of<X>> top_k(const target& where, const X& x, std::size_t k, axis along_axis,
                                  sort_order order = sort_order::descending) {
  return impl::top_of(where, x, k, &along_axis, order);
}

/// Explains that k is missing.
template <array_like X>
impl::any_result top_k(const target&, const X&) {
  static_assert(!array_like<X>, "top_k: k is missing: write top_k(where, x, k)");
  return {};
}
template <array_like X>
impl::any_result top_k(const target&, const X&, axis) {
  static_assert(!array_like<X>, "top_k: k is missing: write top_k(where, x, k, axis)");
  return {};
}

HD_EXPLAIN_MISUSE(top_k)

}  // namespace heddle
