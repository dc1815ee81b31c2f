#pragma once

#include "core/unequal.hpp"
#include <heddle/impl/gpu/block/scan.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/operators.hpp>

#include <climits>
#include <cstddef>
#include <cstdint>

/// The kernels of copy_if, partition and unique.
namespace heddle::gpu {

// A thread takes 16 flags, a block a tile of them.
inline constexpr unsigned select_threads = 256, flags_of_thread = 16,
                          flags_of_tile = select_threads * flags_of_thread;
static_assert(flags_of_thread == sizeof(uint4) && flags_of_tile - 1 <= USHRT_MAX);

/// The flags of a thread, a byte each, 0 or 1.
inline __device__ uint4 flags_from(const bool* flags, std::size_t first, std::size_t n) {
  if (n >= first + flags_of_thread && misalignment16(flags) == 0)
    return *reinterpret_cast<const uint4*>(flags + first);
  uint4 bytes{};
  auto* const byte = reinterpret_cast<unsigned char*>(&bytes);
  for (unsigned k = 0; k < flags_of_thread && first + k < n; ++k) byte[k] = flags[first + k] ? 1 : 0;
  return bytes;
}

inline __device__ unsigned count_of(const uint4& bytes) {
  return __popc(bytes.x) + __popc(bytes.y) + __popc(bytes.z) + __popc(bytes.w);
}

inline __global__ void __launch_bounds__(select_threads)
    count_tiles(const bool* flags, std::size_t n, std::size_t tiles, std::size_t* counts) {
  if (blockIdx.x == 0 && threadIdx.x == 0) counts[tiles] = 0;
  for (std::size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::size_t first = tile * flags_of_tile + threadIdx.x * flags_of_thread;
    unsigned total;
    exclusive_sum_of_block<select_threads>(first < n ? count_of(flags_from(flags, first, n)) : 0, &total);
    if (threadIdx.x == 0) counts[tile] = total;
  }
}

/// Calls f(first element of the tile, index in the tile, index among all selected) for each selected element,
/// neighbouring threads for neighbours, and, when `Others`, g(first element of the tile, index in the tile,
/// index among all others) for the others.
template <bool Others, class F, class G>
__device__ void visit_flagged(const bool* flags, std::size_t n, const std::size_t* before, const F& f,
                              const G& g) {
  __shared__ unsigned short indices[flags_of_tile];
  for (std::size_t tile = blockIdx.x; tile * flags_of_tile < n; tile += gridDim.x) {
    const unsigned first_of_thread = threadIdx.x * flags_of_thread;
    const std::size_t first = tile * flags_of_tile;
    const uint4 bytes = first + first_of_thread < n ? flags_from(flags, first + first_of_thread, n) : uint4{};
    unsigned total;
    unsigned chosen = exclusive_sum_of_block<select_threads>(count_of(bytes), &total);
    const auto count = static_cast<unsigned>(n - first < flags_of_tile ? n - first : flags_of_tile);
    const std::uint32_t words[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
    // Selected ones from the front of the list, then the others.
#pragma unroll
    for (unsigned k = 0; k < flags_of_thread; ++k) {
      const unsigned i = first_of_thread + k;
      if (words[k / 4] >> k % 4 * 8 & 1) {
        indices[chosen++] = static_cast<unsigned short>(i);
      } else if (Others && i < count) {
        indices[total + i - chosen] = static_cast<unsigned short>(i);
      }
    }
    __syncthreads();
    for (unsigned j = threadIdx.x; j < total; j += select_threads) f(first, indices[j], before[tile] + j);
    if constexpr (Others) {
      for (unsigned j = total + threadIdx.x; j < count; j += select_threads)
        g(first, indices[j], first - before[tile] + (j - total));
    }
    __syncthreads();
  }
}

template <class Word, bool Others>
__global__ void __launch_bounds__(select_threads)
    copy_words(const bool* flags, std::size_t n, const std::size_t* before, const Word* x, std::size_t words,
               std::size_t chosen, Word* out) {
  const auto copy_element = [=](std::size_t from, std::size_t to) {
    for (std::size_t w = 0; w < words; ++w) out[to * words + w] = x[from * words + w];
  };
  visit_flagged<Others>(
      flags, n, before, [&](std::size_t first, unsigned i, std::size_t to) { copy_element(first + i, to); },
      [&](std::size_t first, unsigned i, std::size_t to) { copy_element(first + i, chosen + to); });
}

inline __global__ void __launch_bounds__(select_threads)
    list_indices(const bool* flags, std::size_t n, const std::size_t* before, std::size_t* out) {
  visit_flagged<false>(
      flags, n, before, [&](std::size_t first, unsigned i, std::size_t to) { out[to] = first + i; },
      [](std::size_t, unsigned, std::size_t) {});
}

/// Sets the flags of the first of n elements and of those at rising offsets below n; other flags are not
/// touched.
inline __global__ void __launch_bounds__(select_threads)
    flag_offsets(const std::size_t* offsets, std::size_t count, std::size_t n, bool* flags) {
  const std::size_t first = std::size_t{blockIdx.x} * select_threads + threadIdx.x;
  if (first == 0) flags[0] = true;
  for (std::size_t s = first; s < count; s += std::size_t{gridDim.x} * select_threads) {
    const std::size_t offset = offsets[s];
    const bool is_first_there = offset > 0 && (s == 0 || offsets[s - 1] != offset);
    if (is_first_there && offset < n) flags[offset] = true;
  }
}

template <class T>
struct change_at {
  const T* x;
  __device__ bool operator()(std::size_t i) const { return i == 0 || impl::is_unequal(x[i], x[i - 1]); }
};

}  // namespace heddle::gpu
