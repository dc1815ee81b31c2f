#pragma once

#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>

#include <cstddef>
#include <cstdint>

namespace heddle::gpu {

/// Copies `count` elements of an array of n to shared memory, by a warp, and returns where the first of them
/// is. `stage` has room for them and for the rest of their first and last vector of 16 bytes.
template <class T>
__device__ T* load_elements(const T* x, std::size_t n, std::size_t first, unsigned count,
                            unsigned char* stage) {
  const unsigned lane = threadIdx.x % warp_size;
  const auto begin = reinterpret_cast<std::uintptr_t>(x), end = begin + n * sizeof(T);
  const std::uintptr_t from = begin + first * sizeof(T);
  const auto past = static_cast<unsigned>(from & 15);
  const std::uintptr_t first_vec16 = from - past;
  const unsigned vectors = (past + count * static_cast<unsigned>(sizeof(T)) + 15) / 16;
  // The first and the last vector of the array may have other bytes, which are not to be read.
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
  const auto copy_part = [&](unsigned char* to, std::uintptr_t vector) {
    *reinterpret_cast<uint4*>(to) = {};
    copy_part_of_vec16(to, vector, begin, end);
  };
  if (lane == 0 && !has_first) copy_part(stage, first_vec16);
  if (lane == 0 && vectors > 0 && !has_last && (has_first || vectors > 1))
    copy_part(stage + (last_vec16 - first_vec16), last_vec16);
  __syncwarp();
  return reinterpret_cast<T*>(stage + past);
}

}  // namespace heddle::gpu
