#pragma once

#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>

#include <bit>
#include <cstddef>
#include <cstdint>

/// Rows that are short: they are neighbours in memory, so a warp brings several of them to shared memory at
/// once, in granules of 16 bytes, and works on each there.
namespace heddle::gpu {

inline constexpr unsigned short_rows_warps = 4;

/// How a warp takes rows of `length` elements.
struct short_rows {
  std::size_t rows;
  unsigned length;
  unsigned at_once;     ///< rows that a warp brings at a time
  unsigned log2_group;  ///< of the number of lanes that share a row, a power of two

  /// Shared memory of a warp: the rows, what else is in their first and last granule, and one to shift from.
  template <class T>
  HD_INLINE unsigned stage_bytes() const {
    return (at_once * length * static_cast<unsigned>(sizeof(T)) + 48) / 16 * 16;
  }
};

/// Rows of `length` elements of T, each shared by a group of lanes, for warps that bring about 4 KiB at a
/// time, or 2 KiB where more would leave multiprocessors without any; `rows` is a whole number of steps where
/// there are several.
template <class T>
short_rows shape_short_rows(std::size_t rows, std::size_t length, unsigned group) {
  short_rows shape{rows, static_cast<unsigned>(length), 0, static_cast<unsigned>(std::countr_zero(group))};
  const std::size_t row = length * sizeof(T), wanted = rows * row < (std::size_t{1} << 24) ? 2048 : 4096;
  const unsigned a_step = warp_size / group;
  const std::size_t steps = wanted / (row * a_step);
  shape.at_once = a_step * static_cast<unsigned>(steps > 1 ? steps : 1);
  return shape;
}

/// Launches `kernel(arguments…)` with a warp for each few rows.
template <class T, class... Parameters, class... Arguments>
void launch_short_rows(const target& where, void (*kernel)(Parameters...), const char* name,
                       const short_rows& shape, const Arguments&... arguments) {
  const unsigned grid = grid_for(shape.rows, std::size_t{shape.at_once} * short_rows_warps);
  kernel<<<grid, short_rows_warps * warp_size, short_rows_warps * shape.stage_bytes<T>(), where.stream()>>>(
      arguments...);
  check(cudaGetLastError(), name);
}

/// Brings elements of an array of n to shared memory, and returns where the first of them is.
template <class T>
__device__ T* load_elements(const T* x, std::size_t n, std::size_t first, unsigned count,
                            unsigned char* stage) {
  const unsigned lane = threadIdx.x % warp_size;
  const auto begin = reinterpret_cast<std::uintptr_t>(x), end = begin + n * sizeof(T);
  const std::uintptr_t from = begin + first * sizeof(T);
  const auto past = static_cast<unsigned>(from & 15);
  const std::uintptr_t first_vec16 = from - past;
  const unsigned vectors = (past + count * static_cast<unsigned>(sizeof(T)) + 15) / 16;
  // What shares its granule with foreign bytes: the first or the last of the array.
  const std::uintptr_t last_vec16 = first_vec16 + 16 * std::uintptr_t{vectors} - 16;
  const bool has_first = first_vec16 >= begin, has_last = last_vec16 + 16 <= end;
  const unsigned whole = has_last ? vectors : vectors - (vectors > 0);
  constexpr unsigned at_once = 4;
  for (unsigned g = lane + !has_first; g < whole; g += at_once * warp_size) {
    const uint4* const vector = reinterpret_cast<const uint4*>(first_vec16) + g;
    uint4 bits[at_once];
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      if (g + k * warp_size < whole) bits[k] = vector[k * warp_size];
    }
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      if (g + k * warp_size < whole) reinterpret_cast<uint4*>(stage)[g + k * warp_size] = bits[k];
    }
  }
  if (lane == 0 && !has_first) copy_part_of_vec16(stage, first_vec16, begin, end);
  if (lane == 0 && vectors > 0 && !has_last)
    copy_part_of_vec16(stage + (last_vec16 - first_vec16), last_vec16, begin, end);
  __syncwarp();
  return reinterpret_cast<T*>(stage + past);
}

}  // namespace heddle::gpu
