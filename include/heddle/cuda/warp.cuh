#pragma once

#include <heddle/cuda/launch.cuh>
#include <heddle/grouping.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace heddle::cuda {

inline constexpr unsigned whole_warp = 0xffffffffu;

/// The value that another thread of the warp holds, for any trivially copyable type: word by word.
template <class T, class Shuffle>
__device__ inline T shuffle_words(const T& value, const Shuffle& shuffle) {
  constexpr std::size_t words = (sizeof(T) + 3) / 4;
  std::uint32_t bits[words] = {};
  memcpy(bits, &value, sizeof(T));
#pragma unroll
  for (std::size_t i = 0; i < words; ++i) bits[i] = shuffle(bits[i]);
  grouping::uninitialized<T, 1> other;
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

}  // namespace heddle::cuda
