#pragma once

#include "life/grid.hpp"
#include <heddle/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::life {

/// Columns or rows first … last−1 of a grid.
struct span_of_cells {
  std::size_t first, last;
};

/// Squares of cells that are pixels of a picture: pixel (column i, row j) is the square of `side` cells whose
/// top-left cell is (left + i·side, top + j·side) of a grid. Outside of the grid nothing lives.
struct squares {
  std::int64_t left, top;
  std::size_t side, columns, rows;

  HD_FN std::uint64_t cells() const { return std::uint64_t{side} * side; }
  /// The part of a pixel that is in a grid of so many columns or rows.
  HD_FN span_of_cells columns_of(std::size_t i, std::size_t width) const { return within(left, i, width); }
  HD_FN span_of_cells rows_of(std::size_t j, std::size_t height) const { return within(top, j, height); }

 private:
  HD_FN span_of_cells within(std::int64_t begin, std::size_t pixel, std::size_t length) const {
    const auto end = static_cast<std::int64_t>(length);
    const std::int64_t first = begin + static_cast<std::int64_t>(pixel * side);
    const std::int64_t last = first + static_cast<std::int64_t>(side);
    const auto inside = [end](std::int64_t at) { return at < 0 ? 0 : at > end ? end : at; };
    return {static_cast<std::size_t>(inside(first)), static_cast<std::size_t>(inside(last))};
  }
};

/// The brightness of a square with so many live cells: 0 where none lives, and up to 255 where all do.
HD_FN inline std::uint8_t brightness(std::uint64_t live, std::uint64_t cells) {
  constexpr std::uint64_t least = 80;
  // Cells number 2^64 at most, and live ones as many: divided first, nothing overflows.
  return live == 0 ? std::uint8_t{0}
         : live >= cells
             ? std::uint8_t{255}
             : static_cast<std::uint8_t>(least + static_cast<std::uint64_t>(static_cast<double>(255 - least) *
                                                                            static_cast<double>(live) /
                                                                            static_cast<double>(cells)));
}

}  // namespace heddle::life
