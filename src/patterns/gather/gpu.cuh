#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/shape.hpp>

#include <cstddef>
#include <cstdint>

/// The kernels of gather and scatter. Indices are of an unsigned integer type of 1, 2, 4 or 8 bytes.
namespace heddle::gpu {

inline constexpr unsigned index_threads = 256, indices_of_thread = 8,
                          indices_of_tile = index_threads * indices_of_thread;

/// Calls f(i, index) for the indices of a thread, of which index[k] is that of i + k * index_threads. Whole
/// warps call it; beyond the last index, index[k] is 0. A thread has all of them in flight at once.
template <class Index, class F>
__device__ void for_indices(const Index* indices, std::size_t count, const F& f) {
  for (std::size_t first = std::size_t{blockIdx.x} * indices_of_tile; first < count;
       first += std::size_t{gridDim.x} * indices_of_tile) {
    Index index[indices_of_thread];
#pragma unroll
    for (unsigned k = 0; k < indices_of_thread; ++k) {
      const std::size_t i = first + k * index_threads + threadIdx.x;
      index[k] = i < count ? indices[i] : Index{0};
    }
    f(first + threadIdx.x, index);
  }
}

/// Lowers *first to i.
__device__ inline void lower_to(unsigned long long* first, std::size_t i) {
  if (i < *static_cast<volatile unsigned long long*>(first)) atomicMin(first, i);
}

/// Leaves the least i whose index is not below `limit` in *outside, which holds the number of indices or more
/// before.
template <class Index>
__global__ void __launch_bounds__(index_threads)
    find_index_outside(const Index* indices, std::size_t count, std::uint64_t limit,
                       unsigned long long* outside) {
  for_indices(indices, count, [&](std::size_t first, const Index(&index)[indices_of_thread]) {
#pragma unroll
    for (unsigned k = 0; k < indices_of_thread; ++k) {
      const std::size_t i = first + k * index_threads;
      if (i < count && index[k] >= limit) lower_to(outside, i);
    }
  });
}

/// Copies the elements at indices below `limit`, and leaves the least i whose index is not in *outside, which
/// holds the number of indices or more before.
template <class Word, class Index>
__global__ void __launch_bounds__(index_threads)
    gather_words(const Word* x, const Index* indices, std::size_t count, std::uint64_t limit,
                 unsigned long long* outside, Word* out) {
  for_indices(indices, count, [&](std::size_t first, const Index(&index)[indices_of_thread]) {
    Word word[indices_of_thread];
#pragma unroll
    for (unsigned k = 0; k < indices_of_thread; ++k) {
      const std::size_t i = first + k * index_threads;
      if (i >= count) continue;
      if (index[k] < limit) {
        word[k] = x[index[k]];
      } else {
        lower_to(outside, i);
      }
    }
#pragma unroll
    for (unsigned k = 0; k < indices_of_thread; ++k) {
      const std::size_t i = first + k * index_threads;
      if (i < count && index[k] < limit) out[i] = word[k];
    }
  });
}

/// Elements of several words, or along several lines, by indices that have been checked.
template <class Word, class Index>
struct gathered_blocks {
  const Word* x;
  const Index* indices;
  std::size_t count, length, words;
  bool one_line;
  __device__ Word operator()(std::size_t i) const {
    const std::size_t block = i / words, word = i - block * words;
    if (one_line) return x[indices[block] * words + word];
    const std::size_t line = block / count;
    return x[(line * length + indices[block - line * count]) * words + word];
  }
};

/// The properties of indices that decide how scatter writes.
struct index_survey {
  unsigned long long outside;    ///< the least i whose index is not below the limit
  unsigned long long different;  ///< how many indices there are without repetitions
  unsigned long long far;        ///< how many are far from the one before; of a part of them
};

/// Indices that are this far apart are in different parts of the array: not in cache together.
inline constexpr std::uint64_t far_indices = std::uint64_t{1} << 18;

/// Sets the bit of each lane's index; `exists` says whether the lane has one. Lanes whose bits are in one
/// word share an atomic operation, while that saves any.
__device__ inline void set_bits(unsigned* bits, std::uint64_t index, bool exists) {
  const auto word = static_cast<unsigned>(index / 32);  // of at most 2^37 bits, which are 16 GiB
  const unsigned bit = 1u << index % 32, lane = threadIdx.x % warp_size;
  unsigned left = __ballot_sync(whole_warp, exists);
  while (left != 0) {
    const unsigned leader = static_cast<unsigned>(__ffs(static_cast<int>(left))) - 1;
    const unsigned word_of_leader = shuffle_from(word, leader);
    const bool shares = (left >> lane & 1) != 0 && word == word_of_leader;
    const unsigned sharing = __ballot_sync(whole_warp, shares), together = or_of_warp(shares ? bit : 0);
    if (lane == leader) atomicOr(bits + word, together);
    left &= ~sharing;
    if (__popc(sharing) == 1) break;
  }
  if (left >> lane & 1) atomicOr(bits + word, bit);
}

/// Finds the first index that is not below `limit`, sets the bits of the others, and counts those of each
/// thread's first indices that are far from their neighbour's.
template <class Index>
__global__ void __launch_bounds__(index_threads)
    survey_indices(const Index* indices, std::size_t count, std::uint64_t limit, unsigned* bits,
                   index_survey* survey) {
  for_indices(indices, count, [&](std::size_t first, const Index(&index)[indices_of_thread]) {
#pragma unroll
    for (unsigned k = 0; k < indices_of_thread; ++k) {
      const std::size_t i = first + k * index_threads;
      const bool exists = i < count, is_inside = exists && index[k] < limit;
      if (exists && !is_inside) lower_to(&survey->outside, i);
      set_bits(bits, index[k], is_inside);
    }
    const std::uint64_t here = index[0], before = shuffle_up(here, 1);
    const bool is_far = (here > before ? here - before : before - here) >= far_indices;
    const unsigned far = __popc(__ballot_sync(whole_warp, is_far));
    if (threadIdx.x % warp_size == 0 && far > 0)
      atomicAdd(&survey->far, static_cast<unsigned long long>(far));
  });
}

/// Adds the number of bits that are set to survey->different.
inline __global__ void __launch_bounds__(index_threads)
    count_set_bits(const unsigned* bits, std::size_t words, index_survey* survey) {
  unsigned long long set = 0;
  for (std::size_t w = std::size_t{blockIdx.x} * index_threads + threadIdx.x; w < words;
       w += std::size_t{gridDim.x} * index_threads)
    set += static_cast<unsigned>(__popc(bits[w]));
#pragma unroll
  for (unsigned distance = warp_size / 2; distance > 0; distance /= 2) set += shuffle_down(set, distance);
  if (threadIdx.x % warp_size == 0 && set > 0) atomicAdd(&survey->different, set);
}

/// Leaves the number of the last of equal indices, counted from 1, at the index. `last` is zero before.
template <class Index, class Number>
__global__ void __launch_bounds__(index_threads)
    find_last_of_equal(const Index* indices, std::size_t count, Number* last) {
  for_indices(indices, count, [&](std::size_t first, const Index(&index)[indices_of_thread]) {
#pragma unroll
    for (unsigned k = 0; k < indices_of_thread; ++k) {
      const std::size_t i = first + k * index_threads;
      if (i < count) atomicMax(last + index[k], static_cast<Number>(i + 1));
    }
  });
}

/// Copies each of `values`, of `words` words, to its index in its line. If `last` is not null, it has the
/// number of the last of equal indices, and others are skipped.
template <class Word, class Index, class Number>
__global__ void __launch_bounds__(index_threads)
    scatter_words(const Word* values, const Index* indices, const Number* last, axis_lines lines,
                  std::size_t count, std::size_t words, Word* out) {
  if (lines.outer == 1 && words == 1) {
    for_indices(indices, count, [&](std::size_t first, const Index(&index)[indices_of_thread]) {
      Word word[indices_of_thread];
      bool is_last[indices_of_thread];
#pragma unroll
      for (unsigned k = 0; k < indices_of_thread; ++k) {
        const std::size_t i = first + k * index_threads;
        is_last[k] = i < count && (last == nullptr || last[index[k]] == static_cast<Number>(i + 1));
        if (is_last[k]) word[k] = values[i];
      }
#pragma unroll
      for (unsigned k = 0; k < indices_of_thread; ++k) {
        if (is_last[k]) out[index[k]] = word[k];
      }
    });
    return;
  }
  const std::size_t stored = lines.outer * count * words;
  for (std::size_t i = std::size_t{blockIdx.x} * index_threads + threadIdx.x; i < stored;
       i += std::size_t{gridDim.x} * index_threads) {
    const std::size_t block = i / words, line = block / count, k = block - line * count;
    const std::size_t at = indices[k];
    if (last != nullptr && last[at] != static_cast<Number>(k + 1)) continue;
    out[(line * lines.length + at) * words + (i - block * words)] = values[i];
  }
}

/// An index that fits into 32 bits.
template <class Index>
struct index_in_32_bits {
  const Index* indices;
  __device__ std::uint32_t operator()(std::size_t i) const { return static_cast<std::uint32_t>(indices[i]); }
};

}  // namespace heddle::gpu
