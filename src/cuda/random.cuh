#pragma once

#include <heddle/random.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <cuda_runtime.h>

/// The kernels that make random numbers.
namespace heddle::cuda {

using random::distribution;

inline constexpr unsigned random_threads = 256;

template <class T>
using word_for = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class Word>
__device__ Word word_of(const philox_block& block, unsigned k) {
  if constexpr (sizeof(Word) == 4) {
    return block.word[k];
  } else {
    return random::joined(block.word[2 * k], block.word[2 * k + 1]);
  }
}

// What becomes of a block of words: elements index, index + 1, ….

template <class Word, distribution Of>
struct plain_words {
  using value = Word;
  static constexpr unsigned per_block = 16 / sizeof(Word);
  static constexpr distribution of = Of;
  __device__ void operator()(const philox_block& block, std::uint64_t, value* out) const {
#pragma unroll
    for (unsigned k = 0; k < per_block; ++k) out[k] = word_of<Word>(block, k);
  }
};

template <class T>
struct uniform_of {
  using value = T;
  static constexpr unsigned per_block = 16 / sizeof(T);
  static constexpr distribution of = distribution::uniform;
  random::arithmetic::stretched<T> stretch;
  __device__ void operator()(const philox_block& block, std::uint64_t, value* out) const {
#pragma unroll
    for (unsigned k = 0; k < per_block; ++k)
      out[k] = stretch(random::unit_interval(word_of<word_for<T>>(block, k)));
  }
};

template <class T>
struct normal_of {
  using value = T;
  static constexpr unsigned per_block = 16 / sizeof(T);
  static constexpr distribution of = distribution::normal;
  T mean, deviation;
  __device__ void operator()(const philox_block& block, std::uint64_t, value* out) const {
#pragma unroll
    for (unsigned k = 0; k < per_block; k += 2) {
      const auto pair =
          random::normal_pair(word_of<word_for<T>>(block, k), word_of<word_for<T>>(block, k + 1));
      out[k] = random::arithmetic::fma(pair.first, deviation, mean);
      out[k + 1] = random::arithmetic::fma(pair.second, deviation, mean);
    }
  }
};

template <class T>
struct exponential_of {
  using value = T;
  static constexpr unsigned per_block = 16 / sizeof(T);
  static constexpr distribution of = distribution::exponential;
  T mean;
  __device__ void operator()(const philox_block& block, std::uint64_t, value* out) const {
#pragma unroll
    for (unsigned k = 0; k < per_block; ++k)
      out[k] = mean * random::minus_log(word_of<word_for<T>>(block, k));
  }
};

/// Drawn again seldom: a call, so that the words of first draws stay in registers.
inline __device__ __noinline__ std::uint64_t short_integer_again(std::uint64_t seed, std::uint64_t index,
                                                                 random::integer_range below,
                                                                 std::uint32_t bits) {
  return random::short_integer(seed, index, below, bits);
}
inline __device__ __noinline__ std::uint64_t long_integer_again(std::uint64_t seed, std::uint64_t index,
                                                                random::integer_range below,
                                                                std::uint64_t bits) {
  return random::long_integer(seed, index, below, bits);
}

template <class T>
struct short_integers {
  using value = T;
  static constexpr unsigned per_block = 4;
  static constexpr distribution of = distribution::integers;
  std::uint64_t seed, low;
  random::integer_range below;
  __device__ void operator()(const philox_block& block, std::uint64_t index, value* out) const {
#pragma unroll
    for (unsigned k = 0; k < per_block; ++k) {
      const std::uint64_t product = block.word[k] * below.range;
      std::uint64_t integer = product >> 32;
      if (static_cast<std::uint32_t>(product) < below.least_low)
        integer = short_integer_again(seed, index + k, below, block.word[k]);
      out[k] = static_cast<T>(low + integer);
    }
  }
};

struct long_integers {
  using value = std::uint64_t;
  static constexpr unsigned per_block = 2;
  static constexpr distribution of = distribution::integers;
  std::uint64_t seed, low;
  random::integer_range below;
  __device__ void operator()(const philox_block& block, std::uint64_t index, value* out) const {
#pragma unroll
    for (unsigned k = 0; k < per_block; ++k) {
      const std::uint64_t bits = word_of<std::uint64_t>(block, k);
      const auto product = random::wide_product(bits, below.range);
      std::uint64_t integer = below.range == 0 ? bits : product.first;
      if (product.second < below.least_low) integer = long_integer_again(seed, index + k, below, bits);
      out[k] = low + integer;
    }
  }
};

/// Elements that a thread makes at once: whole blocks, and whole granules of 16 bytes.
template <class Make>
inline constexpr unsigned at_once = sizeof(typename Make::value) * Make::per_block >= 16
                                        ? Make::per_block
                                        : 16 / sizeof(typename Make::value);

/// Elements offset … offset + count − 1 of the sequence. Where the first begins a block and `out` a granule,
/// threads store granules.
template <class Make>
__global__ void __launch_bounds__(random_threads)
    make_random(Make make, random::stream from, std::size_t count, bool granules, typename Make::value* out) {
  using T = typename Make::value;
  constexpr unsigned unit = at_once<Make>;
  const unsigned before = static_cast<unsigned>(from.offset % unit);
  const std::uint64_t first_unit = from.offset / unit;
  const std::size_t units = (count + before + unit - 1) / unit;
  const std::size_t stride = std::size_t{gridDim.x} * random_threads;
#pragma unroll 1
  for (std::size_t u = std::size_t{blockIdx.x} * random_threads + threadIdx.x; u < units; u += stride) {
    alignas(16) T values[unit];
#pragma unroll
    for (unsigned b = 0; b < unit / Make::per_block; ++b) {
      const std::uint64_t block = (first_unit + u) * (unit / Make::per_block) + b;
      make(random::words_of(from.seed, Make::of, block), block * Make::per_block,
           values + b * Make::per_block);
    }
    if (granules && (u + 1) * unit <= count) {
      constexpr unsigned granules_of_unit = unit * sizeof(T) / sizeof(uint4);
      auto* const to = reinterpret_cast<uint4*>(out + u * unit);
#pragma unroll
      for (unsigned g = 0; g < granules_of_unit; ++g) {
        uint4 granule;
        memcpy(&granule, reinterpret_cast<const char*>(values) + g * sizeof granule, sizeof granule);
        to[g] = granule;
      }
    } else {
#pragma unroll
      for (unsigned k = 0; k < unit; ++k) {
        const std::size_t at = u * unit + k;
        if (at >= before && at - before < count) out[at - before] = values[k];
      }
    }
  }
}

}  // namespace heddle::cuda
