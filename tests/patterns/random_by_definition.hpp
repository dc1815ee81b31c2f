#pragma once

#include <heddle/distributions.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <type_traits>

#include <Random123/philox.h>

#undef philox4x32  // a macro of Random123

/// Random numbers from the words of Random123, one at a time, in plain C++ and long double.
namespace heddle::tests {

inline philox_block by_random123(std::uint64_t seed, std::uint64_t block, std::uint32_t word2,
                                 std::uint32_t word3) {
  const r123::Philox4x32::ctr_type counter{
      {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), word2, word3}};
  const r123::Philox4x32::key_type key{
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  const auto words = r123::Philox4x32()(counter, key);
  return {{words[0], words[1], words[2], words[3]}};
}

/// The word of element `index` of a distribution.
template <class Word>
Word drawn_word(std::uint64_t seed, random::distribution of, std::uint64_t index, std::uint32_t attempt = 0) {
  constexpr std::uint64_t in_block = 16 / sizeof(Word);
  const philox_block words = by_random123(seed, index / in_block, attempt, static_cast<std::uint32_t>(of));
  Word word;
  std::memcpy(&word, reinterpret_cast<const char*>(&words) + index % in_block * sizeof word, sizeof word);
  return word;
}

template <class T>
using word_for = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// The uniform number in [0, 1) of element `index`, which is exact.
template <class T>
T uniform_by_definition(std::uint64_t seed, std::uint64_t index) {
  constexpr int digits = std::numeric_limits<T>::digits, dropped = 8 * sizeof(T) - digits;
  const auto bits = drawn_word<word_for<T>>(seed, random::distribution::uniform, index);
  return std::ldexp(static_cast<T>(bits >> dropped), -digits);
}

/// The middle of the interval that a word stands for.
template <class Word>
long double middle_of(Word bits) {
  if constexpr (sizeof(Word) == 4) return (static_cast<long double>(bits >> 1) + 0.5L) * 0x1p-31L;
  return static_cast<long double>(bits >> 11 | 1) * 0x1p-53L;
}

/// A number and how far from it what is computed in T may be.
struct number_within {
  long double value, bound;
};

template <class T>
number_within exponential_by_definition(std::uint64_t seed, std::uint64_t index) {
  const auto bits = drawn_word<word_for<T>>(seed, random::distribution::exponential, index);
  const long double value = -std::log(middle_of(bits));
  return {value, 2 * value * std::numeric_limits<T>::epsilon() + (sizeof(T) == 4 ? 0x1p-24L : 0.0L)};
}

/// A normal number by the method of Box and Muller, which makes a pair of them from two words.
template <class T>
number_within normal_by_definition(std::uint64_t seed, std::uint64_t index) {
  using word = word_for<T>;
  const word a = drawn_word<word>(seed, random::distribution::normal, index & ~std::uint64_t{1}),
             b = drawn_word<word>(seed, random::distribution::normal, index | 1);
  const long double radius = std::sqrt(-2 * std::log(middle_of(a)));
  // Two bits are the quadrant; the others are the place in it.
  const long double turns = std::ldexp(static_cast<long double>(b), 2 - 8 * static_cast<int>(sizeof b));
  const long double quadrant = std::floor(turns);
  long double t = turns - quadrant;
  t -= sizeof(T) == 8 ? 0.5L : t >= 0.5L ? 1.0L : 0.0L;
  const long double angle = (quadrant + t) * std::numbers::pi_v<long double> / 2;
  const long double value = radius * (index % 2 == 0 ? std::cos(angle) : std::sin(angle));
  const long double radius_floor = sizeof(T) == 4 ? 0x1p-12L : 0.0L;  // of −ln u near u = 1
  return {value, 3 * std::max(radius, radius_floor) * std::numeric_limits<T>::epsilon() +
                     (sizeof(T) == 4 ? 0x1p-24L / std::max(radius, radius_floor) : 0.0L)};
}

/// An integer below `range`, and 0 for 2^64, by Lemire's method in plain C++.
inline std::uint64_t integer_by_definition(std::uint64_t seed, std::uint64_t range, std::uint64_t index) {
  __extension__ using wide = unsigned __int128;
  const bool is_short = range != 0 && range <= std::uint64_t{1} << 32;
  const int bits = is_short ? 32 : 64;
  const wide values = range == 0 ? wide{1} << 64 : wide{range}, words = wide{1} << bits;
  for (std::uint32_t attempt = 0;; ++attempt) {
    const wide word = is_short
                          ? drawn_word<std::uint32_t>(seed, random::distribution::integers, index, attempt)
                          : drawn_word<std::uint64_t>(seed, random::distribution::integers, index, attempt);
    const wide product = range == 0 ? word << 64 : word * values;
    const wide low = range == 0 ? 0 : product % words;
    if (low >= words % values || range == 0)
      return static_cast<std::uint64_t>(range == 0 ? word : product / words);
  }
}

}  // namespace heddle::tests
