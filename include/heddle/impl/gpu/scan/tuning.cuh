#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/scan_order.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>

/// The numbers of the kernels of scan, measured on an H200.
namespace heddle::gpu {

/// Warps whose registers hold a tile: `most`, and fewer for elements that are large.
constexpr unsigned warps_that_hold(std::size_t element_bytes, unsigned most) {
  return element_bytes <= 16    ? most
         : element_bytes <= 128 ? 8
         : element_bytes <= 256 ? 4
         : element_bytes <= 512 ? 2
                                : 1;
}

/// Bytes of shared memory in which a warp rearranges the elements of its lanes as vectors of 16 bytes of the
/// output; none for elements that are stored one by one.
template <class T>
inline constexpr unsigned exchange_bytes =
    sizeof(T) <= 32 ? 16 + warp_size * static_cast<unsigned>(order::scan_vector<T> * sizeof(T)) : 0;

/// Rows of a warp whose lanes hold up to `Bytes`: a power of two.
template <class T, std::size_t Bytes>
inline constexpr unsigned rows_that_hold = static_cast<unsigned>(
    std::clamp<std::size_t>(std::bit_floor(Bytes / (order::scan_vector<T> * sizeof(T))), 1, 8));

/// small_scan(): rows of a warp, and warps of a block.
template <class T>
struct small_scan_tuning {
  static constexpr bool fits = sizeof(T) <= 16;
  static constexpr unsigned row = warp_size * static_cast<unsigned>(order::scan_vector<T>);
  static constexpr unsigned warps = sizeof(T) < 8 ? 32 : 16;
  /// Tiles are of up to 64 KiB.
  static constexpr unsigned rows = rows_that_hold<T, 2048 / warps>;
};

/// lookahead_scan(): warps that scan, warps that reduce, and the tile.
template <class T>
struct scan_tuning {
  static constexpr std::size_t bytes = sizeof(T);
  static constexpr unsigned warps = warps_that_hold(bytes, 16);
  static constexpr unsigned row = warp_size * static_cast<unsigned>(order::scan_vector<T>);
  /// Rows of a warp: tiles are of up to 64 KiB.
  static constexpr unsigned rows = rows_that_hold<T, (bytes > 16 && bytes <= 32 ? 256 : 128)>;
  static constexpr unsigned reducers = warps == 1 ? 1 : bytes < 8 ? 4 : 2;
  /// Rows of a warp that reduces.
  static constexpr unsigned share_rows = warps / reducers * rows;
  static constexpr unsigned tile = warps * rows * row;
  static constexpr unsigned stages = 3;
  /// A tile begins up to 16 bytes after its stage, and the copy ends up to 16 bytes after the tile.
  static constexpr unsigned stage_bytes = (tile * bytes + 32 + 127) / 128 * 128;
  static constexpr unsigned exchanges = warps * exchange_bytes<T>;
  /// Elements of scan_shared, which has less than 1 KiB besides.
  static constexpr unsigned shared_elements = stages + 2 * warps + 2 * reducers;
  static constexpr bool staged =
      stages * stage_bytes + exchanges + shared_elements * bytes + 1024 <= 227 * 1024;
  static constexpr unsigned threads = (warps + reducers + 2) * warp_size;
};

/// tall_columns_scan(): threads by their roles, and shared memory.
template <class T>
struct tall_columns_tuning {
  static constexpr unsigned reduce_threads = 256, scan_threads = 256, group_threads = 64, ahead_threads = 256;
  static constexpr unsigned first_to_load = reduce_threads + scan_threads,
                            first_to_store = first_to_load + warp_size,
                            first_of_groups = first_to_store + warp_size,
                            first_ahead = first_of_groups + group_threads,
                            threads = first_ahead + ahead_threads;
  static constexpr unsigned stages = 4;
  static constexpr unsigned most_columns = sizeof(T) == 1 ? 40 : std::min(256 / words_of<T>, 160u);
  /// Totals that a thread waits for at once, as many as registers hold: a piece.
  static constexpr unsigned totals_of_piece = words_of<T> == 1 ? 8 : 4;
  /// Blocks that take tiles of one matrix.
  static constexpr unsigned most_concurrent_tiles = 144;
  /// Pieces a tile, and up to how many there are no tile groups.
  static constexpr unsigned most_pieces = 1152, few_pieces = 600;
  /// What columns_shared leaves of 226 KiB.
  static constexpr unsigned stage_bytes =
      ((226 * 1024 - 256 - (most_pieces + 2 * reduce_threads) * sizeof(T)) / stages - 128 -
       (2 * most_columns + scan_threads) * sizeof(T)) /
      1024 * 1024;

  HD_INLINE static constexpr unsigned pieces_of(unsigned totals) {
    return (totals + totals_of_piece - 1) / totals_of_piece;
  }
};

/// scan_segmented_tiles(): as many warps as leave a thread 80 registers, which elements of 4 and 8 bytes
/// need.
template <class T>
struct segmented_tuning {
  static constexpr std::size_t bytes = sizeof(T);
  static constexpr unsigned vector = items_per_vector<T>;
  /// Vectors of a lane: 64 bytes, and no more elements than its registers hold.
  static constexpr unsigned rows = bytes == 1 ? 2 : bytes == 2 ? 3 : bytes <= 16 ? 4 : 1;
  static constexpr unsigned row = warp_size * vector;
  static constexpr unsigned warps = warps_that_hold(bytes, 11);
  /// With those of the warp that looks ahead.
  static constexpr unsigned threads = (warps + 1) * warp_size;
  static constexpr unsigned tile = warps * rows * row;
  /// Blocks of a multiprocessor: one reads or writes while another waits.
  static constexpr unsigned blocks = bytes <= 16 ? 2 : 1;
};

/// scan_down(): threads of a block.
inline constexpr unsigned scan_down_threads = 256;
/// Rows of a thread and blocks of a multiprocessor where columns are not longer than that.
inline constexpr unsigned few_rows_to_scan = 4, blocks_of_few_rows = 4;
/// Fewer columns than these leave multiprocessors idle: they are cut into parts.
inline constexpr std::size_t least_thread_parts = 2048;

}  // namespace heddle::gpu
