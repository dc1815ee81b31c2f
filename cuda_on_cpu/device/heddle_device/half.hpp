#pragma once

/// __half and __half2: IEEE binary16, rounded to nearest even after each operation.

#include "half_bits.hpp"
#include "vector_types.hpp"

#include <math.h>

#define HEDDLE_HALF __half
#define HEDDLE_HALF2 __half2
#define HEDDLE_RAW __half_raw
#define HEDDLE_RAW2 __half2_raw
#define HEDDLE_WORD half
// 24 bits are more than twice 11, so that what is rounded to float first is rounded as if at once.
#define HEDDLE_WIDE float
#define HEDDLE_TO_FLOAT heddle_device::half_to_float
#define HEDDLE_FROM_FLOAT heddle_device::float_to_half
#include "numbers_of_16_bits.hpp"

using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
