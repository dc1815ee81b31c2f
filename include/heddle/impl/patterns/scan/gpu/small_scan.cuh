#pragma once

#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/tile_prefix.cuh>
#include <heddle/impl/gpu/temp_storage.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/patterns/scan/gpu/striped_tile.cuh>
#include <heddle/impl/patterns/scan/gpu/tuning.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

/// Scans of up to a few million elements, and of many rows that a block holds, in one launch that reads and
/// writes each element once. Every tile is in the registers of a block of its own. A block publishes its
/// aggregate and combines those of all earlier tiles, so that none waits for a chain of others.
namespace heddle::gpu {

/// How rows are cut into tiles.
struct small_scan_shape {
  unsigned warps;         ///< of a block; none when the rows are too long or too many
  unsigned rows_of_warp;  ///< of 32 vectors
  std::size_t parts;      ///< tiles of a row
};

template <class T>
small_scan_shape shape_of_small_scan(std::size_t rows, std::size_t length) {
  using tuning = small_scan_tuning<T>;
  // More tiles share the reading and writing among more processors; fewer wait for each other less.
  struct limit {
    unsigned warps, rows_of_warp;
    std::size_t tiles;
  };
  for (const limit most : {limit{8, 1, 64}, limit{16, 1, 64}, limit{16, tuning::rows, 96},
                           limit{tuning::warps, tuning::rows, 96}, limit{tuning::warps, tuning::rows, 128}}) {
    const std::size_t parts = most.tiles / rows, row = most.warps * tuning::row;
    if (parts == 0) continue;
    const std::size_t rows_of_warps = (length + row - 1) / row,
                      each = std::bit_ceil((rows_of_warps + parts - 1) / parts);
    if (each <= most.rows_of_warp)
      return {most.warps, static_cast<unsigned>(each), (rows_of_warps + each - 1) / each};
  }
  return {0, 0, 0};
}

/// A block for each of many rows, where it has few warps to hold one, so that some blocks of a multiprocessor
/// read or write while others wait for their warps.
template <class T>
small_scan_shape shape_row_by_row(std::size_t rows, std::size_t length) {
  constexpr std::size_t row_of_warp = small_scan_tuning<T>::row,
                        fit = std::size_t{small_scan_tuning<T>::warps} * small_scan_tuning<T>::rows,
                        most = std::min<std::size_t>(fit, 32 * 1024 / (row_of_warp * sizeof(T)));
  const std::size_t rows_of_warps = (length + row_of_warp - 1) / row_of_warp;
  if (rows_of_warps > most || rows > std::numeric_limits<std::int32_t>::max()) return {0, 0, 0};
  const std::size_t warps = (rows_of_warps + small_scan_tuning<T>::rows - 1) / small_scan_tuning<T>::rows,
                    rows_of_warp = std::bit_ceil((rows_of_warps + warps - 1) / warps);
  return {static_cast<unsigned>((rows_of_warps + rows_of_warp - 1) / rows_of_warp),
          static_cast<unsigned>(rows_of_warp), 1};
}

template <class T, class Op>
__global__ void __launch_bounds__(small_scan_tuning<T>::warps* warp_size)
    small_scan(const __grid_constant__ scan_work<T, Op> work) {
  using tuning = small_scan_tuning<T>;
  extern __shared__ __align__(16) unsigned char exchange[];
  __shared__ std::size_t taken;
  __shared__ order::uninitialized<T, tuning::warps> warp_total;
  __shared__ order::uninitialized<T, warp_size> prefix;
  static_assert(tuning::warps <= warp_size);
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const unsigned last_warp = blockDim.x / warp_size - 1;
  grid_dependency_sync();
  if (work.parts > 1) {
    if (threadIdx.x == 0) taken = work.states.next_tile();
    __syncthreads();
  }
  const Op op = work.op;
  const tile_range tile = range_of_tile(work, work.parts > 1 ? taken : blockIdx.x);
  striped_tile<T, Op, tuning::rows, false> mine(warp, work.rows_of_warp);
  mine.load(work.x + tile.first - tile.skipped, tile, tile.fills(work.tile), op);
  const T total = mine.scan(op);
  if (lane == 0) warp_total[warp] = total;
  __syncthreads();
  const bool tile_has_prefix = tile.part > 0 || work.has_init;
  if (warp == 0) {
    const blocks_of_lanes<T> warps_before(warp_total[min(lane, last_warp)], lane, last_warp + 1, op);
    // Tiles of a row that has several are of a power of two of warps.
    if (lane == 0 && tile.part + 1 < work.parts)
      publish_aggregate(work.states, work.tiles(), tile.number, warps_before.total());
    bool exists = work.has_init;
    order::uninitialized<T, 1> sum;
    if (exists) sum[0] = work.init[0];
    if (tile.part > 0) {
      constexpr unsigned rows = 4, pause_ns = 100;
      const auto count = static_cast<unsigned>(tile.part);
      order::uninitialized<T, rows> aggregates;
      wait_aggregates<rows>(work.states, work.tiles(), tile.number - tile.part, count, pause_ns, aggregates);
      append_aggregates<rows>(aggregates, count, exists, sum[0], op);
    }
    warps_before.append_to(exists, sum[0], op);
    if (exists) prefix[lane] = sum[0];
  }
  __syncthreads();
  const bool has_prefix = warp > 0 || tile_has_prefix;
  order::uninitialized<T, 1> before;
  if (has_prefix) before[0] = prefix[warp];
  mine.write(work.out + tile.first - tile.skipped, tile, work.exclusive, has_prefix, before[0], op,
             exchange + warp * exchange_bytes<T>);
}

/// Scans rows in a shape of those above.
template <class T, class Op>
void launch_small_scan(const target& where, scan_work<T, Op>& work, const small_scan_shape& shape) {
  work.parts = shape.parts;
  work.rows_of_warp = shape.rows_of_warp;
  work.tile = shape.warps * shape.rows_of_warp * small_scan_tuning<T>::row;
  static pdl_kernel kernel(small_scan<T, Op>, "launch of small_scan", 0,
                           small_scan_tuning<T>::warps * exchange_bytes<T>);
  const std::size_t tiles = work.tiles();
  if (work.parts == 1)
    return kernel.launch(where, static_cast<unsigned>(tiles), shape.warps * warp_size, work);
  temp_storage scratch(where, {.words = tiles * words_of<T>});
  work.states = states_in(scratch);
  kernel.launch(where, static_cast<unsigned>(tiles), shape.warps * warp_size, work);
  scratch.launched(tiles);
}

}  // namespace heddle::gpu
