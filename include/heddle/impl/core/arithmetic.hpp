#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/core/conversion.hpp>

#include <complex>
#include <cstdint>
#include <type_traits>

/// Arithmetic that has the same bits on every target.
namespace heddle::impl {

/// The real (0) or imaginary (1) part of z, in code that may run on a GPU, where std::complex has no member
/// functions.
template <class T>
HD_INLINE auto& part(T& z, int which) {
  using P = typename complex_parts<std::remove_const_t<T>>::part;
  using Q = std::conditional_t<std::is_const_v<T>, const P, P>;
  return reinterpret_cast<Q*>(&z)[which];
}
template <class T, class P>
HD_INLINE T complex_like(T z, P re, P im) {
  part(z, 0) = re;
  part(z, 1) = im;
  return z;
}

/// Sums and products of small integers are taken modulo 2^bits, through an unsigned type that does not
/// promote to int.
template <class T>
using modular = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;

// The GPU's compiler contracts a product and a sum into one rounding, but not these two, so that a sum has
// the same bits on every target.
template <class T>
HD_INLINE T rounded_sum(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return __fadd_rn(a, b);
  if constexpr (std::is_same_v<T, double>) return __dadd_rn(a, b);
#endif
  return a + b;
}
template <class T>
HD_INLINE T rounded_product(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return __fmul_rn(a, b);
  if constexpr (std::is_same_v<T, double>) return __dmul_rn(a, b);
#endif
#if !defined(__CUDACC__) && __has_builtin(__builtin_assoc_barrier)
  // GCC 12 fuses a·b ± c·d in vectors even under -ffp-contract=off, but not across this.
  return __builtin_assoc_barrier(a * b);
#else
  return a * b;
#endif
}

/// Whether 0 and 1 are elements of T: of numbers and of types that are constructed from numbers. Other types
/// of a user's own have operators here and no identity.
template <class T>
concept from_number = std::is_convertible_v<int, T>;

template <class T>
HD_INLINE bool has_sign_bit(T x) {
  if constexpr (sizeof(T) > 8) {
    return __builtin_signbit(x);
  } else {
    using bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    return __builtin_bit_cast(bits, x) < 0;
  }
}

#if HD_PTX_ARCH > 0
// A GPU compares doubles and selects words at half the rate at which it issues instructions: two comparisons,
// one test of both signs and one selection. If b is NaN it is the result; if a is NaN, neither comparison
// holds; and of numbers of opposite signs, zeros among them, the signs decide.

__device__ __forceinline__ double smaller_of(double a, double b) {
  double result;
  asm("{\n"
      "  .reg .pred first;\n"
      "  .reg .b32 low, i, j;\n"
      "  mov.b64 {low, i}, %1;\n"
      "  mov.b64 {low, j}, %2;\n"
      "  lop3.b32 i, i, j, 0x80000000, 0x20;\n"  // i ∧ ¬j ∧ the sign
      "  setp.ne.b32 first, i, 0;\n"
      "  setp.ltu.or.f64 first, %1, %2, first;\n"
      "  setp.num.and.f64 first, %2, %2, first;\n"
      "  selp.f64 %0, %1, %2, first;\n"
      "}"
      : "=d"(result)
      : "d"(a), "d"(b));
  return result;
}
__device__ __forceinline__ double larger_of(double a, double b) {
  double result;
  asm("{\n"
      "  .reg .pred first;\n"
      "  .reg .b32 low, i, j;\n"
      "  mov.b64 {low, i}, %1;\n"
      "  mov.b64 {low, j}, %2;\n"
      "  lop3.b32 i, i, j, 0x80000000, 0x08;\n"  // ¬i ∧ j ∧ the sign
      "  setp.ne.b32 first, i, 0;\n"
      "  setp.gtu.or.f64 first, %1, %2, first;\n"
      "  setp.num.and.f64 first, %2, %2, first;\n"
      "  selp.f64 %0, %1, %2, first;\n"
      "}"
      : "=d"(result)
      : "d"(a), "d"(b));
  return result;
}
#endif

}  // namespace heddle::impl
