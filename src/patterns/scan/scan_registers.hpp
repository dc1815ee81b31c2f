// Registers of numbers, and shuffles of their lanes for scans: a part of cpu_kernels.cpp, and like it
// compiled once for each instruction set.
#pragma once

#include "cpu/simd.hpp"
#include <heddle/impl/core/order.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

template <class T>
struct part_of {
  using type = T;
};
template <class P>
struct part_of<std::complex<P>> {
  using type = P;
};

/// Registers of real or complex numbers.
template <class T>
struct numbers {
  using part = typename part_of<T>::type;
  using vector = typename simd<part>::vector;
  static constexpr std::size_t parts = is_complex<T> ? 2 : 1, width = register_bytes / sizeof(T);

  /// The first `count` numbers, and zeros where a register has more.
  static HEDDLE_ALWAYS_INLINE vector load(const T* from, std::size_t count = width) {
    const part* const x = reinterpret_cast<const part*>(from);
    return count >= width ? simd<part>::load(x) : load_some(x, count * parts, part());
  }
  static HEDDLE_ALWAYS_INLINE void store(vector v, T* to, std::size_t count = width,
                                         bool non_temporal = false) {
    part* const x = reinterpret_cast<part*>(to);
    if (count >= width) return cpu::store<part>(v, x, non_temporal);
    store_some<part>(v, count * parts, x);
  }
  static HEDDLE_ALWAYS_INLINE vector splat(const T& value) {
    return [&]<std::size_t... L>(std::index_sequence<L...>) __attribute__((always_inline)) {
      return vector{reinterpret_cast<const part*>(&value)[L % parts]...};
    }(std::make_index_sequence<width * parts>());
  }
  static HEDDLE_ALWAYS_INLINE T first(vector v) {
    T value;
    for (std::size_t p = 0; p < parts; ++p) reinterpret_cast<part*>(&value)[p] = v[p];
    return value;
  }

  /// As `shuffled` of simd.hpp, with a number in a lane.
  template <class Index>
  static HEDDLE_ALWAYS_INLINE vector shuffled(vector a, vector b, Index) {
    return [&]<std::size_t... L>(std::index_sequence<L...>) __attribute__((always_inline)) {
      return __builtin_shufflevector(a, b, static_cast<int>(Index{}(L / parts) * parts + L % parts)...);
    }(std::make_index_sequence<width * parts>());
  }

  /// NaNs become the one quiet NaN.
  static HEDDLE_ALWAYS_INLINE vector canonical(vector v) {
    if constexpr (std::is_floating_point_v<part>) {
      return v == v ? v : cpu::splat(order::canonical(std::numeric_limits<part>::quiet_NaN()));
    } else {
      return v;
    }
  }
  static HEDDLE_ALWAYS_INLINE bool has_nan(vector v) {
#if defined(__AVX512BW__)
    if constexpr (sizeof(part) == 4) return _mm512_cmp_ps_mask((__m512)v, (__m512)v, _CMP_UNORD_Q) != 0;
    if constexpr (sizeof(part) == 8) return _mm512_cmp_pd_mask((__m512d)v, (__m512d)v, _CMP_UNORD_Q) != 0;
#endif
    bool found = false;
    for (std::size_t l = 0; l < width * parts; ++l) found |= v[l] != v[l];
    return found;
  }
};

// Which lane each lane comes from: l is lane l of the first of two registers, Width + l of the second.

/// The second shifted up by some lanes; lanes First … of the first come before it.
template <std::size_t Width, std::size_t Lanes, std::size_t First>
struct up_by {
  constexpr std::size_t operator()(std::size_t l) const { return l < Lanes ? First + l : Width + l - Lanes; }
};
template <std::size_t Width>
struct last_lane {
  constexpr std::size_t operator()(std::size_t) const { return Width - 1; }
};
/// The first or the last of each two lanes of both, interleaved.
template <std::size_t Width, bool Last>
struct one_of_two {
  constexpr std::size_t operator()(std::size_t l) const {
    return (l & 1) * Width + (l & ~std::size_t{1}) + Last;
  }
};
/// The first or last two of each four lanes of both, interleaved.
template <std::size_t Width, bool Last>
struct two_of_four {
  constexpr std::size_t operator()(std::size_t l) const {
    return (l & 1) * Width + (l & ~std::size_t{3}) + (Last ? 2 : 0) + (l & 3) / 2;
  }
};
/// The first or last pair of each four lanes of both.
template <std::size_t Width, bool Last>
struct pairs {
  constexpr std::size_t operator()(std::size_t l) const {
    return (l & 2) / 2 * Width + (l & ~std::size_t{3}) + (Last ? 2 : 0) + (l & 1);
  }
};

#if defined(__AVX512BW__)
#define HEDDLE_LANES 4
#elif defined(__AVX2__)
#define HEDDLE_LANES 2
#else
#define HEDDLE_LANES 1
#endif

/// In each 16 bytes: the elements shifted up by `Bytes`, with those of `none` before them.
template <int Bytes, class V>
HEDDLE_ALWAYS_INLINE V moved_up(V none, V v) {
#if defined(__AVX512BW__)
  return (V)_mm512_alignr_epi8((__m512i)v, (__m512i)none, 16 - Bytes);
#elif defined(__AVX2__)
  return (V)_mm256_alignr_epi8((__m256i)v, (__m256i)none, 16 - Bytes);
#elif defined(__SSE2__)
  return (V)_mm_or_si128(_mm_slli_si128((__m128i)v, Bytes), _mm_srli_si128((__m128i)none, 16 - Bytes));
#else
  using bytes = simd<std::int8_t>::vector;
  return (V)shuffled<std::int8_t>((bytes)none, (bytes)v, up_by<16, Bytes, 16 - Bytes>());
#endif
}

/// The lanes shifted up by one; the last lane of the register before comes first.
template <class T, class V = typename simd<T>::vector>
HEDDLE_ALWAYS_INLINE V shifted_in(V before, V v) {
#if HEDDLE_LANES > 1
  using words = typename simd<std::int64_t>::vector;
  constexpr std::size_t width = simd<std::int64_t>::width;
  before = (V)shuffled<std::int64_t>((words)before, (words)v, up_by<width, 2, width - 2>());
#endif
  return moved_up<sizeof(T)>(before, v);
}

template <class Op, class T, class R = typename numbers<T>::vector>
HEDDLE_ALWAYS_INLINE R combined(R a, R b) {
  return apply<Op, typename numbers<T>::part>(a, b);
}

}  // namespace
}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
