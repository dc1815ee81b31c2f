// Clusters of blocks, and the shared memory that their blocks have of one another.

#include <cooperative_groups.h>
#include <utility>
namespace cg = cooperative_groups;

// check sums_in_a_ring --grid 8 --block 32 --arg i32[256]=zeros
// clean
__global__ void __cluster_dims__(4, 1, 1) sums_in_a_ring(int* x) {
  __shared__ int own[32];
  const auto cluster = cg::this_cluster();
  for (int round = 0; round < 3; ++round) {
    own[threadIdx.x] = static_cast<int>(cluster.thread_rank()) + round;
    cluster.sync();
    const int* const next = cluster.map_shared_rank(own, (cluster.block_rank() + 1) % cluster.num_blocks());
    x[blockIdx.x * 32 + threadIdx.x] += next[31 - threadIdx.x];
    cluster.sync();
  }
}

// check values_of_neighbours --grid 4 --block 2
// prints 0 0: 3 of 4, from 1
// prints 0 1: 2 of 4, from 1
// prints 1 0: 1 of 4, from 0
// prints 1 1: 0 of 4, from 0
// prints 2 0: 3 of 4, from 1
// prints 2 1: 2 of 4, from 1
// prints 3 0: 1 of 4, from 0
// prints 3 1: 0 of 4, from 0
__global__ void __cluster_dims__(2) values_of_neighbours() {
  __shared__ unsigned own[2];
  const auto cluster = cg::this_cluster();
  own[threadIdx.x] = cluster.thread_rank();
  cluster.sync();
  const unsigned* const other = cluster.map_shared_rank(own, 1 - cluster.block_rank());
  printf("%d %d: %u of %u, from %u\n", blockIdx.x, threadIdx.x, other[1 - threadIdx.x], cluster.num_threads(),
         cluster.query_shared_rank(other));
  cluster.sync();
}

// check shapes --grid 4,6 --block 2,3
// clean
__global__ void __launch_bounds__(64) __cluster_dims__(2, 3) shapes() {
  const auto cluster = cg::this_cluster();
  const dim3 blocks = cluster.dim_blocks(), block = cluster.block_index(), thread = cluster.thread_index();
  assert(blocks.x == 2 && blocks.y == 3 && blocks.z == 1 && cluster.num_blocks() == 6);
  assert(block.x == blockIdx.x % 2 && block.y == blockIdx.y % 3 && block.z == 0);
  assert(cluster.block_rank() == block.y * 2 + block.x);
  assert(thread.x == block.x * 2 + threadIdx.x && thread.y == block.y * 3 + threadIdx.y);
  assert(cluster.dim_threads().x == 4 && cluster.dim_threads().y == 9 && cluster.num_threads() == 36);
  assert(cluster.thread_rank() == cluster.block_rank() * 6 + threadIdx.y * 2 + threadIdx.x);
  const auto grid = cg::this_grid();
  assert(grid.num_clusters() == 4 && grid.cluster_rank() == blockIdx.y / 3 * 2 + blockIdx.x / 2);
  assert(__clusterDimIsSpecified() && __clusterSizeInBlocks() == 6 && __clusterIdx().y == blockIdx.y / 3);
}

// check without_a_cluster --grid 2 --block 32
// clean
__global__ void without_a_cluster() {
  __shared__ int own[32];
  const auto cluster = cg::this_cluster();
  own[threadIdx.x] = 1;
  cluster.sync();
  assert(cluster.num_blocks() == 1 && cluster.block_rank() == 0 && cluster.map_shared_rank(own, 0)[31 - threadIdx.x] == 1);
}

// check template_of_clusters<4> --grid 4,2 --block 1
// clean
template <unsigned N>
__global__ void __cluster_dims__(N / 2, 2, 1) template_of_clusters() {
  assert(cg::this_cluster().num_blocks() == N);
}
// check template_of_clusters<4> --grid 8,3 --block 1
// fails a grid of 8x3x1 blocks in clusters of 2x2x1: they divide it along each axis
// check too_large_clusters --grid 32 --block 1
// fails clusters of 32 blocks: they can have at most 16
__global__ void __cluster_dims__(32) too_large_clusters() {}

// check reads_without_a_barrier --grid 4 --block 32 --arg i32[128]=zeros
// finds data-race @rewrites @reads_of_other of own: blocks run in any order
__global__ void __cluster_dims__(2) reads_without_a_barrier(int* x) {
  __shared__ int own[32];
  const auto cluster = cg::this_cluster();
  own[threadIdx.x] = 1;
  cluster.sync();
  x[blockIdx.x * 32 + threadIdx.x] = cluster.map_shared_rank(own, 1 - cluster.block_rank())[threadIdx.x];  // @reads_of_other
  __syncthreads();
  own[threadIdx.x] = 2;  // @rewrites
  cluster.sync();
}

// check writes_to_one --grid 4 --block 32
// finds data-race @writes_to_first of sum
__global__ void __cluster_dims__(4) writes_to_one() {
  __shared__ int sum;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  if (threadIdx.x == 0) *cluster.map_shared_rank(&sum, 0) += 1;  // @writes_to_first
  cluster.sync();
}

// check counts_with_atomics --grid 8 --block 32 --arg i32[2]=zeros
// clean
__global__ void __cluster_dims__(4) counts_with_atomics(int* x) {
  __shared__ int sum;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(&sum, 0), 1);
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) x[cg::this_grid().cluster_rank()] = sum;
  if (cluster.block_rank() == 0) assert(sum == 128);
}

// check counts_in_blocks --grid 2 --block 32
// finds data-race @atomic_of_a_block of sum
__global__ void __cluster_dims__(2) counts_in_blocks() {
  __shared__ int sum;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  atomicAdd_block(cluster.map_shared_rank(&sum, 0), 1);  // @atomic_of_a_block
  cluster.sync();
}

// check leaves_too_early --grid 4 --block 32 --arg i32[128]=zeros
// finds use-after-free @reads_of_left of own: cluster.sync() before blocks leave keeps their shared memory
__global__ void __cluster_dims__(2) leaves_too_early(int* x) {
  __shared__ int own[32];
  const auto cluster = cg::this_cluster();
  own[threadIdx.x] = 1;
  cluster.sync();
  x[blockIdx.x * 32 + threadIdx.x] = cluster.map_shared_rank(own, 1 - cluster.block_rank())[threadIdx.x];  // @reads_of_left
}

// check some_leave_early --grid 2 --block 32 --arg i32[1]=zeros
// clean
__global__ void __cluster_dims__(2) some_leave_early(int* x) {
  __shared__ int own;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) own = 1;
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x > 0) return;
  if (cluster.block_rank() == 1 && threadIdx.x == 0) *x = *cluster.map_shared_rank(&own, 0);
  cluster.sync();
}

// check begins_too_early --grid 2 --block 32
// finds use-after-free @writes_before_all_begin of own: cluster.sync() before blocks use one another's shared memory
__global__ void __cluster_dims__(2) begins_too_early() {
  __shared__ int own[32];
  const auto cluster = cg::this_cluster();
  cluster.map_shared_rank(own, 1 - cluster.block_rank())[threadIdx.x] = 1;  // @writes_before_all_begin
  cluster.sync();
}

// check never_written_there --grid 2 --block 1 --arg i32[2]=zeros
// finds uninitialised-read @reads_unset of own
__global__ void __cluster_dims__(2) never_written_there(int* x) {
  __shared__ int own[2];
  const auto cluster = cg::this_cluster();
  own[0] = 1;
  cluster.sync();
  x[blockIdx.x] = cluster.map_shared_rank(own, 1 - cluster.block_rank())[1];  // @reads_unset
  cluster.sync();
}

// check leaves_the_others_array --grid 2 --block 1 --arg i32[2]=zeros
// finds out-of-bounds @beyond_the_others of own
__global__ void __cluster_dims__(2) leaves_the_others_array(int* x) {
  __shared__ int own[2];
  const auto cluster = cg::this_cluster();
  own[0] = own[1] = 1;
  cluster.sync();
  x[blockIdx.x] = cluster.map_shared_rank(own, 1 - cluster.block_rank())[2 + x[blockIdx.x]];  // @beyond_the_others
  cluster.sync();
}

// check arrives_and_waits --grid 4 --block 32 --arg i32[128]=zeros
// clean
__global__ void __cluster_dims__(4) arrives_and_waits(int* x) {
  __shared__ int own[32];
  const auto cluster = cg::this_cluster();
  for (int round = 0; round < 2; ++round) {
    own[threadIdx.x] = round;
    auto token = cluster.barrier_arrive();
    x[blockIdx.x * 32 + threadIdx.x] += 1;
    cluster.barrier_wait(std::move(token));
    x[blockIdx.x * 32 + threadIdx.x] += cluster.map_shared_rank(own, 3 - cluster.block_rank())[31 - threadIdx.x];
    cluster.sync();
  }
}

// check writes_after_it_arrives --grid 2 --block 32 --arg i32[64]=zeros
// finds data-race @late_write @reads_late of own
__global__ void __cluster_dims__(2) writes_after_it_arrives(int* x) {
  __shared__ int own[32];
  const auto cluster = cg::this_cluster();
  cluster.barrier_arrive();
  own[threadIdx.x] = 1;  // @late_write
  cluster.barrier_wait();
  x[blockIdx.x * 32 + threadIdx.x] = cluster.map_shared_rank(own, 1 - cluster.block_rank())[threadIdx.x];  // @reads_late
  cluster.sync();
}

// check arrives_twice --grid 2 --block 32
// finds misuse @second_arrival: the thread arrives at the cluster's barrier twice without barrier_wait() between
__global__ void __cluster_dims__(2) arrives_twice() {
  const auto cluster = cg::this_cluster();
  cluster.barrier_arrive();
  cluster.barrier_arrive();  // @second_arrival
  cluster.barrier_wait();
}

// check half_of_a_block --grid 2 --block 64
// finds divergent-barrier @half_waits @other_half
__global__ void __cluster_dims__(2) half_of_a_block() {
  if (threadIdx.x < 32) {
    cg::this_cluster().sync();  // @other_half
  } else {
    __syncthreads();  // @half_waits
  }
}

// check no_such_rank --grid 2 --block 32
// finds misuse @maps_beyond: map_shared_rank: rank 2 in a cluster of 2 blocks
__global__ void __cluster_dims__(2) no_such_rank() {
  __shared__ int own[32];
  own[threadIdx.x] = 1;
  cg::this_cluster().map_shared_rank(own, 2);  // @maps_beyond
}

// check not_of_shared_memory --grid 2 --block 1 --arg i32[1]=zeros
// finds misuse @maps_global: map_shared_rank: the address is of no shared memory of the cluster
__global__ void __cluster_dims__(2) not_of_shared_memory(int* x) {
  cg::this_cluster().map_shared_rank(x, 1);  // @maps_global
}

// check dynamic_histogram --grid 4 --block 32 --shared 64 --arg i32[32]=zeros --arg i32[128]=arange
// clean
__global__ void __cluster_dims__(2) dynamic_histogram(int* bins, const int* x) {
  extern __shared__ int part[];  // 16 of 32 bins in each block
  const auto cluster = cg::this_cluster();
  for (unsigned i = threadIdx.x; i < 16; i += blockDim.x) part[i] = 0;
  cluster.sync();
  const int bin = x[blockIdx.x * 32 + threadIdx.x] % 32;
  atomicAdd(cluster.map_shared_rank(part, bin / 16) + bin % 16, 1);
  cluster.sync();
  for (unsigned i = threadIdx.x; i < 16; i += blockDim.x) {
    assert(part[i] == 2);
    atomicAdd(&bins[cluster.block_rank() * 16 + i], part[i]);
  }
}

// check by_ptx --grid 4 --block 32 --arg i32[128]=zeros
// clean
__global__ void __cluster_dims__(2) by_ptx(int* x) {
  __shared__ unsigned own[32];
  const auto cluster = cg::this_cluster();
  unsigned rank, blocks;
  asm volatile("mov.u32 %0, %%cluster_ctarank; mov.u32 %1, %%cluster_nctarank;" : "=r"(rank), "=r"(blocks));
  own[threadIdx.x] = rank + 10 * blocks;
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  const unsigned other = cluster.map_shared_rank(own, 1 - rank)[31 - threadIdx.x];
  assert(rank == cluster.block_rank() && other == 21 - rank);
  x[blockIdx.x * 32 + threadIdx.x] = other;
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}
