// Sorts what fits into registers: a part of sort/cpu_kernels.cpp, which is compiled once for each instruction
// set.
#pragma once

#include "patterns/sort/cpu_kernels.hpp"
#include <heddle/support/simd.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

/// A register of keys. The network sorts rows of registers as a matrix: first its columns, then pairs of
/// sorted columns merge until one sequence is left.
template <class Key>
using keys_of = typename simd<Key>::vector;

template <class F, std::size_t... I>
HEDDLE_ALWAYS_INLINE void unrolled(std::index_sequence<I...>, const F& f) {
  (f(std::integral_constant<std::size_t, I>{}), ...);
}
/// Calls f with 0 … Count − 1 as constants.
template <std::size_t Count, class F>
HEDDLE_ALWAYS_INLINE void unrolled(const F& f) {
  unrolled(std::make_index_sequence<Count>{}, f);
}

template <class Key>
HEDDLE_ALWAYS_INLINE void exchange_rows(keys_of<Key>& a, keys_of<Key>& b) {
  const keys_of<Key> less = a < b ? a : b;
  b = a < b ? b : a;
  a = less;
}

/// The lesser of v and `other` in lanes whose bit `Bit` is clear, the greater in the other lanes.
template <std::size_t Bit, class Key>
HEDDLE_ALWAYS_INLINE keys_of<Key> exchanged_lanes(keys_of<Key> v, keys_of<Key> other) {
  constexpr std::size_t width = simd<Key>::width;
  const keys_of<Key> less = v < other ? v : other, greater = v < other ? other : v;
  return shuffled<Key>(less, greater, [](std::size_t l) { return (l & Bit) != 0 ? width + l : l; });
}

/// The exchanges of an odd-even merge sort (Batcher 1968) of Rows elements.
template <std::size_t Rows>
struct odd_even_network {
  struct exchange {
    std::size_t a, b;
  };
  template <class F>
  static constexpr void each(const F& f) {
    for (std::size_t p = 1; p < Rows; p *= 2) {
      for (std::size_t k = p; k >= 1; k /= 2) {
        for (std::size_t j = k % p; j + k < Rows; j += 2 * k) {
          for (std::size_t i = 0; i < k; ++i) {
            if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) f(exchange{i + j, i + j + k});
          }
        }
      }
    }
  }
  static constexpr std::size_t size = [] {
    std::size_t count = 0;
    each([&](exchange) { ++count; });
    return count;
  }();
  static constexpr std::array<exchange, size> exchanges = [] {
    std::array<exchange, size> all{};
    std::size_t count = 0;
    each([&](exchange rows) { all[count++] = rows; });
    return all;
  }();
};

template <class Key, std::size_t Rows>
HEDDLE_ALWAYS_INLINE void sort_columns(keys_of<Key> (&v)[Rows]) {
  using network = odd_even_network<Rows>;
  unrolled<network::size>([&](auto i) __attribute__((always_inline)) {
    constexpr auto rows = network::exchanges[i()];
    exchange_rows<Key>(v[rows.a], v[rows.b]);
  });
}

/// Sorts bitonic sequences of 2 · Distance lanes each.
template <class Key, std::size_t Distance, std::size_t Rows>
HEDDLE_ALWAYS_INLINE void sort_bitonic_lanes(keys_of<Key> (&v)[Rows]) {
  if constexpr (Distance > 0) {
    unrolled<Rows>([&](auto row) __attribute__((always_inline)) {
      const keys_of<Key> other = shuffled<Key>(v[row], v[row], [](std::size_t l) { return l ^ Distance; });
      v[row] = exchanged_lanes<Distance, Key>(v[row], other);
    });
    sort_bitonic_lanes<Key, Distance / 2>(v);
  }
}
/// Sorts bitonic sequences of 2 · Distance rows each.
template <class Key, std::size_t Distance, std::size_t Rows>
HEDDLE_ALWAYS_INLINE void sort_bitonic_rows(keys_of<Key> (&v)[Rows]) {
  if constexpr (Distance > 0) {
    unrolled<Rows>([&](auto row) __attribute__((always_inline)) {
      if constexpr ((row() & Distance) == 0) exchange_rows<Key>(v[row], v[row + Distance]);
    });
    sort_bitonic_rows<Key, Distance / 2>(v);
  }
}

/// Merges the sorted halves of each group of `Columns` lanes (Batcher's bitonic merge). Element k of a group
/// is in lane k / Rows of row k % Rows, before and after.
template <class Key, std::size_t Columns, std::size_t Rows>
HEDDLE_ALWAYS_INLINE void merge_columns(keys_of<Key> (&v)[Rows]) {
  const auto reversed = [](keys_of<Key> row) __attribute__((always_inline)) {
    return shuffled<Key>(row, row, [](std::size_t l) { return l ^ (Columns - 1); });
  };
  unrolled<(Rows + 1) / 2>([&](auto row) __attribute__((always_inline)) {
    constexpr std::size_t other = Rows - 1 - row();
    const keys_of<Key> a = v[row], b = v[other];
    v[row] = exchanged_lanes<Columns / 2, Key>(a, reversed(b));
    if constexpr (row() != other) v[other] = exchanged_lanes<Columns / 2, Key>(b, reversed(a));
  });
  sort_bitonic_lanes<Key, Columns / 4>(v);
  sort_bitonic_rows<Key, Rows / 2>(v);
}
/// Merges groups of Columns lanes, then of twice as many, up to Most.
template <class Key, std::size_t Columns, std::size_t Most, std::size_t Rows>
HEDDLE_ALWAYS_INLINE void merge_all_columns(keys_of<Key> (&v)[Rows]) {
  if constexpr (Columns <= Most) {
    merge_columns<Key, Columns>(v);
    merge_all_columns<Key, 2 * Columns, Most>(v);
  }
}

/// Brings element k from lane k / Rows of row k % Rows to lane k % width of register k / width. A row has
/// Registers registers.
template <class Key, std::size_t Registers, std::size_t Rows>
HEDDLE_ALWAYS_INLINE void transpose(keys_of<Key> (&v)[Rows]) {
  constexpr std::size_t width = simd<Key>::width;
  if constexpr (Registers < Rows) {
    constexpr std::size_t half = Rows / Registers / 2;
    keys_of<Key> next[Rows];
    unrolled<Rows / 2>([&](auto i) __attribute__((always_inline)) {
      const keys_of<Key> a = v[i], b = v[i + half * Registers];
      next[2 * i] = shuffled<Key>(a, b, [](std::size_t l) { return l / 2 + l % 2 * width; });
      next[2 * i + 1] = shuffled<Key>(a, b, [](std::size_t l) { return width / 2 + l / 2 + l % 2 * width; });
    });
    transpose<Key, 2 * Registers>(next);
    unrolled<Rows>([&](auto row) __attribute__((always_inline)) { v[row] = next[row]; });
  }
}

template <class Key>
HEDDLE_ALWAYS_INLINE keys_of<Key> key_of(keys_of<Key> x, const key_form<Key>& form) {
  constexpr Key sign_bit = 8 * sizeof(Key) - 1;
  const keys_of<Key> key = x ^ ((x >> sign_bit) & form.magnitude);
  return ((x & form.magnitude) > form.infinity ? splat(std::numeric_limits<Key>::max()) : key) ^ form.flip;
}
template <class Key>
HEDDLE_ALWAYS_INLINE keys_of<Key> element_of(keys_of<Key> key, const key_form<Key>& form) {
  constexpr Key sign_bit = 8 * sizeof(Key) - 1;
  const keys_of<Key> turned = key ^ form.flip;
  const keys_of<Key> x = turned ^ ((turned >> sign_bit) & form.magnitude);
  return (turned == std::numeric_limits<Key>::max() ? splat(form.nan) : x) & form.kept;
}

template <class Key>
HEDDLE_ALWAYS_INLINE keys_of<Key> lane_numbers() {
  return []<std::size_t... L>(std::index_sequence<L...>) __attribute__((always_inline)) {
    return keys_of<Key>{static_cast<Key>(L)...};
  }(std::make_index_sequence<simd<Key>::width>());
}

/// Sorts n elements, or keys, in `Rows` registers. `out` gets elements.
template <class Key, std::size_t Rows, bool FromElements>
void sort_rows(const Key* x, std::size_t n, const key_form<Key>& form, Key* out) {
  constexpr std::size_t width = simd<Key>::width;
  constexpr Key largest = std::numeric_limits<Key>::max();
  keys_of<Key> v[Rows];
  unrolled<Rows>([&](auto row) __attribute__((always_inline)) {
    constexpr std::size_t first = row() * width;
    if (first >= n) {
      v[row] = splat(largest);
    } else if constexpr (!FromElements) {
      v[row] = first + width <= n ? simd<Key>::load(x + first) : load_some(x + first, n - first, largest);
    } else if (first + width <= n) {
      v[row] = key_of(simd<Key>::load(x + first), form);
    } else {
      const keys_of<Key> keys = key_of(load_some(x + first, n - first, Key{}), form);
      v[row] = lane_numbers<Key>() < static_cast<Key>(n - first) ? keys : splat(largest);
    }
  });
  sort_columns<Key>(v);
  merge_all_columns<Key, 2, width>(v);
  transpose<Key, 1>(v);
  unrolled<Rows>([&](auto row) __attribute__((always_inline)) {
    constexpr std::size_t first = row() * width;
    if (first >= n) return;
    const keys_of<Key> sorted = element_of(v[row], form);
    if (first + width <= n) {
      store<Key>(sorted, out + first);
    } else {
      store_some<Key>(sorted, n - first, out + first);
    }
  });
}

}  // namespace
}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
