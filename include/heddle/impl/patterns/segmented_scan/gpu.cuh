#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/tile_prefix.cuh>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/temp_storage.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/patterns/scan/gpu/tuning.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Segments of one array, each scanned by itself, in one launch that reads and writes each element once. A
/// flag for each element says whether a segment begins there. Pairs of a flag and a value are scanned, by the
/// operator that drops what precedes a flag (Blelloch, "Prefix sums and their applications", 1990;
/// Sengupta, Harris, Zhang and Owens, "Scan primitives for GPU computing", 2007), so the lengths of the
/// segments make no difference.
///
/// Resident blocks take tiles dynamically, from a counter. Most warps of a block hold a tile in registers,
/// publish its total, scan and write it; one combines the totals of all earlier tiles into its exclusive
/// prefix, as the look-ahead of lookahead_scan.cuh does. The order of combination depends on the positions of
/// elements in the array alone, not on timing.
namespace heddle::gpu {

/// The total of the elements of a run from its last flag on, and whether it has a flag.
template <class T>
struct segment_total {
  // As wide as T is aligned, up to 8 bytes, so that none is padding. Where T is aligned to more, the padding
  // is published with the rest, and nothing reads it.
  using flag = std::conditional_t<
      alignof(T) == 1, std::uint8_t,
      std::conditional_t<alignof(T) == 2, std::uint16_t,
                         std::conditional_t<alignof(T) == 4, std::uint32_t, std::uint64_t>>>;
  T value;
  flag has_flag;
};

/// Combines neighbouring runs.
template <class Op>
struct by_segments {
  const Op& op;
  template <class T>
  __device__ segment_total<T> operator()(const segment_total<T>& a, const segment_total<T>& b) const {
    if (b.has_flag) return b;
    return {op(a.value, b.value), a.has_flag};
  }
};

template <class T, class Op>
struct segmented_scan_work {
  const T* x;
  const bool* flags;  ///< whether a segment begins at an element; at the first one does
  T* out;
  Op op;
  std::size_t n, tiles;
  bool exclusive, has_init;
  order::uninitialized<T, 1> init;
  tile_state states;
};

/// A warp's share of a tile in registers, in striped order.
template <class T, class Op>
class segmented_rows {
  using tuning = segmented_tuning<T>;
  static constexpr unsigned vector = tuning::vector, rows = tuning::rows, row = tuning::row;

 public:
  __device__ segmented_rows(unsigned warp) : first_(warp * rows * row + threadIdx.x % warp_size * vector) {}

  /// Loads a tile of `count` elements from element `begin` on. Out-of-range lanes repeat the last
  /// element.
  __device__ void load(const segmented_scan_work<T, Op>& work, std::size_t begin, unsigned count,
                       const Op& op) {
    struct alignas(vector) flags_of_vector {
      bool at[vector];
    };
    const T* const from = work.x + begin;
    const bool* const flags = work.flags + begin;
    const unsigned past = misalignment16(from);
    flags_of_vector flag[rows] = {};
    // A branch at each load would serialise the loads.
    if (count == tuning::tile && (!vectors_are_16_bytes<T> || past == 0)) {
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) {
        copy_vector<T>(&row_[r], from + first_ + r * row);
        flag[r] = *reinterpret_cast<const flags_of_vector*>(flags + first_ + r * row);
      }
    } else {
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) {
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) {
          const unsigned place = first_ + r * row + k;
          row_[r][k] = from[min(place, count - 1)];
          flag[r].at[k] = place < count && flags[place];
        }
      }
    }
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
#pragma unroll
      for (unsigned k = 0; k < vector; ++k) flags_ |= (flag[r].at[k] ? 1u : 0u) << (r * vector + k);
    }
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
#pragma unroll
      for (unsigned k = 0; k < vector; ++k) {
        row_[r][k] = impl::lift<Op>(row_[r][k]);
        if (work.has_init && is_flagged(r, k)) row_[r][k] = op(work.init[0], row_[r][k]);
      }
    }
  }

  /// Scans each vector, and computes its exclusive prefix in the warp. Returns the warp's total.
  __device__ segment_total<T> scan(const Op& op) {
    const unsigned lane = threadIdx.x % warp_size, lanes_before = (1u << lane) - 1;
    bool has_flag = false;
    order::uninitialized<T, 1> total;
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
#pragma unroll
      for (unsigned k = 1; k < vector; ++k) {
        const T behind = op(row_[r][k - 1], row_[r][k]);
        if (!is_flagged(r, k)) row_[r][k] = behind;
      }
      const unsigned flagged = __ballot_sync(whole_warp, flags_of_row(r) != 0);
      const unsigned up_to_here = flagged & (lanes_before << 1 | 1);
      // The lane in which the lane's run begins.
      const unsigned start =
          up_to_here == 0 ? 0 : 31 - static_cast<unsigned>(__clz(static_cast<int>(up_to_here)));
      T value = row_[r][vector - 1];
#pragma unroll
      for (unsigned distance = 1; distance < warp_size; distance *= 2) {
        const T behind = op(shuffle_up(value, distance), value);
        if (lane >= start + distance) value = behind;
      }
      const T of_row = shuffle_from(value, warp_size - 1);
      before_[r] = shuffle_up(value, 1);
      const bool is_open = (flagged & lanes_before) == 0;
      if (r > 0 && is_open) before_[r] = lane > 0 ? op(total[0], before_[r]) : total[0];
      if (is_open && !has_flag) open_rows_ |= 1u << r;
      total[0] = r > 0 && flagged == 0 ? op(total[0], of_row) : of_row;
      has_flag = has_flag || flagged != 0;
    }
    return {total[0], has_flag};
  }

  /// Whether a segment begins at the lane's first element.
  __device__ bool begins_segment() const { return (flags_ & 1) != 0; }

  /// Writes the scanned elements, combined with the warp's exclusive prefix.
  __device__ void write(const segmented_scan_work<T, Op>& work, std::size_t begin, unsigned count,
                        const T& prefix, const Op& op) {
    T* const to = work.out + begin;
    const bool at_vec16 = misalignment16(to) == 0;
    const bool is_first = threadIdx.x % warp_size == 0;
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      T before = before_[r];
      if ((open_rows_ >> r & 1) != 0) before = r == 0 && is_first ? prefix : op(prefix, before);
      const T first = before;
      order::uninitialized<T, vector> result;
#pragma unroll
      for (unsigned k = 0; k < vector; ++k) {
        // The prefix is that of the elements up to the first flag.
        const bool is_open = (flags_of_row(r) & ((2u << k) - 1)) == 0;
        result[k] = row_[r][k];
        const T behind = op(first, row_[r][k]);
        if (is_open) result[k] = behind;
        if (work.exclusive) {
          const T scanned = result[k];
          result[k] = is_flagged(r, k) ? work.init[0] : before;
          before = scanned;
        }
      }
      const unsigned place = first_ + r * row;
      if ((!vectors_are_16_bytes<T> || at_vec16) && place + vector <= count) {
        store_vector<T>(to + place, result);
      } else {
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) {
          if (place + k < count) to[place + k] = result[k];
        }
      }
    }
  }

 private:
  __device__ unsigned flags_of_row(unsigned r) const {
    return flags_ >> (r * vector) & (0xffffffffu >> (32 - vector));
  }
  __device__ bool is_flagged(unsigned r, unsigned k) const { return (flags_ >> (r * vector + k) & 1) != 0; }

  unsigned first_;      ///< position in the tile of the lane's first element
  unsigned flags_ = 0;  ///< a bit for each element of the lane
  /// A bit for each row: whether no segment begins in the warp before the lane's vector.
  unsigned open_rows_ = 0;
  order::uninitialized<T, vector> row_[rows];
  order::uninitialized<T, rows> before_;
};

template <class T>
struct segmented_shared {
  using tuning = segmented_tuning<T>;
  std::size_t tile;  ///< that the block has
  order::uninitialized<segment_total<T>, tuning::warps> warp_total;
  order::uninitialized<T, 1> prefix;  ///< its exclusive prefix

  /// Of all threads: once when the tile is known and once when the prefix is.
  __device__ static void sync() { sync_some_threads<1, tuning::threads>(); }
  __device__ static void sync_scanning() { sync_some_threads<2, tuning::warps * warp_size>(); }
};

/// Takes tiles from the counter, and finds the exclusive prefix of each while other warps scan it.
template <class T, class Op>
__device__ void load_segmented_warp(const segmented_scan_work<T, Op>& work, segmented_shared<T>& shared) {
  const unsigned lane = threadIdx.x % warp_size;
  const by_segments<Op> combine{work.op};
  published_prefix<segment_total<T>, by_segments<Op>> before(combine, nullptr);
  while (true) {
    std::size_t tile = 0;
    if (lane == 0) shared.tile = tile = work.states.next_tile();
    tile = shuffle_from(tile, 0);
    shared.sync();
    if (tile >= work.tiles) return;
    // A tile that begins with a segment is scanned without.
    if (!work.flags[tile * segmented_tuning<T>::tile]) {
      order::uninitialized<segment_total<T>, 1> total;
      before.find(work.states, work.tiles, 0, tile, total[0]);
      if (lane == 0) shared.prefix[0] = total[0].value;
    }
    shared.sync();
  }
}

/// Scans tiles and writes them.
template <class T, class Op>
__device__ void scan_segmented_warps(const segmented_scan_work<T, Op>& work, segmented_shared<T>& shared) {
  using tuning = segmented_tuning<T>;
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const Op op = work.op;
  const by_segments<Op> combine{op};
  while (true) {
    shared.sync();
    const std::size_t tile = shared.tile, begin = tile * tuning::tile;
    if (tile >= work.tiles) return;
    const auto count = static_cast<unsigned>(min(work.n - begin, std::size_t{tuning::tile}));
    segmented_rows<T, Op> mine(warp);
    mine.load(work, begin, count, op);
    const segment_total<T> of_warp = mine.scan(op);
    if (lane == 0) shared.warp_total[warp] = of_warp;
    shared.sync_scanning();
    segment_total<T> before =
        scan_warp<tuning::warps>(shared.warp_total[min(lane, tuning::warps - 1)], combine);
    if (warp == 0 && lane == tuning::warps - 1 && tile + 1 < work.tiles)
      publish_aggregate(work.states, work.tiles, tile, before);
    before = shuffle_from(before, (warp - 1) % warp_size);
    if (warp == 0) before.has_flag = shuffle_from(mine.begins_segment(), 0);
    shared.sync();
    if (!before.has_flag) before.value = warp > 0 ? op(shared.prefix[0], before.value) : shared.prefix[0];
    mine.write(work, begin, count, before.value, op);
  }
}

template <class T, class Op>
__global__ void __launch_bounds__(segmented_tuning<T>::threads, segmented_tuning<T>::blocks)
    scan_segmented_tiles(const __grid_constant__ segmented_scan_work<T, Op> work) {
  __shared__ segmented_shared<T> shared;
  static_assert(sizeof(T) <= 6900,
                "a scan on a GPU takes elements of up to 6900 bytes: scan the indices of larger ones");
  grid_dependency_sync();
  if (threadIdx.x / warp_size == segmented_tuning<T>::warps) {
    load_segmented_warp(work, shared);
  } else {
    scan_segmented_warps(work, shared);
  }
}

/// Scans the segments of the n elements of x into `out`, which may be x, on the GPU's stream. `init` is on
/// the CPU; null for none, which an exclusive scan cannot do without.
template <class T, class Op>
void segmented_scan(const target& where, const T* x, std::size_t n, const Op& op, const bool* flags,
                    bool exclusive, const T* init, T* out) {
  if (n == 0) return;
  using tuning = segmented_tuning<T>;
  const current_device on(where);
  segmented_scan_work<T, Op> work{
      x, flags, out, op, n, (n + tuning::tile - 1) / tuning::tile, exclusive, init != nullptr, {}, {}};
  if (init != nullptr) memcpy(static_cast<void*>(&work.init), init, sizeof(T));
  static pdl_kernel kernel(scan_segmented_tiles<T, Op>, "launch of scan_segmented_tiles");
  const std::size_t resident = std::size_t{multiprocessors(where)} * tuning::blocks;
  const auto grid = static_cast<unsigned>(std::min(work.tiles, resident));
  temp_storage scratch(where, {.words = work.tiles * words_of<segment_total<T>>});
  work.states = states_in(scratch);
  kernel.launch(where, grid, tuning::threads, work);
  scratch.launched(work.tiles + grid);
}

}  // namespace heddle::gpu
