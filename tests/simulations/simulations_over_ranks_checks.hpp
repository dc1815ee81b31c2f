#pragma once

#include "laplace_over_ranks.hpp"
#include "lattice_boltzmann_over_ranks.hpp"
#include "life_over_ranks.hpp"
#include "mandelbrot/mandelbrot.hpp"
#include "monte_carlo/pi.hpp"
#include "tests/distributed/halo_checks.hpp"
#include <heddle/support/rows_in_order.hpp>

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

inline void check_pictures(const ranks& all) {
  using namespace mandelbrot;
  const view views[] = {{-2, 1, -1, 1}, {-2, 1, -1.5, 0.5}, {-2, 1, -0.3, 1.2}, {-0.76, -0.74, 0.05, 0.07}};
  for (const view& seen : views) {
    for (const std::size_t height : {1, 3, 64, 151}) {
      const picture what{50, height, seen, 100, height == 64 ? dtype::float64 : dtype::float32};
      const distributed_array<std::uint32_t> counts = escape_counts(what, all);
      expect(counts.begins() == even_rows(height, all.size()) &&
                 same_bytes(counts.gather(), escape_counts(what, target())),
             "a picture of " + std::to_string(height) + " rows");
    }
  }
  refuses([&] { rows_in_order(all, {3, 2}, {1}, array<int>({1, 2}, all.where())); },
          all.size() == 1 ? "1 rows for" : "given twice");
  refuses([&] { rows_in_order(all, {3, 2}, {1}, array<int>({2, 2}, all.where())); },
          "rows_in_order: 1 numbers for an array of shape (2, 2)");
}

/// Every simulation over ranks; `folder` is the same on every rank. Processes that share processors take long
/// to wait for each other: some of the cases, `every` so many.
inline void check_simulations(const ranks& all, const std::string& folder, std::size_t every) {
  check_halos(all);
  check_life_engines(all, every);
  check_life_universes(all);
  check_life_changes(all);
  check_solvers(all, every);
  check_held_solvers(all, every);
  check_solves(all);
  check_flows(all, every);
  check_flow_changes(all, every + 1);
  check_flow_checkpoints(all, folder, every + 2);
  check_flow_that_blows_up(all);
  check_points(all);
  check_pictures(all);
}

}  // namespace heddle::tests
