// Code and variables of the device that files share, as with nvcc -rdc=true.
#include <cstdio>

extern __device__ int count;
extern __constant__ int factor;
__device__ int scaled(int x);
__device__ int* place_of(int* x, int n);

__global__ void scale(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&count, scaled(x[i]));
}

__global__ void overrun(int* x, int n) {
  *place_of(x, n) = factor;
}

int main(int count_of_words, char**) {
  int* x;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMemset(x, 0, 64 * sizeof(int));
  const int three = 3;
  cudaMemcpyToSymbol(factor, &three, sizeof three);
  scale<<<2, 32>>>(x, 64);
  if (count_of_words > 1) overrun<<<1, 1>>>(x, 64);
  int result = 0;
  cudaMemcpyFromSymbol(&result, count, sizeof result);
  std::printf("count %d\n", result);
  cudaFree(x);
}

// program several_files/linked.cu -rdc=true
// clean
// prints count 192
// program several_files/linked.cu -rdc=true -- overrun
// finds out-of-bounds of x
// program several_files/linked.cu
// fails undefined reference to `scaled(int)'
