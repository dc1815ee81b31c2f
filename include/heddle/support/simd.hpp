#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#ifndef HEDDLE_ISA
#define HEDDLE_ISA any_processor
#endif

// nvcc does not read the extensions of host compilers.
#if !defined(__CUDACC__)

/// SIMD registers of a CPU, for your own loops. A file that is compiled for several instruction sets
/// (-march=…) defines HEDDLE_ISA as a different name for each, so that no two share a function. Without
/// options a register has 16 bytes.
namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

/// Bytes of the widest register that the file is compiled for: 16, 32 or 64.
#if defined(__AVX512BW__)
constexpr std::size_t register_bytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t register_bytes = 32;
#else
constexpr std::size_t register_bytes = 16;
#endif

/// A register of elements, on which the operators of C++ work element by element.
template <class T>
struct simd {
  typedef T vector __attribute__((vector_size(register_bytes)));
  static constexpr std::size_t width = register_bytes / sizeof(T);

  static inline __attribute__((always_inline)) vector load(const T* from) {
    vector v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
  }
};

#define HEDDLE_ALWAYS_INLINE inline __attribute__((always_inline))

/// Stores a register. A non-temporal store bypasses the cache and takes an aligned address; other threads see
/// it after a store fence (_mm_sfence).
template <class T>
HEDDLE_ALWAYS_INLINE void store(typename simd<T>::vector v, T* to,
                                [[maybe_unused]] bool non_temporal = false) {
#if defined(__SSE2__)
  if (non_temporal) {
#if defined(__AVX512BW__)
    return _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)v);
#elif defined(__AVX2__)
    return _mm256_stream_si256(reinterpret_cast<__m256i*>(to), (__m256i)v);
#else
    return _mm_stream_si128(reinterpret_cast<__m128i*>(to), (__m128i)v);
#endif
  }
#endif
  __builtin_memcpy(to, &v, sizeof v);
}

/// Lane l of the result is lane Index{}(l) of a followed by b; Index is a constexpr function object.
template <class T, class Index>
HEDDLE_ALWAYS_INLINE typename simd<T>::vector shuffled(typename simd<T>::vector a, typename simd<T>::vector b,
                                                       Index) {
  return [&]<std::size_t... L>(std::index_sequence<L...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(a, b, static_cast<int>(Index{}(L))...);
  }(std::make_index_sequence<simd<T>::width>());
}

/// The value in every lane.
template <class T>
HEDDLE_ALWAYS_INLINE typename simd<T>::vector splat(T value) {
  return [&]<std::size_t... L>(std::index_sequence<L...>) __attribute__((always_inline)) {
    return typename simd<T>::vector{((void)L, value)...};
  }(std::make_index_sequence<simd<T>::width>());
}

/// The first `count` lanes, fewer than a register has, from memory, and `none` in the others.
template <class T>
HEDDLE_ALWAYS_INLINE typename simd<T>::vector load_some(const T* from, std::size_t count, T none) {
  using vector = typename simd<T>::vector;
#if defined(__AVX512BW__)
  const __m512i others = (__m512i)splat(none);
  const std::uint64_t mask = (std::uint64_t{1} << count) - 1;
  if constexpr (sizeof(T) == 1) return (vector)_mm512_mask_loadu_epi8(others, mask, from);
  if constexpr (sizeof(T) == 2)
    return (vector)_mm512_mask_loadu_epi16(others, static_cast<__mmask32>(mask), from);
  if constexpr (sizeof(T) == 4)
    return (vector)_mm512_mask_loadu_epi32(others, static_cast<__mmask16>(mask), from);
  if constexpr (sizeof(T) == 8)
    return (vector)_mm512_mask_loadu_epi64(others, static_cast<__mmask8>(mask), from);
#else
  vector v = splat(none);
  for (std::size_t l = 0; l < count; ++l) v[l] = from[l];
  return v;
#endif
}
/// Stores the first `count` lanes, fewer than a register has.
template <class T>
HEDDLE_ALWAYS_INLINE void store_some(typename simd<T>::vector v, std::size_t count, T* to) {
#if defined(__AVX512BW__)
  const std::uint64_t mask = (std::uint64_t{1} << count) - 1;
  if constexpr (sizeof(T) == 1) _mm512_mask_storeu_epi8(to, mask, (__m512i)v);
  if constexpr (sizeof(T) == 2) _mm512_mask_storeu_epi16(to, static_cast<__mmask32>(mask), (__m512i)v);
  if constexpr (sizeof(T) == 4) _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(mask), (__m512i)v);
  if constexpr (sizeof(T) == 8) _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(mask), (__m512i)v);
#else
  for (std::size_t l = 0; l < count; ++l) to[l] = v[l];
#endif
}

/// The signed integer of the size of T.
template <class T>
using same_size_integer =
    std::conditional_t<sizeof(T) == 1, std::int8_t,
                       std::conditional_t<sizeof(T) == 2, std::int16_t,
                                          std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>>;

}  // namespace
}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu

#endif
