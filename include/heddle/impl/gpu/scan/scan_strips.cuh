#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/rows_in_vectors.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/order.hpp>

#include <cstddef>

/// Scans of short rows: packs of several by the lanes of a warp, or, of large elements, a warp to a row.
namespace heddle::gpu {

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
    scan_rows(Load load, Op op, order::tiling strips, bool exclusive, strip_prefixes<T> before, T* out) {
  constexpr unsigned warps = scan_threads / warp_size;
  const unsigned thread = threadIdx.x % warp_size;
  const std::size_t pieces = strips.pieces();
  for (std::size_t p = std::size_t{blockIdx.x} * warps + threadIdx.x / warp_size; p < pieces;
       p += std::size_t{gridDim.x} * warps) {
    const order::piece piece = strips[p];
    const unsigned count = static_cast<unsigned>(piece.count);
    bool has_carry = before.exist_for(piece.segment_part);
    order::uninitialized<T, 1> carry;
    if (has_carry) carry[0] = before.at(piece.result);
    for (unsigned row = 0; row < count; row += warp_size) {
      const unsigned last = min(count - row, warp_size) - 1;
      T value = scan_warp(load(piece.first + row + min(thread, last)), op);
      if (has_carry) value = op(carry[0], value);
      __syncwarp();  // what lanes repeat may be written by its own
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

/// Scans several rows by a warp: its lanes take packs side by side, in which rows begin anywhere.
template <class T, class Op>
__global__ void __launch_bounds__(rows_in_vectors_threads)
    scan_short_rows(const T* x, Op op, rows_for_warps shape, bool exclusive, strip_prefixes<T> before_rows,
                    T* out) {
  constexpr unsigned vector = items_per_vector<T>, across = warp_size * vector, ahead = 4;
  const unsigned lane = threadIdx.x % warp_size;
  const bool has_init = before_rows.has_init;
  const unsigned reach = shape.reach<T>();
  for_rows_of_warp(shape, [&](std::size_t first, unsigned count) {
    const T* const from = x + first;
    T* const to = out + first;
    // Elements are numbered from the granule on that the first of them is written to.
    const unsigned past = misalignment16(to);
    const bool writes_vectors = vectors_are_16_bytes<T> && past % sizeof(T) == 0;
    const bool reads_vectors = writes_vectors && misalignment16(from) == past;
    const unsigned skipped = writes_vectors ? past / static_cast<unsigned>(sizeof(T)) : 0;
    const unsigned end = skipped + count;
    const auto is_inside = [&](unsigned place) {
      return place - skipped < count && place + vector <= end;  // before the first they are large
    };
    const auto load = [&](unsigned place) {
      order::uninitialized<T, vector> read;
      if (reads_vectors && is_inside(place)) {
        copy_vector<T>(&read, from + (place - skipped));
      } else {
        // Places beyond the elements repeat one of them: nothing but elements is combined.
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) read[k] = from[min(max(place + k, skipped), end - 1) - skipped];
      }
      return read;
    };
    row_starts_in_vectors<vector> starts_of_lane(shape.length, skipped);
    order::uninitialized<T, 1> carry;
    for (unsigned begin = 0; begin < end; begin += ahead * across) {
      order::uninitialized<T, vector> held[ahead];
#pragma unroll
      for (unsigned r = 0; r < ahead; ++r) {
        if (begin + r * across < end) held[r] = load(begin + r * across + lane * vector);
      }
      __syncwarp();  // what lanes repeat may be written by its own
#pragma unroll
      for (unsigned r = 0; r < ahead; ++r) {
        if (begin + r * across >= end) break;
        auto& here = held[r];
        const unsigned starts = starts_of_lane.take();
        const auto is_start = [&](unsigned k) { return (starts >> k & 1) != 0; };
        const bool has_start = (starts & ((1u << vector) - 1)) != 0;
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) {
          here[k] = impl::lift<Op>(here[k]);
          if (has_init && is_start(k)) here[k] = op(before_rows.init, here[k]);
          if (k > 0 && !is_start(k)) here[k] = op(here[k - 1], here[k]);
        }
        // Each lane is combined with those before it, back to the one in which its last row begins.
        T sum = here[vector - 1];
        if (begin + r == 0) carry[0] = sum;  // an element, for places before the first row
        if (lane == 0 && !has_start) sum = op(carry[0], sum);
        sum = scan_rows_of_lanes(sum, __ballot_sync(whole_warp, has_start), reach, op);
        const T left = shuffle_up(sum, 1);
        const T before = lane > 0 ? left : carry[0];
        carry[0] = shuffle_from(sum, warp_size - 1);
        const unsigned continued = __ffs(starts) - 1u;  // elements of the row before
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) {
          if (k < continued) here[k] = op(before, here[k]);
        }
        if (exclusive) {
#pragma unroll
          for (unsigned k = vector; k-- > 0;) {
            if (!is_start(k)) here[k] = k > 0 ? here[k - 1] : before;
            if (is_start(k) && has_init) here[k] = before_rows.init;
          }
        }
        const unsigned place = begin + r * across + lane * vector;
        if (writes_vectors && is_inside(place)) {
          copy_vector<T>(to + (place - skipped), &here);
        } else {
#pragma unroll
          for (unsigned k = 0; k < vector; ++k) {
            if (place + k - skipped < count) to[place + k - skipped] = here[k];
          }
        }
      }
    }
  });
}

}  // namespace heddle::gpu
