#pragma once

#include <heddle/impl/core/order.hpp>
#include <heddle/impl/patterns/scan/cpu.hpp>
#include <heddle/impl/patterns/scan/scan_few.hpp>
#include <heddle/impl/patterns/segmented_reduce/cpu.hpp>

#include <cstddef>

namespace heddle::cpu {

/// Scans each segment of the n elements of x into `out`, which may be x. Segments begin at element 0 and at
/// each of `count` offsets.
template <bool Exclusive, class T, class Op>
void segmented_scan_by(int threads, const scan_steps& steps, const T* x, std::size_t n, const Op& op,
                       const std::size_t* offsets, std::size_t count, const T* init, T* out) {
  const auto scan_segment = [&](int with, std::size_t first, std::size_t length) {
    if (length <= most_for_scan_few<T, Op>)
      return scan_few<Exclusive>(x + first, length, op, init, out + first);
    scan_segments(with, steps, {1, length, 1}, x + first, init, Exclusive, out + first);
  };
  if (count == 0) return scan_segment(threads, 0, n);
  scan_segment(threads, 0, offsets[0]);
  for_segments(threads, offsets, count - 1,
               [&](int with, std::size_t, std::size_t first, std::size_t length) {
                 scan_segment(with, first, length);
               });
  scan_segment(threads, offsets[count - 1], n - offsets[count - 1]);
}

template <bool Exclusive, class T, class Op>
void segmented_scan(int threads, const T* x, std::size_t n, const Op& op, const std::size_t* offsets,
                    std::size_t count, const T* init, T* out) {
  const steps_by_operator<T, Op> by(op);
  segmented_scan_by<Exclusive>(threads, by.steps(), x, n, op, offsets, count, init, out);
}

}  // namespace heddle::cpu
