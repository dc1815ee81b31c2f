#pragma once

#include <heddle/cuda/lines_in_turn.cuh>
#include <heddle/cuda/merge_sort.cuh>
#include <heddle/cuda/transform.cuh>
#include <heddle/elementwise.hpp>

#include <cstddef>

/// Sorts by a user's comparison on a GPU.
namespace heddle::cuda {

/// Elements of more bytes stay where they are until their order is known.
inline constexpr std::size_t most_bytes_moved = 16;

/// Compares elements by their numbers line by line: first by line.
template <class T, class Compare>
struct compare_in_turn {
  const T* x;
  lines_in_turn at;
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

/// The element that comes to place `at` of the array.
template <class T>
struct element_in_turn {
  const std::size_t* places;
  number_in_turn turn;
  lines_in_turn in_array;
  const T* x;
  __device__ const T& operator()(std::size_t at) const { return x[in_array(places[turn(at)])]; }
};

/// The numbers of all elements, line by line, in the order of their lines and of the comparison in each.
template <class T, class Compare>
void sort_in_turn(const target& where, const T* x, const segments& lines, const Compare& compare,
                  std::size_t* places) {
  merge_sort(where, place_itself<std::size_t>{}, lines.elements(),
             compare_in_turn<T, Compare>{x, {lines}, lines.count() == 1, compare}, places);
}

/// Each line of x in the stable order of the comparison, into `out`, which may be x.
template <class T, class Compare>
void sort_by(const target& where, const T* x, const segments& lines, const Compare& compare, T* out) {
  const std::size_t n = lines.elements();
  if constexpr (sizeof(T) <= most_bytes_moved) {
    if (lines.count() == 1) return merge_sort(where, detail::element_of_array<T>{x}, n, compare, out);
  }
  const detail::memory held(n * sizeof(std::size_t), where);
  auto* const places = static_cast<std::size_t*>(held.data());
  sort_in_turn(where, x, lines, compare, places);
  // In place nothing may be written that is still to be read.
  const detail::memory copied(x == out ? n * sizeof(T) : 0, where);
  if (x == out) {
    detail::copy(copied.data(), where, x, where, n * sizeof(T));
    x = static_cast<const T*>(copied.data());
  }
  transform(where, element_in_turn<T>{places, {lines}, {lines}, x}, n, out);
}

/// The places, in their line, of the elements of each line in that order.
template <class T, class Compare>
void argsort_by(const target& where, const T* x, const segments& lines, const Compare& compare,
                std::size_t* places) {
  const std::size_t n = lines.elements();
  if (lines.count() == 1) return sort_in_turn(where, x, lines, compare, places);
  const detail::memory held(n * sizeof(std::size_t), where);
  auto* const in_turn = static_cast<std::size_t*>(held.data());
  sort_in_turn(where, x, lines, compare, in_turn);
  transform(where, place_in_line<std::size_t>{in_turn, {lines}}, n, places);
}

}  // namespace heddle::cuda
