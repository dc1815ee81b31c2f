#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/part_begin.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/impl/patterns/lower_bound/binary_search.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace heddle::cpu {

/// Elements that are worth a second thread.
inline constexpr std::size_t merge_grain = impl::threshold.merge_grain;

/// Elements first … last − 1 of the merger of two runs, to their positions in `out`.
template <class T, class Compare>
void merge_part(const impl::sorted_runs<T>& runs, std::size_t first, std::size_t last, const Compare& compare,
                T* out) {
  const std::size_t a = merge_split(runs, first, compare), a_end = merge_split(runs, last, compare);
  std::merge(runs.a + a, runs.a + a_end, runs.b + (first - a), runs.b + (last - a_end), out + first, compare);
}

/// The n elements of x in their stable order, in x or in `other`, which has room for as many. Threads sort a
/// run each; then they merge pairs of runs, each thread a part of what comes out, until there is one.
template <class T, class Compare>
T* merge_sort(int threads, T* x, T* other, std::size_t n, const Compare& compare) {
  std::size_t runs = 1;
  while (runs < static_cast<std::size_t>(threads) && n / (2 * runs) >= merge_grain) runs *= 2;
  const auto begin_of = [=](std::size_t run) { return impl::part_begin(n, runs, run); };
  for_slices(threads, runs, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t run = first; run < last; ++run)
      std::stable_sort(x + begin_of(run), x + begin_of(run + 1), compare);
  });
  for (std::size_t merged = 1; merged < runs; merged *= 2) {
    for_slices(threads, n, merge_grain, [&](std::size_t first, std::size_t last) {
      for (std::size_t run = 0; run < runs; run += 2 * merged) {
        const std::size_t begin = begin_of(run), middle = begin_of(run + merged);
        const std::size_t end = begin_of(run + 2 * merged);
        const std::size_t from = std::max(first, begin), to = std::min(last, end);
        if (from >= to) continue;
        merge_part<T>({x + begin, middle - begin, x + middle, end - middle}, from - begin, to - begin,
                      compare, other + begin);
      }
    });
    std::swap(x, other);
  }
  return x;
}

/// Sorts each line into `out`: load(index in the array, index in the line) gives what is sorted, and
/// compare_of(index of the line's first element) how.
template <class T, class Load, class CompareOf>
void sort_lines_by(int threads, const axis_lines& lines, const Load& load, const CompareOf& compare_of,
                   T* out) {
  const std::size_t n = lines.length;
  const bool share_lines = lines.count() >= static_cast<std::size_t>(threads);
  const auto sort_lines = [&](int threads_a_line, std::size_t first, std::size_t last) {
    const memory buffer(2 * n * sizeof(T), target());
    T* const x = static_cast<T*>(buffer.data());
    for (std::size_t line = first; line < last; ++line) {
      const std::size_t begin = lines.begin_of(line);
      for_slices(threads_a_line, n, merge_grain, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) x[i] = load(begin + i * lines.inner, i);
      });
      const T* const sorted = merge_sort(threads_a_line, x, x + n, n, compare_of(begin));
      for_slices(threads_a_line, n, merge_grain, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) out[begin + i * lines.inner] = sorted[i];
      });
    }
  };
  if (!share_lines) return sort_lines(threads, 0, lines.count());
  for_slices(threads, lines.count(), merge_grain / n + 1,
             [&](std::size_t first, std::size_t last) { sort_lines(1, first, last); });
}

/// Each line of x in the stable order of a user's comparison, into `out`, which may be x.
template <class T, class Compare>
void sort_by(int threads, const T* x, const axis_lines& lines, const Compare& compare, T* out) {
  sort_lines_by<T>(
      threads, lines, [=](std::size_t at, std::size_t) -> const T& { return x[at]; },
      [&](std::size_t) -> const Compare& { return compare; }, out);
}

/// The indices, in their line, of the elements of each line in that order.
template <class T, class Compare>
void argsort_by(int threads, const T* x, const axis_lines& lines, const Compare& compare,
                std::size_t* indices) {
  sort_lines_by<std::size_t>(
      threads, lines, [](std::size_t, std::size_t i) { return i; },
      [&](std::size_t begin) {
        return [&compare, from = x + begin, step = lines.inner](std::size_t a, std::size_t b) {
          return compare(from[a * step], from[b * step]);
        };
      },
      indices);
}

}  // namespace heddle::cpu
