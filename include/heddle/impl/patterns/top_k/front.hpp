#pragma once

#include <heddle/array.hpp>
#include <heddle/sort.hpp>

#include <cstddef>

namespace heddle {

template <class T>
struct top_elements;

}  // namespace heddle

namespace heddle::impl {

/// Of each line of x the first k indices in the stable order, counted along the line; all are on `where`.
void library_top(dtype type, const void* x, const axis_lines& lines, std::size_t k, sort_order order,
                 std::size_t* indices, const target& where);

/// The elements of x at indices that are counted along its lines: `lines` with k elements instead of their
/// own.
void library_values_at(const void* x, std::size_t element_bytes, const axis_lines& lines, std::size_t k,
                       const std::size_t* indices, void* values, const target& where);

[[noreturn]] void fail_top(std::size_t k, std::size_t length);

template <class X, class T = element_of<X>>
top_elements<T> top_of(const target& requested, const X& x, std::size_t k, const axis* along_axis,
                       sort_order order) {
  const elements<const T> in = input(x);
  operation running("top_k", in.size, type_name<T>());
  const axis_lines lines = sorted_lines(x, along_axis);
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

}  // namespace heddle::impl
