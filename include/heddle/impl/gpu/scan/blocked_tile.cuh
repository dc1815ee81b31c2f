#pragma once

#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/scan/striped_tile.cuh>
#include <heddle/impl/gpu/warp/packed16_op.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/order.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace heddle::gpu {

/// A warp's share of a tile in registers, in blocked order: each lane has up to `Most` consecutive vectors.
/// It takes fewer shuffles than striped_tile. Vectors are loaded from and stored to shared memory; an odd
/// number of them for each lane avoids bank conflicts.
template <class T, class Op, unsigned Most>
class blocked_tile {
 public:
  static constexpr unsigned vector = items_per_vector<T>, most_elements = warp_size * Most * vector;
  static constexpr bool is_packed = packed16_op<T, Op>::exist;

  __device__ blocked_tile(unsigned warp, unsigned vectors)
      : vectors_(vectors), warp_first_(warp * warp_size * vectors * vector) {}

  /// Warps past the tile's last element keep one vector, whose total is not used.
  __device__ void drop_rows_past(const placed_tile& tile) {
    if (warp_first_ >= tile.end()) vectors_ = 1;
  }

  /// From a tile in shared memory that begins at `from`; every 16 bytes that hold one of its elements may be
  /// read.
  __device__ void load(const T* from, const placed_tile& tile, bool, const Op& op) {
    const unsigned first = first_of_lane();
    if (is_whole(tile) && (!vectors_are_16_bytes<T> || misalignment16(from) == 0)) {
#pragma unroll
      for (unsigned j = 0; j < Most; ++j) {
        if (j < vectors_) copy_vector<T>(&run_[j], from + first + j * vector);
      }
      return;
    }
#pragma unroll
    for (unsigned j = 0; j < Most; ++j) {
      if (j < vectors_) load_places<true>(from, first + j * vector, tile, op, run_[j]);
    }
  }

  /// Scans each lane's elements, and computes its exclusive prefix in the warp. Returns the warp's total.
  __device__ T scan(const Op& op) {
    order::uninitialized<T, 1> last;
    [[maybe_unused]] std::uint32_t before = 0;
#pragma unroll
    for (unsigned j = 0; j < Most; ++j) {
      if (j >= vectors_) break;
      if constexpr (is_packed) {
        last[0] = scan_packed<T>(run_[j], before, op);
      } else {
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) {
          const T x = impl::lift<Op>(run_[j][k]);
          last[0] = run_[j][k] = j + k > 0 ? op(last[0], x) : x;
        }
      }
    }
    last[0] = scan_warp(last[0], op);
    before_[0] = shuffle_up(last[0], 1);
    return shuffle_from(last[0], warp_size - 1);
  }

  /// Combines the prefix of each lane with that of the warp.
  __device__ void prepend(const T& warps_before, const Op& op) {
    before_[0] = threadIdx.x % warp_size > 0 ? op(warps_before, before_[0]) : warps_before;
  }

  /// Stores the scanned elements, combined with `prefix` where there is one; without one the first element
  /// of an exclusive scan is undefined. Lanes exchange elements through `exchange`, `most_elements` of this
  /// warp alone, so that stores coalesce.
  __device__ void write(T* to, const placed_tile& tile, bool exclusive, bool has_prefix, T prefix,
                        const Op& op, T* exchange) {
    if constexpr (is_packed || tiles_are_vectors<T, Op>) {
      if (!has_prefix) prefix = order::neutral<T>(op);
      has_prefix = true;
    }
    const unsigned lane = threadIdx.x % warp_size;
    const bool is_first = first_of_lane() == 0, carries = has_prefix || !is_first;
    order::uninitialized<T, 1> carry, delayed;
    carry[0] = is_first ? prefix : has_prefix ? op(prefix, before_[0]) : before_[0];
    delayed[0] = carry[0];
    __syncwarp();
#pragma unroll
    for (unsigned j = 0; j < Most; ++j) {
      if (j >= vectors_) break;
      order::uninitialized<T, vector> result;
      if constexpr (is_packed) {
        vector_words scanned = prepend_packed(run_[j], carry[0], op);
        if (exclusive) delayed[0] = shift_right(delayed[0], scanned);
        memcpy(static_cast<void*>(&result), &scanned, sizeof scanned);
      } else {
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) result[k] = carries ? op(carry[0], run_[j][k]) : run_[j][k];
        if (exclusive) delayed[0] = shift_right(delayed[0], result);
      }
      copy_vector<T>(exchange + (lane * vectors_ + j) * vector, &result);
    }
    __syncwarp();
    const unsigned past = misalignment16(to), moved = places_moved<T, Op>(to);
    const bool shifted = moved > 0;
    to += warp_first_;
    if (is_whole(tile) && past == 0) {
      if constexpr (vectors_are_16_bytes<T>) {
#pragma unroll
        for (unsigned j = 0; j < Most; ++j) {
          if (j >= vectors_) break;
          const unsigned slot = (j * warp_size + lane) * vector;
          order::uninitialized<T, vector> x;
          copy_vector<T>(&x, exchange + slot);
          store_vector<T>(to + slot, x);
        }
      } else {
        // In 16-byte vectors too: elements one by one would be many more stores.
        for (unsigned g = lane; g < warp_size * vectors_ * sizeof(T) / 16; g += warp_size)
          __stwb(reinterpret_cast<uint4*>(to) + g, reinterpret_cast<const uint4*>(exchange)[g]);
      }
      return;
    }
    const unsigned begin = warp_first_ > 0 ? 0 : first_place<T, Op>(tile),
                   end = min(tile.end(), warp_end()) - min(tile.end(), warp_first_);
#pragma unroll
    for (unsigned j = 0; j < Most; ++j) {
      if (j >= vectors_) break;
      const unsigned slot = (j * warp_size + lane) * vector;
      if (slot < max(begin, moved)) {
        // The first vector of a tile or of a shifted warp.
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) {
          if (k >= begin && k < vector - moved && k < end) to[k] = exchange[k];
        }
        continue;
      }
      order::uninitialized<T, vector> x;
      load_vector<true>(exchange + (slot - moved), shifted ? 16 - past : 0, x);
      write_places(to, slot - moved, 0, end, tiles_are_vectors<T, Op> || shifted || past == 0, x);
    }
    if (lane < moved) {
      const unsigned place = warp_size * vectors_ * vector - moved + lane;
      if (place < end) to[place] = exchange[place];
    }
  }

 private:
  /// Whether an element is in every place of the warp.
  __device__ bool is_whole(const placed_tile& tile) const {
    return warp_first_ >= first_place<T, Op>(tile) && warp_end() <= tile.end();
  }
  __device__ unsigned first_of_lane() const {
    return warp_first_ + threadIdx.x % warp_size * vectors_ * vector;
  }
  __device__ unsigned warp_end() const { return warp_first_ + warp_size * vectors_ * vector; }

  unsigned vectors_, warp_first_;
  std::conditional_t<is_packed, vector_words, order::uninitialized<T, vector>> run_[Most];
  order::uninitialized<T, 1> before_;
};

}  // namespace heddle::gpu
