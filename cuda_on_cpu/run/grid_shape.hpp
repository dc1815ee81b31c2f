#pragma once

#include "cuda_on_cpu/device/heddle_device/abi.hpp"
#include <heddle/kernel.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// Grids of blocks and blocks of threads: how many there are, which is which, and what no GPU launches.
namespace heddle::cuda_on_cpu {

/// Dynamic and static shared memory that a block can have, on a GPU of compute capability 9.0.
constexpr std::size_t most_shared = 227 * 1024, most_static_shared = 48 * 1024;
/// Threads that a block can have.
constexpr std::size_t most_threads_a_block = 1024;
/// That kernels may be allowed to have in a cluster.
constexpr std::size_t most_blocks_a_cluster = 16;

constexpr std::uint64_t volume(heddle_device::index3 i) {
  return std::uint64_t{i.x} * i.y * i.z;
}

/// The place of number i, counted along x first.
constexpr heddle_device::index3 split(std::uint64_t i, heddle_device::index3 size) {
  return {static_cast<std::uint32_t>(i % size.x), static_cast<std::uint32_t>(i / size.x % size.y),
          static_cast<std::uint32_t>(i / size.x / size.y)};
}

constexpr dimensions dimensions_of(heddle_device::index3 i) {
  return {i.x, i.y, i.z};
}

/// Why no GPU launches it, "a block of 2048 threads: it can have at most 1024"; empty when one does.
std::string wrong_shape(const dimensions& grid, const dimensions& block);
/// Of a kernel whose __launch_bounds__ allow `bound` threads, 0 for any number of them.
std::string wrong_bound(const dimensions& block, std::uint64_t bound);
std::string wrong_shared_bytes(std::size_t bytes);
/// Of a grid in clusters of at most so many blocks.
std::string wrong_cluster(const dimensions& grid, const dimensions& cluster, std::size_t most_blocks);

}  // namespace heddle::cuda_on_cpu
