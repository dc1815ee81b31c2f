#pragma once

#include "life/rule.hpp"
#include "life/universe.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::life {

/// The contents of a file: live cells, where they are, and perhaps a rule and bounds.
struct pattern {
  /// The smallest rectangle with every live cell; (0, 0) is the pattern's own origin, the top-left of what an
  /// RLE or plaintext file draws unless it says where that is.
  placed_grid live;
  /// The rectangle that the file draws: as large as it says it is, or as its cells.
  std::int64_t box_left = 0, box_top = 0, box_width = 0, box_height = 0;
  std::optional<rule> law;
  std::optional<grid_bounds> grid;
  std::uint64_t generation = 0;  // which the file says it is, as Golly's "#CXRLE Gen=" does
};

/// Reads RLE, plaintext (.cells) or Life 1.06, told apart by the ending of `path` or, failing that, by what
/// is in the text. Errors name the path and the line. A pattern whose rectangle has more than `most_cells` is
/// refused; by default more than most_cells_around() its live cells.
pattern parse_pattern(std::string_view text, const std::string& path,
                      std::optional<std::uint64_t> most_cells = std::nullopt);
pattern read_pattern(const std::string& path, std::optional<std::uint64_t> most_cells = std::nullopt);

/// The bounded grid that a rule's suffix asks for, with Golly's placement: its top-left cell is
/// (−int(width/2), −int(height/2)). Cells must lie on it.
placed_grid place_on_bounded_grid(const pattern& from);
/// A grid with the pattern's rectangle in the middle of it.
placed_grid place_in_the_middle(const pattern& from, std::size_t width, std::size_t height);

/// RLE as Golly reads it, with the position, the generation, the rule and the bounds.
void write_rle(const std::string& path, const placed_grid& cells, const rule& law, topology shape,
               std::uint64_t generation);
/// Plaintext.
void write_cells(const std::string& path, const placed_grid& cells, const rule& law,
                 std::uint64_t generation);
/// A uint8 array of 0 and 1, with a row for each row of cells.
void write_npy(const std::string& path, const grid& cells);
/// White on black, a pixel a cell. Nothing alive on the infinite plane is one black pixel, because a picture
/// has one.
void write_png(const std::string& path, const grid& cells);

}  // namespace heddle::life
