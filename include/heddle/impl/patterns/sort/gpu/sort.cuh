#pragma once

#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/gpu/line_order.cuh>
#include <heddle/impl/patterns/sort/gpu/merge_sort.cuh>
#include <heddle/impl/patterns/transform/gpu.cuh>

#include <cstddef>

/// Sorts by a user's comparison on a GPU.
namespace heddle::gpu {

/// Elements of more bytes stay where they are until their order is known.
inline constexpr std::size_t most_bytes_moved = 16;

/// Compares elements by their numbers in line order: first by line.
template <class T, class Compare>
struct compare_in_line_order {
  const T* x;
  array_index_of_line_order at;
  bool one_line;
  Compare compare;
  __device__ bool operator()(std::size_t a, std::size_t b) const {
    if (!one_line) {
      const std::size_t line_of_a = a / at.lines.length, line_of_b = b / at.lines.length;
      if (line_of_a != line_of_b) return line_of_a < line_of_b;
    }
    return compare(x[at(a)], x[at(b)]);
  }
};

/// The element that comes to index `at` of the array.
template <class T>
struct sorted_element {
  const std::size_t* sorted;
  line_order_of_array_index line_order;
  array_index_of_line_order in_array;
  const T* x;
  __device__ const T& operator()(std::size_t at) const { return x[in_array(sorted[line_order(at)])]; }
};

/// The numbers in line order of all elements, sorted by line and in each line by the comparison.
template <class T, class Compare>
void sort_line_order(const target& where, const T* x, const axis_lines& lines, const Compare& compare,
                     std::size_t* sorted) {
  merge_sort(where, own_index<std::size_t>{}, lines.elements(),
             compare_in_line_order<T, Compare>{x, {lines}, lines.count() == 1, compare}, sorted);
}

/// Each line of x in the stable order of the comparison, into `out`, which may be x.
template <class T, class Compare>
void sort_by(const target& where, const T* x, const axis_lines& lines, const Compare& compare, T* out) {
  const std::size_t n = lines.elements();
  if constexpr (sizeof(T) <= most_bytes_moved) {
    if (lines.count() == 1) return merge_sort(where, impl::element_of_array<T>{x}, n, compare, out);
  }
  const memory order(n * sizeof(std::size_t), where);
  auto* const sorted = static_cast<std::size_t*>(order.data());
  sort_line_order(where, x, lines, compare, sorted);
  // In place, no element may be written before it is read.
  const memory copied(x == out ? n * sizeof(T) : 0, where);
  if (x == out) {
    heddle::copy(copied.data(), where, x, where, n * sizeof(T));
    x = static_cast<const T*>(copied.data());
  }
  transform(where, sorted_element<T>{sorted, {lines}, {lines}, x}, n, out);
}

/// The indices, in their line, of the elements of each line in that order.
template <class T, class Compare>
void argsort_by(const target& where, const T* x, const axis_lines& lines, const Compare& compare,
                std::size_t* indices) {
  const std::size_t n = lines.elements();
  if (lines.count() == 1) return sort_line_order(where, x, lines, compare, indices);
  const memory order(n * sizeof(std::size_t), where);
  auto* const sorted = static_cast<std::size_t*>(order.data());
  sort_line_order(where, x, lines, compare, sorted);
  transform(where, index_in_line<std::size_t>{sorted, {lines}}, n, indices);
}

}  // namespace heddle::gpu
