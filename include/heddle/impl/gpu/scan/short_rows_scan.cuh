#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/rows_in_vectors.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/order.hpp>

#include <cstddef>

/// Scans of short rows, several to a warp.
namespace heddle::gpu {

/// The exclusive prefixes of parts of segments: none at the start of a segment without initial value.
template <class T>
struct segment_prefixes {
  const T* prefixes;  ///< one for each part; null when each segment is one part
  bool first_has_one;
  bool has_init;
  T init;  ///< used where `prefixes` is null

  __device__ bool exist_for(std::size_t part_of_segment) const {
    return prefixes != nullptr ? part_of_segment > 0 || first_has_one : has_init;
  }
  __device__ T at(std::size_t result) const { return prefixes != nullptr ? prefixes[result] : init; }
};

/// The prefix of whole segments: `init`, which is on the CPU, or none where it is null.
template <class T>
order::uninitialized<segment_prefixes<T>, 1> prefix_of_first(const T* init) {
  order::uninitialized<segment_prefixes<T>, 1> before;
  before[0].prefixes = nullptr;
  before[0].first_has_one = before[0].has_init = init != nullptr;
  if (init != nullptr) memcpy(&before[0].init, init, sizeof(T));
  return before;
}

/// Scans several rows by a warp. Its lanes take consecutive vectors, in which rows begin anywhere; an element
/// of more than 16 bytes is a vector by itself.
template <class T, class Op>
__global__ void __launch_bounds__(rows_in_vectors_threads)
    scan_short_rows(const T* x, Op op, rows_for_warps shape, bool exclusive, segment_prefixes<T> before_rows,
                    T* out) {
  constexpr unsigned vector = items_per_vector<T>, across = warp_size * vector;
  constexpr unsigned ahead = sizeof(T) <= 16 ? 4 : 1;
  const unsigned lane = threadIdx.x % warp_size;
  const bool has_init = before_rows.has_init;
  const unsigned reach = shape.reach<T>();
  for_rows_of_warp(shape, [&](std::size_t first, unsigned count) {
    const T* const from = x + first;
    T* const to = out + first;
    // Elements are numbered from the 16-byte vector to which the first of them is written.
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
