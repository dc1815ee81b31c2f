#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/packed16_op.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/order.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// A tile of a scan: its place in the input, and how a warp scans its share in registers, in striped order.
namespace heddle::gpu {

/// Whether tiles begin at multiples of 16 bytes of the output wherever rows begin, with places before the
/// first element: only where every grouping gives the same bits.
template <class T, class Op>
inline constexpr bool tiles_are_vectors =
    order::order_is_free<T, Op> && vectors_are_16_bytes<T> && naturally_aligned<T>;

/// What is scanned: rows of `length` elements, each cut into `parts` tiles.
template <class T, class Op>
struct scan_work {
  const T* x;
  T* out;
  Op op;
  std::size_t rows, length, parts;
  unsigned rows_of_warp;  ///< that make a tile
  unsigned tile;          ///< elements of one
  bool exclusive, has_init;
  order::uninitialized<T, 1> init;
  tile_state states;

  HD_INLINE std::size_t tiles() const { return rows * parts; }
  /// Of a row with the most places before its first element.
  HD_INLINE std::size_t places() const {
    const bool begin_at_vec16 =
        reinterpret_cast<std::uintptr_t>(out) % 16 == 0 && (rows == 1 || length * sizeof(T) % 16 == 0);
    return length + (!tiles_are_vectors<T, Op> || begin_at_vec16 ? 0 : items_per_vector<T> - 1);
  }
};

struct placed_tile {
  std::size_t number;  ///< none when there are no more
  std::size_t part;    ///< its number in its row
  std::size_t first;   ///< its first element
  unsigned count;      ///< of its elements, none in the last tile of some rows
  unsigned skipped;    ///< places before its first element, fewer than in a vector
  bool ends_row;
  static constexpr std::size_t none = ~std::size_t{0};

  __device__ bool fills(unsigned places) const { return skipped == 0 && count == places; }
  __device__ unsigned end() const { return skipped + count; }  ///< of the places that have an element
};

template <class T, class Op>
__device__ placed_tile place_tile(const scan_work<T, Op>& work, std::size_t number) {
  const std::size_t row = work.rows == 1 ? 0 : number / work.parts;
  const std::size_t part = number - row * work.parts;
  unsigned skipped = 0;
  if constexpr (tiles_are_vectors<T, Op>)
    skipped = misalignment16(work.out + row * work.length) / static_cast<unsigned>(sizeof(T));
  const std::size_t begins = min(work.length, part > 0 ? part * work.tile - skipped : 0);
  if (part > 0) skipped = 0;
  const std::size_t left = work.length - begins, most = work.tile - skipped;
  return {number,  part,        row * work.length + begins, static_cast<unsigned>(min(left, most)),
          skipped, left <= most};
}

/// Rows of 32 that hold the aggregates of all tiles of small_scan().
inline constexpr unsigned rows_per_step = 4;

/// The first place of a tile that has an element.
template <class T, class Op>
__device__ unsigned first_place(const placed_tile& tile) {
  return tiles_are_vectors<T, Op> ? tile.skipped : 0;
}

/// Elements by which vectors are shifted so that stores are aligned to 16 bytes; 0 for no shift.
template <class T, class Op>
__device__ unsigned places_moved(const T* to) {
  const unsigned past = misalignment16(to);
  const bool moves = items_per_vector<T> > 1 && !tiles_are_vectors<T, Op> &&
                     (naturally_aligned<T> || past % static_cast<unsigned>(sizeof(T)) == 0);
  return moves ? past / static_cast<unsigned>(sizeof(T)) : 0;
}

/// The vector at a place of a tile that begins at `from`. Where there is no element it holds the identity,
/// or, where tiles are not aligned, repeats the last element.
template <bool Shifts, class T, class Op>
__device__ void load_places(const T* from, unsigned place, const placed_tile& tile, const Op& op,
                            order::uninitialized<T, items_per_vector<T>>& x) {
  constexpr unsigned vector = items_per_vector<T>;
  const unsigned begin = first_place<T, Op>(tile), end = tile.end();
  if (place >= begin && place + vector <= end)
    return load_vector<Shifts>(from + place, misalignment16(from), x);
#pragma unroll
  for (unsigned k = 0; k < vector; ++k) {
    if constexpr (tiles_are_vectors<T, Op>) {
      x[k] = place + k >= begin && place + k < end ? from[place + k] : order::neutral<T>(op);
    } else {
      x[k] = from[min(place + k, end - 1)];
    }
  }
}

template <bool Shifts, class T, class Op>
__device__ void load_places(const T* from, unsigned place, const placed_tile& tile, const Op& op,
                            vector_words& words) {
  order::uninitialized<T, items_per_vector<T>> x;
  load_places<Shifts>(from, place, tile, op, x);
  memcpy(&words, &x, sizeof words);
}

/// Stores the elements of a vector from the `first` one on, and below place `end`; `place` is the vector's.
template <class T>
__device__ void write_places(T* to, unsigned place, unsigned first, unsigned end, bool aligned,
                             const order::uninitialized<T, items_per_vector<T>>& x) {
  constexpr unsigned vector = items_per_vector<T>;
  if ((!vectors_are_16_bytes<T> || aligned) && first == 0 && place + vector <= end)
    return store_vector<T>(to + place, x);
#pragma unroll
  for (unsigned k = 0; k < vector; ++k) {
    if (k >= first && place + k < end) to[place + k] = x[k];
  }
}

/// A warp's share of a tile in registers, in striped order: up to `Rows` rows of 32 consecutive vectors.
/// `Shifts`: unaligned vectors are assembled from two aligned ones, so every 16 bytes that hold an element
/// may be read.
template <class T, class Op, unsigned Rows, bool Shifts>
class striped_tile {
 public:
  static constexpr unsigned vector = items_per_vector<T>, row_elements = warp_size * vector;
  static constexpr bool is_packed = packed16_op<T, Op>::exist;

  __device__ striped_tile(unsigned warp, unsigned rows)
      : rows_(rows), first_((warp * rows * warp_size + threadIdx.x % warp_size) * vector) {}

  /// Drops rows past the tile's last element, but for one, whose total is not used. Then compilers no longer
  /// know that all lanes have as many rows: not worth it where a block has one tile.
  __device__ void drop_rows_past(const placed_tile& tile) {
    const unsigned warp_first = first_ - threadIdx.x % warp_size * vector, end = tile.end();
    rows_ = max(1u, min(rows_, (end - min(end, warp_first) + row_elements - 1) / row_elements));
  }

  /// From a tile that begins at `from`; `whole` when every place of the warps has an element.
  __device__ void load(const T* from, const placed_tile& tile, bool whole, const Op& op) {
    if (whole && (!vectors_are_16_bytes<T> || misalignment16(from) == 0)) {
#pragma unroll
      for (unsigned r = 0; r < Rows; ++r) {
        if (r < rows_) copy_vector<T>(&row_[r], from + first_ + r * row_elements);
      }
      return;
    }
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      if (r >= rows_) break;
      load_places<Shifts>(from, first_ + r * row_elements, tile, op, row_[r]);
    }
  }

  /// Scans each vector, and computes its exclusive prefix in the warp. Returns the warp's total.
  __device__ T scan(const Op& op) {
    const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      if (r >= rows_) break;
      if constexpr (is_packed) {
        std::uint32_t before = 0;
        before_[r] = scan_warp(scan_packed<T>(row_[r], before, op), op);
      } else {
        row_[r][0] = impl::lift<Op>(row_[r][0]);
#pragma unroll
        for (unsigned k = 1; k < vector; ++k) row_[r][k] = op(row_[r][k - 1], impl::lift<Op>(row_[r][k]));
        before_[r] = scan_warp(row_[r][vector - 1], op);
      }
    }
    order::uninitialized<T, 1> total;
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      if (r >= rows_) break;
      const T row_total = shuffle_from(before_[r], warp_size - 1);
      before_[r] = shuffle_up(before_[r], 1);
      if (r > 0) before_[r] = lane > 0 ? op(total[0], before_[r]) : total[0];
      total[0] = r > 0 ? op(total[0], row_total) : row_total;
    }
    return total[0];
  }

  /// Combines the prefix of each vector with that of the warp.
  __device__ void prepend(const T& warps_before, const Op& op) {
    const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      if (r < rows_) before_[r] = r > 0 || lane > 0 ? op(warps_before, before_[r]) : warps_before;
    }
  }

  /// Stores the scanned elements, combined with `prefix` where there is one; without one the first element
  /// of an exclusive scan is undefined.
  __device__ void write(T* to, const placed_tile& tile, bool exclusive, bool has_prefix, T prefix,
                        const Op& op) const {
    if constexpr (is_packed || tiles_are_vectors<T, Op>) {
      if (!has_prefix) prefix = order::neutral<T>(op);
      has_prefix = true;
    }
    const unsigned begin = first_place<T, Op>(tile), end = tile.end();
    const unsigned lane = threadIdx.x % warp_size, past = misalignment16(to);
    const unsigned distance = places_moved<T, Op>(to);
    const bool shifted = distance > 0;
    order::uninitialized<T, vector> result;
    uint4 row_before{};
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      if (r >= rows_) break;
      const bool is_first = r == 0 && first_ == 0;
      order::uninitialized<T, 1> carry;
      carry[0] = before_[r];
      if (has_prefix) carry[0] = is_first ? prefix : op(prefix, before_[r]);
      if constexpr (is_packed) {
        vector_words scanned = prepend_packed(row_[r], carry[0], op);
        if (exclusive) shift_right(carry[0], scanned);
        memcpy(static_cast<void*>(&result), &scanned, sizeof scanned);
      } else {
        const bool carries = has_prefix || !is_first;
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) result[k] = carries ? op(carry[0], row_[r][k]) : row_[r][k];
        if (exclusive) shift_right(carry[0], result);
      }
      unsigned place = first_ + r * row_elements, skipped = is_first ? begin : 0;
      if constexpr (vector > 1 && !tiles_are_vectors<T, Op>) {
        if (shifted) {
          // An aligned vector of the output spans the vectors of two lanes.
          uint4 mine;
          memcpy(&mine, &result, 16);
          const uint4 offered = lane == warp_size - 1 ? row_before : mine;
          const uint4 vector =
              shifted_vec16<sizeof(T)>(shuffle_from(offered, (lane - 1) % warp_size), mine, 16 - past);
          row_before = mine;
          memcpy(static_cast<void*>(&result), &vector, 16);
          place -= distance;
          if (r == 0 && lane == 0) skipped = distance;
        }
      }
      write_places(to, place, skipped, end, tiles_are_vectors<T, Op> || shifted || past == 0, result);
    }
    if (shifted && lane == warp_size - 1) {
      memcpy(static_cast<void*>(&result), &row_before, 16);
      write_places(to, first_ + (rows_ - 1) * row_elements, vector - distance, end, false, result);
    }
  }

 private:
  unsigned rows_, first_;
  std::conditional_t<is_packed, vector_words, order::uninitialized<T, vector>> row_[Rows];
  order::uninitialized<T, Rows> before_;
};

}  // namespace heddle::gpu
