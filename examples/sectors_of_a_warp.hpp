// Device code of the examples on memory: how many sectors of 32 bytes, as memory is moved, a warp touches.
// They are counted from the addresses themselves, so the numbers are the same on a GPU and on a CPU.
// Nothing is to be changed here: see coalescing.cpp.
#pragma once

namespace examples {

inline constexpr char sectors_of_a_warp[] = R"(
// Sectors in which the elements begin that 32 lanes ask for at once; of lanes that share one, one counts.
__device__ int sectors_of_a_warp(const void* element) {
  const unsigned long long sector = (unsigned long long)element / 32;
  const unsigned same = __match_any_sync(0xffffffffu, sector);
  return __popc(__ballot_sync(0xffffffffu, threadIdx.x % 32 == __ffs(same) - 1));
}
)";

}  // namespace examples
