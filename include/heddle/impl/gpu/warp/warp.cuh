#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/operators.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace heddle::gpu {

inline constexpr unsigned whole_warp = 0xffffffffu;

/// A barrier of `Threads` of a block's threads, whole warps; 0 is the number of __syncthreads().
template <unsigned Number, unsigned Threads>
__device__ inline void sync_some_threads() {
#if HD_PTX_ARCH > 0
  asm volatile("bar.sync %0, %1;" ::"n"(Number), "n"(Threads) : "memory");
#else
  __barrier_sync_count(Number, Threads);
#endif
}

/// Shuffles a value of any trivially copyable type, word by word.
template <class T, class Shuffle>
__device__ inline T shuffle_words(const T& value, const Shuffle& shuffle) {
  constexpr std::size_t words = (sizeof(T) + 3) / 4;
  std::uint32_t bits[words] = {};
  memcpy(bits, &value, sizeof(T));
#pragma unroll
  for (std::size_t i = 0; i < words; ++i) bits[i] = shuffle(bits[i]);
  order::uninitialized<T, 1> other;
  memcpy(&other, bits, sizeof(T));
  return other[0];
}

template <class T>
__device__ inline T shuffle_down(const T& value, unsigned distance) {
  return shuffle_words(value,
                       [=](std::uint32_t word) { return __shfl_down_sync(whole_warp, word, distance); });
}
template <class T>
__device__ inline T shuffle_up(const T& value, unsigned distance) {
  return shuffle_words(value, [=](std::uint32_t word) { return __shfl_up_sync(whole_warp, word, distance); });
}
template <class T>
__device__ inline T shuffle_from(const T& value, unsigned lane) {
  return shuffle_words(value, [=](std::uint32_t word) { return __shfl_sync(whole_warp, word, lane); });
}

/// The values of all lanes up to this one combined, in the warp or in each `Lanes` neighbours of it: P(j + 1)
/// of scan_order.hpp (Sklansky 1960).
template <unsigned Lanes = warp_size, class T, class Op>
__device__ T scan_warp(T value, const Op& op) {
  const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
  for (unsigned half = 1; half < Lanes; half *= 2) {
    const T before = shuffle_words(
        value, [=](std::uint32_t word) { return __shfl_sync(whole_warp, word, half - 1, 2 * half); });
    if constexpr (sizeof(T) == 1) {
      if ((lane & half) != 0) value = op(before, value);
    } else {
      const T with_before = op(before, value);  // without a branch, so that other work overlaps
      if ((lane & half) != 0) value = with_before;
    }
  }
  return value;
}

/// Calls combine(i, i + half) for i = 0 … half − 1 with half = N/2, N/4 … 1. By recursion, because nvcc keeps
/// arrays in memory that a loop of halves goes through from sixteen on.
template <unsigned N, class F>
__device__ __forceinline__ void tree_reduce(const F& combine) {
  if constexpr (N > 1) {
#pragma unroll
    for (unsigned i = 0; i < N / 2; ++i) combine(i, i + N / 2);
    tree_reduce<N / 2>(combine);
  }
}

/// Each of `Rows` rows of 32 lanes combined as a balanced tree, in lane 0.
template <unsigned Rows, class T, class Op>
__device__ void reduce_warp(order::uninitialized<T, Rows>& rows, const Op& op) {
#pragma unroll
  for (unsigned distance = 1; distance < warp_size; distance *= 2) {
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) rows[r] = op(rows[r], shuffle_down(rows[r], distance));
  }
}

/// The sum of the values of the warp's threads.
__device__ inline unsigned sum_of_warp(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(whole_warp, value);
#else
#pragma unroll
  for (unsigned distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(whole_warp, value, distance);
  return value;
#endif
}

/// The bits that any of the warp's threads has.
__device__ inline unsigned or_of_warp(unsigned bits) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(whole_warp, bits);
#else
#pragma unroll
  for (unsigned distance = 16; distance > 0; distance /= 2)
    bits |= __shfl_xor_sync(whole_warp, bits, distance);
  return bits;
#endif
}

/// Whether elements are small integers to add: any order gives the same bits, and one instruction adds the
/// elements of a word.
template <class T, class Op>
inline constexpr bool adds_small_integers =
    std::is_same_v<Op, plus> && std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 2;

/// `sum` plus the elements of a word, or of a vector of 16 bytes; the bits above those of T are unspecified.
template <class T>
__device__ inline unsigned add_small_integers(std::uint32_t word, unsigned sum) {
  if constexpr (sizeof(T) == 1) {
    return __dp4a(word, 0x01010101u, sum);
  } else {
    return __dp2a_lo(word, 0x0101u, sum);
  }
}
template <class T>
__device__ inline unsigned add_small_integers(const void* vector, unsigned sum) {
  uint4 words;
  memcpy(&words, vector, sizeof words);
  for (const unsigned word : {words.x, words.y, words.z, words.w}) sum = add_small_integers<T>(word, sum);
  return sum;
}

}  // namespace heddle::gpu
