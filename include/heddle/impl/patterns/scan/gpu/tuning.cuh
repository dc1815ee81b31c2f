#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/core/scan_order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>

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

/// Vectors of a column that a thread of tall_columns_scan() takes at once in order: a power of two, as many
/// as registers hold.
template <class T>
struct column_unit_tuning {
  static constexpr unsigned vectors = sizeof(T) < 8 ? 4 : 2,
                            rows = vectors * static_cast<unsigned>(order::scan_vector<T>),
                            log2_units_of_row = std::bit_width(order::scan_row_vectors / vectors) - 1;
};

/// tall_columns_scan(): threads by their roles, and shared memory. `Panels`: columns are more than a tile
/// has.
template <class T, bool Panels>
struct tall_columns_tuning {
  static constexpr unsigned reduce_threads = 256, scan_threads = 256;
  /// Columns of a tile, each with a thread that looks ahead and one for its group of tiles.
  static constexpr unsigned most_width = sizeof(T) < 8 ? 128 : 64;
  static constexpr unsigned first_to_load = reduce_threads + scan_threads,
                            first_to_store = first_to_load + warp_size,
                            first_of_groups = first_to_store + warp_size,
                            first_ahead = first_of_groups + most_width, threads = first_ahead + most_width;
  /// The copies of a panel's rows are as fast as these are long.
  static constexpr unsigned stages = Panels ? 3 : 4,
                            panel_columns = std::min<unsigned>(512 / sizeof(T), most_width);
  /// Tiles of a group, whose totals are combined and published.
  static constexpr unsigned log2_group_tiles = 4, group_tiles = 1 << log2_group_tiles;
  /// What columns_shared leaves of 226 KiB.
  static constexpr unsigned stage_bytes =
      ((226 * 1024 - 512) / stages - (5 * most_width + scan_threads) * sizeof(T)) / 1024 * 1024;
  static constexpr unsigned most_columns(bool in_order) {
    return in_order ? std::min(most_width,
                               static_cast<unsigned>((stage_bytes - 32) / (order::scan_row<T> * sizeof(T))))
                    : most_width;
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
