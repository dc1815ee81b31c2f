#pragma once

#include "monte_carlo/points.hpp"
#include <heddle/operators.hpp>
#include <heddle/support/launch.cuh>
#include <heddle/support/warp.cuh>

#include <cstdint>

/// The kernel that counts points in the disc.
namespace heddle::monte_carlo::gpu {

using heddle::gpu::warp_size;

inline constexpr unsigned threads = 256;

/// Each thread takes blocks a whole grid apart, and counts in 64 bits.
inline __global__ void __launch_bounds__(threads)
    count_points(std::uint64_t seed, std::uint64_t first, std::uint64_t count, unsigned long long* inside) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * threads;
  unsigned long long mine = 0;
#pragma unroll 4
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x; i < count; i += stride) {
    const philox_block block = block_of_points(seed, first + i);
    mine += unsigned{is_in_disc(block.word[0], block.word[1])} +
            unsigned{is_in_disc(block.word[2], block.word[3])};
  }
  mine = heddle::gpu::combine_lanes(mine, plus{});
  if (threadIdx.x % warp_size == 0) atomicAdd(inside, mine);
}

}  // namespace heddle::monte_carlo::gpu
