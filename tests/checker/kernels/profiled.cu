// Kernels whose profiles are known: ../profile_test.py finds the lines by the words after @.

__global__ void strided(float* x, int step, int first) {
  x[step * threadIdx.x + first] = 1;  // @strided
}

struct particle {
  float x, y, z, mass;
};
__global__ void of_structures(const particle* p, float* sum) {
  sum[threadIdx.x] = p[threadIdx.x].x;  // @of_structures
}
__global__ void of_arrays(const float* x, float* sum) {
  sum[threadIdx.x] = x[threadIdx.x];  // @of_arrays
}

__global__ void broadcast(const float* x, float* y) {
  __shared__ float s[2];
  s[threadIdx.x % 2] = 1;  // @pair
  __syncthreads();
  const float one = x[5];  // @one
  const float other = s[1];  // @other
  y[threadIdx.x] = one + other;
}

__global__ void vectors(const float4* fours, const double* twos, float4* out) {
  float4 v = fours[threadIdx.x];      // @fours
  const double d = twos[threadIdx.x];  // @twos
  v.x = d;
  out[threadIdx.x] = v;  // @out
}

struct three {
  float x, y, z;
};
__global__ void structures(const three* from, three* to) {
  to[threadIdx.x] = from[threadIdx.x];  // @threes
}

__global__ void tile(float* out, int row) {
  __shared__ float square[32][32], padded[32][33];
  square[threadIdx.x][0] = row;  // @column
  padded[threadIdx.x][0] = row;  // @padded
  __syncthreads();
  square[1][threadIdx.x] = row;  // @row
  __syncthreads();
  out[threadIdx.x] = square[row][threadIdx.x];
}

__global__ void wide_shared(double* out, float4* fours, int step) {
  __shared__ double twos[32 * 4];
  __shared__ float4 of_four[32];
  twos[step * threadIdx.x] = 1;  // @doubles
  float4 v = fours[threadIdx.x];
  of_four[threadIdx.x] = v;  // @sixteen
  __syncthreads();
  out[threadIdx.x] = twos[0];
}

__global__ void tally(unsigned* out) {
  __shared__ unsigned count, each[32];
  if (threadIdx.x == 0) count = 0;
  each[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&count, 1u);              // @same
  atomicAdd(&each[threadIdx.x], 1u);  // @apart
  __syncthreads();
  out[threadIdx.x] = count + each[threadIdx.x];
}

__global__ void even(float* x) {
  if (threadIdx.x % 2 == 0) {
    x[threadIdx.x] = 1;  // @even
  } else {
    x[threadIdx.x] = 2;  // @odd
  }
  x[threadIdx.x] += 1;  // @both
}

__global__ void uneven(int* x) {
  const int lane = threadIdx.x;
  for (int k = 0; k < lane; ++k) {
    x[32 * k + lane] = k;  // @uneven
  }
  x[32 * lane] += 1;  // @after
}

/// Lanes that go through the inner loop 3 and 5 times, and then 5 and 3 times, take 5 rounds each time.
__global__ void nested(int* x) {
  const int lane = threadIdx.x;
  for (int outer = 0; outer < 2; ++outer) {
    const int rounds = (outer + lane) % 2 == 0 ? 3 : 5;
    for (int k = 0; k < rounds; ++k) {
      x[32 * k + lane] += outer;  // @nested
    }
  }
}

__device__ __noinline__ float twice(const float* x) {
  return 2 * x[threadIdx.x];  // @twice
}
__global__ void calls(const float* x, float* y) {
  float v = 0;
  if (threadIdx.x < 8) {
    v = twice(x);
  }
  y[threadIdx.x] = v;  // @called
}

/// What leaves early is not waited for.
__global__ void leaves(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] = 1;  // @inside
}

__global__ void arithmetic(float* x, int rounds) {
  float v = threadIdx.x;
  if (threadIdx.x < 4) {
    for (int k = 0; k < rounds; ++k) v = v * v + 1;  // @arithmetic
  }
  x[threadIdx.x] = v;
}

__constant__ float table[32] = {1};
__global__ void constants(float* x) {
  x[threadIdx.x] = table[threadIdx.x];  // @table
}

__global__ void racing(float* x) {
  x[threadIdx.x / 2] = threadIdx.x;  // @racing
}
