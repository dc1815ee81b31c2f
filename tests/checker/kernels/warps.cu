// Warps: what shuffles, votes and matches give, whom they wait for, and what they do not order.

#include <cooperative_groups.h>

// check shuffles --grid 1 --block 64 --arg i32[64]=arange
// clean
__global__ void shuffles(const int* x) {
  const int t = threadIdx.x, lane = t % 32, v = x[t];
  assert(__shfl_sync(0xffffffff, v, 5) == t - lane + 5);
  assert(__shfl_up_sync(0xffffffff, v, 3) == (lane < 3 ? t : t - 3));
  assert(__shfl_down_sync(0xffffffff, v, 3) == (lane > 28 ? t : t + 3));
  assert(__shfl_xor_sync(0xffffffff, v, 6) == (t ^ 6));
  assert(__shfl_sync(0xffffffff, v, 9, 8) == t - t % 8 + 1);
  assert(__shfl_up_sync(0xffffffff, v, 1, 4) == (t % 4 == 0 ? t : t - 1));
  assert(__shfl_down_sync(0xffffffff, 2.5 * v, 1, 16) == 2.5 * (t % 16 == 15 ? t : t + 1));
  assert(__shfl_xor_sync(0xffffffff, static_cast<unsigned char>(t) + 0.5f, 1) == (t ^ 1) + 0.5f);
}

// check votes --grid 1 --block 64 --arg i32[64]=arange
// clean
__global__ void votes(const int* x) {
  const unsigned lane = threadIdx.x % 32;
  assert(__ballot_sync(0xffffffff, lane % 4 == 1) == 0x22222222);
  assert(__all_sync(0xffffffff, lane < 32) && !__all_sync(0xffffffff, lane < 31));
  assert(__any_sync(0xffffffff, lane == 31) && !__any_sync(0xffffffff, lane == 32));
  if (lane < 16) {
    assert(__ballot_sync(0x0000ffff, lane > 7) == 0xff00);
  } else {
    assert(__ballot_sync(0xffff0000, lane > 23) == 0xff000000);
  }
}

// check matches --grid 1 --block 32 --arg i32[1]=zeros
// clean
__global__ void matches(const int* x) {
  const unsigned lane = threadIdx.x;
  assert(__match_any_sync(0xffffffff, lane / 8) == 0xffu << (lane / 8 * 8));
  int all = 0;
  assert(__match_all_sync(0xffffffff, 7.5, &all) == 0xffffffff && all);
  assert(__match_all_sync(0xffffffff, lane == 3, &all) == 0 && !all);
}

// check warp_reductions --grid 1 --block 32 --arg i32[1]=zeros
// clean
__global__ void warp_reductions(const int* x) {
  const int lane = threadIdx.x;
  assert(__reduce_add_sync(0xffffffff, lane) == 496);
  assert(__reduce_min_sync(0xffffffff, lane - 16) == -16);
  assert(__reduce_max_sync(0xffffffff, static_cast<unsigned>(lane)) == 31);
  assert(__reduce_or_sync(0xffffffff, 1u << lane) == 0xffffffff);
  assert(__reduce_xor_sync(0xffffffff, 3u) == 0);
  assert(__reduce_and_sync(0xffffffff, lane | 64u) == 64);
}

// check sum_by_shuffles --grid 4 --block 64 --arg f32[256]=arange --arg f32[1]=zeros
// clean
__global__ void sum_by_shuffles(const float* x, float* sum) {
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffff, v, by);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}

// check partial_warp --grid 1 --block 48 --arg f32[48]=arange --arg f32[2]
// finds absent-lane @half_a_warp
__global__ void partial_warp(const float* x, float* sums) {
  float v = x[threadIdx.x];
  for (int by = 16; by > 0; by /= 2) {
    const float other = __shfl_down_sync(0xffffffff, v, by);  // @half_a_warp
    if ((threadIdx.x % 32) + by < (threadIdx.x < 32 ? 32 : 16)) v += other;
  }
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
}

// check reads_a_lane_that_left --grid 1 --block 32 --arg i32[20]=arange --arg i32:20
// finds absent-lane @left_lane
__global__ void reads_a_lane_that_left(int* x, int n) {
  if (threadIdx.x >= n) return;
  x[threadIdx.x] = __shfl_down_sync(0xffffffff, x[threadIdx.x], 1);  // @left_lane
}

// check mask_names_lanes_that_left --grid 1 --block 64 --arg i32[50]=arange --arg i32:50
// clean
__global__ void mask_names_lanes_that_left(int* x, int n) {
  const int t = threadIdx.x;
  if (t >= n) return;
  __shared__ int s[64];
  s[t] = x[t];
  __syncwarp();
  const unsigned small = __ballot_sync(0xffffffff, t < 40);
  x[t] = s[t ^ 1] + (t % 2 == 0 ? __popc(small) : __shfl_up_sync(0xaaaaaaaa, t, 0));
  if (t >= 32) assert(small == 0xff && __shfl_xor_sync(0xffffffff, t, 1) == (t ^ 1));
}

// check leaves_while_others_wait --grid 1 --block 32 --arg i32[32]=arange
// clean
__global__ void leaves_while_others_wait(int* x) {
  if (threadIdx.x < 31) {
    const int sum = __reduce_add_sync(0xffffffff, 1);
    x[threadIdx.x] = sum;
    assert(sum == 31);
  } else {
    for (int i = 0; i < 1000; ++i) x[31] += i;
  }
}

// check reads_outside_the_mask --grid 1 --block 32 --arg f32[32]=arange --arg f32[1] --arg i32:20
// finds absent-lane @outside_the_mask
__global__ void reads_outside_the_mask(const float* x, float* sum, int n) {
  const unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < n);
  if (threadIdx.x >= n) return;
  float v = x[threadIdx.x];
  for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(mask, v, by);  // @outside_the_mask
  if (threadIdx.x == 0) *sum = v;
}

// check odd_width --grid 1 --block 32 --arg i32[32]
// finds absent-lane @odd_width
__global__ void odd_width(int* x) {
  x[threadIdx.x] = __shfl_sync(0xffffffff, threadIdx.x, 0, 12);  // @odd_width
}

// check mask_of_the_lanes --grid 1 --block 32 --arg i32[20]=arange --arg i32:20
// clean
__global__ void mask_of_the_lanes(int* x, int n) {
  const unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < n);
  if (threadIdx.x >= n) return;
  x[threadIdx.x] = __shfl_down_sync(mask, x[threadIdx.x], 1, 4);
}

// check syncwarp_in_a_branch --grid 1 --block 32 --arg i32[32]=arange
// finds warp-mask @branch_sync
__global__ void syncwarp_in_a_branch(int* x) {
  if (threadIdx.x < 16) {
    x[threadIdx.x] = 0;
    __syncwarp();  // @branch_sync
  }
  __syncthreads();
}

// check syncwarp_of_a_branch --grid 1 --block 32 --arg i32[32]=arange
// clean
__global__ void syncwarp_of_a_branch(int* x) {
  if (threadIdx.x < 16) {
    x[threadIdx.x] = 0;
    __syncwarp(0xffff);
  }
  __syncthreads();
}

// check mask_without_the_caller --grid 1 --block 32 --arg i32[32]=arange
// finds warp-mask @not_named
__global__ void mask_without_the_caller(int* x) {
  x[threadIdx.x] = __any_sync(0x0000ffff, threadIdx.x == 3);  // @not_named
}

// check shuffle_is_no_fence --grid 1 --block 32 --arg i32[32]=arange
// finds data-race @before_a_shuffle @after_a_shuffle: __syncwarp() between
__global__ void shuffle_is_no_fence(int* x) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];  // @before_a_shuffle
  const int neighbour = __shfl_xor_sync(0xffffffff, threadIdx.x, 1);
  x[threadIdx.x] = s[neighbour];  // @after_a_shuffle
}

// check syncwarp_is_a_fence --grid 1 --block 32 --arg i32[32]=arange
// clean
__global__ void syncwarp_is_a_fence(int* x) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];
  const int neighbour = __shfl_xor_sync(0xffffffff, threadIdx.x, 1);
  __syncwarp();
  x[threadIdx.x] = s[neighbour];
}

// check syncwarp_of_two_warps --grid 1 --block 64 --arg i32[64]=arange
// finds data-race @other_warp_write @other_warp_read: __syncthreads() between the two orders the threads of a block
__global__ void syncwarp_of_two_warps(int* x) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];  // @other_warp_write
  __syncwarp();
  x[threadIdx.x] = s[63 - threadIdx.x];  // @other_warp_read
}

// check syncwarp_of_half --grid 1 --block 32 --arg i32[32]=arange
// finds data-race @half_write @half_read
__global__ void syncwarp_of_half(int* x) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];  // @half_write
  __syncwarp(threadIdx.x < 16 ? 0x0000ffff : 0xffff0000);
  x[threadIdx.x] = s[31 - threadIdx.x];  // @half_read
}

// check syncwarp_of_quarters --grid 1 --block 32 --arg i32[32]=arange
// clean
__global__ void syncwarp_of_quarters(int* x) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];
  __syncwarp(0xffu << (threadIdx.x / 8 * 8));
  x[threadIdx.x] = s[threadIdx.x ^ 7];
}

// check warp_synchronous --grid 1 --block 32 --arg i32[32]=arange
// finds data-race @together_write @together_read
// check warp_synchronous --grid 1 --block 32 --arg i32[32]=arange --legacy-warps
// clean
__global__ void warp_synchronous(int* x) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];  // @together_write
  x[threadIdx.x] = s[31 - threadIdx.x];  // @together_read
}

// check legacy_values --grid 1 --block 32 --arg i32[32]=arange --legacy-warps
// clean
__global__ void legacy_values(int* x) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  s[t + 32] = 0;
  for (int by = 16; by > 0; by /= 2) s[t] += s[t + by];
  if (t == 0) assert(s[0] == 496);
}

// check active_mask --grid 1 --block 32 --arg i32[32]=zeros
// clean
__global__ void active_mask(int* x) {
  if (threadIdx.x % 2 == 0) {
    const unsigned mask = __activemask();
    assert(mask == 0x55555555);
    x[threadIdx.x] = __popc(mask);
  }
}

// check warp_aggregated_atomic --grid 4 --block 64 --arg i32[256]=arange --arg i32[1]=zeros --arg i32[256]
// clean
__global__ void warp_aggregated_atomic(const int* x, int* count, int* out) {
  const int v = x[blockIdx.x * blockDim.x + threadIdx.x];
  if (v % 3 == 0) {
    const unsigned mask = __activemask(), lane = threadIdx.x % 32;
    const int leader = __ffs(mask) - 1;
    int first = 0;
    if (lane == leader) first = atomicAdd(count, __popc(mask));
    first = __shfl_sync(mask, first, leader);
    out[first + __popc(mask & ((1u << lane) - 1))] = v;
  }
}

// A group as a parameter, whichever it is.
__device__ int sum_of_group(cooperative_groups::thread_group group, int* s, int value) {
  const int rank = group.thread_rank();
  for (int by = group.size() / 2; by > 0; by /= 2) {
    s[rank] = value;
    group.sync();
    if (rank < by) value += s[rank + by];
    group.sync();
  }
  return value;
}
template <int Size>
__device__ int sum_of_tile(cooperative_groups::thread_block_tile<Size> tile, int value) {
  for (int by = tile.size() / 2; by > 0; by /= 2) value += tile.shfl_down(value, by);
  return value;
}

// check groups_as_parameters --grid 2 --block 64 --arg i32[128]=arange
// clean
__global__ void groups_as_parameters(int* x) {
  __shared__ int s[64];
  const cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
  const int i = blockIdx.x * 64 + threadIdx.x, first = blockIdx.x * 64;
  const int all = sum_of_group(block, s, x[i]);
  if (threadIdx.x == 0) assert(all == 64 * first + 63 * 32);
  cooperative_groups::thread_group tile = cooperative_groups::tiled_partition(block, 8);
  const int base = threadIdx.x / 8 * 8;
  const int of_eight = sum_of_group(tile, s + base, x[i]);
  if (threadIdx.x % 8 == 0) assert(of_eight == 8 * i + 28 && tile.size() == 8 && tile.thread_rank() == 0);
  cooperative_groups::thread_block_tile<16> sixteen = cooperative_groups::tiled_partition<16>(block);
  const int of_sixteen = sum_of_tile<16>(cooperative_groups::tiled_partition<16>(block), x[i]);
  if (sixteen.thread_rank() == 0) assert(of_sixteen == 16 * i + 120);
}

// check group_without_sync --grid 1 --block 64 --arg i32[64]=arange
// finds data-race @writes_for_group @reads_of_group
__global__ void group_without_sync(int* x) {
  cooperative_groups::thread_group group = cooperative_groups::this_thread_block();
  x[group.thread_rank()] = 1;                                  // @writes_for_group
  const int other = x[group.size() - 1 - group.thread_rank()];  // @reads_of_group
  group.sync();
  x[group.thread_rank()] = other;
}

// A flag in shared memory, with fences on both sides.
// check shared_flag --grid 2 --block 64 --arg i32[128]
// clean
__global__ void shared_flag(int* out) {
  __shared__ int data[32];
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[threadIdx.x] = threadIdx.x;
    __syncwarp();
    if (threadIdx.x == 0) {
      __threadfence_block();
      flag = 1;
    }
    out[64 * blockIdx.x + threadIdx.x] = 0;
  } else {
    while (flag == 0) {
    }
    __threadfence_block();
    out[64 * blockIdx.x + threadIdx.x] = data[threadIdx.x - 32];
  }
}

// The fence behind the flag's last look is missing.
// check shared_flag_without_fence --grid 1 --block 64 --arg i32[64]
// finds data-race @guarded @looks_at_it: __threadfence_block() is missing behind the look
__global__ void shared_flag_without_fence(int* out) {
  __shared__ int data[32];
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[threadIdx.x] = threadIdx.x;  // @guarded
    __syncwarp();
    __threadfence_block();
    if (threadIdx.x == 0) flag = 1;
    out[threadIdx.x] = 0;
  } else {
    while (flag == 0) {
    }
    out[threadIdx.x] = data[threadIdx.x - 32];  // @looks_at_it
  }
}

__device__ void wait_as_one(int* flag) {
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
  }
  __syncwarp();
}

// Each lane's fence comes before the barrier of the warp, and one lane says for all that it is done.
// check fence_of_each_lane --grid 2 --block 32 --arg i32[32] --arg i32[1]=zeros --arg i32[32]
// clean
__global__ void fence_of_each_lane(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncwarp();
    if (threadIdx.x == 0) atomicExch(flag, 1);
  } else {
    wait_as_one(flag);
    out[threadIdx.x] = data[threadIdx.x];
  }
}

// The write comes after the fence.
// check fence_before_the_write --grid 2 --block 32 --arg i32[32] --arg i32[1]=zeros --arg i32[32]
// finds data-race @after_its_fence @not_ordered: __threadfence() belongs between
__global__ void fence_before_the_write(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    __threadfence();
    data[threadIdx.x] = threadIdx.x;  // @after_its_fence
    __syncwarp();
    if (threadIdx.x == 0) atomicExch(flag, 1);
  } else {
    wait_as_one(flag);
    out[threadIdx.x] = data[threadIdx.x];  // @not_ordered
  }
}

// Threads of a warp that read what others of it have just written, without a barrier for the warp.
// check volatile_sum_in_step --grid 1 --block 32 --arg i32[64]=arange
// finds data-race @in_step of x: volatile orders nothing
// check volatile_sum_in_step --grid 1 --block 32 --arg i32[64]=arange --legacy-warps
// clean
__global__ void volatile_sum_in_step(int* x) {
  volatile int* v = x;
  const int t = threadIdx.x;
  for (int d = 16; d > 0; d /= 2) v[t] += v[t + d];  // @in_step
}

// check volatile_sum_with_barriers --grid 1 --block 32 --arg i32[64]=arange
// clean
__global__ void volatile_sum_with_barriers(int* x) {
  volatile int* v = x;
  const int t = threadIdx.x;
  for (int d = 16; d > 0; d /= 2) {
    const int other = v[t + d];
    __syncwarp();
    v[t] += other;
    __syncwarp();
  }
}

// check volatile_flag_of_a_warp --grid 2 --block 64 --arg i32[128]=arange --arg i32[1]=zeros --arg i32[128]=zeros
// clean
__global__ void volatile_flag_of_a_warp(const int* x, volatile int* found, int* steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8 && *found == 0; ++k) {
    if ((x[i] * 7 + k) % 128 == 5) *found = 1;
    steps[i] = k;
  }
}
