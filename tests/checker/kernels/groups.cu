// Cooperative groups: what their collective functions give, for tiles of lanes and of warps.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;

// check tiles_of_warps --grid 2 --block 256
// clean
__global__ void tiles_of_warps() {
  __shared__ cg::block_tile_memory<256> memory;
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<128>(block);
  const int rank = static_cast<int>(tile.thread_rank()), own = static_cast<int>(threadIdx.x);
  assert(tile.size() == 128 && tile.meta_group_size() == 2 && tile.meta_group_rank() == threadIdx.x / 128);
  const int first = own - rank, sum = 128 * first + 127 * 64;
  assert(cg::reduce(tile, own, cg::plus<int>()) == sum);
  assert(cg::reduce(tile, own, cg::greater<int>()) == first + 127);
  assert(cg::inclusive_scan(tile, own) == (rank + 1) * first + rank * (rank + 1) / 2);
  assert(cg::exclusive_scan(tile, own) == rank * first + rank * (rank - 1) / 2);
  assert(tile.shfl(own, 77) == first + 77);
  assert(tile.any(rank == 100) && !tile.all(rank != 100) && tile.all(rank < 128));
}

// check tile_meets_tile --grid 1 --block 128
// finds data-race @left @seen of s
__global__ void tile_meets_tile() {
  __shared__ cg::block_tile_memory<128> memory;
  __shared__ int s[128];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
  s[threadIdx.x] = 0;
  __syncthreads();
  s[threadIdx.x] = 1;  // @left
  tile.sync();
  assert(s[127 - threadIdx.x] <= 1);  // @seen
}

// check partitions --grid 1 --block 64
// clean
__global__ void partitions() {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = static_cast<int>(warp.thread_rank());
  const auto third = cg::labeled_partition(warp, lane % 3);
  assert(third.size() == (lane % 3 == 2 ? 10 : 11) && static_cast<int>(third.thread_rank()) == lane / 3);
  assert(third.meta_group_size() == 3 && static_cast<int>(third.meta_group_rank()) == lane % 3);
  assert(third.shfl(lane, 2) == lane % 3 + 6);
  const auto side = cg::binary_partition(warp, lane >= 20);
  assert(side.size() == (lane < 20 ? 20 : 12) && side.meta_group_rank() == (lane < 20 ? 0 : 1) && side.meta_group_size() == 2);
  assert(cg::reduce(side, lane, cg::plus<int>()) == (lane < 20 ? 190 : 306));
  const auto quarter = cg::tiled_partition<8>(warp);
  assert(quarter.meta_group_size() == 4 && static_cast<int>(quarter.meta_group_rank()) == lane / 8);
  if (lane % 2 == 0) {
    const auto even = cg::coalesced_threads();
    const auto four = cg::tiled_partition(even, 4);
    assert(four.size() == 4 && four.meta_group_size() == 4 && static_cast<int>(four.thread_rank()) == lane / 2 % 4);
    assert(four.shfl(lane, 3) == lane / 8 * 8 + 6);
  }
}

struct place {
  double x;
  int y[3];
};

// check structures_and_vectors --grid 1 --block 32
// clean
__global__ void structures_and_vectors() {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = static_cast<int>(warp.thread_rank());
  const place p = warp.shfl(place{0.5 * lane, {lane, 2 * lane, 3 * lane}}, 9);
  assert(p.x == 4.5 && p.y[2] == 27);
  const float4 f = warp.shfl_down(float4{1.0f * lane, 0, 2, 3}, 4);
  assert(f.x == (lane < 28 ? lane + 4 : lane) && f.w == 3);
  const uchar4 c = warp.shfl_xor(uchar4{static_cast<unsigned char>(lane), 1, 2, 3}, 1);
  assert(c.x == (lane ^ 1) && c.w == 3);
}

// check updates --grid 2 --block 32 --arg i32[3]=zeros
// clean
__global__ void updates(int* x) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = static_cast<int>(warp.thread_rank());
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(x[0]), stored(x[1]), counter(x[2]);
  cg::reduce_update_async(warp, sum, lane, cg::plus<int>());
  cg::reduce_store_async(warp, stored, lane, cg::greater<int>());
  const int behind = cg::exclusive_scan_update(warp, counter, 2);
  assert(behind % 64 == 2 * lane && behind < 128);
  const int with = cg::inclusive_scan_update(warp, counter, 0, cg::plus<int>());
  assert(with % 64 == 0 && with <= 128);
}

// check one_of_them --grid 1 --block 64 --arg i32[1]=zeros
// clean
__global__ void one_of_them(int* x) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  cg::invoke_one(warp, [x] { atomicAdd(x, 1); });
  const int before = cg::invoke_one_broadcast(warp, [x] { return atomicAdd(x, 10); });
  assert(before >= 1 && before <= 12);
}
