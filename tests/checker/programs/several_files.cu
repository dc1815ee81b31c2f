// Programs of several files: their kernels, variables and functions of the device, and their host code in C and C++.
#include "several_files/parts.hpp"

#include <cstdio>

__constant__ int factor = 3;

// In each of two files, and not the same.
__device__ int scaled(int x) {
  return factor * x;
}

__global__ void scale(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = scaled(x[i]);
}

int main(int count, char** words) {
  int *x, *sum;
  cudaMalloc(&x, 100 * sizeof(int));
  cudaMalloc(&sum, sizeof(int));
  int own[100];
  fill(own, 100);
  const int error = copy_to_device(own, 100, count > 1 && words[1][0] == 'b' ? 4 : 0);
  if (error != 0) return error;
  cudaMemcpy(x, own, sizeof own, cudaMemcpyHostToDevice);
  scale<<<4, 32>>>(x, 100);
  add_all(x, sum, 100, count > 1);
  int result = 0;
  cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
  if (count == 1) std::printf("sum %d\n", result);
  free_both(x, sum);
}

// program several_files/add.cu several_files/free.cpp several_files/fill.c -include several_files/limits.hpp -O3
// clean
// prints sum 14850
// program several_files/add.cu several_files/free.cpp several_files/fill.c -include several_files/limits.hpp -- races
// finds data-race of sum
// program several_files/add.cu several_files/free.cpp several_files/fill.c -include several_files/limits.hpp -- beyond
// finds invalid-copy
// notes failed-program
// program several_files/add.cu several_files/free.cpp -include several_files/limits.hpp
// fails fill
// program several_files/fill.c -include several_files/limits.hpp --kernel scale --grid 1 --block 32
// fails a kernel is checked with its file alone
