#pragma once

#include <heddle/philox.hpp>
#include <heddle/target.hpp>

#include <cstdint>

/// How random points are counted: on a CPU compiled once for each instruction set, on a GPU where there is a
/// CUDA toolkit.
namespace heddle::monte_carlo {

/// Whether the point ((x + ½)/2³², (y + ½)/2³²) lies in the quarter of the unit disc. (x + ½)² + (y + ½)² is
/// x·(x + 1) + y·(y + 1) + ½, which is below 2⁶⁴ exactly when the sum of the products does not carry.
HD_INLINE bool is_in_disc(std::uint32_t x, std::uint32_t y) {
  const std::uint64_t a = std::uint64_t{x} * x + x, b = std::uint64_t{y} * y + y;
  return a + b >= a;
}

/// Block `number` of a seed holds points 2·number and 2·number + 1: words 0 and 1, and words 2 and 3.
HD_INLINE philox_block block_of_points(std::uint64_t seed, std::uint64_t number) {
  return philox4x32({{static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), 0, 0}},
                    static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

/// How many points of blocks first … first + count − 1 lie in the disc.
using count_kernel = std::uint64_t (*)(std::uint64_t seed, std::uint64_t first, std::uint64_t count);

std::uint64_t baseline_points(std::uint64_t seed, std::uint64_t first, std::uint64_t count);
#if defined(HEDDLE_X86_KERNELS)
std::uint64_t avx2_points(std::uint64_t seed, std::uint64_t first, std::uint64_t count);
std::uint64_t avx512_points(std::uint64_t seed, std::uint64_t first, std::uint64_t count);
#endif

namespace gpu {

std::uint64_t points(const target& where, std::uint64_t seed, std::uint64_t first, std::uint64_t count);

}  // namespace gpu
}  // namespace heddle::monte_carlo
