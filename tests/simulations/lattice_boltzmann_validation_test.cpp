#include "flows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::lbm;
using namespace heddle::tests;

namespace {

/// What lasts longer runs once, and not under sanitizers.
class lattice_boltzmann_validation : public on_targets {};
INSTANTIATE_TEST_SUITE_P(Cpu, lattice_boltzmann_validation, testing::Values("parallel:2"), target_name);
INSTANTIATE_TEST_SUITE_P(Gpu, lattice_boltzmann_validation, testing::Values("gpu:0"), target_name);

}  // namespace

TEST_P(lattice_boltzmann_validation, cavity_is_ghias) {
  // U. Ghia, K. Ghia and C. Shin, J. Comput. Phys. 48 (1982) 387, Re 100.
  constexpr double y_u[][2] = {{0.9766, 0.84123},  {0.9531, 0.68717},  {0.8516, 0.23151},  {0.7344, 0.00332},
                               {0.6172, -0.13641}, {0.5000, -0.20581}, {0.4531, -0.21090}, {0.2813, -0.15662},
                               {0.1719, -0.10150}, {0.1016, -0.06434}, {0.0625, -0.04192}};
  constexpr double x_v[][2] = {{0.9688, -0.05906}, {0.9453, -0.10313}, {0.9063, -0.16914}, {0.8594, -0.22445},
                               {0.8047, -0.24533}, {0.5000, 0.05454},  {0.2344, 0.17527},  {0.2266, 0.17507},
                               {0.1563, 0.16077},  {0.0938, 0.12317},  {0.0703, 0.10091}};
  for (const storage kept : {storage::f32, storage::f16}) {
    settings given = sized(flow_case::cavity, 64, 64);
    given.velocity = 0.15;
    given.kept = kept;
    flow tested(where, given);
    tested.advance(8000);
    const profiles lines = centre_lines(tested);
    const auto at = [](const std::vector<profile_point>& line, double place, bool is_u) {
      std::size_t i = 0;
      while (i + 2 < line.size() && line[i + 1].position < place) ++i;
      const double part = (place - line[i].position) / (line[i + 1].position - line[i].position);
      return (1 - part) * (is_u ? line[i].u : line[i].v) + part * (is_u ? line[i + 1].u : line[i + 1].v);
    };
    for (const auto& [y, u] : y_u) EXPECT_NEAR(at(lines.vertical, y, true), u, 0.01) << y;
    for (const auto& [x, v] : x_v)
      EXPECT_NEAR(at(lines.horizontal, x, false), v, x == 0.8594 ? 0.012 : 0.01) << x;
  }
}

TEST_P(lattice_boltzmann_validation, cavity_converges_to_second_order) {
  // O. Botella and R. Peyret, Comput. & Fluids 27 (1998) 421, Re 100: the least u and v on the centre lines.
  double before = 0;
  for (const std::size_t cells : {24, 48}) {
    settings given = sized(flow_case::cavity, cells, cells);
    given.velocity = 2.4 / static_cast<double>(cells);  // errors of compressibility fall alike
    flow tested(where, given);
    tested.advance(10 * cells * cells);
    const profiles lines = centre_lines(tested);
    // The vertex of the parabola through the least value and its neighbours.
    const auto least = [](const std::vector<profile_point>& line, bool is_u) {
      const auto value = [&](std::size_t i) { return is_u ? line[i].u : line[i].v; };
      std::size_t i = 1;
      for (std::size_t k = 1; k + 1 < line.size(); ++k) i = value(k) < value(i) ? k : i;
      const double slope = (value(i + 1) - value(i - 1)) / 2,
                   bend = value(i + 1) - 2 * value(i) + value(i - 1);
      return value(i) - slope * slope / (2 * bend);
    };
    const double error = std::max(std::abs(least(lines.vertical, true) + 0.2140424),
                                  std::abs(least(lines.horizontal, false) + 0.2538030));
    if (before != 0) {
      EXPECT_GT(before / error, 3.6);
    }
    before = error;
  }
  EXPECT_LT(before, 0.003);
}

TEST_P(lattice_boltzmann_validation, taylor_green_decays_to_second_order) {
  for (const collision how : collisions) {
    double before = 0;
    for (const std::size_t cells : {12, 24, 48}) {
      settings given = sized(flow_case::taylor_green, cells, cells);
      given.how = how;
      given.reynolds = 40;
      given.velocity = 1.2 / static_cast<double>(cells);  // the viscosity stays
      flow tested(where, given);
      tested.advance(cells * cells / 4);
      const double error = *error_of(tested);
      if (before != 0) {
        EXPECT_NEAR(before / error, 4, 0.4) << name(how) << " " << cells;
      }
      before = error;
    }
    EXPECT_LT(before, 1e-3);
  }
}

TEST_P(lattice_boltzmann_validation, poiseuille_is_second_order_or_exact) {
  double before = 0;
  for (const std::size_t cells : {8, 16, 32}) {
    settings given = sized(flow_case::channel, 2, cells);
    given.reynolds = 4;
    given.velocity = 0.8 / static_cast<double>(cells);  // the viscosity is 0.2
    const std::uint64_t steps = 12 * cells * cells;
    given.how = collision::bgk;
    flow bgk(where, given);
    bgk.advance(steps);
    const double error = *error_of(bgk);
    if (before != 0) {
      EXPECT_NEAR(before / error, 4, 0.1) << cells;
    }
    before = error;
    given.how = collision::trt;
    flow trt(where, given);
    trt.advance(steps);
    EXPECT_LT(*error_of(trt), 1e-9) << cells;
  }
}

TEST_P(lattice_boltzmann_validation, channel_from_inflow_to_outflow_is_poiseuilles_to_second_order) {
  for (const collision how : collisions) {
    double before = 0, pressure_before = 0;
    for (const std::size_t cells : {6, 12, 24}) {
      settings given = sized(flow_case::channel, 3 * cells + 1, cells);
      given.how = how;
      given.by = drive::inflow;
      given.reynolds = 10;
      // The viscosity stays; density falls along the channel as the velocity squared.
      given.velocity = 0.18 / static_cast<double>(cells);
      flow tested(where, given);
      tested.advance(20 * cells * cells);
      const std::vector<moments<double>> have = rows_of(tested);
      // In every column: at the inflow and at the outflow too.
      double error = 0, pressure_error = 0;
      const double height = static_cast<double>(cells);
      for (std::size_t i = 0; i < have.size(); ++i) {
        const double y = (static_cast<double>(i / given.width) + 0.5) / height;
        error = std::max({error, std::abs(have[i].ux / given.velocity - 4 * y * (1 - y)),
                          std::abs(have[i].uy / given.velocity)});
      }
      // What the pressure falls by in the last half of the height, and in the half before the middle, over
      // 8νU/H² of it.
      const auto pressure = [&](std::size_t x) {
        double sum = 0;
        for (std::size_t y = 0; y < cells; ++y) sum += have[y * given.width + x].excess / 3 / height;
        return sum;
      };
      const std::size_t half = cells / 2;
      const double fall = 4 * tested.about().viscosity * given.velocity / height;
      for (const std::size_t end : {given.width - 1, given.width / 2}) {
        pressure_error =
            std::max(pressure_error, std::abs((pressure(end - half) - pressure(end)) / fall - 1));
      }
      if (before != 0) {
        EXPECT_GT(before / error, 3.2) << name(how) << " " << cells;
        EXPECT_GT(pressure_before / pressure_error, 1.8) << name(how) << " " << cells;
      }
      before = error;
      pressure_before = pressure_error;
    }
    EXPECT_LT(before, 3e-3) << name(how);
    EXPECT_LT(pressure_before, 0.03) << name(how);
  }
}

TEST_P(lattice_boltzmann_validation, cylinder_drag_lift_and_pressure_are_the_benchmarks) {
  // M. Schäfer and S. Turek (1996), 2D-1, on a diameter of 10 cells.
  settings given = sized(flow_case::cylinder, 221, 41);
  given.kept = storage::f32;
  given.reynolds = 20;
  given.velocity = 0.05;
  flow tested(where, given);
  tested.advance(12'000);
  // Four times what is missing on 20 cells: 0.011 of the drag, 0.0005 and 0.009 of the pressure.
  EXPECT_NEAR(tested.on_obstacles().drag, 5.5795, 0.042 * 5.5795);
  EXPECT_NEAR(tested.on_obstacles().lift, 0.0106, 0.002);
  EXPECT_NEAR(*tested.pressure_difference(), 0.1175, 0.035 * 0.1175);
  EXPECT_LT(*(tested.change(), tested.advance(200), tested.change()), 5e-3);
}

TEST_P(lattice_boltzmann_validation, cylinder_vortices_leave_as_often_as_the_benchmarks) {
  // 2D-2: a Strouhal number of 0.295 to 0.305.
  settings given = sized(flow_case::cylinder, 221, 41);
  given.kept = storage::f32;
  given.velocity = 0.08;
  flow tested(where, given);
  tested.advance(7000);
  std::vector<double> upwards;  // times at which the lift becomes positive
  double before = 0, mean = 0;
  std::vector<double> lift;
  for (int i = 0; i < 500; ++i) {
    tested.advance(10);
    lift.push_back(tested.on_obstacles().lift);
    mean += lift.back() / 500;
  }
  for (std::size_t i = 0; i < lift.size(); ++i) {
    const double now = lift[i] - mean;
    if (i > 0 && before < 0 && now >= 0) upwards.push_back(static_cast<double>(i) - now / (now - before));
    before = now;
  }
  ASSERT_GE(upwards.size(), 6u);
  const double period = 10 * (upwards.back() - upwards.front()) / static_cast<double>(upwards.size() - 1);
  EXPECT_NEAR(tested.about().length / tested.about().speed / period, 0.3, 0.005);
}

TEST_P(lattice_boltzmann_validation, sixteen_bits_are_within_a_thousandth_of_float) {
  for (const double velocity : {0.1, 0.05, 0.02}) {
    settings given = sized(flow_case::cavity, 64, 64);
    given.velocity = velocity;
    given.kept = storage::f16;
    flow tested(where, given);
    EXPECT_TRUE(tested.about().warnings.empty());
    given.kept = storage::f32;
    flow exact(where, given);
    const auto steps = static_cast<std::uint64_t>(20 * 64 / velocity);
    tested.advance(steps);
    exact.advance(steps);
    EXPECT_LT(difference(rows_of(tested), rows_of(exact)) / velocity, 1e-3) << velocity;
  }
}
