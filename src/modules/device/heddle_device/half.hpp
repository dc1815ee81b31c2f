#pragma once

/// __half and __half2: IEEE binary16, computed in float and rounded to nearest even.

#include "half_bits.hpp"
#include "vector_types.hpp"

#include <math.h>

struct __half {
  unsigned short bits;

  __half() = default;
  HEDDLE_DEVICE __half(float f) : bits(heddle_device::float_to_half(f)) {}
  HEDDLE_DEVICE __half(double d) : __half(static_cast<float>(d)) {}
  HEDDLE_DEVICE __half(int i) : __half(static_cast<float>(i)) {}
  HEDDLE_DEVICE __half(unsigned i) : __half(static_cast<float>(i)) {}
  HEDDLE_DEVICE __half(long long i) : __half(static_cast<float>(i)) {}
  HEDDLE_DEVICE operator float() const { return heddle_device::half_to_float(bits); }

  HEDDLE_DEVICE __half& operator+=(__half o) { return *this = __half(float(*this) + float(o)); }
  HEDDLE_DEVICE __half& operator-=(__half o) { return *this = __half(float(*this) - float(o)); }
  HEDDLE_DEVICE __half& operator*=(__half o) { return *this = __half(float(*this) * float(o)); }
  HEDDLE_DEVICE __half& operator/=(__half o) { return *this = __half(float(*this) / float(o)); }
};
struct alignas(4) __half2 {
  __half x, y;
  __half2() = default;
  HEDDLE_DEVICE __half2(__half a, __half b) : x(a), y(b) {}
};
using half = __half;
using half2 = __half2;

HEDDLE_DEVICE __half operator+(__half a, __half b) {
  return __half(float(a) + float(b));
}
HEDDLE_DEVICE __half operator-(__half a, __half b) {
  return __half(float(a) - float(b));
}
HEDDLE_DEVICE __half operator*(__half a, __half b) {
  return __half(float(a) * float(b));
}
HEDDLE_DEVICE __half operator/(__half a, __half b) {
  return __half(float(a) / float(b));
}
HEDDLE_DEVICE __half operator-(__half a) {
  return __half(-float(a));
}
HEDDLE_DEVICE bool operator==(__half a, __half b) {
  return float(a) == float(b);
}
HEDDLE_DEVICE bool operator!=(__half a, __half b) {
  return float(a) != float(b);
}
HEDDLE_DEVICE bool operator<(__half a, __half b) {
  return float(a) < float(b);
}
HEDDLE_DEVICE bool operator<=(__half a, __half b) {
  return float(a) <= float(b);
}
HEDDLE_DEVICE bool operator>(__half a, __half b) {
  return float(a) > float(b);
}
HEDDLE_DEVICE bool operator>=(__half a, __half b) {
  return float(a) >= float(b);
}
HEDDLE_DEVICE __half2 operator+(__half2 a, __half2 b) {
  return {a.x + b.x, a.y + b.y};
}
HEDDLE_DEVICE __half2 operator-(__half2 a, __half2 b) {
  return {a.x - b.x, a.y - b.y};
}
HEDDLE_DEVICE __half2 operator*(__half2 a, __half2 b) {
  return {a.x * b.x, a.y * b.y};
}
HEDDLE_DEVICE __half2 operator/(__half2 a, __half2 b) {
  return {a.x / b.x, a.y / b.y};
}

HEDDLE_DEVICE __half __float2half(float f) {
  return __half(f);
}
HEDDLE_DEVICE __half __float2half_rn(float f) {
  return __half(f);
}
HEDDLE_DEVICE __half __double2half(double d) {
  return __half(d);
}
HEDDLE_DEVICE float __half2float(__half h) {
  return float(h);
}
HEDDLE_DEVICE __half __int2half_rn(int i) {
  return __half(i);
}
HEDDLE_DEVICE int __half2int_rn(__half h) {
  return static_cast<int>(rintf(float(h)));
}
HEDDLE_DEVICE int __half2int_rz(__half h) {
  return static_cast<int>(float(h));
}
HEDDLE_DEVICE unsigned short __half_as_ushort(__half h) {
  return h.bits;
}
HEDDLE_DEVICE __half __ushort_as_half(unsigned short u) {
  __half h;
  h.bits = u;
  return h;
}
HEDDLE_DEVICE __half __hadd(__half a, __half b) {
  return a + b;
}
HEDDLE_DEVICE __half __hsub(__half a, __half b) {
  return a - b;
}
HEDDLE_DEVICE __half __hmul(__half a, __half b) {
  return a * b;
}
HEDDLE_DEVICE __half __hdiv(__half a, __half b) {
  return a / b;
}
HEDDLE_DEVICE __half __hneg(__half a) {
  return -a;
}
HEDDLE_DEVICE __half __habs(__half a) {
  return __ushort_as_half(a.bits & 0x7fff);
}
HEDDLE_DEVICE __half __hfma(__half a, __half b, __half c) {
  return __half(static_cast<double>(float(a)) * float(b) + float(c));
}
HEDDLE_DEVICE __half __hmax(__half a, __half b) {
  return __half(fmaxf(a, b));
}
HEDDLE_DEVICE __half __hmin(__half a, __half b) {
  return __half(fminf(a, b));
}
HEDDLE_DEVICE bool __heq(__half a, __half b) {
  return a == b;
}
HEDDLE_DEVICE bool __hlt(__half a, __half b) {
  return a < b;
}
HEDDLE_DEVICE bool __hgt(__half a, __half b) {
  return a > b;
}
HEDDLE_DEVICE bool __hle(__half a, __half b) {
  return a <= b;
}
HEDDLE_DEVICE bool __hge(__half a, __half b) {
  return a >= b;
}
HEDDLE_DEVICE bool __hisnan(__half a) {
  return (a.bits & 0x7fff) > 0x7c00;
}
HEDDLE_DEVICE __half hsqrt(__half a) {
  return __half(sqrtf(a));
}
HEDDLE_DEVICE __half hexp(__half a) {
  return __half(expf(a));
}
HEDDLE_DEVICE __half hlog(__half a) {
  return __half(logf(a));
}
HEDDLE_DEVICE __half hrcp(__half a) {
  return __half(1 / float(a));
}

HEDDLE_DEVICE __half2 make_half2(__half a, __half b) {
  return {a, b};
}
HEDDLE_DEVICE __half2 __halves2half2(__half a, __half b) {
  return {a, b};
}
HEDDLE_DEVICE __half2 __half2half2(__half a) {
  return {a, a};
}
HEDDLE_DEVICE __half2 __float2half2_rn(float f) {
  return {__half(f), __half(f)};
}
HEDDLE_DEVICE __half2 __floats2half2_rn(float a, float b) {
  return {__half(a), __half(b)};
}
HEDDLE_DEVICE __half2 __float22half2_rn(float2 f) {
  return {__half(f.x), __half(f.y)};
}
HEDDLE_DEVICE float2 __half22float2(__half2 h) {
  return {float(h.x), float(h.y)};
}
HEDDLE_DEVICE float __low2float(__half2 h) {
  return h.x;
}
HEDDLE_DEVICE float __high2float(__half2 h) {
  return h.y;
}
HEDDLE_DEVICE __half __low2half(__half2 h) {
  return h.x;
}
HEDDLE_DEVICE __half __high2half(__half2 h) {
  return h.y;
}
HEDDLE_DEVICE __half2 __hadd2(__half2 a, __half2 b) {
  return a + b;
}
HEDDLE_DEVICE __half2 __hsub2(__half2 a, __half2 b) {
  return a - b;
}
HEDDLE_DEVICE __half2 __hmul2(__half2 a, __half2 b) {
  return a * b;
}
HEDDLE_DEVICE __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
HEDDLE_DEVICE __half2 __hmax2(__half2 a, __half2 b) {
  return {__hmax(a.x, b.x), __hmax(a.y, b.y)};
}
HEDDLE_DEVICE __half2 __hmin2(__half2 a, __half2 b) {
  return {__hmin(a.x, b.x), __hmin(a.y, b.y)};
}
