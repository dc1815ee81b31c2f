#pragma once

#include <cuda_runtime.h>

__host__ __device__ inline int times(int x, int by) {
  return x * by;
}
