#pragma once

#include <heddle/compiler.hpp>

#include <cstdint>

namespace heddle {

/// Four random words, or the counter of such a block.
struct philox_block {
  std::uint32_t word[4];
  friend constexpr bool operator==(const philox_block&, const philox_block&) = default;
};

/// The constants of Philox4x32: the multipliers of a round, and the increments of the two words of the key.
inline constexpr std::uint32_t philox_multiplier0 = 0xD2511F53, philox_multiplier1 = 0xCD9E8D57;
inline constexpr std::uint32_t philox_increment0 = 0x9E3779B9, philox_increment1 = 0xBB67AE85;
inline constexpr int philox_rounds = 10;

/// The halves of a product.
struct philox_product {
  std::uint32_t lower = 0, upper = 0;

  HD_INLINE constexpr philox_product(std::uint32_t a, std::uint32_t b) {
#if HD_PTX_ARCH > 0
    if (!__builtin_is_constant_evaluated()) {
      // nvcc alone would make 64-bit arithmetic of the rounds, adding zero to each upper half.
      asm("{ .reg .b64 product; mul.wide.u32 product, %2, %3; mov.b64 {%0, %1}, product; }"
          : "=r"(lower), "=r"(upper)
          : "r"(a), "r"(b));
      return;
    }
#endif
    const std::uint64_t product = std::uint64_t{a} * b;
    lower = static_cast<std::uint32_t>(product);
    upper = static_cast<std::uint32_t>(product >> 32);
  }
};

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
    const philox_product even(philox_multiplier0, counter.word[0]), odd(philox_multiplier1, counter.word[2]);
    counter = {
        {odd.upper ^ counter.word[1] ^ key0, odd.lower, even.upper ^ counter.word[3] ^ key1, even.lower}};
    key0 += philox_increment0;
    key1 += philox_increment1;
  }
  return counter;
}

}  // namespace heddle
