#pragma once

/// Complex numbers as vectors of two.

#include <heddle_device/host/in_host_source.hpp>
#include <heddle_device/names_begin.hpp>

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

#define HEDDLE_COMPLEX(SUFFIX, C, T, HYPOTENUSE)                         \
  HEDDLE_DEVICE T cuCreal##SUFFIX(C z) {                                 \
    return z.x;                                                          \
  }                                                                      \
  HEDDLE_DEVICE T cuCimag##SUFFIX(C z) {                                 \
    return z.y;                                                          \
  }                                                                      \
  HEDDLE_DEVICE C cuConj##SUFFIX(C z) {                                  \
    return {z.x, -z.y};                                                  \
  }                                                                      \
  HEDDLE_DEVICE C cuCadd##SUFFIX(C a, C b) {                             \
    return {a.x + b.x, a.y + b.y};                                       \
  }                                                                      \
  HEDDLE_DEVICE C cuCsub##SUFFIX(C a, C b) {                             \
    return {a.x - b.x, a.y - b.y};                                       \
  }                                                                      \
  HEDDLE_DEVICE C cuCmul##SUFFIX(C a, C b) {                             \
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};               \
  }                                                                      \
  HEDDLE_DEVICE C cuCfma##SUFFIX(C a, C b, C c) {                        \
    return cuCadd##SUFFIX(cuCmul##SUFFIX(a, b), c);                      \
  }                                                                      \
  HEDDLE_DEVICE C cuCdiv##SUFFIX(C a, C b) {                             \
    const T by = b.x * b.x + b.y * b.y;                                  \
    return {(a.x * b.x + a.y * b.y) / by, (a.y * b.x - a.x * b.y) / by}; \
  }                                                                      \
  HEDDLE_DEVICE T cuCabs##SUFFIX(C z) {                                  \
    return HYPOTENUSE(z.x, z.y);                                         \
  }
HEDDLE_COMPLEX(f, cuFloatComplex, float, hypotf)
HEDDLE_COMPLEX(, cuDoubleComplex, double, hypot)
#undef HEDDLE_COMPLEX

HEDDLE_DEVICE cuFloatComplex make_cuFloatComplex(float x, float y) {
  return {x, y};
}
HEDDLE_DEVICE cuDoubleComplex make_cuDoubleComplex(double x, double y) {
  return {x, y};
}
HEDDLE_DEVICE cuComplex make_cuComplex(float x, float y) {
  return {x, y};
}
HEDDLE_DEVICE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return {z.x, z.y};
}
HEDDLE_DEVICE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return {static_cast<float>(z.x), static_cast<float>(z.y)};
}

#include <heddle_device/names_end.hpp>
