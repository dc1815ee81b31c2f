#pragma once

/// What the lanes of a warp do together.
namespace heddle::gpu {

/// The values of all 32 lanes combined, in every lane. `op` is associative and commutative; lane i begins
/// with lane i ^ 16.
template <class T, class Op>
__device__ T combine_lanes(T value, const Op& op) {
#pragma unroll
  for (unsigned distance = 16; distance > 0; distance /= 2)
    value = op(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

}  // namespace heddle::gpu
