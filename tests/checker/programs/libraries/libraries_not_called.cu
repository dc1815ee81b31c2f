// Headers of libraries, the host's own assembly, and names of the runtime that a program only mentions.

// program -- clean
// clean
// prints counted up
// program -- races
// finds data-race @at_one_place

#include <cublas_v2.h>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuComplex.h>
#include <curand_kernel.h>
#include <driver_types.h>
#include <nvtx3/nvToolsExt.h>
#include <thrust/device_vector.h>

#include <cstdio>
#include <cstring>

static long ticks = 0, cublas_times = 1;
static void tick() {
  asm volatile("" : "+r"(ticks));
  ticks += cublas_times;
}

__global__ void fill(cuComplex* x) { x[threadIdx.x] = cuCmulf(make_cuComplex(threadIdx.x, 1), make_cuComplex(0, 1)); }
__global__ void races(cuComplex* x) {
  x[threadIdx.x / 2].x = threadIdx.x;  // @at_one_place
}
__global__ void counts(cuda::std::atomic<int>* a) { a->fetch_add(1); }

int main(int, char** words) {
  tick();
  nvtxRangePush("all of it");
  cudaSharedMemConfig how;
  cudaDeviceGetSharedMemConfig(&how);
  cudaMemLocation where{cudaMemLocationTypeDevice, 0};
  cudaAccessPolicyWindow window{};
  cudaSetDeviceFlags(cudaDeviceBlockingSync);
  cuComplex* x;
  int* count;
  cudaMalloc(&x, 32 * sizeof *x);
  cudaMallocManaged(&count, sizeof *count);
  *count = 0;
  cudaMemPrefetchAsync(count, sizeof *count, where, 0);
  fill<<<1, 32>>>(x);
  if (std::strcmp(words[1], "races") == 0) races<<<1, 32>>>(x);
  counts<<<1, 32>>>(reinterpret_cast<cuda::std::atomic<int>*>(count));
  cudaDeviceSynchronize();
  std::puts(*count == 32 && ticks == 1 && window.num_bytes == 0 ? "counted up" : "not counted up");
  nvtxRangePop();
}
