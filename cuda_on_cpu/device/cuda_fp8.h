#pragma once

/// __nv_fp8_e4m3, __nv_fp8_e5m2 and __nv_fp8_e8m0, vectors of two and four of them, and their conversions.

#include <cuda_bf16.h>
#include <heddle_device/float_8_bits.hpp>
#include <heddle_device/names_begin.hpp>

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned int;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace heddle_device {

HEDDLE_DEVICE constexpr const format_of_8_bits& format_of(__nv_fp8_interpretation_t which) {
  return which == __NV_E4M3 ? e4m3 : e5m2;
}
template <class V>
HEDDLE_DEVICE double exact(V value) {
  if constexpr (__is_same(V, __half) || __is_same(V, __nv_bfloat16)) {
    return static_cast<float>(value);
  } else {
    return static_cast<double>(value);
  }
}
HEDDLE_DEVICE unsigned short packed_8_bits(unsigned char low, unsigned char high) {
  return static_cast<unsigned short>(low | high << 8);
}

}  // namespace heddle_device

// ---------------------------------------------------------------------------------------- conversions

#define HEDDLE_TO_FP8(NAME, TYPE, PARTS)                                                          \
  HEDDLE_DEVICE __nv_fp8_storage_t __nv_cvt_##NAME##_to_fp8(TYPE x, __nv_saturation_t saturation, \
                                                            __nv_fp8_interpretation_t which) {    \
    return heddle_device::to_8_bits(heddle_device::exact(PARTS), saturation == __NV_SATFINITE,    \
                                    heddle_device::format_of(which));                             \
  }
#define HEDDLE_TO_FP8X2(NAME, TYPE, LOW, HIGH)                                                        \
  HEDDLE_DEVICE __nv_fp8x2_storage_t __nv_cvt_##NAME##_to_fp8x2(TYPE x, __nv_saturation_t saturation, \
                                                                __nv_fp8_interpretation_t which) {    \
    const bool saturates = saturation == __NV_SATFINITE;                                              \
    const heddle_device::format_of_8_bits& of = heddle_device::format_of(which);                      \
    return heddle_device::packed_8_bits(                                                              \
        heddle_device::to_8_bits(heddle_device::exact(LOW), saturates, of),                           \
        heddle_device::to_8_bits(heddle_device::exact(HIGH), saturates, of));                         \
  }
HEDDLE_TO_FP8(double, double, x)
HEDDLE_TO_FP8(float, float, x)
HEDDLE_TO_FP8(halfraw, __half_raw, __half(x))
HEDDLE_TO_FP8(bfloat16raw, __nv_bfloat16_raw, __nv_bfloat16(x))
HEDDLE_TO_FP8X2(double2, double2, x.x, x.y)
HEDDLE_TO_FP8X2(float2, float2, x.x, x.y)
HEDDLE_TO_FP8X2(halfraw2, __half2_raw, __half2(x).x, __half2(x).y)
HEDDLE_TO_FP8X2(bfloat16raw2, __nv_bfloat162_raw, __nv_bfloat162(x).x, __nv_bfloat162(x).y)
#undef HEDDLE_TO_FP8
#undef HEDDLE_TO_FP8X2
/// NaN is 0x7fff; all others are exact.
HEDDLE_DEVICE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t which) {
  return {heddle_device::float_to_half(heddle_device::from_8_bits(x, heddle_device::format_of(which)))};
}
HEDDLE_DEVICE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                     __nv_fp8_interpretation_t which) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(x), which).x,
          __nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(x >> 8), which).x};
}

#define HEDDLE_TO_E8M0(NAME, TYPE, PARTS)                                                          \
  HEDDLE_DEVICE __nv_fp8_storage_t __nv_cvt_##NAME##_to_e8m0(TYPE x, __nv_saturation_t saturation, \
                                                             cudaRoundMode how) {                  \
    return heddle_device::to_power_of_2(heddle_device::exact(PARTS), saturation == __NV_SATFINITE, \
                                        how == cudaRoundPosInf);                                   \
  }
#define HEDDLE_TO_E8M0X2(NAME, ONE, TYPE, LOW, HIGH)                                                   \
  HEDDLE_DEVICE __nv_fp8x2_storage_t __nv_cvt_##NAME##_to_e8m0x2(TYPE x, __nv_saturation_t saturation, \
                                                                 cudaRoundMode how) {                  \
    return heddle_device::packed_8_bits(__nv_cvt_##ONE##_to_e8m0(LOW, saturation, how),                \
                                        __nv_cvt_##ONE##_to_e8m0(HIGH, saturation, how));              \
  }
HEDDLE_TO_E8M0(double, double, x)
HEDDLE_TO_E8M0(float, float, x)
HEDDLE_TO_E8M0(bfloat16raw, __nv_bfloat16_raw, __nv_bfloat16(x))
HEDDLE_TO_E8M0X2(double2, double, double2, x.x, x.y)
HEDDLE_TO_E8M0X2(float2, float, float2, x.x, x.y)
HEDDLE_TO_E8M0X2(bfloat162raw, bfloat16raw, __nv_bfloat162_raw, __nv_bfloat16_raw{x.x},
                 __nv_bfloat16_raw{x.y})
#undef HEDDLE_TO_E8M0
#undef HEDDLE_TO_E8M0X2
HEDDLE_DEVICE __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  return {heddle_device::float_to_bfloat16(heddle_device::from_power_of_2(x))};
}
HEDDLE_DEVICE __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x) {
  return {__nv_cvt_e8m0_to_bf16raw(static_cast<unsigned char>(x)).x,
          __nv_cvt_e8m0_to_bf16raw(static_cast<unsigned char>(x >> 8)).x};
}

// ---------------------------------------------------------------------------------------------- types

// ENCODE makes bits of a double, DECODE the number of bits.
#define HEDDLE_FP8_FROM(TYPE, T) \
  explicit HEDDLE_DEVICE TYPE(T value) : __x(encoded(heddle_device::exact(value))) {}
#define HEDDLE_FP8_TO(T)                               \
  explicit HEDDLE_DEVICE operator T() const {          \
    return heddle_device::integer_of<T>(decoded(__x)); \
  }
#define HEDDLE_FP8(NAME, ENCODE, DECODE)                                                                     \
  struct __nv_fp8_##NAME {                                                                                   \
    __nv_fp8_storage_t __x;                                                                                  \
    static HEDDLE_DEVICE unsigned char encoded(double v) { return ENCODE; }                                  \
    static HEDDLE_DEVICE float decoded(unsigned char v) { return DECODE; }                                   \
    __nv_fp8_##NAME() = default;                                                                             \
    HEDDLE_FP8_FROM(__nv_fp8_##NAME, __half)                                                                 \
    HEDDLE_FP8_FROM(__nv_fp8_##NAME, __nv_bfloat16)                                                          \
    HEDDLE_FP8_FROM(__nv_fp8_##NAME, float)                                                                  \
    HEDDLE_FP8_FROM(__nv_fp8_##NAME, double)                                                                 \
    HEDDLE_FP8_FROM(__nv_fp8_##NAME, short)                                                                  \
    HEDDLE_FP8_FROM(__nv_fp8_##NAME, unsigned short)                                                         \
    HEDDLE_FP8_FROM(__nv_fp8_##NAME, int)                                                                    \
    HEDDLE_FP8_FROM(__nv_fp8_##NAME, unsigned)                                                               \
    HEDDLE_FP8_FROM(__nv_fp8_##NAME, long)                                                                   \
    HEDDLE_FP8_FROM(__nv_fp8_##NAME, unsigned long)                                                          \
    HEDDLE_FP8_FROM(__nv_fp8_##NAME, long long)                                                              \
    HEDDLE_FP8_FROM(__nv_fp8_##NAME, unsigned long long)                                                     \
    explicit HEDDLE_DEVICE operator float() const { return decoded(__x); }                                   \
    explicit HEDDLE_DEVICE operator double() const { return decoded(__x); }                                  \
    explicit HEDDLE_DEVICE operator __half() const { return decoded(__x); }                                  \
    explicit HEDDLE_DEVICE operator __nv_bfloat16() const { return decoded(__x); }                           \
    explicit HEDDLE_DEVICE operator bool() const { return decoded(__x) != 0; }                               \
    HEDDLE_FP8_TO(char)                                                                                      \
    HEDDLE_FP8_TO(signed char)                                                                               \
    HEDDLE_FP8_TO(unsigned char)                                                                             \
    HEDDLE_FP8_TO(short)                                                                                     \
    HEDDLE_FP8_TO(unsigned short)                                                                            \
    HEDDLE_FP8_TO(int)                                                                                       \
    HEDDLE_FP8_TO(unsigned)                                                                                  \
    HEDDLE_FP8_TO(long)                                                                                      \
    HEDDLE_FP8_TO(unsigned long)                                                                             \
    HEDDLE_FP8_TO(long long)                                                                                 \
    HEDDLE_FP8_TO(unsigned long long)                                                                        \
  };                                                                                                         \
  struct alignas(2) __nv_fp8x2_##NAME {                                                                      \
    using one = __nv_fp8_##NAME;                                                                             \
    __nv_fp8x2_storage_t __x;                                                                                \
    static HEDDLE_DEVICE unsigned short pair_of(double low, double high) {                                   \
      return heddle_device::packed_8_bits(one::encoded(low), one::encoded(high));                            \
    }                                                                                                        \
    HEDDLE_DEVICE float part(int i) const { return one::decoded(static_cast<unsigned char>(__x >> 8 * i)); } \
    __nv_fp8x2_##NAME() = default;                                                                           \
    explicit HEDDLE_DEVICE __nv_fp8x2_##NAME(float2 v) : __x(pair_of(v.x, v.y)) {}                           \
    explicit HEDDLE_DEVICE __nv_fp8x2_##NAME(double2 v) : __x(pair_of(v.x, v.y)) {}                          \
    explicit HEDDLE_DEVICE __nv_fp8x2_##NAME(__half2 v) : __x(pair_of(float(v.x), float(v.y))) {}            \
    explicit HEDDLE_DEVICE __nv_fp8x2_##NAME(__nv_bfloat162 v) : __x(pair_of(float(v.x), float(v.y))) {}     \
    explicit HEDDLE_DEVICE operator float2() const { return {part(0), part(1)}; }                            \
    explicit HEDDLE_DEVICE operator __half2() const { return {__half(part(0)), __half(part(1))}; }           \
    explicit HEDDLE_DEVICE operator __nv_bfloat162() const {                                                 \
      return {__nv_bfloat16(part(0)), __nv_bfloat16(part(1))};                                               \
    }                                                                                                        \
  };                                                                                                         \
  struct alignas(4) __nv_fp8x4_##NAME {                                                                      \
    using two = __nv_fp8x2_##NAME;                                                                           \
    __nv_fp8x4_storage_t __x;                                                                                \
    HEDDLE_DEVICE void join(two low, two high) { __x = low.__x | static_cast<unsigned>(high.__x) << 16; }    \
    HEDDLE_DEVICE float part(int i) const {                                                                  \
      return two::one::decoded(static_cast<unsigned char>(__x >> 8 * i));                                    \
    }                                                                                                        \
    __nv_fp8x4_##NAME() = default;                                                                           \
    explicit HEDDLE_DEVICE __nv_fp8x4_##NAME(float4 v) {                                                     \
      join(two(float2{v.x, v.y}), two(float2{v.z, v.w}));                                                    \
    }                                                                                                        \
    explicit HEDDLE_DEVICE __nv_fp8x4_##NAME(double4 v) {                                                    \
      join(two(double2{v.x, v.y}), two(double2{v.z, v.w}));                                                  \
    }                                                                                                        \
    HEDDLE_DEVICE __nv_fp8x4_##NAME(__half2 low, __half2 high) { join(two(low), two(high)); }                \
    HEDDLE_DEVICE __nv_fp8x4_##NAME(__nv_bfloat162 low, __nv_bfloat162 high) { join(two(low), two(high)); }  \
    explicit HEDDLE_DEVICE operator float4() const { return {part(0), part(1), part(2), part(3)}; }          \
  };
HEDDLE_FP8(e4m3, heddle_device::to_8_bits(v, true, heddle_device::e4m3),
           heddle_device::from_8_bits(v, heddle_device::e4m3))
HEDDLE_FP8(e5m2, heddle_device::to_8_bits(v, true, heddle_device::e5m2),
           heddle_device::from_8_bits(v, heddle_device::e5m2))
// Numbers become the next power of two away from zero.
HEDDLE_FP8(e8m0, heddle_device::to_power_of_2(v, true, true), heddle_device::from_power_of_2(v))
#undef HEDDLE_FP8
#undef HEDDLE_FP8_FROM
#undef HEDDLE_FP8_TO

#include <heddle_device/names_end.hpp>
