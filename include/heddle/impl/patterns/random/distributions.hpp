#pragma once

#include <heddle/compiler.hpp>

#include <cstdint>
#include <type_traits>

/// Operations that round once, of which distributions.hpp makes random numbers.
namespace heddle::impl::single_rounding {

HD_INLINE float fma(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return __fmaf_rn(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}
HD_INLINE double fma(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return __fma_rn(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}
HD_INLINE float square_root(float x) {
#if defined(__CUDA_ARCH__)
  return __fsqrt_rn(x);
#else
  return __builtin_sqrtf(x);
#endif
}
HD_INLINE double square_root(double x) {
#if defined(__CUDA_ARCH__)
  return __dsqrt_rn(x);
#else
  return __builtin_sqrt(x);
#endif
}

/// c[0] + c[1]·x + c[2]·x² + …
template <class T, class... Coefficients>
HD_INLINE T polynomial(T x, T first, Coefficients... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return first;
  } else {
    return fma(polynomial(x, static_cast<T>(rest)...), x, first);
  }
}

/// An integer below 2^23, exactly, without a conversion.
HD_INLINE float small_integer(std::uint32_t n) {
  return __builtin_bit_cast(float, 0x4b000000u | n) - 0x1p23f;
}
/// An integer below 2^52.
HD_INLINE double small_integer(std::uint64_t n) {
  return __builtin_bit_cast(double, 0x4330000000000000u | n) - 0x1p52;
}
/// An integer below 2^53.
HD_INLINE double integer53(std::uint64_t n) {
  return fma(small_integer(n >> 21), 0x1p21, small_integer(n & 0x1fffff));
}

/// Maps [0, 1) to [low, high) with one rounding, and never to `high`.
template <class T>
struct uniform_range {
  T low, width, last;

  uniform_range(T from, T to) : low(from), width(to - from), last(from < to ? below(to) : from) {}
  HD_INLINE T operator()(T unit) const {
    const T x = fma(unit, width, low);
    return x < last ? x : last;
  }

 private:
  static T below(T x) { return __builtin_bit_cast(T, next_bits(x)); }
  static auto next_bits(T x) {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const bits b = __builtin_bit_cast(bits, x);
    constexpr bits sign = bits{1} << (8 * sizeof(T) - 1);
    if (x == 0) return static_cast<bits>(sign | 1);
    return static_cast<bits>(x > 0 ? b - 1 : b + 1);
  }
};

}  // namespace heddle::impl::single_rounding
