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
/// library's.
struct textbook {
  settings given;  // with the solid cells of all kinds
  double tau, force = 0;
  std::vector<nine> now;
  double drag = 0, lift = 0;

  /// At the beginning of a case that has no vortices then.
  explicit textbook(const flow& like) : given(like.given()), tau(like.about().relaxation_time) {
    const std::size_t cells = given.width * given.height;
    given.obstacles.resize(cells);
    for (std::size_t i = 0; i < cells; ++i) {
      given.obstacles[i] = like.is_solid(i % given.width, i / given.width);
    }
    if (given.which == flow_case::channel && !is_open()) {
      force = 8 * like.about().viscosity * given.velocity / static_cast<double>(given.height * given.height);
    }
    now.resize(cells);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      for (int i = 0; i < 9; ++i) {
        now[cell][i] = equilibrium(i, 1, is_open() ? inflow_velocity(cell / given.width) : 0, 0);
      }
    }
  }

  bool is_open() const {
    return given.which == flow_case::free || given.which == flow_case::cylinder ||
           (given.which == flow_case::channel && given.by == drive::inflow);
  }
  double inflow_velocity(std::size_t row) const {
    const double y = (static_cast<double>(row) + 0.5) / static_cast<double>(given.height);
    return given.velocity * (given.which == flow_case::free ? 1 : 4 * y * (1 - y));
  }
  double inflow_slope(std::size_t row) const {
    const double height = static_cast<double>(given.height), y = (static_cast<double>(row) + 0.5) / height;
    return given.which == flow_case::free ? 0 : given.velocity * 4 * (1 - 2 * y) / height;
  }

  std::size_t at(std::ptrdiff_t x, std::ptrdiff_t y) const {
    return static_cast<std::size_t>(y) * given.width + static_cast<std::size_t>(x);
  }
  std::ptrdiff_t width() const { return static_cast<std::ptrdiff_t>(given.width); }
  std::ptrdiff_t height() const { return static_cast<std::ptrdiff_t>(given.height); }
  bool is_solid(std::size_t cell) const { return given.obstacles[cell] != 0; }

  struct macroscopic {
    double rho = 0, u = 0, v = 0;
    double xx = 0, yy = 0, xy = 0;  // second moments of what is not equilibrium
  };
  macroscopic macroscopic_of(const nine& f) const {
    macroscopic m;
    double x = force / 2, y = 0;
    for (int i = 0; i < 9; ++i) {
      m.rho += f[i];
      x += cx[i] * f[i];
      y += cy[i] * f[i];
    }
    m.u = x / m.rho;
    m.v = y / m.rho;
    for (int i = 0; i < 9; ++i) {
      const double rest = f[i] - equilibrium(i, m.rho, m.u, m.v);
      m.xx += cx[i] * cx[i] * rest;
      m.yy += cy[i] * cy[i] * rest;
      m.xy += cx[i] * cy[i] * rest;
    }
    return m;
  }
  /// Of second moments, by the second Hermite polynomials.
  static double second(int i, double xx, double yy, double xy) {
    return weight(i) * 4.5 *
           ((cx[i] * cx[i] - 1.0 / 3) * xx + (cy[i] * cy[i] - 1.0 / 3) * yy + 2 * cx[i] * cy[i] * xy);
  }
  /// Of third and fourth ones: xxy, xyy and xxyy.
  static double higher(int i, double xxy, double xyy, double xxyy) {
    const double hx = cx[i] * cx[i] - 1.0 / 3, hy = cy[i] * cy[i] - 1.0 / 3;
    return weight(i) * (13.5 * (hx * cy[i] * xxy + hy * cx[i] * xyy) + 20.25 * hx * hy * xxyy);
  }

  void collide(nine& f) const {
    const auto [rho, u, v, xx, yy, xy] = macroscopic_of(f);
    double time = tau;
    if (given.smagorinsky > 0) {
      // S. Hou et al.: τ with the viscosity ν + C²·|S|, and |S| from the stress at that τ.
      const double stress = std::sqrt(2 * (xx * xx + yy * yy + 2 * xy * xy));
      time = (tau + std::sqrt(tau * tau + 18 * given.smagorinsky * given.smagorinsky * stress / rho)) / 2;
    }
    const double magic = is_open() ? std::min(3.0 / 16, tau - 0.5) : 3.0 / 16;
    const double even = 1 / time, odd = given.how == collision::trt ? 1 / (0.5 + magic / (time - 0.5)) : even;
    const nine before = f;
    const auto linear = [&](int i) { return weight(i) * 3 * cx[i] * force; };
    const auto square = [&, u = u, v = v](int i) {
      return weight(i) * force * (9 * (cx[i] * u + cy[i] * v) * cx[i] - 3 * u);
    };
    for (int i = 0; i < 9; ++i) {
      const int o = opposite[i];
      const double equal = equilibrium(i, rho, u, v), against = equilibrium(o, rho, u, v);
      if (given.how == collision::regularized) {
        const double stays = 1 - even;
        f[i] = equal + higher(i, rho * u * u * v, rho * u * v * v, rho * u * u * v * v) +
               stays * (second(i, xx, yy, xy) + higher(i, 2 * u * xy + v * xx, 2 * v * xy + u * yy,
                                                       v * v * xx + u * u * yy + 4 * u * v * xy)) +
               linear(i) / 2 + (1 - even / 2) * square(i);
      } else {
        f[i] = before[i] - even * ((before[i] + before[o]) / 2 - (equal + against) / 2) -
               odd * ((before[i] - before[o]) / 2 - (equal - against) / 2) + (1 - even / 2) * square(i) +
               (1 - odd / 2) * linear(i);
      }
    }
  }

  bool is_in_circle(std::ptrdiff_t x, std::ptrdiff_t y) const {
    const double unit = static_cast<double>(given.height) / 0.41;
    return given.which == flow_case::cylinder &&
           std::hypot(static_cast<double>(x) - 0.2 * unit, static_cast<double>(y) + 0.5 - 0.2 * unit) <
               0.05 * unit;
  }
  /// The part of its way after which what leaves (x, y) with cx[o], cy[o] meets the circle of 2D-1 and 2D-2.
  double meets_circle(std::ptrdiff_t x, std::ptrdiff_t y, int o) const {
    const double unit = static_cast<double>(given.height) / 0.41;
    const double dx = static_cast<double>(x) - 0.2 * unit, dy = static_cast<double>(y) + 0.5 - 0.2 * unit;
    double low = 0, high = 1;
    for (int i = 0; i < 60; ++i) {
      const double q = (low + high) / 2;
      (std::hypot(dx + q * cx[o], dy + q * cy[o]) > 0.05 * unit ? low : high) = q;
    }
    return high;
  }

  void step() {
    const bool wraps_x = !is_open() && given.which != flow_case::cavity,
               wraps_y = given.which == flow_case::free;
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
          if (is_open() && (from_x < 0 || from_x == width())) continue;
          const int o = opposite[i];
          const double left = after[at(x, y)][o];
          double& arrives = now[at(x, y)][i];
          if (from_x < 0 || from_y < 0 || from_x == width() || from_y == height()) {
            // Beside a solid cell the lid is a wall at rest, as at its corners.
            const bool lid = given.which == flow_case::cavity && from_y == height() && from_x >= 0 &&
                             from_x < width() && !is_solid(at(from_x, y));
            arrives = left + (lid ? 6 * weight(i) * cx[i] * given.velocity : 0);
          } else if (is_solid(at(from_x, from_y))) {
            arrives = left;
            if (is_in_circle(from_x, from_y) && !is_solid(at(x + cx[i], y + cy[i]))) {
              // M. Bouzidi, M. Firdaouss and P. Lallemand (2001), (5).
              const double q = meets_circle(x, y, o);
              arrives = q < 0.5 ? 2 * q * left + (1 - 2 * q) * after[at(x + cx[i], y + cy[i])][o]
                                : left / (2 * q) + (2 * q - 1) / (2 * q) * after[at(x, y)][i];
            }
            drag -= cx[i] * (left + arrives - 2 * weight(i));
            lift -= cy[i] * (left + arrives - 2 * weight(i));
          } else {
            arrives = after[at(from_x, from_y)][i];
          }
        }
      }
    }
    if (is_open()) let_flow();
  }

  /// Inflow and outflow, whose columns get whole populations.
  void let_flow() {
    double leaves = 0, comes = 0, outflows = 0;
    for (std::ptrdiff_t y = 0; y < height(); ++y) {
      const auto row = static_cast<std::size_t>(y);
      nine& first = now[at(0, y)];
      const nine& last = now[at(width() - 1, y)];
      if (!is_solid(at(0, y))) {
        const double u = inflow_velocity(row);
        const double rho = (first[0] + first[2] + first[4] + 2 * (first[3] + first[6] + first[7])) / (1 - u);
        for (int i = 0; i < 9; ++i) {
          first[i] = equilibrium(i, rho, u, 0) + second(i, 0, 0, -rho * tau / 3 * inflow_slope(row));
        }
        comes += u;
      }
      if (!is_solid(at(width() - 1, y))) {
        leaves += last[0] + last[2] + last[4] + 2 * (last[1] + last[5] + last[8]) - 1;
        outflows += 1;
      }
    }
    const double rho = 1 + (leaves - comes) / outflows / (1 + 1 / std::sqrt(3.0));
    for (std::ptrdiff_t y = 0; y < height(); ++y) {
      if (is_solid(at(width() - 1, y))) continue;
      const macroscopic beside = macroscopic_of(now[at(width() - 2, y)]);
      for (int i = 0; i < 9; ++i) {
        now[at(width() - 1, y)][i] =
            equilibrium(i, rho, beside.u, beside.v) + second(i, beside.xx, beside.yy, beside.xy);
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

std::vector<std::uint8_t> random_obstacles(std::size_t width, std::size_t height, double part,
                                           std::uint64_t seed) {
  std::vector<std::uint8_t> solid(width * height);
  for (std::size_t i = 0; i < width * height; ++i) {
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
std::string contents_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

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
        for (const std::uint64_t steps : {1, 2, 20}) {
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
        // The mass of 16 bits to the last one, whatever came in and went out.
        EXPECT_EQ(message_of([&] { tested.check(); }), "no error") << name(which) << " " << name(kept);
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

TEST_P(lattice_boltzmann, channel_from_inflow_to_outflow_is_poiseuilles_to_second_order) {
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

TEST_P(lattice_boltzmann, goes_on_comparing_velocities_from_a_checkpoint) {
  const temporary_file file("heddle_lbm_compared");
  for (const storage kept : storages) {
    settings given = sized(flow_case::cavity, 40, 30);
    given.kept = kept;
    flow whole(where, given);
    whole.save(file.path);
    EXPECT_EQ(flow::resume(where, file.path).compared(), std::nullopt);
    whole.advance(20);
    EXPECT_EQ(whole.change(), std::nullopt);
    whole.advance(7);
    whole.save(file.path);
    flow resumed = flow::resume(where, file.path);
    EXPECT_EQ(resumed.compared(), 20u);
    for (flow* const of : {&whole, &resumed}) of->advance(13);
    const std::optional<double> change = whole.change();
    ASSERT_TRUE(change.has_value());
    EXPECT_GT(*change, 0);
    EXPECT_EQ(resumed.change(), change) << name(kept);
  }
}

TEST_P(lattice_boltzmann, keeps_velocities_while_they_can_be_compared_with) {
  const temporary_file file("heddle_lbm_compared_long_ago");
  for (const storage kept : storages) {
    settings given = sized(flow_case::cavity, 30, 40);
    given.kept = kept;
    given.velocity = 0.2;
    const std::size_t cells = 1200, velocity = kept == storage::f64 ? 16 : 8,
                      populations = 9 * bytes_of(kept);
    flow tested(where, given);
    ASSERT_EQ(tested.steps_between_comparisons(), 150u);
    const std::size_t bytes = tested.about().bytes;
    tested.advance(20);
    for (int call = 0; call < 2; ++call) {
      tested.change();
      EXPECT_EQ(tested.about().bytes, bytes + cells * velocity);
    }
    const auto saved_bytes_a_cell = [&] {
      tested.save(file.path);
      return (std::filesystem::file_size(file.path) - 8) / cells;
    };
    tested.advance(150);
    EXPECT_EQ(saved_bytes_a_cell(), populations + velocity) << name(kept);
    {
      const flow resumed = flow::resume(where, file.path);
      EXPECT_EQ(resumed.compared(), 20u);
      EXPECT_EQ(resumed.about().bytes, tested.about().bytes);
    }
    tested.advance(1);
    EXPECT_EQ(saved_bytes_a_cell(), populations) << name(kept);
    const flow resumed = flow::resume(where, file.path);
    EXPECT_EQ(resumed.compared(), std::nullopt);
    EXPECT_EQ(resumed.about().bytes, bytes);
  }
}

TEST_P(lattice_boltzmann, pressure_difference_wants_three_fluid_cells_beside_the_cylinder) {
  settings given = sized(flow_case::cylinder, 221, 41);
  EXPECT_TRUE(flow(where, given).pressure_difference().has_value());
  EXPECT_FALSE(flow(where, sized(flow_case::cavity, 20, 20)).pressure_difference().has_value());
  // Obstacles before the cylinder: to its surface, and two cells away from it.
  for (const std::size_t last : {30, 14}) {
    given.obstacles.assign(221 * 41, 0);
    for (std::size_t y = 0; y < 23; ++y) {
      for (std::size_t x = 5; x < last; ++x) given.obstacles[y * 221 + x] = 1;
    }
    EXPECT_FALSE(flow(where, given).pressure_difference().has_value()) << last;
  }
}

TEST_P(lattice_boltzmann, refuses_obstacles_that_leave_no_way) {
  const auto refused = [&](flow_case which, const std::vector<std::size_t>& solid) {
    settings given = sized(which, 12, 8);
    given.by = drive::inflow;
    given.obstacles.assign(96, 0);
    for (const std::size_t cell : solid) given.obstacles[cell] = 1;
    return message_of([&] { flow(where, given); });
  };
  const auto column = [](std::size_t x) {
    std::vector<std::size_t> cells;
    for (std::size_t y = 0; y < 8; ++y) cells.push_back(y * 12 + x);
    return cells;
  };
  for (const flow_case which : {flow_case::free, flow_case::channel}) {
    for (const std::size_t x : {5, 11}) {
      EXPECT_NE(refused(which, column(x)).find("no way from the left, in row 0, to the right"),
                std::string::npos)
          << x;
    }
    EXPECT_NE(refused(which, column(0)).find("cover all of the left column"), std::string::npos);
    // With one cell open there is a way, and so there is between cells that touch at a corner.
    std::vector<std::size_t> open = column(5);
    open.pop_back();
    EXPECT_EQ(refused(which, open), "no error");
    open.push_back(7 * 12 + 4);
    EXPECT_EQ(refused(which, open), "no error");
    // A pocket at the inflow.
    EXPECT_NE(refused(which, {24, 25, 26, 38, 50, 60, 61, 62}).find("in row 3"), std::string::npos);
  }
}

TEST_P(lattice_boltzmann, a_density_that_no_flow_has_is_a_blow_up) {
  // A gap of one cell in a wall across a duct: what comes in piles up before it.
  settings given = sized(flow_case::free, 40, 64);
  given.velocity = 0.2;
  given.obstacles.assign(40 * 64, 0);
  for (std::size_t y = 1; y < 64; ++y) given.obstacles[y * 40 + 20] = 1;
  flow tested(where, given);
  const std::string message = message_of([&] { tested.advance(20'000); });
  EXPECT_NE(message.find("blew up"), std::string::npos) << message;
  EXPECT_NE(message.find("its density is "), std::string::npos) << message;
}

TEST_P(lattice_boltzmann, says_when_sixteen_bits_do_not_hold_a_flow) {
  settings given = sized(flow_case::taylor_green, 32, 32);
  given.kept = storage::f16;
  given.velocity = 0.35;
  EXPECT_NE(message_of([&] { flow(where, given); }).find("beyond what 16 bits hold"), std::string::npos);
  // In units so small that the flow leaves their range after its beginning, and returns before a look.
  given = sized(flow_case::cavity, 24, 24);
  given.kept = storage::f16;
  given.velocity = 0.1;
  given.reynolds = 20;
  given.fraction_bits = 20;
  flow tested(where, given);
  const std::string message = message_of([&] { tested.advance(100); });
  EXPECT_NE(message.find("beyond what 16 bits hold"), std::string::npos) << message;
}

TEST_P(lattice_boltzmann, says_when_sixteen_bits_did_not_hold_the_beginning_of_an_open_flow) {
  // The sound of the first steps against the cylinder is beyond the range, and gone before the first look.
  settings given = sized(flow_case::cylinder, 60, 20);
  given.kept = storage::f16;
  given.reynolds = 20;
  given.fraction_bits = 19;
  flow tested(where, given);
  const std::string message = message_of([&] { tested.advance(100); });
  EXPECT_NE(message.find("it has been beyond what 16 bits hold"), std::string::npos) << message;
  // It is known ever after, and no checkpoint makes a beginning of it.
  const temporary_file file("heddle_lbm_beyond");
  EXPECT_EQ(message_of([&] { tested.check(); }), message);
  EXPECT_EQ(message_of([&] { tested.save(file.path); }), message);
  EXPECT_FALSE(std::filesystem::exists(file.path));
  EXPECT_NE(message_of([&] { tested.advance(100); }).find("it has been beyond what 16 bits hold"),
            std::string::npos);
  // In units that hold it the mass is known at every look, with obstacles at both ends too.
  given.fraction_bits = 18;
  for (const flow_case which : {flow_case::cylinder, flow_case::channel, flow_case::free}) {
    given.which = which;
    given.by = drive::inflow;
    given.obstacles.assign(1200, 0);
    for (const std::size_t cell : {0, 300, 301, 659, 779, 1139, 1199}) given.obstacles[cell] = 1;
    flow held(where, given);
    EXPECT_EQ(message_of([&] { held.advance(300); }), "no error") << name(which);
  }
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
  EXPECT_EQ(whole.fraction_bits, 0);
  settings sixteen = sized(flow_case::cavity, 64, 64);
  sixteen.kept = storage::f16;
  for (const auto& [velocity, bits] :
       {std::pair(0.2, 18), {0.1, 19}, {0.05, 20}, {0.02, 21}, {0.01, 22}, {0.005, 23}}) {
    sixteen.velocity = velocity;
    EXPECT_EQ(completed(sixteen).fraction_bits, bits) << velocity;
    // At 0.2 the flow is compressible, at 0.005 slow for 16 bits.
    EXPECT_EQ(describe(completed(sixteen)).warnings.empty(), velocity > 0.007 && velocity < 0.2) << velocity;
  }
  // Past obstacles speeds are higher, and sound comes back from them.
  sixteen.velocity = 0.09;
  sixteen.reynolds = 20;
  for (const auto& [which, bits] : {std::pair(flow_case::free, 18), {flow_case::cylinder, 18}}) {
    sixteen.which = which;
    sixteen.width = 221;
    sixteen.height = 41;
    EXPECT_EQ(completed(sixteen).fraction_bits, bits);
    EXPECT_TRUE(describe(completed(sixteen)).warnings.empty());
  }
  sixteen.which = flow_case::free;
  sixteen.velocity = 0.07;
  EXPECT_EQ(completed(sixteen).fraction_bits, 19);
  sixteen.obstacles.assign(221 * 41, 0);
  for (std::size_t y = 0; y < 25; ++y) sixteen.obstacles[y * 221 + 40] = 1;
  EXPECT_EQ(completed(sixteen).fraction_bits, 18);
  EXPECT_NE(describe(completed(sixteen)).warnings.at(0).find("--velocity of 0.054 at most"),
            std::string::npos);
  EXPECT_TRUE(about.warnings.empty());
  EXPECT_EQ(completed(sized(flow_case::cavity, 128, 128)).reynolds, 100);
  EXPECT_NEAR(describe(completed(sized(flow_case::cavity, 8192, 8192))).viscosity, 0.2, 1e-12);
  given.velocity = 0.4;
  EXPECT_NE(describe(completed(given)).warnings.at(0).find("compressible"), std::string::npos);
}

TEST(lattice_boltzmann_settings, say_at_which_velocity_sixteen_bits_hold_a_flow) {
  const std::string begins = "16 bits hold", before = "take a --velocity of ";
  const auto warning_of = [&](const settings& given) {
    std::vector<std::string> found;
    for (const std::string& one : describe(given).warnings) {
      if (one.rfind(begins, 0) == 0) found.push_back(one);
    }
    EXPECT_LE(found.size(), 1u);
    return found.empty() ? std::string() : found.front();
  };
  // Too fast, past a narrow way and past a plate; too much pressure in the corners of a lid and at the
  // beginning of a long channel; and both.
  struct {
    flow_case which;
    std::size_t width, height, plate;
    double reynolds, velocity;
  } const flows[] = {{flow_case::cavity, 32, 32, 0, 100, 0.3},      {flow_case::free, 60, 40, 38, 20, 0.1},
                     {flow_case::free, 120, 1000, 999, 500, 0.1},   {flow_case::free, 64, 40, 18, 20, 0.25},
                     {flow_case::cylinder, 221, 41, 0, 20, 0.1},    {flow_case::cavity, 128, 128, 0, 10, 0.1},
                     {flow_case::cavity, 500, 500, 0, 0.3, 0.1},    {flow_case::channel, 800, 20, 0, 10, 0.1},
                     {flow_case::channel, 4000, 12, 0, 0.01, 0.22}, {flow_case::cavity, 64, 64, 0, 1, 0.25}};
  for (const auto& [which, width, height, plate, reynolds, velocity] : flows) {
    settings given = sized(which, width, height);
    given.kept = storage::f16;
    given.by = drive::inflow;
    given.reynolds = reynolds;
    given.velocity = velocity;
    if (plate != 0) given.obstacles.assign(width * height, 0);
    for (std::size_t y = 0; y < plate; ++y) given.obstacles[y * width + width / 3] = 1;
    const std::string said = warning_of(given);
    const std::size_t at = said.find(before);
    ASSERT_NE(at, std::string::npos) << name(which) << " " << width << " " << said;
    given.velocity = std::stod(said.substr(at + before.size()));
    EXPECT_GT(given.velocity, 0);
    EXPECT_EQ(warning_of(given), "") << said;
    // What was left off is less than the second digit.
    given.velocity *= 1.1 + 1e-9;
    EXPECT_NE(warning_of(given), "") << said;
  }
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
  // Before any memory is asked for, or any boundary is looked for.
  for (const flow_case which : flow_cases) {
    EXPECT_NE(refused([&](settings& s) {
                s.which = which;
                s.width = s.height = std::size_t{1} << 30;
              }).find("no memory holds"),
              std::string::npos);
  }
  const std::string thin =
      message_of([] { flow(hd::target::serial(), sized(flow_case::cavity, 2, 100'000'000)); });
  EXPECT_NE(thin.find("out of memory"), std::string::npos) << thin;
}

TEST(lattice_boltzmann_checkpoint, says_what_is_no_checkpoint) {
  const temporary_file file("heddle_lbm_bad_checkpoint");
  const auto resume = [&] { return message_of([&] { flow::resume(hd::target::serial(), file.path); }); };
  EXPECT_NE(resume().find("cannot open"), std::string::npos);
  std::ofstream(file.path) << "something else\n";
  EXPECT_NE(resume().find("line 1 does not begin with"), std::string::npos);
  flow small(hd::target::serial(), sized(flow_case::cavity, 9, 8));
  small.save(file.path);
  const std::string bytes = contents_of(file.path);
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
  for (const std::string version : {"2", "30", "03", "3 "}) {
    std::string other = bytes;
    other.replace(other.find("checkpoint 3"), 12, "checkpoint " + version);
    EXPECT_NE(written(other).find("a checkpoint of lbm of version " + version + ", "), std::string::npos);
  }
  small.advance(3);
  small.change();
  small.save(file.path);
  std::string later = contents_of(file.path);
  EXPECT_EQ(written(later), "no error");
  later.replace(later.find("compared 3"), 10, "compared 4");
  EXPECT_NE(written(later).find("compared 4 is after its 3 steps"), std::string::npos) << written(later);
}
