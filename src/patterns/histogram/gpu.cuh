#pragma once

#include "patterns/histogram/bin_finder.hpp"
#include <heddle/impl/gpu/block/count.cuh>

#include <cstddef>
#include <cstdint>

/// The kernels of histogram.
namespace heddle::gpu {

inline constexpr unsigned histogram_threads = 512, at_once = 8;
/// Counters of a block in shared memory: as much as a block has without asking for more.
inline constexpr std::size_t shared_counters = 10240;

/// Counts in shared memory, where a block has `copies` of the bins that its warps share out; with no copies,
/// in global memory. Where a whole warp falls into one bin, one thread adds for all.
template <class T>
__global__ void __launch_bounds__(histogram_threads)
    count_bins(const T* x, std::size_t n, impl::bin_finder bin_of, unsigned copies,
               unsigned long long* counts) {
  __shared__ unsigned shared[shared_counters];
  block_counters<histogram_threads, std::size_t> counters(shared, copies, bin_of.bins, counts);
  constexpr std::size_t tile = std::size_t{histogram_threads} * at_once;
  for (std::size_t first = blockIdx.x * tile; first < n; first += gridDim.x * tile) {
    T values[at_once];
    const bool whole = n - first >= tile;
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      const std::size_t i = first + k * histogram_threads + threadIdx.x;
      if (whole || i < n) values[k] = x[i];
    }
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      const std::size_t i = first + k * histogram_threads + threadIdx.x;
      counters.add(whole || i < n ? bin_of(static_cast<double>(values[k])) : bin_of.bins);
    }
  }
  counters.add_to_grid();
}

template <class T>
struct bin_at {
  const T* x;
  impl::bin_finder bin_of;
  __device__ std::uint32_t operator()(std::size_t i) const {
    return static_cast<std::uint32_t>(bin_of(static_cast<double>(x[i])));
  }
};
struct widened_at {
  const float* x;
  __device__ double operator()(std::size_t i) const { return x[i]; }
};

}  // namespace heddle::gpu
