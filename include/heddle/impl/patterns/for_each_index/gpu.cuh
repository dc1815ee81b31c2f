#pragma once

#include <heddle/extent.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>

#include <algorithm>
#include <cstddef>

namespace heddle::gpu {

/// The extent, fastest axis first, with 1 for the axes that there are not.
struct grid_extent {
  std::size_t x, y, z;
};

template <int Axes, class F>
__global__ void visit_indices(F f, grid_extent over, grid_extent blocks) {
  const std::size_t all = blocks.x * blocks.y * blocks.z;
  for (std::size_t b = blockIdx.x; b < all; b += gridDim.x) {
    const std::size_t x = b % blocks.x * blockDim.x + threadIdx.x;
    const std::size_t y = b / blocks.x % blocks.y * blockDim.y + threadIdx.y;
    const std::size_t z = b / blocks.x / blocks.y * blockDim.z + threadIdx.z;
    if (x >= over.x || y >= over.y || z >= over.z) continue;
    if constexpr (Axes == 1) {
      f(x);
    } else if constexpr (Axes == 2) {
      f(y, x);
    } else {
      f(z, y, x);
    }
  }
}

/// The threads of a block: as wide as a warp, or as the rows where those are shorter, and at most `threads`
/// in all, unless `wanted` says otherwise.
inline dim3 block_for(const launch_shape& wanted, const grid_extent& over, unsigned threads) {
  if (wanted.block_x != 0 || wanted.block_y != 0 || wanted.block_z != 0) {
    return dim3(std::max(wanted.block_x, 1u), std::max(wanted.block_y, 1u), std::max(wanted.block_z, 1u));
  }
  auto largest_up_to = [](std::size_t length, unsigned most) {
    unsigned size = 1;
    while (size < length && 2 * size <= most) size *= 2;
    return size;
  };
  const unsigned x = largest_up_to(over.x, over.y * over.z > 1 ? std::min(threads, warp_size) : threads);
  const unsigned y = largest_up_to(over.y, threads / x);
  const unsigned z = largest_up_to(over.z, std::min(threads / x / y, 64u));
  return dim3(x, y, z);
}

template <int Axes, class F>
void for_each_index(const target& where, const std::size_t* lengths, const F& f, const launch_shape& wanted) {
  const current_device on(where);
  grid_extent over{lengths[Axes - 1], 1, 1};
  if constexpr (Axes >= 2) over.y = lengths[Axes - 2];
  if constexpr (Axes >= 3) over.z = lengths[Axes - 3];
  int least_grid = 0, threads = 0;
  check(cudaOccupancyMaxPotentialBlockSize(&least_grid, &threads, visit_indices<Axes, F>),
        "cudaOccupancyMaxPotentialBlockSize");
  const dim3 block = block_for(wanted, over, static_cast<unsigned>(threads));
  const grid_extent blocks{(over.x + block.x - 1) / block.x, (over.y + block.y - 1) / block.y,
                           (over.z + block.z - 1) / block.z};
  const unsigned grid = wanted.blocks != 0 ? wanted.blocks : grid_for(blocks.x * blocks.y * blocks.z, 1);
  visit_indices<Axes><<<grid, block, 0, where.stream()>>>(f, over, blocks);
  check(cudaGetLastError(), "launch of for_each_index");
}

}  // namespace heddle::gpu
