// Floating-point numbers of 8 bits: every conversion against the nearest of all numbers, found by a loop.

#include <cuda_fp8.h>

/// What the bits of a format are, by its definition: fractions of `digits` bits.
__device__ double value_of(int bits, int digits, int bias) {
  const int exponent = bits >> digits & (1 << (7 - digits)) - 1, fraction = bits & (1 << digits) - 1;
  const double size = exponent == 0 ? ldexp(fraction, 1 - bias - digits) : ldexp(fraction + (1 << digits), exponent - bias - digits);
  return bits & 128 ? -size : size;
}

/// The nearest number of those up to the bits `most`, the even one of two; `above` where it would be the next that there is not.
__device__ int nearest(double x, int digits, int bias, int most, int above, const double* values) {
  int best = 0;
  const double size = fmin(fabs(x), 1e9);
  for (int i = 1; i <= most; ++i) {
    const double here = fabs(values[i] - size), there = fabs(values[best] - size);
    if (here < there || (here == there && i % 2 == 0)) best = i;
  }
  if (best == most) {
    const double next = value_of(most + 1, digits, bias), middle = (values[most] + next) / 2;
    if (size > middle || (size == middle && most % 2 == 1)) best = above;
  }
  return best | (signbit(x) ? 128 : 0);
}

template <class Type>
__device__ void converts_right(__nv_fp8_interpretation_t which, int digits, int bias, int most, int above) {
  __shared__ double values[128];
  for (int i = threadIdx.x; i < 128; i += blockDim.x) values[i] = value_of(i, digits, bias);
  __syncthreads();
  for (int i = threadIdx.x; i < 65536; i += 7 * blockDim.x) {
    const __half h = __ushort_as_half(static_cast<unsigned short>(i));
    const float f = h, next = nextafterf(f, 1e30f);
    if (isnan(f)) {
      assert(isnan(static_cast<float>(Type(f))));
      continue;
    }
    const int expected = nearest(f, digits, bias, most, above, values), clamped = nearest(f, digits, bias, most, most, values);
    assert(__nv_cvt_float_to_fp8(f, __NV_NOSAT, which) == expected);
    assert(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, which) == clamped);
    assert(__nv_cvt_halfraw_to_fp8(h, __NV_NOSAT, which) == expected && __nv_cvt_double_to_fp8(f, __NV_SATFINITE, which) == clamped);
    assert(Type(f).__x == clamped && Type(h).__x == clamped);
    // Just beside the middle of two.
    assert(Type(next).__x == nearest(next, digits, bias, most, most, values));
  }
}

// check e4m3 --grid 1 --block 64 --schedules 1
// clean
__global__ void e4m3() {
  converts_right<__nv_fp8_e4m3>(__NV_E4M3, 3, 7, 0x7e, 0x7f);
}
// check e5m2 --grid 1 --block 64 --schedules 1
// clean
__global__ void e5m2() {
  converts_right<__nv_fp8_e5m2>(__NV_E5M2, 2, 15, 0x7b, 0x7c);
}

// check backwards --grid 1 --block 256
// clean
__global__ void backwards() {
  const unsigned char bits = static_cast<unsigned char>(threadIdx.x);
  __nv_fp8_e4m3 a;
  __nv_fp8_e5m2 b;
  a.__x = b.__x = bits;
  if ((bits & 127) == 127) {
    assert(isnan(static_cast<float>(a)));
  } else {
    assert(static_cast<float>(a) == value_of(bits, 3, 7) && __nv_fp8_e4m3(static_cast<float>(a)).__x == bits);
    assert(static_cast<float>(__half(__nv_cvt_fp8_to_halfraw(bits, __NV_E4M3))) == value_of(bits, 3, 7));
    assert(static_cast<int>(a) == static_cast<int>(value_of(bits, 3, 7)) && static_cast<bool>(a) == ((bits & 127) != 0));
    assert(static_cast<unsigned char>(a) == (value_of(bits, 3, 7) < 0 ? 0 : value_of(bits, 3, 7) > 255 ? 255 : static_cast<int>(value_of(bits, 3, 7))));
  }
  if ((bits & 127) > 0x7c) {
    assert(isnan(static_cast<float>(b)));
  } else if ((bits & 127) == 0x7c) {
    assert(isinf(static_cast<float>(b)) && static_cast<long long>(b) == (bits & 128 ? -9223372036854775807ll - 1 : 9223372036854775807ll));
  } else {
    assert(static_cast<double>(b) == value_of(bits, 2, 15) && __nv_fp8_e5m2(static_cast<__nv_bfloat16>(b)).__x == bits);
  }
}

// check several --grid 1 --block 32
// clean
__global__ void several() {
  const float x = static_cast<float>(threadIdx.x) * 0.37f - 5;
  const __nv_fp8x2_e4m3 two(float2{x, -x});
  assert((two.__x & 255) == __nv_fp8_e4m3(x).__x && two.__x >> 8 == __nv_fp8_e4m3(-x).__x);
  assert(static_cast<float2>(two).x == static_cast<float>(__nv_fp8_e4m3(x)) && static_cast<float>(static_cast<__half2>(two).y) == -static_cast<float>(__nv_fp8_e4m3(x)));
  const __nv_fp8x4_e5m2 four(float4{x, 2 * x, 1e9f, -0.0f});
  const float4 back = static_cast<float4>(four);
  assert(back.x == static_cast<float>(__nv_fp8_e5m2(x)) && back.z == 57344 && back.w == 0 && signbit(back.w));
  const __nv_fp8x4_e4m3 halves(__floats2half2_rn(1, 2), __floats2half2_rn(3, 1000));
  assert(static_cast<float4>(halves).z == 3 && static_cast<float4>(halves).w == 448);
  assert(__nv_cvt_float2_to_fp8x2(float2{1, 500}, __NV_NOSAT, __NV_E4M3) == 0x7f38);
  assert(__half2(__nv_cvt_fp8x2_to_halfraw2(0x7f38, __NV_E4M3)).x == __half(1.0f));
}

// check powers --grid 1 --block 255
// clean
__global__ void powers() {
  const int e = static_cast<int>(threadIdx.x);
  const float power = ldexpf(1, e - 127), larger = power * 1.25f;
  assert(__nv_cvt_float_to_e8m0(power, __NV_SATFINITE, cudaRoundZero) == e && __nv_cvt_float_to_e8m0(power, __NV_SATFINITE, cudaRoundPosInf) == e);
  assert(__nv_cvt_float_to_e8m0(larger, __NV_SATFINITE, cudaRoundZero) == e);
  assert(__nv_cvt_double_to_e8m0(larger, __NV_NOSAT, cudaRoundPosInf) == e + 1);
  assert(__nv_cvt_double_to_e8m0(larger, __NV_SATFINITE, cudaRoundPosInf) == (e == 254 ? 254 : e + 1));
  __nv_fp8_e8m0 x;
  x.__x = static_cast<unsigned char>(e);
  assert(static_cast<float>(x) == power && static_cast<float>(__nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(x.__x))) == power);
}

// check stored_by_all --grid 1 --block 2 --arg u8[1]
// finds data-race @stored of x
__global__ void stored_by_all(__nv_fp8_e4m3* x) {
  *x = __nv_fp8_e4m3(static_cast<float>(threadIdx.x));  // @stored
}
