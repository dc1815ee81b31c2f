#pragma once

/// Arithmetic and conversions whose names say how they round: _rn to nearest even, _rz to zero, _ru up, _rd
/// down.

#include "arithmetic.hpp"

#include <fenv.h>

namespace heddle_device {

/// The processor rounds so as long as it lives.
template <int Mode>
struct rounding_mode {
  HEDDLE_DEVICE rounding_mode() { fesetround(Mode); }
  HEDDLE_DEVICE ~rounding_mode() { fesetround(FE_TONEAREST); }
  /// Nothing is known of the result, so that what is computed with it is computed where that is written.
  template <class T>
  static HEDDLE_DEVICE T opaque(T x) {
    asm volatile("" : "+m"(x) : : "memory");
    return x;
  }
};
template <>
struct rounding_mode<FE_TONEAREST> {
  template <class T>
  static HEDDLE_DEVICE T opaque(T x) {
    return x;
  }
};

}  // namespace heddle_device

#define HEDDLE_OPERATION1(NAME, T, EXPRESSION, MODE) \
  HEDDLE_DEVICE T NAME(T a) {                        \
    const heddle_device::rounding_mode<MODE> mode;   \
    a = mode.opaque(a);                              \
    return mode.opaque(EXPRESSION);                  \
  }
#define HEDDLE_OPERATION2(NAME, T, EXPRESSION, MODE) \
  HEDDLE_DEVICE T NAME(T a, T b) {                   \
    const heddle_device::rounding_mode<MODE> mode;   \
    a = mode.opaque(a), b = mode.opaque(b);          \
    return mode.opaque(EXPRESSION);                  \
  }
#define HEDDLE_OPERATION3(NAME, T, EXPRESSION, MODE)            \
  HEDDLE_DEVICE T NAME(T a, T b, T c) {                         \
    const heddle_device::rounding_mode<MODE> mode;              \
    a = mode.opaque(a), b = mode.opaque(b), c = mode.opaque(c); \
    return mode.opaque(EXPRESSION);                             \
  }
#define HEDDLE_CONVERSION(NAME, FROM, TO, MODE)          \
  HEDDLE_DEVICE TO NAME(FROM x) {                        \
    const heddle_device::rounding_mode<MODE> mode;       \
    return mode.opaque(static_cast<TO>(mode.opaque(x))); \
  }
#define HEDDLE_TO_INTEGER(NAME, I, LEAST, MOST, SUFFIX, ROUND)     \
  HEDDLE_DEVICE I __float2##NAME##SUFFIX(float x) {                \
    return heddle_device::to_integer<I>(ROUND##f(x), LEAST, MOST); \
  }                                                                \
  HEDDLE_DEVICE I __double2##NAME##SUFFIX(double x) {              \
    return heddle_device::to_integer<I>(ROUND(x), LEAST, MOST);    \
  }
#define HEDDLE_ROUNDED(SUFFIX, MODE, ROUND)                                                          \
  HEDDLE_OPERATION2(__fadd##SUFFIX, float, a + b, MODE)                                              \
  HEDDLE_OPERATION2(__fsub##SUFFIX, float, a - b, MODE)                                              \
  HEDDLE_OPERATION2(__fmul##SUFFIX, float, a* b, MODE)                                               \
  HEDDLE_OPERATION2(__fdiv##SUFFIX, float, a / b, MODE)                                              \
  HEDDLE_OPERATION3(__fmaf##SUFFIX, float, fmaf(a, b, c), MODE)                                      \
  HEDDLE_OPERATION3(__fmaf_ieee##SUFFIX, float, fmaf(a, b, c), MODE)                                 \
  HEDDLE_OPERATION1(__frcp##SUFFIX, float, 1 / a, MODE)                                              \
  HEDDLE_OPERATION1(__fsqrt##SUFFIX, float, sqrtf(a), MODE)                                          \
  HEDDLE_OPERATION2(__dadd##SUFFIX, double, a + b, MODE)                                             \
  HEDDLE_OPERATION2(__dsub##SUFFIX, double, a - b, MODE)                                             \
  HEDDLE_OPERATION2(__dmul##SUFFIX, double, a* b, MODE)                                              \
  HEDDLE_OPERATION2(__ddiv##SUFFIX, double, a / b, MODE)                                             \
  HEDDLE_OPERATION3(__fma##SUFFIX, double, fma(a, b, c), MODE)                                       \
  HEDDLE_OPERATION1(__drcp##SUFFIX, double, 1 / a, MODE)                                             \
  HEDDLE_OPERATION1(__dsqrt##SUFFIX, double, sqrt(a), MODE)                                          \
  HEDDLE_CONVERSION(__int2float##SUFFIX, int, float, MODE)                                           \
  HEDDLE_CONVERSION(__uint2float##SUFFIX, unsigned, float, MODE)                                     \
  HEDDLE_CONVERSION(__ll2float##SUFFIX, long long, float, MODE)                                      \
  HEDDLE_CONVERSION(__ull2float##SUFFIX, unsigned long long, float, MODE)                            \
  HEDDLE_CONVERSION(__ll2double##SUFFIX, long long, double, MODE)                                    \
  HEDDLE_CONVERSION(__ull2double##SUFFIX, unsigned long long, double, MODE)                          \
  HEDDLE_CONVERSION(__double2float##SUFFIX, double, float, MODE)                                     \
  HEDDLE_TO_INTEGER(int, int, -2147483647 - 1, 2147483647, SUFFIX, ROUND)                            \
  HEDDLE_TO_INTEGER(uint, unsigned, 0, 4294967295u, SUFFIX, ROUND)                                   \
  HEDDLE_TO_INTEGER(ll, long long, -9223372036854775807LL - 1, 9223372036854775807LL, SUFFIX, ROUND) \
  HEDDLE_TO_INTEGER(ull, unsigned long long, 0, 18446744073709551615ull, SUFFIX, ROUND)
HEDDLE_ROUNDED(_rn, FE_TONEAREST, rint)
HEDDLE_ROUNDED(_rz, FE_TOWARDZERO, trunc)
HEDDLE_ROUNDED(_ru, FE_UPWARD, ceil)
HEDDLE_ROUNDED(_rd, FE_DOWNWARD, floor)
#undef HEDDLE_OPERATION1
#undef HEDDLE_OPERATION2
#undef HEDDLE_OPERATION3
#undef HEDDLE_CONVERSION
#undef HEDDLE_TO_INTEGER
#undef HEDDLE_ROUNDED
HEDDLE_DEVICE double __int2double_rn(int x) {
  return x;
}
HEDDLE_DEVICE double __uint2double_rn(unsigned x) {
  return x;
}
