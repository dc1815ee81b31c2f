// The mistakes that code of a first GPU course contains, each with its corrected twin. Lines that begin with
// "check" give a command line; what it finds follows: kind and line, or a name in the source that ends with it.

// check hillis_steele_in_place --grid 1 --block 64 --arg i32[64]=arange
// finds data-race @read_and_write of s: __syncthreads() between
__global__ void hillis_steele_in_place(int* x) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int step = 1; step < 64; step *= 2) {
    if (t >= step) s[t] += s[t - step];  // @read_and_write
    __syncthreads();
  }
  x[t] = s[t];
}

// check hillis_steele --grid 1 --block 64 --arg i32[64]=arange
// clean
__global__ void hillis_steele(int* x) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int step = 1; step < 64; step *= 2) {
    const int before = t >= step ? s[t - step] : 0;
    __syncthreads();
    s[t] += before;
    __syncthreads();
  }
  x[t] = s[t];
}

// check barrier_of_one_thread --grid 2 --block 32 --arg i32[64]=zeros
// finds divergent-barrier @lonely_barrier
__global__ void barrier_of_one_thread(int* x) {
  if (threadIdx.x == 0) {
    x[blockIdx.x] = 1;
    __syncthreads();  // @lonely_barrier
  }
}

// check barrier_of_all --grid 2 --block 32 --arg i32[64]=zeros
// clean
__global__ void barrier_of_all(int* x) {
  if (threadIdx.x == 0) x[blockIdx.x] = 1;
  __syncthreads();
}

// check bounds_test_off_by_one --grid 5 --block 64 --arg f32[300]=arange --arg f32[300] --arg i32:300
// finds out-of-bounds @one_too_many
// finds out-of-bounds @one_too_many
__global__ void bounds_test_off_by_one(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  y[i] = 2 * x[i];  // @one_too_many
}

// check bounds_test --grid 5 --block 64 --arg f32[300]=arange --arg f32[300] --arg i32:300
// clean
__global__ void bounds_test(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = 2 * x[i];
}

// check shared_array_too_small --grid 1 --block 128 --arg f32[128]=arange
// finds out-of-bounds @beyond
// finds out-of-bounds @beyond_too
__global__ void shared_array_too_small(float* x) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];  // @beyond
  __syncthreads();
  x[threadIdx.x] = s[127 - threadIdx.x];  // @beyond_too
}

// check shared_array_as_large --grid 1 --block 128 --arg f32[128]=arange
// clean
__global__ void shared_array_as_large(float* x) {
  __shared__ float s[128];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[127 - threadIdx.x];
}

// check tree_past_the_block --grid 2 --block 96 --shared 384 --arg f32[192]=arange --arg f32[2]
// finds out-of-bounds @past
__global__ void tree_past_the_block(const float* x, float* sums) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned half = 64; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];  // @past
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}

// check tree_of_any_block --grid 2 --block 96 --shared 384 --arg f32[192]=arange --arg f32[2]
// clean
__global__ void tree_of_any_block(const float* x, float* sums) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned half = 64; half > 0; half /= 2) {
    if (t < half && t + half < blockDim.x) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}

// check last_block_beyond_the_input --grid 3 --block 128 --arg f32[300]=arange --arg f32[3]=zeros
// finds out-of-bounds @beyond_the_input
__global__ void last_block_beyond_the_input(const float* x, float* sums) {
  __shared__ float s[128];
  s[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];  // @beyond_the_input
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 0; i < 128; ++i) sums[blockIdx.x] += s[i];
  }
}

// check last_block_within_the_input --grid 3 --block 128 --arg f32[300]=arange --arg f32[3]=zeros --arg i32:300
// clean
__global__ void last_block_within_the_input(const float* x, float* sums, int n) {
  __shared__ float s[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int j = 0; j < 128; ++j) sums[blockIdx.x] += s[j];
  }
}

// check lock_released_too_early --grid 4 --block 1 --arg i32[1]=zeros --arg i32[1]=zeros
// finds lock-without-fence @released_too_early
// finds data-race @guarded of sum: __threadfence() belongs between
__global__ void lock_released_too_early(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  sum[0] = sum[0] + 1;  // @guarded
  atomicExch(lock, 0);  // @released_too_early
}

// check lock_with_a_fence --grid 4 --block 1 --arg i32[1]=zeros --arg i32[1]=zeros
// clean
__global__ void lock_with_a_fence(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  sum[0] = sum[0] + 1;
  __threadfence();
  atomicExch(lock, 0);
}

// check lattice_with_block_barriers --grid 4 --block 32 --arg i32[128]=arange --arg i32:3
// finds data-race @updated @neighbours: blocks run in any order
__global__ void lattice_with_block_barriers(int* cells, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int step = 0; step < steps; ++step) {
    const int sum = cells[(i + 1) % n] + cells[(i + n - 1) % n];  // @neighbours
    __syncthreads();
    cells[i] = sum;  // @updated
    __syncthreads();
  }
}

// check lattice_with_two_arrays --grid 4 --block 32 --arg i32[128]=arange --arg i32[128]
// clean
__global__ void lattice_with_two_arrays(const int* from, int* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  to[i] = from[(i + 1) % n] + from[(i + n - 1) % n];
}

// check warp_synchronous_tail --grid 1 --block 64 --arg i32[64]=arange
// finds data-race @tail of s: volatile orders nothing
// finds data-race @tail_too
__global__ void warp_synchronous_tail(int* x) {
  __shared__ volatile int s[64];
  const unsigned t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];  // @tail
    s[t] += s[t + 8];  // @tail_too
  }
  __syncthreads();
  if (t == 0) x[0] = s[0];
}

// check warp_synchronous_tail --grid 1 --block 64 --arg i32[64]=arange --legacy-warps
// clean

// check tail_with_syncwarp --grid 1 --block 64 --arg i32[64]=arange
// clean
__global__ void tail_with_syncwarp(int* x) {
  __shared__ int s[64];
  const unsigned t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 32) {
    for (unsigned half = 32; half > 0; half /= 2) {
      const int other = s[t + half];
      __syncwarp();
      s[t] += other;
      __syncwarp();
    }
  }
  if (t == 0) x[0] = s[0];
}

// check arguments_in_order --grid 1 --block 32 --arg i32:32 --arg f32[32]=arange
// clean
// check arguments_in_order --grid 1 --block 32 --arg f32[32]=arange --arg i32:32
// fails argument 1 (n): the kernel takes a number, i32, and an array was given
__global__ void arguments_in_order(int n, float* x) {
  if (threadIdx.x < n) x[threadIdx.x] += 1;
}

// One missing if is one finding, with the arrays that it leaves and the code that is missing.
// check add_beyond --grid 2 --block 64 --arg f32[100]=arange --arg f32[100]=arange --arg f32[100] --arg i32:100
// finds out-of-bounds @adds_beyond of a: so is b[100] (float[100]); so is c[100] (float[100])
__global__ void add_beyond(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];  // @adds_beyond
}
