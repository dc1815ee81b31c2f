#pragma once

/// __nv_bfloat16 and __nv_bfloat162: the upper half of a float, rounded to nearest even after each operation.

#include <heddle_device/half_bits.hpp>
#include <heddle_device/host/in_host_source.hpp>
#include <heddle_device/warp.hpp>

#define HEDDLE_HALF __nv_bfloat16
#define HEDDLE_HALF2 __nv_bfloat162
#define HEDDLE_RAW __nv_bfloat16_raw
#define HEDDLE_RAW2 __nv_bfloat162_raw
#define HEDDLE_WORD bfloat16
// It reaches as far as float, which has no bits to spare next to 0.
#define HEDDLE_WIDE double
#define HEDDLE_TO_FLOAT heddle_device::bfloat16_to_float
#define HEDDLE_FROM_FLOAT heddle_device::float_to_bfloat16
#include <heddle_device/numbers_of_16_bits.hpp>
// What is computed with them needs them.
#include <heddle_device/functions_of_16_bits.hpp>
#include <heddle_device/names_begin.hpp>

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)

HEDDLE_SHUFFLE(__nv_bfloat16)
HEDDLE_SHUFFLE(__nv_bfloat162)

namespace heddle_device {

/// Adds by comparing and exchanging the bits.
template <class T, class Bits>
HEDDLE_DEVICE T add_by_exchange(T* address, T value) {
  Bits* const bits = reinterpret_cast<Bits*>(address);
  Bits before = 0, seen = atomicCAS(bits, before, before);
  do {
    before = seen;
    seen = atomicCAS(bits, before, static_cast<Bits>(bits_of(from_bits<T>(before) + value)));
  } while (seen != before);
  return from_bits<T>(before);
}

}  // namespace heddle_device

HEDDLE_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 value) {
  return heddle_device::add_by_exchange<__nv_bfloat16, unsigned short>(address, value);
}
HEDDLE_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162* address, __nv_bfloat162 value) {
  return heddle_device::add_by_exchange<__nv_bfloat162, unsigned>(address, value);
}

#include <heddle_device/names_end.hpp>
