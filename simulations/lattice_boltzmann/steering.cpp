#include "lattice_boltzmann/flow_state.hpp"
#include "lattice_boltzmann/geometry.hpp"
#include "lattice_boltzmann/solid_rows.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/core.h>

/// Changes of a flow while it runs.
namespace heddle::lbm {

void flow::state::set(const settings& wanted, std::vector<std::uint8_t> solid_of_wanted) {
  check();
  kept_force = force_of_last_step();
  const std::vector<std::uint8_t> before = std::exchange(solid, std::move(solid_of_wanted));
  solid_there.reset();
  given = wanted;
  about = describe(given);
  if (compared) about.bytes += bytes_compared();
  plan = make_plan(given, about, solid, plan.halos);
  count_obstacles();
  set_plan();
  std::vector<std::size_t> became_fluid;
  for (std::size_t row = 0; row < before.size(); row += given.width) {
    if (!any_solid(before.data() + row, given.width)) continue;
    for (std::size_t cell = row; cell < row + given.width; ++cell) {
      if (before[cell] != 0 && (solid.empty() || solid[cell] == 0)) became_fluid.push_back(cell);
    }
  }
  if (!became_fluid.empty()) refill(became_fluid, excess_around(became_fluid, before));
  if (known_mass) {
    mass_brought();
    known_mass = excess_mass();
  }
}

std::vector<double> flow::state::excess_around(const std::vector<std::size_t>& cells,
                                               const std::vector<std::uint8_t>& solid_before) {
  const std::size_t width = given.width, height = given.height;
  std::unordered_map<std::size_t, std::size_t> number;
  for (std::size_t k = 0; k < cells.size(); ++k) number[cells[k]] = k;
  std::vector<double> excess(cells.size(), 0.0);
  std::vector<std::uint8_t> is_known(cells.size(), 0);
  // Rows with cells and beside them; those that follow one another are read at once, which over ranks is one
  // gather.
  std::vector<std::uint8_t> is_near(height + 1, 0);
  for (const std::size_t cell : cells) {
    const std::size_t y = cell / width;
    for (std::size_t near = y > 0 ? y - 1 : 0; near <= std::min(y + 1, height - 1); ++near) is_near[near] = 1;
  }
  std::vector<std::size_t> begins(height);  // of a row in `near`
  std::vector<moments<double>> near;
  for (std::size_t y = 0; y < height; ++y) {
    if (is_near[y] == 0) continue;
    const std::size_t first = y, begin = near.size();
    for (; is_near[y] != 0; ++y) begins[y] = begin + (y - first) * width;
    near.resize(begin + (y - first) * width);
    read(first, y - first, near.data() + begin);
  }
  std::vector<std::size_t> left(cells.size());
  for (std::size_t k = 0; k < left.size(); ++k) left[k] = k;
  while (!left.empty()) {
    std::vector<std::size_t> found, still;
    std::vector<double> means;
    for (const std::size_t k : left) {
      const std::size_t x = cells[k] % width, y = cells[k] / width;
      double sum = 0;
      int count = 0;
      for (std::size_t ny = y > 0 ? y - 1 : 0; ny <= std::min(y + 1, height - 1); ++ny) {
        for (std::size_t nx = x > 0 ? x - 1 : 0; nx <= std::min(x + 1, width - 1); ++nx) {
          const std::size_t cell = ny * width + nx;
          const auto refilled = number.find(cell);
          const bool is_refilled = refilled != number.end();
          if (is_refilled ? is_known[refilled->second] == 0
                          : solid_before[cell] != 0 || (!solid.empty() && solid[cell] != 0))
            continue;
          sum += is_refilled ? excess[refilled->second] : near[begins[ny] + nx].excess;
          ++count;
        }
      }
      if (count == 0) {
        still.push_back(k);
      } else {
        found.push_back(k);
        means.push_back(sum / count);
      }
    }
    // Fluid that is closed off begins at density 1.
    if (found.empty()) break;
    for (std::size_t i = 0; i < found.size(); ++i) {
      excess[found[i]] = means[i];
      is_known[found[i]] = 1;
    }
    left.swap(still);
  }
  return excess;
}

void flow::set_obstacles(const std::vector<std::uint8_t>& solid) {
  state& s = *state_;
  const operation running("lbm", s.given.width * s.given.height, name(s.given.kept));
  settings wanted = s.given;
  wanted.obstacles = solid;
  wanted = completed(wanted);
  // A length that follows the obstacles leaves the viscosity alone.
  wanted.reynolds *= s.about.viscosity == 0 ? 1 : describe(wanted).viscosity / s.about.viscosity;
  std::vector<std::uint8_t> cells = solid_cells(wanted);
  s.set(wanted, std::move(cells));
}

void flow::set_speed(double velocity, double viscosity) {
  state& s = *state_;
  const operation running("lbm", s.given.width * s.given.height, name(s.given.kept));
  settings wanted = s.given;
  wanted.velocity = velocity;
  bounds within = stable_bounds(s.given);
  const bool is_other = velocity != s.given.velocity;
  if (is_other && !(velocity >= within.least_velocity && velocity <= within.most_velocity)) {
    fail(fmt::format("a velocity of {:.6g} cells a step, where {:.4g} to {:.4g} are stable", velocity,
                     within.least_velocity, within.most_velocity));
  }
  within = stable_bounds(wanted);
  const bool is_faster = !(velocity <= s.given.velocity);
  if ((is_faster || viscosity != s.about.viscosity) &&
      !(viscosity >= within.least_viscosity && viscosity <= within.most_viscosity)) {
    fail(fmt::format("a viscosity of {:.6g}, where {:.4g} to {:.4g} are stable at a velocity of {:.6g}",
                     viscosity, within.least_viscosity, within.most_viscosity, velocity));
  }
  wanted.reynolds *= describe(wanted).viscosity / viscosity;
  std::vector<std::uint8_t> cells = s.solid;
  s.set(wanted, std::move(cells));
}

}  // namespace heddle::lbm
