// Barriers of a block: what they return, where threads miss them, and where they meet at different ones.

// check count_and_or --grid 2 --block 96 --arg i32[6]
// clean
__global__ void count_and_or(int* out) {
  const int t = threadIdx.x;
  const int count = __syncthreads_count(t % 3 == 0);
  const int all = __syncthreads_and(t < 96), not_all = __syncthreads_and(t < 95);
  const int any = __syncthreads_or(t == 95), none = __syncthreads_or(t == 96);
  assert(count == 32);
  assert(all && !not_all);
  assert(any && !none);
  if (t < 3) out[blockIdx.x * 3 + t] = count;
}

// Threads that have ended count as arrived on what there has been since 2017, and not on what there was before.
// check early_return --grid 2 --block 64 --arg i32[100]=arange --arg i32:100
// notes divergent-barrier @after_a_return: they count as arrived from compute capability 7.0 on
// check early_return --grid 2 --block 64 --arg i32[100]=arange --arg i32:100 --legacy-warps
// finds divergent-barrier @after_a_return
__global__ void early_return(int* x, int n) {
  __shared__ int s[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = x[i];
  __syncthreads();  // @after_a_return
  x[i] = s[threadIdx.x ^ 1];
}

// check return_behind_a_barrier --grid 1 --block 64 --arg i32[64]=arange
// finds divergent-barrier @left_by_some
__global__ void return_behind_a_barrier(int* x) {
  for (int i = 0; i < 4; ++i) {
    if (i > threadIdx.x / 16) break;
    __syncthreads();  // @left_by_some
    x[threadIdx.x] += i;
  }
  if (x[threadIdx.x] > 64) return;
  x[threadIdx.x] = 0;
}

// check no_early_return --grid 2 --block 64 --arg i32[100]=arange --arg i32:100
// clean
__global__ void no_early_return(int* x, int n) {
  __shared__ int s[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) s[threadIdx.x] = x[i];
  __syncthreads();
  if (i < n) x[i] = s[threadIdx.x ^ 1];
}

// check either_branch --grid 1 --block 64 --arg i32[64]=zeros
// finds mismatched-barriers @in_one_branch @in_the_other
__global__ void either_branch(int* x) {
  if (threadIdx.x % 2 == 0) {
    x[threadIdx.x] = 1;
    __syncthreads();  // @in_one_branch
  } else {
    x[threadIdx.x] = 2;
    __syncthreads();  // @in_the_other
  }
}

// check after_the_branch --grid 1 --block 64 --arg i32[64]=zeros
// clean
__global__ void after_the_branch(int* x) {
  x[threadIdx.x] = threadIdx.x % 2 == 0 ? 1 : 2;
  __syncthreads();
}

// check different_kinds --grid 1 --block 64 --arg i32[64]=zeros
// finds mismatched-barriers @plain_kind @counting_kind
__global__ void different_kinds(int* x) {
  if (threadIdx.x < 32) {
    __syncthreads();  // @plain_kind
  } else {
    x[threadIdx.x] = __syncthreads_count(1);  // @counting_kind
  }
}

// check loops_of_different_length --grid 1 --block 64 --arg i32[64]=zeros
// finds divergent-barrier @in_a_loop
__global__ void loops_of_different_length(int* x) {
  for (int i = 0; i <= threadIdx.x / 32; ++i) {
    x[threadIdx.x] += i;
    __syncthreads();  // @in_a_loop
  }
}

// check loops_of_one_length --grid 1 --block 64 --arg i32[64]=zeros
// clean
__global__ void loops_of_one_length(int* x) {
  for (int i = 0; i < 2; ++i) {
    if (i <= threadIdx.x / 32) x[threadIdx.x] += i;
    __syncthreads();
  }
}

__device__ void publish(int* s, int value) {
  s[threadIdx.x] = value;
  __syncthreads();
}

// check barrier_in_a_function --grid 1 --block 64 --arg i32[64]=arange
// clean
__global__ void barrier_in_a_function(int* x) {
  __shared__ int s[64];
  publish(s, x[threadIdx.x]);
  x[threadIdx.x] = s[63 - threadIdx.x];
}

// check no_barrier --grid 1 --block 64 --arg i32[64]=arange
// finds data-race @no_barrier_write @no_barrier_read: __syncthreads() between the two orders the threads of a block
__global__ void no_barrier(int* x) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];  // @no_barrier_write
  x[threadIdx.x] = s[63 - threadIdx.x];  // @no_barrier_read
}

// check barrier_before_reuse_missing --grid 1 --block 64 --arg i32[128]=arange
// finds data-race @reuse_read @reuse_write
__global__ void barrier_before_reuse_missing(int* x) {
  __shared__ int s[64];
  for (int part = 0; part < 2; ++part) {
    s[threadIdx.x] = x[part * 64 + threadIdx.x];  // @reuse_write
    __syncthreads();
    x[part * 64 + threadIdx.x] = s[63 - threadIdx.x];  // @reuse_read
  }
}

// check barrier_before_reuse --grid 1 --block 64 --arg i32[128]=arange
// clean
__global__ void barrier_before_reuse(int* x) {
  __shared__ int s[64];
  for (int part = 0; part < 2; ++part) {
    s[threadIdx.x] = x[part * 64 + threadIdx.x];
    __syncthreads();
    x[part * 64 + threadIdx.x] = s[63 - threadIdx.x];
    __syncthreads();
  }
}

// check all_write_one --grid 1 --block 64 --arg i32[1]=zeros
// finds data-race @all_write: let one of them do so
__global__ void all_write_one(int* x) {
  x[0] = threadIdx.x;  // @all_write
}

// check blocks_write_one --grid 4 --block 1 --arg i32[1]=zeros
// finds data-race @blocks_write: let one of them do so
__global__ void blocks_write_one(int* x) {
  x[0] = blockIdx.x;  // @blocks_write
}

// check updates_without_atomics --grid 2 --block 64 --arg i32[128]=zeros --arg i32[4]=zeros
// finds data-race @updates of counts: atomicAdd() and its kind lose none
__global__ void updates_without_atomics(const int* x, int* counts) {
  counts[x[blockIdx.x * blockDim.x + threadIdx.x]]++;  // @updates
}

// check reads_beside_atomics --grid 1 --block 64 --arg i32[1]=zeros --arg i32[64]
// finds data-race @counts_atomically @reads_plainly of count: one of them is not atomic: __syncthreads() between
__global__ void reads_beside_atomics(int* count, int* y) {
  atomicAdd(count, 1);  // @counts_atomically
  y[threadIdx.x] = *count;  // @reads_plainly
}

// check one_block_writes_one --grid 4 --block 32 --arg i32[1]=zeros
// clean
__global__ void one_block_writes_one(int* x) {
  if (blockIdx.x == 3 && threadIdx.x == 7) x[0] = 1;
}

// check stencil_across_blocks --grid 4 --block 32 --arg f32[128]=random:1
// finds data-race @stencil_of_blocks: blocks run in any order
__global__ void stencil_across_blocks(float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < 127) {
    x[i] = (x[i - 1] + x[i + 1]) / 2;  // @stencil_of_blocks
  }
}

// check bytes_of_a_word --grid 1 --block 64 --arg u8[64]=zeros
// clean
__global__ void bytes_of_a_word(unsigned char* x) {
  x[threadIdx.x] = threadIdx.x;
}

// check bytes_of_an_int --grid 1 --block 64 --arg i32[16]=zeros
// clean
__global__ void bytes_of_an_int(int* x) {
  reinterpret_cast<unsigned char*>(x)[threadIdx.x] = threadIdx.x;
}

// check a_byte_of_an_int --grid 1 --block 64 --arg i32[64]=zeros
// finds data-race @whole_int @byte_of_it
__global__ void a_byte_of_an_int(int* x) {
  if (threadIdx.x == 0) x[0] = 1;  // @whole_int
  if (threadIdx.x == 40) reinterpret_cast<unsigned char*>(x)[3] = 1;  // @byte_of_it
}

// check transpose_race --grid 1 --block 32,8 --arg f32[1024]=arange --arg f32[1024]
// finds data-race @tile_write @tile_read of tile: (float[32][33])
__global__ void transpose_race(const float* x, float* y) {
  __shared__ float tile[32][33];
  for (int j = threadIdx.y; j < 32; j += 8) {
    tile[j][threadIdx.x] = x[j * 32 + threadIdx.x];  // @tile_write
  }
  for (int j = threadIdx.y; j < 32; j += 8) {
    y[j * 32 + threadIdx.x] = tile[threadIdx.x][j];  // @tile_read
  }
}

// check transpose --grid 1 --block 32,8 --arg f32[1024]=arange --arg f32[1024]
// clean
__global__ void transpose(const float* x, float* y) {
  __shared__ float tile[32][33];
  for (int j = threadIdx.y; j < 32; j += 8) {
    tile[j][threadIdx.x] = x[j * 32 + threadIdx.x];
  }
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) {
    y[j * 32 + threadIdx.x] = tile[threadIdx.x][j];
  }
}

// A barrier of some of a block's threads: producers fill what consumers take, each side with a barrier of its own.
// check numbered_barriers --grid 2 --block 128 --arg i32[256]
// clean
__global__ void numbered_barriers(int* out) {
  __shared__ int left[64], right[64];
  const int t = threadIdx.x % 64;
  if (threadIdx.x < 64) {
    left[t] = t;
    __barrier_sync_count(1, 64);
    out[128 * blockIdx.x + t] = left[63 - t];
  } else {
    for (int round = 0; round < 3; ++round) {
      right[t] = t + round;
      __barrier_sync_count(2, 64);
      out[128 * blockIdx.x + 64 + t] = right[63 - t];
      __barrier_sync_count(2, 64);
    }
  }
  __barrier_sync(0);
}

// The other half of the block does not know of it.
// check numbered_barrier_of_others --grid 1 --block 128 --arg i32[128]
// finds data-race @written_before_it @read_beside_it: where the read comes first, it reads what was never written
__global__ void numbered_barrier_of_others(int* out) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;  // @written_before_it
  if (threadIdx.x < 64) __barrier_sync_count(3, 64);
  out[threadIdx.x] = s[(threadIdx.x + 64) % 128];  // @read_beside_it
}

// check numbered_barrier_of_too_many --grid 1 --block 64 --arg i32[64]
// finds deadlock @too_many
__global__ void numbered_barrier_of_too_many(int* out) {
  if (threadIdx.x < 32) __barrier_sync_count(1, 64);  // @too_many
  out[threadIdx.x] = 1;
}

// check numbered_too_high --grid 1 --block 64
// fails barrier 16 of 64 threads
__global__ void numbered_too_high() { __barrier_sync_count(16, 64); }

// check both_on_a_line --grid 1 --block 64 --arg i32[64]=zeros
// finds mismatched-barriers @both_on_it
__global__ void both_on_a_line(int* x) {
  // clang-format off
  if (threadIdx.x < 32) { x[threadIdx.x] = 1; __syncthreads(); } else { __syncthreads(); }  // @both_on_it
  // clang-format on
}

// check one_after_another --grid 1 --block 64 --arg i32[64]=zeros --arg i32[1]
// clean
__global__ void one_after_another(int* x, int* out) {
  // clang-format off
  x[threadIdx.x] = 1; __syncthreads(); const int all = __syncthreads_count(x[63 - threadIdx.x]); __syncthreads();
  // clang-format on
  if (threadIdx.x == 0) *out = all;
}
