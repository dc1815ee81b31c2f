#pragma once

#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/operators.hpp>

#include <cstddef>
#include <cstdint>

// Elements and operators of a user's own that the tests of Heddle's kernels combine.

using std::size_t;

/// x ↦ scale·x + shift modulo 2³². Composing such maps is associative and does not commute.
struct map_of_line {
  std::uint32_t scale, shift;
};
struct composition {
  HD_FN map_of_line operator()(map_of_line first, map_of_line then) const {
    return {first.scale * then.scale, first.shift * then.scale + then.shift};
  }
  template <class T>
  static HD_FN constexpr T identity() {
    return {1, 0};
  }
};

/// An element of 24 bytes, which no atomic of a processor takes.
struct three_sums {
  std::int64_t of[3];
};
struct add_three {
  static constexpr bool commutative = true;
  HD_FN three_sums operator()(const three_sums& a, const three_sums& b) const {
    return {{a.of[0] + b.of[0], a.of[1] + b.of[1], a.of[2] + b.of[2]}};
  }
};

/// As temp_storage has them: a counter that stands at 7, and words that launch 2 left.
__device__ inline heddle::gpu::tile_state states_of(unsigned long long* scratch) {
  return {reinterpret_cast<std::uint64_t*>(scratch + 16), scratch, 7, 3};
}
