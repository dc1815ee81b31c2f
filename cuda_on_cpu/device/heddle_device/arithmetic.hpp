#pragma once

/// Mathematics and bit operations that CUDA knows beyond C. The approximate functions are computed exactly.

#include "special_functions.hpp"

namespace heddle_device {

/// A value beyond the integer type becomes the nearest one. NaN becomes 0, or the sign bit alone of 64 bits
/// and of what was a double.
template <class I, class F>
HEDDLE_DEVICE I to_integer(F x, I least, I most) {
  if (x != x) return sizeof(I) == 8 || sizeof(F) == 8 ? static_cast<I>(I{1} << (8 * sizeof(I) - 1)) : 0;
  if (x <= static_cast<F>(least)) return least;
  return x >= static_cast<F>(most) ? most : static_cast<I>(x);
}

}  // namespace heddle_device

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

HEDDLE_DEVICE long long llmin(long long a, long long b) {
  return min(a, b);
}
HEDDLE_DEVICE long long llmax(long long a, long long b) {
  return max(a, b);
}
HEDDLE_DEVICE unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}
HEDDLE_DEVICE unsigned long long ullmax(unsigned long long a, unsigned long long b) {
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
HEDDLE_DEVICE float __tanhf(float x) {
  return tanhf(x);
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
HEDDLE_DEVICE float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / sqrt(static_cast<double>(x)));
}
HEDDLE_DEVICE void __sincosf(float x, float* s, float* c) {
  *s = sinf(x), *c = cosf(x);
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
HEDDLE_DEVICE float fdivide(float x, float y) {
  return x / y;
}
HEDDLE_DEVICE double fdivide(double x, double y) {
  return x / y;
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
    // The fourth bit of each number is not used, unlike in the instruction behind it.
    const unsigned s = (selector >> (4 * i)) & 7;
    result |= (static_cast<unsigned>(both >> (8 * s)) & 255) << (8 * i);
  }
  return result;
}
HEDDLE_DEVICE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned by) {
  return static_cast<unsigned>((((static_cast<unsigned long long>(hi) << 32) | lo) << (by & 31)) >> 32);
}
HEDDLE_DEVICE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned by) {
  return static_cast<unsigned>(((static_cast<unsigned long long>(hi) << 32) | lo) >> (by & 31));
}
// Those that end in c shift by 32 where they are asked for more.
HEDDLE_DEVICE unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned by) {
  return by < 32 ? __funnelshift_l(lo, hi, by) : lo;
}
HEDDLE_DEVICE unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned by) {
  return by < 32 ? __funnelshift_r(lo, hi, by) : hi;
}
/// The place of the set bit that is |offset| - 1 set bits from `base`, which counts; upwards or, for negative
/// ones, downwards; of offset 0 `base` itself. All bits where there is none.
HEDDLE_DEVICE unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return (mask >> (base & 31)) & 1 ? base : 0xffffffffu;
  int left = offset < 0 ? -offset : offset;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += offset < 0 ? -1 : 1) {
    if (((mask >> at) & 1) != 0 && --left == 0) return static_cast<unsigned>(at);
  }
  return 0xffffffffu;
}
HEDDLE_DEVICE unsigned short __nv_bswap16(unsigned short x) {
  return __builtin_bswap16(x);
}
HEDDLE_DEVICE unsigned __nv_bswap32(unsigned x) {
  return __builtin_bswap32(x);
}
HEDDLE_DEVICE unsigned long long __nv_bswap64(unsigned long long x) {
  return __builtin_bswap64(x);
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
HEDDLE_DEVICE unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
HEDDLE_DEVICE unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
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
