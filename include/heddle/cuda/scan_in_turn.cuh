#pragma once

#include <heddle/cuda/bulk_copy.cuh>
#include <heddle/cuda/launch.cuh>
#include <heddle/cuda/prefix_of_tiles.cuh>
#include <heddle/cuda/scan_tile.cuh>
#include <heddle/cuda/scratch.cuh>
#include <heddle/cuda/warp.cuh>
#include <heddle/grouping.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#include <cstdint>

/// Tiles scanned in turn, in one launch that reads once and writes once.
///
/// In a block warps have roles. One takes tiles and brings them into shared memory, up to three at a time.
/// Two or four combine a tile as soon as it is there, well before it is scanned, and publish the total. One
/// looks ahead: it combines what the tiles before have published, 128 at a time, each block for itself, so
/// that no tile waits for a chain of others. Sixteen scan tiles in registers and write them. The look-ahead
/// replaces the look-back of Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back"
/// (2016).
namespace heddle::cuda {

/// The shape of a tile.
template <class T>
struct scan_tuning {
  static constexpr std::size_t bytes = sizeof(T);
  static constexpr unsigned warps = bytes <= 16 ? 16 : bytes <= 128 ? 8 : bytes <= 512 ? 4 : 1;
  static constexpr unsigned rows = bytes <= 16 ? 8 : bytes <= 32 ? 2 : 1;
  static constexpr unsigned reducers = warps == 1 ? 1 : bytes < 8 ? 4 : 2;
  /// Elements of a tile of which each warp scans one row; a tile has up to `rows` times as many.
  static constexpr unsigned row_of_warps = warps * warp_size * scan_pack<T>;
  static constexpr unsigned tile = row_of_warps * rows;
  static constexpr unsigned stages = 3;
  /// Places begin less than 16 bytes behind the stage, and what is copied ends at most 16 behind them.
  static constexpr unsigned stage_bytes = (tile * bytes + 32 + 127) / 128 * 128;
  static constexpr bool staged = stages * stage_bytes <= 200 * 1024;
  static constexpr unsigned threads = (warps + reducers + 2) * warp_size;
};

/// A tile that is on its way.
struct tile_in_flight : placed_tile {
  unsigned shift;  ///< bytes in shared memory before its first place
};

template <class T>
struct scan_shared {
  using tuning = scan_tuning<T>;
  phase_barrier arrived[tuning::stages];   ///< the tile is in shared memory
  phase_barrier taken[tuning::stages];     ///< all who need it have it
  phase_barrier prefixed[tuning::stages];  ///< what stands before it is known
  phase_barrier read[tuning::stages];      ///< and has been read
  tile_in_flight tiles[tuning::stages];
  grouping::uninitialized<T, tuning::stages> prefix;
  // Of one tile and of the next in turns.
  grouping::uninitialized<T, 2 * tuning::warps> warp_total;
  grouping::uninitialized<T, 2 * tuning::reducers> reducer_total;
};

/// Goes from stage to stage, and knows the parity of the phase that is waited for.
template <unsigned Stages>
struct ring_position {
  unsigned stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// Whether tiles are copied to shared memory, or read where they stand.
template <class T>
inline constexpr bool in_shared_memory = has_bulk_copies&& scan_tuning<T>::staged;

/// Takes tiles in turn and starts copying them.
template <class T, class Op>
__device__ void bring_tiles(const scan_work<T, Op>& work, scan_shared<T>& shared, unsigned char* stages) {
  using tuning = scan_tuning<T>;
  if (threadIdx.x % warp_size != 0) return;
  const std::size_t tiles = work.tiles();
  // Whole granules of 16 bytes that hold no byte but of the input.
  const auto begin = reinterpret_cast<std::uintptr_t>(work.x);
  const std::uintptr_t first_granule = (begin + 15) / 16 * 16;
  const std::uintptr_t end_granule = (begin + work.rows * work.length * sizeof(T)) / 16 * 16;
  ring_position<tuning::stages> at;
  for (bool more = true; more; at.advance()) {
    shared.taken[at.stage].wait(at.parity ^ 1);
    tile_in_flight& next = shared.tiles[at.stage];
    // A block takes tiles until there are no more: it asks once in vain.
    const std::size_t number = work.states.take_tile();
    if (number >= tiles) {
      next.number = placed_tile::none;
      shared.arrived[at.stage].arrive();
      more = false;
      continue;
    }
    static_cast<placed_tile&>(next) = place_tile(work, number);
    if constexpr (in_shared_memory<T>) {
      const std::uintptr_t from = begin + next.first * sizeof(T);
      std::uintptr_t copy_from = from / 16 * 16, copy_to = (from + next.count * sizeof(T) + 15) / 16 * 16;
      const auto past = static_cast<unsigned>(from - copy_from),
                 skipped = next.skipped * static_cast<unsigned>(sizeof(T)), room = skipped > past ? 16u : 0;
      next.shift = room + past - skipped;
      unsigned char* const copied_to = stages + (at.stage * tuning::stage_bytes + room);
      const auto place_of = [copied_to, begin = copy_from](std::uintptr_t address) {
        return copied_to + (address - begin);
      };
      // What shares its granule with foreign bytes.
      const auto copy_by_hand = [&](std::uintptr_t granule) {
        copy_part_of_granule(place_of(granule), granule, from, from + next.count * sizeof(T));
      };
      for (; copy_from < first_granule && copy_from < copy_to; copy_from += 16) copy_by_hand(copy_from);
      if (copy_to > end_granule && copy_to > copy_from) copy_by_hand(copy_to -= 16);
      const auto bytes = static_cast<unsigned>(copy_to - copy_from);
      if (bytes > 0) {
#if HD_PTX_ARCH >= 900
        shared.arrived[at.stage].arrive_and_expect(bytes);
        start_copy(place_of(copy_from), reinterpret_cast<const void*>(copy_from), bytes,
                   shared.arrived[at.stage]);
#endif
        continue;
      }
    }
    shared.arrived[at.stage].arrive();
  }
}

/// Finds what stands before each tile of this block, from what all tiles before it have published.
template <class T, class Op>
__device__ void look_ahead(const scan_work<T, Op>& work, scan_shared<T>& shared) {
  using tuning = scan_tuning<T>;
  constexpr unsigned group = tiles_of_group<T>;
  // A group that is whole is waited for together with the first tiles after it, where the registers hold
  // them; what is more is read again with the rest. Two groups at a time were slower on an H200.
  constexpr unsigned rows_at_once = rows_of_group<T> + (words_of<T> <= 2 ? 1 : 0);
  const unsigned lane = threadIdx.x % warp_size;
  prefix_of_tiles<T, Op> before(work.op);
  std::size_t row_begin = 0, folded = 0;  // tiles of this row that are in `before`
  for (ring_position<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const std::size_t number = shared.tiles[at.stage].number;
    if (number == placed_tile::none) return;
    const std::size_t part = shared.tiles[at.stage].part;
    const bool is_empty = shared.tiles[at.stage].count == 0;
    __syncwarp();
    if (lane == 0) shared.taken[at.stage].arrive();
    if (number - part != row_begin) {
      row_begin = number - part;
      folded = 0;
      before.clear();
    }
    grouping::uninitialized<T, 1> prefix;
    unsigned rest = 0;
    for (bool more = !is_empty; more;) {
      rest = static_cast<unsigned>(min(part - folded, std::size_t{rows_at_once * warp_size}));
      if (rest == 0) break;
      more = rest == rows_at_once * warp_size;
      auto rows = totals_of_rows<rows_at_once>(work, row_begin + folded, rest);
      if (rest >= group) {
        before.append(total_of_rows(&rows[0], group, work.op));
        folded += group;
        rest -= group;
        rows[0] = rows[rows_at_once - 1];
      }
      if (rest > 0) prefix[0] = total_of_rows(&rows[0], rest, work.op);
    }
    bool exists = before.prepend_to(rest > 0, prefix[0]);
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
  using tuning = scan_tuning<T>;
  if constexpr (in_shared_memory<T>) {
    return reinterpret_cast<const T*>(stages + stage * tuning::stage_bytes + tile.shift);
  }
  return work.x + tile.first - tile.skipped;
}

/// Rows of packs that a reducer has are a multiple of this.
template <class T>
inline constexpr unsigned rows_of_reducer = scan_tuning<T>::warps / scan_tuning<T>::reducers;

/// What a lane's packs in `rows` rows combine to, in any order, but for the first `skipped` places.
template <class T, class Op>
__device__ T total_of_lane(const T* rows_begin, unsigned rows, [[maybe_unused]] unsigned skipped,
                           const Op& op) {
  constexpr unsigned pack = scan_pack<T>, row = warp_size * pack;
  constexpr unsigned batch = sizeof(T) > 16 ? 1 : sizeof(T) < 16 ? rows_of_reducer<T> : 4;
  constexpr bool in_lanes = lanes<T, Op>::exist && !adds_small_integers<T, Op>;
  const T* const from = rows_begin + threadIdx.x % warp_size * pack;
  const unsigned past = bytes_past_granule(from);
  [[maybe_unused]] unsigned small = 0;
  [[maybe_unused]] std::conditional_t<in_lanes, total_in_lanes<T, Op>, unsigned> of_lanes{};
  grouping::uninitialized<T, pack> sum;
#pragma unroll 2
  for (unsigned r = 0; r < rows; r += batch) {
    grouping::uninitialized<T, pack> x[batch];
#pragma unroll
    for (unsigned n = 0; n < batch; ++n) {
      if constexpr (tiles_are_granules<T, Op>) {
        if (n == 0 && r == 0 && skipped > 0) {
#pragma unroll
          for (unsigned k = 0; k < pack; ++k) x[n][k] = k < skipped ? grouping::neutral<T>(op) : from[k];
          continue;
        }
      }
      load_pack<in_shared_memory<T>>(from + (r + n) * row, past, x[n]);
    }
    if constexpr (adds_small_integers<T, Op>) {
#pragma unroll
      for (unsigned n = 0; n < batch; ++n) small += add_small_integers<T>(&x[n], 0);
    } else if constexpr (in_lanes) {
#pragma unroll
      for (unsigned n = 0; n < batch; ++n) of_lanes.append(x[n], op);
    } else {
#pragma unroll
      for (unsigned k = 0; k < pack; ++k) {
#pragma unroll
        for (unsigned n = 0; n < batch; ++n) x[n][k] = detail::lift<Op>(x[n][k]);
        // As a tree, so that few wait for one another.
        by_halves<batch>([&](unsigned n, unsigned other) { x[n][k] = op(x[n][k], x[other][k]); });
        sum[k] = r > 0 ? op(sum[k], x[0][k]) : x[0][k];
      }
    }
  }
  if constexpr (adds_small_integers<T, Op>) {
    return static_cast<T>(small);
  } else if constexpr (in_lanes) {
    return of_lanes.get(op);
  } else {
    by_halves<pack>([&](unsigned k, unsigned other) { sum[k] = op(sum[k], sum[other]); });
    return sum[0];
  }
}

/// What `rows` rows of packs combine to in order, in lane 0.
template <class T, class Op>
__device__ T total_in_order(const T* rows_begin, unsigned rows, const Op& op) {
  constexpr unsigned pack = scan_pack<T>;
  // A lane takes neighbouring packs, so that fewer steps between lanes are needed.
  constexpr unsigned side_by_side = rows_of_reducer<T> % 4 == 0 ? 4 : 1;
  const T* const from = rows_begin + threadIdx.x % warp_size * side_by_side * pack;
  const unsigned past = bytes_past_granule(from);
  grouping::uninitialized<T, 1> total;
#pragma unroll 4
  for (unsigned r = 0; r < rows; r += side_by_side) {
    grouping::uninitialized<T, 1> sum;
#pragma unroll
    for (unsigned n = 0; n < side_by_side; ++n) {
      grouping::uninitialized<T, pack> x;
      load_pack<in_shared_memory<T>>(from + (r * warp_size + n) * pack, past, x);
      sum[0] = n > 0 ? op(sum[0], detail::lift<Op>(x[0])) : detail::lift<Op>(x[0]);
#pragma unroll
      for (unsigned k = 1; k < pack; ++k) sum[0] = op(sum[0], detail::lift<Op>(x[k]));
    }
    fold_warp<1>(sum, warp_size, op);
    total[0] = r > 0 ? op(total[0], sum[0]) : sum[0];
  }
  return total[0];
}

/// Combines tiles, well before they are scanned, and publishes the totals.
template <class T, class Op>
__device__ void reduce_tiles(const scan_work<T, Op>& work, scan_shared<T>& shared,
                             const unsigned char* stages, unsigned warp) {
  using tuning = scan_tuning<T>;
  constexpr unsigned reducers = tuning::reducers;
  const unsigned lane = threadIdx.x % warp_size, rows = work.rows_of_warp * rows_of_reducer<T>;
  const Op op = work.op;
  unsigned turn = 0;
  for (ring_position<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const tile_in_flight tile = shared.tiles[at.stage];
    if (tile.number == placed_tile::none) return;
    // Nobody asks for the total of what ends a row.
    const bool wanted = !tile.ends_row;
    grouping::uninitialized<T, 1> total;
    if (wanted) {
      const T* const from = places_of(work, tile, stages, at.stage) + warp * rows * warp_size * scan_pack<T>;
      if constexpr (is_commutative<Op, T>) {
        total[0] = total_of_lane(from, rows, warp == 0 && lane == 0 ? tile.skipped : 0, op);
      } else {
        total[0] = total_in_order(from, rows, op);
      }
    }
    __syncwarp();
    if (lane == 0) shared.taken[at.stage].arrive();
    if (!wanted) continue;
    if constexpr (is_commutative<Op, T>) fold_warp<1>(total, warp_size, op);
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
    if (warp == 0 && lane == 0) publish_state(work.states, work.tiles(), tile.number, total[0]);
  }
}

/// Scans tiles and writes them.
template <class T, class Op>
__device__ void scan_tiles_taken(const scan_work<T, Op>& work, scan_shared<T>& shared,
                                 const unsigned char* stages) {
  using tuning = scan_tuning<T>;
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const Op op = work.op;
  unsigned turn = 0;
  for (ring_position<tuning::stages> at;; at.advance(), turn ^= 1) {
    shared.arrived[at.stage].wait(at.parity);
    const tile_in_flight tile = shared.tiles[at.stage];
    if (tile.number == placed_tile::none) return;
    rows_in_registers<T, Op, tuning::rows, in_shared_memory<T>> mine(warp, work.rows_of_warp);
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
    grouping::uninitialized<T, 1> prefix;
    if (has_prefix) prefix[0] = shared.prefix[at.stage];
    __syncwarp();
    if (lane == 0) shared.read[at.stage].arrive();

    // What is read where it stands may be what is written.
    if (!in_shared_memory<T>) shared.taken[at.stage].wait(at.parity);
    mine.write(work.out + tile.first - tile.skipped, tile, work.exclusive, has_prefix, prefix[0], op);
  }
}

template <class T, class Op>
__global__ void __launch_bounds__(scan_tuning<T>::threads, 1)
    scan_in_turn(const __grid_constant__ scan_work<T, Op> work) {
  using tuning = scan_tuning<T>;
  static_assert(sizeof(scan_shared<T>) <= 48 * 1024,
                "a scan on a GPU takes elements of up to 7000 bytes: scan the indices of larger ones");
  extern __shared__ __align__(128) unsigned char stages[];
  __shared__ scan_shared<T> shared;
  const unsigned warp = threadIdx.x / warp_size;
  if (threadIdx.x == 0) {
    for (unsigned s = 0; s < tuning::stages; ++s) {
      shared.arrived[s].init(1);
      shared.taken[s].init(tuning::warps + tuning::reducers + 1);
      shared.prefixed[s].init(1);
      shared.read[s].init(tuning::warps);
    }
    publish_barriers();
  }
  wait_for_kernels_before();
  __syncthreads();
  if (warp < tuning::warps) {
    scan_tiles_taken(work, shared, stages);
  } else if (warp == tuning::warps) {
    bring_tiles(work, shared, stages);
  } else if (warp == tuning::warps + 1) {
    look_ahead(work, shared);
  } else {
    reduce_tiles(work, shared, stages, warp - tuning::warps - 2);
  }
}

/// Scans rows of any length, one after another or one row alone.
template <class T, class Op>
void launch_scan_in_turn(const target& where, scan_work<T, Op>& work) {
  using tuning = scan_tuning<T>;
  const std::size_t rows_of_warps = (work.places() + tuning::row_of_warps - 1) / tuning::row_of_warps;
  work.parts = (rows_of_warps + tuning::rows - 1) / tuning::rows;
  work.rows_of_warp = static_cast<unsigned>((rows_of_warps + work.parts - 1) / work.parts);
  work.parts = (rows_of_warps + work.rows_of_warp - 1) / work.rows_of_warp;
  work.tile = work.rows_of_warp * tuning::row_of_warps;
  constexpr unsigned shared_bytes = tuning::staged ? tuning::stages * tuning::stage_bytes : 0;
  static overlapping_kernel kernel(scan_in_turn<T, Op>, "launch of scan_in_turn", shared_bytes);
  const std::size_t tiles = work.tiles(), resident = multiprocessors(where);
  const auto grid = static_cast<unsigned>(tiles < resident ? tiles : resident);
  lent_scratch scratch(where, {.words = tiles * words_of<T>});
  work.states = states_in(scratch);
  kernel.launch(where, grid, tuning::threads, work);
  scratch.launched(tiles + grid);
}

}  // namespace heddle::cuda
