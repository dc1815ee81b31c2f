#pragma once

#include "lattice_boltzmann/field_kernels.hpp"
#include "lattice_boltzmann/tracers.hpp"
#include <heddle/array.hpp>
#include <heddle/for_each_index.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

/// Tracers by patterns, for the targets that the including file is compiled for.
namespace heddle::lbm {

/// The data of a pass of the dye: `carried` of some rows from `now`, and then `next` from both.
struct dye_pass {
  float* now;
  float* carried;
  float* next;
  const std::uint8_t* sources;  // null for none
  std::size_t first_row, rows;
};
void carry_on_gpu(const carrier& by, const dye_pass& dye, float steps);
void correct_on_gpu(const carrier& by, const dye_pass& dye, float steps);
std::vector<std::uint8_t> lines_on_gpu(const carrier& of, const picture_part& part, int reach);

/// A hash of two integers (the finalizer of MurmurHash3), as a fraction.
HD_INLINE float hashed_noise(std::int64_t column, std::int64_t row) {
  auto bits = static_cast<std::uint64_t>(column) * 0x9e3779b97f4a7c15u ^
              static_cast<std::uint64_t>(row) * 0xc2b2ae3d27d4eb4fu;
  bits = (bits ^ (bits >> 33)) * 0xff51afd7ed558ccdu;
  bits = (bits ^ (bits >> 33)) * 0xc4ceb9fe1a85ec53u;
  return static_cast<float>((bits ^ (bits >> 33)) >> 40) * 0x1p-24f;
}

inline namespace HD_BUILD {

/// A place in a grid whose cells have their middles at whole numbers.
struct place_in_flow {
  float x, y;
};

/// The four cells around a place, and how much of each counts: nothing of solid ones.
struct cells_around {
  std::size_t cell[4];
  float weight[4];
};

struct carrier_view {
  const float* velocity;
  solid_view solid;
  bool periodic_x, periodic_y;

  HD_FN static std::size_t beside(std::ptrdiff_t at, std::size_t size, bool is_periodic) {
    const auto n = static_cast<std::ptrdiff_t>(size);
    if (is_periodic) return static_cast<std::size_t>((at % n + n) % n);
    return static_cast<std::size_t>(at < 0 ? 0 : at < n ? at : n - 1);
  }

  HD_FN cells_around around(const place_in_flow& at) const {
    const float left = floorf(at.x), bottom = floorf(at.y);
    const float across = at.x - left, up = at.y - bottom;
    cells_around made;
    for (int i = 0; i < 4; ++i) {
      const std::size_t x = beside(static_cast<std::ptrdiff_t>(left) + i % 2, solid.width, periodic_x);
      const std::size_t y = beside(static_cast<std::ptrdiff_t>(bottom) + i / 2, solid.height, periodic_y);
      made.cell[i] = y * solid.width + x;
      made.weight[i] = solid(x, y) ? 0 : (i % 2 == 0 ? 1 - across : across) * (i / 2 == 0 ? 1 - up : up);
    }
    return made;
  }

  HD_FN float at(const float* values, const cells_around& cells) const {
    float sum = 0, weights = 0;
    for (int i = 0; i < 4; ++i) {
      sum += cells.weight[i] * values[cells.cell[i]];
      weights += cells.weight[i];
    }
    return weights > 0 ? sum / weights : 0;
  }

  HD_FN place_in_flow velocity_at(const place_in_flow& at) const {
    const cells_around cells = around(at);
    place_in_flow u{0, 0};
    for (int i = 0; i < 4; ++i) {
      u.x += cells.weight[i] * velocity[2 * cells.cell[i]];
      u.y += cells.weight[i] * velocity[2 * cells.cell[i] + 1];
    }
    return u;
  }

  /// Where what is at a place is after so many steps, by the velocity half-way.
  HD_FN place_in_flow moved(const place_in_flow& from, float steps) const {
    const place_in_flow first = velocity_at(from);
    const place_in_flow u = velocity_at({from.x + 0.5f * steps * first.x, from.y + 0.5f * steps * first.y});
    return {from.x + steps * u.x, from.y + steps * u.y};
  }
};

/// The dye that a step backwards brings.
struct carry_cell {
  carrier_view by;
  const float* from;
  float* to;
  float steps;
  std::size_t first_row;
  HD_FN void operator()(std::size_t row, std::size_t x) const {
    const std::size_t y = first_row + row, cell = y * by.solid.width + x;
    if (by.solid(x, y)) {
      to[cell] = 0;
      return;
    }
    const place_in_flow source = by.moved({static_cast<float>(x), static_cast<float>(y)}, -steps);
    to[cell] = by.at(from, by.around(source));
  }
};

/// The same less half of the error that going there and back shows, within the values that it came from.
struct correct_cell {
  carrier_view by;
  const float* from;
  const float* carried;
  const std::uint8_t* sources;
  float* to;
  float steps;
  std::size_t first_row;
  HD_FN void operator()(std::size_t row, std::size_t x) const {
    const std::size_t y = first_row + row, cell = y * by.solid.width + x;
    if (by.solid(x, y)) {
      to[cell] = 0;
      return;
    }
    if (sources != nullptr && sources[cell] != 0) {
      to[cell] = 1;
      return;
    }
    const place_in_flow here{static_cast<float>(x), static_cast<float>(y)};
    const float back = by.at(carried, by.around(by.moved(here, steps)));
    const float value = carried[cell] + 0.5f * (from[cell] - back);
    const cells_around cells = by.around(by.moved(here, -steps));
    float least = carried[cell], most = carried[cell];
    for (int i = 0; i < 4; ++i) {
      if (cells.weight[i] == 0) continue;
      const float other = from[cells.cell[i]];
      least = other < least ? other : least;
      most = other > most ? other : most;
    }
    to[cell] = value < least ? least : value > most ? most : value;
  }
};

struct line_pixel {
  carrier_view of;
  picture_part part;
  int reach;
  std::uint8_t* to;

  HD_FN void operator()(std::size_t row, std::size_t column) const {
    const auto side = static_cast<float>(part.side);
    // In squares from the grid's corner.
    const float left = static_cast<float>(part.left) / side + static_cast<float>(column) + 0.5f;
    const float bottom = static_cast<float>(part.top) / side + static_cast<float>(part.rows - 1 - row) + 0.5f;
    std::uint8_t& pixel = to[row * part.columns + column];
    const auto middle = [](float place, float cells, std::size_t size) {
      const auto at = static_cast<std::size_t>(place * cells);
      return at < size ? at : size - 1;
    };
    if (of.solid(middle(left, side, of.solid.width), middle(bottom, side, of.solid.height))) {
      pixel = obstacle_colour;
      return;
    }
    float sum = noise({left, bottom});
    int count = 1;
    for (int sign = -1; sign <= 1; sign += 2) {
      place_in_flow at{left, bottom};
      for (int i = 0; i < reach; ++i) {
        const place_in_flow u = of.velocity_at({at.x * side - 0.5f, at.y * side - 0.5f});
        const float speed = hypotf(u.x, u.y);
        if (!(speed > 0)) break;
        at.x += static_cast<float>(sign) * u.x / speed;
        at.y += static_cast<float>(sign) * u.y / speed;
        sum += noise(at);
        ++count;
      }
    }
    const auto samples = static_cast<float>(count);
    const float value = 0.5f + (sum / samples - 0.5f) * sqrtf(samples);
    const float within = value < 0 ? 0 : value > 1 ? 1 : value;
    pixel = static_cast<std::uint8_t>(lroundf(static_cast<float>(levels_of_colour - 1) * within));
  }

  HD_FN static float noise(const place_in_flow& at) {
    return hashed_noise(static_cast<std::int64_t>(floorf(at.x)), static_cast<std::int64_t>(floorf(at.y)));
  }
};

inline carrier_view view_of(const carrier& of) {
  const std::size_t height = of.velocity.shape()[0], width = of.velocity.shape()[1];
  return {of.velocity.data(), view_of(of.solid, width, height), of.periodic_x, of.periodic_y};
}

inline void carry_back(const carrier& by, const dye_pass& dye, float steps) {
  const carrier_view view = view_of(by);
  for_each_index(by.velocity.where(), extent{dye.rows, view.solid.width},
                 carry_cell{view, dye.now, dye.carried, steps, dye.first_row});
}

inline void correct(const carrier& by, const dye_pass& dye, float steps) {
  const carrier_view view = view_of(by);
  for_each_index(by.velocity.where(), extent{dye.rows, view.solid.width},
                 correct_cell{view, dye.now, dye.carried, dye.sources, dye.next, steps, dye.first_row});
}

inline std::vector<std::uint8_t> find_lines(const carrier& of, const picture_part& part, int reach) {
  const target& where = of.velocity.where();
  array<std::uint8_t> pixels(part.rows * part.columns, where);
  for_each_index(where, extent{part.rows, part.columns}, line_pixel{view_of(of), part, reach, pixels.data()});
  return pixels.to_vector();
}

}  // namespace HD_BUILD
}  // namespace heddle::lbm
