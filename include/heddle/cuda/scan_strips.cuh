#pragma once

#include <heddle/array.hpp>
#include <heddle/cuda/launch.cuh>
#include <heddle/cuda/short_rows.cuh>
#include <heddle/cuda/warp.cuh>
#include <heddle/grouping.hpp>

#include <cstddef>

/// Scans of short rows behind what stands before them, a warp or less to a row.
namespace heddle::cuda {

inline constexpr unsigned scan_threads = 256;

/// What stands before a strip: nothing at the start of a segment without initial value.
template <class T>
struct strip_prefixes {
  const T* prefixes;  ///< one for each strip; null when each segment is one strip
  bool first_has_one;
  bool has_init;
  T init;  ///< used where `prefixes` is null

  __device__ bool exist_for(std::size_t part_of_segment) const {
    return prefixes != nullptr ? part_of_segment > 0 || first_has_one : has_init;
  }
  __device__ T at(std::size_t result) const { return prefixes != nullptr ? prefixes[result] : init; }
};

/// Scans strips of neighbours behind their prefixes, a warp to a strip.
template <class T, class Load, class Op>
__global__ void __launch_bounds__(scan_threads)
    scan_rows(Load load, Op op, grouping::tiling strips, bool exclusive, strip_prefixes<T> before, T* out) {
  constexpr unsigned warps = scan_threads / warp_size;
  const unsigned thread = threadIdx.x % warp_size;
  const std::size_t pieces = strips.pieces();
  for (std::size_t p = std::size_t{blockIdx.x} * warps + threadIdx.x / warp_size; p < pieces;
       p += std::size_t{gridDim.x} * warps) {
    const grouping::piece piece = strips[p];
    const unsigned count = static_cast<unsigned>(piece.count);
    bool has_carry = before.exist_for(piece.segment_part);
    grouping::uninitialized<T, 1> carry;
    if (has_carry) carry[0] = before.at(piece.result);
    for (unsigned row = 0; row < count; row += warp_size) {
      const unsigned last = min(count - row, warp_size) - 1;
      T value = scan_warp(load(piece.first + row + min(thread, last)), op);
      if (has_carry) value = op(carry[0], value);
      if (exclusive) {
        const T left = shuffle_up(value, 1);
        if (thread <= last && (thread > 0 || has_carry)) {
          out[piece.first + row + thread] = thread > 0 ? left : carry[0];
        }
      } else {
        if (thread <= last) out[piece.first + row + thread] = value;
      }
      carry[0] = shuffle_from(value, last);
      has_carry = true;
    }
  }
}

/// Scans a pack of each lane of a group of lanes behind `carry`, and leaves in `carry` what stands behind the
/// group. Returns what stands before the lane's pack, where something does.
template <class T, class Op>
__device__ bool scan_group(grouping::uninitialized<T, scan_pack<T>>& x, unsigned group, bool has_carry,
                           T& carry, T& before, const Op& op) {
  constexpr unsigned pack = scan_pack<T>;
  const unsigned thread = threadIdx.x % group;
  x[0] = detail::lift<Op>(x[0]);
#pragma unroll
  for (unsigned k = 1; k < pack; ++k) x[k] = op(x[k - 1], detail::lift<Op>(x[k]));
  T sum = x[pack - 1];
  for (unsigned distance = 1; distance < group; distance *= 2) {
    const T left = shuffle_up(sum, distance);
    if (thread >= distance) sum = op(left, sum);
  }
  if (has_carry) sum = op(carry, sum);
  const T left = shuffle_up(sum, 1);
  const bool has_left = thread > 0 || has_carry;
  before = thread > 0 ? left : carry;
  carry = shuffle_from(sum, threadIdx.x % warp_size | (group - 1));
  return has_left;
}

/// Scans several rows at a time by a warp, each by a group of lanes.
template <class T, class Op>
__global__ void __launch_bounds__(short_rows_warps* warp_size)
    scan_short_rows(const T* x, Op op, short_rows shape, bool exclusive, strip_prefixes<T> before_rows,
                    T* out) {
  constexpr unsigned pack = scan_pack<T>;
  extern __shared__ __align__(128) unsigned char stages[];
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size, thread = lane % shape.group;
  unsigned char* const stage = stages + warp * shape.stage_bytes<T>();
  const std::size_t stride = std::size_t{gridDim.x} * short_rows_warps * shape.at_once;
  for (std::size_t base = (std::size_t{blockIdx.x} * short_rows_warps + warp) * shape.at_once;
       base < shape.rows; base += stride) {
    const std::size_t left = shape.rows - base;
    const unsigned rows = left < shape.at_once ? static_cast<unsigned>(left) : shape.at_once;
    T* const staged =
        bring_elements(x, shape.rows * shape.length, base * shape.length, rows * shape.length, stage);
    for (unsigned first = 0; first < rows; first += warp_size / shape.group) {
      const unsigned number = first + lane / shape.group;
      T* const row = staged + min(number, rows - 1) * shape.length;
      grouping::uninitialized<T, 1> carry;
      bool has_carry = before_rows.has_init;
      if (has_carry) carry[0] = before_rows.init;
      for (unsigned begin = 0; begin < shape.length; begin += shape.group * pack) {
        const unsigned place = begin + thread * pack;
        grouping::uninitialized<T, pack> values;
        if (place + pack <= shape.length) {
          load_pack<true>(row + place, bytes_past_granule(row + place), values);
        } else {
          // Places beyond the row repeat its last element: nothing but elements is combined.
#pragma unroll
          for (unsigned k = 0; k < pack; ++k) values[k] = row[min(place + k, shape.length - 1)];
        }
        __syncwarp();
        grouping::uninitialized<T, 2> before;  // the pack, and the element
        const bool has_before = scan_group(values, shape.group, has_carry, carry[0], before[0], op);
        has_carry = true;
        before[1] = before[0];
#pragma unroll
        for (unsigned k = 0; k < pack; ++k) {
          const T value = has_before ? op(before[0], values[k]) : values[k];
          if (number < rows && place + k < shape.length) row[place + k] = exclusive ? before[1] : value;
          before[1] = value;
        }
        __syncwarp();
      }
    }
    take_elements(staged, out + base * shape.length, rows * shape.length);
  }
}

}  // namespace heddle::cuda
