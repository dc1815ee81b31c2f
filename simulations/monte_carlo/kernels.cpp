// Compiled once for each instruction set, with HEDDLE_ISA naming it; see src/cpu/kernels.cpp.
#include "cpu/simd.hpp"
#include "monte_carlo/points.hpp"

namespace heddle::monte_carlo {
inline namespace HEDDLE_ISA {
namespace {

#define HEDDLE_LANES inline __attribute__((always_inline))

/// A word of several blocks, each in the lower half of an element; the upper halves hold anything.
using words = cpu::simd<std::uint64_t>::vector;
constexpr std::uint64_t width = cpu::simd<std::uint64_t>::width;
constexpr std::uint64_t low_half = 0xffffffff;

/// The products of the lower halves.
HEDDLE_LANES words product(words a, words b) {
#if defined(__AVX512F__)
  // GCC 12 warns of its own header in the form without a mask.
  return (words)_mm512_maskz_mul_epu32(0xff, (__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (words)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return (words)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & low_half) * (b & low_half);
#endif
}

/// One where the point lies in the disc.
HEDDLE_LANES words in_disc(words x, words y) {
  const words a = product(x, x) + (x & low_half), b = product(y, y) + (y & low_half);
  return (words)(a + b >= a) & 1;
}

std::uint64_t count_points(std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  // Rounds of several blocks side by side: one waits for its products.
  constexpr int registers = cpu::register_bytes == 64 ? 4 : 2;
  constexpr std::uint64_t at_once = registers * width;
  words total{}, lane{};
  for (std::uint64_t l = 0; l < width; ++l) lane[l] = l;
  const words multiplier0 = words{} + philox_multiplier0, multiplier1 = words{} + philox_multiplier1;
  std::uint64_t done = 0;
  for (; count - done >= at_once; done += at_once) {
    words w0[registers], w1[registers], w2[registers], w3[registers];
#pragma GCC unroll 4
    for (int r = 0; r < registers; ++r) {
      w0[r] = lane + (first + done + static_cast<std::uint64_t>(r) * width);
      w1[r] = w0[r] >> 32;
      w2[r] = w3[r] = words{};
    }
    auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < philox_rounds; ++round) {
#pragma GCC unroll 4
      for (int r = 0; r < registers; ++r) {
        const words even = product(w0[r], multiplier0), odd = product(w2[r], multiplier1);
        w0[r] = (odd >> 32) ^ w1[r] ^ (words{} + key0);
        w1[r] = odd;
        w2[r] = (even >> 32) ^ w3[r] ^ (words{} + key1);
        w3[r] = even;
      }
      key0 += philox_increment0;
      key1 += philox_increment1;
    }
#pragma GCC unroll 4
    for (int r = 0; r < registers; ++r) total += in_disc(w0[r], w1[r]) + in_disc(w2[r], w3[r]);
  }
  std::uint64_t inside = 0;
  for (std::uint64_t l = 0; l < width; ++l) inside += total[l];
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
