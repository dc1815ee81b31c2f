#pragma once

#include "lattice_boltzmann/collision.hpp"
#include "lattice_boltzmann/field.hpp"
#include "picture_part.hpp"
#include <heddle/array.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// Fields of a flow and their pictures, found on the target where the flow is: only pixels leave a GPU.
namespace heddle::lbm {

/// Colours of pixels: 255 levels, and one for obstacles, the last of a palette.
inline constexpr int levels_of_colour = 255;
inline constexpr std::uint8_t obstacle_colour = 255;

/// The numbers of a field, see flow::values(), of the moments of all cells, where they are. `solid` is there
/// too, and of no elements where no cell is.
template <class R>
array<float> values_of(const array<moments<R>>& of, const array_view<const std::uint8_t>& solid,
                       std::size_t width, field which);

/// Their velocities, of shape (H, W, 2), where they are. What they are of solid cells means nothing.
template <class R>
array<float> velocities_of(const array<moments<R>>& of, std::size_t width);

/// The magnitude that 98 % of the finite numbers do not exceed.
float range_of(const array<float>& values);

/// From which number to which the levels go.
struct scale_of_colour {
  float low = 0, high = 0;
  static scale_of_colour of(field which, float range) {
    return {which == field::velocity ? 0 : -range, range};
  }
};

/// The places in a palette of the pixels of a part, whose rows count from the bottom, as rows from the top:
/// of the mean of a square's fluid cells; a square without one has the obstacles' colour. Throws
/// heddle::error for a part that is not in the grid.
std::vector<std::uint8_t> draw(const array<float>& values, const array_view<const std::uint8_t>& solid,
                               const scale_of_colour& scale, const picture_part& part);

[[noreturn]] void fail_outside(const picture_part& part, std::size_t width, std::size_t height);

}  // namespace heddle::lbm
