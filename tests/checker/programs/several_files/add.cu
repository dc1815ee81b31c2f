#include "parts.hpp"

__constant__ int factor = 1;

__device__ int scaled(int x) {
  return factor * x;
}

__global__ void add(const int* x, int* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, scaled(x[i]));
}

__global__ void add_plainly(const int* x, int* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *sum += scaled(x[i]);
}

void add_all(const int* x, int* sum, int n, bool races) {
  cudaMemset(sum, 0, sizeof(int));
  if (races) {
    add_plainly<<<1, MOST_THREADS>>>(x, sum, n);
  } else {
    add<<<1, MOST_THREADS>>>(x, sum, n);
  }
}
