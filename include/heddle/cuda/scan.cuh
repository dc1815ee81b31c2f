#pragma once

#include <heddle/array.hpp>
#include <heddle/cuda/launch.cuh>
#include <heddle/cuda/warp.cuh>
#include <heddle/elementwise.hpp>
#include <heddle/grouping.hpp>

#include <cstddef>

/// Scan on a GPU in three steps: the totals of strips of 512 elements, a scan of the totals, and a scan of
/// each strip behind its prefix. A warp takes a strip of neighbours as sixteen rows of 32, each scanned by
/// shuffles (Kogge and Stone 1973); along an axis with columns side by side a thread takes a strip of one
/// column. Reads twice, writes once.
namespace heddle::cuda {

inline constexpr std::size_t scan_strip = 512;
inline constexpr unsigned scan_threads = 256;

/// Element i of `row` combined with all before it in the warp.
template <class T, class Op>
__device__ T scan_warp(T value, const Op& op) {
  const unsigned thread = threadIdx.x % warp_size;
#pragma unroll
  for (unsigned distance = 1; distance < warp_size; distance *= 2) {
    const T before = shuffle_up(value, distance);
    if (thread >= distance) value = op(before, value);
  }
  return value;
}

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

/// Totals of strips of neighbours, a warp to a strip.
template <class T, class Load, class Op>
__global__ void __launch_bounds__(scan_threads)
    total_rows(Load load, Op op, grouping::tiling strips, T* totals) {
  constexpr unsigned warps = scan_threads / warp_size;
  const unsigned thread = threadIdx.x % warp_size;
  const std::size_t pieces = strips.pieces();
  for (std::size_t p = std::size_t{blockIdx.x} * warps + threadIdx.x / warp_size; p < pieces;
       p += std::size_t{gridDim.x} * warps) {
    const grouping::piece piece = strips[p];
    const unsigned count = static_cast<unsigned>(piece.count);
    grouping::uninitialized<T, 1> carry;
    for (unsigned row = 0; row < count; row += warp_size) {
      const unsigned last = min(count - row, warp_size) - 1;
      const T value = load(piece.first + row + min(thread, last));
      const T total = shuffle_from(scan_warp(value, op), last);
      carry[0] = row == 0 ? total : op(carry[0], total);
    }
    if (thread == 0) totals[piece.result] = carry[0];
  }
}

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
      T value = scan_warp<T>(load(piece.first + row + min(thread, last)), op);
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

/// Scans each of `all` segments of load(0), load(1), … into `out`, which load may read from at the same
/// index, on the GPU's stream. `init` is on the CPU; null for none, and then an exclusive scan leaves the
/// first outputs alone.
template <bool Exclusive, class T, class Load, class Op>
void scan(const target& where, const Load& load, const Op& op, segments all, const T* init, T* out) {
  const current_device on(where);
  const bool rows = all.inner == 1;
  const grouping::tiling strips{all, scan_strip, 1};
  const std::size_t pieces = strips.pieces();
  const unsigned grid = grid_for(pieces, rows ? scan_threads / warp_size : scan_threads);

  detail::memory held;
  grouping::uninitialized<strip_prefixes<T>, 1> before;
  before[0].prefixes = nullptr;
  before[0].first_has_one = before[0].has_init = init != nullptr;
  if (init != nullptr) memcpy(&before[0].init, init, sizeof(T));
  if (strips.parts() > 1) {
    held = detail::memory(pieces * sizeof(T), where);
    T* const totals = static_cast<T*>(held.data());
    if (rows) {
      total_rows<T><<<grid, scan_threads, 0, where.stream()>>>(load, op, strips, totals);
    } else {
      total_columns<T><<<grid, scan_threads, 0, where.stream()>>>(load, op, strips, totals);
    }
    check(cudaGetLastError(), "launch of the totals of a scan");
    scan<true, T>(where, detail::element_of_array<T>{totals}, op, strips.results(), init, totals);
    before[0].prefixes = totals;
  }
  if (rows) {
    scan_rows<Exclusive, T><<<grid, scan_threads, 0, where.stream()>>>(load, op, strips, before[0], out);
  } else {
    scan_columns<Exclusive, T><<<grid, scan_threads, 0, where.stream()>>>(load, op, strips, before[0], out);
  }
  check(cudaGetLastError(), "launch of a scan");
}

}  // namespace heddle::cuda
