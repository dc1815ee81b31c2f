#include "monte_carlo/gpu_kernels.cuh"
#include "monte_carlo/points.hpp"
#include <heddle/array.hpp>
#include <heddle/support/launch.cuh>

#include <algorithm>
#include <cstdint>

namespace heddle::monte_carlo::gpu {
namespace {

using heddle::gpu::check;
using heddle::gpu::current_device;

}  // namespace

std::uint64_t points(const target& where, std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  const current_device on(where);
  int multiprocessors = 0, blocks = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, where.device()),
        "cudaDeviceGetAttribute");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count_points, threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const unsigned resident = static_cast<unsigned>(multiprocessors * std::max(blocks, 1));
  const memory tally(sizeof(unsigned long long), where);
  check(cudaMemsetAsync(tally.data(), 0, tally.bytes(), where.stream()), "cudaMemsetAsync");
  count_points<<<std::min(heddle::gpu::grid_for(count, threads), resident), threads, 0, where.stream()>>>(
      seed, first, count, static_cast<unsigned long long*>(tally.data()));
  check(cudaGetLastError(), "launch of count_points");
  std::uint64_t inside = 0;
  copy(&inside, target(), tally.data(), where, sizeof inside);
  return inside;
}

}  // namespace heddle::monte_carlo::gpu
