// Barriers where threads arrive and wait apart, latches, semaphores, pipelines, asynchronous copies.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// check arrives_and_waits --grid 2 --block 64 --arg i32[128]
// clean
__global__ void arrives_and_waits(int* x) {
  __shared__ block_barrier b;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  for (int turn = 0; turn < 3; ++turn) {
    s[threadIdx.x] = static_cast<int>(threadIdx.x) + turn;
    block_barrier::arrival_token token = b.arrive();
    x[blockIdx.x * 64 + threadIdx.x] = turn;  // what others need not see
    b.wait(std::move(token));
    assert(s[63 - threadIdx.x] == static_cast<int>(63 - threadIdx.x) + turn);
    b.arrive_and_wait();
  }
}

// check reads_before_it_waits --grid 1 --block 64
// finds data-race @written @read of s
__global__ void reads_before_it_waits() {
  __shared__ block_barrier b;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&b, 64);
  s[threadIdx.x] = 0;
  __syncthreads();
  s[threadIdx.x] = 1;  // @written
  auto token = b.arrive();
  assert(s[63 - threadIdx.x] <= 1);  // @read
  b.wait(std::move(token));
}

// check begins_without_a_barrier --grid 1 --block 32
// finds uninitialised-read @met of b
// finds misuse @met: not initialised
__global__ void begins_without_a_barrier() {
  __shared__ block_barrier b;
  if (threadIdx.x == 31) init(&b, 32);
  b.arrive_and_wait();  // @met
}

// check arrives_too_often --grid 1 --block 32
// finds misuse @too_often: more threads arrive
__global__ void arrives_too_often() {
  __shared__ block_barrier b;
  if (threadIdx.x == 0) init(&b, 32);
  __syncthreads();
  auto token = b.arrive(3);  // @too_often
  b.wait(std::move(token));
}

// check expects_too_many --grid 1 --block 32
// finds deadlock @stuck
__global__ void expects_too_many() {
  __shared__ block_barrier b;
  if (threadIdx.x == 0) init(&b, 33);
  __syncthreads();
  b.arrive_and_wait();  // @stuck
}

// check drops_and_completes --grid 1 --block 64
// clean
struct counts {
  int* times;
  __device__ void operator()() const { ++*times; }
};
__global__ void drops_and_completes() {
  __shared__ cuda::barrier<cuda::thread_scope_block, counts> b;
  __shared__ int times;
  if (threadIdx.x == 0) {
    times = 0;
    init(&b, 64, counts{&times});
  }
  __syncthreads();
  b.arrive_and_wait();
  assert(times == 1);
  if (threadIdx.x >= 32) {
    b.arrive_and_drop();
    return;
  }
  b.arrive_and_wait();
  b.arrive_and_wait();
  assert(times == 3);
}

// check copies_for_all --grid 1 --block 64 --arg f32[256]=arange --arg f32[256]
// clean
__global__ void copies_for_all(const float* x, float* y) {
  __shared__ block_barrier b;
  __shared__ alignas(16) float s[256];
  const auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&b, blockDim.x);
  block.sync();
  cuda::memcpy_async(block, s, x, sizeof s, b);
  b.arrive_and_wait();
  y[threadIdx.x] = s[255 - threadIdx.x];
  assert(y[threadIdx.x] == 255 - threadIdx.x);
}

// check copies_are_not_awaited --grid 1 --block 64 --arg f32[256]=arange --arg f32[256]
// finds data-race @copied @used of s
__global__ void copies_are_not_awaited(const float* x, float* y) {
  __shared__ block_barrier b;
  __shared__ alignas(16) float s[256];
  const auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&b, blockDim.x);
  for (int i = threadIdx.x; i < 256; i += 64) s[i] = 0;
  block.sync();
  cuda::memcpy_async(block, s, x, cuda::aligned_size_t<16>(sizeof s), b);  // @copied
  block.sync();
  y[threadIdx.x] = s[255 - threadIdx.x];  // @used
  b.arrive_and_wait();
}

// check copies_of_a_group --grid 1 --block 64 --arg i32[128]=arange
// clean
__global__ void copies_of_a_group(const int* x) {
  __shared__ alignas(16) int s[2][64];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, s[0], x, sizeof s[0]);
  cg::memcpy_async(block, s[1], 64, x + 64, 100);
  cg::wait_prior<1>(block);
  assert(s[0][63 - threadIdx.x] == static_cast<int>(63 - threadIdx.x));
  cg::wait(block);
  assert(s[1][63 - threadIdx.x] == static_cast<int>(127 - threadIdx.x));
}

// check waits_for_too_little --grid 1 --block 64 --arg i32[128]=arange
// finds data-race @second @taken of s
__global__ void waits_for_too_little(const int* x) {
  __shared__ int s[128];
  s[threadIdx.x] = s[threadIdx.x + 64] = 0;
  __syncthreads();
  __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], sizeof(int));
  __pipeline_commit();
  __pipeline_memcpy_async(&s[threadIdx.x + 64], &x[threadIdx.x + 64], sizeof(int));  // @second
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  assert(s[63 - threadIdx.x] == static_cast<int>(63 - threadIdx.x));
  assert(s[127 - threadIdx.x] >= 0);  // @taken
}

// check pipeline_of_a_thread --grid 1 --block 32 --arg f32[256]=arange --arg f32[32]
// clean
__global__ void pipeline_of_a_thread(const float* x, float* sums) {
  __shared__ float s[2][32];
  auto pipe = cuda::make_pipeline();
  float sum = 0;
  for (int ahead = 0, at = 0; at < 8; ++at) {
    for (; ahead < 8 && ahead < at + 2; ++ahead) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[ahead % 2][threadIdx.x], &x[32 * ahead + threadIdx.x], sizeof(float), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    sum += s[at % 2][31 - threadIdx.x];
    __syncthreads();
    pipe.consumer_release();
  }
  sums[threadIdx.x] = sum;
  assert(sum == 8 * (31 - threadIdx.x) + 32 * 28);
}

// check pipeline_of_a_block --grid 1 --block 64 --arg i32[512]=arange
// clean
__global__ void pipeline_of_a_block(const int* x) {
  __shared__ alignas(16) int s[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int ahead = 0, at = 0; at < 8; ++at) {
    for (; ahead < 8 && ahead < at + 2; ++ahead) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s[ahead % 2], x + 64 * ahead, cuda::aligned_size_t<16>(sizeof s[0]), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    assert(s[at % 2][63 - threadIdx.x] == static_cast<int>(64 * at + 63 - threadIdx.x));
    pipe.consumer_release();
  }
}

// check producers_and_consumers --grid 1 --block 64 --arg i32[256]=arange
// clean
__global__ void producers_and_consumers(const int* x) {
  __shared__ int s[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state, 32);
  for (int i = 0; i < 8; ++i) {
    if (threadIdx.x < 32) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[i % 2][threadIdx.x], &x[32 * i + threadIdx.x], sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      assert(s[i % 2][63 - threadIdx.x] == static_cast<int>(32 * i + 63 - threadIdx.x));
      pipe.consumer_release();
    }
  }
}

// check consumer_does_not_wait --grid 1 --block 64 --arg i32[32]=arange
// finds data-race @produced @consumed of s
__global__ void consumer_does_not_wait(const int* x) {
  __shared__ int s[32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state, 32);
  if (threadIdx.x < 32) s[threadIdx.x] = 0;
  block.sync();
  if (threadIdx.x < 32) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[threadIdx.x], &x[threadIdx.x], sizeof(int), pipe);  // @produced
    pipe.producer_commit();
  } else {
    assert(s[63 - threadIdx.x] >= 0);  // @consumed
  }
}

// check latches --grid 1 --block 64
// clean
__global__ void latches() {
  __shared__ cuda::latch<cuda::thread_scope_block> done;
  __shared__ int s[32];
  if (threadIdx.x == 0) init(&done, 32);
  __syncthreads();
  if (threadIdx.x < 32) {
    s[threadIdx.x] = 5;
    done.count_down();
  } else {
    done.wait();
    assert(s[63 - threadIdx.x] == 5);
  }
}

// check latch_below_zero --grid 1 --block 64
// finds misuse @below: below 0
__global__ void latch_below_zero() {
  __shared__ cuda::latch<cuda::thread_scope_block> done;
  if (threadIdx.x == 0) init(&done, 32);
  __syncthreads();
  done.count_down();  // @below
}

// check semaphores --grid 4 --block 1 --arg i64[2]=arange --arg i32[1]=zeros
// clean
__global__ void semaphores(long long* words, int* sum) {
  auto& lock = reinterpret_cast<cuda::binary_semaphore<cuda::thread_scope_device>&>(words[1]);
  lock.acquire();
  *sum += 1;
  lock.release();
}

// check semaphore_above_its_most --grid 1 --block 1
// finds misuse @above: above its largest
__global__ void semaphore_above_its_most() {
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 2> s;
  init(&s, 2);
  s.release();  // @above
}

// check primitives --grid 1 --block 64
// clean
__global__ void primitives() {
  __shared__ __mbarrier_t b;
  __shared__ int s[64];
  if (threadIdx.x == 0) __mbarrier_init(&b, 64);
  __syncthreads();
  s[threadIdx.x] = 3;
  const auto token = __mbarrier_arrive(&b);
  while (!__mbarrier_test_wait(&b, token)) {
  }
  assert(s[63 - threadIdx.x] == 3);
}
