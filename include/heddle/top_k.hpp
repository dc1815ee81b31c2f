#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/misuse.hpp>
#include <heddle/sort.hpp>

#include <cstddef>

namespace heddle {

/// The first elements of an order, and where they stand.
template <class T>
struct top_elements {
  array<T> values;
  array<std::size_t> indices;
};

namespace impl {

/// Of each line of x the first k indices in the stable order, counted along the line; all are on `where`.
void library_top(dtype type, const void* x, const segments& lines, std::size_t k, sort_order order,
                 std::size_t* indices, const target& where);

/// The elements of x at indices that are counted along its lines: `lines` with k elements instead of their
/// own.
void library_values_at(const void* x, std::size_t element_bytes, const segments& lines, std::size_t k,
                       const std::size_t* indices, void* values, const target& where);

[[noreturn]] void fail_top(std::size_t k, std::size_t length);

template <class X, class T = element_of<X>>
top_elements<T> top_of(const target& requested, const X& x, std::size_t k, const axis* along_axis,
                       sort_order order) {
  const elements<const T> in = input(x);
  operation running("top_k", in.size, type_name<T>());
  const segments lines = sorted_lines(x, along_axis);
  const target where = resolve(requested, {2 * in.size * sizeof(T), 0, in.where, true});
  running.runs_on(where);
  if (k > lines.length) fail_top(k, lines.length);
  const shape lengths = shape_of(x);
  const shape result =
      along_axis == nullptr ? shape{k} : lengths.with_length(lengths.resolve_axis(along_axis->index), k);
  top_elements<T> top{array<T>(result, where), array<std::size_t>(result, where)};
  const staged_input<T> staged(in, where);
  library_top(dtype_of<T>, staged.data(), lines, k, order, top.indices.data(), where);
  library_values_at(staged.data(), sizeof(T), lines, k, top.indices.data(), top.values.data(), where);
  return top;
}

}  // namespace impl

/// The k largest elements of x, the largest first, and their indices in C order; or, ascending, the k
/// smallest, the smallest first: the first k of `argsort` in that order, on every target. So NaNs count as
/// larger than all numbers, as for torch.topk, and come first among the largest; −0 equals +0; of equal
/// elements those of lower indices come first, and are chosen first. heddle::error where there are fewer than
/// k elements. Every element is read once on a CPU, and O(n + k log k) work and scratch memory for 2k
/// elements a thread are enough where k is below a sixteenth of n; from there on all are argsorted. On a GPU
/// it waits while it narrows the k-th element down by its digits of 8 bits, reading the elements once a
/// digit.
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

/// Says that k is missing.
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
