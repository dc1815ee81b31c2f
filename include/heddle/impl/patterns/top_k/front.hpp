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

/// Chooses the target of a call for the k first elements of each line, and gives the shape of its result.
shape start_top(call_along_lines& call, std::size_t k, const target& requested);
/// The indices and values of those elements, in arrays of that shape on the target.
void library_top_of(call_along_lines& call, dtype type, std::size_t k, sort_order order, std::size_t* indices,
                    void* values);

template <class X, class T = element_of<X>>
top_elements<T> top_of(const target& requested, const X& x, std::size_t k, const axis* along_axis,
                       sort_order order) {
  call_along_lines call("top_k", untyped(x), along_axis);
  const shape result = start_top(call, k, requested);
  top_elements<T> top{array<T>(result, call.where()), array<std::size_t>(result, call.where())};
  library_top_of(call, dtype_of<T>, k, order, top.indices.data(), top.values.data());
  return top;
}

}  // namespace heddle::impl
