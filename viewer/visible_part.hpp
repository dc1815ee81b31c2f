#pragma once

#include "viewed_simulation.hpp"

#include <cstddef>
#include <cstdint>

#include <picture_part.hpp>

/// The part of a grid that is in a window.
namespace heddle::viewer {

/// Squares of cells, as many as pixels at most; where cells are larger than pixels a square is a cell.
struct visible_part {
  picture_part part;
  double left = 0, top = 0, pixel = 1;  // as of a rendering
};

/// Of a grid of width × height cells, whose cell (column, row) is the square from (column, row) to (column +
/// 1, row + 1). With `is_up` y grows upwards.
visible_part visible_in(const window& shown, std::size_t width, std::size_t height, bool is_up);

/// The window of so many pixels that shows all of a grid, with whole pixels a cell or cells a pixel.
window whole_grid(std::size_t columns, std::size_t rows, std::uint32_t width, std::uint32_t height);

}  // namespace heddle::viewer
