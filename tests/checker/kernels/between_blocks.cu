// Synchronisation between blocks: fences with atomics, flags, locks, the grid's barrier.

#include <cooperative_groups.h>

__device__ unsigned blocks_done = 0;

// check last_block_done --grid 8 --block 64 --arg f32[512]=arange --arg f32[8] --arg f32[1]
// clean
__global__ void last_block_done(const float* x, float* partial, float* out) {
  __shared__ float s[64];
  __shared__ bool is_last;
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 64 + t];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && t == 0) {
    float sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += partial[i];
    *out = sum;
    assert(sum == 512.0f * 511 / 2);
  }
}

// check last_block_resets_the_counter --grid 8 --block 64 --arg f32[512]=arange --arg f32[8] --arg f32[1]
// clean
__global__ void last_block_resets_the_counter(const float* x, float* partial, float* out) {
  __shared__ bool is_last;
  const int t = threadIdx.x;
  if (t == 0) {
    partial[blockIdx.x] = x[blockIdx.x * 64];
    __threadfence();
    is_last = atomicAdd(&blocks_done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && t == 1) {
    float sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += partial[i];
    *out = sum;
    blocks_done = 0;
  }
}

// check counter_reset_without_a_fence --grid 8 --block 64 --arg i32[1]
// finds data-race @counter_counts @counter_reset: __threadfence() belongs between
__global__ void counter_reset_without_a_fence(int* out) {
  if (threadIdx.x == 0) {
    if (atomicAdd(&blocks_done, 1) == gridDim.x - 1) {  // @counter_counts
      blocks_done = 0;  // @counter_reset
    }
  }
}

// check last_block_without_a_fence --grid 8 --block 64 --arg f32[512]=arange --arg f32[8] --arg f32[1]
// finds data-race @unfenced_partial @reads_partials of partial: __threadfence() belongs between
__global__ void last_block_without_a_fence(const float* x, float* partial, float* out) {
  __shared__ bool is_last;
  const int t = threadIdx.x;
  if (t == 0) {
    partial[blockIdx.x] = x[blockIdx.x * 64];  // @unfenced_partial
    is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && t == 0) {
    float sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += partial[i];  // @reads_partials
    *out = sum;
  }
}

// check last_block_read_by_all --grid 8 --block 64 --arg f32[512] --arg f32[64]
// clean
__global__ void last_block_read_by_all(float* partial, float* out) {
  __shared__ bool is_last;
  partial[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&blocks_done, 1) == gridDim.x - 1;
  __syncthreads();
  if (is_last) {
    float sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += partial[i * 64 + threadIdx.x];
    out[threadIdx.x] = sum;
  }
}

// check fence_of_one_thread_before_the_others --grid 8 --block 64 --arg f32[512] --arg f32[64]
// finds data-race @late_write @early_read: __syncthreads() before that where another thread tells
__global__ void fence_of_one_thread_before_the_others(float* partial, float* out) {
  __shared__ bool is_last;
  partial[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;  // @late_write
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(&blocks_done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    float sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += partial[i * 64 + threadIdx.x];  // @early_read
    out[threadIdx.x] = sum;
  }
}

// check block_fence_between_blocks --grid 2 --block 1 --arg i32[2]=zeros --arg i32[1]
// finds data-race @block_fenced_write @block_fenced_read
__global__ void block_fence_between_blocks(int* x, int* out) {
  if (blockIdx.x == 0) {
    x[0] = 1;  // @block_fenced_write
    __threadfence_block();
    atomicExch(&x[1], 1);
  } else {
    while (atomicAdd(&x[1], 0) == 0) {
    }
    __threadfence();
    out[0] = x[0];  // @block_fenced_read
  }
}

// check flag_of_another_block --grid 2 --block 1 --arg i32[2]=zeros --arg i32[1]
// clean
__global__ void flag_of_another_block(int* x, int* out) {
  if (blockIdx.x == 1) {
    x[0] = 1;
    __threadfence();
    atomicExch(&x[1], 1);
  } else {
    while (atomicAdd(&x[1], 0) == 0) {
    }
    __threadfence();
    out[0] = x[0];
  }
}

// check volatile_flag --grid 2 --block 32 --arg i32[1]=zeros --arg i32[32] --arg i32[32]
// clean
__global__ void volatile_flag(volatile int* flag, int* data, int* out) {
  if (blockIdx.x == 1) {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (threadIdx.x == 0) {
      while (*flag == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[threadIdx.x] = data[31 - threadIdx.x];
  }
}

// check look_back --grid 12 --block 32 --arg i32[384]=arange --arg i32[384] --arg i32[12]=zeros --arg i32[12]
// clean
__global__ void look_back(const int* x, int* y, volatile int* state, volatile int* prefix) {
  __shared__ int s[32];
  __shared__ int before;
  const int t = threadIdx.x, b = blockIdx.x, i = b * 32 + t;
  s[t] = x[i];
  __syncthreads();
  for (int by = 1; by < 32; by *= 2) {
    const int other = t >= by ? s[t - by] : 0;
    __syncthreads();
    s[t] += other;
    __syncthreads();
  }
  if (t == 0) {
    before = 0;
    if (b > 0) {
      while (state[b - 1] == 0) {
      }
      __threadfence();
      before = prefix[b - 1];
    }
    prefix[b] = before + s[31];
    __threadfence();
    state[b] = 1;
  }
  __syncthreads();
  y[i] = before + s[t];
  assert(y[i] == i * (i + 1) / 2);
}

// check look_back_without_a_fence --grid 4 --block 1 --arg i32[4]=arange --arg i32[4]=zeros --arg i32[4]
// finds data-race @unfenced_prefix @reads_prefix: __threadfence() belongs between
__global__ void look_back_without_a_fence(const int* x, volatile int* state, int* prefix) {
  const int b = blockIdx.x;
  int before = 0;
  if (b > 0) {
    while (state[b - 1] == 0) {
    }
    before = prefix[b - 1];  // @reads_prefix
  }
  prefix[b] = before + x[b];  // @unfenced_prefix
  state[b] = 1;
}

// check tickets_look_back --grid 6 --block 32 --arg i32[1]=zeros --arg u64[6]=zeros
// clean
__global__ void tickets_look_back(int* tickets, unsigned long long* states) {
  __shared__ int ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(tickets, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned long long sum = 1;
    for (int i = ticket - 1; i >= 0;) {
      const unsigned long long other = atomicAdd(&states[i], 0ull);
      if (other >> 32 == 0) continue;
      sum += static_cast<unsigned>(other);
      break;
    }
    assert(sum == ticket + 1);
    atomicExch(&states[ticket], 1ull << 32 | sum);
  }
}

// check lock_by_exchange --grid 6 --block 1 --arg i32[1]=zeros --arg i32[1]=zeros
// clean
__global__ void lock_by_exchange(int* lock, int* sum) {
  while (atomicExch(lock, 1) != 0) {
    __nanosleep(20);
  }
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicExch(lock, 0);
}

// check lock_of_a_warp --grid 2 --block 32 --arg i32[1]=zeros --arg i32[1]=zeros
// clean
__global__ void lock_of_a_warp(int* lock, int* sum) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *sum += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

// check two_locks_for_one_sum --grid 4 --block 1 --arg i32[2]=zeros --arg i32[1]=zeros
// finds data-race @two_locks
__global__ void two_locks_for_one_sum(int* locks, int* sum) {
  int* const lock = &locks[blockIdx.x % 2];
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *sum += 1;  // @two_locks
  __threadfence();
  atomicExch(lock, 0);
}

// check grid_barrier --grid 4 --block 32 --arg i32[128]=arange
// clean
__global__ void grid_barrier(int* x) {
  const auto grid = cooperative_groups::this_grid();
  const unsigned i = grid.thread_rank(), n = grid.size();
  for (int step = 0; step < 3; ++step) {
    const int sum = x[(i + 1) % n] + x[(i + n - 1) % n];
    grid.sync();
    x[i] = sum;
    grid.sync();
  }
}

// check grid_barrier_missing --grid 4 --block 32 --arg i32[128]=arange
// finds data-race @grid_read @grid_write: blocks run in any order
__global__ void grid_barrier_missing(int* x) {
  const auto grid = cooperative_groups::this_grid();
  const unsigned i = grid.thread_rank(), n = grid.size();
  for (int step = 0; step < 3; ++step) {
    const int sum = x[(i + 1) % n] + x[(i + n - 1) % n];  // @grid_read
    grid.sync();
    x[i] = sum;  // @grid_write
  }
}

// check grid_barrier_of_some --grid 4 --block 32 --arg i32[128]=arange
// finds divergent-barrier @some_of_the_grid
__global__ void grid_barrier_of_some(int* x) {
  if (blockIdx.x == 2) return;
  x[blockIdx.x * 32 + threadIdx.x] = 1;
  cooperative_groups::this_grid().sync();  // @some_of_the_grid
}

// check barrier_by_hand --grid 4 --block 32 --arg i32[128]=arange --arg i32[1]=zeros
// clean
__global__ void barrier_by_hand(int* x, volatile int* arrived) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const int mine = x[i];
  x[i] = mine + 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(const_cast<int*>(arrived), 1);
    while (*arrived < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  const int other = x[(i + 32) % 128];
  assert(other == (i + 32) % 128 + 1);
}

// check decoupled_look_back --grid 20 --block 256 --arg i32[5000]=arange --arg i32[5000] --arg u64[20]=zeros --arg i32[1]=zeros --arg i32:5000
// clean
__global__ void decoupled_look_back(const int* x, int* y, unsigned long long* states, int* tickets, int n) {
  __shared__ int tile, prefix, warps[8];
  if (threadIdx.x == 0) tile = atomicAdd(tickets, 1);
  __syncthreads();
  const int b = tile, i = b * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int v = i < n ? x[i] : 0;
  for (int by = 1; by < 32; by *= 2) {
    const int other = __shfl_up_sync(0xffffffff, v, by);
    if (lane >= by) v += other;
  }
  if (lane == 31) warps[warp] = v;
  __syncthreads();
  if (warp == 0) {
    int sum = lane < 8 ? warps[lane] : 0;
    for (int by = 1; by < 8; by *= 2) {
      const int other = __shfl_up_sync(0xffffffff, sum, by);
      if (lane >= by) sum += other;
    }
    const int total = __shfl_sync(0xffffffff, sum, 7);
    if (lane < 8) warps[lane] = sum;
    if (lane == 0) atomicExch(&states[b], (b == 0 ? 2ull : 1ull) << 32 | static_cast<unsigned>(total));
    int before = 0;
    for (int last = b - 1; last >= 0; last -= 32) {
      const int k = last - lane;
      unsigned long long state = 2ull << 32;
      do {
        if (k >= 0) state = atomicAdd(&states[k], 0ull);
      } while (__any_sync(0xffffffff, state >> 32 == 0));
      const unsigned inclusive = __ballot_sync(0xffffffff, state >> 32 == 2);
      int part = static_cast<int>(static_cast<unsigned>(state));
      if (inclusive != 0 && lane > __ffs(inclusive) - 1) part = 0;
      for (int by = 16; by > 0; by /= 2) part += __shfl_xor_sync(0xffffffff, part, by);
      before += part;
      if (inclusive != 0) break;
    }
    if (lane == 0) {
      if (b > 0) atomicExch(&states[b], 2ull << 32 | static_cast<unsigned>(before + total));
      prefix = before;
    }
  }
  __syncthreads();
  if (i < n) {
    y[i] = v + prefix + (warp > 0 ? warps[warp - 1] : 0);
    assert(y[i] == i * (i + 1) / 2);
  }
}

// check ticket_lock --grid 6 --block 1 --arg i32[2]=zeros --arg i32[1]=zeros
// clean
__global__ void ticket_lock(int* lock, int* sum) {
  const int ticket = atomicAdd(&lock[0], 1);
  while (atomicAdd(&lock[1], 0) != ticket) {
  }
  *sum += 1;
  __threadfence();
  atomicAdd(&lock[1], 1);
}

// check volatile_unlock --grid 6 --block 1 --arg i32[1]=zeros --arg i32[1]=zeros
// clean
__global__ void volatile_unlock(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *sum += 1;
  __threadfence();
  *static_cast<volatile int*>(lock) = 0;
}

// check plain_unlock --grid 6 --block 1 --arg i32[1]=zeros --arg i32[1]=zeros
// finds data-race @takes_lock @frees_plainly: both must be
// finds data-race @after_a_plain_lock
__global__ void plain_unlock(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {  // @takes_lock
  }
  *sum += 1;  // @after_a_plain_lock
  __threadfence();
  *lock = 0;  // @frees_plainly
}

// check a_flag_for_each_block --grid 5 --block 64 --arg i32[320] --arg i32[5]=zeros --arg i32[64]
// clean
__global__ void a_flag_for_each_block(int* parts, volatile int* flags, int* out) {
  parts[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) flags[blockIdx.x] = 1;
  if (blockIdx.x != 0) return;
  if (threadIdx.x < gridDim.x) {
    while (flags[threadIdx.x] == 0) {
    }
  }
  __syncthreads();
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += parts[b * 64 + threadIdx.x];
  out[threadIdx.x] = sum;
  assert(sum == 5 * threadIdx.x);
}

// check one_flag_too_few --grid 5 --block 64 --arg i32[320] --arg i32[5]=zeros --arg i32[64]
// finds data-race @fifth_part @reads_fifth_part
__global__ void one_flag_too_few(int* parts, volatile int* flags, int* out) {
  parts[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;  // @fifth_part
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) flags[blockIdx.x] = 1;
  if (blockIdx.x != 0) return;
  if (threadIdx.x < 4) {
    while (flags[threadIdx.x] == 0) {
    }
  }
  __syncthreads();
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) {
    sum += parts[b * 64 + threadIdx.x];  // @reads_fifth_part
  }
  out[threadIdx.x] = sum;
}

// What depends on the order of blocks, and on how they take turns.

// check looks_once --grid 2 --block 1 --arg i32[1]=zeros --arg i32[1]=zeros
// finds data-race @published @looked_up
__global__ void looks_once(int* data, volatile int* flag) {
  if (blockIdx.x == 1) {
    *data = 7;  // @published
    *flag = 1;
  } else if (*flag == 1) {
    *data += 1;  // @looked_up
  }
}

// check locks_in_both_orders --grid 2 --block 1 --schedules 60 --arg i32[2]=zeros
// finds deadlock @second_lock
__global__ void locks_in_both_orders(int* locks) {
  int* const first = locks + blockIdx.x;
  int* const second = locks + 1 - blockIdx.x;
  while (atomicCAS(first, 0, 1) != 0) {
  }
  while (atomicCAS(second, 0, 1) != 0) {  // @second_lock
  }
  __threadfence();
  atomicExch(second, 0);
  atomicExch(first, 0);
}

// check fenced_block_scope --grid 4 --block 1 --arg i32[1]=zeros
// finds data-race @fenced_block_scope: at a scope that does not reach
__global__ void fenced_block_scope(int* count) {
  __threadfence();
  atomicAdd_block(count, 1);  // @fenced_block_scope
}
