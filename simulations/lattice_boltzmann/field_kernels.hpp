#pragma once

#include "lattice_boltzmann/fields.hpp"
#include <heddle/array.hpp>
#include <heddle/for_each_index.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Fields and pictures by patterns, for the targets that the including file is compiled for.
namespace heddle::lbm {

template <class R>
array<float> values_on_gpu(const array<moments<R>>& of, const array_view<const std::uint8_t>& solid,
                           std::size_t width, field which);
template <class R>
array<float> velocities_on_gpu(const array<moments<R>>& of, std::size_t width);
std::vector<std::uint8_t> draw_on_gpu(const array<float>& values, const array_view<const std::uint8_t>& solid,
                                      const scale_of_colour& scale, const picture_part& part);

/// Solid cells of a grid; null where none is.
struct solid_view {
  const std::uint8_t* cells;
  std::size_t width, height;
  HD_FN bool operator()(std::size_t x, std::size_t y) const {
    return cells != nullptr && cells[y * width + x] != 0;
  }
};

inline namespace HD_BUILD {

template <class R>
struct value_of_cell {
  const moments<R>* of;
  solid_view solid;
  field which;
  float* to;

  HD_FN float component(std::size_t x, std::size_t y, bool is_v) const {
    const moments<R>& here = of[y * solid.width + x];
    return static_cast<float>(is_v ? here.uy : here.ux);
  }

  /// The difference of a component along an axis, between the fluid cells beside (x, y).
  HD_FN float slope(std::size_t x, std::size_t y, bool is_along_x) const {
    const std::size_t place = is_along_x ? x : y, last = (is_along_x ? solid.width : solid.height) - 1;
    std::size_t before = place, after = place;
    if (place > 0 && !(is_along_x ? solid(x - 1, y) : solid(x, y - 1))) before = place - 1;
    if (place < last && !(is_along_x ? solid(x + 1, y) : solid(x, y + 1))) after = place + 1;
    if (before == after) return 0;
    const float high = is_along_x ? component(after, y, true) : component(x, after, false);
    const float low = is_along_x ? component(before, y, true) : component(x, before, false);
    return (high - low) / static_cast<float>(after - before);
  }

  HD_FN void operator()(std::size_t y, std::size_t x) const {
    float value = 0;
    if (!solid(x, y)) {
      if (which == field::vorticity) {
        value = slope(x, y, true) - slope(x, y, false);
      } else if (which == field::velocity) {
        value = hypotf(component(x, y, false), component(x, y, true));
      } else {
        // The value of `density` in `float`, less 1.
        value = static_cast<float>(1 + static_cast<double>(of[y * solid.width + x].excess)) - 1.0f;
      }
    }
    to[y * solid.width + x] = value;
  }
};

struct field_pixel {
  const float* values;
  solid_view solid;
  scale_of_colour scale;
  picture_part part;
  std::uint8_t* to;

  HD_FN std::uint8_t level(float value) const {
    const float range = scale.high - scale.low;
    const float share = range > 0 ? (value - scale.low) / range : scale.low < 0 ? 0.5f : 0.0f;
    // A NaN is shown as the largest value.
    const float within = share >= 0 && share <= 1 ? share : share < 0 ? 0.0f : 1.0f;
    return static_cast<std::uint8_t>(lroundf(static_cast<float>(levels_of_colour - 1) * within));
  }

  HD_FN void operator()(std::size_t row, std::size_t column) const {
    const std::size_t bottom = part.top + (part.rows - 1 - row) * part.side;
    const std::size_t left = part.left + column * part.side;
    const std::size_t top = bottom + part.side < solid.height ? bottom + part.side : solid.height;
    const std::size_t right = left + part.side < solid.width ? left + part.side : solid.width;
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t y = bottom; y < top; ++y) {
      for (std::size_t x = left; x < right; ++x) {
        if (solid(x, y)) continue;
        sum += static_cast<double>(values[y * solid.width + x]);
        ++count;
      }
    }
    to[row * part.columns + column] =
        count == 0 ? obstacle_colour : level(static_cast<float>(sum / static_cast<double>(count)));
  }
};

inline solid_view view_of(const array_view<const std::uint8_t>& solid, std::size_t width,
                          std::size_t height) {
  return {solid.size() == 0 ? nullptr : solid.data(), width, height};
}

template <class R>
array<float> find_values(const array<moments<R>>& of, const array_view<const std::uint8_t>& solid,
                         std::size_t width, field which) {
  const std::size_t height = of.size() / width;
  array<float> values({height, width}, of.where());
  for_each_index(of.where(), extent{height, width},
                 value_of_cell<R>{of.data(), view_of(solid, width, height), which, values.data()});
  return values;
}

template <class R>
struct velocity_of_cell {
  const moments<R>* of;
  float* to;
  HD_FN void operator()(std::size_t cell) const {
    to[2 * cell] = static_cast<float>(of[cell].ux);
    to[2 * cell + 1] = static_cast<float>(of[cell].uy);
  }
};

template <class R>
array<float> find_velocities(const array<moments<R>>& of, std::size_t width) {
  array<float> made({of.size() / width, width, 2}, of.where());
  for_each_index(of.where(), extent{of.size()}, velocity_of_cell<R>{of.data(), made.data()});
  return made;
}

inline std::vector<std::uint8_t> draw_pixels(const array<float>& values,
                                             const array_view<const std::uint8_t>& solid,
                                             const scale_of_colour& scale, const picture_part& part) {
  const std::size_t height = values.shape()[0], width = values.shape()[1];
  const target& where = values.where();
  array<std::uint8_t> pixels(part.rows * part.columns, where);
  for_each_index(where, extent{part.rows, part.columns},
                 field_pixel{values.data(), view_of(solid, width, height), scale, part, pixels.data()});
  return pixels.to_vector();
}

}  // namespace HD_BUILD
}  // namespace heddle::lbm
