#pragma once

#include "lattice_boltzmann/flow.hpp"
#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

/// What the tests of lattice Boltzmann, which are one program, share.
namespace heddle::tests {

using namespace heddle::lbm;

/// The kernels of a GPU are the simulation's own, so that it runs on every target.
class lattice_boltzmann : public on_targets {};

inline std::vector<moments<double>> rows_of(const flow& of) {
  std::vector<moments<double>> rows(of.given().width * of.given().height);
  of.read_rows(0, of.given().height, rows.data());
  return rows;
}

/// The largest difference of a component of the velocity.
inline double difference(const std::vector<moments<double>>& a, const std::vector<moments<double>>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max({most, std::abs(a[i].ux - b[i].ux), std::abs(a[i].uy - b[i].uy)});
  }
  return most;
}

inline std::vector<std::uint8_t> random_obstacles(std::size_t width, std::size_t height, double part,
                                                  std::uint64_t seed) {
  std::vector<std::uint8_t> solid(width * height);
  for (std::size_t i = 0; i < width * height; ++i) {
    solid[i] = random_real(seed * 1'000'000 + i) < 2 * part - 1;
  }
  return solid;
}

inline settings sized(flow_case which, std::size_t width, std::size_t height) {
  settings given;
  given.which = which;
  given.width = width;
  given.height = height;
  given.kept = storage::f64;
  return given;
}

}  // namespace heddle::tests
