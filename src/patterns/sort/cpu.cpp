#include "patterns/sort/cpu.hpp"

#include "patterns/sort/in_registers.hpp"
#include "sortable.hpp"
#include <heddle/impl/core/part_begin.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/interruption.hpp>
#include <heddle/memory.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace heddle::cpu {
namespace {

constexpr std::size_t sort_grain = impl::threshold.sort_grain;

/// Keys, and what goes with each: two arrays of each, between which the passes go to and fro.
template <class Key, class Index>
struct sorted_keys {
  Key *keys, *other_keys;
  Index *indices, *other_indices;
};
struct no_index {};

constexpr std::size_t digits = 256;
/// From so many bytes on elements are gathered to cache lines before they are written.
constexpr std::size_t gather_from_bytes = impl::threshold.sort_lines_from_bytes;

/// Writes elements to the end of the part of their digit. What goes to one line of the cache is gathered
/// first: 256 lines at a time are in more pages than a processor remembers.
template <class T>
class lines_of_digits {
 public:
  /// `begin` is where the part of each digit begins. `to` begins a line.
  lines_of_digits(const std::array<std::size_t, digits>& begin, T* to)
      : begin_(begin), to_(to), memory_(digits * line, target()), lines_(static_cast<T*>(memory_.data())) {}

  void write(std::size_t digit, std::size_t position, T value) {
    T* const gathered = line_of(digit);
    gathered[position % in_line] = value;
    if (position % in_line == in_line - 1) write_line(digit, position + 1 - in_line, gathered);
  }

  /// Writes what is left; `end` is where the part of each digit ends.
  void finish(const std::array<std::size_t, digits>& end) {
    for (std::size_t d = 0; d < digits; ++d) {
      const std::size_t first = std::max(end[d] / in_line * in_line, begin_[d]);
      for (std::size_t i = first; i < end[d]; ++i) to_[i] = line_of(d)[i % in_line];
    }
#if defined(__x86_64__)
    store_fence();
#endif
  }

 private:
  static constexpr std::size_t line = 64, in_line = line / sizeof(T);
  static_assert(line % sizeof(T) == 0);

  T* line_of(std::size_t digit) const { return lines_ + digit * in_line; }

  void write_line(std::size_t digit, std::size_t first, const T* gathered) {
#if defined(__x86_64__)
    if (first >= begin_[digit]) {
      const auto* const from = reinterpret_cast<const __m128i*>(gathered);
      auto* const to = reinterpret_cast<__m128i*>(to_ + first);
      for (std::size_t i = 0; i < line / sizeof *from; ++i)
        _mm_stream_si128(to + i, _mm_load_si128(from + i));
      return;
    }
#endif
    for (std::size_t i = std::max(first, begin_[digit]); i < first + in_line; ++i)
      to_[i] = gathered[i % in_line];
  }

  std::array<std::size_t, digits> begin_;
  T* to_;
  memory memory_;
  T* lines_;
};

template <class Key>
std::size_t digit_of(Key key, std::size_t pass) {
  return static_cast<std::size_t>(key >> (8 * pass)) % digits;
}

/// Moves elements first … last − 1 of n to the other arrays: `next` is where the next of each digit goes.
template <class Key, class Index>
void move_by_digit(std::size_t n, const sorted_keys<Key, Index>& all, std::size_t pass, std::size_t first,
                   std::size_t last, std::array<std::size_t, digits>& next) {
  constexpr bool has_index = !std::is_same_v<Index, no_index>;
  constexpr std::size_t index_bytes = has_index ? sizeof(Index) : 0;
  const Key* const from = all.keys;
  [[maybe_unused]] const Index* const indices_from = all.indices;
  const auto move_each = [&](const auto& write) {
    for (std::size_t i = first; i < last; ++i) {
      const Key key = from[i];
      const std::size_t d = digit_of(key, pass);
      write(d, next[d]++, key, i);
    }
  };
  if (n * (sizeof(Key) + index_bytes) < gather_from_bytes) {
    Key* const to = all.other_keys;
    [[maybe_unused]] Index* const indices_to = all.other_indices;
    move_each([&](std::size_t, std::size_t at, Key key, [[maybe_unused]] std::size_t i) {
      to[at] = key;
      if constexpr (has_index) indices_to[at] = indices_from[i];
    });
    return;
  }
  lines_of_digits<Key> keys(next, all.other_keys);
  if constexpr (has_index) {
    lines_of_digits<Index> indices(next, all.other_indices);
    move_each([&](std::size_t d, std::size_t at, Key key, std::size_t i) {
      keys.write(d, at, key);
      indices.write(d, at, indices_from[i]);
    });
    indices.finish(next);
  } else {
    move_each([&](std::size_t d, std::size_t at, Key key, std::size_t) { keys.write(d, at, key); });
  }
  keys.finish(next);
}

/// A stable radix sort from the lowest digit of 8 bits on. In a pass each slice of the array counts its
/// digits; the elements of a digit go after those of all lower digits, and after the same digit of earlier
/// slices. All digits are counted at once before the first pass: passes in which all have one digit are left
/// out, and a single slice need not count again. The result is in `keys` and `indices`.
template <class Key, class Index>
void radix_sort(int threads, std::size_t n, sorted_keys<Key, Index>& all) {
  constexpr std::size_t passes = sizeof(Key);
  const std::size_t slices = std::clamp<std::size_t>(n / sort_grain, 1, static_cast<std::size_t>(threads));
  const auto begin = [&](std::size_t slice) { return impl::part_begin(n, slices, slice); };
  using counts = std::array<std::array<std::size_t, digits>, passes>;
  std::vector<counts> of_slices(slices);
  const auto for_each_slice = [&](const auto& f) {
    for_slices(threads, slices, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t slice = first; slice < last; ++slice) {
        // A sort of many can be interrupted between these.
        constexpr std::size_t most = impl::threshold.sort_interruptible;
        const std::size_t end = begin(slice + 1);
        for (std::size_t from = begin(slice); from < end; from += std::min(most, end - from)) {
          check_interruption();
          f(of_slices[slice], from, from + std::min(most, end - from));
        }
      }
    });
  };
  for_each_slice([&](counts& count, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Key key = all.keys[i];
      for (std::size_t pass = 0; pass < passes; ++pass) ++count[pass][digit_of(key, pass)];
    }
  });
  bool is_moved = false;
  for (std::size_t pass = 0; pass < passes; ++pass) {
    std::size_t alike = 0;
    for (const counts& count : of_slices) alike += count[pass][digit_of(all.keys[0], pass)];
    if (alike == n) continue;
    if (is_moved && slices > 1) {
      for (counts& count : of_slices) count[pass].fill(0);
      for_each_slice([&](counts& count, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) ++count[pass][digit_of(all.keys[i], pass)];
      });
    }
    std::size_t before = 0;
    for (std::size_t d = 0; d < digits; ++d) {
      for (counts& count : of_slices) before += std::exchange(count[pass][d], before);
    }
    for_each_slice([&](counts& count, std::size_t first, std::size_t last) {
      move_by_digit(n, all, pass, first, last, count[pass]);
    });
    is_moved = true;
    std::swap(all.keys, all.other_keys);
    if constexpr (!std::is_same_v<Index, no_index>) std::swap(all.indices, all.other_indices);
  }
}

template <class F>
void for_each(int threads, std::size_t n, const F& f) {
  for_slices(threads, n, sort_grain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) f(i);
  });
}

/// Keys in the order that is wanted.
template <class T>
impl::unsigned_of_bytes<sizeof(T)> reversed_if(bool descending, impl::unsigned_of_bytes<sizeof(T)> key) {
  return static_cast<impl::unsigned_of_bytes<sizeof(T)>>(descending ? ~key : key);
}

/// Below this many elements comparisons are faster than counting digits.
constexpr std::size_t few = impl::threshold.sort_few;

/// Whether the keys of elements do not fall. What is in no order is soon left.
template <class T, class KeyOf>
bool is_sorted(int threads, std::size_t n, const T* x, const KeyOf& key_of) {
  constexpr std::size_t soon = 16;
  for (std::size_t i = 1; i < std::min(n, soon); ++i) {
    if (key_of(x[i]) < key_of(x[i - 1])) return false;
  }
  if (n <= soon) return true;
  std::atomic<bool> result{true};
  for_slices(threads, n, sort_grain, [&](std::size_t first, std::size_t last) {
    constexpr std::size_t block = impl::threshold.sort_block;
    last = std::min(last + 1, n);
    for (std::size_t begin = first + 1; begin < last && result; begin += block) {
      unsigned falls = 0;
      for (std::size_t i = begin; i < std::min(begin + block, last); ++i)
        falls |= static_cast<unsigned>(key_of(x[i]) < key_of(x[i - 1]));
      if (falls != 0) result = false;
    }
  });
  return result;
}
template <class Key>
bool is_sorted(int threads, std::size_t n, const Key* keys) {
  return is_sorted(threads, n, keys, [](Key key) { return key; });
}

template <class Key>
void sort_keys(int threads, std::size_t n, sorted_keys<Key, no_index>& all) {
  if (n >= few) return radix_sort(threads, n, all);
  std::sort(all.keys, all.keys + n);
}
/// Of few keys the indices alone are sorted.
template <class Key, class Index>
void sort_keys(int threads, std::size_t n, sorted_keys<Key, Index>& all) {
  if (n >= few) return radix_sort(threads, n, all);
  std::sort(all.indices, all.indices + n,
            [keys = all.keys](Index a, Index b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
}

/// Sorts lines: `key(x)` of each element, and with an `Index` its index in its line. `store(index in the
/// array, sorted, index in the line)` takes the results. Threads share the lines out, or one line where there
/// are few. Lines along a slower axis are read and written together, a cache line of them at a time.
template <class Index, class T, class KeyOf, class Store>
void sort_lines(int threads, const T* x, const axis_lines& lines, const KeyOf& key_of, const Store& store) {
  using key = impl::unsigned_of_bytes<sizeof(T)>;
  constexpr bool has_index = !std::is_same_v<Index, no_index>;
  const bool share_lines = lines.count() >= static_cast<std::size_t>(threads);
  const std::size_t n = lines.length,
                    most = share_lines ? std::min<std::size_t>(lines.inner, 64 / sizeof(T)) : 1;
  const std::size_t bundles = (lines.inner + most - 1) / most;
  const auto sort_bundles = [&](int threads_a_line, std::size_t first, std::size_t last) {
    const std::size_t apart = (n + 63) / 64 * 64;  // every array begins a line
    const memory key_buffer(2 * most * apart * sizeof(key), target());
    const memory index_buffer(has_index ? 2 * most * apart * sizeof(Index) : 0, target());
    auto* const keys = static_cast<key*>(key_buffer.data());
    auto* const indices = static_cast<Index*>(index_buffer.data());
    std::vector<sorted_keys<key, Index>> all(most);
    for (std::size_t bundle = first; bundle < last; ++bundle) {
      const std::size_t column = bundle % bundles * most, count = std::min(most, lines.inner - column);
      const std::size_t begin = bundle / bundles * n * lines.inner + column;
      for (std::size_t line = 0; line < count; ++line) {
        all[line] = {keys + 2 * line * apart, keys + (2 * line + 1) * apart, nullptr, nullptr};
        if constexpr (has_index) {
          all[line].indices = indices + 2 * line * apart;
          all[line].other_indices = indices + (2 * line + 1) * apart;
        }
      }
      for_each(threads_a_line, n, [&](std::size_t i) {
        for (std::size_t line = 0; line < count; ++line) {
          all[line].keys[i] = key_of(x[begin + i * lines.inner + line]);
          if constexpr (has_index) all[line].indices[i] = static_cast<Index>(i);
        }
      });
      for (std::size_t line = 0; line < count; ++line) {
        // A single line has been checked already.
        if (lines.count() > 1 && is_sorted(threads_a_line, n, all[line].keys)) continue;
        sort_keys(threads_a_line, n, all[line]);
      }
      for_each(threads_a_line, n, [&](std::size_t i) {
        for (std::size_t line = 0; line < count; ++line) store(begin + i * lines.inner + line, all[line], i);
      });
    }
  };
  if (!share_lines) return sort_bundles(threads, 0, lines.outer * bundles);
  for_slices(threads, lines.outer * bundles, sort_grain / (most * n) + 1,
             [&](std::size_t first, std::size_t last) { sort_bundles(1, first, last); });
}

template <class T>
void sort(int threads, dtype type, const T* x, const axis_lines& lines, sort_order order, T* out) {
  const bool descending = order == sort_order::descending;
  const auto key_of = [=](T value) { return reversed_if<T>(descending, impl::to_sortable(value)); };
  if (lines.count() == 1 && is_sorted(threads, lines.length, x, key_of)) {
    // NaNs are at an end, and become the one NaN.
    const bool is_done = x == out && x[0] == x[0] && x[lines.length - 1] == x[lines.length - 1];
    if (is_done) return;
    return for_each(threads, lines.length,
                    [=](std::size_t i) { out[i] = impl::from_sortable<T>(impl::to_sortable(x[i])); });
  }
  if (sort_in_registers(type, x, lines, order, out, threads)) return;
  sort_lines<no_index>(threads, x, lines, key_of, [=](std::size_t at, const auto& sorted, std::size_t i) {
    out[at] = impl::from_sortable<T>(reversed_if<T>(descending, sorted.keys[i]));
  });
}

template <class Index, class T>
void argsort(int threads, dtype type, const T* x, const axis_lines& lines, sort_order order,
             std::size_t* indices) {
  const bool descending = order == sort_order::descending;
  const auto key_of = [=](T value) { return reversed_if<T>(descending, impl::to_key(value)); };
  if (lines.count() == 1 && is_sorted(threads, lines.length, x, key_of))
    return for_each(threads, lines.length, [=](std::size_t i) { indices[i] = i; });
  if (argsort_in_registers(type, x, lines, order, indices, threads)) return;
  sort_lines<Index>(threads, x, lines, key_of, [=](std::size_t at, const auto& sorted, std::size_t i) {
    indices[at] = sorted.indices[i];
  });
}

}  // namespace

void sort(dtype type, const void* x, const axis_lines& lines, sort_order order, void* out, int threads) {
  impl::with_ordered_type(type, [&]<class T>(T) {
    sort(threads, type, static_cast<const T*>(x), lines, order, static_cast<T*>(out));
  });
}

void argsort(dtype type, const void* x, const axis_lines& lines, sort_order order, std::size_t* indices,
             int threads) {
  impl::with_ordered_type(type, [&]<class T>(T) {
    const T* const from = static_cast<const T*>(x);
    if (lines.length <= std::numeric_limits<std::uint32_t>::max()) {
      argsort<std::uint32_t>(threads, type, from, lines, order, indices);
    } else {
      argsort<std::uint64_t>(threads, type, from, lines, order, indices);
    }
  });
}

}  // namespace heddle::cpu
