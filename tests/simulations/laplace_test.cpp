#include "laplace/laplace.hpp"

#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::laplace;
using namespace heddle::tests;

namespace {

/// The kernels of a GPU are the simulation's own, so that it runs on every target.
class laplace : public on_targets {};
HD_ON_ALL_TARGETS(laplace);

constexpr double pi = std::numbers::pi;

template <class F>
hd::array<double> points_of(std::size_t width, std::size_t height, const F& f) {
  hd::array<double> u({height, width});
  for (std::size_t j = 0; j < height; ++j) {
    for (std::size_t i = 0; i < width; ++i) {
      u.data()[j * width + i] = f(static_cast<double>(i) / static_cast<double>(width - 1),
                                  static_cast<double>(j) / static_cast<double>(height - 1));
    }
  }
  return u;
}

hd::array_view<const double> view_of(const hd::array<double>& x) {
  return x.view();
}

hd::array<double> random_points(std::size_t width, std::size_t height, std::uint64_t seed) {
  hd::array<double> u({height, width});
  for (std::size_t i = 0; i < u.size(); ++i) u.data()[i] = random_real(seed * 1'000'000 + i);
  return u;
}

/// Five points by their distances, in another order than the solver's.
double swept(const std::vector<double>& u, const double* f, std::size_t width, std::size_t height,
             std::size_t j, std::size_t i) {
  const double x = 1 / static_cast<double>(width - 1), y = 1 / static_cast<double>(height - 1);
  const std::size_t at = j * width + i;
  const double sum = (u[at - 1] + u[at + 1]) / (x * x) + (u[at - width] + u[at + width]) / (y * y);
  return (sum - (f == nullptr ? 0 : f[at])) / (2 / (x * x) + 2 / (y * y));
}

/// One sweep of the textbook.
void plain_sweep(std::vector<double>& u, const double* f, std::size_t width, std::size_t height, method how) {
  if (how == method::jacobi) {
    const std::vector<double> old = u;
    for (std::size_t j = 1; j + 1 < height; ++j) {
      for (std::size_t i = 1; i + 1 < width; ++i) u[j * width + i] = swept(old, f, width, height, j, i);
    }
    return;
  }
  for (std::size_t colour = 0; colour < 2; ++colour) {
    for (std::size_t j = 1; j + 1 < height; ++j) {
      for (std::size_t i = 1; i + 1 < width; ++i) {
        if ((i + j) % 2 == colour) u[j * width + i] = swept(u, f, width, height, j, i);
      }
    }
  }
}

double plain_residual(const std::vector<double>& u, const double* f, std::size_t width, std::size_t height) {
  double most = 0;
  for (std::size_t j = 1; j + 1 < height; ++j) {
    for (std::size_t i = 1; i + 1 < width; ++i) {
      most = std::max(most, std::abs(swept(u, f, width, height, j, i) - u[j * width + i]));
    }
  }
  return most;
}

}  // namespace

TEST_P(laplace, sweeps_are_those_of_a_plain_loop) {
  const std::pair<std::size_t, std::size_t> sizes[] = {{1, 1},   {2, 9},    {3, 3},    {4, 3},    {5, 17},
                                                       {64, 33}, {37, 130}, {4200, 6}, {220, 310}};
  // Two threads share the last alone.
  for (const auto& [width, height] : sizes) {
    if (seeks_races && width != 220) continue;
    const hd::array<double> start = random_points(width, height, 1), f = random_points(width, height, 2);
    for (const method how : {method::jacobi, method::red_black}) {
      for (const bool has_source : {false, true}) {
        solver<double> problem(where, how, start,
                               has_source ? view_of(f) : hd::array_view<const double>(nullptr, hd::shape{0}));
        solver<double> on_one_core(
            hd::target::serial(), how, start,
            has_source ? view_of(f) : hd::array_view<const double>(nullptr, hd::shape{0}));
        const double* const source = has_source ? f.data() : nullptr;
        std::vector<double> want = start.to_vector();
        for (const int sweeps : {1, 2, 5, 23}) {
          if (seeks_races && sweeps > 5) continue;
          problem.iterate(static_cast<std::size_t>(sweeps));
          on_one_core.iterate(static_cast<std::size_t>(sweeps));
          for (int i = 0; i < sweeps; ++i) plain_sweep(want, source, width, height, how);
          const std::string note =
              std::string(name(how)) + " " + std::to_string(width) + "x" + std::to_string(height);
          const std::vector<double> have = problem.solution().to_vector();
          for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(have[i], want[i], 2e-15 * 8) << note;
          ASSERT_NEAR(problem.residual(), plain_residual(have, source, width, height), 1e-15) << note;
          ASSERT_TRUE(same_elements<double>(have, on_one_core.solution().to_vector())) << note;
        }
      }
    }
  }
}

TEST_P(laplace, the_residual_of_a_charge_is_found_in_every_column) {
  const std::size_t width = 1100, height = 5;
  const auto zero = [](double, double) { return 0; };
  const hd::array<double> nothing = points_of(width, height, zero);
  for (const std::size_t column : {1, 2, 509, 510, 511, 512, 513, 1019, 1020, 1021, 1022, 1023, 1098}) {
    hd::array<double> charge = points_of(width, height, zero);
    charge.set(1, 2, column);
    solver<double> problem(where, method::jacobi, nothing, charge);
    const double want = plain_residual(nothing.to_vector(), charge.data(), width, height);
    EXPECT_NEAR(problem.residual(), want, 1e-12 * want) << column;
  }
}

TEST_P(laplace, jacobi_damps_each_wave_by_its_amplification_factor) {
  for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>{65, 65}, {41, 97}}) {
    const double x = static_cast<double>(width - 1), y = static_cast<double>(height - 1);
    for (const auto& [k, l] : {std::pair{1, 1}, {3, 8}, {20, 1}, {39, 60}}) {
      const hd::array<double> wave = points_of(width, height, [&, k = k, l = l](double px, double py) {
        return px == 0 || px == 1 || py == 0 || py == 1 ? 0 : std::sin(k * pi * px) * std::sin(l * pi * py);
      });
      solver<double> problem(where, method::jacobi, wave);
      constexpr int sweeps = 30;
      problem.iterate(sweeps);
      // (cos kπh + cos lπh)/2 where the spacings are alike.
      const double once = (x * x * std::cos(k * pi / x) + y * y * std::cos(l * pi / y)) / (x * x + y * y);
      const double factor = std::pow(once, sweeps);
      const hd::array<double> after = problem.solution();
      for (std::size_t i = 0; i < wave.size(); ++i) {
        ASSERT_NEAR(after.data()[i], factor * wave.data()[i], 1e-13) << k << " " << l;
      }
    }
  }
}

TEST_P(laplace, the_sine_case_converges_to_second_order) {
  double before = 0;
  for (const std::size_t points : {17, 33, 65, 129}) {
    const hd::array<double> edges = sine_edges<double>(points, points);
    solver<double> problem(where, method::multigrid, edges);
    solve(problem, method::multigrid, {1e-11, {}, 0});
    const double error = sine_error<double>(problem.solution());
    if (before != 0) {
      EXPECT_NEAR(before / error, 4, 0.1) << points;
    }
    before = error;
  }
}

TEST_P(laplace, methods_agree) {
  const hd::array<double> edges = sine_edges<double>(33, 20);
  std::vector<std::vector<double>> found;
  for (const method how : methods) {
    solver<double> problem(where, how, edges);
    solve(problem, how, {1e-13, {}, 10});
    found.push_back(problem.solution().to_vector());
  }
  for (std::size_t i = 0; i < found[0].size(); ++i) {
    ASSERT_NEAR(found[0][i], found[2][i], 1e-10);
    ASSERT_NEAR(found[1][i], found[2][i], 1e-10);
  }
}

TEST_P(laplace, multigrid_takes_about_as_many_cycles_at_any_size) {
  const std::pair<std::size_t, std::size_t> sizes[] = {
      {3, 3},     {4, 4},     {7, 5},     {17, 17},   {64, 64}, {65, 65}, {97, 101},
      {128, 127}, {150, 107}, {257, 193}, {1000, 20}, {9, 700}, {3, 400}};
  for (const auto& [width, height] : sizes) {
    const hd::array<double> edges = random_points(width, height, 3);
    solver<double> problem(where, method::multigrid, edges);
    const double residual = solve(problem, method::multigrid, {1e-10, {}, 0});
    EXPECT_LE(residual, 1e-10 * problem.first_residual());
    EXPECT_LE(problem.iterations(), 12u) << width << "x" << height;
    solver<double> on_one_core(hd::target::serial(), method::multigrid, edges);
    on_one_core.iterate(problem.iterations());
    ASSERT_TRUE(same_elements<double>(problem.solution(), on_one_core.solution())) << width << "x" << height;
  }
}

TEST_P(laplace, solves_poisson_to_second_order) {
  // u = sin(2πx)·y³ + x², so that f = (6y − 4π²y³)·sin(2πx) + 2.
  double before = 0;
  for (const auto& [width, height] :
       {std::pair<std::size_t, std::size_t>{25, 17}, {49, 33}, {97, 65}, {193, 129}}) {
    const hd::array<double> exact =
        points_of(width, height, [](double x, double y) { return std::sin(2 * pi * x) * y * y * y + x * x; });
    const hd::array<double> f = points_of(width, height, [](double x, double y) {
      return (6 * y - 4 * pi * pi * y * y * y) * std::sin(2 * pi * x) + 2;
    });
    hd::array<double> start = exact.on(hd::target());
    for (std::size_t j = 1; j + 1 < height; ++j) std::fill_n(start.data() + j * width + 1, width - 2, 0.0);
    solver<double> problem(where, method::multigrid, start, f);
    solve(problem, method::multigrid, {1e-11, {}, 0});
    EXPECT_LE(problem.iterations(), 12u);
    const hd::array<double> u = problem.solution();
    double error = 0;
    for (std::size_t i = 0; i < u.size(); ++i)
      error = std::max(error, std::abs(u.data()[i] - exact.data()[i]));
    if (before != 0) {
      EXPECT_NEAR(before / error, 4, 0.2) << width;
    }
    before = error;
  }
}

TEST_P(laplace, works_in_float) {
  const hd::array<float> edges = sine_edges<float>(129, 129);
  solver<float> problem(where, method::multigrid, edges);
  solve(problem, method::multigrid, {1e-5, {}, 0});
  EXPECT_LE(problem.iterations(), 6u);
  EXPECT_LT(sine_error<float>(problem.solution()), 5e-5);
  solver<float> sweeps(where, method::jacobi, edges),
      on_one_core(hd::target::serial(), method::jacobi, edges);
  sweeps.iterate(37);
  on_one_core.iterate(37);
  EXPECT_TRUE(same_elements<float>(sweeps.solution(), on_one_core.solution()));
}

TEST_P(laplace, stops_when_it_is_told_to) {
  const hd::array<double> edges = sine_edges<double>(30, 30);
  solver<double> problem(where, method::jacobi, edges);
  solve(problem, method::jacobi, {0, 45, 10});
  EXPECT_EQ(problem.iterations(), 45u);
  solver<double> none(where, method::red_black, edges);
  solve(none, method::red_black, {0, 0, 0});
  EXPECT_EQ(none.iterations(), 0u);
  EXPECT_TRUE(same_elements<double>(none.solution(), edges));
  hd::array<double> zero({30, 30});
  zero.fill(0);
  solver<double> done(where, method::multigrid, zero);
  EXPECT_EQ(solve(done, method::multigrid, {}), 0);
  EXPECT_EQ(done.iterations(), 0u);
}

TEST_P(laplace, sweeps_share_passes_over_memory) {
  const hd::array<double> edges = sine_edges<double>(17, 17);
  // Four red-black sweeps a pass read and write the points.
  constexpr std::uint64_t points = 8 * 17 * 17, pass = 2 * points;
  const solver<double> red_black(where, method::red_black, edges);
  EXPECT_EQ(red_black.bytes_of(1), pass);
  EXPECT_EQ(red_black.bytes_of(8), 2 * pass);
  EXPECT_EQ(red_black.bytes_of(9), 3 * pass);
  EXPECT_EQ(solver<double>(where, method::red_black, edges, edges).bytes_of(4), pass + points);
  const solver<double> jacobi(where, method::jacobi, edges);
  EXPECT_EQ(jacobi.bytes_of(1), pass);
  EXPECT_LE(jacobi.bytes_of(800), 200 * pass);
  solver<double> multigrid(where, method::multigrid, edges);
  EXPECT_EQ(multigrid.bytes_of(3), 3 * (pass + points + 8 * 5 * (9 * 9 + 5 * 5 + 3 * 3)));
  const std::vector<point_value<double>> wall{{4, 4, 1.0}};
  multigrid.hold(wall);
  EXPECT_EQ(multigrid.bytes_of(3), 0u);
}

TEST_P(laplace, says_what_is_wrong) {
  hd::array<double> edges = sine_edges<double>(5, 4), row(7), other({5, 4});
  other.fill(0);
  EXPECT_EQ(message_of([&] { solver<double>(where, method::jacobi, row); }),
            "laplace: the edges have shape (7,), where (rows, columns) with a point at least are needed");
  EXPECT_EQ(message_of([&] { solver<double>(where, method::jacobi, edges, other); }),
            "laplace: the source has shape (5, 4), where the edges have (4, 5)");
  edges.set(std::numeric_limits<double>::quiet_NaN(), 2, 3);
  EXPECT_EQ(message_of([&] { solver<double>(where, method::jacobi, edges); }),
            "laplace: 20 float64 on " + where.text() +
                ": the value of the edges is NaN in row 2, column 3, and not a finite number");
  edges.set(1e308, 2, 3);
  EXPECT_EQ(message_of([&] { solver<double>(where, method::jacobi, edges); }),
            "laplace: 20 float64 on " + where.text() +
                ": the value of the edges is 1e+308 in row 2, column 3, and 1.756e+305 is the largest that "
                "float64 leaves room for");
  edges.set(1.7e305, 2, 3);
  solver<double> large(where, method::jacobi, edges);
  EXPECT_TRUE(std::isfinite(solve(large, method::jacobi, {.max_iterations = 10})));
}
