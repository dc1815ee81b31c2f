#pragma once

#include <heddle/shape.hpp>

#include <cstddef>

/// Line order: the elements of lines along an axis numbered one line after another, as sorts need them.
namespace heddle::gpu {

/// The index in the array of element i in line order.
struct array_index_of_line_order {
  axis_lines lines;
  // Divisions of 64 bits are long: compiled once a kernel, and not for each of a thread's elements.
  __device__ __noinline__ std::size_t operator()(std::size_t i) const {
    if (lines.inner == 1) return i;
    return lines.begin_of(i / lines.length) + i % lines.length * lines.inner;
  }
};

/// The number in line order of the element at an index of the array.
struct line_order_of_array_index {
  axis_lines lines;
  __device__ __noinline__ std::size_t operator()(std::size_t at) const {
    if (lines.inner == 1) return at;
    const std::size_t line = at / (lines.length * lines.inner) * lines.inner + at % lines.inner;
    return line * lines.length + at / lines.inner % lines.length;
  }
};

/// What is sorted at first: the elements' indices in order.
template <class Index>
struct own_index {
  __device__ Index operator()(std::size_t i) const { return static_cast<Index>(i); }
};

/// The index, in its line, of the element that goes to element `at` of the array.
template <class Index>
struct index_in_line {
  const Index* sorted;
  line_order_of_array_index line_order;
  __device__ std::size_t operator()(std::size_t at) const {
    return sorted[line_order(at)] % line_order.lines.length;
  }
};

}  // namespace heddle::gpu
