#pragma once

#include <heddle/array.hpp>
#include <heddle/cuda/granules.cuh>
#include <heddle/cuda/launch.cuh>
#include <heddle/cuda/prefix_of_tiles.cuh>
#include <heddle/cuda/scan_strips.cuh>
#include <heddle/grouping.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Scans of columns. Where there are enough of them, a block goes down some columns side by side, and memory
/// is read and written once. A few long columns are cut into strips, a thread to each, which are read twice.
namespace heddle::cuda {

/// Elements of neighbouring columns in a lane: 16 bytes of them, where that is a number of elements.
template <class T>
using column_pack = grouping::uninitialized<T, scan_pack<T>>;

/// The operator, on each column.
template <class T, class Op>
struct combine_columns_by {
  Op op;
  __device__ column_pack<T> operator()(const column_pack<T>& a, const column_pack<T>& b) const {
    column_pack<T> both;
#pragma unroll
    for (unsigned c = 0; c < scan_pack<T>; ++c) both[c] = op(a[c], b[c]);
    return both;
  }
};

/// Whether packs are granules wherever the columns stand: taking bytes one by one would cost a register each.
template <class T>
inline constexpr bool only_granules = sizeof(T) < 4;

/// Whether the packs of all rows are granules, of x and of `out`.
template <class T>
HD_INLINE bool are_granules(const T* x, const T* out, const segments& all) {
  return packs_are_granules<T> && all.inner % scan_pack<T> == 0 &&
         (reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(out)) % 16 == 0;
}

/// A lane's columns in a row.
template <class T>
struct columns_of_lane {
  unsigned count;  ///< of columns that are in the row
  unsigned apart;  ///< from one to the next: 1 where they are granules; else lanes are neighbours
  bool granule;

  /// As they are stored.
  using stored = std::conditional_t<packs_are_granules<T>, uint4, column_pack<T>>;

  __device__ stored load(const T* from) const {
    if constexpr (packs_are_granules<T>) {
      if (only_granules<T> || granule) return *reinterpret_cast<const uint4*>(from);
    }
    column_pack<T> x;
    if constexpr (!only_granules<T>) {
      // Columns beyond the row repeat the last one: nothing but elements is combined.
#pragma unroll
      for (unsigned c = 0; c < scan_pack<T>; ++c) x[c] = from[min(c, count - 1) * apart];
    }
    stored bits;
    memcpy(static_cast<void*>(&bits), &x, sizeof x);
    return bits;
  }
  template <class Op>
  static __device__ column_pack<T> elements(const stored& bits) {
    column_pack<T> x;
    memcpy(static_cast<void*>(&x), &bits, sizeof x);
#pragma unroll
    for (unsigned c = 0; c < scan_pack<T>; ++c) x[c] = detail::lift<Op>(x[c]);
    return x;
  }
  __device__ void store(T* to, const column_pack<T>& x) const {
    if constexpr (packs_are_granules<T>) {
      uint4 bits;
      memcpy(&bits, &x, sizeof bits);
      if (only_granules<T> || granule) {
        *reinterpret_cast<uint4*>(to) = bits;
        return;
      }
    }
    if constexpr (!only_granules<T>) {
#pragma unroll
      for (unsigned c = 0; c < scan_pack<T>; ++c) {
        if (c < count) to[c * apart] = x[c];
      }
    }
  }
};

/// What stands before the next tile of a lane's columns.
template <class T, class Op>
class prefix_of_columns {
 public:
  __device__ prefix_of_columns(const combine_columns_by<T, Op>& op, const strip_prefixes<T>& first)
      : op_(op), tiles_(op), has_init_(first.has_init) {
    if (!has_init_) return;
#pragma unroll
    for (unsigned c = 0; c < scan_pack<T>; ++c) init_[c] = first.init;
  }

  __device__ void append(const column_pack<T>& total) {
    if constexpr (exact) {
      init_ = has_init_ ? op_(init_, total) : total;
      has_init_ = true;
    } else {
      tiles_.append(total);
    }
  }
  __device__ bool get(column_pack<T>& prefix) const {
    const bool exists = !exact && tiles_.prepend_to(false, prefix);
    if (has_init_) prefix = exists ? op_(init_, prefix) : init_;
    return exists || has_init_;
  }

 private:
  static constexpr bool exact = grouping::order_is_free<T, Op>;
  struct no_tiles {
    __device__ explicit no_tiles(const combine_columns_by<T, Op>&) {}
    __device__ bool prepend_to(bool, column_pack<T>&) const { return false; }
  };
  combine_columns_by<T, Op> op_;
  std::conditional_t<exact, no_tiles, prefix_of_tiles<column_pack<T>, combine_columns_by<T, Op>, 3>> tiles_;
  column_pack<T> init_;
  bool has_init_;
};

inline constexpr unsigned scan_down_threads = 256, scan_down_blocks = 2;
/// Rows that a thread has in its registers.
inline constexpr unsigned scan_down_rows = 8;

/// Blocks that take so many packs side by side.
template <class T>
HD_INLINE std::size_t blocks_of_columns(const segments& all, unsigned lanes) {
  const std::size_t packs = (all.inner + scan_pack<T> - 1) / scan_pack<T>;
  return all.outer * ((packs + lanes - 1) / lanes);
}

/// A block goes down columns a tile at a time: `lanes` packs side by side, and as many times eight rows as it
/// has threads for. Each thread combines its rows; the totals of the threads below one another are scanned in
/// shared memory; and each thread scans its rows behind what stands before them. The next tile is on its way.
template <class T, class Op>
__global__ void __launch_bounds__(scan_down_threads, scan_down_blocks)
    scan_down(const T* x, Op op, segments all, unsigned lanes, bool exclusive, strip_prefixes<T> first,
              T* out) {
  constexpr unsigned rows = scan_down_rows, pack = scan_pack<T>;
  // Rounding errors grow less where what stands before rows is put in front of their own scan.
  constexpr bool scans_first = !grouping::order_is_free<T, Op>;
  __shared__ column_pack<T> exchange[2][scan_down_threads];
  const unsigned lane = threadIdx.x % lanes, group = threadIdx.x / lanes, groups = scan_down_threads / lanes;
  const combine_columns_by<T, Op> combine{op};
  const std::size_t packs = (all.inner + pack - 1) / pack, across = (packs + lanes - 1) / lanes;
  const bool granules = are_granules(x, out, all);
  unsigned buffer = 0;
  for (std::size_t item = blockIdx.x; item < blocks_of_columns<T>(all, lanes); item += gridDim.x) {
    const std::size_t outer = item / across, left_of_block = (item - outer * across) * lanes * pack;
    const unsigned apart = granules ? 1 : lanes;
    const std::size_t wanted = left_of_block + lane * (granules ? pack : 1);
    const bool inside = wanted < all.inner;
    const std::size_t column = inside ? wanted : all.inner - (granules ? pack : 1);
    const columns_of_lane<T> mine{
        static_cast<unsigned>(min((all.inner - column + apart - 1) / apart, std::size_t{pack})), apart,
        granules};
    const std::size_t begin = outer * all.length * all.inner + column, last = all.length - 1;
    // Rows beyond the last one repeat it.
    const auto load = [&](std::size_t row, typename columns_of_lane<T>::stored(&to)[rows]) {
      const T* from = x + begin + min(row, last) * all.inner;
#pragma unroll
      for (unsigned k = 0; k < rows; ++k) {
        if (k == 0 || row + k <= last) {
          to[k] = mine.load(from);
          from += all.inner;
        } else {
          to[k] = to[k - 1];
        }
      }
    };
    prefix_of_columns<T, Op> before_tile(combine, first);
    typename columns_of_lane<T>::stored next[rows];
    std::size_t row = group * rows;
    load(row, next);
    for (std::size_t tile = 0; tile < all.length; tile += groups * rows, row += groups * rows) {
      std::conditional_t<scans_first, column_pack<T>, typename columns_of_lane<T>::stored> here[rows];
      column_pack<T> total;
#pragma unroll
      for (unsigned k = 0; k < rows; ++k) {
        const column_pack<T> elements = columns_of_lane<T>::template elements<Op>(next[k]);
        total = k == 0 ? elements : combine(total, elements);
        if constexpr (scans_first) {
          here[k] = total;
        } else {
          here[k] = next[k];
        }
      }
      if (tile + groups * rows < all.length) load(row + groups * rows, next);

      column_pack<T> before;
      bool has_before = before_tile.get(before);
      if (groups > 1) {
        buffer ^= 1;  // the other may still be read
        exchange[buffer][threadIdx.x] = total;
        __syncthreads();
        for (unsigned distance = 1; distance < groups; distance *= 2) {
          if (group >= distance) total = combine(exchange[buffer][threadIdx.x - distance * lanes], total);
          buffer ^= 1;
          exchange[buffer][threadIdx.x] = total;
          __syncthreads();
        }
        if (group > 0) {
          const column_pack<T> above = exchange[buffer][threadIdx.x - lanes];
          before = has_before ? combine(before, above) : above;
          has_before = true;
        }
        total = exchange[buffer][(groups - 1) * lanes + lane];
      }
      before_tile.append(total);

      column_pack<T> above = before;
      T* to = out + begin + row * all.inner;
      const unsigned left =
          !inside || row > last ? 0 : static_cast<unsigned>(min(all.length - row, std::size_t{rows}));
#pragma unroll
      for (unsigned k = 0; k < rows; ++k) {
        column_pack<T> scanned;
        if constexpr (scans_first) {
          scanned = has_before ? combine(before, here[k]) : here[k];
        } else {
          const column_pack<T> elements = columns_of_lane<T>::template elements<Op>(here[k]);
          scanned = k > 0 || has_before ? combine(above, elements) : elements;
        }
        column_pack<T> result;  // an element at a time: a choice between packs would keep them in memory
#pragma unroll
        for (unsigned c = 0; c < pack; ++c) result[c] = exclusive ? above[c] : scanned[c];
        if (k < left) mine.store(to, result);
        above = scanned;
        to += all.inner;
      }
    }
  }
}

/// Elements of a column that a thread scans by itself.
inline constexpr std::size_t column_strip = 256;

/// Lanes side by side for scan_down: as many as leave enough blocks to fill a GPU, and rows for all threads;
/// 0 where there are too few columns.
template <class T>
unsigned scan_down_lanes(const segments& all) {
  constexpr unsigned least_lanes = 8;
  constexpr std::size_t many_blocks = 512, enough_blocks = 64;
  const auto blocks = [&](unsigned lanes) { return blocks_of_columns<T>(all, lanes); };
  // There a thread with a column to itself keeps more of them in flight.
  if (sizeof(T) >= 8 && all.length <= column_strip) return 0;
  const auto has_few_rows = [&](unsigned lanes) {
    return all.length <= scan_down_rows * (scan_down_threads / lanes);
  };
  unsigned lanes = scan_down_threads;
  while (lanes > least_lanes && blocks(lanes) < many_blocks && !has_few_rows(lanes)) lanes /= 2;
  // Rows that granules do not divide are read an element at a time, by whole warps side by side or not at
  // all.
  if (lanes < warp_size && all.inner % scan_pack<T> != 0) return 0;
  return blocks(lanes) >= enough_blocks || has_few_rows(lanes) ? lanes : 0;
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
template <class T, class Load, class Op>
__global__ void __launch_bounds__(scan_threads)
    scan_columns(Load load, Op op, grouping::tiling strips, bool exclusive, strip_prefixes<T> before,
                 T* out) {
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
      if (exclusive && has_carry) out[i] = carry[0];
      carry[0] = has_carry ? op(carry[0], x) : x;
      has_carry = true;
      if (!exclusive) out[i] = carry[0];
    }
  }
}

}  // namespace heddle::cuda
