#pragma once

#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/operators.hpp>

namespace heddle::gpu {

/// The sum of the values of the block's threads before this one, and of all of them in *total. Threads is how
/// many the block has; all of them call it.
template <unsigned Threads>
__device__ unsigned exclusive_sum_of_block(unsigned value, unsigned* total) {
  __shared__ unsigned of_warp[Threads / warp_size];
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const unsigned in_warp = scan_warp(value, plus{});
  if (lane == warp_size - 1) of_warp[warp] = in_warp;
  __syncthreads();
  unsigned before = 0, all = 0;
  for (unsigned w = 0; w < Threads / warp_size; ++w) {
    before += w < warp ? of_warp[w] : 0;
    all += of_warp[w];
  }
  __syncthreads();
  *total = all;
  return before + in_warp - value;
}

}  // namespace heddle::gpu
