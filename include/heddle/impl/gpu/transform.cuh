#pragma once

#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/order.hpp>

#include <cstddef>

namespace heddle::gpu {

inline constexpr unsigned transform_threads = 256;
/// Elements that a thread computes.
inline constexpr unsigned transform_elements = 8;

template <class T, class F>
__global__ void __launch_bounds__(transform_threads) transform_elements_of(F f, std::size_t count, T* out) {
  constexpr unsigned block = transform_threads * transform_elements;
  const std::size_t stride = std::size_t{gridDim.x} * block;
  for (std::size_t first = std::size_t{blockIdx.x} * block; first < count; first += stride) {
    if (count - first >= block) {
      const std::size_t own = first + threadIdx.x;
      if constexpr (sizeof(T) <= 16) {
        // All are read before one is written, which may be where another is read: so many loads in flight
        // fill the memory's pipeline.
        order::uninitialized<T, transform_elements> result;
#pragma unroll
        for (unsigned k = 0; k < transform_elements; ++k) result[k] = f(own + k * transform_threads);
#pragma unroll
        for (unsigned k = 0; k < transform_elements; ++k) out[own + k * transform_threads] = result[k];
      } else {
        for (unsigned k = 0; k < transform_elements; ++k) {
          out[own + k * transform_threads] = f(own + k * transform_threads);
        }
      }
    } else {
      for (std::size_t i = first + threadIdx.x; i < count; i += transform_threads) out[i] = f(i);
    }
  }
}

/// out[i] = f(i) for `count` elements, on the GPU's stream. f(i) may read out[i], but no other element of
/// `out`.
template <class T, class F>
void transform(const target& where, const F& f, std::size_t count, T* out) {
  const current_device on(where);
  const unsigned grid = grid_for(count, transform_threads * transform_elements);
  transform_elements_of<T><<<grid, transform_threads, 0, where.stream()>>>(f, count, out);
  check(cudaGetLastError(), "launch of transform");
}

}  // namespace heddle::gpu
