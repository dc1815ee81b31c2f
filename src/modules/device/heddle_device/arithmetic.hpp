#pragma once

/// Mathematics and bit operations that CUDA knows beyond C. The approximate functions are computed exactly.

#include "entries.hpp"

#include <math.h>

// Overloads rather than templates, so that they are preferred to those of namespace std.
#define HEDDLE_EXTREMA(A, B, R)                                                           \
  HEDDLE_DEVICE constexpr R min(A a, B b) {                                               \
    return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
  }                                                                                       \
  HEDDLE_DEVICE constexpr R max(A a, B b) {                                               \
    return static_cast<R>(a) > static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
  }
HEDDLE_EXTREMA(int, int, int)
HEDDLE_EXTREMA(unsigned, unsigned, unsigned)
HEDDLE_EXTREMA(int, unsigned, unsigned)
HEDDLE_EXTREMA(unsigned, int, unsigned)
HEDDLE_EXTREMA(long, long, long)
HEDDLE_EXTREMA(unsigned long, unsigned long, unsigned long)
HEDDLE_EXTREMA(long, unsigned long, unsigned long)
HEDDLE_EXTREMA(unsigned long, long, unsigned long)
HEDDLE_EXTREMA(long long, long long, long long)
HEDDLE_EXTREMA(unsigned long long, unsigned long long, unsigned long long)
HEDDLE_EXTREMA(long long, unsigned long long, unsigned long long)
HEDDLE_EXTREMA(unsigned long long, long long, unsigned long long)
#undef HEDDLE_EXTREMA
HEDDLE_DEVICE float min(float a, float b) {
  return fminf(a, b);
}
HEDDLE_DEVICE float max(float a, float b) {
  return fmaxf(a, b);
}
HEDDLE_DEVICE double min(double a, double b) {
  return fmin(a, b);
}
HEDDLE_DEVICE double max(double a, double b) {
  return fmax(a, b);
}
HEDDLE_DEVICE double min(float a, double b) {
  return fmin(a, b);
}
HEDDLE_DEVICE double max(float a, double b) {
  return fmax(a, b);
}
HEDDLE_DEVICE double min(double a, float b) {
  return fmin(a, b);
}
HEDDLE_DEVICE double max(double a, float b) {
  return fmax(a, b);
}
HEDDLE_DEVICE unsigned umin(unsigned a, unsigned b) {
  return min(a, b);
}
HEDDLE_DEVICE unsigned umax(unsigned a, unsigned b) {
  return max(a, b);
}

HEDDLE_DEVICE float __sinf(float x) {
  return sinf(x);
}
HEDDLE_DEVICE float __cosf(float x) {
  return cosf(x);
}
HEDDLE_DEVICE float __tanf(float x) {
  return tanf(x);
}
HEDDLE_DEVICE float __expf(float x) {
  return expf(x);
}
HEDDLE_DEVICE float __exp10f(float x) {
  return powf(10.0f, x);
}
HEDDLE_DEVICE float __logf(float x) {
  return logf(x);
}
HEDDLE_DEVICE float __log2f(float x) {
  return log2f(x);
}
HEDDLE_DEVICE float __log10f(float x) {
  return log10f(x);
}
HEDDLE_DEVICE float __saturatef(float x) {
  return fminf(fmaxf(x, 0.0f), 1.0f);
}
HEDDLE_DEVICE float rsqrtf(float x) {
  return 1.0f / sqrtf(x);
}
HEDDLE_DEVICE float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / sqrt(static_cast<double>(x)));
}
HEDDLE_DEVICE float __fsqrt_rn(float x) {
  return sqrtf(x);
}
HEDDLE_DEVICE float __fsqrt_rz(float x) {
  return sqrtf(x);
}
HEDDLE_DEVICE float __frcp_rn(float x) {
  return 1.0f / x;
}
HEDDLE_DEVICE float rcbrtf(float x) {
  return 1.0f / cbrtf(x);
}
HEDDLE_DEVICE float sinpif(float x) {
  return static_cast<float>(sin(3.14159265358979323846 * x));
}
HEDDLE_DEVICE float cospif(float x) {
  return static_cast<float>(cos(3.14159265358979323846 * x));
}
HEDDLE_DEVICE float normcdff(float x) {
  return 0.5f * erfcf(-x * 0.70710678f);
}
HEDDLE_DEVICE float erfcxf(float x) {
  return expf(x * x) * erfcf(x);
}
HEDDLE_DEVICE double rsqrt(double x) {
  return 1.0 / sqrt(x);
}
HEDDLE_DEVICE double rcbrt(double x) {
  return 1.0 / cbrt(x);
}
HEDDLE_DEVICE double __dsqrt_rn(double x) {
  return sqrt(x);
}
HEDDLE_DEVICE double __drcp_rn(double x) {
  return 1.0 / x;
}
HEDDLE_DEVICE double sinpi(double x) {
  return sin(3.14159265358979323846 * x);
}
HEDDLE_DEVICE double cospi(double x) {
  return cos(3.14159265358979323846 * x);
}
HEDDLE_DEVICE double normcdf(double x) {
  return 0.5 * erfc(-x * 0.70710678118654752440);
}
HEDDLE_DEVICE double erfcx(double x) {
  return exp(x * x) * erfc(x);
}
HEDDLE_DEVICE void __sincosf(float x, float* s, float* c) {
  *s = sinf(x), *c = cosf(x);
}
HEDDLE_DEVICE void sincospif(float x, float* s, float* c) {
  *s = sinpif(x), *c = cospif(x);
}
HEDDLE_DEVICE void sincospi(double x, double* s, double* c) {
  *s = sinpi(x), *c = cospi(x);
}
HEDDLE_DEVICE float __powf(float x, float y) {
  return powf(x, y);
}
HEDDLE_DEVICE float __fdividef(float x, float y) {
  return x / y;
}
HEDDLE_DEVICE float fdividef(float x, float y) {
  return x / y;
}
HEDDLE_DEVICE float norm3df(float x, float y, float z) {
  return sqrtf(x * x + y * y + z * z);
}
HEDDLE_DEVICE float norm4df(float x, float y, float z, float w) {
  return sqrtf(x * x + y * y + z * z + w * w);
}
HEDDLE_DEVICE float rnorm3df(float x, float y, float z) {
  return 1 / norm3df(x, y, z);
}
HEDDLE_DEVICE float rhypotf(float x, float y) {
  return 1 / hypotf(x, y);
}
HEDDLE_DEVICE double norm3d(double x, double y, double z) {
  return sqrt(x * x + y * y + z * z);
}
HEDDLE_DEVICE double rhypot(double x, double y) {
  return 1 / hypot(x, y);
}

HEDDLE_DEVICE float __fadd_rn(float a, float b) {
  return a + b;
}
HEDDLE_DEVICE double __dadd_rn(double a, double b) {
  return a + b;
}
HEDDLE_DEVICE float __fsub_rn(float a, float b) {
  return a - b;
}
HEDDLE_DEVICE double __dsub_rn(double a, double b) {
  return a - b;
}
HEDDLE_DEVICE float __fmul_rn(float a, float b) {
  return a * b;
}
HEDDLE_DEVICE double __dmul_rn(double a, double b) {
  return a * b;
}
HEDDLE_DEVICE float __fdiv_rn(float a, float b) {
  return a / b;
}
HEDDLE_DEVICE double __ddiv_rn(double a, double b) {
  return a / b;
}
HEDDLE_DEVICE float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
HEDDLE_DEVICE double __fma_rn(double a, double b, double c) {
  return fma(a, b, c);
}
HEDDLE_DEVICE float __fadd_rz(float a, float b) {
  return a + b;
}
HEDDLE_DEVICE double __dadd_rz(double a, double b) {
  return a + b;
}
HEDDLE_DEVICE float __fsub_rz(float a, float b) {
  return a - b;
}
HEDDLE_DEVICE double __dsub_rz(double a, double b) {
  return a - b;
}
HEDDLE_DEVICE float __fmul_rz(float a, float b) {
  return a * b;
}
HEDDLE_DEVICE double __dmul_rz(double a, double b) {
  return a * b;
}
HEDDLE_DEVICE float __fdiv_rz(float a, float b) {
  return a / b;
}
HEDDLE_DEVICE double __ddiv_rz(double a, double b) {
  return a / b;
}
HEDDLE_DEVICE float __fmaf_rz(float a, float b, float c) {
  return fmaf(a, b, c);
}
HEDDLE_DEVICE double __fma_rz(double a, double b, double c) {
  return fma(a, b, c);
}
HEDDLE_DEVICE float __fadd_ru(float a, float b) {
  return a + b;
}
HEDDLE_DEVICE double __dadd_ru(double a, double b) {
  return a + b;
}
HEDDLE_DEVICE float __fsub_ru(float a, float b) {
  return a - b;
}
HEDDLE_DEVICE double __dsub_ru(double a, double b) {
  return a - b;
}
HEDDLE_DEVICE float __fmul_ru(float a, float b) {
  return a * b;
}
HEDDLE_DEVICE double __dmul_ru(double a, double b) {
  return a * b;
}
HEDDLE_DEVICE float __fdiv_ru(float a, float b) {
  return a / b;
}
HEDDLE_DEVICE double __ddiv_ru(double a, double b) {
  return a / b;
}
HEDDLE_DEVICE float __fmaf_ru(float a, float b, float c) {
  return fmaf(a, b, c);
}
HEDDLE_DEVICE double __fma_ru(double a, double b, double c) {
  return fma(a, b, c);
}
HEDDLE_DEVICE float __fadd_rd(float a, float b) {
  return a + b;
}
HEDDLE_DEVICE double __dadd_rd(double a, double b) {
  return a + b;
}
HEDDLE_DEVICE float __fsub_rd(float a, float b) {
  return a - b;
}
HEDDLE_DEVICE double __dsub_rd(double a, double b) {
  return a - b;
}
HEDDLE_DEVICE float __fmul_rd(float a, float b) {
  return a * b;
}
HEDDLE_DEVICE double __dmul_rd(double a, double b) {
  return a * b;
}
HEDDLE_DEVICE float __fdiv_rd(float a, float b) {
  return a / b;
}
HEDDLE_DEVICE double __ddiv_rd(double a, double b) {
  return a / b;
}
HEDDLE_DEVICE float __fmaf_rd(float a, float b, float c) {
  return fmaf(a, b, c);
}
HEDDLE_DEVICE double __fma_rd(double a, double b, double c) {
  return fma(a, b, c);
}

namespace heddle_device {

// A value beyond the integer type becomes the nearest one; NaN becomes 0.
template <class I, class F>
HEDDLE_DEVICE I to_integer(F x, I least, I most) {
  if (x != x) return 0;
  if (x <= static_cast<F>(least)) return least;
  return x >= static_cast<F>(most) ? most : static_cast<I>(x);
}

}  // namespace heddle_device

HEDDLE_DEVICE int __float2int_rn(float x) {
  return heddle_device::to_integer<int>(rintf(x), -2147483647 - 1, 2147483647);
}
HEDDLE_DEVICE unsigned __float2uint_rn(float x) {
  return heddle_device::to_integer<unsigned>(rintf(x), 0u, 4294967295u);
}
HEDDLE_DEVICE long long __float2ll_rn(float x) {
  return heddle_device::to_integer<long long>(rintf(x), -9223372036854775807LL - 1, 9223372036854775807LL);
}
HEDDLE_DEVICE unsigned long long __float2ull_rn(float x) {
  return heddle_device::to_integer<unsigned long long>(rintf(x), 0ull, 18446744073709551615ull);
}
HEDDLE_DEVICE int __double2int_rn(double x) {
  return heddle_device::to_integer<int>(rint(x), -2147483647 - 1, 2147483647);
}
HEDDLE_DEVICE unsigned __double2uint_rn(double x) {
  return heddle_device::to_integer<unsigned>(rint(x), 0u, 4294967295u);
}
HEDDLE_DEVICE long long __double2ll_rn(double x) {
  return heddle_device::to_integer<long long>(rint(x), -9223372036854775807LL - 1, 9223372036854775807LL);
}
HEDDLE_DEVICE unsigned long long __double2ull_rn(double x) {
  return heddle_device::to_integer<unsigned long long>(rint(x), 0ull, 18446744073709551615ull);
}
HEDDLE_DEVICE float __int2float_rn(int x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE float __uint2float_rn(unsigned x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE float __ll2float_rn(long long x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE double __ll2double_rn(long long x) {
  return static_cast<double>(x);
}
HEDDLE_DEVICE float __ull2float_rn(unsigned long long x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE double __ull2double_rn(unsigned long long x) {
  return static_cast<double>(x);
}
HEDDLE_DEVICE float __double2float_rn(double x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE int __float2int_rz(float x) {
  return heddle_device::to_integer<int>(truncf(x), -2147483647 - 1, 2147483647);
}
HEDDLE_DEVICE unsigned __float2uint_rz(float x) {
  return heddle_device::to_integer<unsigned>(truncf(x), 0u, 4294967295u);
}
HEDDLE_DEVICE long long __float2ll_rz(float x) {
  return heddle_device::to_integer<long long>(truncf(x), -9223372036854775807LL - 1, 9223372036854775807LL);
}
HEDDLE_DEVICE unsigned long long __float2ull_rz(float x) {
  return heddle_device::to_integer<unsigned long long>(truncf(x), 0ull, 18446744073709551615ull);
}
HEDDLE_DEVICE int __double2int_rz(double x) {
  return heddle_device::to_integer<int>(trunc(x), -2147483647 - 1, 2147483647);
}
HEDDLE_DEVICE unsigned __double2uint_rz(double x) {
  return heddle_device::to_integer<unsigned>(trunc(x), 0u, 4294967295u);
}
HEDDLE_DEVICE long long __double2ll_rz(double x) {
  return heddle_device::to_integer<long long>(trunc(x), -9223372036854775807LL - 1, 9223372036854775807LL);
}
HEDDLE_DEVICE unsigned long long __double2ull_rz(double x) {
  return heddle_device::to_integer<unsigned long long>(trunc(x), 0ull, 18446744073709551615ull);
}
HEDDLE_DEVICE float __int2float_rz(int x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE float __uint2float_rz(unsigned x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE float __ll2float_rz(long long x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE double __ll2double_rz(long long x) {
  return static_cast<double>(x);
}
HEDDLE_DEVICE float __ull2float_rz(unsigned long long x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE double __ull2double_rz(unsigned long long x) {
  return static_cast<double>(x);
}
HEDDLE_DEVICE float __double2float_rz(double x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE int __float2int_ru(float x) {
  return heddle_device::to_integer<int>(ceilf(x), -2147483647 - 1, 2147483647);
}
HEDDLE_DEVICE unsigned __float2uint_ru(float x) {
  return heddle_device::to_integer<unsigned>(ceilf(x), 0u, 4294967295u);
}
HEDDLE_DEVICE long long __float2ll_ru(float x) {
  return heddle_device::to_integer<long long>(ceilf(x), -9223372036854775807LL - 1, 9223372036854775807LL);
}
HEDDLE_DEVICE unsigned long long __float2ull_ru(float x) {
  return heddle_device::to_integer<unsigned long long>(ceilf(x), 0ull, 18446744073709551615ull);
}
HEDDLE_DEVICE int __double2int_ru(double x) {
  return heddle_device::to_integer<int>(ceil(x), -2147483647 - 1, 2147483647);
}
HEDDLE_DEVICE unsigned __double2uint_ru(double x) {
  return heddle_device::to_integer<unsigned>(ceil(x), 0u, 4294967295u);
}
HEDDLE_DEVICE long long __double2ll_ru(double x) {
  return heddle_device::to_integer<long long>(ceil(x), -9223372036854775807LL - 1, 9223372036854775807LL);
}
HEDDLE_DEVICE unsigned long long __double2ull_ru(double x) {
  return heddle_device::to_integer<unsigned long long>(ceil(x), 0ull, 18446744073709551615ull);
}
HEDDLE_DEVICE float __int2float_ru(int x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE float __uint2float_ru(unsigned x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE float __ll2float_ru(long long x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE double __ll2double_ru(long long x) {
  return static_cast<double>(x);
}
HEDDLE_DEVICE float __ull2float_ru(unsigned long long x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE double __ull2double_ru(unsigned long long x) {
  return static_cast<double>(x);
}
HEDDLE_DEVICE float __double2float_ru(double x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE int __float2int_rd(float x) {
  return heddle_device::to_integer<int>(floorf(x), -2147483647 - 1, 2147483647);
}
HEDDLE_DEVICE unsigned __float2uint_rd(float x) {
  return heddle_device::to_integer<unsigned>(floorf(x), 0u, 4294967295u);
}
HEDDLE_DEVICE long long __float2ll_rd(float x) {
  return heddle_device::to_integer<long long>(floorf(x), -9223372036854775807LL - 1, 9223372036854775807LL);
}
HEDDLE_DEVICE unsigned long long __float2ull_rd(float x) {
  return heddle_device::to_integer<unsigned long long>(floorf(x), 0ull, 18446744073709551615ull);
}
HEDDLE_DEVICE int __double2int_rd(double x) {
  return heddle_device::to_integer<int>(floor(x), -2147483647 - 1, 2147483647);
}
HEDDLE_DEVICE unsigned __double2uint_rd(double x) {
  return heddle_device::to_integer<unsigned>(floor(x), 0u, 4294967295u);
}
HEDDLE_DEVICE long long __double2ll_rd(double x) {
  return heddle_device::to_integer<long long>(floor(x), -9223372036854775807LL - 1, 9223372036854775807LL);
}
HEDDLE_DEVICE unsigned long long __double2ull_rd(double x) {
  return heddle_device::to_integer<unsigned long long>(floor(x), 0ull, 18446744073709551615ull);
}
HEDDLE_DEVICE float __int2float_rd(int x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE float __uint2float_rd(unsigned x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE float __ll2float_rd(long long x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE double __ll2double_rd(long long x) {
  return static_cast<double>(x);
}
HEDDLE_DEVICE float __ull2float_rd(unsigned long long x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE double __ull2double_rd(unsigned long long x) {
  return static_cast<double>(x);
}
HEDDLE_DEVICE float __double2float_rd(double x) {
  return static_cast<float>(x);
}
HEDDLE_DEVICE double __int2double_rn(int x) {
  return x;
}
HEDDLE_DEVICE double __uint2double_rn(unsigned x) {
  return x;
}
HEDDLE_DEVICE int __float_as_int(float x) {
  return __builtin_bit_cast(int, x);
}
HEDDLE_DEVICE float __int_as_float(int x) {
  return __builtin_bit_cast(float, x);
}
HEDDLE_DEVICE unsigned __float_as_uint(float x) {
  return __builtin_bit_cast(unsigned, x);
}
HEDDLE_DEVICE float __uint_as_float(unsigned x) {
  return __builtin_bit_cast(float, x);
}
HEDDLE_DEVICE long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
HEDDLE_DEVICE double __longlong_as_double(long long x) {
  return __builtin_bit_cast(double, x);
}
HEDDLE_DEVICE int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
HEDDLE_DEVICE int __double2loint(double x) {
  return static_cast<int>(__double_as_longlong(x));
}
HEDDLE_DEVICE double __hiloint2double(int hi, int lo) {
  return __longlong_as_double((static_cast<long long>(hi) << 32) | static_cast<unsigned>(lo));
}

HEDDLE_DEVICE int __popc(unsigned x) {
  return __builtin_popcount(x);
}
HEDDLE_DEVICE int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
HEDDLE_DEVICE int __clz(int x) {
  return x ? __builtin_clz(static_cast<unsigned>(x)) : 32;
}
HEDDLE_DEVICE int __clzll(long long x) {
  return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
HEDDLE_DEVICE int __ffs(int x) {
  return __builtin_ffs(x);
}
HEDDLE_DEVICE int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
HEDDLE_DEVICE unsigned __brev(unsigned x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(x);
}
HEDDLE_DEVICE unsigned long long __brevll(unsigned long long x) {
  return (static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32) |
         __brev(static_cast<unsigned>(x >> 32));
}
HEDDLE_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long both = (static_cast<unsigned long long>(y) << 32) | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned s = (selector >> (4 * i)) & 15;
    unsigned byte = static_cast<unsigned>(both >> (8 * (s & 7))) & 255;
    if (s & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}
HEDDLE_DEVICE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned by) {
  return static_cast<unsigned>((((static_cast<unsigned long long>(hi) << 32) | lo) << (by & 31)) >> 32);
}
HEDDLE_DEVICE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned by) {
  return static_cast<unsigned>(((static_cast<unsigned long long>(hi) << 32) | lo) >> (by & 31));
}
HEDDLE_DEVICE int __mulhi(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) * b) >> 32);
}
HEDDLE_DEVICE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
HEDDLE_DEVICE long long __mul64hi(long long a, long long b) {
  return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);
}
HEDDLE_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
HEDDLE_DEVICE int __mul24(int a, int b) {
  return static_cast<int>(static_cast<unsigned>((a << 8) >> 8) * static_cast<unsigned>((b << 8) >> 8));
}
HEDDLE_DEVICE unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
HEDDLE_DEVICE unsigned __sad(int a, int b, unsigned c) {
  return c + static_cast<unsigned>(a < b ? b - a : a - b);
}
HEDDLE_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return c + (a < b ? b - a : a - b);
}
HEDDLE_DEVICE int __hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
HEDDLE_DEVICE int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
// Dot products of the bytes of two words, and of the halves of one with two bytes of the other.
#define HEDDLE_DOT(SIGN, HALF, BYTE, FOUR, TWO)                                    \
  HEDDLE_DEVICE SIGN __dp4a(SIGN a, SIGN b, SIGN c) {                              \
    for (int i = 0; i < 4; ++i)                                                    \
      c += static_cast<SIGN>(static_cast<BYTE>(a >> (8 * i))) *                    \
           static_cast<SIGN>(static_cast<BYTE>(b >> (8 * i)));                     \
    return c;                                                                      \
  }                                                                                \
  HEDDLE_DEVICE SIGN __dp2a_lo(SIGN a, SIGN b, SIGN c) {                           \
    for (int i = 0; i < 2; ++i)                                                    \
      c += static_cast<SIGN>(static_cast<HALF>(a >> (16 * i))) *                   \
           static_cast<SIGN>(static_cast<BYTE>(b >> (8 * i)));                     \
    return c;                                                                      \
  }                                                                                \
  HEDDLE_DEVICE SIGN __dp2a_hi(SIGN a, SIGN b, SIGN c) {                           \
    return __dp2a_lo(a, b >> 16, c);                                               \
  }                                                                                \
  HEDDLE_DEVICE SIGN __dp4a(FOUR a, FOUR b, SIGN c) {                              \
    return __dp4a(__builtin_bit_cast(SIGN, a), __builtin_bit_cast(SIGN, b), c);    \
  }                                                                                \
  HEDDLE_DEVICE SIGN __dp2a_lo(TWO a, FOUR b, SIGN c) {                            \
    return __dp2a_lo(__builtin_bit_cast(SIGN, a), __builtin_bit_cast(SIGN, b), c); \
  }                                                                                \
  HEDDLE_DEVICE SIGN __dp2a_hi(TWO a, FOUR b, SIGN c) {                            \
    return __dp2a_hi(__builtin_bit_cast(SIGN, a), __builtin_bit_cast(SIGN, b), c); \
  }
HEDDLE_DOT(int, short, signed char, char4, short2)
HEDDLE_DOT(unsigned, unsigned short, unsigned char, uchar4, ushort2)
#undef HEDDLE_DOT

// Loads and stores that ask something of the caches.
template <class T>
HEDDLE_DEVICE T __ldg(const T* address) {
  return *address;
}
#define HEDDLE_LOAD(NAME)                  \
  template <class T>                       \
  HEDDLE_DEVICE T NAME(const T* address) { \
    return *address;                       \
  }
#define HEDDLE_STORE(NAME)                       \
  template <class T>                             \
  HEDDLE_DEVICE void NAME(T* address, T value) { \
    *address = value;                            \
  }
HEDDLE_LOAD(__ldcg)
HEDDLE_LOAD(__ldca)
HEDDLE_LOAD(__ldcs)
HEDDLE_LOAD(__ldlu)
HEDDLE_LOAD(__ldcv)
HEDDLE_STORE(__stcg)
HEDDLE_STORE(__stwb)
HEDDLE_STORE(__stcs)
HEDDLE_STORE(__stwt)
#undef HEDDLE_LOAD
#undef HEDDLE_STORE
