#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/impl/core/scan_order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/patterns/scan/gpu/tuning.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

/// How long columns are cut for tall_columns_scan(). Neighbouring columns of one outer index make a panel,
/// all of them where they are few; some rows of a panel make a tile.
namespace heddle::gpu {

template <class T, bool Panels>
struct column_tiles {
  using tuning = tall_columns_tuning<T, Panels>;
  axis_lines all;
  unsigned columns;  ///< of a panel; the last one may have fewer
  std::size_t row_panels;
  unsigned groups;  ///< threads below one another, a power of two
  unsigned rows_of_thread;
  unsigned padding;           ///< bytes between groups in shared memory, where those are multiples of 16
  unsigned parts;             ///< tiles of a panel
  unsigned concurrent_tiles;  ///< tiles of a panel that blocks take at a time
  std::size_t totals_of_panel;

  /// For as many blocks at once as there are multiprocessors. `in_order`: a tile has a power of two of rows
  /// of scan_order.hpp, and a thread a power of two of scan units, up to such a row.
  column_tiles(const axis_lines& lines, unsigned processors, bool in_order)
      : all(lines),
        columns(Panels ? tuning::panel_columns : static_cast<unsigned>(all.inner)),
        row_panels((all.inner + columns - 1) / columns),
        groups(std::bit_floor(tuning::scan_threads / columns)) {
    const std::size_t rows_of_block = (panels() * all.length + processors - 1) / processors;
    const auto most = static_cast<unsigned>(
        std::min<std::size_t>((tuning::stage_bytes - 32) / (columns * sizeof(T)), rows_of_block));
    unsigned rows = std::max(1u, most / groups);
    if (in_order) {
      constexpr auto row = static_cast<unsigned>(order::scan_row<T>);
      const unsigned tile = std::max(std::bit_floor(std::min(most, groups * row)), row);
      groups = std::min(groups, tile / column_unit_tuning<T>::rows);
      rows = tile / groups;
    }
    // Neighbouring groups must not conflict in the banks: an eighth fewer rows, or padding.
    unsigned best_rows = rows, best_padding = 0, words = words_of_bank(rows * columns * sizeof(T));
    for (unsigned k = 1; groups > 1 && words > 1 && 8 * k <= (in_order ? 56 : rows); ++k) {
      const unsigned fewer = in_order ? rows : rows - k, more = in_order ? 16 * k : 0;
      const auto bytes = static_cast<unsigned>(fewer * columns * sizeof(T)) + more;
      if (groups * bytes + 32 > tuning::stage_bytes || words_of_bank(bytes) >= words) continue;
      best_rows = fewer;
      best_padding = more;
      words = words_of_bank(bytes);
    }
    padding = Panels ? 0 : best_padding;
    const std::size_t blocks = (processors + panels() - 1) / panels();
    cut(groups, best_rows, static_cast<unsigned>(std::min<std::size_t>(blocks, ~0u)));
  }

  /// Into tiles of so many groups of so many rows, and so many at a time if there are as many.
  void cut(unsigned groups_of_tile, unsigned rows_of_group, unsigned tiles_at_a_time) {
    groups = groups_of_tile;
    rows_of_thread = rows_of_group;
    parts = static_cast<unsigned>((all.length + rows() - 1) / rows());
    concurrent_tiles = std::min(tiles_at_a_time, parts);
    totals_of_panel = std::size_t{columns} * (parts + parts / tuning::group_tiles);
  }

  HD_INLINE std::size_t panels() const { return all.outer * row_panels; }
  HD_INLINE unsigned rows() const { return groups * rows_of_thread; }
  HD_INLINE unsigned log2_units_of_thread() const {
    unsigned log2 = 0;
    while (column_unit_tuning<T>::rows << log2 < rows_of_thread) ++log2;
    return log2;
  }

  // Published: the totals of the columns of each tile, then those of groups of tiles.
  HD_INLINE std::size_t totals() const { return concurrent_tiles > 1 ? panels() * totals_of_panel : 0; }
  HD_INLINE std::size_t of_tile(std::size_t panel, unsigned part) const {
    return panel * totals_of_panel + std::size_t{part} * columns;
  }
  HD_INLINE std::size_t of_tile_group(std::size_t panel, unsigned number) const {
    return of_tile(panel, parts + number);
  }

 private:
  /// The most words that neighbouring threads ask of one bank of shared memory at once, where groups of rows
  /// are so many bytes apart.
  unsigned words_of_bank(std::size_t bytes_of_group) const {
    constexpr unsigned word = std::max<unsigned>(4, sizeof(T)), banks = 128 / word;
    unsigned words[banks] = {}, most = 0;
    std::size_t before = ~std::size_t{0};
    const unsigned first = columns / banks * banks;
    for (unsigned thread = first; thread < first + banks; ++thread) {
      const std::size_t at = (thread / columns * bytes_of_group + thread % columns * sizeof(T)) / word;
      if (at != before) most = std::max(most, ++words[at % banks]);
      before = at;
    }
    return most;
  }
};

/// Whether tall_columns_scan() takes elements of this type.
template <class T, class Op>
inline constexpr bool scans_tall_columns =
    sizeof(T) <= 8 && std::has_single_bit(sizeof(T)) && (order::any_scan_order<T, Op> || sizeof(T) >= 4);

/// Whether it takes columns by panels. A row of a panel has up to 128 columns, and so few bytes of smaller
/// elements that scan_down() is faster: 2.2 times for int8 on an H100.
template <class T, class Op>
inline constexpr bool scans_panels = scans_tall_columns<T, Op> && sizeof(T) >= 4;

/// Whether tall_columns_scan() takes columns, whole rows to a tile: few, and long enough. Measured on an
/// H100.
template <class T, class Op>
bool are_few_columns(const axis_lines& all) {
  constexpr std::size_t least_bytes = 32 * 1024, least_length = order::any_scan_order<T, Op> ? 1024 : 512,
                        short_row = 128;
  const std::size_t row = all.inner * sizeof(T);
  return all.inner <= tall_columns_tuning<T, false>::most_columns(!order::any_scan_order<T, Op>) &&
         all.length * row >= least_bytes && (all.length > least_length || row < short_row);
}

/// Whether it takes columns by panels: long enough, and rows begin at multiples of 16 bytes. In any order
/// scan_down() is as fast where it has enough columns. Measured on an H100.
template <class T, class Op>
bool are_panels(const T* x, const axis_lines& all) {
  constexpr std::size_t least_length = 1024, enough_row_bytes = 32 * 1024;
  const std::size_t row = all.inner * sizeof(T);
  return all.length >= least_length && row % 16 == 0 && reinterpret_cast<std::uintptr_t>(x) % 16 == 0 &&
         (!order::any_scan_order<T, Op> || all.outer * row < enough_row_bytes);
}

}  // namespace heddle::gpu
