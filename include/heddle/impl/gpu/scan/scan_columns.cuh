#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/columns_of_thread.cuh>
#include <heddle/impl/gpu/block/tile_prefix.cuh>
#include <heddle/impl/gpu/scan/short_rows_scan.cuh>
#include <heddle/impl/gpu/scan/tuning.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/order.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Scans of columns: threads go down columns side by side, several below one another where columns are few,
/// and memory is read and written once. Few long columns are cut into strips, whose totals are found first.
namespace heddle::gpu {

/// The exclusive prefix of the next tile of columns.
template <bool Exact, class Across>
class prefix_of_columns {
 public:
  using vector = typename Across::vector;

  __device__ prefix_of_columns(const Across& across, bool has_first, const vector& first)
      : across_(across), tiles_(across), has_first_(has_first), first_(first) {}

  __device__ void append(const vector& total) {
    if constexpr (Exact) {
      first_ = has_first_ ? across_(first_, total) : total;
      has_first_ = true;
    } else {
      tiles_.append(total);
    }
  }
  __device__ bool get(vector& prefix) const {
    const bool exists = !Exact && tiles_.prepend_to(false, prefix);
    if (has_first_) prefix = exists ? across_(first_, prefix) : first_;
    return exists || has_first_;
  }

 private:
  struct no_tiles {
    __device__ explicit no_tiles(const Across&) {}
    __device__ bool prepend_to(bool, vector&) const { return false; }
  };
  Across across_;
  std::conditional_t<Exact, no_tiles, tile_prefix<vector, Across, 3>> tiles_;
  bool has_first_;
  vector first_;
};

/// Threads go down their columns a tile at a time, each with some rows in registers: it scans them and
/// combines them with their exclusive prefix. The totals of threads below one another are combined by
/// shuffles and in shared memory.
template <bool FewRows, class Columns, class T, class Op>
__global__ void __launch_bounds__(scan_down_threads, FewRows ? blocks_of_few_rows : Columns::blocks)
    scan_down(const T* x, Op op, column_tiling<Columns> shape, bool exclusive,
              segment_prefixes<T> before_strips, T* out) {
  constexpr unsigned rows = FewRows ? few_rows_to_scan : Columns::rows, columns = Columns::columns;
  using combined = combined_across<Columns, T, Op>;
  using vector = typename combined::vector;
  using stored = typename Columns::stored;
  constexpr bool shares = !FewRows && sizeof(vector) <= 16;
  __shared__ alignas(16) unsigned char exchange_bytes[shares ? 2 * scan_down_threads * sizeof(vector) : 1];
  const auto exchange = reinterpret_cast<vector(*)[scan_down_threads]>(exchange_bytes);
  const combined combine{op};

  const unsigned lanes = shares ? shape.lanes : scan_down_threads, groups = scan_down_threads / lanes;
  const unsigned lane = threadIdx.x % lanes, group = threadIdx.x / lanes;
  const unsigned groups_of_warp = lanes < warp_size ? warp_size / lanes : 1;
  const std::size_t number = std::size_t{blockIdx.x} * lanes + lane;
  const auto strip = shape[number];
  const std::size_t inner = shape.all.inner, length = strip.length;
  const Columns mine(shape.all, strip.in_row, lanes);
  const bool has_strip = number < shape.strips() && mine.exist();
  const std::size_t begin = strip.begin + mine.column;
  const auto enter = [&](const stored& bits) {
    vector x;
    memcpy(static_cast<void*>(&x), &bits, sizeof x);
    return combine.enter(x);
  };
  const auto leave = [&](const vector& x) {
    const vector left = combine.leave(x);
    stored bits;
    memcpy(static_cast<void*>(&bits), &left, sizeof bits);
    return bits;
  };

  const bool has_first = has_strip && before_strips.exist_for(strip.part);
  vector first;
  if (has_first) {
    order::uninitialized<T, columns> given;
#pragma unroll
    for (unsigned c = 0; c < columns; ++c)
      given[c] = before_strips.at(strip.row * inner + mine.column + mine.place(c));
    memcpy(static_cast<void*>(&first), &given, sizeof first);
    first = combine.enter(first);
  }
  prefix_of_columns<FewRows || order::order_is_free<T, Op>, combined> before_tile(combine, has_first, first);
  unsigned buffer = 0;
  for (std::size_t tile = 0; tile < shape.strip; tile += groups * rows) {
    const std::size_t row = tile + group * rows;
    const unsigned left =
        has_strip && row < length ? static_cast<unsigned>(min(length - row, std::size_t{rows})) : 0;
    stored here[rows];
    vector total;
    if (left > 0) {
      const T* const from = x + begin + row * inner;
      stored loaded[rows];
      mine.load(from, left, inner, loaded);
#pragma unroll
      for (unsigned k = 0; k < rows; ++k) {
        const vector next = enter(loaded[k]);
        total = k > 0 ? combine(total, next) : next;
        here[k] = leave(total);
      }
    }

    vector before;
    bool has_before = before_tile.get(before);
    if constexpr (shares) {
      if (groups > 1) {
        const unsigned in_warp = threadIdx.x % warp_size;
        for (unsigned distance = lanes; distance < warp_size; distance *= 2) {
          const vector above = shuffle_up(total, distance);
          if (left > 0 && in_warp >= distance) total = combine(above, total);
        }
        const vector above = shuffle_up(total, lanes % warp_size);
        const unsigned level = group / groups_of_warp;
        buffer ^= 1;  // the other may still be read
        if (group % groups_of_warp == groups_of_warp - 1) exchange[buffer][level * lanes + lane] = total;
        __syncthreads();
        // The last tile may have levels without rows.
        const bool goes_on = has_strip && tile + groups * rows < length;
        const unsigned levels = goes_on ? groups / groups_of_warp : left > 0 ? level : 0;
        for (unsigned l = 0; l < levels; ++l) {
          const vector& of_level = exchange[buffer][l * lanes + lane];
          total = l > 0 ? combine(total, of_level) : of_level;
          if (l + 1 == level) {
            before = has_before ? combine(before, total) : total;
            has_before = true;
          }
        }
        if (left > 0 && group % groups_of_warp > 0) {
          before = has_before ? combine(before, above) : above;
          has_before = true;
        }
      }
    }
    if (left > 0) {
      before_tile.append(total);
      if (has_before) {
#pragma unroll
        for (unsigned k = 0; k < rows; ++k) here[k] = leave(combine(before, enter(here[k])));
      }
    }
    T* to = out + begin + row * inner;
    unsigned written = left;
    if (exclusive) {
      // Each goes a row down, and the last one is in front of the rows below.
      if (left > 0 && has_before) mine.store(to, leave(before));
      to += inner;
      if (left > 0) --written;
    }
#pragma unroll
    for (unsigned k = 0; k < rows; ++k, to += inner) {
      if (k < written) mine.store(to, here[k]);
    }
  }
}

/// Strips with as many lanes side by side as is best: the more the better, but for multiprocessors without a
/// block, also while the last ones run. Sums of floating-point numbers are grouped by it: it is the same on
/// every GPU, and best on an H200.
template <class Columns>
column_tiling<Columns> strips_to_scan_down(const segments& all, std::size_t strip) {
  // Long columns of elements are better off with two rows of threads.
  const bool in_two_rows = !Columns::fill_vec16 && strip == all.length && strip >= 8 * Columns::rows;
  const unsigned most_lanes = in_two_rows ? scan_down_threads / 2 : scan_down_threads;
  constexpr unsigned least_lanes = 8;
  constexpr double enough = 0.9, better = 1.15;
  constexpr std::size_t at_once = Columns::blocks * h200_multiprocessors;
  unsigned best = most_lanes;
  double best_share = 0;  // of the places for blocks, those that have one until the last block ends
  for (unsigned lanes = most_lanes; lanes >= least_lanes; lanes /= 2) {
    const column_tiling<Columns> shape(all, strip, lanes);
    const std::size_t blocks = (shape.strips() + lanes - 1) / lanes, turns = (blocks + at_once - 1) / at_once;
    const double share = static_cast<double>(blocks) / static_cast<double>(turns * at_once);
    // A GPU of which most waits has nothing to lose.
    if (blocks <= at_once / 4 || share > better * best_share) {
      best = lanes;
      best_share = share;
    }
    const bool have_rows = strip > Columns::rows * (scan_down_threads / lanes);
    if (best_share >= enough || !have_rows) break;
  }
  return {all, strip, best};
}

}  // namespace heddle::gpu
