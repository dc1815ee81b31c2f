// A program whose main is C and calls the runtime by CUDA's headers.
// program c_files/main.c
// clean
// prints 3 9 0
// program c_files/main.c -- too_far
// finds invalid-copy
#include "c_files/launch.h"

__global__ void fill(float* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = threadIdx.x;
}
extern "C" void launch(float* x, int n) { fill<<<1, 32>>>(x, n); }
