#include "cuda/gpu.hpp"
#include <heddle/cuda/launch.cuh>
#include <heddle/random.hpp>

#include <algorithm>
#include <cstdint>

namespace heddle::cuda {
namespace {

using detail::random_numbers, random::distribution;

constexpr unsigned random_threads = 256;

template <class T>
using word_for = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// What becomes of `count` words of a block: elements index, index + 1, ….

template <class Word, distribution Of>
struct plain_words {
  using value = Word;
  using word = Word;
  static constexpr distribution of = Of;
  __device__ void operator()(const Word* words, std::uint64_t, unsigned count, Word* out) const {
#pragma unroll
    for (unsigned k = 0; k < count; ++k) out[k] = words[k];
  }
};

template <class T>
struct uniform_of {
  using value = T;
  using word = word_for<T>;
  static constexpr distribution of = distribution::uniform;
  random::arithmetic::stretched<T> stretch;
  __device__ void operator()(const word* words, std::uint64_t, unsigned count, T* out) const {
#pragma unroll
    for (unsigned k = 0; k < count; ++k) out[k] = stretch(random::unit_interval(words[k]));
  }
};

template <class T>
struct normal_of {
  using value = T;
  using word = word_for<T>;
  static constexpr distribution of = distribution::normal;
  T mean, deviation;
  __device__ void operator()(const word* words, std::uint64_t, unsigned count, T* out) const {
#pragma unroll
    for (unsigned k = 0; k < count; k += 2) {
      const auto pair = random::normal_pair(words[k], words[k + 1]);
      out[k] = random::arithmetic::fma(pair.first, deviation, mean);
      out[k + 1] = random::arithmetic::fma(pair.second, deviation, mean);
    }
  }
};

template <class T>
struct exponential_of {
  using value = T;
  using word = word_for<T>;
  static constexpr distribution of = distribution::exponential;
  T mean;
  __device__ void operator()(const word* words, std::uint64_t, unsigned count, T* out) const {
#pragma unroll
    for (unsigned k = 0; k < count; ++k) out[k] = mean * random::minus_log(words[k]);
  }
};

/// Drawn again seldom: a call, so that the words of first draws stay in registers.
template <class Word>
__device__ __noinline__ std::uint64_t integer_again(std::uint64_t seed, std::uint64_t index,
                                                    random::integer_range below, Word bits) {
  return random::integer_below(seed, index, below, bits);
}

template <class T, class Word>
struct integers_of {
  using value = T;
  using word = Word;
  static constexpr distribution of = distribution::integers;
  std::uint64_t seed, low;
  random::integer_range below;
  __device__ void operator()(const Word* words, std::uint64_t index, unsigned count, T* out) const {
#pragma unroll
    for (unsigned k = 0; k < count; ++k) {
      const random::scaled_word<Word> drawn(words[k], below);
      std::uint64_t integer = drawn.integer;
      if (drawn.rest < below.least_low) integer = integer_again(seed, index + k, below, words[k]);
      out[k] = static_cast<T>(low + integer);
    }
  }
};

/// Elements offset … offset + count − 1 of the sequence. A thread makes 16 bytes at once, which are a part of
/// what a block of words gives or the whole of several. Where the first begins 16 bytes of the sequence and
/// `out` a granule, threads store granules.
template <class Make>
__global__ void __launch_bounds__(random_threads)
    make_random(Make make, random::stream from, std::size_t count, bool granules, typename Make::value* out) {
  using T = typename Make::value;
  using word = typename Make::word;
  constexpr unsigned unit = 16 / sizeof(T), words = random::words_per_block<word>,
                     part = words < unit ? words : unit;
  const unsigned before = static_cast<unsigned>(from.offset % unit);
  const std::uint64_t first_unit = from.offset / unit;
  const std::size_t units = (count + before + unit - 1) / unit;
  const std::size_t stride = std::size_t{gridDim.x} * random_threads;
#pragma unroll 1
  for (std::size_t u = std::size_t{blockIdx.x} * random_threads + threadIdx.x; u < units; u += stride) {
    const std::uint64_t index = (first_unit + u) * unit;
    alignas(16) T values[unit];
#pragma unroll
    for (unsigned done = 0; done < unit; done += part) {
      const philox_block block = random::words_of(from.seed, Make::of, (index + done) / words);
      word drawn[part];
#pragma unroll
      for (unsigned k = 0; k < part; ++k) {
        drawn[k] = random::word_of<word>(block, k);
        // Later parts of a block: choices, as words that are numbered by a variable would be in memory.
#pragma unroll
        for (unsigned later = part; later < words; later += part) {
          if (index % words == later) drawn[k] = random::word_of<word>(block, later + k);
        }
      }
      make(drawn, index + done, part, values + done);
    }
    if (granules && (u + 1) * unit <= count) {
      uint4 granule;
      memcpy(&granule, values, sizeof granule);
      *reinterpret_cast<uint4*>(out + u * unit) = granule;
    } else {
#pragma unroll
      for (unsigned k = 0; k < unit; ++k) {
        const std::size_t at = u * unit + k;
        if (at >= before && at - before < count) out[at - before] = values[k];
      }
    }
  }
}

template <class Make>
void launch_random(const Make& make, const random_numbers& numbers, std::size_t count, void* out,
                   const target& where) {
  constexpr unsigned unit = 16 / sizeof(typename Make::value);
  constexpr std::size_t units_of_thread = 4;
  // A thread computes the keys of its rounds once.
  constexpr unsigned most_blocks_of_multiprocessor = 64;
  const bool granules =
      numbers.from.offset % unit == 0 && reinterpret_cast<std::uintptr_t>(out) % sizeof(uint4) == 0;
  const unsigned grid = std::min(grid_for(count / unit + 2, random_threads * units_of_thread),
                                 most_blocks_of_multiprocessor * multiprocessors(where));
  make_random<<<grid, random_threads, 0, where.stream()>>>(make, numbers.from, count, granules,
                                                           static_cast<typename Make::value*>(out));
  check(cudaGetLastError(), "launch of make_random");
}

template <class T>
void launch_reals(const random_numbers& numbers, std::size_t count, void* out, const target& where) {
  const T a = static_cast<T>(numbers.a), b = static_cast<T>(numbers.b);
  switch (numbers.of) {
    case distribution::uniform:
      return launch_random(uniform_of<T>{random::arithmetic::stretched<T>(a, b)}, numbers, count, out, where);
    case distribution::normal:
      return launch_random(normal_of<T>{a, b}, numbers, count, out, where);
    default:
      return launch_random(exponential_of<T>{a}, numbers, count, out, where);
  }
}

void launch_integers(const random_numbers& numbers, std::size_t count, void* out, const target& where) {
  const std::uint64_t seed = numbers.from.seed, low = numbers.low;
  const auto launch = [&]<class T, class Word = std::uint32_t>(T, Word = {}) {
    launch_random(integers_of<T, Word>{seed, low, numbers.below}, numbers, count, out, where);
  };
  if (!numbers.below.is_short()) return launch(std::uint64_t{}, std::uint64_t{});
  switch (size_of(numbers.type)) {
    case 1:
      return launch(std::uint8_t{});
    case 2:
      return launch(std::uint16_t{});
    case 4:
      return launch(std::uint32_t{});
    default:
      return launch(std::uint64_t{});
  }
}

}  // namespace

void random(const random_numbers& numbers, std::size_t count, void* out, const target& where) {
  const current_device on(where);
  const bool single = size_of(numbers.type) == 4;
  switch (numbers.of) {
    case distribution::bits:
      if (single)
        return launch_random(plain_words<std::uint32_t, distribution::bits>{}, numbers, count, out, where);
      return launch_random(plain_words<std::uint64_t, distribution::bits>{}, numbers, count, out, where);
    case distribution::permutation:
      return launch_random(plain_words<std::uint64_t, distribution::permutation>{}, numbers, count, out,
                           where);
    case distribution::integers:
      return launch_integers(numbers, count, out, where);
    default:
      if (single) return launch_reals<float>(numbers, count, out, where);
      return launch_reals<double>(numbers, count, out, where);
  }
}

}  // namespace heddle::cuda
