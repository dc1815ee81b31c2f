#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/gpu/arch/bulk_copy.cuh>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/pipeline_stage.cuh>
#include <heddle/impl/gpu/block/tile_prefix.cuh>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/scan/column_tiles.cuh>
#include <heddle/impl/gpu/scan/tuning.cuh>
#include <heddle/impl/gpu/temp_storage.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/order.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// Scans of few long columns in any order, in one launch that reads and writes each element once. A matrix is
/// cut into tiles of whole rows, which resident blocks take in order.
///
/// Warps of a block have roles, as in lookahead_scan(). One copies tiles to shared memory, up to four at a
/// time. Eight reduce a tile as soon as it has arrived, well before it is scanned, and publish the aggregates
/// of its columns. Eight look ahead: they combine the aggregates of the tiles above, each block for itself.
/// Eight scan tiles in shared memory, and one copies them out. Where there are many columns, two warps also
/// combine and publish the aggregates of a group of tiles, some consecutive ones. For each tile a block then
/// reads about 3 sqrt(n) aggregates of a column and not up to 2 n, where n tiles are concurrent.
namespace heddle::gpu {

/// A tile of columns whose copy to shared memory has started.
struct column_tile_in_flight {
  std::size_t matrix;  ///< none when there are no more
  std::size_t first;   ///< its first element
  unsigned part;       ///< its number in its matrix
  unsigned rows;
  bool is_last;
  static constexpr std::size_t none = ~std::size_t{0};
};

template <class T>
struct columns_shared {
  using tuning = tall_columns_tuning<T>;
  mbarrier arrived[tuning::stages];   ///< the tile is in shared memory
  mbarrier taken[tuning::stages];     ///< all warps have read it
  mbarrier reduced[tuning::stages];   ///< `total` has its totals, and `above` those of its groups
  mbarrier prefixed[tuning::stages];  ///< its exclusive prefix has been written
  mbarrier scanned[tuning::stages];   ///< it is in shared memory, scanned
  column_tile_in_flight tiles[tuning::stages];
  order::uninitialized<T, tuning::stages * tuning::most_columns> prefix, total;
  order::uninitialized<T, tuning::stages * tuning::scan_threads> above;  ///< a group in its tile
  order::uninitialized<T, tuning::reduce_threads> group_total, set_total;
  order::uninitialized<T, tuning::most_pieces> piece;
};

template <class T>
struct columns_work {
  const T* x;
  T* out;
  column_tiles<T> shape;
  bool exclusive, has_init;
  order::uninitialized<T, 1> init;
  tile_state states;
  unsigned* requests;  ///< requests for a tile of each matrix, zero before and after

  /// Whether tiles are scanned in place in shared memory and copied from there.
  __device__ bool copies_back() const { return has_bulk_copies && misalignment16(x) == misalignment16(out); }
  /// A tile's first element: in its stage, aligned as in global memory, or in global memory.
  __device__ T* begin_of(const column_tile_in_flight& tile, unsigned char* stage) const {
    const T* const from = x + tile.first;
    return has_bulk_copies ? reinterpret_cast<T*>(stage + misalignment16(from)) : const_cast<T*>(from);
  }
};

/// Takes tiles of matrices, in order.
template <class T>
class tall_columns_tiles {
 public:
  __device__ explicit tall_columns_tiles(const columns_work<T>& work) : work_(work) {}

  __device__ column_tile_in_flight next() {
    const column_tiles<T>& shape = work_.shape;
    column_tile_in_flight tile;
    while (true) {
      if (matrix_ == column_tile_in_flight::none) {
        const std::size_t ticket = work_.states.next_tile();
        if (ticket >= shape.matrices() * shape.concurrent_tiles) {
          tile.matrix = column_tile_in_flight::none;
          return tile;
        }
        matrix_ = ticket % shape.matrices();
        part_ = 0;
      }
      if (shape.concurrent_tiles > 1) {
        part_ = atomicAdd(&work_.requests[matrix_], 1u);
        // Every ticket asks once past the end.
        if (part_ == shape.parts + shape.concurrent_tiles - 1) work_.requests[matrix_] = 0;
      }
      if (part_ < shape.parts) break;
      matrix_ = column_tile_in_flight::none;
    }
    const std::size_t top = std::size_t{part_} * shape.rows();
    tile.matrix = matrix_;
    tile.part = part_;
    tile.first = (matrix_ * shape.all.length + top) * shape.width;
    tile.rows = static_cast<unsigned>(min(shape.all.length - top, std::size_t{shape.rows()}));
    tile.is_last = part_ + 1 == shape.parts;
    ++part_;
    return tile;
  }

 private:
  const columns_work<T>& work_;
  std::size_t matrix_ = column_tile_in_flight::none;
  unsigned part_ = 0;
};

/// Copies tiles to shared memory.
template <class T>
__device__ void load_columns_warp(const columns_work<T>& work, columns_shared<T>& shared,
                                  unsigned char* stages) {
  using tuning = tall_columns_tuning<T>;
  if (threadIdx.x % warp_size != 0) return;
  const column_tiles<T>& shape = work.shape;
  [[maybe_unused]] const auto begin = reinterpret_cast<std::uintptr_t>(work.x);
  [[maybe_unused]] const whole_vec16 whole(begin, begin + shape.all.elements() * sizeof(T));
  tall_columns_tiles<T> tiles(work);
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    const column_tile_in_flight next = tiles.next();
    shared.taken[at.stage].wait(at.parity ^ 1);
    shared.tiles[at.stage] = next;
    if (next.matrix == column_tile_in_flight::none) {
      shared.arrived[at.stage].arrive();
      return;
    }
    if constexpr (has_bulk_copies) {
#if HD_PTX_ARCH >= 900
      const std::uintptr_t from = begin + next.first * sizeof(T);
      const unsigned bytes = start_copy_of_vec16(stages + at.stage * tuning::stage_bytes, from,
                                                 from + std::size_t{next.rows} * shape.width * sizeof(T),
                                                 whole, shared.arrived[at.stage]);
      shared.arrived[at.stage].arrive_and_expect(bytes);
#endif
    } else {
      shared.arrived[at.stage].arrive();
    }
  }
}

/// What `count` published values below one another, from `first` on and no more than a piece, combine to.
template <class T, class Op>
__device__ T total_of_piece(const columns_work<T>& work, const Op& op, std::size_t first, unsigned count) {
  constexpr unsigned most = tall_columns_tuning<T>::totals_of_piece;
  order::uninitialized<T, most> value;
  wait_values<most>(work.states, work.shape.totals(), first, work.shape.width, count, value);
#pragma unroll
  for (unsigned k = 1; k < most; ++k) {
    if (k < count) value[0] = op(value[0], value[k]);
  }
  return value[0];
}

/// Combines the totals of groups of tiles and publishes them, in the block that has the last tile of a group.
template <class T, class Op>
__device__ void combine_tile_groups(const columns_work<T>& work, const Op& op, columns_shared<T>& shared) {
  using tuning = tall_columns_tuning<T>;
  constexpr unsigned of_piece = tuning::totals_of_piece;
  const column_tiles<T>& shape = work.shape;
  const unsigned thread = threadIdx.x - tuning::first_of_groups;
  if (shape.group_tiles == 1) return;
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const column_tile_in_flight tile = shared.tiles[at.stage];
    if (tile.matrix == column_tile_in_flight::none) return;
    const tile_position position = shape.position_of(tile.part);
    if (!tile.is_last &&
        (position.in_group + 1 == shape.group_tiles || position.in_wave + 1 == shape.concurrent_tiles)) {
      for (unsigned column = thread; column < shape.width; column += tuning::group_threads) {
        order::uninitialized<T, 1> sum;
        for (unsigned t = 0; t < position.in_group; t += of_piece) {
          const std::size_t first = shape.of_tile(tile.matrix, tile.part - position.in_group + t) + column;
          const T piece = total_of_piece(work, op, first, min(position.in_group - t, of_piece));
          sum[0] = t > 0 ? op(sum[0], piece) : piece;
        }
        if (column == thread) shared.reduced[at.stage].wait(at.parity);
        const T& own = shared.total[at.stage * tuning::most_columns + column];
        publish_aggregate(work.states, shape.totals(),
                          shape.of_tile_group(tile.matrix, position.wave, position.tile_group) + column,
                          position.in_group > 0 ? op(sum[0], own) : own);
      }
    }
    __syncwarp();
    if (thread % warp_size == 0) shared.taken[at.stage].arrive();
  }
}

/// Computes the exclusive prefixes of each tile of this block from the aggregates of the tiles above.
template <class T, class Op>
__device__ void lookahead_columns_warp(const columns_work<T>& work, const Op& op, columns_shared<T>& shared) {
  using tuning = tall_columns_tuning<T>;
  constexpr unsigned of_piece = tuning::totals_of_piece;
  const column_tiles<T>& shape = work.shape;
  const unsigned thread = threadIdx.x - tuning::first_ahead;

  // Combines the pieces of `count` values from `first` on, into `piece` from `first_piece` on.
  const auto combine_pieces = [&](unsigned first_piece, std::size_t first, unsigned count) {
    for (unsigned i = thread; i < tuning::pieces_of(count) * shape.width; i += tuning::ahead_threads) {
      const unsigned number = i / shape.width, column = i - number * shape.width, from = number * of_piece;
      shared.piece[first_piece * shape.width + i] = total_of_piece(
          work, op, first + (std::size_t{from} * shape.width + column), min(count - from, of_piece));
    }
  };
  const auto reduce_serially = [&](unsigned first_piece, unsigned pieces, bool& exists,
                                   order::uninitialized<T, 1>& sum) {
    const T* const from = &shared.piece[first_piece * shape.width + thread];
    if (pieces == 0) return;
    sum[0] = exists ? op(sum[0], from[0]) : from[0];
    exists = true;
#pragma unroll 4
    for (unsigned p = 1; p < pieces; ++p) sum[0] = op(sum[0], from[p * shape.width]);
  };
  const auto sync = [] { sync_some_threads<2, tuning::ahead_threads>(); };

  // With the registers for one level less than lookahead_scan() has; the last level has no end.
  tile_prefix<T, Op, 3> before(op);
  std::size_t matrix = column_tile_in_flight::none;
  unsigned combined = 0;  // waves that are in `before`
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const column_tile_in_flight tile = shared.tiles[at.stage];
    if (tile.matrix == column_tile_in_flight::none) return;
    if (tile.matrix != matrix) {
      matrix = tile.matrix;
      combined = 0;
      before.clear();
    }
    const bool has_column = thread < shape.width;
    unsigned tile_group = 0, pieces_in_group = 0;
    if (shape.concurrent_tiles > 1) {
      const tile_position position = shape.position_of(tile.part);
      const unsigned wave = position.wave;
      tile_group = position.tile_group;
      if (shape.group_tiles > 1) {
        pieces_in_group = tuning::pieces_of(position.in_group);
        combine_pieces(0, shape.of_tile(matrix, tile.part - position.in_group), position.in_group);
      }
      combine_pieces(pieces_in_group, shape.of_tile_group(matrix, wave, 0), tile_group);
      // The wave before, or several where a block took no tile of them.
      const unsigned first_piece = pieces_in_group + tuning::pieces_of(tile_group),
                     pieces = tuning::pieces_of(shape.wave_groups);
      const auto combine_wave = [&] {
        if (combined < wave)
          combine_pieces(first_piece, shape.of_tile_group(matrix, combined, 0), shape.wave_groups);
        sync();
      };
      combine_wave();
      while (combined < wave) {
        if (has_column) {
          order::uninitialized<T, 1> sum;
          bool exists = false;
          reduce_serially(first_piece, pieces, exists, sum);
          before.append(sum[0]);
        }
        ++combined;
        if (combined == wave) break;
        sync();
        combine_wave();
      }
    }
    if (has_column) {
      order::uninitialized<T, 1> rest;
      bool exists = false;
      reduce_serially(pieces_in_group, tuning::pieces_of(tile_group), exists, rest);
      reduce_serially(0, pieces_in_group, exists, rest);
      exists = before.prepend_to(exists, rest[0]);
      if (work.has_init) {
        rest[0] = exists ? op(work.init[0], rest[0]) : work.init[0];
        exists = true;
      }
      if (exists) shared.prefix[at.stage * tuning::most_columns + thread] = rest[0];
    }
    __syncwarp();
    if (thread % warp_size == 0) shared.prefixed[at.stage].arrive();
    if (shape.concurrent_tiles == 1 && !tile.is_last) {
      shared.reduced[at.stage].wait(at.parity);
      if (has_column) before.append(shared.total[at.stage * tuning::most_columns + thread]);
      __syncwarp();
    } else if (shape.concurrent_tiles > 1) {
      // Pieces are of the next tile from here on.
      sync();
    }
    if (thread % warp_size == 0) shared.taken[at.stage].arrive();
  }
}

/// Calls f with `count` elements below one another, several of which are read ahead.
template <class T, class F>
__device__ void for_rows(T* x, unsigned width, unsigned count, const F& f) {
  constexpr unsigned ahead = 8;
  for (; count >= ahead; count -= ahead, x += ahead * width) {
    order::uninitialized<T, ahead> value;
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) value[k] = x[k * width];
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) f(x[k * width], value[k]);
  }
  for (; count > 0; --count, x += width) f(*x, T(*x));
}

/// Combines tiles and publishes the totals of their columns.
template <class T, class Op>
__device__ void reduce_columns_warps(const columns_work<T>& work, const Op& op, columns_shared<T>& shared,
                                     unsigned char* stages) {
  using tuning = tall_columns_tuning<T>;
  const column_tiles<T>& shape = work.shape;
  const unsigned group = threadIdx.x / shape.width, column = threadIdx.x - group * shape.width;
  const unsigned first_row = group * shape.rows_of_thread;
  // Groups are combined a few at a time, and these again.
  const unsigned few = root_of(shape.groups), set = group / few;
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const column_tile_in_flight tile = shared.tiles[at.stage];
    if (tile.matrix == column_tile_in_flight::none) return;
    const bool has_rows = group < shape.groups && first_row < tile.rows;
    order::uninitialized<T, 1> total;
    if (has_rows) {
      T* const x =
          work.begin_of(tile, stages + at.stage * tuning::stage_bytes) + first_row * shape.width + column;
      total[0] = impl::lift<Op>(*x);
      for_rows(x + shape.width, shape.width, min(tile.rows - first_row, shape.rows_of_thread) - 1,
               [&](const T&, const T& value) { total[0] = op(total[0], impl::lift<Op>(value)); });
    }
    if (shape.groups > 1) {
      // Those above of the same set, and of the sets above.
      order::uninitialized<T, 1> near, above;
      const auto reduce_serially = [&](order::uninitialized<T, 1>& sum, const T* from, unsigned count) {
        sum[0] = from[column];
#pragma unroll 4
        for (unsigned g = 1; g < count; ++g) sum[0] = op(sum[0], from[g * shape.width + column]);
      };
      const unsigned in_set = group - set * few;
      if (has_rows) shared.group_total[threadIdx.x] = total[0];
      sync_some_threads<1, tuning::reduce_threads>();
      if (has_rows) {
        if (in_set > 0) {
          reduce_serially(near, &shared.group_total[set * few * shape.width], in_set);
          total[0] = op(near[0], total[0]);
        }
        if (in_set + 1 == few) shared.set_total[set * shape.width + column] = total[0];
      }
      sync_some_threads<1, tuning::reduce_threads>();
      if (has_rows && group > 0) {
        if (set > 0) {
          reduce_serially(above, &shared.set_total[0], set);
          total[0] = op(above[0], total[0]);
          if (in_set > 0) above[0] = op(above[0], near[0]);
        } else {
          above[0] = near[0];
        }
        shared.above[at.stage * tuning::scan_threads + threadIdx.x] = above[0];
      }
    }
    if (group + 1 == shape.groups && has_rows && !tile.is_last) {
      shared.total[at.stage * tuning::most_columns + column] = total[0];
      if (shape.concurrent_tiles > 1)
        publish_aggregate(work.states, shape.totals(), shape.of_tile(tile.matrix, tile.part) + column,
                          total[0]);
    }
    __syncwarp();
    if (threadIdx.x % warp_size == 0) shared.reduced[at.stage].arrive();
  }
}

/// Scans each tile when its exclusive prefix is known; stores results where they are not copied.
template <class T, class Op>
__device__ void scan_columns_warps(const columns_work<T>& work, const Op& op, columns_shared<T>& shared,
                                   unsigned char* stages) {
  using tuning = tall_columns_tuning<T>;
  const column_tiles<T>& shape = work.shape;
  const unsigned thread = threadIdx.x - tuning::reduce_threads;
  const unsigned group = thread / shape.width, column = thread - group * shape.width;
  const unsigned first_row = group * shape.rows_of_thread;
  const bool copies_back = work.copies_back();
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const column_tile_in_flight tile = shared.tiles[at.stage];
    if (tile.matrix == column_tile_in_flight::none) return;
    shared.reduced[at.stage].wait(at.parity);
    shared.prefixed[at.stage].wait(at.parity);
    if (group < shape.groups && first_row < tile.rows) {
      T* const x =
          work.begin_of(tile, stages + at.stage * tuning::stage_bytes) + first_row * shape.width + column;
      const bool has_prefix = tile.part > 0 || work.has_init, carries = has_prefix || group > 0;
      order::uninitialized<T, 1> carry;
      if (has_prefix) carry[0] = shared.prefix[at.stage * tuning::most_columns + column];
      if (group > 0) {
        const T& above = shared.above[at.stage * tuning::scan_threads + thread];
        carry[0] = has_prefix ? op(carry[0], above) : above;
      }
      T* to = work.out + tile.first + first_row * shape.width + column;
      const auto write = [&](T& in_place, const T& value) {
        (copies_back ? in_place : *to) = order::canonical(value);
        to += shape.width;
      };
      const T first = impl::lift<Op>(*x);
      order::uninitialized<T, 1> delayed;
      delayed[0] = carries ? carry[0] : first;
      carry[0] = carries ? op(carry[0], first) : first;
      write(*x, work.exclusive ? delayed[0] : carry[0]);
      for_rows(x + shape.width, shape.width, min(tile.rows - first_row, shape.rows_of_thread) - 1,
               [&](T& in_place, const T& value) {
                 delayed[0] = carry[0];
                 carry[0] = op(carry[0], impl::lift<Op>(value));
                 write(in_place, work.exclusive ? delayed[0] : carry[0]);
               });
    }
#if HD_PTX_ARCH >= 900
    if (copies_back) fence_proxy_async();
#endif
    __syncwarp();
    if (thread % warp_size == 0) shared.scanned[at.stage].arrive();
  }
}

/// Copies scanned tiles from shared memory to where results go.
template <class T>
__device__ void store_columns_warps(const columns_work<T>& work, columns_shared<T>& shared,
                                    unsigned char* stages) {
  using tuning = tall_columns_tuning<T>;
  const unsigned lane = threadIdx.x % warp_size;
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const column_tile_in_flight tile = shared.tiles[at.stage];
    if (tile.matrix == column_tile_in_flight::none) return;
    shared.scanned[at.stage].wait(at.parity);
#if HD_PTX_ARCH >= 900
    if (work.copies_back()) {
      const T* const from = work.begin_of(tile, stages + at.stage * tuning::stage_bytes);
      const auto begin = reinterpret_cast<std::uintptr_t>(work.out + tile.first),
                 end = begin + std::size_t{tile.rows} * work.shape.width * sizeof(T);
      const whole_vec16 whole(begin, end);
      const std::uintptr_t whole_begin = min(whole.first, end), whole_end = max(whole.end, whole_begin);
      const auto byte_at = [&](std::uintptr_t address) {
        return reinterpret_cast<const unsigned char*>(from) + (address - begin);
      };
      if (lane == 0 && whole_begin < whole_end) {
        start_store(reinterpret_cast<void*>(whole_begin), byte_at(whole_begin),
                    static_cast<unsigned>(whole_end - whole_begin));
      }
      // Bytes at both ends that do not fill 16.
      if (begin + lane < whole_begin)
        *reinterpret_cast<unsigned char*>(begin + lane) = *byte_at(begin + lane);
      if (whole_end + lane < end)
        *reinterpret_cast<unsigned char*>(whole_end + lane) = *byte_at(whole_end + lane);
      if (lane == 0) wait_for_stores();
    }
#endif
    __syncwarp();
    if (lane == 0) shared.taken[at.stage].arrive();
  }
}

template <class T, class Op>
__global__ void __launch_bounds__(tall_columns_tuning<T>::threads, 1)
    tall_columns_scan(const __grid_constant__ columns_work<T> work, Op op) {
  using tuning = tall_columns_tuning<T>;
  // Of the tiles of a group, of the groups of a wave and of those of the wave before.
  static_assert(3 * tuning::pieces_of(root_of(tuning::most_concurrent_tiles)) * tuning::most_columns <=
                tuning::most_pieces);
  static_assert(sizeof(columns_shared<T>) + tuning::stages * tuning::stage_bytes <= 226 * 1024);
  extern __shared__ __align__(128) unsigned char stages[];
  __shared__ columns_shared<T> shared;
  if (threadIdx.x == 0) {
    const unsigned by_groups = work.shape.group_tiles > 1 ? tuning::group_threads : 0;
    for (unsigned s = 0; s < tuning::stages; ++s) {
      shared.arrived[s].init(1);
      shared.taken[s].init(1 + (by_groups + tuning::ahead_threads) / warp_size);
      shared.reduced[s].init(tuning::reduce_threads / warp_size);
      shared.prefixed[s].init(tuning::ahead_threads / warp_size);
      shared.scanned[s].init(tuning::scan_threads / warp_size);
    }
    fence_mbarrier_init();
  }
  grid_dependency_sync();
  __syncthreads();
  if (threadIdx.x < tuning::reduce_threads) {
    reduce_columns_warps(work, op, shared, stages);
  } else if (threadIdx.x < tuning::first_to_load) {
    scan_columns_warps(work, op, shared, stages);
  } else if (threadIdx.x < tuning::first_to_store) {
    load_columns_warp(work, shared, stages);
  } else if (threadIdx.x < tuning::first_of_groups) {
    store_columns_warps(work, shared, stages);
  } else if (threadIdx.x < tuning::first_ahead) {
    combine_tile_groups(work, op, shared);
  } else {
    lookahead_columns_warp(work, op, shared);
  }
}

/// Scans columns of which are_few_columns().
template <class T, class Op>
void launch_tall_columns_scan(const target& where, const T* x, const Op& op, const axis_lines& all,
                              bool exclusive, const T* init, T* out) {
  using tuning = tall_columns_tuning<T>;
  const column_tiles<T> shape(all, multiprocessors(where));
  columns_work<T> work{x, out, shape, exclusive, init != nullptr, {}, {}, nullptr};
  if (init != nullptr) memcpy(static_cast<void*>(&work.init), init, sizeof(T));
  static pdl_kernel kernel(tall_columns_scan<T, Op>, "launch of tall_columns_scan",
                           tuning::stages * tuning::stage_bytes);
  const std::size_t tickets = shape.matrices() * shape.concurrent_tiles, resident = multiprocessors(where);
  const auto grid = static_cast<unsigned>(std::min(tickets, resident));
  // The counter of tickets precedes the words, and exists if any word does.
  temp_storage scratch(where, {.words = std::max<std::size_t>(shape.totals() * words_of<T>, 1),
                               .counters = shape.concurrent_tiles > 1 ? shape.matrices() : 0});
  work.states = states_in(scratch);
  work.requests = scratch.counters();
  kernel.launch(where, grid, tuning::threads, work, op);
  scratch.launched(tickets + grid);
}

}  // namespace heddle::gpu
