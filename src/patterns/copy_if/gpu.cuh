#pragma once

#include "core/unequal.hpp"
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>

#include <cstddef>

/// The kernels of copy_if, partition and unique.
namespace heddle::gpu {

inline constexpr unsigned flag_threads = 256;

/// Adds the number of flags that are set to *count. Flags are bytes, 0 or 1.
inline __global__ void __launch_bounds__(flag_threads)
    count_flags(const bool* flags, std::size_t n, unsigned long long* count) {
  const std::size_t stride = std::size_t{gridDim.x} * flag_threads,
                    first = std::size_t{blockIdx.x} * flag_threads + threadIdx.x;
  const std::size_t before = min(static_cast<std::size_t>((16 - misalignment16(flags)) % 16), n),
                    vectors = (n - before) / 16, rest = n - 16 * vectors;
  unsigned long long set = 0;
#pragma unroll 4
  for (std::size_t v = first; v < vectors; v += stride) {
    const uint4 bytes = reinterpret_cast<const uint4*>(flags + before)[v];
    set += __popc(bytes.x) + __popc(bytes.y) + __popc(bytes.z) + __popc(bytes.w);
  }
  if (first < rest && flags[first < before ? first : first + 16 * vectors]) ++set;
#pragma unroll
  for (unsigned distance = warp_size / 2; distance > 0; distance /= 2) set += shuffle_down(set, distance);
  if (threadIdx.x % warp_size == 0 && set > 0) atomicAdd(count, set);
}

/// Sets the flags of the first of n elements and of those at rising offsets below n; other flags are not
/// touched.
inline __global__ void __launch_bounds__(flag_threads)
    flag_offsets(const std::size_t* offsets, std::size_t count, std::size_t n, bool* flags) {
  const std::size_t first = std::size_t{blockIdx.x} * flag_threads + threadIdx.x;
  if (first == 0) flags[0] = true;
  for (std::size_t s = first; s < count; s += std::size_t{gridDim.x} * flag_threads) {
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

/// Chooses the first element of each run of equal ones.
template <class T>
struct chosen_if_first_of_run {
  const T* x;
  /// The element before, in the first lane: other lanes get it from their neighbour.
  __device__ T look_at(std::size_t i) const { return x[threadIdx.x % warp_size == 0 && i > 0 ? i - 1 : i]; }
  __device__ bool operator()(const T& look, const T& element, std::size_t i) const {
    const T left = shuffle_up(element, 1);
    return i == 0 || impl::is_unequal(element, threadIdx.x % warp_size == 0 ? look : left);
  }
};

}  // namespace heddle::gpu
