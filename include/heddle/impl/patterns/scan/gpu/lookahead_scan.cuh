#pragma once

#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/bulk_copy.cuh>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/pipeline_stage.cuh>
#include <heddle/impl/gpu/block/tile_prefix.cuh>
#include <heddle/impl/gpu/temp_storage.cuh>
#include <heddle/impl/gpu/warp/packed16_op.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/patterns/scan/gpu/striped_tile.cuh>
#include <heddle/impl/patterns/scan/gpu/tuning.cuh>
#include <heddle/operators.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// One launch that reads and writes each element once. Resident blocks take tiles in order, from a counter.
///
/// Warps of a block have roles. One takes tiles and copies them to shared memory, up to three at a time. One
/// to four reduce a tile as soon as it has arrived, well before it is scanned, and publish its aggregate. One
/// looks ahead: it combines the aggregates of earlier tiles, up to 128 at a time, each block for itself, so
/// that no tile waits for a chain of others. Up to sixteen scan tiles in registers and store them. The
/// look-ahead replaces the look-back of Merrill and Garland, "Single-pass parallel prefix scan with decoupled
/// look-back" (2016).
namespace heddle::gpu {

/// Whether a tile may have any number of rows: others are blocks of a power of two of rows.
template <class T, class Op>
inline constexpr bool any_tile_fits = order::any_scan_order<T, Op> && is_commutative<Op, T>;

template <class T, class Op>
__device__ unsigned rows_of_tile_warp(const scan_work<T, Op>& work) {
  return any_tile_fits<T, Op> ? work.rows_of_warp : scan_tuning<T>::rows;
}

/// A tile whose copy to shared memory has started.
struct tile_in_flight : tile_range {
  unsigned shift;  ///< bytes in shared memory before its first position
};

template <class T, class Op>
struct scan_shared {
  using tuning = scan_tuning<T>;
  mbarrier arrived[tuning::stages];   ///< the tile is in shared memory
  mbarrier taken[tuning::stages];     ///< all warps have read it
  mbarrier prefixed[tuning::stages];  ///< its exclusive prefix has been written
  mbarrier read[tuning::stages];      ///< its exclusive prefix has been read
  tile_in_flight tiles[tuning::stages];
  order::uninitialized<T, tuning::stages> prefix;
  // Double buffers.
  order::uninitialized<T, 2 * tuning::warps> warp_total;
  order::uninitialized<T, 2 * tuning::reducers> reducer_total;
};

/// Whether tiles are copied to shared memory, or read from global memory.
template <class T>
inline constexpr bool in_shared_memory = has_bulk_copies && scan_tuning<T>::staged;

/// Takes tiles from the counter and starts to copy them.
template <class T, class Op>
__device__ void load_warp(const scan_work<T, Op>& work, scan_shared<T, Op>& shared, unsigned char* stages) {
  using tuning = scan_tuning<T>;
  if (threadIdx.x % warp_size != 0) return;
  const std::size_t tiles = work.tiles();
  [[maybe_unused]] const auto begin = reinterpret_cast<std::uintptr_t>(work.x);
  [[maybe_unused]] const whole_vec16 whole(begin, begin + work.rows * work.length * sizeof(T));
  pipeline_stage<tuning::stages> at;
  for (bool more = true; more; at.advance()) {
    shared.taken[at.stage].wait(at.parity ^ 1);
    tile_in_flight& next = shared.tiles[at.stage];
    // A block takes tiles until one is past the end.
    const std::size_t number = work.states.next_tile();
    if (number >= tiles) {
      next.number = tile_range::none;
      shared.arrived[at.stage].arrive();
      more = false;
      continue;
    }
    static_cast<tile_range&>(next) = range_of_tile(work, number);
    if constexpr (in_shared_memory<T>) {
#if HD_PTX_ARCH >= 900
      const std::uintptr_t from = begin + next.first * sizeof(T);
      const auto past = static_cast<unsigned>(from % 16),
                 skipped = next.skipped * static_cast<unsigned>(sizeof(T)), room = skipped > past ? 16u : 0;
      next.shift = room + past - skipped;
      const unsigned bytes =
          start_copy_of_vec16(stages + (at.stage * tuning::stage_bytes + room), from,
                              from + next.count * sizeof(T), whole, shared.arrived[at.stage]);
      shared.arrived[at.stage].arrive_and_expect(bytes);
#endif
    } else {
      shared.arrived[at.stage].arrive();
    }
  }
}

/// Computes the exclusive prefix of each tile of this block from the aggregates of all earlier tiles.
template <class T, class Op>
__device__ void lookahead_warp(const scan_work<T, Op>& work, scan_shared<T, Op>& shared) {
  using tuning = scan_tuning<T>;
  const unsigned lane = threadIdx.x % warp_size;
  published_prefix<T, Op> before(work.op, work.has_init ? &work.init[0] : nullptr);
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const std::size_t number = shared.tiles[at.stage].number;
    if (number == tile_range::none) return;
    const std::size_t part = shared.tiles[at.stage].part;
    const bool is_empty = shared.tiles[at.stage].count == 0;
    __syncwarp();
    if (lane == 0) shared.taken[at.stage].arrive();
    order::uninitialized<T, 1> prefix;
    const bool exists = !is_empty && before.find(work.states, work.tiles(), number - part, part, prefix[0]);
    shared.read[at.stage].wait(at.parity ^ 1);
    if (lane == 0) {
      if (exists) shared.prefix[at.stage] = prefix[0];
      shared.prefixed[at.stage].arrive();
    }
    __syncwarp();
  }
}

/// The beginning of the tile in a stage, in shared or global memory.
template <class T, class Op>
__device__ const T* begin_of_tile(const scan_work<T, Op>& work, const tile_in_flight& tile,
                                  const unsigned char* stages, unsigned stage) {
  using tuning = scan_tuning<T>;
  if constexpr (in_shared_memory<T>) {
    return reinterpret_cast<const T*>(stages + stage * tuning::stage_bytes + tile.shift);
  }
  return work.x + tile.first - tile.skipped;
}

/// The vector of a tile at `from`. Whether all vectors are aligned is known beforehand: a branch at each load
/// would serialise the loads.
template <bool Aligned, class T, class Op>
__device__ void load_to_reduce(const T* from, order::uninitialized<T, items_per_vector<T>>& x) {
  if constexpr (Aligned) {
    copy_vector<T>(&x, from);
  } else {
    load_vector<in_shared_memory<T>>(from, misalignment16(from), x);
  }
}

/// Combines a lane's vectors in `rows` rows, in any order, without the first `skipped` elements.
template <bool Aligned, class T, class Op>
__device__ T total_of_lane(const T* rows_begin, unsigned rows, [[maybe_unused]] unsigned skipped,
                           const Op& op) {
  constexpr unsigned vector = items_per_vector<T>, row = warp_size * vector;
  constexpr unsigned batch = sizeof(T) > 16 ? 1 : sizeof(T) == 8 ? 8 : 4;
  constexpr bool is_packed = packed16_op<T, Op>::exist && !adds_small_integers<T, Op>;
  const T* from = rows_begin + threadIdx.x % warp_size * vector;
  [[maybe_unused]] unsigned small = 0;
  [[maybe_unused]] std::conditional_t<is_packed, packed_total<T, Op>, unsigned> packed{};
  order::uninitialized<T, vector> sum;
#pragma unroll 2
  for (unsigned r = 0; r < rows; r += batch) {
    order::uninitialized<T, vector> x[batch];
#pragma unroll
    for (unsigned n = 0; n < batch; ++n) {
      // In global memory the elements before the first may not be read.
      if constexpr (tiles_are_vectors<T, Op> && !in_shared_memory<T>) {
        if (n + r == 0 && skipped > 0) {
#pragma unroll
          for (unsigned k = 0; k < vector; ++k) {
            if (k >= skipped) x[0][k] = from[k];
          }
          continue;
        }
      }
      load_to_reduce<Aligned, T, Op>(from + (r + n) * row, x[n]);
    }
    if constexpr (tiles_are_vectors<T, Op>) {
      if (r == 0 && skipped > 0) mask_prefix(skipped, order::identity<T>(op), x[0]);
    }
    if constexpr (adds_small_integers<T, Op>) {
#pragma unroll
      for (unsigned n = 0; n < batch; ++n) small += add_small_integers<T>(&x[n], 0);
    } else if constexpr (is_packed) {
#pragma unroll
      for (unsigned n = 0; n < batch; ++n) packed.append(x[n], op);
    } else {
#pragma unroll
      for (unsigned k = 0; k < vector; ++k) {
#pragma unroll
        for (unsigned n = 0; n < batch; ++n) x[n][k] = impl::lift<Op>(x[n][k]);
        // As a tree, which is a shorter chain of dependent operations.
        tree_reduce<batch>([&](unsigned n, unsigned other) { x[n][k] = op(x[n][k], x[other][k]); });
        sum[k] = r > 0 ? op(sum[k], x[0][k]) : x[0][k];
      }
    }
  }
  if constexpr (adds_small_integers<T, Op>) {
    return static_cast<T>(small);
  } else if constexpr (is_packed) {
    return packed.get(op);
  } else {
    tree_reduce<vector>([&](unsigned k, unsigned other) { sum[k] = op(sum[k], sum[other]); });
    return sum[0];
  }
}

/// Whether operands give the same bits in either order; users' operators need not.
template <class T, class Op>
inline constexpr bool operands_swap = is_commutative<Op, T> && impl::library_combines<T, Op>();

/// Combines `Rows` rows of 32 lanes, the rows and the lanes of each as balanced trees. In each step two lanes
/// exchange half of their rows, and each combines the half that it keeps.
template <unsigned Rows, unsigned Step = 1, class T, class Op>
__device__ T reduce_rows_of_warp(order::uninitialized<T, Rows>& row, const Op& op) {
  const bool is_right = (threadIdx.x & Step) != 0;
  const auto join = [&](const T& mine, const T& other) {
    return is_right && !operands_swap<T, Op> ? op(other, mine) : op(mine, other);
  };
  const auto exchange = [](const T& x, unsigned distance) {
    return shuffle_words(x, [=](std::uint32_t word) { return __shfl_xor_sync(whole_warp, word, distance); });
  };
  if constexpr (Rows > 1) {
    order::uninitialized<T, Rows / 2> half;
#pragma unroll
    for (unsigned r = 0; r < Rows / 2; ++r) {
      const T other = exchange(is_right ? row[r] : row[r + Rows / 2], Step);
      half[r] = join(is_right ? row[r + Rows / 2] : row[r], other);
    }
    const T sum = reduce_rows_of_warp<Rows / 2, 2 * Step>(half, op);
    return join(sum, exchange(sum, Step));
  } else {
#pragma unroll
    for (unsigned step = Step; step < warp_size; step *= 2) {
      const T other = exchange(row[0], step);
      row[0] = (threadIdx.x & step) != 0 && !operands_swap<T, Op> ? op(other, row[0]) : op(row[0], other);
    }
    return row[0];
  }
}

/// Combines `Rows` rows of a tile in the order of scan_order.hpp, some at a time.
template <bool Aligned, unsigned Rows, class T, class Op>
__device__ T total_of_rows(const T* rows_begin, const Op& op) {
  constexpr unsigned vector = order::scan_vector<T>, row = warp_size * vector, most = rows_that_hold<T, 128>,
                     batch = Rows < most ? Rows : most, batches = Rows / batch;
  static_assert(batches <= 8);
  const T* from = rows_begin + threadIdx.x % warp_size * vector;
  order::uninitialized<T, 3> block;
  order::uninitialized<T, 1> sum;
  // Unrolled further it takes registers from the warps that scan.
#pragma unroll 2
  for (unsigned b = 0; b < batches; ++b, from += batch * row) {
    order::uninitialized<T, batch> total;
#pragma unroll
    for (unsigned r = 0; r < batch; ++r) {
      order::uninitialized<T, vector> x;
      if constexpr (Aligned) {
        load_aligned_lane<in_shared_memory<T>>(from + r * row, x);
      } else {
        load_lane<in_shared_memory<T>>(from + r * row, x);
      }
      total[r] = impl::lift<Op>(x[0]);
#pragma unroll
      for (unsigned k = 1; k < vector; ++k) total[r] = op(total[r], impl::lift<Op>(x[k]));
    }
    sum[0] = reduce_rows_of_warp<batch>(total, op);
    bool open = true;
#pragma unroll
    for (unsigned level = 0; level < 3; ++level) {
      if (!open) break;
      open = (b >> level & 1) != 0;
      if (open) {
        sum[0] = op(block[level], sum[0]);
      } else {
        block[level] = sum[0];
      }
    }
  }
  return sum[0];
}

/// Combines a warp's share of a tile, in lane 0, without the first `skipped` elements of the lane.
template <bool Aligned, class T, class Op>
__device__ T total_of_share(const T* share, unsigned rows, unsigned skipped, const Op& op) {
  if constexpr (any_tile_fits<T, Op>) {
    constexpr unsigned vectors = scan_tuning<T>::row / (warp_size * items_per_vector<T>);
    order::uninitialized<T, 1> total;
    total[0] = total_of_lane<Aligned>(share, rows * vectors, skipped, op);
    reduce_warp<1>(total, op);
    return total[0];
  } else {
    return total_of_rows<Aligned, scan_tuning<T>::share_rows>(share, op);
  }
}

/// Reduces tiles, well before they are scanned, and publishes their aggregates.
template <class T, class Op>
__device__ void reduce_warps(const scan_work<T, Op>& work, scan_shared<T, Op>& shared,
                             const unsigned char* stages, unsigned warp) {
  using tuning = scan_tuning<T>;
  constexpr unsigned reducers = tuning::reducers;
  const unsigned rows = tuning::warps / reducers * rows_of_tile_warp(work);
  const unsigned lane = threadIdx.x % warp_size;
  const Op op = work.op;
  unsigned buffer = 0;
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const tile_in_flight tile = shared.tiles[at.stage];
    if (tile.number == tile_range::none) return;
    // No tile needs the aggregate of a row's last tile.
    const bool wanted = !tile.ends_row;
    order::uninitialized<T, 1> total;
    if (wanted) {
      const T* const share = begin_of_tile(work, tile, stages, at.stage) + warp * rows * tuning::row;
      const unsigned skipped = warp == 0 && lane == 0 ? tile.skipped : 0;
      total[0] = !vectors_are_16_bytes<T> || misalignment16(share) == 0
                     ? total_of_share<true>(share, rows, skipped, op)
                     : total_of_share<false>(share, rows, skipped, op);
    }
    __syncwarp();
    if (lane == 0) shared.taken[at.stage].arrive();
    if (!wanted) continue;
    if constexpr (reducers > 1) {
      T* const totals = &shared.reducer_total[buffer * reducers];
      buffer ^= 1;  // with each barrier, which a row's last tile does not reach
      if (lane == 0) totals[warp] = total[0];
      sync_some_threads<2, reducers * warp_size>();
      if (warp == 0) {
        static_assert(reducers == 2 || reducers == 4);
        total[0] = op(total[0], totals[1]);
        if constexpr (reducers == 4) total[0] = op(total[0], op(totals[2], totals[3]));
      }
    }
    if (warp == 0 && lane == 0) publish_aggregate(work.states, work.tiles(), tile.number, total[0]);
  }
}

/// Scans tiles and stores them.
template <class T, class Op>
__device__ void scan_warps(const scan_work<T, Op>& work, scan_shared<T, Op>& shared, unsigned char* stages) {
  using tuning = scan_tuning<T>;
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  unsigned char* const exchange =
      stages + ((in_shared_memory<T> ? tuning::stages * tuning::stage_bytes : 0) + warp * exchange_bytes<T>);
  const Op op = work.op;
  unsigned buffer = 0;
  for (pipeline_stage<tuning::stages> at;; at.advance(), buffer ^= 1) {
    shared.arrived[at.stage].wait(at.parity);
    const tile_in_flight tile = shared.tiles[at.stage];
    if (tile.number == tile_range::none) return;
    striped_tile<T, Op, tuning::rows, in_shared_memory<T>> mine(warp, rows_of_tile_warp(work));
    mine.drop_rows_past(tile);
    mine.load(begin_of_tile(work, tile, stages, at.stage), tile, tile.fills(work.tile), op);
    __syncwarp();
    if (lane == 0) shared.taken[at.stage].arrive();

    T* const totals = &shared.warp_total[buffer * tuning::warps];
    const T total = mine.scan(op);
    if constexpr (tuning::warps > 1) {
      if (lane == 0) totals[warp] = total;
      sync_some_threads<1, tuning::warps * warp_size>();
    }
    const blocks_of_lanes<T, tuning::warps> warps_before(
        tuning::warps > 1 ? totals[min(lane, tuning::warps - 1)] : total, warp, tuning::warps, op);

    shared.prefixed[at.stage].wait(at.parity);
    bool has_prefix = tile.count > 0 && (tile.part > 0 || work.has_init);
    order::uninitialized<T, 1> prefix;
    if (has_prefix) prefix[0] = shared.prefix[at.stage];
    __syncwarp();
    if (lane == 0) shared.read[at.stage].arrive();
    warps_before.append_to(has_prefix, prefix[0], op);

    // Without shared memory the input may be the output, which others still read.
    if (!in_shared_memory<T>) shared.taken[at.stage].wait(at.parity);
    mine.write(work.out + tile.first - tile.skipped, tile, work.exclusive, has_prefix, prefix[0], op,
               exchange);
  }
}

template <class T, class Op>
__global__ void __launch_bounds__(scan_tuning<T>::threads, 1)
    lookahead_scan(const __grid_constant__ scan_work<T, Op> work) {
  using tuning = scan_tuning<T>;
  static_assert(sizeof(scan_shared<T, Op>) <= tuning::shared_elements * sizeof(T) + 1024);
  static_assert(sizeof(scan_shared<T, Op>) <= 48 * 1024,
                "a scan on a GPU takes elements of up to 6900 bytes: scan the indices of larger ones");
  extern __shared__ __align__(128) unsigned char stages[];
  __shared__ scan_shared<T, Op> shared;
  const unsigned warp = threadIdx.x / warp_size;
  if (threadIdx.x == 0) {
    for (unsigned s = 0; s < tuning::stages; ++s) {
      shared.arrived[s].init(1);
      shared.taken[s].init(tuning::warps + tuning::reducers + 1);
      shared.prefixed[s].init(1);
      shared.read[s].init(tuning::warps);
    }
    fence_mbarrier_init();
  }
  grid_dependency_sync();
  __syncthreads();
  if (warp < tuning::warps) {
    scan_warps(work, shared, stages);
  } else if (warp == tuning::warps) {
    load_warp(work, shared, stages);
  } else if (warp == tuning::warps + 1) {
    lookahead_warp(work, shared);
  } else {
    reduce_warps(work, shared, stages, warp - tuning::warps - 2);
  }
}

/// Scans rows of any length, one after another or one row alone.
template <class T, class Op>
void launch_lookahead_scan(const target& where, scan_work<T, Op>& work) {
  using tuning = scan_tuning<T>;
  constexpr unsigned row_of_warps = tuning::warps * tuning::row;
  const std::size_t rows = (work.padded_length() + row_of_warps - 1) / row_of_warps;
  work.parts = (rows + tuning::rows - 1) / tuning::rows;
  // Tiles of equal size, where they need not be of a power of two of rows.
  work.rows_of_warp =
      any_tile_fits<T, Op> ? static_cast<unsigned>((rows + work.parts - 1) / work.parts) : tuning::rows;
  work.parts = (rows + work.rows_of_warp - 1) / work.rows_of_warp;
  work.tile = work.rows_of_warp * row_of_warps;
  static pdl_kernel kernel(lookahead_scan<T, Op>, "launch of lookahead_scan",
                           tuning::staged ? tuning::stages * tuning::stage_bytes : 0, tuning::exchanges);
  const std::size_t tiles = work.tiles(), resident = multiprocessors(where);
  const auto grid = static_cast<unsigned>(tiles < resident ? tiles : resident);
  temp_storage scratch(where, {.words = tiles * words_of<T>});
  work.states = states_in(scratch);
  kernel.launch(where, grid, tuning::threads, work);
  scratch.launched(tiles + grid);
}

}  // namespace heddle::gpu
