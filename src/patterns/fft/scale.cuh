#pragma once

#include <heddle/impl/gpu/arch/launch.cuh>

#include <cstddef>

namespace heddle::gpu {

inline constexpr unsigned scale_threads = 256;

/// Reals that are loaded and stored at once.
template <class T>
struct alignas(16) sixteen_bytes {
  T values[16 / sizeof(T)];
};

/// Scales `count` reals in place, 16 bytes a thread. It starts at the end, because the last elements were
/// written last and may still be in the cache.
template <class T>
__global__ void __launch_bounds__(scale_threads) scale(T* x, std::size_t count, T factor) {
  constexpr unsigned width = 16 / sizeof(T);
  grid_dependency_sync();
  const std::size_t whole = count / width, turn = std::size_t{blockIdx.x} * scale_threads + threadIdx.x;
  if (turn < whole) {
    auto* const vector = reinterpret_cast<sixteen_bytes<T>*>(x) + (whole - 1 - turn);
    sixteen_bytes<T> values = *vector;
#pragma unroll
    for (T& value : values.values) value *= factor;
    *vector = values;
  } else if (turn == whole) {
    for (std::size_t i = whole * width; i < count; ++i) x[i] *= factor;
  }
}

}  // namespace heddle::gpu
