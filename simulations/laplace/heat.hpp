#pragma once

#include "laplace/laplace.hpp"
#include "picture_part.hpp"
#include <heddle/compiler.hpp>
#include <heddle/io/colour.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace heddle::laplace {

/// Colours from black over red and yellow to white, from the smallest of some values to the largest: 256
/// levels.
struct heat {
  double low = 0, range = 0;

  static colour of_level(int level) {
    const auto ramp = [level](int from) {
      return static_cast<std::uint8_t>(std::clamp(3 * (level - from), 0, 255));
    };
    return {ramp(0), ramp(85), ramp(170)};
  }

  HD_FN std::uint8_t level(double value) const {
    const double part = range > 0 ? (value - low) / range : 0;
    return static_cast<std::uint8_t>(lround(255 * part));
  }
};

/// From the smallest to the largest of the numbers of a grid, found where they are.
template <class T>
heat heat_of(const grid_view<T>& of);

/// The levels of the pixels of a part, row after row: of the mean of a square's numbers. They are found where
/// the numbers are; only pixels leave a GPU. Throws heddle::error for a part that is not in the grid.
template <class T>
std::vector<std::uint8_t> draw(const grid_view<T>& of, const heat& colours, const picture_part& part);

}  // namespace heddle::laplace
