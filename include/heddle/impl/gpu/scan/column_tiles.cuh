#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/scan/tuning.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>

/// How few long columns are cut for tall_columns_scan(): a matrix is all columns of one outer index, and a
/// tile is some whole rows of a matrix.
namespace heddle::gpu {

/// The least number whose square is no less than n.
HD_INLINE constexpr unsigned root_of(unsigned n) {
  unsigned root = 1;
  while (root * root < n) ++root;
  return root;
}

/// The position of a tile in its wave of concurrent tiles.
struct tile_position {
  unsigned wave, in_wave, tile_group, in_group;
};

/// How columns are cut.
template <class T>
struct column_tiles {
  using tuning = tall_columns_tuning<T>;
  axis_lines all;
  unsigned width;   ///< columns
  unsigned groups;  ///< threads below one another
  unsigned rows_of_thread;
  unsigned parts;             ///< tiles of a matrix
  unsigned concurrent_tiles;  ///< tiles of a matrix that blocks take at a time: a wave
  unsigned group_tiles;       ///< tiles of a group; 1 for no groups of tiles
  unsigned wave_groups;       ///< groups of tiles of a wave
  std::size_t totals_of_matrix;

  /// For as many blocks at once as there are multiprocessors.
  column_tiles(const axis_lines& columns, unsigned processors)
      : all(columns), width(static_cast<unsigned>(all.inner)) {
    const unsigned blocks = std::min(processors, tuning::most_concurrent_tiles);
    const unsigned bytes = width * static_cast<unsigned>(sizeof(T));
    // Tiles begin at sectors of memory where that costs few rows.
    const unsigned sector = 32 / std::gcd(32u, bytes);
    const auto whole_sectors = [sector](unsigned n) { return n % sector * 8 <= n ? n - n % sector : n; };
    groups = whole_sectors(tuning::scan_threads / width);
    const std::size_t rows_of_block = (all.outer * all.length + blocks - 1) / blocks;
    const auto most =
        static_cast<unsigned>(std::min<std::size_t>((tuning::stage_bytes - 32) / bytes, rows_of_block));
    const unsigned room = std::max(1u, groups > 1 ? most / groups : whole_sectors(most));
    // A thread has up to an eighth of its rows less where groups of rows meet in fewer banks then.
    unsigned rows_of_a_thread = room, words = words_of_bank(room);
    for (unsigned rows = room - 1; groups > 1 && words > 1 && 8 * rows >= 7 * room; --rows) {
      if (words_of_bank(rows) >= words) continue;
      rows_of_a_thread = rows;
      words = words_of_bank(rows);
    }
    const std::size_t tiles = (all.length + groups * rows_of_a_thread - 1) / (groups * rows_of_a_thread);
    const auto tiles_at_a_time = static_cast<unsigned>(std::min((blocks + all.outer - 1) / all.outer, tiles));
    unsigned tiles_to_a_group = 1;
    if (2 * tuning::pieces_of(tiles_at_a_time) * width > tuning::few_pieces)
      tiles_to_a_group = root_of(tiles_at_a_time);
    cut(rows_of_a_thread, tiles_at_a_time, tiles_to_a_group);
  }
  /// The most words that neighbouring threads of two groups ask of one bank of shared memory at once.
  unsigned words_of_bank(unsigned rows_of_a_thread) const {
    constexpr unsigned word = std::max<unsigned>(4, sizeof(T)), banks = 128 / word;
    unsigned words[banks] = {}, most = 0, before = ~0u;
    const unsigned first = width / banks * banks;
    for (unsigned thread = first; thread < first + banks; ++thread) {
      const unsigned above = thread / width * (rows_of_a_thread - 1) * width;
      const unsigned at = (above + thread) * static_cast<unsigned>(sizeof(T)) / word;
      if (at != before) most = std::max(most, ++words[at % banks]);
      before = at;
    }
    return most;
  }
  /// Into tiles of so many rows a thread, as many at a time and to a group; the rest follows.
  void cut(unsigned rows_of_a_thread, unsigned tiles_at_a_time, unsigned tiles_to_a_group) {
    rows_of_thread = rows_of_a_thread;
    parts = static_cast<unsigned>((all.length + rows() - 1) / rows());
    concurrent_tiles = tiles_at_a_time;
    group_tiles = tiles_to_a_group;
    wave_groups = (concurrent_tiles + group_tiles - 1) / group_tiles;
    const std::size_t waves = (parts + concurrent_tiles - 1) / concurrent_tiles;
    totals_of_matrix = (parts + (group_tiles > 1 ? waves * wave_groups : 0)) * width;
  }

  HD_INLINE std::size_t matrices() const { return all.outer; }
  HD_INLINE unsigned rows() const { return groups * rows_of_thread; }

  // What is published: of each tile the totals of its columns, and behind them those of groups of tiles.
  HD_INLINE std::size_t totals() const { return concurrent_tiles > 1 ? matrices() * totals_of_matrix : 0; }
  HD_INLINE std::size_t of_tile(std::size_t matrix, unsigned part) const {
    return matrix * totals_of_matrix + std::size_t{part} * width;
  }
  HD_INLINE std::size_t of_tile_group(std::size_t matrix, unsigned wave, unsigned number) const {
    return of_tile(matrix,
                   group_tiles > 1 ? parts + wave * wave_groups + number : wave * concurrent_tiles + number);
  }
  HD_INLINE tile_position position_of(unsigned part) const {
    const unsigned wave = part / concurrent_tiles, in_wave = part - wave * concurrent_tiles,
                   tile_group = in_wave / group_tiles;
    return {wave, in_wave, tile_group, in_wave - tile_group * group_tiles};
  }
};

/// Whether elements are of a size for which tall_columns_scan() has been measured.
template <class T>
inline constexpr bool scans_tall_columns = sizeof(T) <= 8 && std::has_single_bit(sizeof(T));

/// Whether launch_tall_columns_scan() takes columns: few, and long enough, measured on an H200.
template <class T>
bool are_few_columns(const axis_lines& all) {
  constexpr std::size_t least_bytes = 32 * 1024, least_length = 1024, short_row = 128;
  const std::size_t row = all.inner * sizeof(T);
  return all.inner <= tall_columns_tuning<T>::most_columns && all.length * row >= least_bytes &&
         (all.length > least_length || row < short_row);
}

}  // namespace heddle::gpu
