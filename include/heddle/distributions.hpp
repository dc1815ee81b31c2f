#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/patterns/random/distributions.hpp>
#include <heddle/philox.hpp>

#include <cstdint>
#include <type_traits>

/// Turns random words into random numbers, as `hd::random` does, for your own kernels and functions. It uses
/// only integer arithmetic, exact conversions, and additions, multiplications, fused multiply-adds, divisions
/// and square roots, each of which IEEE 754 rounds in one way: the same bits on every target. A host compiler
/// that may not use fused multiply-add instructions calls the C library's fma.
namespace heddle::random {

/// The kinds of numbers. Each has its own sequence: uniform and normal numbers of one seed are unrelated.
enum class distribution : std::uint32_t { bits, uniform, normal, exponential, integers, permutation };

/// The four words numbered `block` of a distribution, drawn for the `attempt`-th time: Philox4x32-10 with the
/// seed as its key and the counter {block, attempt, distribution}, of 64, 32 and 32 bits.
HD_INLINE constexpr philox_block words_of(std::uint64_t seed, distribution which, std::uint64_t block,
                                          std::uint32_t attempt = 0) {
  return philox4x32({{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), attempt,
                      static_cast<std::uint32_t>(which)}},
                    static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

/// Two words as one, the lower first.
HD_INLINE constexpr std::uint64_t joined(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}

/// Words of 32 or 64 bits in a block.
template <class Word>
inline constexpr unsigned words_per_block = 16 / sizeof(Word);

/// Word k of a block.
template <class Word>
HD_INLINE constexpr Word word_of(const philox_block& block, std::uint64_t k) {
  if constexpr (sizeof(Word) == 4) {
    return block.word[k];
  } else {
    return joined(block.word[2 * k], block.word[2 * k + 1]);
  }
}

/// Uniform in [0, 1): the multiples of 2^-24.
HD_INLINE float unit_interval(std::uint32_t bits) {
  return static_cast<float>(static_cast<std::int32_t>(bits >> 8)) * 0x1p-24f;
}
/// Uniform in [0, 1): the multiples of 2^-53.
HD_INLINE double unit_interval(std::uint64_t bits) {
  // The upper 32 bits in the mantissa of 2^20, and the lower 21 in that of ½; every step is exact.
  const double upper = __builtin_bit_cast(double, 0x4130000000000000u | bits >> 32);
  const double lower = __builtin_bit_cast(double, 0x3fe0000000000000u | (bits & 0xffffffffu) >> 11);
  return upper - (0x1p20 + 0.5) + lower;
}

/// −ln u for the midpoint u of one of 2^31 intervals of (0, 1): an exponential number of mean 1, from 0 to
/// 22.2, within 2 units in the last place.
HD_INLINE float minus_log(std::uint32_t bits) {
  constexpr std::uint32_t one = 0x3f800000, root_half = 0x3f3504f3;
  const float x = static_cast<float>(static_cast<std::int32_t>(bits >> 1)) + 0.5f;
  const std::uint32_t biased = (__builtin_bit_cast(std::uint32_t, x) - root_half + one) >> 23;
  const float g = __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, x) - (biased << 23) + one) - 1;
  // ln(1 + g) = g + g²·p(g) from √½ − 1 to √2 − 1: the polynomial is a minimax one (Remez), as all here are.
  const float p = heddle::impl::single_rounding::polynomial(
      g, -0x1.fffff8p-2f, 0x1.55555p-2f, -0x1.000426p-2f, 0x1.99a3f4p-3f, -0x1.542778p-3f, 0x1.22719ep-3f,
      -0x1.0f36e4p-3f, 0x1.08483cp-3f, -0x1.38321p-4f);
  return heddle::impl::single_rounding::fma(158 - heddle::impl::single_rounding::small_integer(biased),
                                            0x1.62e43p-1f, -heddle::impl::single_rounding::fma(g * g, p, g));
}
/// The same for 2^52 intervals, from 1.1·10⁻¹⁶ to 36.7.
HD_INLINE double minus_log(std::uint64_t bits) {
  constexpr std::uint64_t one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd;
  const double x = heddle::impl::single_rounding::integer53(bits >> 11 | 1);
  const std::uint64_t biased = (__builtin_bit_cast(std::uint64_t, x) - root_half + one) >> 52;
  const double g =
      __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, x) - (biased << 52) + one) - 1;
  // ln(1 + g) = 2·artanh s, s = g/(2 + g).
  const double s = g / (2 + g), z = s * s;
  const double p = heddle::impl::single_rounding::polynomial(
      z, 0x1.555555555558fp-1, 0x1.9999999980d5dp-2, 0x1.249249413751ap-2, 0x1.c71c528d7f5f6p-3,
      0x1.7466268c4b3b4p-3, 0x1.39a3f9e901b78p-3, 0x1.2ef06559a9696p-3);
  return heddle::impl::single_rounding::fma(1076 - heddle::impl::single_rounding::small_integer(biased),
                                            0x1.62e42fefa39efp-1,
                                            -heddle::impl::single_rounding::fma(z * s, p, 2 * s));
}

/// Two numbers.
template <class T>
struct pair_of {
  T first, second;
};

/// Two independent normal numbers of mean 0 and variance 1 (Box and Muller 1958): the radius √(−2 ln u) from
/// the first word, at most 6.66, and the angle from the second, a turn in 2^32 steps.
HD_INLINE pair_of<float> normal_pair(std::uint32_t radius_bits, std::uint32_t angle_bits) {
  const float radius = heddle::impl::single_rounding::square_root(2 * minus_log(radius_bits));
  // The angle is (quadrant + t)·π/2, |t| ≤ ½.
  const float t = static_cast<float>(static_cast<std::int32_t>(angle_bits << 2)) * 0x1p-32f, z = t * t;
  const float sine = t * heddle::impl::single_rounding::polynomial(z, 0x1.921fb6p+0f, -0x1.4abbbap-1f,
                                                                   0x1.465ec6p-4f, -0x1.2d9bb8p-8f);
  const float cosine = heddle::impl::single_rounding::polynomial(z, 1.0f, -0x1.3bd3ccp+0f, 0x1.03c1ep-2f,
                                                                 -0x1.55c67ap-6f, 0x1.d9fcfap-11f);
  constexpr std::uint32_t sign = 0x80000000;
  const bool odd = (angle_bits & sign / 2) != 0;
  const std::uint32_t x = __builtin_bit_cast(std::uint32_t, odd ? sine : cosine);
  const std::uint32_t y = __builtin_bit_cast(std::uint32_t, odd ? cosine : sine);
  return {radius * __builtin_bit_cast(float, x ^ ((angle_bits + sign / 2) & sign)),
          radius * __builtin_bit_cast(float, y ^ (angle_bits & sign))};
}
/// The same in double: the radius is at most 8.57, and a turn has 2^54 steps.
HD_INLINE pair_of<double> normal_pair(std::uint64_t radius_bits, std::uint64_t angle_bits) {
  const double radius = heddle::impl::single_rounding::square_root(2 * minus_log(radius_bits));
  const double t = __builtin_bit_cast(double, 0x3ff0000000000000u | (angle_bits << 2) >> 12) - 1.5, z = t * t;
  const double sine =
      t * heddle::impl::single_rounding::polynomial(
              z, 0x1.921fb54442d18p+0, -0x1.4abbce625be41p-1, 0x1.466bc677587fdp-4, -0x1.32d2cce2e60f1p-8,
              0x1.50782fda6cc46p-13, -0x1.e30071ffa2344p-19, 0x1.e3f39e32fe20dp-25);
  const double cosine = heddle::impl::single_rounding::polynomial(
      z, 1.0, -0x1.3bd3cc9be45dep+0, 0x1.03c1f081b5ab1p-2, -0x1.55d3c7e3c96f4p-6, 0x1.e1f50683ce55ep-11,
      -0x1.a6d1ecc96f671p-16, 0x1.f9cc77756b7e1p-22, -0x1.b27363475b9f7p-28);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const bool odd = (angle_bits & sign / 2) != 0;
  const std::uint64_t x = __builtin_bit_cast(std::uint64_t, odd ? sine : cosine);
  const std::uint64_t y = __builtin_bit_cast(std::uint64_t, odd ? cosine : sine);
  return {radius * __builtin_bit_cast(double, x ^ ((angle_bits + sign / 2) & sign)),
          radius * __builtin_bit_cast(double, y ^ (angle_bits & sign))};
}

/// Integers below `range` without bias (Lemire 2019): the upper half of the product bits·range is the number;
/// if its lower half is below `threshold`, another word is drawn. A range of up to 2^32 takes words of 32
/// bits, a larger one words of 64; 0 means 2^64.
struct integer_range {
  std::uint64_t range;
  std::uint64_t threshold;  ///< 2^32 or 2^64 modulo the range

  constexpr explicit integer_range(std::uint64_t length)
      : range(length),
        threshold(is_short()    ? (std::uint64_t{1} << 32) % length
                  : length == 0 ? 0
                                : (0 - length) % length) {}

  HD_INLINE constexpr bool is_short() const { return range - 1 < std::uint64_t{1} << 32; }
};

/// The number that a word gives for a range, and the rest, which decides whether to draw again.
template <class Word>
struct scaled_word {
  std::uint64_t integer;
  Word rest;

  HD_INLINE scaled_word(Word bits, const integer_range& below) {
    if constexpr (sizeof(Word) == 4) {
      // One multiplication and addition: the range less 1 has 32 bits.
      const std::uint64_t product = std::uint64_t{bits} * static_cast<std::uint32_t>(below.range - 1) + bits;
      integer = product >> 32;
      rest = static_cast<std::uint32_t>(product);
    } else {
#if defined(__CUDA_ARCH__)
      integer = __umul64hi(bits, below.range);
#else
      __extension__ using word_pair = unsigned __int128;
      integer = static_cast<std::uint64_t>(static_cast<word_pair>(bits) * below.range >> 64);
#endif
      if (below.range == 0) integer = bits;
      rest = bits * below.range;
    }
  }
  HD_INLINE bool is_drawn_again(const integer_range& below) const {
    return rest < static_cast<Word>(below.threshold);
  }
};

/// Element `index` of a seed's integers below a range, from `bits`, its first word: of 32 bits for a short
/// range, else of 64.
template <class Word>
HD_INLINE std::uint64_t integer_below(std::uint64_t seed, std::uint64_t index, const integer_range& below,
                                      Word bits) {
  scaled_word<Word> drawn(bits, below);
  for (std::uint32_t attempt = 1; drawn.is_drawn_again(below); ++attempt)
    drawn = {word_of<Word>(words_of(seed, distribution::integers, index / words_per_block<Word>, attempt),
                           index % words_per_block<Word>),
             below};
  return drawn.integer;
}

}  // namespace heddle::random
