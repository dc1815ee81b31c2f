#pragma once

/// Functions of the runtime under the names that they have in C, for files of C that declare them themselves.

#include "host.hpp"

#if defined(HEDDLE_PROGRAM) && defined(HEDDLE_WATCHED)

#define HEDDLE_FOR_C(NAME, PARAMETERS, ARGUMENTS)                                                      \
  __attribute__((weak, visibility("hidden"), used)) int heddle_for_c_##NAME PARAMETERS __asm__(#NAME); \
  __attribute__((weak, visibility("hidden"), used)) int heddle_for_c_##NAME PARAMETERS {               \
    return NAME ARGUMENTS;                                                                             \
  }
extern "C" {
HEDDLE_FOR_C(cudaSetDevice, (int device), (device))
HEDDLE_FOR_C(cudaGetDevice, (int* device), (device))
HEDDLE_FOR_C(cudaGetDeviceCount, (int* count), (count))
HEDDLE_FOR_C(cudaDeviceSynchronize, (), ())
HEDDLE_FOR_C(cudaDeviceReset, (), ())
HEDDLE_FOR_C(cudaGetLastError, (), ())
HEDDLE_FOR_C(cudaMalloc, (void** where, size_t bytes), (where, bytes))
HEDDLE_FOR_C(cudaFree, (void* what), (what))
HEDDLE_FOR_C(cudaFreeHost, (void* what), (what))
HEDDLE_FOR_C(cudaMemset, (void* to, int value, size_t bytes), (to, value, bytes))
HEDDLE_FOR_C(cudaMemcpy, (void* to, const void* from, size_t bytes, int kind),
             (to, from, bytes, static_cast<cudaMemcpyKind>(kind)))
}
#undef HEDDLE_FOR_C

#endif
