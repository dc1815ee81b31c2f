#pragma once

#include <heddle/impl/gpu/arch/bulk_copy.cuh>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/tile_prefix.cuh>
#include <heddle/impl/gpu/scan/blocked_tile.cuh>
#include <heddle/impl/gpu/scan/striped_tile.cuh>
#include <heddle/impl/gpu/temp_storage.cuh>
#include <heddle/impl/gpu/warp/packed16_op.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/order.hpp>
#include <heddle/operators.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Tiles scanned in turn, in one launch that reads once and writes once.
///
/// In a block warps have roles. One takes tiles and brings them into shared memory, up to three at a time.
/// One to four combine a tile as soon as it is there, well before it is scanned, and publish the total. One
/// looks ahead: it combines what the tiles before have published, up to 128 at a time, each block for itself,
/// so that no tile waits for a chain of others. Up to sixteen scan tiles in registers and write them. The
/// look-ahead replaces the look-back of Merrill and Garland, "Single-pass parallel prefix scan with decoupled
/// look-back" (2016).
namespace heddle::gpu {

/// Whether the packs of a lane are neighbours: few steps between lanes, which is faster where these take
/// longer than to exchange what is written.
template <class T, class Op>
inline constexpr bool uses_blocked_tile =
    !vectors_are_16_bytes<T> || sizeof(T) > 8 || !is_commutative<Op, T> ||
    (sizeof(T) == 8 ? impl::is_extreme<Op> : packed16_op<T, Op>::exist && !adds_small_integers<T, Op>);

/// The shape of a tile.
template <class T, class Op>
struct scan_tuning {
  static constexpr std::size_t bytes = sizeof(T);
  static constexpr unsigned warps = bytes <= 16    ? 16
                                    : bytes <= 128 ? 8
                                    : bytes <= 256 ? 4
                                    : bytes <= 512 ? 2
                                                   : 1;
  /// Elements of a tile of which each lane has a pack; a tile has up to `packs` times as many.
  static constexpr unsigned row_of_warps = warps * warp_size * items_per_vector<T>;
  /// Of 56 KiB in runs, which registers hold, and an odd number of packs for blocked_tile.
  static constexpr std::size_t run_bytes =
      std::min<std::size_t>(56 * 1024 / (row_of_warps / items_per_vector<T>), 256);
  /// That a lane has at most: tiles are of up to 64 KiB.
  static constexpr unsigned vectors =
      uses_blocked_tile<T, Op>
          ? (std::clamp<unsigned>(run_bytes / (items_per_vector<T> * bytes), 1, 15) - 1) | 1
          : 8;
  static constexpr unsigned reducers = warps == 1 ? 1 : bytes < 8 ? 4 : 2;
  static constexpr unsigned tile = row_of_warps * vectors;
  static constexpr unsigned stages = 3;
  /// Places begin less than 16 bytes behind the stage, and what is copied ends at most 16 behind them.
  static constexpr unsigned stage_bytes = (tile * bytes + 32 + 127) / 128 * 128;
  /// For what lanes exchange to write side by side, a warp.
  static constexpr unsigned exchange_bytes =
      uses_blocked_tile<T, Op> ? warp_size * vectors * items_per_vector<T> * bytes : 0;
  static constexpr unsigned bulk_bytes = stages * stage_bytes + warps * exchange_bytes;
  /// In shared memory beside them: what scan_shared has of elements, and less than 1 KiB more.
  static constexpr unsigned shared_elements = stages + 2 * warps + 2 * reducers;
  static constexpr bool staged = bulk_bytes + shared_elements * bytes + 1024 <= 227 * 1024;
  static constexpr unsigned threads = (warps + reducers + 2) * warp_size;
};

/// A tile that is on its way.
struct tile_in_flight : placed_tile {
  unsigned shift;  ///< bytes in shared memory before its first place
};

template <class T, class Op>
struct scan_shared {
  using tuning = scan_tuning<T, Op>;
  mbarrier arrived[tuning::stages];   ///< the tile is in shared memory
  mbarrier taken[tuning::stages];     ///< all who need it have it
  mbarrier prefixed[tuning::stages];  ///< what stands before it is known
  mbarrier read[tuning::stages];      ///< and has been read
  tile_in_flight tiles[tuning::stages];
  order::uninitialized<T, tuning::stages> prefix;
  // Of one tile and of the next in turns.
  order::uninitialized<T, 2 * tuning::warps> warp_total;
  order::uninitialized<T, 2 * tuning::reducers> reducer_total;
};

/// Goes from stage to stage, and knows the parity of the phase that is waited for.
template <unsigned Stages>
struct pipeline_stage {
  unsigned stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// Whether tiles are copied to shared memory, or read where they stand.
template <class T, class Op>
inline constexpr bool in_shared_memory = has_bulk_copies && scan_tuning<T, Op>::staged;

/// Takes tiles in turn and starts copying them.
template <class T, class Op>
__device__ void load_warp(const scan_work<T, Op>& work, scan_shared<T, Op>& shared, unsigned char* stages) {
  using tuning = scan_tuning<T, Op>;
  if (threadIdx.x % warp_size != 0) return;
  const std::size_t tiles = work.tiles();
  [[maybe_unused]] const auto begin = reinterpret_cast<std::uintptr_t>(work.x);
  [[maybe_unused]] const whole_vec16 whole(begin, begin + work.rows * work.length * sizeof(T));
  pipeline_stage<tuning::stages> at;
  for (bool more = true; more; at.advance()) {
    shared.taken[at.stage].wait(at.parity ^ 1);
    tile_in_flight& next = shared.tiles[at.stage];
    // A block takes tiles until there are no more: it asks once in vain.
    const std::size_t number = work.states.next_tile();
    if (number >= tiles) {
      next.number = placed_tile::none;
      shared.arrived[at.stage].arrive();
      more = false;
      continue;
    }
    static_cast<placed_tile&>(next) = place_tile(work, number);
    if constexpr (in_shared_memory<T, Op>) {
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

/// Finds what stands before each tile of this block, from what all tiles before it have published.
template <class T, class Op>
__device__ void lookahead_warp(const scan_work<T, Op>& work, scan_shared<T, Op>& shared) {
  using tuning = scan_tuning<T, Op>;
  const unsigned lane = threadIdx.x % warp_size;
  published_prefix<T, Op> before(work.op);
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const std::size_t number = shared.tiles[at.stage].number;
    if (number == placed_tile::none) return;
    const std::size_t part = shared.tiles[at.stage].part;
    const bool is_empty = shared.tiles[at.stage].count == 0;
    __syncwarp();
    if (lane == 0) shared.taken[at.stage].arrive();
    order::uninitialized<T, 1> prefix;
    bool exists = !is_empty && before.find(work.states, work.tiles(), number - part, part, prefix[0]);
    if (work.has_init) {
      prefix[0] = exists ? work.op(work.init[0], prefix[0]) : work.init[0];
      exists = true;
    }
    shared.read[at.stage].wait(at.parity ^ 1);
    if (lane == 0) {
      if (exists) shared.prefix[at.stage] = prefix[0];
      shared.prefixed[at.stage].arrive();
    }
    __syncwarp();
  }
}

/// The places of the tile in a stage.
template <class T, class Op>
__device__ const T* places_of(const scan_work<T, Op>& work, const tile_in_flight& tile,
                              const unsigned char* stages, unsigned stage) {
  using tuning = scan_tuning<T, Op>;
  if constexpr (in_shared_memory<T, Op>) {
    return reinterpret_cast<const T*>(stages + stage * tuning::stage_bytes + tile.shift);
  }
  return work.x + tile.first - tile.skipped;
}

/// Rows of packs that a reducer has are a multiple of this.
template <class T, class Op>
inline constexpr unsigned rows_of_reducer = scan_tuning<T, Op>::warps / scan_tuning<T, Op>::reducers;

/// The pack of a tile at `from`. Where all stand at granules that is known beforehand: a branch at each load
/// keeps them from being loaded side by side.
template <bool AtGranules, class T, class Op>
__device__ void load_to_reduce(const T* from, order::uninitialized<T, items_per_vector<T>>& x) {
  if constexpr (AtGranules) {
    copy_vector<T>(&x, from);
  } else {
    load_vector<in_shared_memory<T, Op>>(from, misalignment16(from), x);
  }
}

/// What a lane's packs in `rows` rows combine to, in any order, but for the first `skipped` places.
template <bool AtGranules, class T, class Op>
__device__ T total_of_lane(const T* rows_begin, unsigned rows, [[maybe_unused]] unsigned skipped,
                           const Op& op) {
  constexpr unsigned vector = items_per_vector<T>, row = warp_size * vector;
  constexpr unsigned batch = sizeof(T) > 16 ? 1 : sizeof(T) < 16 ? rows_of_reducer<T, Op> : 4;
  constexpr bool is_packed = packed16_op<T, Op>::exist && !adds_small_integers<T, Op>;
  const T* from = rows_begin + threadIdx.x % warp_size * vector;
  [[maybe_unused]] unsigned small = 0;
  [[maybe_unused]] std::conditional_t<is_packed, packed_total<T, Op>, unsigned> of_lanes{};
  order::uninitialized<T, vector> sum;
#pragma unroll 2
  for (unsigned r = 0; r < rows; r += batch) {
    order::uninitialized<T, vector> x[batch];
#pragma unroll
    for (unsigned n = 0; n < batch; ++n) {
      // What is read where it stands has foreign bytes beside it.
      if constexpr (tiles_are_vectors<T, Op> && !in_shared_memory<T, Op>) {
        if (n + r == 0 && skipped > 0) {
#pragma unroll
          for (unsigned k = 0; k < vector; ++k) {
            if (k >= skipped) x[0][k] = from[k];
          }
          continue;
        }
      }
      load_to_reduce<AtGranules, T, Op>(from + (r + n) * row, x[n]);
    }
    if constexpr (tiles_are_vectors<T, Op>) {
      if (r == 0 && skipped > 0) mask_prefix(skipped, order::neutral<T>(op), x[0]);
    }
    if constexpr (adds_small_integers<T, Op>) {
#pragma unroll
      for (unsigned n = 0; n < batch; ++n) small += add_small_integers<T>(&x[n], 0);
    } else if constexpr (is_packed) {
#pragma unroll
      for (unsigned n = 0; n < batch; ++n) of_lanes.append(x[n], op);
    } else {
#pragma unroll
      for (unsigned k = 0; k < vector; ++k) {
#pragma unroll
        for (unsigned n = 0; n < batch; ++n) x[n][k] = impl::lift<Op>(x[n][k]);
        // As a tree, so that few wait for one another.
        tree_reduce<batch>([&](unsigned n, unsigned other) { x[n][k] = op(x[n][k], x[other][k]); });
        sum[k] = r > 0 ? op(sum[k], x[0][k]) : x[0][k];
      }
    }
  }
  if constexpr (adds_small_integers<T, Op>) {
    return static_cast<T>(small);
  } else if constexpr (is_packed) {
    return of_lanes.get(op);
  } else {
    tree_reduce<vector>([&](unsigned k, unsigned other) { sum[k] = op(sum[k], sum[other]); });
    return sum[0];
  }
}

/// What the runs of `packs` packs of a reducer's lanes combine to in order, in lane 0.
template <bool AtGranules, class T, class Op>
__device__ T total_in_order(const T* runs_begin, unsigned vectors, const Op& op) {
  constexpr unsigned vector = items_per_vector<T>, warps = rows_of_reducer<T, Op>;
  constexpr unsigned side_by_side = sizeof(T) <= 16 && warps % 4 == 0 ? 4 : 1;  ///< that overlap
  const T* from = runs_begin + threadIdx.x % warp_size * vectors * vector;
  order::uninitialized<T, 1> total;
#pragma unroll 1
  for (unsigned w = 0; w < warps; w += side_by_side) {
    order::uninitialized<T, side_by_side> sum;
    const auto append = [&](unsigned n, bool is_first) {
      order::uninitialized<T, vector> x[side_by_side];
#pragma unroll
      for (unsigned s = 0; s < side_by_side; ++s)
        load_to_reduce<AtGranules, T, Op>(from + ((w + s) * warp_size * vectors + n) * vector, x[s]);
#pragma unroll
      for (unsigned k = 0; k < vector; ++k) {
#pragma unroll
        for (unsigned s = 0; s < side_by_side; ++s)
          sum[s] = is_first && k == 0 ? impl::lift<Op>(x[s][k]) : op(sum[s], impl::lift<Op>(x[s][k]));
      }
    };
    append(0, true);
#pragma unroll 2
    for (unsigned n = 1; n < vectors; ++n) append(n, false);
    reduce_warp<side_by_side>(sum, op);
#pragma unroll
    for (unsigned s = 0; s < side_by_side; ++s) total[0] = w + s > 0 ? op(total[0], sum[s]) : sum[s];
  }
  return total[0];
}

/// What a reducer's share of a tile combines to, in lane 0; `skipped` places of the lane have no element.
template <bool AtGranules, class T, class Op>
__device__ T total_of_share(const T* share, unsigned vectors, unsigned skipped, const Op& op) {
  if constexpr (is_commutative<Op, T>) {
    order::uninitialized<T, 1> total;
    total[0] = total_of_lane<AtGranules>(share, vectors * rows_of_reducer<T, Op>, skipped, op);
    reduce_warp<1>(total, op);
    return total[0];
  } else {
    return total_in_order<AtGranules>(share, vectors, op);
  }
}

/// Combines tiles, well before they are scanned, and publishes the totals.
template <class T, class Op>
__device__ void reduce_warps(const scan_work<T, Op>& work, scan_shared<T, Op>& shared,
                             const unsigned char* stages, unsigned warp) {
  using tuning = scan_tuning<T, Op>;
  constexpr unsigned reducers = tuning::reducers;
  const unsigned lane = threadIdx.x % warp_size;
  const Op op = work.op;
  unsigned turn = 0;
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const tile_in_flight tile = shared.tiles[at.stage];
    if (tile.number == placed_tile::none) return;
    // Nobody asks for the total of what ends a row.
    const bool wanted = !tile.ends_row;
    order::uninitialized<T, 1> total;
    if (wanted) {
      const T* const share = places_of(work, tile, stages, at.stage) + warp * work.rows_of_warp *
                                                                           rows_of_reducer<T, Op> *
                                                                           warp_size * items_per_vector<T>;
      const unsigned skipped = warp == 0 && lane == 0 ? tile.skipped : 0;
      total[0] = !vectors_are_16_bytes<T> || misalignment16(share) == 0
                     ? total_of_share<true>(share, work.rows_of_warp, skipped, op)
                     : total_of_share<false>(share, work.rows_of_warp, skipped, op);
    }
    __syncwarp();
    if (lane == 0) shared.taken[at.stage].arrive();
    if (!wanted) continue;
    if constexpr (reducers > 1) {
      T* const totals = &shared.reducer_total[turn * reducers];
      turn ^= 1;  // with each barrier, which tiles that nobody asks for pass by
      if (lane == 0) totals[warp] = total[0];
      sync_some_threads<2, reducers * warp_size>();
      if (warp == 0) {
#pragma unroll
        for (unsigned w = 1; w < reducers; ++w) total[0] = op(total[0], totals[w]);
      }
    }
    if (warp == 0 && lane == 0) publish_aggregate(work.states, work.tiles(), tile.number, total[0]);
  }
}

/// Scans tiles and writes them.
template <class T, class Op>
__device__ void scan_warps(const scan_work<T, Op>& work, scan_shared<T, Op>& shared, unsigned char* stages) {
  using tuning = scan_tuning<T, Op>;
  constexpr bool in_runs = in_shared_memory<T, Op> && uses_blocked_tile<T, Op>;
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const Op op = work.op;
  unsigned turn = 0;
  for (pipeline_stage<tuning::stages> at;; at.advance(), turn ^= 1) {
    shared.arrived[at.stage].wait(at.parity);
    const tile_in_flight tile = shared.tiles[at.stage];
    if (tile.number == placed_tile::none) return;
    std::conditional_t<in_runs, blocked_tile<T, Op, tuning::vectors>,
                       striped_tile<T, Op, tuning::vectors, in_shared_memory<T, Op>>>
        mine(warp, work.rows_of_warp);
    mine.leave_out_what_is_beyond(tile);
    mine.load(places_of(work, tile, stages, at.stage), tile, tile.fills(work.tile), op);
    __syncwarp();
    if (lane == 0) shared.taken[at.stage].arrive();

    const T total = mine.scan(op);
    if constexpr (tuning::warps > 1) {
      T* const totals = &shared.warp_total[turn * tuning::warps];
      if (lane == 0) totals[warp] = total;
      sync_some_threads<1, tuning::warps * warp_size>();
      if (warp > 0) {
        const T sum = scan_warp<tuning::warps>(totals[min(lane, tuning::warps - 1)], op);
        mine.prepend(shuffle_from(sum, warp - 1), op);
      }
    }

    shared.prefixed[at.stage].wait(at.parity);
    const bool has_prefix = tile.count > 0 && (tile.part > 0 || work.has_init);
    order::uninitialized<T, 1> prefix;
    if (has_prefix) prefix[0] = shared.prefix[at.stage];
    __syncwarp();
    if (lane == 0) shared.read[at.stage].arrive();

    // What is read where it stands may be what is written.
    if (!in_shared_memory<T, Op>) shared.taken[at.stage].wait(at.parity);
    T* const to = work.out + tile.first - tile.skipped;
    if constexpr (in_runs) {
      unsigned char* const exchange =
          stages + (tuning::stages * tuning::stage_bytes + warp * tuning::exchange_bytes);
      mine.write(to, tile, work.exclusive, has_prefix, prefix[0], op, reinterpret_cast<T*>(exchange));
    } else {
      mine.write(to, tile, work.exclusive, has_prefix, prefix[0], op);
    }
  }
}

template <class T, class Op>
__global__ void __launch_bounds__(scan_tuning<T, Op>::threads, 1)
    lookahead_scan(const __grid_constant__ scan_work<T, Op> work) {
  using tuning = scan_tuning<T, Op>;
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
  using tuning = scan_tuning<T, Op>;
  const std::size_t rows_of_warps = (work.places() + tuning::row_of_warps - 1) / tuning::row_of_warps;
  work.parts = (rows_of_warps + tuning::vectors - 1) / tuning::vectors;
  work.rows_of_warp = static_cast<unsigned>((rows_of_warps + work.parts - 1) / work.parts);
  if constexpr (uses_blocked_tile<T, Op>) work.rows_of_warp |= 1;
  work.parts = (rows_of_warps + work.rows_of_warp - 1) / work.rows_of_warp;
  work.tile = work.rows_of_warp * tuning::row_of_warps;
  constexpr unsigned shared_bytes = tuning::staged ? tuning::bulk_bytes : 0;
  static pdl_kernel kernel(lookahead_scan<T, Op>, "launch of lookahead_scan", shared_bytes);
  const std::size_t tiles = work.tiles(), resident = multiprocessors(where);
  const auto grid = static_cast<unsigned>(tiles < resident ? tiles : resident);
  temp_storage scratch(where, {.words = tiles * words_of<T>});
  work.states = states_in(scratch);
  kernel.launch(where, grid, tuning::threads, work);
  scratch.launched(tiles + grid);
}

}  // namespace heddle::gpu
