#pragma once

#include "core/unequal.hpp"
#include <heddle/impl/patterns/transform/gpu.cuh>
#include <heddle/shape.hpp>

#include <cstddef>

/// How argmin and argmax find where a known extremum is on the GPU.
namespace heddle::gpu {

/// Elements that a block searches.
inline constexpr std::size_t find_piece = 8 * transform_threads;

/// Finds, for each segment, the least k whose element equals the segment's extremum. `index` holds the
/// segment's length or more before. Reads every element.
template <class T>
__global__ void __launch_bounds__(transform_threads)
    find_first_equal(const T* x, axis_lines all, const T* extremum, unsigned long long* index) {
  const std::size_t count = all.elements();
  for (std::size_t i = std::size_t{blockIdx.x} * transform_threads + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * transform_threads) {
    const std::size_t row = i / all.inner;
    const std::size_t outer = row / all.length;
    const std::size_t segment = outer * all.inner + (i - row * all.inner);
    if (impl::is_unequal(x[i], extremum[segment])) continue;
    const unsigned long long k = row - outer * all.length;
    if (k < *static_cast<volatile unsigned long long*>(index + segment)) atomicMin(index + segment, k);
  }
}

}  // namespace heddle::gpu
