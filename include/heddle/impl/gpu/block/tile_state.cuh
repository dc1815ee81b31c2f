#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/temp_storage.cuh>

#include <cstddef>
#include <cstdint>

/// How the blocks of a launch publish the aggregates of their tiles.
namespace heddle::gpu {

/// The aggregates of the tiles of one launch: each word has 32 bits of a value in its lower half, and the
/// number of the launch in its upper half.
struct tile_state {
  std::uint64_t* words;
  unsigned long long* tickets;      ///< taken since the memory was cleared
  unsigned long long first_ticket;  ///< of this launch
  std::uint32_t launch;             ///< its number

  /// Blocks take tiles in order, so that each waits only for tiles that running blocks have taken. Blocks
  /// start in any order: blockIdx would not do.
  __device__ std::size_t next_tile() const { return atomicAdd(tickets, 1ull) - first_ticket; }
};

inline tile_state states_in(const temp_storage& scratch) {
  return {scratch.words(), scratch.tickets(), scratch.first_ticket(), scratch.launch_number()};
}

/// 32-bit words of an element, each published with the number of the launch.
template <class T>
inline constexpr unsigned words_of = (sizeof(T) + 3) / 4;

// Relaxed atomics of device scope.
__device__ inline void store_relaxed(std::uint64_t* to, std::uint64_t word) {
#if HD_PTX_ARCH > 0
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
#else
  *static_cast<volatile std::uint64_t*>(to) = word;
#endif
}
__device__ inline std::uint64_t load_relaxed(const std::uint64_t* from) {
#if HD_PTX_ARCH > 0
  std::uint64_t word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
#else
  return *static_cast<const volatile std::uint64_t*>(from);
#endif
}

template <class T>
__device__ void publish_aggregate(const tile_state& states, std::size_t tiles, std::size_t tile,
                                  const T& value) {
  std::uint32_t bits[words_of<T>] = {};
  memcpy(bits, &value, sizeof(T));
#pragma unroll
  for (unsigned w = 0; w < words_of<T>; ++w) {
    const std::uint64_t word = std::uint64_t{states.launch} << 32 | bits[w];
    store_relaxed(states.words + w * tiles + tile, word);
  }
}

/// Waits for the aggregates of `count` tiles from `first` on: lane l gets those of tiles l, l + 32, ….
/// Elements beyond the tiles repeat another, so that the operator sees nothing else. The warp polls every
/// `pause_ns` nanoseconds.
template <unsigned Rows, class T>
__device__ void wait_aggregates(const tile_state& states, std::size_t tiles, std::size_t first,
                                unsigned count, unsigned pause_ns, order::uninitialized<T, Rows>& total) {
  const unsigned lane = threadIdx.x % warp_size;
  std::uint32_t bits[Rows][words_of<T>];
  unsigned missing = 0;
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) missing |= (r * warp_size < count ? 1u : 0u) << r;
  while (true) {
    std::uint64_t word[Rows][words_of<T>];
    // All loads are in flight before the first is used.
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      if ((missing >> r & 1) == 0) continue;
#pragma unroll
      for (unsigned w = 0; w < words_of<T>; ++w) {
        const std::size_t tile = first + min(r * warp_size + lane, count - 1);
        word[r][w] = load_relaxed(states.words + w * tiles + tile);
      }
    }
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      if ((missing >> r & 1) == 0) continue;
      bool there = true;
#pragma unroll
      for (unsigned w = 0; w < words_of<T>; ++w) {
        there = there && static_cast<std::uint32_t>(word[r][w] >> 32) == states.launch;
        bits[r][w] = static_cast<std::uint32_t>(word[r][w]);
      }
      if (there) missing &= ~(1u << r);
    }
    if (missing == 0) break;
    if (pause_ns > 0) __nanosleep(pause_ns);
  }
  __syncwarp();
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    if (r * warp_size < count) {
      memcpy(&total[r], bits[r], sizeof(T));
    } else {
      total[r] = total[0];
    }
  }
}

/// Waits until `count` values, from `first` on and `apart` from each other, have been published; elements
/// beyond them repeat the last.
template <unsigned Most, class T>
__device__ void wait_values(const tile_state& states, std::size_t values, std::size_t first, unsigned apart,
                            unsigned count, order::uninitialized<T, Most>& value) {
  constexpr unsigned pause_ns = 32;
  const std::uint64_t* const begin = states.words + first;
  std::uint64_t word[Most][words_of<T>];
  while (true) {
    bool there = true;
    // All loads are in flight before the first is used.
#pragma unroll
    for (unsigned k = 0; k < Most; ++k) {
#pragma unroll
      for (unsigned w = 0; w < words_of<T>; ++w)
        word[k][w] = load_relaxed(begin + (w * values + min(k, count - 1) * apart));
    }
#pragma unroll
    for (unsigned k = 0; k < Most; ++k) {
#pragma unroll
      for (unsigned w = 0; w < words_of<T>; ++w)
        there = there && static_cast<std::uint32_t>(word[k][w] >> 32) == states.launch;
    }
    if (there) break;
    __nanosleep(pause_ns);
  }
#pragma unroll
  for (unsigned k = 0; k < Most; ++k) {
    std::uint32_t bits[words_of<T>];
#pragma unroll
    for (unsigned w = 0; w < words_of<T>; ++w) bits[w] = static_cast<std::uint32_t>(word[k][w]);
    memcpy(&value[k], bits, sizeof(T));
  }
}

}  // namespace heddle::gpu
