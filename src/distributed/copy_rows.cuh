#pragma once

#include <cstddef>

namespace heddle::gpu {

inline constexpr unsigned copy_rows_threads = 256;

/// Copies rows of `units` words. Both pitches are in words.
template <class Word>
__global__ void __launch_bounds__(copy_rows_threads)
    copy_rows(Word* to, std::size_t to_pitch, const Word* from, std::size_t from_pitch, std::size_t units,
              std::size_t rows) {
  const std::size_t stride = std::size_t{gridDim.x} * copy_rows_threads;
  for (std::size_t i = std::size_t{blockIdx.x} * copy_rows_threads + threadIdx.x; i < units * rows;
       i += stride) {
    const std::size_t row = units == 1 ? i : i / units, at = i - row * units;
    to[row * to_pitch + at] = from[row * from_pitch + at];
  }
}

}  // namespace heddle::gpu
