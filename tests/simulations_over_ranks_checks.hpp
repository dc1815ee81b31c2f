#pragma once

#include "laplace_over_ranks.hpp"
#include "lattice_boltzmann_over_ranks.hpp"
#include "life_over_ranks.hpp"
#include "monte_carlo/pi.hpp"

#include <cstdint>
#include <string>

namespace heddle::tests {

inline void check_points(const ranks& all) {
  for (const std::uint64_t first : {0, 3}) {
    for (const std::uint64_t count : {0, 1, 5, 100'001}) {
      expect(monte_carlo::points_in_disc(all, 9, first, count) ==
                 monte_carlo::points_in_disc(target(), 9, first, count),
             std::to_string(count) + " points from " + std::to_string(first));
    }
  }
}

/// Every simulation over ranks; `folder` is the same on every rank.
inline void check_simulations(const ranks& all, const std::string& folder) {
  check_life_engines(all);
  check_life_universes(all);
  check_solvers(all);
  check_solves(all);
  check_flows(all);
  check_flow_checkpoints(all, folder);
  check_flow_that_blows_up(all);
  check_points(all);
}

}  // namespace heddle::tests
