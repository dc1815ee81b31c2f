// check arrives --grid 1 --block 32 --arg i32[32]=arange
// fails refused_split_barrier.cu:9: barrier: cuda::barrier is not supported
// check meets --grid 1 --block 32 --arg i32[32]=arange
// fails refused_split_barrier.cu:9: barrier: cuda::barrier is not supported
#include <cuda/barrier>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
__global__ void arrives(int* x) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  b.arrive_and_wait();
}
__global__ void meets(int* x) {
  __syncthreads();
}
