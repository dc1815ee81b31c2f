// A program whose kernels are in a source beside it, which may be called as anything.

// program -- clean
// clean
// program -- races
// finds data-race

#include "kernel.cu"

#include <cstring>

int main(int, char** words) {
  int* x;
  cudaMalloc(&x, 128);
  cudaMemset(x, 0, 128);
  if (std::strcmp(words[1], "races") == 0) counts_at_one_place<<<1, 32>>>(x);
  counts<<<1, 32>>>(x);
  cudaDeviceSynchronize();
}
