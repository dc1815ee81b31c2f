#pragma once

/// Clusters of blocks, which reach one another's shared memory (CUDA C++ Programming Guide, thread block
/// clusters). A launch without clusters has them of one block; so has every launch that is not watched.

#include "atomics.hpp"
#include "spaces.hpp"
#include "synchronisation.hpp"

namespace heddle_device {

#ifdef HEDDLE_WATCHED
HEDDLE_DEVICE void arrive_in_group(group_kind group, const char* file, int line) {
  heddle_arrive_in_group(group, file, line);
}
HEDDLE_DEVICE void wait_in_group(group_kind group, const char* file, int line) {
  heddle_wait_in_group(group, file, line);
}
HEDDLE_DEVICE void cluster_barrier(const char* file, int line) {
  heddle_cluster_barrier(file, line);
}
HEDDLE_DEVICE index3 cluster_size() {
  return heddle_cluster_size();
}
HEDDLE_DEVICE void* map_shared(const void* pointer, u32 rank) {
  return heddle_map_shared(pointer, rank);
}
HEDDLE_DEVICE u32 shared_rank(const void* pointer) {
  return heddle_shared_rank(pointer);
}
#else
/// Who waits meets all that wait: they have arrived before.
HEDDLE_DEVICE void arrive_in_group(group_kind, const char*, int) {}
HEDDLE_DEVICE void wait_in_group(group_kind group, const char* file, int line) {
  if (group == group_kind::grid) {
    heddle_grid_barrier(file, line);
  } else {
    __syncthreads(file, line);
  }
}
HEDDLE_DEVICE void cluster_barrier(const char* file, int line) {
  __syncthreads(file, line);
}
HEDDLE_DEVICE index3 cluster_size() {
  return {1, 1, 1};
}
HEDDLE_DEVICE void* map_shared(const void* pointer, u32) {
  return const_cast<void*>(pointer);
}
HEDDLE_DEVICE u32 shared_rank(const void*) {
  return 0;
}
#endif

}  // namespace heddle_device

HEDDLE_DEVICE dim3 __clusterDim() {
  const heddle_device::index3 size = heddle_device::cluster_size();
  return dim3(size.x, size.y, size.z);
}
HEDDLE_DEVICE unsigned __clusterSizeInBlocks() {
  const heddle_device::index3 size = heddle_device::cluster_size();
  return size.x * size.y * size.z;
}
HEDDLE_DEVICE unsigned __clusterDimIsSpecified() {
  return __clusterSizeInBlocks() > 1 ? 1 : 0;
}
HEDDLE_DEVICE dim3 __clusterGridDimInClusters() {
  const heddle_device::index3 size = heddle_device::cluster_size(), grid = heddle_grid_size();
  return dim3(grid.x / size.x, grid.y / size.y, grid.z / size.z);
}
HEDDLE_DEVICE dim3 __clusterIdx() {
  const heddle_device::index3 size = heddle_device::cluster_size(), block = heddle_block_index();
  return dim3(block.x / size.x, block.y / size.y, block.z / size.z);
}
HEDDLE_DEVICE dim3 __clusterRelativeBlockIdx() {
  const heddle_device::index3 size = heddle_device::cluster_size(), block = heddle_block_index();
  return dim3(block.x % size.x, block.y % size.y, block.z % size.z);
}
HEDDLE_DEVICE unsigned __clusterRelativeBlockRank() {
  const heddle_device::index3 size = heddle_device::cluster_size();
  const dim3 block = __clusterRelativeBlockIdx();
  return (block.z * size.y + block.y) * size.x + block.x;
}
HEDDLE_DEVICE void __cluster_barrier_arrive(const char* file = __builtin_FILE(),
                                            int line = __builtin_LINE()) {
  heddle_device::arrive_in_group(heddle_device::group_kind::cluster, file, line);
}
HEDDLE_DEVICE void __cluster_barrier_wait(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  heddle_device::wait_in_group(heddle_device::group_kind::cluster, file, line);
}
HEDDLE_DEVICE void* __cluster_map_shared_rank(const void* pointer, unsigned rank) {
  return heddle_device::map_shared(pointer, rank);
}
HEDDLE_DEVICE unsigned __cluster_query_shared_rank(const void* pointer) {
  const unsigned rank = heddle_device::shared_rank(pointer);
  if (rank == ~0u) heddle_misuse("query_shared_rank: the address is of no shared memory of the cluster");
  return rank;
}
HEDDLE_DEVICE unsigned __isClusterShared(const void* pointer) {
  return heddle_device::shared_rank(pointer) != ~0u ? 1 : 0;
}
HEDDLE_DEVICE unsigned __isCtaShared(const void* pointer) {
  return __isShared(pointer);
}
HEDDLE_DEVICE void __threadfence_cluster() {
  heddle_fence(heddle_device::scope::device);
}
