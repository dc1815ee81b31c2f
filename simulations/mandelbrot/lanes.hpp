#pragma once

// For what is compiled once for each instruction set, with HEDDLE_ISA naming it; see heddle/support/simd.hpp.
#include <heddle/support/simd.hpp>

#include <cstdint>
#include <type_traits>

namespace heddle::mandelbrot {
inline namespace HEDDLE_ISA {
namespace {

#define HEDDLE_LANES inline __attribute__((always_inline))

/// A register of points, of which those that have not escaped are set in a mask.
template <class T>
struct lanes {
  using real = typename cpu::simd<T>::vector;
  using integer = cpu::same_size_integer<T>;
  using integers = typename cpu::simd<integer>::vector;
  static constexpr int width = cpu::simd<T>::width;
#if defined(__AVX512F__)
  using mask = std::conditional_t<sizeof(T) == 4, __mmask16, __mmask8>;
  static HEDDLE_LANES mask all() { return static_cast<mask>(-1); }
  static HEDDLE_LANES mask below(mask alive, real a, real b) {
    if constexpr (sizeof(T) == 4) return _mm512_mask_cmp_ps_mask(alive, (__m512)a, (__m512)b, _CMP_LT_OQ);
    if constexpr (sizeof(T) == 8) return _mm512_mask_cmp_pd_mask(alive, (__m512d)a, (__m512d)b, _CMP_LT_OQ);
  }
  static HEDDLE_LANES mask equal(real a, real b) {
    if constexpr (sizeof(T) == 4) return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_EQ_OQ);
    if constexpr (sizeof(T) == 8) return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_EQ_OQ);
  }
  static HEDDLE_LANES integers count(integers n, mask alive) {
    const __m512i one = (__m512i)(integers{} + 1);
    if constexpr (sizeof(T) == 4) return (integers)_mm512_mask_add_epi32((__m512i)n, alive, (__m512i)n, one);
    if constexpr (sizeof(T) == 8) return (integers)_mm512_mask_add_epi64((__m512i)n, alive, (__m512i)n, one);
  }
  static HEDDLE_LANES unsigned bits(mask m) { return m; }
  static HEDDLE_LANES real twice_and(real t, real c) {
    const real two = real{} + T(2);
    if constexpr (sizeof(T) == 4) return (real)_mm512_fmadd_ps((__m512)two, (__m512)t, (__m512)c);
    if constexpr (sizeof(T) == 8) return (real)_mm512_fmadd_pd((__m512d)two, (__m512d)t, (__m512d)c);
  }
  static HEDDLE_LANES mask same(integers a, integers b) {
    if constexpr (sizeof(T) == 4) return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
    if constexpr (sizeof(T) == 8) return _mm512_cmpeq_epi64_mask((__m512i)a, (__m512i)b);
  }
#else
  using mask = integers;
  static HEDDLE_LANES mask all() { return ~mask{}; }
  static HEDDLE_LANES mask below(mask alive, real a, real b) { return alive & (mask)(a < b); }
  static HEDDLE_LANES mask equal(real a, real b) { return (mask)(a == b); }
  static HEDDLE_LANES mask same(integers a, integers b) { return (mask)(a == b); }
  static HEDDLE_LANES integers count(integers n, mask alive) { return n - alive; }
  static HEDDLE_LANES unsigned bits(mask m) {
#if defined(__AVX2__)
    if constexpr (sizeof(T) == 4) return static_cast<unsigned>(_mm256_movemask_ps((__m256)m));
    if constexpr (sizeof(T) == 8) return static_cast<unsigned>(_mm256_movemask_pd((__m256d)m));
#else
    unsigned set = 0;
    for (int lane = 0; lane < width; ++lane) set |= (m[lane] != 0 ? 1u : 0u) << lane;
    return set;
#endif
  }
  static HEDDLE_LANES real twice_and(real t, real c) {
#if defined(__FMA__)
    const real two = real{} + T(2);
    if constexpr (sizeof(T) == 4) return (real)_mm256_fmadd_ps((__m256)two, (__m256)t, (__m256)c);
    if constexpr (sizeof(T) == 8) return (real)_mm256_fmadd_pd((__m256d)two, (__m256d)t, (__m256d)c);
#else
    return (t + t) + c;
#endif
  }
#endif
};

}  // namespace
}  // namespace HEDDLE_ISA
}  // namespace heddle::mandelbrot
