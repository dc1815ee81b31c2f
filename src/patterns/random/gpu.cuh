#pragma once

#include <heddle/random.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <cuda_runtime.h>

/// The kernels that make random numbers.
namespace heddle::gpu {

using random::distribution;

inline constexpr unsigned random_threads = 256;

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
  impl::single_rounding::uniform_range<T> range;
  __device__ void operator()(const word* words, std::uint64_t, unsigned count, T* out) const {
#pragma unroll
    for (unsigned k = 0; k < count; ++k) out[k] = range(random::unit_interval(words[k]));
  }
};

template <class T>
struct unit_interval_of {
  using value = T;
  using word = word_for<T>;
  static constexpr distribution of = distribution::uniform;
  __device__ void operator()(const word* words, std::uint64_t, unsigned count, T* out) const {
#pragma unroll
    for (unsigned k = 0; k < count; ++k) out[k] = random::unit_interval(words[k]);
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
      out[k] = impl::single_rounding::fma(pair.first, deviation, mean);
      out[k + 1] = impl::single_rounding::fma(pair.second, deviation, mean);
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

/// Drawn again seldom: a call, so that what first draws need stays in registers.
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
    bool any_again = false;
#pragma unroll
    for (unsigned k = 0; k < count; ++k) {
      const random::scaled_word<Word> drawn(words[k], below);
      any_again = any_again || drawn.is_drawn_again(below);
      out[k] = static_cast<T>(low + drawn.integer);
    }
    if (!any_again) return;
#pragma unroll 1
    for (unsigned k = 0; k < count; ++k) {
      // A choice, as words that are numbered by a variable would be in memory.
      Word bits = words[0];
#pragma unroll
      for (unsigned other = 1; other < random::words_per_block<Word>; ++other)
        if (other < count && k == other) bits = words[other];
      const T value = static_cast<T>(low + integer_again(seed, index + k, below, bits));
#pragma unroll
      for (unsigned other = 0; other < random::words_per_block<Word>; ++other)
        if (other < count && k == other) out[other] = value;
    }
  }
};

/// Elements unit·(16 / sizeof(T)) … of a sequence, 16 bytes of them: a part of what a block of words gives,
/// or the whole of several.
template <class Make>
struct made_at_once {
  using T = typename Make::value;
  using word = typename Make::word;
  static constexpr unsigned count = 16 / sizeof(T), words = random::words_per_block<word>,
                            part = words < count ? words : count;
  alignas(16) T values[count];

  __device__ made_at_once(const Make& make, std::uint64_t seed, std::uint64_t unit) {
    const std::uint64_t index = unit * count;
#pragma unroll
    for (unsigned done = 0; done < count; done += part) {
      const philox_block block = random::words_of(seed, Make::of, (index + done) / words);
      word drawn[part];
#pragma unroll
      for (unsigned k = 0; k < part; ++k) {
        drawn[k] = random::word_of<word>(block, k);
#pragma unroll
        for (unsigned later = part; later < words; later += part) {
          if (index % words == later) drawn[k] = random::word_of<word>(block, later + k);
        }
      }
      make(drawn, index + done, part, values + done);
    }
  }

  __device__ void store(T* to) const {
    uint4 vector;
    memcpy(&vector, values, sizeof vector);
    *reinterpret_cast<uint4*>(to) = vector;
  }
};

/// Elements offset … offset + count − 1 of the sequence. Where the first begins 16 bytes of the sequence and
/// `out` is aligned to 16 bytes, threads store vec16s, two in each turn.
template <class Make>
__global__ void __launch_bounds__(random_threads)
    make_random(Make make, random::stream from, std::size_t count, bool vectors, typename Make::value* out) {
  constexpr unsigned unit = made_at_once<Make>::count;
  const unsigned before = static_cast<unsigned>(from.offset % unit);
  const std::uint64_t first_unit = from.offset / unit;
  const std::size_t units = (count + before + unit - 1) / unit, whole = vectors ? count / unit : 0;
  const std::size_t stride = std::size_t{gridDim.x} * random_threads;
  std::size_t u = std::size_t{blockIdx.x} * random_threads + threadIdx.x;
#pragma unroll 1
  for (; u + stride < whole; u += 2 * stride) {
    const made_at_once<Make> one(make, from.seed, first_unit + u),
        other(make, from.seed, first_unit + u + stride);
    one.store(out + u * unit);
    other.store(out + (u + stride) * unit);
  }
#pragma unroll 1
  for (; u < units; u += stride) {
    const made_at_once<Make> some(make, from.seed, first_unit + u);
    if (u < whole) {
      some.store(out + u * unit);
      continue;
    }
#pragma unroll
    for (unsigned k = 0; k < unit; ++k) {
      const std::size_t at = u * unit + k;
      if (at >= before && at - before < count) out[at - before] = some.values[k];
    }
  }
}

}  // namespace heddle::gpu
