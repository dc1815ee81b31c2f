#pragma once

#include <heddle/array.hpp>
#include <heddle/cuda/launch.cuh>
#include <heddle/cuda/warp.cuh>
#include <heddle/grouping.hpp>

#include <cstddef>

/// Scans of strips behind what stands before them: short rows a warp to a row, columns a thread to a strip.
namespace heddle::cuda {

inline constexpr std::size_t column_strip = 512;
inline constexpr unsigned scan_threads = 256;

/// What stands before a strip: nothing at the start of a segment without initial value.
template <class T>
struct strip_prefixes {
  const T* prefixes;  ///< one for each strip; null when each segment is one strip
  bool first_has_one;
  bool has_init;
  T init;  ///< used where `prefixes` is null

  __device__ bool exist_for(const grouping::piece& piece) const {
    return prefixes != nullptr ? piece.segment_part > 0 || first_has_one : has_init;
  }
  __device__ T at(std::size_t result) const { return prefixes != nullptr ? prefixes[result] : init; }
};

/// Scans strips of neighbours behind their prefixes, a warp to a strip.
template <bool Exclusive, class T, class Load, class Op>
__global__ void __launch_bounds__(scan_threads)
    scan_rows(Load load, Op op, grouping::tiling strips, strip_prefixes<T> before, T* out) {
  constexpr unsigned warps = scan_threads / warp_size;
  const unsigned thread = threadIdx.x % warp_size;
  const std::size_t pieces = strips.pieces();
  for (std::size_t p = std::size_t{blockIdx.x} * warps + threadIdx.x / warp_size; p < pieces;
       p += std::size_t{gridDim.x} * warps) {
    const grouping::piece piece = strips[p];
    const unsigned count = static_cast<unsigned>(piece.count);
    bool has_carry = before.exist_for(piece);
    grouping::uninitialized<T, 1> carry;
    if (has_carry) carry[0] = before.at(piece.result);
    for (unsigned row = 0; row < count; row += warp_size) {
      const unsigned last = min(count - row, warp_size) - 1;
      T value = scan_warp(load(piece.first + row + min(thread, last)), op);
      if (has_carry) value = op(carry[0], value);
      if constexpr (Exclusive) {
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

/// Totals of strips of columns side by side, a thread to a strip of a column.
template <class T, class Load, class Op>
__global__ void __launch_bounds__(scan_threads)
    total_columns(Load load, Op op, grouping::tiling strips, T* totals) {
  const std::size_t pieces = strips.pieces();
  for (std::size_t p = std::size_t{blockIdx.x} * scan_threads + threadIdx.x; p < pieces;
       p += std::size_t{gridDim.x} * scan_threads) {
    const grouping::piece piece = strips[p];
    T total = load(piece.first);
    for (std::size_t k = 1; k < piece.count; ++k) total = op(total, load(piece.first + k * piece.stride));
    totals[piece.result] = total;
  }
}

/// Scans strips of columns behind their prefixes, a thread to a strip of a column.
template <bool Exclusive, class T, class Load, class Op>
__global__ void __launch_bounds__(scan_threads)
    scan_columns(Load load, Op op, grouping::tiling strips, strip_prefixes<T> before, T* out) {
  const std::size_t pieces = strips.pieces();
  for (std::size_t p = std::size_t{blockIdx.x} * scan_threads + threadIdx.x; p < pieces;
       p += std::size_t{gridDim.x} * scan_threads) {
    const grouping::piece piece = strips[p];
    bool has_carry = before.exist_for(piece);
    grouping::uninitialized<T, 1> carry;
    if (has_carry) carry[0] = before.at(piece.result);
    std::size_t i = piece.first;
    for (std::size_t k = 0; k < piece.count; ++k, i += piece.stride) {
      const T x = load(i);  // before out[i], which may be the same element
      if (Exclusive && has_carry) out[i] = carry[0];
      carry[0] = has_carry ? op(carry[0], x) : x;
      has_carry = true;
      if (!Exclusive) out[i] = carry[0];
    }
  }
}

}  // namespace heddle::cuda
