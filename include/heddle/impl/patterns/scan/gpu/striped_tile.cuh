#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/core/scan_order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/packed16_op.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/patterns/scan/gpu/tuning.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// A tile of a scan: its range of the input, and how a warp scans its share in registers.
namespace heddle::gpu {

/// Whether tiles begin at multiples of 16 bytes of the output wherever rows begin, with padding before the
/// first element: only where every grouping gives the same bits.
template <class T, class Op>
inline constexpr bool tiles_are_vectors =
    order::order_is_free<T, Op> && vectors_are_16_bytes<T> && naturally_aligned<T>;

/// The parameters of a scan: rows of `length` elements, each cut into `parts` tiles.
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
  /// The length of a row with the most padding before its first element.
  HD_INLINE std::size_t padded_length() const {
    const bool begin_at_vec16 =
        reinterpret_cast<std::uintptr_t>(out) % 16 == 0 && (rows == 1 || length * sizeof(T) % 16 == 0);
    return length + (!tiles_are_vectors<T, Op> || begin_at_vec16 ? 0 : items_per_vector<T> - 1);
  }
};

struct tile_range {
  std::size_t number;  ///< none when there are no more
  std::size_t part;    ///< the tile's number in its row
  std::size_t first;   ///< the tile's first element
  unsigned count;      ///< elements of the tile; none in the last tile of some rows
  unsigned skipped;    ///< elements of padding before its first element, fewer than in a vector
  bool ends_row;
  static constexpr std::size_t none = ~std::size_t{0};

  __device__ bool fills(unsigned positions) const { return skipped == 0 && count == positions; }
  __device__ unsigned end() const { return skipped + count; }  ///< the position after its last element
};

template <class T, class Op>
__device__ tile_range range_of_tile(const scan_work<T, Op>& work, std::size_t number) {
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

/// The first position of a tile that has an element.
template <class T, class Op>
__device__ unsigned first_position(const tile_range& tile) {
  return tiles_are_vectors<T, Op> ? tile.skipped : 0;
}

/// Loads the elements of a lane, `Vector` of them, where those that fill 16 bytes are aligned.
template <bool IsShared, class T, std::size_t Vector>
__device__ void load_aligned_lane(const T* from, order::uninitialized<T, Vector>& x) {
  constexpr unsigned bytes = Vector * sizeof(T);
  if constexpr (IsShared && vectors_are_16_bytes<T> && (bytes == 32 || bytes == 64)) {
    vectors_of_lane<bytes / 16> read;
    read.load(reinterpret_cast<const uint4*>(from));
    memcpy(static_cast<void*>(&x), &read, bytes);
  } else {
#pragma unroll
    for (unsigned k = 0; k < Vector; k += items_per_vector<T>) copy_vector<T>(&x[k], from + k);
  }
}

/// The same for any alignment. `Shifts`: see load_vector().
template <bool Shifts, class T, std::size_t Vector>
__device__ void load_lane(const T* from, order::uninitialized<T, Vector>& x) {
  constexpr unsigned piece = items_per_vector<T>;
  const unsigned past = vectors_are_16_bytes<T> ? misalignment16(from) : 0;
#pragma unroll
  for (unsigned k = 0; k < Vector; k += piece) {
    order::uninitialized<T, piece> read;
    load_vector<Shifts>(from + k, past, read);
#pragma unroll
    for (unsigned i = 0; i < piece; ++i) x[k + i] = read[i];
  }
}

/// The vector at a position of a tile that begins at `from`. Where there is no element it holds the identity,
/// or, where tiles are not aligned, repeats the last element.
template <bool Shifts, class T, class Op, std::size_t Vector>
__device__ void load_padded(const T* from, unsigned position, const tile_range& tile, const Op& op,
                            order::uninitialized<T, Vector>& x) {
  const unsigned begin = first_position<T, Op>(tile), end = tile.end();
  if (position >= begin && position + Vector <= end) return load_lane<Shifts>(from + position, x);
#pragma unroll
  for (unsigned k = 0; k < Vector; ++k) {
    if constexpr (tiles_are_vectors<T, Op>) {
      x[k] = position + k >= begin && position + k < end ? from[position + k] : order::identity<T>(op);
    } else {
      x[k] = from[min(position + k, end - 1)];
    }
  }
}

template <bool Shifts, class T, class Op>
__device__ void load_padded(const T* from, unsigned position, const tile_range& tile, const Op& op,
                            vector_words& words) {
  order::uninitialized<T, items_per_vector<T>> x;
  load_padded<Shifts>(from, position, tile, op, x);
  memcpy(&words, &x, sizeof words);
}

/// Stores the elements of a lane from position `begin` on and below `end`; `position` is that of the first.
template <class T, std::size_t Vector>
__device__ void store_lane(T* to, unsigned position, unsigned begin, unsigned end,
                           const order::uninitialized<T, Vector>& x) {
  if constexpr (Vector * sizeof(T) == 16) {
    if (position >= begin && position + Vector <= end) {
      uint4 bits;
      memcpy(&bits, &x, 16);
      // nvcc splits a plain store of 16 bytes where stores to neighbouring addresses follow.
      return __stwb(reinterpret_cast<uint4*>(to), bits);
    }
  }
#pragma unroll
  for (unsigned k = 0; k < Vector; ++k) {
    if (position + k >= begin && position + k < end) to[k] = x[k];
  }
}

/// Stores the rows of a warp through shared memory.
template <class T>
class row_writer {
 public:
  /// `to` is the address of the warp's first element, `begin` and `end` those of elements of the tile.
  __device__ row_writer(T* to, int begin, int end, unsigned char* exchange)
      : to_(reinterpret_cast<unsigned char*>(to)),
        exchange_(exchange),
        past_(misalignment16(to)),
        begin_(begin * size),
        end_(end * size) {}

  /// The lane's elements of the next row.
  template <std::size_t Vector>
  __device__ void write(const order::uninitialized<T, Vector>& x) {
    const unsigned lane = threadIdx.x % warp_size;
    auto* const row = reinterpret_cast<uint4*>(exchange_ + 16);
    __syncwarp();
    if (past_ > 0) {
      if (lane == 0) row[-1] = row_ > 0 ? row[row_vectors - 1] : uint4{};
      __syncwarp();
    }
    if constexpr (Vector * sizeof(T) == 16 || Vector * sizeof(T) == 32 || Vector * sizeof(T) == 64) {
      vectors_of_lane<Vector * sizeof(T) / 16> written;
      memcpy(&written, &x, sizeof written);
      written.store(row + lane * (Vector * sizeof(T) / 16));
    } else {
#pragma unroll
      for (unsigned k = 0; k < Vector; ++k) reinterpret_cast<T*>(row)[lane * Vector + k] = x[k];
    }
    __syncwarp();
    for (unsigned v = lane; v < row_vectors; v += warp_size)
      store(static_cast<int>(16 * v - past_), past_ > 0 ? row[static_cast<int>(v) - 1] : uint4{}, row[v],
            end_);
    row_ += row_bytes;
  }

  /// After the last row.
  __device__ void finish() {
    if (past_ > 0 && threadIdx.x % warp_size == 0)
      store(-static_cast<int>(past_), reinterpret_cast<const uint4*>(exchange_)[row_vectors], uint4{},
            min(end_, row_));
  }

 private:
  static constexpr int size = sizeof(T);
  static constexpr unsigned row_bytes = exchange_bytes<T> - 16, row_vectors = row_bytes / 16;

  /// Stores 16 bytes from `first` on in the row, those below `most`: the last ones of `low` and the first of
  /// `high`.
  __device__ void store(int first, const uint4& low, const uint4& high, int most) {
    constexpr int unit = alignof(T) < 16 ? alignof(T) : 16;
    const uint4 bits = past_ == 0 ? high : shifted_vec16<unit>(low, high, 16 - past_);
    const int begin = row_ + first, least = begin_ > 0 ? begin_ : 0;
    if (begin >= least && begin + 16 <= most) {
      // nvcc splits a plain store of 16 bytes where stores to neighbouring addresses follow.
      return __stwb(reinterpret_cast<uint4*>(to_ + begin), bits);
    }
    unsigned char byte[16];
    memcpy(byte, &bits, 16);
#pragma unroll
    for (int b = 0; b < 16; b += unit) {
      if (begin + b >= least && begin + b < most) memcpy(to_ + begin + b, byte + b, unit);
    }
  }

  unsigned char *to_, *exchange_;
  unsigned past_;
  int begin_, end_, row_ = 0;
};

/// A warp's share of a tile in registers: up to `Rows` rows of 32 vectors, a power of two of them where the
/// order makes a difference, but for the last warps of a tile. `Shifts`: unaligned vectors are assembled from
/// two aligned ones, so every 16 bytes that hold an element may be read.
template <class T, class Op, unsigned Rows, bool Shifts>
class striped_tile {
 public:
  static constexpr unsigned vector = order::scan_vector<T>, row_elements = warp_size * vector;
  static constexpr bool is_packed = packed16_op<T, Op>::exist;
  static_assert(order::has_padding<T, Op> || !is_packed, "packed elements need one before the first");

  __device__ striped_tile(unsigned warp, unsigned rows)
      : rows_(rows), first_((warp * rows * warp_size + threadIdx.x % warp_size) * vector) {}

  /// Drops rows after the tile's last element, but keeps at least one, whose total is not used. Compilers
  /// then no longer know that all lanes have as many rows: not worth it where a block has one tile.
  __device__ void drop_rows_past(const tile_range& tile) {
    const unsigned warp_first = first_ - threadIdx.x % warp_size * vector, end = tile.end();
    rows_ = max(1u, min(rows_, (end - min(end, warp_first) + row_elements - 1) / row_elements));
  }

  /// From a tile that begins at `from`; `whole` when every position of the warps has an element.
  __device__ void load(const T* from, const tile_range& tile, bool whole, const Op& op) {
    if (whole && (!vectors_are_16_bytes<T> || misalignment16(from) == 0)) {
#pragma unroll
      for (unsigned r = 0; r < Rows; ++r) {
        if (r >= rows_) break;
        if constexpr (is_packed) {
          copy_vector<T>(&row_[r], from + first_ + r * row_elements);
        } else {
          load_aligned_lane<Shifts>(from + first_ + r * row_elements, row_[r]);
        }
      }
      return;
    }
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      if (r >= rows_) break;
      load_padded<Shifts>(from, first_ + r * row_elements, tile, op, row_[r]);
    }
  }

  /// Scans each vector, and finds P of scan_order.hpp and the totals of blocks of rows. Returns the
  /// warp's total.
  __device__ T scan(const Op& op) {
    order::uninitialized<T, 1> total;
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      if (r >= rows_) break;
      order::uninitialized<T, 1> up_to;
      if constexpr (is_packed) {
        std::uint32_t before = 0;
        up_to[0] = scan_warp(scan_packed<T>(row_[r], before, op), op);
      } else {
        row_[r][0] = impl::lift<Op>(row_[r][0]);
#pragma unroll
        for (unsigned k = 1; k < vector; ++k) row_[r][k] = op(row_[r][k - 1], impl::lift<Op>(row_[r][k]));
        up_to[0] = scan_warp(row_[r][vector - 1], op);
      }
      block_[r] = shuffle_from(up_to[0], warp_size - 1);
      if constexpr (order::any_scan_order<T, Op>) total[0] = r > 0 ? op(total[0], block_[r]) : block_[r];
      if constexpr (vector == 1) {
        row_[r][0] = up_to[0];
      } else {
        before_[r] = shuffle_up(up_to[0], 1);
      }
    }
#pragma unroll
    for (unsigned size = 1; size < Rows; size *= 2) {
#pragma unroll
      for (unsigned r = 2 * size - 1; r < Rows; r += 2 * size) {
        if (r < rows_) block_[r] = op(block_[r - size], block_[r]);
      }
    }
    if constexpr (!order::any_scan_order<T, Op>) {
      total[0] = block_[0];
#pragma unroll
      for (unsigned size = 2; size <= Rows; size *= 2) {
        if (rows_ >= size) total[0] = block_[size - 1];
      }
    }
    return total[0];
  }

  /// Stores the scanned elements, combined with the warp's exclusive prefix where there is one; without one
  /// the first element of an exclusive scan is undefined. Lanes exchange elements through `exchange`, which
  /// only this warp uses.
  __device__ void write(T* to, const tile_range& tile, bool exclusive, bool has_prefix, const T& prefix,
                        const Op& op, unsigned char* exchange) {
    order::uninitialized<T, Rows> before_row;
    before_row[0] = prefix;
    if constexpr (order::has_padding<T, Op>) {
      if (!has_prefix) before_row[0] = order::padding<T>(op);
      has_prefix = true;
    }
    const unsigned lane = threadIdx.x % warp_size, warp_first = first_ - lane * vector;
    const auto end = static_cast<int>(tile.end() - warp_first);
    // Lanes whose elements are vectors of the output store them as they are.
    const bool direct = exchange_bytes<T> == 0 ||
                        (vector * sizeof(T) == 16 && (tiles_are_vectors<T, Op> || misalignment16(to) == 0));
    row_writer<T> writer(to + warp_first, static_cast<int>(first_position<T, Op>(tile) - warp_first), end,
                         exchange);
    order::uninitialized<T, vector> result;
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      if (r >= rows_) break;
      const unsigned outer = r & (r - 1);  // of the block that ends before this row
      if (r > 0)
        before_row[r] = has_prefix || outer > 0 ? op(before_row[outer], block_[r - 1]) : block_[r - 1];
      const bool row_has_prefix = has_prefix || r > 0, carries = row_has_prefix || lane > 0;
      order::uninitialized<T, 1> carry;
      if constexpr (vector == 1) {
        carry[0] = shuffle_up(row_[r][0], 1);
      } else {
        carry[0] = before_[r];
      }
      if (row_has_prefix) carry[0] = lane > 0 ? op(before_row[r], carry[0]) : before_row[r];
      if constexpr (is_packed) {
        vector_words scanned = prepend_packed(row_[r], carry[0], op);
        if (exclusive) shift_right(carry[0], scanned);
        memcpy(static_cast<void*>(&result), &scanned, sizeof scanned);
      } else {
        if constexpr (vector == 1) {
          result[0] = row_has_prefix ? op(before_row[r], row_[r][0]) : row_[r][0];
        } else {
#pragma unroll
          for (unsigned k = 0; k < vector; ++k) result[k] = carries ? op(carry[0], row_[r][k]) : row_[r][k];
        }
        if (exclusive) shift_right(carry[0], result);
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) result[k] = order::canonical(result[k]);
      }
      const unsigned position = first_ + r * row_elements;
      if (direct) {
        store_lane(to + position, position, first_position<T, Op>(tile), tile.end(), result);
      } else if constexpr (exchange_bytes<T> > 0) {
        writer.write(result);
      }
    }
    if constexpr (exchange_bytes<T> > 0) {
      if (!direct) writer.finish();
    }
  }

 private:
  unsigned rows_, first_;
  std::conditional_t<is_packed, vector_words, order::uninitialized<T, vector>> row_[Rows];
  order::uninitialized<T, vector == 1 ? 1 : Rows> before_;  ///< P of the lane's vector in each row
  order::uninitialized<T, Rows> block_;  ///< the total of the largest block of rows that ends with each
};

}  // namespace heddle::gpu
