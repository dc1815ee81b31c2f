// Barriers of cooperative groups at which threads arrive first and wait later.

#include <cooperative_groups.h>
#include <utility>
namespace cg = cooperative_groups;

// check arrives_and_waits --grid 2 --block 64 --arg i32[128]=zeros
// clean
__global__ void arrives_and_waits(int* x) {
  __shared__ int tile[64];
  const auto block = cg::this_thread_block();
  const unsigned i = threadIdx.x;
  for (int round = 0; round < 3; ++round) {
    tile[i] = round + static_cast<int>(i);
    auto token = block.barrier_arrive();
    const int own = x[blockIdx.x * 64 + i] + round;
    block.barrier_wait(std::move(token));
    x[blockIdx.x * 64 + i] = own + tile[63 - i];
    block.sync();
  }
}

// check sums_of_neighbours --grid 1 --block 4
// prints 0: 1
// prints 1: 2
// prints 2: 3
// prints 3: 0
__global__ void sums_of_neighbours() {
  __shared__ int tile[4];
  const auto block = cg::this_thread_block();
  tile[threadIdx.x] = threadIdx.x;
  auto token = block.barrier_arrive();
  block.barrier_wait(std::move(token));
  printf("%d: %d\n", threadIdx.x, tile[(threadIdx.x + 1) % 4]);
}

// check reads_before_it_waits --grid 1 --block 64 --arg i32[64]=zeros
// finds data-race @early_read @before_arrival of tile
__global__ void reads_before_it_waits(int* x) {
  __shared__ int tile[64];
  const auto block = cg::this_thread_block();
  tile[threadIdx.x] = threadIdx.x;  // @before_arrival
  auto token = block.barrier_arrive();
  x[threadIdx.x] = tile[63 - threadIdx.x];  // @early_read
  block.barrier_wait(std::move(token));
}

// check writes_after_it_arrives --grid 1 --block 64 --arg i32[64]=zeros
// finds data-race @late_write @reads_late of tile
__global__ void writes_after_it_arrives(int* x) {
  __shared__ int tile[64];
  const auto block = cg::this_thread_block();
  auto token = block.barrier_arrive();
  tile[threadIdx.x] = threadIdx.x;  // @late_write
  block.barrier_wait(std::move(token));
  x[threadIdx.x] = tile[63 - threadIdx.x];  // @reads_late
}

// check without_those_that_left --grid 1 --block 64 --arg i32[64]=zeros
// clean
__global__ void without_those_that_left(int* x) {
  __shared__ int tile[64];
  const auto block = cg::this_thread_block();
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x >= 32) return;
  auto token = block.barrier_arrive();
  block.barrier_wait(std::move(token));
  x[threadIdx.x] = tile[63 - threadIdx.x];
}

// check arrives_twice --grid 1 --block 32
// finds misuse @second_arrival: the thread arrives at the block's barrier twice without barrier_wait() between
__global__ void arrives_twice() {
  const auto block = cg::this_thread_block();
  block.barrier_arrive();
  auto token = block.barrier_arrive();  // @second_arrival
  block.barrier_wait(std::move(token));
}

// check never_waits --grid 1 --block 32 --arg i32[32]=zeros
// finds misuse @only_arrives 96 times: the thread leaves the kernel without barrier_wait() of the block's barrier
__global__ void never_waits(int* x) {
  x[threadIdx.x] = 1;
  cg::this_thread_block().barrier_arrive();  // @only_arrives
}

// check never_arrives --grid 1 --block 32
// finds misuse @waits_only: barrier_wait() of the block's barrier without barrier_arrive() before
__global__ void never_arrives() {
  cg::this_thread_block().barrier_wait({});  // @waits_only
}

// check meets_between --grid 1 --block 32
// finds misuse @meets: the thread has arrived at the block's barrier, and waits at it by barrier_wait() first
__global__ void meets_between() {
  const auto block = cg::this_thread_block();
  auto token = block.barrier_arrive();
  block.sync();  // @meets
  block.barrier_wait(std::move(token));
}

// check grid_arrives_and_waits --grid 4 --block 32 --arg i32[128]=arange
// clean
__global__ void grid_arrives_and_waits(int* x) {
  const auto grid = cg::this_grid();
  const unsigned i = grid.thread_rank();
  int own = x[i];
  for (int round = 0; round < 2; ++round) {
    auto token = grid.barrier_arrive();
    own += round;
    grid.barrier_wait(std::move(token));
    x[127 - i] = own;
    grid.sync();
  }
}

// check grid_writes_after_it_arrives --grid 4 --block 32 --arg i32[128]=arange --arg i32[128]=zeros
// finds data-race @late_write_of_grid @reads_late_of_grid of x
__global__ void grid_writes_after_it_arrives(int* x, int* y) {
  const auto grid = cg::this_grid();
  const unsigned i = grid.thread_rank();
  auto token = grid.barrier_arrive();
  x[i] = 1;  // @late_write_of_grid
  grid.barrier_wait(std::move(token));
  y[i] = x[127 - i];  // @reads_late_of_grid
}

// check some_blocks_leave --grid 2 --block 32
// finds deadlock @waits_for_blocks
__global__ void some_blocks_leave() {
  const auto grid = cg::this_grid();
  if (blockIdx.x == 1) return;
  auto token = grid.barrier_arrive();
  grid.barrier_wait(std::move(token));  // @waits_for_blocks
}
