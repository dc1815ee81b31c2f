// Blocks that are not watched: what they write before their atomics is not known, and no finding.

// check sums --grid 4000 --block 64 --arg i32[64000]=arange --arg i32[4000] --budget 0.001
// clean
// check unset --grid 4000 --block 64 --arg i32[4000] --budget 0.001
// finds uninitialised-read @adds_to_unset of sum
__global__ void sums(const int* x, int* sums) {
  __shared__ int sum;
  if (threadIdx.x == 0) {
    sum = 0;
    sums[blockIdx.x] = 0;
  }
  __syncthreads();
  atomicAdd(&sum, x[(blockIdx.x * 16 + threadIdx.x) % 64000]);
  __syncthreads();
  if (threadIdx.x % 32 == 0) atomicAdd(&sums[blockIdx.x], sum / 2);
}
__global__ void unset(int* sums) {
  __shared__ int sum;
  atomicAdd(&sum, 1);  // @adds_to_unset
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
