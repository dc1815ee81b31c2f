#pragma once

/// CUDA's vector types, aligned as CUDA aligns them.

#include "entries.hpp"

#define HEDDLE_VECTOR(NAME, T, SIZE)                         \
  struct NAME##1 {                                           \
    T x;                                                     \
  };                                                         \
  struct alignas(2 * SIZE) NAME##2 {                         \
    T x, y;                                                  \
  };                                                         \
  struct NAME##3 {                                           \
    T x, y, z;                                               \
  };                                                         \
  struct alignas(4 * SIZE > 16 ? 16 : 4 * SIZE) NAME##4 {    \
    T x, y, z, w;                                            \
  };                                                         \
  HEDDLE_DEVICE NAME##1 make_##NAME##1(T x) {                \
    return {x};                                              \
  }                                                          \
  HEDDLE_DEVICE NAME##2 make_##NAME##2(T x, T y) {           \
    return {x, y};                                           \
  }                                                          \
  HEDDLE_DEVICE NAME##3 make_##NAME##3(T x, T y, T z) {      \
    return {x, y, z};                                        \
  }                                                          \
  HEDDLE_DEVICE NAME##4 make_##NAME##4(T x, T y, T z, T w) { \
    return {x, y, z, w};                                     \
  }

HEDDLE_VECTOR(char, signed char, 1)
HEDDLE_VECTOR(uchar, unsigned char, 1)
HEDDLE_VECTOR(short, short, 2)
HEDDLE_VECTOR(ushort, unsigned short, 2)
HEDDLE_VECTOR(int, int, 4)
HEDDLE_VECTOR(uint, unsigned int, 4)
HEDDLE_VECTOR(long, long, 8)
HEDDLE_VECTOR(ulong, unsigned long, 8)
HEDDLE_VECTOR(longlong, long long, 8)
HEDDLE_VECTOR(ulonglong, unsigned long long, 8)
HEDDLE_VECTOR(float, float, 4)
HEDDLE_VECTOR(double, double, 8)
#undef HEDDLE_VECTOR

// Of four numbers of 8 bytes the alignment may be asked for.
#define HEDDLE_ALIGNED_VECTOR(NAME, T, ALIGNMENT)                                          \
  struct alignas(ALIGNMENT) NAME##4_##ALIGNMENT##a {                                       \
    T x, y, z, w;                                                                          \
  };                                                                                       \
  HEDDLE_DEVICE NAME##4_##ALIGNMENT##a make_##NAME##4_##ALIGNMENT##a(T x, T y, T z, T w) { \
    return {x, y, z, w};                                                                   \
  }
#define HEDDLE_ALIGNED_VECTORS(NAME, T) \
  HEDDLE_ALIGNED_VECTOR(NAME, T, 16)    \
  HEDDLE_ALIGNED_VECTOR(NAME, T, 32)
HEDDLE_ALIGNED_VECTORS(long, long)
HEDDLE_ALIGNED_VECTORS(ulong, unsigned long)
HEDDLE_ALIGNED_VECTORS(longlong, long long)
HEDDLE_ALIGNED_VECTORS(ulonglong, unsigned long long)
HEDDLE_ALIGNED_VECTORS(double, double)
#undef HEDDLE_ALIGNED_VECTOR
#undef HEDDLE_ALIGNED_VECTORS

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

namespace heddle_device {

// threadIdx, blockIdx, blockDim and gridDim.
HEDDLE_DEVICE ::uint3 thread_index() {
  const index3 i = heddle_thread_index();
  return {i.x, i.y, i.z};
}
HEDDLE_DEVICE ::uint3 block_index() {
  const index3 i = heddle_block_index();
  return {i.x, i.y, i.z};
}
HEDDLE_DEVICE ::dim3 block_size() {
  const index3 i = heddle_block_size();
  return {i.x, i.y, i.z};
}
HEDDLE_DEVICE ::dim3 grid_size() {
  const index3 i = heddle_grid_size();
  return {i.x, i.y, i.z};
}

}  // namespace heddle_device
