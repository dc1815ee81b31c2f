// Whole algorithms of a first course, right and with one thing wrong.

// check matrix_product --grid 2,2 --block 8,8 --arg f32[256]=random:1 --arg f32[256]=random:2 --arg f32[256] --arg i32:16
// clean
__global__ void matrix_product(const float* a, const float* b, float* c, int n) {
  __shared__ float as[8][8], bs[8][8];
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 8) {
    as[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
    __syncthreads();
    for (int i = 0; i < 8; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

// check matrix_product_without_second_barrier --grid 2,2 --block 8,8 --arg f32[256]=random:1 --arg f32[256]=random:2 --arg f32[256] --arg i32:16
// finds data-race @next_tile_of_a @product
// finds data-race @next_tile_of_b @product
__global__ void matrix_product_without_second_barrier(const float* a, const float* b, float* c, int n) {
  __shared__ float as[8][8], bs[8][8];
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 8) {
    as[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];  // @next_tile_of_a
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];  // @next_tile_of_b
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];  // @product
    }
  }
  c[y * n + x] = sum;
}

// check matrix_product_of_any_size --grid 3,3 --block 8,8 --arg f32[324]=random:1 --arg f32[324]=random:2 --arg f32[324] --arg i32:18
// clean
// check matrix_product --grid 3,3 --block 8,8 --arg f32[324]=random:1 --arg f32[324]=random:2 --arg f32[324] --arg i32:18
// finds out-of-bounds
// finds data-race
__global__ void matrix_product_of_any_size(const float* a, const float* b, float* c, int n) {
  __shared__ float as[8][8], bs[8][8];
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 8) {
    as[threadIdx.y][threadIdx.x] = y < n && k + threadIdx.x < n ? a[y * n + k + threadIdx.x] : 0;
    bs[threadIdx.y][threadIdx.x] = x < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + x] : 0;
    __syncthreads();
    for (int i = 0; i < 8; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (x < n && y < n) c[y * n + x] = sum;
}

// check blelloch --grid 1 --block 32 --shared 256 --arg i32[64]=arange
// clean
__global__ void blelloch(int* x) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[2 * t] = x[2 * t];
  s[2 * t + 1] = x[2 * t + 1];
  int by = 1;
  for (int d = 32; d > 0; d /= 2, by *= 2) {
    __syncthreads();
    if (t < d) s[by * (2 * t + 2) - 1] += s[by * (2 * t + 1) - 1];
  }
  if (t == 0) s[63] = 0;
  for (int d = 1; d < 64; d *= 2) {
    by /= 2;
    __syncthreads();
    if (t < d) {
      const int left = s[by * (2 * t + 1) - 1];
      s[by * (2 * t + 1) - 1] = s[by * (2 * t + 2) - 1];
      s[by * (2 * t + 2) - 1] += left;
    }
  }
  __syncthreads();
  assert(s[2 * t] == t * (2 * t - 1) && s[2 * t + 1] == t * (2 * t + 1));
  x[2 * t] = s[2 * t];
  x[2 * t + 1] = s[2 * t + 1];
}

// check blelloch_without_a_barrier --grid 1 --block 32 --shared 256 --arg i32[64]=arange
// finds data-race @up_sweep
__global__ void blelloch_without_a_barrier(int* x) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[2 * t] = x[2 * t];
  s[2 * t + 1] = x[2 * t + 1];
  int by = 1;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2, by *= 2) {
    if (t < d) {
      s[by * (2 * t + 2) - 1] += s[by * (2 * t + 1) - 1];  // @up_sweep
    }
  }
  __syncthreads();
  x[2 * t] = s[2 * t];
}

// check life --grid 2,2 --block 8,8 --arg u8[256]=random:5 --arg u8[256] --arg i32:16
// clean
__global__ void life(const unsigned char* from, unsigned char* to, int n) {
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) alive += from[(y + dy + n) % n * n + (x + dx + n) % n] & 1;
  }
  const int self = from[y * n + x] & 1;
  to[y * n + x] = alive == 3 || (alive == 4 && self);
}

// check life_in_place --grid 2,2 --block 8,8 --arg u8[256]=random:5 --arg i32:16
// finds data-race @life_reads @life_writes
__global__ void life_in_place(unsigned char* cells, int n) {
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      alive += cells[(y + dy + n) % n * n + (x + dx + n) % n] & 1;  // @life_reads
    }
  }
  const int self = cells[y * n + x] & 1;
  cells[y * n + x] = alive == 3 || (alive == 4 && self);  // @life_writes
}

// check generations_in_a_block --grid 1 --block 16,16 --arg u8[256]=random:5 --arg i32:10
// clean
__global__ void generations_in_a_block(unsigned char* cells, int generations) {
  __shared__ unsigned char s[2][16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  s[0][y][x] = cells[y * 16 + x] & 1;
  __syncthreads();
  for (int g = 0; g < generations; ++g) {
    const auto& from = s[g % 2];
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) alive += from[(y + dy) & 15][(x + dx) & 15];
    }
    s[(g + 1) % 2][y][x] = alive == 3 || (alive == 4 && from[y][x]);
    __syncthreads();
  }
  cells[y * 16 + x] = s[generations % 2][y][x];
}

// check hash_table --grid 4 --block 32 --arg i32[128]=arange --arg i32[256]=zeros
// clean
__global__ void hash_table(const int* keys, int* slots) {
  const int key = keys[blockIdx.x * 32 + threadIdx.x] + 1;
  for (unsigned i = key * 2654435761u >> 24;; i = (i + 1) % 256) {
    const int before = atomicCAS(&slots[i], 0, key);
    if (before == 0 || before == key) break;
  }
}

// check queue_of_a_block --grid 1 --block 64 --arg i32[64]=arange --arg i32[64]
// clean
__global__ void queue_of_a_block(const int* x, int* out) {
  __shared__ int queue[64], count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (x[threadIdx.x] % 2) queue[atomicAdd(&count, 1)] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < count) out[threadIdx.x] = queue[threadIdx.x];
}

// check producer_and_consumer --grid 1 --block 64 --arg i32[8]
// clean
__global__ void producer_and_consumer(int* out) {
  __shared__ int value, ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  for (int i = 0; i < 8; ++i) {
    if (threadIdx.x == 0) {
      while (atomicAdd_block(&ready, 0) != 2 * i) {
      }
      value = i * i;
      __threadfence_block();
      atomicExch_block(&ready, 2 * i + 1);
    } else if (threadIdx.x == 32) {
      while (atomicAdd_block(&ready, 0) != 2 * i + 1) {
      }
      out[i] = value;
      __threadfence_block();
      atomicExch_block(&ready, 2 * i + 2);
    }
  }
}

// check producer_without_a_fence --grid 1 --block 64 --arg i32[1]
// finds data-race @produced @consumed
__global__ void producer_without_a_fence(int* out) {
  __shared__ int value, ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 7;  // @produced
    atomicExch_block(&ready, 1);
  } else if (threadIdx.x == 32) {
    while (atomicAdd_block(&ready, 0) == 0) {
    }
    *out = value;  // @consumed
  }
}

// check pi --grid 4 --block 64 --arg u32:7 --arg u64[1]=zeros
// clean
__global__ void pi(unsigned seed, unsigned long long* inside) {
  unsigned state = (blockIdx.x * 64 + threadIdx.x) * 2654435761u + seed;
  int count = 0;
  for (int i = 0; i < 50; ++i) {
    state = state * 1664525u + 1013904223u;
    const float x = (state >> 8) * 0x1p-24f;
    state = state * 1664525u + 1013904223u;
    const float y = (state >> 8) * 0x1p-24f;
    count += x * x + y * y < 1;
  }
  for (int by = 16; by > 0; by /= 2) count += __shfl_down_sync(0xffffffff, count, by);
  if (threadIdx.x % 32 == 0) atomicAdd(inside, static_cast<unsigned long long>(count));
}

// check mandelbrot --grid 2,2 --block 8,8 --arg u8[256] --arg i32:16 --arg i32:50
// clean
__global__ void mandelbrot(unsigned char* out, int n, int most) {
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < n; y += gridDim.y * blockDim.y) {
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < n; x += gridDim.x * blockDim.x) {
      const float cx = -2 + 3.0f * x / n, cy = -1 + 2.0f * y / n;
      float zx = 0, zy = 0;
      int i = 0;
      for (; i < most && zx * zx + zy * zy < 4; ++i) {
        const float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
      }
      out[y * n + x] = i;
    }
  }
}

// check jacobi_with_residual --grid 4 --block 32 --arg f64[128]=random:9 --arg f64[128]=zeros --arg u64[1]=zeros
// clean
__global__ void jacobi_with_residual(const double* u, double* next, unsigned long long* largest) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  double change = 0;
  if (i > 0 && i < 127) {
    next[i] = (u[i - 1] + u[i + 1]) / 2;
    change = fabs(next[i] - u[i]);
  }
  for (int by = 16; by > 0; by /= 2) change = fmax(change, __shfl_xor_sync(0xffffffff, change, by));
  if (threadIdx.x == 0) atomicMax(largest, static_cast<unsigned long long>(__double_as_longlong(change)));
}
