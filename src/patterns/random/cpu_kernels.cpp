// Compiled once for each instruction set, with HEDDLE_ISA naming it; see cpu_kernels.cpp.
#include "patterns/random/cpu_kernels.hpp"

#include <heddle/impl/patterns/transform/cpu.hpp>
#include <heddle/random.hpp>
#include <heddle/support/philox_simd.hpp>

#include <utility>

namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

using impl::random_numbers, random::distribution;

constexpr std::size_t chunk_blocks = random_chunk / 4;
static_assert(chunk_blocks % philox_at_once == 0);

/// Lanes from `First` on of a and of b, interleaved.
template <std::size_t First>
inline __attribute__((always_inline)) philox_words interleaved(philox_words a, philox_words b) {
  return [&]<std::size_t... L>(std::index_sequence<L...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(a, b, static_cast<int>(First + L / 2 + L % 2 * philox_width)...);
  }(std::make_index_sequence<philox_width>());
}

/// The words of at least `blocks` blocks, in order.
void draw_words(const random_numbers& numbers, std::uint64_t first_block, std::size_t blocks,
                std::uint32_t* out) {
  for (std::size_t done = 0; done < blocks; done += philox_at_once) {
    philox_words w[4][philox_registers];
    philox_lanes(numbers.from.seed, first_block + done, 0, static_cast<std::uint32_t>(numbers.of), w);
#pragma GCC unroll 4
    for (int r = 0; r < philox_registers; ++r) {
      const philox_words halves[2] = {(w[0][r] & low_half) | w[1][r] << 32,
                                      (w[2][r] & low_half) | w[3][r] << 32};
      const philox_words in_order[2] = {interleaved<0>(halves[0], halves[1]),
                                        interleaved<philox_width / 2>(halves[0], halves[1])};
      __builtin_memcpy(out + 4 * (done + static_cast<std::size_t>(r) * philox_width), in_order,
                       sizeof in_order);
    }
  }
}

/// Makes the elements chunk by chunk: `make(words, index, count, values)` turns words into elements from
/// `index` on.
template <class T, std::size_t PerBlock, class Make>
void in_chunks(const random_numbers& numbers, std::uint64_t first, std::size_t count,
               [[maybe_unused]] bool non_temporal, void* out, const Make& make) {
  constexpr std::size_t chunk = chunk_blocks * PerBlock;
  alignas(64) std::uint32_t words[4 * chunk_blocks];
  alignas(64) T values[chunk];
  static_assert(sizeof values % 64 == 0);
  std::uint64_t block = first / PerBlock;
  std::size_t skip = first % PerBlock;
  for (std::size_t done = 0; done < count;) {
    const std::size_t now = chunk - skip < count - done ? chunk - skip : count - done;
    const std::size_t blocks = (skip + now + PerBlock - 1) / PerBlock;
    draw_words(numbers, block, blocks, words);
    make(words, block * PerBlock, blocks * PerBlock, values);
    T* const to = static_cast<T*>(out) + done;
#if defined(__x86_64__)
    if (non_temporal && now == chunk && reinterpret_cast<std::size_t>(to) % 64 == 0) {
      copy_lines_non_temporal(values, to, sizeof values);
    } else
#endif
    {
      __builtin_memcpy(to, values + skip, now * sizeof(T));
    }
    done += now;
    block += blocks;
    skip = 0;
  }
#if defined(__x86_64__)
  if (non_temporal) store_fence();
#endif
}

template <class Word>
inline __attribute__((always_inline)) Word word_at(const std::uint32_t* words, std::size_t i) {
  Word word;
  __builtin_memcpy(&word, words + i * (sizeof(Word) / 4), sizeof word);
  return word;
}

/// Elements that are a function of one word.
template <class T, class Word, class F>
void by_words(const random_numbers& numbers, std::uint64_t first, std::size_t count, bool non_temporal,
              void* out, const F& f) {
  in_chunks<T, 16 / sizeof(Word)>(numbers, first, count, non_temporal, out,
                                  [&](const std::uint32_t* words, std::uint64_t, std::size_t n, T* values) {
                                    for (std::size_t i = 0; i < n; ++i)
                                      values[i] = f(word_at<Word>(words, i));
                                  });
}

template <class T>
void reals(const random_numbers& numbers, std::uint64_t first, std::size_t count, bool non_temporal,
           void* out) {
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const impl::single_rounding::uniform_range<T> value(static_cast<T>(numbers.a), static_cast<T>(numbers.b));
  const T a = static_cast<T>(numbers.a), b = static_cast<T>(numbers.b);
  switch (numbers.of) {
    case distribution::uniform:
      return by_words<T, word>(
          numbers, first, count, non_temporal, out,
          [value](word bits) __attribute__((always_inline)) { return value(random::unit_interval(bits)); });
    case distribution::exponential:
      return by_words<T, word>(numbers, first, count, non_temporal, out,
                               [a](word bits)
                                   __attribute__((always_inline)) { return a * random::minus_log(bits); });
    default:
      break;
  }
  in_chunks<T, 16 / sizeof(T)>(numbers, first, count, non_temporal, out,
                               [&](const std::uint32_t* words, std::uint64_t, std::size_t n, T* values) {
                                 for (std::size_t i = 0; i < n; i += 2) {
                                   const auto pair = random::normal_pair(word_at<word>(words, i),
                                                                         word_at<word>(words, i + 1));
                                   values[i] = impl::single_rounding::fma(pair.first, b, a);
                                   values[i + 1] = impl::single_rounding::fma(pair.second, b, a);
                                 }
                               });
}

template <class T>
void integers(const random_numbers& numbers, std::uint64_t first, std::size_t count, bool non_temporal,
              void* out) {
  const random::integer_range below = numbers.below;
  const std::uint64_t seed = numbers.from.seed, low = numbers.low;
  if (!below.is_short()) {
    return in_chunks<T, 2>(
        numbers, first, count, non_temporal, out,
        [&](const std::uint32_t* words, std::uint64_t index, std::size_t n, T* values) {
          for (std::size_t i = 0; i < n; ++i) {
            values[i] = static_cast<T>(
                low + random::integer_below(seed, index + i, below, word_at<std::uint64_t>(words, i)));
          }
        });
  }
  if (below.range == std::uint64_t{1} << 32) {
    return by_words<T, std::uint32_t>(
        numbers, first, count, non_temporal, out,
        [low](std::uint32_t bits) __attribute__((always_inline)) { return static_cast<T>(low + bits); });
  }
  const auto range = static_cast<std::uint32_t>(below.range),
             threshold = static_cast<std::uint32_t>(below.threshold);
  in_chunks<T, 4>(numbers, first, count, non_temporal, out,
                  [&](const std::uint32_t* words, std::uint64_t index, std::size_t n, T* values) {
                    std::uint32_t any_again = 0;
                    for (std::size_t i = 0; i < n; ++i) {
                      const std::uint64_t product = std::uint64_t{words[i]} * range;
                      any_again |= static_cast<std::uint32_t>(product) < threshold ? 1 : 0;
                      values[i] = static_cast<T>(low + (product >> 32));
                    }
                    if (any_again == 0) return;
                    for (std::size_t i = 0; i < n; ++i)
                      values[i] =
                          static_cast<T>(low + random::integer_below(seed, index + i, below, words[i]));
                  });
}

}  // namespace
}  // namespace HEDDLE_ISA

#define HEDDLE_JOIN(a, b) a##b
#define HEDDLE_RANDOM(isa) HEDDLE_JOIN(isa, _random)

void HEDDLE_RANDOM(HEDDLE_ISA)(const impl::random_numbers& numbers, std::uint64_t first, std::size_t count,
                               bool non_temporal, void* out) {
  const auto same = [](auto bits) __attribute__((always_inline)) { return bits; };
  const bool single = numbers.type == dtype::float32 || numbers.type == dtype::uint32;
  switch (numbers.of) {
    case distribution::bits:
    case distribution::permutation:
      if (single)
        return by_words<std::uint32_t, std::uint32_t>(numbers, first, count, non_temporal, out, same);
      return by_words<std::uint64_t, std::uint64_t>(numbers, first, count, non_temporal, out, same);
    case distribution::integers:
      break;
    default:
      if (single) return reals<float>(numbers, first, count, non_temporal, out);
      return reals<double>(numbers, first, count, non_temporal, out);
  }
  switch (numbers.type) {
    case dtype::boolean:
    case dtype::int8:
    case dtype::uint8:
      return integers<std::uint8_t>(numbers, first, count, non_temporal, out);
    case dtype::int16:
    case dtype::uint16:
      return integers<std::uint16_t>(numbers, first, count, non_temporal, out);
    case dtype::int32:
    case dtype::uint32:
      return integers<std::uint32_t>(numbers, first, count, non_temporal, out);
    default:
      return integers<std::uint64_t>(numbers, first, count, non_temporal, out);
  }
}

}  // namespace heddle::cpu
