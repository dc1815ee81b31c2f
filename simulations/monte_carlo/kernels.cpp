// Compiled once for each instruction set, with HEDDLE_ISA naming it; see heddle/support/simd.hpp.
#include "monte_carlo/points.hpp"
#include <heddle/support/philox_simd.hpp>

namespace heddle::monte_carlo {
inline namespace HEDDLE_ISA {
namespace {

using cpu::low_half, cpu::philox_registers, cpu::philox_width, cpu::product;
using words = cpu::philox_words;

/// One where the point lies in the disc.
inline __attribute__((always_inline)) words in_disc(words x, words y) {
  const words a = product(x, x) + (x & low_half), b = product(y, y) + (y & low_half);
  return (words)(a + b >= a) & 1;
}

std::uint64_t count_points(std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  words total{};
  std::uint64_t done = 0;
  for (; count - done >= cpu::philox_at_once; done += cpu::philox_at_once) {
    words w[4][philox_registers];
    cpu::philox_lanes(seed, first + done, 0, 0, w);
#pragma GCC unroll 4
    for (int r = 0; r < philox_registers; ++r) total += in_disc(w[0][r], w[1][r]) + in_disc(w[2][r], w[3][r]);
  }
  std::uint64_t inside = 0;
  for (std::uint64_t l = 0; l < philox_width; ++l) inside += total[l];
  for (; done < count; ++done) {
    const philox_block block = block_of_points(seed, first + done);
    inside += is_in_disc(block.word[0], block.word[1]) + is_in_disc(block.word[2], block.word[3]);
  }
  return inside;
}

}  // namespace
}  // namespace HEDDLE_ISA

#define HEDDLE_JOIN(a, b) a##b
#define HEDDLE_POINTS(isa) HEDDLE_JOIN(isa, _points)

std::uint64_t HEDDLE_POINTS(HEDDLE_ISA)(std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  return count_points(seed, first, count);
}

}  // namespace heddle::monte_carlo
