#include "flows.hpp"
#include "textbook_lattice_boltzmann.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::lbm;
using namespace heddle::tests;

HD_ON_ALL_TARGETS(lattice_boltzmann);

TEST_P(lattice_boltzmann, steps_are_those_of_the_textbook) {
  std::vector<settings> all;
  const std::pair<std::size_t, std::size_t> sizes[] = {{2, 2}, {3, 5}, {17, 9}, {64, 3}, {130, 12}};
  for (const flow_case which : {flow_case::cavity, flow_case::channel}) {
    for (const auto& [width, height] : sizes) {
      all.push_back(sized(which, width, height));
      all.push_back(sized(which, width, height));
      all.back().obstacles = random_obstacles(width, height, 0.3, width);
      all.back().obstacles[0] = 0;
    }
  }
  settings open = sized(flow_case::free, 40, 20);
  for (const flow_case which : {flow_case::free, flow_case::channel, flow_case::cylinder}) {
    open.which = which;
    open.by = drive::inflow;
    open.obstacles.clear();
    all.push_back(open);
    open.obstacles.assign(800, 0);
    // In the flow, at the inflow, at the outflow, and at a wall.
    for (const std::size_t cell : {7 * 40 + 25, 8 * 40 + 25, 8 * 40 + 26, 160, 161, 599, 639, 30})
      open.obstacles[cell] = 1;
    all.push_back(open);
  }
  for (settings given : all) {
    for (const collision how : collisions) {
      for (const double smagorinsky : {0.0, 0.15}) {
        given.how = how;
        given.smagorinsky = smagorinsky;
        given.reynolds = 10;
        flow tested(where, given);
        textbook plain(tested);
        const double scale = 2 / (tested.about().speed * tested.about().speed * tested.about().length);
        const std::string which = std::string(name(given.which)) + " " + name(how) + " " +
                                  std::to_string(given.width) + "x" + std::to_string(given.height) + " " +
                                  std::to_string(smagorinsky);
        for (const std::uint64_t steps : {1, 2, seeks_races ? 3 : 20}) {
          tested.advance(steps);
          for (std::uint64_t i = 0; i < steps; ++i) plain.step();
          const std::vector<moments<double>> have = rows_of(tested);
          for (std::size_t cell = 0; cell < have.size(); ++cell) {
            if (plain.is_solid(cell)) continue;
            const moments<double> want = plain.of(cell);
            ASSERT_NEAR(have[cell].ux, want.ux, 1e-14) << which << " " << cell << " after " << tested.steps();
            ASSERT_NEAR(have[cell].uy, want.uy, 1e-14) << which << " " << cell << " after " << tested.steps();
            ASSERT_NEAR(have[cell].excess, want.excess, 2e-14) << which << " " << cell;
          }
        }
        ASSERT_NEAR(tested.on_obstacles().drag / scale, plain.drag, 1e-13) << which;
        ASSERT_NEAR(tested.on_obstacles().lift / scale, plain.lift, 1e-13) << which;
        if (given.which == flow_case::cylinder) {
          ASSERT_GT(plain.drag, 1e-4);
        }
      }
    }
  }
}

TEST_P(lattice_boltzmann, forces_are_the_momentum_exchanged) {
  settings given = sized(flow_case::channel, 40, 20);
  given.obstacles.assign(given.width * given.height, 0);
  for (std::size_t y = 6; y < 13; ++y) {
    for (std::size_t x = 10; x < 15 + y / 4; ++x) given.obstacles[y * given.width + x] = 1;
  }
  flow tested(where, given);
  textbook plain(tested);
  tested.advance(60);
  for (int i = 0; i < 60; ++i) plain.step();
  const double scale = 2 / (tested.about().speed * tested.about().speed * tested.about().length);
  EXPECT_NEAR(tested.on_obstacles().drag, scale * plain.drag, 1e-12);
  EXPECT_NEAR(tested.on_obstacles().lift, scale * plain.lift, 1e-12);
  EXPECT_GT(plain.drag, 1e-6);
}

TEST_P(lattice_boltzmann, other_targets_storages_and_sizes_agree) {
  for (const flow_case which : flow_cases) {
    settings given = sized(which, 150, 25);
    given.reynolds = 80;
    if (which == flow_case::free) {
      given.obstacles.assign(150 * 25, 0);
      for (std::size_t y = 9; y < 17; ++y) given.obstacles[y * 150 + 30 + y / 5] = 1;
    }
    for (const collision how : collisions) {
      given.how = how;
      given.smagorinsky = how == collision::regularized ? 0.1 : 0;
      std::vector<moments<double>> exact;
      for (const storage kept : storages) {
        given.kept = kept;
        flow tested(where, given), on_one_core(hd::target::serial(), given);
        const std::uint64_t steps = seeks_races ? 11 : 51;
        tested.advance(steps);
        on_one_core.advance(steps);
        const std::vector<moments<double>> have = rows_of(tested), want = rows_of(on_one_core);
        if (!where.is_gpu()) {
          ASSERT_EQ(difference(have, want), 0) << name(which) << " " << name(kept);
        }
        const double rounding = kept == storage::f64 ? 1e-12 : kept == storage::f32 ? 2e-5 : 2e-3;
        EXPECT_LT(difference(have, want), rounding * given.velocity) << name(which) << " " << name(kept);
        if (kept == storage::f64) exact = have;
        EXPECT_LT(difference(have, exact), 2 * rounding * given.velocity)
            << name(which) << " " << name(how) << " " << name(kept);
        // The mass of 16 bits to the last one, whatever came in and went out.
        EXPECT_EQ(message_of([&] { tested.check(); }), "no error") << name(which) << " " << name(kept);
      }
    }
  }
}

TEST_P(lattice_boltzmann, boxes_keep_their_mass) {
  for (const storage kept : storages) {
    settings given = sized(flow_case::cavity, 40, 30);
    given.kept = kept;
    // In a top corner, beside the lid, and away from it: where links of the lid must still come in pairs.
    given.obstacles.assign(1200, 0);
    for (const std::size_t i : {1199, 1175, 1177, 1165}) given.obstacles[i] = 1;
    for (std::size_t i = 600; i < 610; ++i) given.obstacles[i] = 1;
    flow tested(where, given);
    tested.advance(1500);
    const double bound = kept == storage::f64 ? 1e-13 : kept == storage::f32 ? 1e-7 : 0;
    EXPECT_EQ(tested.fluid_cells(), 1186u);
    EXPECT_LE(std::abs(tested.excess_mass()) / 1186, bound) << name(kept);
  }
}
