#pragma once

#include <algorithm>
#include <cstddef>

namespace heddle {

/// A part of a grid's picture: pixel (column i, row j) is the square of `side` cells whose first cell is
/// (left + i·side, top + j·side), counted in the order of memory, and is in the grid. Squares may go beyond
/// the last column and row, and then are smaller.
struct picture_part {
  std::size_t left = 0, top = 0, side = 1, columns = 0, rows = 0;

  /// All of a grid, a pixel a cell.
  static picture_part whole(std::size_t width, std::size_t height) { return {0, 0, 1, width, height}; }

  bool is_within(std::size_t width, std::size_t height) const {
    return side > 0 && (columns == 0 || (left < width && (columns - 1) <= (width - 1 - left) / side)) &&
           (rows == 0 || (top < height && (rows - 1) <= (height - 1 - top) / side));
  }
};

}  // namespace heddle
