#include "parts.hpp"

#include <cuda_runtime.h>

#ifdef __CUDACC__
#error "this file is none of CUDA"
#endif

void free_both(int* x, int* sum) {
  cudaFree(x);
  cudaFree(sum);
}
