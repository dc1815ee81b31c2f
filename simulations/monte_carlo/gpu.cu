#include "monte_carlo/points.hpp"
#include <heddle/array.hpp>
#include <heddle/cuda/launch.cuh>

#include <algorithm>
#include <cstdint>

namespace heddle::monte_carlo::cuda {
namespace {

using heddle::cuda::check;
using heddle::cuda::current_device;
using heddle::cuda::warp_size;

constexpr unsigned threads = 256;

/// Each thread takes blocks a whole grid apart, and counts in 64 bits.
__global__ void __launch_bounds__(threads)
    count_points(std::uint64_t seed, std::uint64_t first, std::uint64_t count, unsigned long long* inside) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * threads;
  unsigned long long mine = 0;
#pragma unroll 4
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x; i < count; i += stride) {
    const philox_block block = block_of_points(seed, first + i);
    mine += unsigned{is_in_disc(block.word[0], block.word[1])} +
            unsigned{is_in_disc(block.word[2], block.word[3])};
  }
  for (unsigned distance = warp_size / 2; distance > 0; distance /= 2) {
    mine += __shfl_down_sync(0xffffffff, mine, distance);
  }
  if (threadIdx.x % warp_size == 0) atomicAdd(inside, mine);
}

}  // namespace

std::uint64_t points(const target& where, std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  const current_device on(where);
  int multiprocessors = 0, blocks = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, where.device()),
        "cudaDeviceGetAttribute");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count_points, threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const unsigned resident = static_cast<unsigned>(multiprocessors * std::max(blocks, 1));
  const detail::memory tally(sizeof(unsigned long long), where);
  check(cudaMemsetAsync(tally.data(), 0, tally.bytes(), where.stream()), "cudaMemsetAsync");
  count_points<<<std::min(heddle::cuda::grid_for(count, threads), resident), threads, 0, where.stream()>>>(
      seed, first, count, static_cast<unsigned long long*>(tally.data()));
  check(cudaGetLastError(), "launch of count_points");
  std::uint64_t inside = 0;
  detail::copy(&inside, target(), tally.data(), where, sizeof inside);
  return inside;
}

}  // namespace heddle::monte_carlo::cuda
