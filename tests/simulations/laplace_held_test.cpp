#include "laplace/heat.hpp"
#include "laplace/laplace.hpp"
#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::laplace;
using namespace heddle::tests;

namespace {

class laplace_held : public on_targets {};
HD_ON_ALL_TARGETS(laplace_held);

/// A problem as arrays: what stays, what is given, what f is.
struct problem {
  std::size_t width, height;
  std::vector<double> u, f;
  std::vector<std::uint8_t> stays;  // edges too

  problem(std::size_t w, std::size_t h, std::uint64_t seed)
      : width(w), height(h), u(w * h), f(w * h), stays(w * h) {
    for (std::size_t i = 0; i < u.size(); ++i) {
      u[i] = random_real(seed * 1'000'000 + i);
      f[i] = 40 * (random_real(seed * 2'000'000 + i) - 0.5);
      const std::size_t row = i / w, column = i % w;
      stays[i] = row == 0 || column == 0 || row == h - 1 || column == w - 1 ? 1 : 0;
    }
  }
  void hold(std::size_t row, std::size_t column, double value) {
    stays[row * width + column] = 1;
    u[row * width + column] = value;
  }

  hd::array<double> points() const { return matrix(u); }
  hd::array<double> source() const { return matrix(f); }
  std::vector<point_value<double>> held() const {
    std::vector<point_value<double>> made;
    for (std::size_t i = 0; i < u.size(); ++i) {
      const std::size_t row = i / width, column = i % width;
      const bool is_edge = row == 0 || column == 0 || row == height - 1 || column == width - 1;
      if (stays[i] != 0 && !is_edge) made.push_back({row, column, u[i]});
    }
    return made;
  }

  /// What a sweep makes of a point of v, by distances.
  double swept(const std::vector<double>& v, std::size_t i) const {
    const double x = 1 / static_cast<double>(width - 1), y = 1 / static_cast<double>(height - 1);
    return ((v[i - 1] + v[i + 1]) / (x * x) + (v[i - width] + v[i + width]) / (y * y) - f[i]) /
           (2 / (x * x) + 2 / (y * y));
  }
  void sweep(std::vector<double>& v, method how) const {
    const std::vector<double> old = v;
    for (std::size_t colour = 0; colour < (how == method::jacobi ? 1 : 2); ++colour) {
      for (std::size_t i = 0; i < v.size(); ++i) {
        if (stays[i] != 0) continue;
        if (how == method::jacobi) {
          v[i] = swept(old, i);
        } else if ((i / width + i % width) % 2 == colour) {
          v[i] = swept(v, i);
        }
      }
    }
  }
  double residual(const std::vector<double>& v) const {
    double most = 0;
    for (std::size_t i = 0; i < v.size(); ++i)
      if (stays[i] == 0) most = std::max(most, std::abs(swept(v, i) - v[i]));
    return most;
  }

  /// By elimination with all unknowns in one dense matrix.
  std::vector<double> solved() const {
    std::vector<std::size_t> unknown, number(u.size());
    for (std::size_t i = 0; i < u.size(); ++i) {
      number[i] = unknown.size();
      if (stays[i] == 0) unknown.push_back(i);
    }
    const double x = static_cast<double>(width - 1), y = static_cast<double>(height - 1);
    const std::size_t n = unknown.size();
    std::vector<std::vector<double>> a(n, std::vector<double>(n + 1, 0.0));
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = unknown[k];
      a[k][k] = 2 * x * x + 2 * y * y;
      a[k][n] = -f[i];
      const std::pair<std::size_t, double> beside[] = {
          {i - 1, x * x}, {i + 1, x * x}, {i - width, y * y}, {i + width, y * y}};
      for (const auto& [at, weight] : beside) {
        if (stays[at] != 0) {
          a[k][n] += weight * u[at];
        } else {
          a[k][number[at]] -= weight;
        }
      }
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t r = k + 1; r < n; ++r) {
        const double part = a[r][k] / a[k][k];
        for (std::size_t c = k; part != 0 && c <= n; ++c) a[r][c] -= part * a[k][c];
      }
    }
    std::vector<double> found = u;
    for (std::size_t k = n; k-- > 0;) {
      double sum = a[k][n];
      for (std::size_t c = k + 1; c < n; ++c) sum -= a[k][c] * found[unknown[c]];
      found[unknown[k]] = sum / a[k][k];
    }
    return found;
  }

 private:
  hd::array<double> matrix(const std::vector<double>& from) const {
    hd::array<double> made({height, width});
    std::copy(from.begin(), from.end(), made.begin());
    return made;
  }
};

/// A wall of one point with a gap, a block, a single point and a slanted wall that no coarse grid sees.
problem with_walls(std::size_t width, std::size_t height) {
  problem made(width, height, 3);
  for (std::size_t r = 1; r + 1 < height; ++r)
    if (r != height / 2) made.hold(r, width / 3, 2);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (height / 4 + i + 1 < height && 2 * width / 3 + j + 1 < width)
        made.hold(height / 4 + i, 2 * width / 3 + j, -1);
  for (std::size_t i = 1; i + 1 < std::min(width, height); ++i)
    if (i % 7 != 3) made.hold(height - 1 - i, width - 1 - i, 0.5);
  return made;
}

}  // namespace

TEST_P(laplace_held, sweeps_are_those_of_a_plain_loop) {
  for (const auto& [width, height] :
       {std::pair<std::size_t, std::size_t>{3, 3}, {5, 9}, {64, 33}, {37, 70}}) {
    const problem given = with_walls(width, height);
    for (const method how : {method::jacobi, method::red_black}) {
      solver<double> tried(where, how, given.points(), given.source());
      tried.hold(given.held());
      EXPECT_EQ(tried.held_points(), given.held().size());
      std::vector<double> want = given.u;
      for (const std::size_t sweeps : {1, 2, 5}) {
        tried.iterate(sweeps);
        for (std::size_t i = 0; i < sweeps; ++i) given.sweep(want, how);
        const std::vector<double> have = tried.solution().to_vector();
        for (std::size_t i = 0; i < want.size(); ++i)
          ASSERT_NEAR(have[i], want[i], 1e-14) << name(how) << " " << i;
        ASSERT_NEAR(tried.residual(), given.residual(have), 1e-14);
      }
      EXPECT_EQ(tried.iterations(), 8u);
    }
  }
}

TEST_P(laplace_held, every_method_finds_what_elimination_finds) {
  for (const auto& [width, height] :
       {std::pair<std::size_t, std::size_t>{3, 3}, {4, 7}, {17, 17}, {22, 13}}) {
    const problem given = with_walls(width, height);
    const std::vector<double> want = given.solved();
    for (const method how : methods) {
      solver<double> tried(where, how, given.points(), given.source());
      tried.hold(given.held());
      const double left = solve(tried, how, {1e-14, how == method::multigrid ? 30 : 4000, 10});
      EXPECT_LE(left, 1e-12) << name(how);
      const std::vector<double> have = tried.solution().to_vector();
      for (std::size_t i = 0; i < want.size(); ++i)
        ASSERT_NEAR(have[i], want[i], 1e-11) << name(how) << " " << width << "x" << height << " " << i;
    }
  }
}

TEST_P(laplace_held, multigrid_takes_few_cycles_whatever_the_walls) {
  if (seeks_races) GTEST_SKIP() << "one grid of another test is enough";
  for (const auto& [width, height] :
       {std::pair<std::size_t, std::size_t>{65, 65}, {97, 101}, {150, 40}, {9, 200}}) {
    const problem given = with_walls(width, height);
    solver<double> tried(where, method::multigrid, given.points(), given.source());
    tried.hold(given.held());
    const double left = solve(tried, method::multigrid, {1e-10, {}, 0});
    EXPECT_LE(left, 1e-10 * tried.first_residual());
    EXPECT_LE(tried.iterations(), 16u) << width << "x" << height;
    EXPECT_NEAR(left, given.residual(tried.solution().to_vector()), 1e-13);
    solver<double> on_one_core(hd::target::serial(), method::multigrid, given.points(), given.source());
    on_one_core.hold(given.held());
    on_one_core.iterate(tried.iterations());
    ASSERT_TRUE(same_elements<double>(tried.solution(), on_one_core.solution())) << width << "x" << height;
  }
}

TEST_P(laplace_held, goes_on_after_changes) {
  for (const method how : methods) {
    const problem first = with_walls(17, 14);
    solver<double> tried(where, how, first.points());
    tried.hold(first.held());
    tried.set_source(std::vector<point_value<double>>{{3, 4, 1e3}});
    tried.iterate(7);
    EXPECT_TRUE(tried.is_held(5, 5));
    // Another problem, whose walls stand elsewhere; a point that comes twice gets the last value.
    problem then(17, 14, 9);
    then.hold(7, 3, -2);
    then.hold(8, 3, -2);
    then.hold(2, 12, 5);
    std::vector<point> released;
    for (const point_value<double>& one : first.held()) released.push_back({one.row, one.column});
    released.push_back({0, 3});
    tried.release(released);
    EXPECT_EQ(tried.held_points(), 0u);
    EXPECT_TRUE(tried.is_held(0, 3));
    std::vector<point_value<double>> held = then.held(), f;
    held.insert(held.begin(), {2, 12, 77});
    for (std::size_t i = 0; i < then.u.size(); ++i) {
      const std::size_t row = i / 17, column = i % 17;
      f.push_back({row, column, then.f[i]});
      if (row == 0 || column == 0 || row == 13 || column == 16) held.push_back({row, column, then.u[i]});
    }
    tried.hold(held);
    EXPECT_EQ(tried.held_points(), 3u);
    tried.set_source(f);
    solve(tried, how, {1e-14, how == method::multigrid ? 30 : 4000, 10});
    const std::vector<double> want = then.solved(), have = tried.solution().to_vector();
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_NEAR(have[i], want[i], 1e-11) << name(how) << " " << i;
    tried.clear();
    const std::vector<double> cleared = tried.solution().to_vector();
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_EQ(cleared[i], then.stays[i] != 0 ? then.u[i] : 0) << name(how) << " " << i;
    EXPECT_NEAR(tried.first_residual(), then.residual(cleared), 1e-13);
  }
}

TEST_P(laplace_held, a_mask_holds_points_as_they_are) {
  const problem given = with_walls(22, 13);
  hd::array<std::uint8_t> mask({13, 22});
  std::copy(given.stays.begin(), given.stays.end(), mask.begin());
  solver<double> by_mask(where, method::multigrid, given.points(), given.source()),
      by_points(where, method::multigrid, given.points(), given.source());
  by_mask.hold(mask);
  by_points.hold(given.held());
  by_mask.iterate(3);
  by_points.iterate(3);
  EXPECT_TRUE(same_elements<double>(by_mask.solution(), by_points.solution()));
}

TEST_P(laplace_held, without_walls_all_is_as_it_was) {
  const problem given(40, 33, 5);
  for (const method how : methods) {
    solver<double> plain(where, how, given.points(), given.source()), changed(where, how, given.points());
    std::vector<point_value<double>> f;
    for (std::size_t i = 0; i < given.f.size(); ++i) f.push_back({i / 40, i % 40, given.f[i]});
    changed.set_source(f);
    changed.hold(std::vector<point_value<double>>{{5, 6, given.u[5 * 40 + 6]}});
    changed.release(std::vector<point>{{5, 6}});
    plain.iterate(3);
    changed.iterate(3);
    EXPECT_TRUE(same_elements<double>(plain.solution(), changed.solution())) << name(how);
  }
}

TEST_P(laplace_held, walls_everywhere_and_islands_between_them_are_solved_for) {
  problem given(33, 20, 4);
  for (std::size_t i = 0; i < given.u.size(); ++i)
    if (random_real(77 + i) < 0.35) given.hold(i / 33, i % 33, random_real(i) - 0.5);
  solver<double> tried(where, method::multigrid, given.points(), given.source());
  tried.hold(given.held());
  solve(tried, method::multigrid, {1e-13, {}, 0});
  EXPECT_LE(tried.iterations(), 16u);
  const std::vector<double> want = given.solved(), have = tried.solution().to_vector();
  for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(have[i], want[i], 1e-11) << i;
  // All that is inside.
  for (std::size_t i = 0; i < given.u.size(); ++i)
    if (given.stays[i] == 0) given.hold(i / 33, i % 33, 1);
  tried.hold(given.held());
  tried.iterate(2);
  EXPECT_EQ(tried.residual(), 0);
  EXPECT_EQ(tried.first_residual(), 0);
}

TEST_P(laplace_held, levels_are_what_a_cycle_left) {
  for (const bool has_walls : {false, true}) {
    const problem given = has_walls ? with_walls(65, 33) : problem(65, 33, 3);
    solver<double> tried(where, method::multigrid, given.points(), given.source());
    if (has_walls) tried.hold(given.held());
    EXPECT_TRUE(tried.levels().empty());
    tried.iterate(1);
    const auto first = tried.levels();
    ASSERT_GE(first.size(), 4u);
    EXPECT_LE(first.back().correction.width * first.back().correction.height, 15u);
    std::vector<double> before;
    for (const auto& level : first) before.push_back(level.residual);
    tried.iterate(4);
    for (std::size_t k = 0; k < first.size(); ++k) {
      EXPECT_GT(before[k], 0);
      EXPECT_LT(tried.levels()[k].residual, 0.05 * before[k]) << k;
    }
  }
}

TEST_P(laplace_held, pictures_show_means_from_the_least_to_the_most) {
  const problem given = with_walls(45, 31);
  solver<double> tried(where, method::red_black, given.points());
  tried.iterate(2);
  const std::vector<double> u = tried.solution().to_vector();
  const auto [least, most] = std::minmax_element(u.begin(), u.end());
  const heat colours = heat_of(tried.points_in_place());
  EXPECT_EQ(colours.low, *least);
  EXPECT_EQ(colours.range, *most - *least);
  for (const heddle::picture_part& part :
       {heddle::picture_part::whole(45, 31), {3, 2, 1, 20, 10}, {0, 0, 4, 12, 8}, {5, 6, 7, 6, 4}}) {
    const std::vector<std::uint8_t> pixels = draw(tried.points_in_place(), colours, part);
    ASSERT_EQ(pixels.size(), part.rows * part.columns);
    for (std::size_t j = 0; j < part.rows; ++j) {
      for (std::size_t i = 0; i < part.columns; ++i) {
        double sum = 0, count = 0;
        for (std::size_t y = part.top + j * part.side;
             y < std::min<std::size_t>(part.top + (j + 1) * part.side, 31); ++y)
          for (std::size_t x = part.left + i * part.side;
               x < std::min<std::size_t>(part.left + (i + 1) * part.side, 45); ++x) {
            sum += u[y * 45 + x];
            ++count;
          }
        ASSERT_EQ(pixels[j * part.columns + i],
                  std::lround(255 * ((sum / count - *least) / (*most - *least))));
      }
    }
  }
  EXPECT_NE(
      message_of([&] { draw(tried.points_in_place(), colours, {0, 0, 1, 46, 1}); }).find("not within 45x31"),
      std::string::npos);
}

TEST_P(laplace_held, works_in_float) {
  const problem given = with_walls(33, 33);
  hd::array<float> start({33, 33});
  std::copy(given.u.begin(), given.u.end(), start.begin());
  std::vector<point_value<float>> held;
  for (const point_value<double>& one : given.held())
    held.push_back({one.row, one.column, static_cast<float>(one.value)});
  solver<float> tried(where, method::multigrid, start);
  tried.hold(held);
  solve(tried, method::multigrid, {1e-5, {}, 0});
  problem without = given;
  std::fill(without.f.begin(), without.f.end(), 0.0);
  const std::vector<double> want = without.solved();
  const std::vector<float> have = tried.solution().to_vector();
  for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(have[i], want[i], 2e-4);
}

TEST_P(laplace_held, says_what_is_wrong) {
  const problem given(9, 7, 2);
  solver<double> tried(where, method::jacobi, given.points());
  using values = std::vector<point_value<double>>;
  EXPECT_EQ(
      message_of([&] { tried.hold(values{{7, 1, 0}}); }),
      "laplace: 63 float64: laplace: points to hold: row 7, column 1 is outside of 7 rows and 9 columns");
  EXPECT_NE(message_of([&] { tried.hold(values{{1, 1, std::nan("")}}); }).find("is NaN in row 1, column 1"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              tried.set_source(values{{2, 3, 1e308}});
            }).find("the value of the source is 1e+308 in row 2, column 3"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              tried.hold(hd::array<std::uint8_t>({9, 7}));
            }).find("the mask has shape (9, 7), where the points have (7, 9)"),
            std::string::npos);
  EXPECT_EQ(tried.held_points(), 0u);
}
