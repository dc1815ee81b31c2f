// A quicksort that splits keys a register at a time: a part of sort/cpu_kernels.cpp, which is compiled once
// for each instruction set.
#pragma once

#include "cpu/chosen_lanes.hpp"
#include "patterns/sort/cpu_kernels.hpp"
#include "patterns/sort/sorting_network.hpp"
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/support/simd.hpp>

#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

/// Up to this many keys are sorted in registers: AVX-512 has 32 of these, AVX2 has 16.
constexpr std::size_t sort_registers =
    impl::threshold.sort_registers < register_bytes / 2 ? impl::threshold.sort_registers : register_bytes / 2;
template <class Key>
constexpr std::size_t few_keys = sort_registers * simd<Key>::width;

template <class Key, bool FromElements = false>
void sort_few(const Key* x, std::size_t n, const key_form<Key>& form, Key* out) {
  constexpr std::size_t width = simd<Key>::width;
  if (n <= width) return sort_rows<Key, 1, FromElements>(x, n, form, out);
  if (n <= 2 * width) return sort_rows<Key, 2, FromElements>(x, n, form, out);
  if (n <= 4 * width) return sort_rows<Key, 4, FromElements>(x, n, form, out);
  if (n <= 8 * width) return sort_rows<Key, 8, FromElements>(x, n, form, out);
  if constexpr (sort_registers > 8) {
    if (n <= 16 * width) return sort_rows<Key, 16, FromElements>(x, n, form, out);
  }
  if constexpr (sort_registers > 16) sort_rows<Key, 32, FromElements>(x, n, form, out);
}

template <class Key>
void make_keys(const Key* x, std::size_t n, const key_form<Key>& form, Key* keys) {
  constexpr std::size_t width = simd<Key>::width;
  std::size_t i = 0;
  for (; i + width <= n; i += width) store<Key>(key_of(simd<Key>::load(x + i), form), keys + i);
  if (i < n) store_some<Key>(key_of(load_some(x + i, n - i, Key{}), form), n - i, keys + i);
}
template <class Key>
void make_elements(Key* keys, std::size_t n, const key_form<Key>& form) {
  constexpr std::size_t width = simd<Key>::width;
  std::size_t i = 0;
  for (; i + width <= n; i += width) store<Key>(element_of(simd<Key>::load(keys + i), form), keys + i);
  if (i < n) store_some<Key>(element_of(load_some(keys + i, n - i, Key{}), form), n - i, keys + i);
}

/// Writes the keys before the pivot from `left` on, and the others to the end at `right`. Both move towards
/// each other. There is room for a register between them.
template <class Key, bool OrEqual>
HEDDLE_ALWAYS_INLINE void split_register(keys_of<Key> v, keys_of<Key> pivot, Key*& left, Key*& right) {
  constexpr std::size_t width = simd<Key>::width;
#if defined(__AVX512BW__)
  const __m512i keys = (__m512i)v;
  std::size_t count = 0;
  if constexpr (sizeof(Key) == 4) {
    const __mmask16 before = OrEqual ? _mm512_cmple_epi32_mask(keys, (__m512i)pivot)
                                     : _mm512_cmplt_epi32_mask(keys, (__m512i)pivot);
    count = static_cast<std::size_t>(__builtin_popcount(before));
    _mm512_storeu_si512(left, _mm512_maskz_compress_epi32(before, keys));
    _mm512_mask_storeu_epi32(right - (width - count), static_cast<__mmask16>(0xffffu >> count),
                             _mm512_maskz_compress_epi32(static_cast<__mmask16>(~before), keys));
  } else {
    const __mmask8 before = OrEqual ? _mm512_cmple_epi64_mask(keys, (__m512i)pivot)
                                    : _mm512_cmplt_epi64_mask(keys, (__m512i)pivot);
    count = static_cast<std::size_t>(__builtin_popcount(before));
    _mm512_storeu_si512(left, _mm512_maskz_compress_epi64(before, keys));
    _mm512_mask_storeu_epi64(right - (width - count), static_cast<__mmask8>(0xffu >> count),
                             _mm512_maskz_compress_epi64(static_cast<__mmask8>(~before), keys));
  }
#else
  const __m256i before = OrEqual ? (__m256i)(v <= pivot) : (__m256i)(v < pivot);
  const int mask =
      sizeof(Key) == 4 ? _mm256_movemask_ps((__m256)before) : _mm256_movemask_pd((__m256d)before);
  const auto count = static_cast<std::size_t>(__builtin_popcount(static_cast<unsigned>(mask)));
  const __m256i divided = with_chosen_first<width>((__m256i)v, static_cast<unsigned>(mask));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(left), divided);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(right - width), divided);
#endif
  left += count;
  right -= width - count;
}

/// Registers that are read at a time.
constexpr std::size_t split_step = 4;

/// The same of whole registers, at least 2 · split_step of them, in place. Registers from both ends are kept
/// aside, so that there is always room at both ends for what is read next. Returns the end of the front.
template <bool OrEqual, class Key>
Key* split_registers(Key* x, std::size_t registers, Key pivot_key) {
  constexpr std::size_t width = simd<Key>::width, step = split_step * width;
  const keys_of<Key> pivot = splat(pivot_key);
  keys_of<Key> aside[3 * split_step];
  std::size_t kept = 0;
  const auto keep = [&](const Key* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) aside[kept++] = simd<Key>::load(from + i * width);
  };
  Key* const end = x + registers * width;
  Key *from = x + step, *from_end = x + registers / split_step * step;
  keep(x, split_step);
  keep(from_end, registers % split_step);
  from_end -= step;
  keep(from_end, split_step);
  Key *left = x, *right = end;
  while (from != from_end) {
    const Key* take = from;
    if (from - left <= right - from_end) {
      from += step;
    } else {
      from_end -= step;
      take = from_end;
    }
    keys_of<Key> v[split_step];
    unrolled<split_step>([&](auto i)
                             __attribute__((always_inline)) { v[i] = simd<Key>::load(take + i * width); });
    unrolled<split_step>([&](auto i) __attribute__((always_inline)) {
      split_register<Key, OrEqual>(v[i], pivot, left, right);
    });
  }
  for (std::size_t i = 0; i < kept; ++i) split_register<Key, OrEqual>(aside[i], pivot, left, right);
  return left;
}

/// Moves the keys before the pivot, and with OrEqual those equal to it, to the front: how many there are.
template <bool OrEqual, class Key>
std::size_t split_keys(Key* x, std::size_t n, Key pivot) {
  constexpr std::size_t width = simd<Key>::width;
  const std::size_t registers = n / width < 2 * split_step ? 0 : n / width;
  std::size_t front =
      registers == 0 ? 0 : static_cast<std::size_t>(split_registers<OrEqual>(x, registers, pivot) - x);
  // The front grows over its neighbours, which go to where the rest was.
  for (std::size_t i = registers * width; i < n; ++i) {
    const Key key = x[i];
    x[i] = x[front];
    x[front] = key;
    front += (OrEqual ? key <= pivot : key < pivot) ? 1 : 0;
  }
  return front;
}

template <class Key>
Key median_of_some(const Key* x, std::size_t n) {
  constexpr std::size_t width = simd<Key>::width;
  Key some[4 * width];
  const std::size_t count = n < 64 * width ? width : 4 * width;
  for (std::size_t i = 0; i < count; ++i) some[i] = x[n / count * i];
  sort_few(some, count, {}, some);
  return some[count / 2];
}

template <class Key>
void heap_sort(Key* x, std::size_t n) {
  const auto sink = [x](std::size_t i, std::size_t end) __attribute__((always_inline)) {
    const Key key = x[i];
    for (std::size_t child = 2 * i + 1; child < end; child = 2 * i + 1) {
      if (child + 1 < end && x[child] < x[child + 1]) ++child;
      if (x[child] <= key) break;
      x[i] = x[child];
      i = child;
    }
    x[i] = key;
  };
  for (std::size_t i = n / 2; i > 0; --i) sink(i - 1, n);
  for (std::size_t end = n - 1; end > 0; --end) {
    const Key greatest = x[0];
    x[0] = x[end];
    x[end] = greatest;
    sink(0, end);
  }
}

/// After `splits` splits that did not get far the rest is left to a heap sort, which has no bad cases.
template <class Key>
void quick_sort(Key* x, std::size_t n, const key_form<Key>& form, between_pieces between,
                std::size_t splits) {
  while (n > few_keys<Key>) {
    if (n > impl::threshold.sort_interruptible) between();
    if (splits-- == 0) {
      heap_sort(x, n);
      return make_elements(x, n, form);
    }
    const Key pivot = median_of_some(x, n);
    std::size_t front = split_keys<false>(x, n, pivot);
    if (front > 0) {
      quick_sort(x, front, form, between, splits);
    } else {
      // The pivot is the least key, and all that equal it are sorted.
      front = split_keys<true>(x, n, pivot);
      make_elements(x, front, form);
    }
    x += front;
    n -= front;
  }
  sort_few(x, n, form, x);
}

template <class Key>
void vector_sort(Key* x, std::size_t n, const key_form<Key>& form, between_pieces between) {
  std::size_t splits = 2;
  for (std::size_t left = n; left > 0; left /= 2) splits += impl::threshold.sort_splits_a_halving;
  quick_sort(x, n, form, between, splits);
}

}  // namespace
}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
#endif
