// Arrays of 0 elements, which compilers take: none of them is there.

__device__ int nothing[0];
__device__ int before[4];
__device__ double flat[4][0][4];
__device__ int after[4];

// check writes_variable --grid 1 --block 32 --arg i32[32]=arange
// finds out-of-bounds @writes_nothing of nothing: nothing[0] (int[0])
__global__ void writes_variable(const int* x) {
  if (threadIdx.x == 5) nothing[0] = x[threadIdx.x];  // @writes_nothing
}

// check writes_flat --grid 1 --block 32 --arg f64[32]=arange
// finds out-of-bounds @writes_flat of flat
__global__ void writes_flat(const double* x) {
  if (x[threadIdx.x] < 4) flat[threadIdx.x][threadIdx.y][threadIdx.z] = x[threadIdx.x];  // @writes_flat
}

// check writes_shared --grid 1 --block 32 --arg i32[32]=arange
// finds out-of-bounds @writes_empty of empty: shared empty[0] (int[0])
// finds out-of-bounds @reads_empty of empty
// check writes_shared --grid 1 --block 32 --shared 128 --arg i32[32]=arange
// finds out-of-bounds @writes_empty of empty: shared empty[0] (int[0])
// finds out-of-bounds @reads_empty of empty
__global__ void writes_shared(int* x) {
  __shared__ int empty[0];
  empty[threadIdx.x] = x[threadIdx.x];  // @writes_empty
  __syncthreads();
  x[threadIdx.x] = empty[31 - threadIdx.x];  // @reads_empty
}

template <int N>
__device__ int sum_of(const int* x) {
  __shared__ int part[N];
  extern __shared__ int rest[];
  rest[threadIdx.x] = x[threadIdx.x];
  if constexpr (N > 0) part[threadIdx.x % N] = x[threadIdx.x];
  __syncthreads();
  int sum = rest[31 - threadIdx.x];
  if constexpr (N > 0) sum += part[31 - threadIdx.x];
  __syncthreads();
  return sum;
}

// check accesses_none --grid 1 --block 32 --shared 128 --arg i32[32]=arange
// clean
__global__ void accesses_none(int* x) {
  x[threadIdx.x] = sum_of<0>(x) + sum_of<32>(x);
  if (threadIdx.x < 4) before[threadIdx.x] = after[threadIdx.x] = sizeof nothing + sizeof flat;
}
