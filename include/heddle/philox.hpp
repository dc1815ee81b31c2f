#pragma once

#include <heddle/compiler.hpp>

#include <cstdint>

namespace heddle {

/// Four random words, or the number of a block of them.
struct philox_block {
  std::uint32_t word[4];
  friend constexpr bool operator==(const philox_block&, const philox_block&) = default;
};

/// The constants of Philox4x32: the multipliers of a round, and what the two words of the key grow by.
inline constexpr std::uint32_t philox_multiplier0 = 0xD2511F53, philox_multiplier1 = 0xCD9E8D57;
inline constexpr std::uint32_t philox_increment0 = 0x9E3779B9, philox_increment1 = 0xBB67AE85;
inline constexpr int philox_rounds = 10;

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC11): 128 random
/// bits that are a function of a 128-bit counter and a 64-bit key alone, so that any thread of any target can
/// compute any part of a sequence.
///
///     hd::philox_block bits = hd::philox4x32({{i, 0, 0, 0}}, seed_low, seed_high);
HD_INLINE constexpr philox_block philox4x32(philox_block counter, std::uint32_t key0, std::uint32_t key1) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int round = 0; round < philox_rounds; ++round) {
    const std::uint64_t even = std::uint64_t{philox_multiplier0} * counter.word[0];
    const std::uint64_t odd = std::uint64_t{philox_multiplier1} * counter.word[2];
    counter = {
        {static_cast<std::uint32_t>(odd >> 32) ^ counter.word[1] ^ key0, static_cast<std::uint32_t>(odd),
         static_cast<std::uint32_t>(even >> 32) ^ counter.word[3] ^ key1, static_cast<std::uint32_t>(even)}};
    key0 += philox_increment0;
    key1 += philox_increment1;
  }
  return counter;
}

}  // namespace heddle
