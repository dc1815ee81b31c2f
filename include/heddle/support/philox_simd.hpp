#pragma once

#include <heddle/philox.hpp>
#include <heddle/support/simd.hpp>

#include <cstdint>

// nvcc does not read the extensions of host compilers.
#if !defined(__CUDACC__)

/// Philox4x32-10 in SIMD registers, a block in each lane, for your own loops, which a host compiler compiles.
namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

/// A word of several blocks, each in the lower half of an element; the upper halves are unspecified.
using philox_words = simd<std::uint64_t>::vector;
constexpr std::uint64_t philox_width = simd<std::uint64_t>::width;
constexpr std::uint64_t low_half = 0xffffffff;
/// Registers of blocks computed together, to hide the latency of the products.
constexpr int philox_registers = register_bytes == 64 ? 4 : 2;
constexpr std::uint64_t philox_at_once = philox_registers * philox_width;

/// The products of the lower halves.
inline __attribute__((always_inline)) philox_words product(philox_words a, philox_words b) {
#if defined(__AVX512F__)
  // GCC 12 warns of its own header in the form without a mask.
  return (philox_words)_mm512_maskz_mul_epu32(0xff, (__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (philox_words)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return (philox_words)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & low_half) * (b & low_half);
#endif
}

/// The words of blocks first … first + philox_at_once − 1 whose counters have the upper words `word2` and
/// `word3`: philox4x32 for each lane.
inline __attribute__((always_inline)) void philox_lanes(std::uint64_t seed, std::uint64_t first,
                                                        std::uint32_t word2, std::uint32_t word3,
                                                        philox_words (&w)[4][philox_registers]) {
  philox_words lane{};
  for (std::uint64_t l = 0; l < philox_width; ++l) lane[l] = l;
  const philox_words multiplier0 = philox_words{} + philox_multiplier0,
                     multiplier1 = philox_words{} + philox_multiplier1;
#pragma GCC unroll 4
  for (int r = 0; r < philox_registers; ++r) {
    w[0][r] = lane + (first + static_cast<std::uint64_t>(r) * philox_width);
    w[1][r] = w[0][r] >> 32;
    w[2][r] = philox_words{} + word2;
    w[3][r] = philox_words{} + word3;
  }
  auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
#pragma GCC unroll 10
  for (int round = 0; round < philox_rounds; ++round) {
#pragma GCC unroll 4
    for (int r = 0; r < philox_registers; ++r) {
      const philox_words even = product(w[0][r], multiplier0), odd = product(w[2][r], multiplier1);
      w[0][r] = (odd >> 32) ^ w[1][r] ^ (philox_words{} + key0);
      w[1][r] = odd;
      w[2][r] = (even >> 32) ^ w[3][r] ^ (philox_words{} + key1);
      w[3][r] = even;
    }
    key0 += philox_increment0;
    key1 += philox_increment1;
  }
}

}  // namespace
}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu

#endif
