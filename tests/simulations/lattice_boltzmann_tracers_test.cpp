#include "flows.hpp"
#include "lattice_boltzmann/tracers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::lbm;
using namespace heddle::tests;

namespace {

/// A flow that is the same everywhere.
settings uniform(std::size_t width, std::size_t height) {
  settings given = sized(flow_case::free, width, height);
  given.reynolds = 20;
  return given;
}

/// The same with obstacles, which dye and lines go around.
flow past_blocks(const hd::target& where) {
  settings given = uniform(40, 20);
  given.obstacles.assign(800, 0);
  for (std::size_t y = 8; y < 13; ++y)
    for (std::size_t x = 12; x < 16; ++x) given.obstacles[y * 40 + x] = 1;
  flow made(where, given);
  made.advance(seeks_races ? 5 : 150);
  return made;
}

/// MacCormack's scheme in double, cell by cell.
class plain_dye {
 public:
  explicit plain_dye(const flow& of)
      : by_(carrier_of(of)),
        velocity_(by_.velocity.to_vector()),
        solid_(of.solid()),
        height_(by_.velocity.shape()[0]),
        width_(by_.velocity.shape()[1]) {
    solid_.resize(height_ * width_, 0);  // none where no cell is solid
  }

  float fastest() const {
    float most = 0;
    for (const float component : velocity_) most = std::max(most, std::abs(component));
    return most;
  }

  /// Only cells with more weight bound the result.
  std::vector<double> advanced(const std::vector<double>& now, double steps, double least_weight) const {
    std::vector<double> carried(now.size()), next(now.size());
    for (std::size_t i = 0; i < now.size(); ++i)
      if (solid_[i] == 0) carried[i] = mean(now, traced(i, -steps));
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (solid_[i] != 0) continue;
      double low = carried[i], high = carried[i];
      for (const auto& [cell, weight] : around(traced(i, -steps))) {
        if (weight <= least_weight) continue;
        low = std::min(low, now[cell]);
        high = std::max(high, now[cell]);
      }
      next[i] = std::clamp(carried[i] + (now[i] - mean(carried, traced(i, steps))) / 2, low, high);
    }
    return next;
  }

 private:
  using place = std::pair<double, double>;

  static std::size_t beside(double at, std::size_t count, bool is_periodic) {
    const auto n = static_cast<double>(count);
    return static_cast<std::size_t>(is_periodic ? at - n * std::floor(at / n) : std::clamp(at, 0.0, n - 1));
  }
  std::array<std::pair<std::size_t, double>, 4> around(const place& at) const {
    std::array<std::pair<std::size_t, double>, 4> made;
    for (int i = 0; i < 4; ++i) {
      const double x = std::floor(at.first) + i % 2, y = std::floor(at.second) + i / 2;
      const std::size_t cell =
          beside(y, height_, by_.periodic_y) * width_ + beside(x, width_, by_.periodic_x);
      made[static_cast<std::size_t>(i)] = {
          cell, solid_[cell] != 0 ? 0 : (1 - std::abs(at.first - x)) * (1 - std::abs(at.second - y))};
    }
    return made;
  }
  double mean(const std::vector<double>& of, const place& at) const {
    double sum = 0, weights = 0;
    for (const auto& [cell, weight] : around(at)) {
      sum += weight * of[cell];
      weights += weight;
    }
    return weights > 0 ? sum / weights : 0;
  }
  place velocity_at(const place& at) const {
    place sum;
    for (const auto& [cell, weight] : around(at)) {
      sum.first += weight * static_cast<double>(velocity_[2 * cell]);
      sum.second += weight * static_cast<double>(velocity_[2 * cell + 1]);
    }
    return sum;
  }
  place traced(std::size_t cell, double steps) const {
    const place from{static_cast<double>(cell % width_), static_cast<double>(cell / width_)};
    const place first = velocity_at(from);
    const place half =
        velocity_at({from.first + steps / 2 * first.first, from.second + steps / 2 * first.second});
    return {from.first + steps * half.first, from.second + steps * half.second};
  }

  carrier by_;
  std::vector<float> velocity_;
  std::vector<std::uint8_t> solid_;
  std::size_t height_, width_;
};

/// Flows with edges of each kind, obstacles, and sizes that fill no register.
std::vector<flow> flows_for_dye(const hd::target& where) {
  std::vector<flow> all;
  all.push_back(past_blocks(where));
  for (const auto& [which, width, height] :
       {std::tuple(flow_case::taylor_green, std::size_t{24}, std::size_t{24}),
        std::tuple(flow_case::cavity, std::size_t{37}, std::size_t{37}),
        std::tuple(flow_case::channel, std::size_t{19}, std::size_t{17})}) {
    all.emplace_back(where, sized(which, width, height));
    all.back().advance(60);
  }
  return all;
}

}  // namespace

TEST_P(lattice_boltzmann, dye_is_carried_as_by_plain_loops) {
  for (const flow& of : flows_for_dye(where)) {
    const plain_dye plain(of);
    // A pass on each target.
    const double steps = std::min(0.9 / static_cast<double>(plain.fastest()), 0.49 / of.given().velocity);
    dye carried(of);
    const std::size_t height = of.given().height, width = of.given().width;
    hd::array<float> start({height, width});
    for (std::size_t i = 0; i < start.size(); ++i)
      start.data()[i] = static_cast<float>(i * 2654435761u % 4294967296u / 65536 % 101) / 100;
    carried.set(start);
    std::vector<float> have = start.to_vector();
    for (int pass = 0; pass < 3; ++pass) {
      const std::vector<double> now(have.begin(), have.end());
      carried.advance(of, steps);
      have = carried.values().to_vector();
      // Whether a cell bounds the result that is almost out of reach is a matter of rounding.
      const std::vector<double> wide = plain.advanced(now, steps, 0),
                                narrow = plain.advanced(now, steps, 1e-4);
      for (std::size_t i = 0; i < have.size(); ++i) {
        const auto here = static_cast<double>(have[i]);
        ASSERT_GE(here, std::min(wide[i], narrow[i]) - 1e-4)
            << name(of.given().which) << " " << i % width << " " << i / width;
        ASSERT_LE(here, std::max(wide[i], narrow[i]) + 1e-4)
            << name(of.given().which) << " " << i % width << " " << i / width;
      }
    }
  }
}

TEST_P(lattice_boltzmann, dye_goes_where_the_flow_goes) {
  const std::size_t width = 60, height = 24;
  const flow of(where, uniform(width, height));
  dye carried(of);
  const auto blob = [&](double x, double y, double middle) {
    return std::exp(-((x - middle) * (x - middle) + (y - 12) * (y - 12)) / 80);
  };
  hd::array<float> start({height, width});
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      start.data()[y * width + x] =
          static_cast<float>(blob(static_cast<double>(x), static_cast<double>(y), 24));
  carried.set(start);
  // 17 cells at a tenth of a cell a step. Linear interpolation alone would lower the middle by 0.1.
  for (int i = 0; i < 10; ++i) carried.advance(of, 17);
  const std::vector<float> have = carried.values().to_vector();
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      ASSERT_NEAR(have[y * width + x], blob(static_cast<double>(x), static_cast<double>(y), 41), 0.03)
          << x << " " << y;
    }
  }
}

TEST_P(lattice_boltzmann, dye_enters_at_its_sources_and_goes_around_obstacles) {
  const flow of = past_blocks(where);
  dye carried(of);
  std::vector<std::uint8_t> sources(800, 0);
  for (std::size_t y = 6; y < 10; ++y) sources[y * 40] = 1;
  carried.set_sources(sources);
  for (int i = 0; i < (seeks_races ? 2 : 20); ++i) carried.advance(of, 10);
  const std::vector<float> have = carried.values().to_vector();
  for (std::size_t i = 0; i < have.size(); ++i) {
    ASSERT_GE(have[i], 0.0f);
    ASSERT_LE(have[i], 1.0f);
    if (of.is_solid(i % 40, i / 40)) {
      ASSERT_EQ(have[i], 0.0f);
    }
    if (sources[i] != 0) {
      ASSERT_EQ(have[i], 1.0f);
    }
  }
  if (seeks_races) return;
  // 200 steps at 0.1: 20 cells, beside the obstacle and not further than a fast flow goes.
  float most = 0;
  for (std::size_t y = 0; y < 8; ++y) most = std::max(most, have[y * 40 + 13]);
  EXPECT_GT(most, 0.5f);
  EXPECT_LT(have[7 * 40 + 39], 1e-6f);
  EXPECT_LT(have[17 * 40 + 8], 1e-6f);
}

TEST_P(lattice_boltzmann, dye_and_pictures_have_the_cells_of_their_flow) {
  const flow of(where, uniform(40, 20)), other(where, uniform(20, 40));
  const hd::array<float> turned({40, 20});
  dye carried(of);
  EXPECT_EQ(message_of([&] { carried.set(turned.view()); }),
            "lbm: dye of shape (40, 20), where the flow has (20, 40)");
  EXPECT_EQ(message_of([&] { carried.set_sources(std::vector<std::uint8_t>(799)); }),
            "lbm: sources of dye in 799 cells, where the flow has 800");
  EXPECT_EQ(message_of([&] { carried.advance(other, 1); }), "lbm: dye of 40x20 cells in a flow of 20x40");
  const std::string outside =
      "lbm: a picture of 10x6 squares of 2 cells from column 30, row 4 is not within 40x20 cells";
  EXPECT_EQ(message_of([&] { draw_lines(carrier_of(of), {30, 4, 2, 10, 6}); }), outside);
  EXPECT_EQ(message_of([&] { draw(of.values(field::density), of.solid_in_place(), {}, {30, 4, 2, 10, 6}); }),
            outside);
}

TEST_P(lattice_boltzmann, lines_are_the_mean_of_noise_along_the_flow) {
  const flow of(where, uniform(40, 20));
  const carrier by = carrier_of(of);
  constexpr int reach = 5;
  for (const hd::picture_part& part : {hd::picture_part::whole(40, 20), {6, 4, 2, 10, 6}}) {
    const std::vector<std::uint8_t> pixels = draw_lines(by, part, reach);
    for (std::size_t j = 0; j < part.rows; ++j) {
      for (std::size_t i = 0; i < part.columns; ++i) {
        double sum = 0;
        for (int k = -reach; k <= reach; ++k)
          sum += static_cast<double>(
              noise_at(static_cast<std::int64_t>(part.left / part.side + i) + k,
                       static_cast<std::int64_t>(part.top / part.side + part.rows - 1 - j)));
        const double samples = 2 * reach + 1;
        const double want = 254 * std::clamp(0.5 + (sum / samples - 0.5) * std::sqrt(samples), 0.0, 1.0);
        ASSERT_NEAR(pixels[j * part.columns + i], want, 0.51) << i << " " << j;
      }
    }
  }
  const flow around = past_blocks(where);
  const std::vector<std::uint8_t> pixels = draw_lines(carrier_of(around), hd::picture_part::whole(40, 20));
  for (std::size_t y = 0; y < 20; ++y)
    for (std::size_t x = 0; x < 40; ++x)
      ASSERT_EQ(pixels[(19 - y) * 40 + x] == 255, around.is_solid(x, y)) << x << " " << y;
}

TEST(lattice_boltzmann_noise, is_spread_evenly) {
  double sum = 0, squares = 0, products = 0;
  constexpr int side = 200;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const double here = static_cast<double>(noise_at(x, y)) - 0.5,
                   next = static_cast<double>(noise_at(x + 1, y)) - 0.5;
      ASSERT_LT(std::abs(here), 0.5 + 1e-9);
      sum += here;
      squares += here * here;
      products += here * next;
    }
  }
  constexpr double count = side * side;
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(squares / count, 1.0 / 12, 0.002);
  EXPECT_NEAR(products / count, 0, 0.002);
}
