#include "elements.hpp"
#include "lattice_boltzmann/flow.hpp"
#include "on_targets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace hd = heddle;
using namespace heddle::lbm;
using namespace heddle::tests;

namespace {

/// The kernels of a GPU are the simulation's own, so that it runs on every target.
class lattice_boltzmann : public on_targets {};
HD_ON_ALL_TARGETS(lattice_boltzmann);

/// What lasts longer runs once, and not under sanitizers.
class lattice_boltzmann_validation : public on_targets {};
INSTANTIATE_TEST_SUITE_P(Cpu, lattice_boltzmann_validation, testing::Values("parallel:2"), target_name);
INSTANTIATE_TEST_SUITE_P(Gpu, lattice_boltzmann_validation, testing::Values("gpu:0"), target_name);

constexpr int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
constexpr int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};

double weight(int i) {
  return i == 0 ? 4.0 / 9 : i < 5 ? 1.0 / 9 : 1.0 / 36;
}

using nine = std::array<double, 9>;

double equilibrium(int i, double rho, double u, double v) {
  const double cu = cx[i] * u + cy[i] * v;
  return weight(i) * rho * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * (u * u + v * v));
}

/// The textbook: two lattices, whole populations, cell by cell; the nine velocities in another order than the
/// library's. Boxes with or without a lid, and periodic grids, with obstacles.
struct textbook {
  settings given;
  double tau, force = 0;
  std::vector<nine> now;
  double drag = 0, lift = 0;

  std::size_t at(std::ptrdiff_t x, std::ptrdiff_t y) const {
    return static_cast<std::size_t>(y) * given.width + static_cast<std::size_t>(x);
  }
  std::ptrdiff_t width() const { return static_cast<std::ptrdiff_t>(given.width); }
  std::ptrdiff_t height() const { return static_cast<std::ptrdiff_t>(given.height); }
  bool is_solid(std::size_t cell) const { return !given.obstacles.empty() && given.obstacles[cell] != 0; }

  void collide(nine& f) const {
    double rho = 0, x = 0, y = 0;
    for (int i = 0; i < 9; ++i) {
      rho += f[i];
      x += cx[i] * f[i];
      y += cy[i] * f[i];
    }
    const double u = (x + force / 2) / rho, v = y / rho;
    const double even = 1 / tau,
                 odd = given.how == collision::bgk ? even : 1 / (0.5 + 3.0 / 16 / (tau - 0.5));
    const nine before = f;
    const auto source = [&](int i) {
      return weight(i) * force * (3 * (cx[i] - u) + 9 * (cx[i] * u + cy[i] * v) * cx[i]);
    };
    for (int i = 0; i < 9; ++i) {
      const int o = opposite[i];
      const double equal = equilibrium(i, rho, u, v), against = equilibrium(o, rho, u, v);
      f[i] = before[i] - even * ((before[i] + before[o]) / 2 - (equal + against) / 2) -
             odd * ((before[i] - before[o]) / 2 - (equal - against) / 2) +
             (1 - even / 2) * (source(i) + source(o)) / 2 + (1 - odd / 2) * (source(i) - source(o)) / 2;
    }
  }

  void step() {
    const bool wraps_x = given.which != flow_case::cavity, wraps_y = given.which == flow_case::taylor_green;
    std::vector<nine> after = now;
    for (std::size_t cell = 0; cell < after.size(); ++cell) collide(after[cell]);
    drag = lift = 0;
    for (std::ptrdiff_t y = 0; y < height(); ++y) {
      for (std::ptrdiff_t x = 0; x < width(); ++x) {
        if (is_solid(at(x, y))) continue;
        for (int i = 0; i < 9; ++i) {
          std::ptrdiff_t from_x = x - cx[i], from_y = y - cy[i];
          if (wraps_x) from_x = (from_x + width()) % width();
          if (wraps_y) from_y = (from_y + height()) % height();
          const double left = after[at(x, y)][opposite[i]];
          double& arrives = now[at(x, y)][i];
          if (from_x < 0 || from_y < 0 || from_x == width() || from_y == height()) {
            const bool lid =
                given.which == flow_case::cavity && from_y == height() && from_x >= 0 && from_x < width();
            arrives = left + (lid ? 6 * weight(i) * cx[i] * given.velocity : 0);
          } else if (is_solid(at(from_x, from_y))) {
            arrives = left;
            drag -= cx[i] * (left + arrives);
            lift -= cy[i] * (left + arrives);
          } else {
            arrives = after[at(from_x, from_y)][i];
          }
        }
      }
    }
  }

  moments<double> of(std::size_t cell) const {
    double rho = 0, x = force / 2, y = 0;
    for (int i = 0; i < 9; ++i) {
      rho += now[cell][i];
      x += cx[i] * now[cell][i];
      y += cy[i] * now[cell][i];
    }
    return {rho - 1, x / rho, y / rho};
  }
};

std::vector<moments<double>> rows_of(const flow& of) {
  std::vector<moments<double>> rows(of.given().width * of.given().height);
  of.read_rows(0, of.given().height, rows.data());
  return rows;
}

/// The largest difference of a component of the velocity.
double difference(const std::vector<moments<double>>& a, const std::vector<moments<double>>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max({most, std::abs(a[i].ux - b[i].ux), std::abs(a[i].uy - b[i].uy)});
  }
  return most;
}

/// None in the top row, where a cell between two of them and a lid would be a pump.
std::vector<std::uint8_t> random_obstacles(std::size_t width, std::size_t height, double part,
                                           std::uint64_t seed) {
  std::vector<std::uint8_t> solid(width * height);
  for (std::size_t i = 0; i < width * (height - 1); ++i) {
    solid[i] = random_real(seed * 1'000'000 + i) < 2 * part - 1;
  }
  return solid;
}

settings sized(flow_case which, std::size_t width, std::size_t height) {
  settings given;
  given.which = which;
  given.width = width;
  given.height = height;
  given.kept = storage::f64;
  return given;
}

/// A file that is gone at the end of the test.
struct temporary_file {
  std::string path;
  explicit temporary_file(const std::string& name)
      : path((std::filesystem::temp_directory_path() / (name + std::to_string(::getpid()))).string()) {}
  ~temporary_file() { std::remove(path.c_str()); }
};

}  // namespace

TEST_P(lattice_boltzmann, steps_are_those_of_the_textbook) {
  const std::pair<std::size_t, std::size_t> sizes[] = {{2, 2}, {3, 5}, {17, 9}, {64, 3}, {130, 12}};
  for (const flow_case which : {flow_case::cavity, flow_case::channel}) {
    for (const auto& [width, height] : sizes) {
      for (const bool has_obstacles : {false, true}) {
        for (const collision how : {collision::bgk, collision::trt}) {
          settings given = sized(which, width, height);
          given.how = how;
          given.reynolds = 10;
          if (has_obstacles) given.obstacles = random_obstacles(width, height, 0.3, width);
          if (has_obstacles) given.obstacles[0] = 0;
          flow tested(where, given);
          textbook plain{given, tested.about().relaxation_time, 0, {}};
          if (which == flow_case::channel) {
            plain.force =
                8 * tested.about().viscosity * given.velocity / static_cast<double>(height * height);
          }
          plain.now.assign(width * height, nine());
          for (nine& f : plain.now) {
            for (int i = 0; i < 9; ++i) f[i] = weight(i);
          }
          for (const std::uint64_t steps : {1, 2, 20}) {
            tested.advance(steps);
            for (std::uint64_t i = 0; i < steps; ++i) plain.step();
            const std::vector<moments<double>> have = rows_of(tested);
            for (std::size_t cell = 0; cell < have.size(); ++cell) {
              if (plain.is_solid(cell)) continue;
              const moments<double> want = plain.of(cell);
              ASSERT_NEAR(have[cell].ux, want.ux, 1e-14)
                  << name(which) << width << "x" << height << " " << cell;
              ASSERT_NEAR(have[cell].uy, want.uy, 1e-14)
                  << name(which) << width << "x" << height << " " << cell;
              ASSERT_NEAR(have[cell].excess, want.excess, 2e-14) << name(which) << width << "x" << height;
            }
          }
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
  textbook plain{given, tested.about().relaxation_time, 0, {}};
  plain.force = 8 * tested.about().viscosity * given.velocity / 400;
  plain.now.assign(given.width * given.height, nine());
  for (nine& f : plain.now) {
    for (int i = 0; i < 9; ++i) f[i] = weight(i);
  }
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
        tested.advance(51);
        on_one_core.advance(51);
        const std::vector<moments<double>> have = rows_of(tested), want = rows_of(on_one_core);
        if (!where.is_gpu()) {
          ASSERT_EQ(difference(have, want), 0) << name(which) << " " << name(kept);
        }
        const double rounding = kept == storage::f64 ? 1e-12 : kept == storage::f32 ? 2e-5 : 2e-3;
        EXPECT_LT(difference(have, want), rounding * given.velocity) << name(which) << " " << name(kept);
        if (kept == storage::f64) exact = have;
        EXPECT_LT(difference(have, exact), 2 * rounding * given.velocity)
            << name(which) << " " << name(how) << " " << name(kept);
      }
    }
  }
}

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

TEST_P(lattice_boltzmann, taylor_green_decays_to_second_order) {
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

TEST_P(lattice_boltzmann, poiseuille_is_second_order_or_exact) {
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

TEST_P(lattice_boltzmann, channel_from_inflow_to_outflow_is_a_parabola) {
  settings given = sized(flow_case::channel, 60, 20);
  given.by = drive::inflow;
  given.reynolds = 20;
  given.velocity = 0.03;  // pressure, and with it density, falls along the channel as the velocity squared
  flow tested(where, given);
  tested.advance(6000);
  for (const profile_point& at : centre_lines(tested).vertical) {
    EXPECT_NEAR(at.u, 4 * at.position * (1 - at.position), 0.01) << at.position;
    EXPECT_NEAR(at.v, 0, 1e-3);
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
  EXPECT_NEAR(tested.on_obstacles().drag, 5.5795, 0.05 * 5.5795);
  EXPECT_NEAR(tested.on_obstacles().lift, 0.0106, 0.003);
  EXPECT_NEAR(tested.pressure_difference(), 0.1175, 0.05 * 0.1175);
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
  EXPECT_NEAR(tested.about().length / tested.about().speed / period, 0.3, 0.012);
}

TEST_P(lattice_boltzmann, boxes_keep_their_mass) {
  for (const storage kept : storages) {
    settings given = sized(flow_case::cavity, 40, 30);
    given.kept = kept;
    given.obstacles.assign(1200, 0);
    for (std::size_t i = 600; i < 610; ++i) given.obstacles[i] = 1;
    flow tested(where, given);
    tested.advance(1500);
    const double bound = kept == storage::f64 ? 1e-13 : kept == storage::f32 ? 1e-5 : 0;
    EXPECT_LE(std::abs(tested.excess_mass()) / 1190, bound) << name(kept);
  }
}

TEST_P(lattice_boltzmann, goes_on_from_a_checkpoint_bit_for_bit) {
  const temporary_file file("heddle_lbm_checkpoint");
  for (const storage kept : storages) {
    for (const flow_case which : flow_cases) {
      settings given = sized(which, 90, 33);
      given.kept = kept;
      if (which == flow_case::free) given.obstacles = random_obstacles(90, 33, 0.03, 4);
      flow whole(where, given), half(where, given);
      whole.advance(64);
      half.advance(31);
      half.save(file.path);
      flow resumed = flow::resume(where, file.path);
      EXPECT_EQ(resumed.steps(), 31u);
      EXPECT_EQ(resumed.given(), whole.given());
      resumed.advance(33);
      ASSERT_EQ(difference(rows_of(resumed), rows_of(whole)), 0) << name(which) << " " << name(kept);
    }
  }
}

TEST_P(lattice_boltzmann, says_when_a_flow_blows_up) {
  settings given = sized(flow_case::cavity, 20, 20);
  given.kept = storage::f32;
  given.how = collision::bgk;
  given.reynolds = 1e6;
  given.velocity = 0.3;
  flow tested(where, given);
  const std::string message = message_of([&] { tested.advance(20'000); });
  EXPECT_NE(message.find("lbm: the flow blew up by step "), std::string::npos) << message;
  EXPECT_NE(message.find("in cell ("), std::string::npos) << message;
  EXPECT_FALSE(tested.about().warnings.empty());
}

TEST(lattice_boltzmann_settings, what_follows_from_them) {
  settings given = sized(flow_case::cylinder, 0, 0);
  given.reynolds = 20;
  const settings whole = completed(given);
  EXPECT_EQ(whole.width, 881u);
  EXPECT_EQ(whole.height, 164u);
  const description about = describe(whole);
  EXPECT_NEAR(about.length, 40, 1e-12);
  EXPECT_NEAR(about.viscosity, 0.1 * 2 / 3 * 40 / 20, 1e-12);
  EXPECT_NEAR(about.relaxation_time, 3 * about.viscosity + 0.5, 1e-15);
  EXPECT_NEAR(about.mach, 0.1732, 1e-4);
  EXPECT_EQ(about.bytes_a_cell, 144u);
  EXPECT_TRUE(about.warnings.empty());
  EXPECT_EQ(completed(sized(flow_case::cavity, 128, 128)).reynolds, 100);
  EXPECT_NEAR(describe(completed(sized(flow_case::cavity, 8192, 8192))).viscosity, 0.2, 1e-12);
  given.velocity = 0.4;
  EXPECT_NE(describe(completed(given)).warnings.at(0).find("compressible"), std::string::npos);
}

TEST(lattice_boltzmann_settings, say_what_makes_no_flow) {
  const auto refused = [](auto change) {
    settings given;
    change(given);
    return message_of([&] { completed(given); });
  };
  EXPECT_NE(refused([](settings& s) { s.velocity = 0.6; }).find("speed of sound"), std::string::npos);
  EXPECT_NE(refused([](settings& s) { s.reynolds = -1; }).find("Reynolds number"), std::string::npos);
  EXPECT_NE(refused([](settings& s) { s.width = s.height = 1; }).find("1x1 cells"), std::string::npos);
  EXPECT_NE(refused([](settings& s) { s.obstacles.assign(5, 1); }).find("obstacles of 5 cells"),
            std::string::npos);
  EXPECT_NE(refused([](settings& s) { s.obstacles.assign(128 * 128, 1); }).find("none is fluid"),
            std::string::npos);
  EXPECT_NE(refused([](settings& s) {
              s.which = flow_case::cylinder;
              s.width = 20;
              s.height = 64;
            }).find("no room for the cylinder"),
            std::string::npos);
}

TEST(lattice_boltzmann_checkpoint, says_what_is_no_checkpoint) {
  const temporary_file file("heddle_lbm_bad_checkpoint");
  const auto resume = [&] { return message_of([&] { flow::resume(hd::target::serial(), file.path); }); };
  EXPECT_NE(resume().find("cannot open"), std::string::npos);
  std::ofstream(file.path) << "something else\n";
  EXPECT_NE(resume().find("line 1 does not begin with"), std::string::npos);
  flow small(hd::target::serial(), sized(flow_case::cavity, 9, 8));
  small.save(file.path);
  std::string bytes;
  {
    std::ifstream in(file.path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto written = [&](const std::string& content) {
    std::ofstream(file.path, std::ios::binary) << content;
    return resume();
  };
  EXPECT_EQ(written(bytes), "no error");
  EXPECT_NE(written(bytes.substr(0, bytes.size() - 9)).find("not a whole checkpoint"), std::string::npos);
  std::string damaged = bytes;
  damaged[damaged.size() - 100] ^= 1;
  EXPECT_NE(written(damaged).find("damaged"), std::string::npos);
  std::string renamed = bytes;
  renamed.replace(renamed.find("cavity"), 6, "cabity");
  EXPECT_NE(written(renamed).find("has no value that is known"), std::string::npos);
}
