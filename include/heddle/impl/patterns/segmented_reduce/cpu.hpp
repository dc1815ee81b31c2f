#pragma once

#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/impl/patterns/reduce/cpu.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <cstddef>

namespace heddle::cpu {

/// Elements of a segment that are worth several threads.
inline constexpr std::size_t long_segment = impl::threshold.long_segment;

/// Calls reduce(threads, segment, first element, elements) for each segment that has elements: for long ones
/// with all threads, one after another, and for the others on threads that have about as many elements each.
template <class Reduce>
void for_segments(int threads, const std::size_t* offsets, std::size_t count, const Reduce& reduce) {
  const std::size_t first_element = offsets[0], elements = offsets[count] - first_element;
  const auto each = [&](std::size_t s, int with, bool are_long) {
    const std::size_t length = offsets[s + 1] - offsets[s];
    if (length > 0 && (length >= long_segment) == are_long) reduce(with, s, offsets[s], length);
  };
  if (threads > 1 && elements >= long_segment) {
    // A long segment has an element whose number is a multiple of its least length.
    std::size_t multiple = (first_element + long_segment - 1) / long_segment * long_segment;
    while (multiple < offsets[count]) {
      const std::size_t* const end = std::upper_bound(offsets, offsets + count, multiple);
      each(static_cast<std::size_t>(end - offsets) - 1, threads, true);
      multiple = (*end + long_segment - 1) / long_segment * long_segment;
    }
  }
  // A slice of all elements and ends of segments has the segments that begin in it.
  const auto segment_at = [&](std::size_t place) {
    std::size_t low = 0, high = count;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (offsets[middle] - first_element + middle < place) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  for_slices(threads, elements + count, impl::threshold.segment_grain,
             [&](std::size_t first, std::size_t last) {
               const std::size_t end = segment_at(last);
               for (std::size_t s = segment_at(first); s < end; ++s) {
                 if (threads == 1) each(s, 1, true);
                 each(s, 1, false);
               }
             });
}

/// out[s] = the elements of segment s combined; those of empty segments stay as they are.
template <class T, class Op>
void segmented_reduce(int threads, const T* x, const Op& op, const std::size_t* offsets, std::size_t count,
                      T* out) {
  for_segments(threads, offsets, count, [&](int with, std::size_t s, std::size_t first, std::size_t length) {
    const impl::element_at<T, Op> load{x + first};
    if (length <= order::tile<T, Op>) return reduce_tile<T>(load, length, op, out + s);
    reduce(with, load, op, axis_lines{1, length, 1}, out + s);
  });
}

}  // namespace heddle::cpu
