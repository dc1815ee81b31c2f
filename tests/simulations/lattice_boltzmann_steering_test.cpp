#include "flows.hpp"
#include "lattice_boltzmann/fields.hpp"
#include "lattice_boltzmann/pictures.hpp"
#include "textbook_lattice_boltzmann.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::lbm;
using namespace heddle::tests;

namespace {

constexpr std::size_t columns = 30, lines = 16;

std::vector<std::uint8_t> blocks(std::initializer_list<std::array<std::size_t, 4>> all) {
  std::vector<std::uint8_t> solid(columns * lines, 0);
  for (const auto& [left, bottom, width, height] : all)
    for (std::size_t y = bottom; y < bottom + height; ++y)
      for (std::size_t x = left; x < left + width; ++x) solid[y * columns + x] = 1;
  return solid;
}

/// What the textbook has of a flow whose solid cells are others now: cells that were solid are at rest with
/// the mean density of what is around them, from the outside inwards.
void follow(textbook& plain, const flow& tested) {
  std::vector<int> rank(columns * lines, 0);  // when a cell's density is known; 0 for never
  for (std::size_t cell = 0; cell < rank.size(); ++cell) {
    if (!plain.is_solid(cell) && !tested.is_solid(cell % columns, cell / columns)) rank[cell] = 1;
  }
  std::vector<double> rho(rank.size(), 1);
  for (std::size_t cell = 0; cell < rank.size(); ++cell)
    rho[cell] = plain.macroscopic_of(plain.now[cell]).rho;
  for (int layer = 2; layer < 10; ++layer) {
    for (std::ptrdiff_t y = 0; y < static_cast<std::ptrdiff_t>(lines); ++y) {
      for (std::ptrdiff_t x = 0; x < static_cast<std::ptrdiff_t>(columns); ++x) {
        const auto cell = static_cast<std::size_t>(y) * columns + static_cast<std::size_t>(x);
        if (rank[cell] != 0 || tested.is_solid(static_cast<std::size_t>(x), static_cast<std::size_t>(y)))
          continue;
        double sum = 0, count = 0;
        for (int i = 1; i < 9; ++i) {
          const std::ptrdiff_t nx = x + cx[i], ny = y + cy[i];
          if (nx < 0 || ny < 0 || nx >= static_cast<std::ptrdiff_t>(columns) ||
              ny >= static_cast<std::ptrdiff_t>(lines))
            continue;
          const auto beside = static_cast<std::size_t>(ny) * columns + static_cast<std::size_t>(nx);
          if (rank[beside] == 0 || rank[beside] >= layer) continue;
          sum += rho[beside];
          ++count;
        }
        if (count == 0) continue;
        rank[cell] = layer;
        rho[cell] = sum / count;
        for (int i = 0; i < 9; ++i) plain.now[cell][i] = equilibrium(i, rho[cell], 0, 0);
      }
    }
  }
  for (std::size_t cell = 0; cell < rank.size(); ++cell)
    plain.given.obstacles[cell] = tested.is_solid(cell % columns, cell / columns) ? 1 : 0;
  plain.given.velocity = tested.given().velocity;
  plain.tau = tested.about().relaxation_time;
  if (plain.force != 0) {
    plain.force = 8 * tested.about().viscosity * tested.given().velocity / static_cast<double>(lines * lines);
  }
}

void expect_same_steps(flow& tested, textbook& plain, int steps, const std::string& which) {
  tested.advance(static_cast<std::uint64_t>(steps));
  for (int i = 0; i < steps; ++i) plain.step();
  const std::vector<moments<double>> have = rows_of(tested);
  for (std::size_t cell = 0; cell < have.size(); ++cell) {
    if (plain.is_solid(cell)) continue;
    const moments<double> want = plain.of(cell);
    ASSERT_NEAR(have[cell].ux, want.ux, 1e-13) << which << " " << cell;
    ASSERT_NEAR(have[cell].uy, want.uy, 1e-13) << which << " " << cell;
    ASSERT_NEAR(have[cell].excess, want.excess, 1e-13) << which << " " << cell;
  }
}

}  // namespace

TEST_P(lattice_boltzmann, goes_on_like_the_textbook_with_other_obstacles_and_speeds) {
  settings open = sized(flow_case::channel, columns, lines);
  open.by = drive::inflow;
  for (settings given :
       {sized(flow_case::free, columns, lines), open, sized(flow_case::cavity, columns, lines),
        sized(flow_case::channel, columns, lines)}) {
    for (const collision how : {collision::trt, collision::regularized}) {
      given.how = how;
      given.reynolds = 10;
      const std::string which = std::string(name(given.which)) + " " + name(how);
      const int steps = seeks_races ? 2 : 12;
      flow tested(where, given);
      textbook plain(tested);
      const double viscosity = tested.about().viscosity;
      ASSERT_NO_FATAL_FAILURE(expect_same_steps(tested, plain, steps, which));
      for (const std::vector<std::uint8_t>& solid :
           {blocks({{8, 5, 4, 6}, {20, 2, 1, 3}}), blocks({{9, 5, 4, 6}}),
            blocks({{9, 9, 2, 2}, {1, 3, 3, 2}}), std::vector<std::uint8_t>()}) {
        tested.set_obstacles(solid);
        EXPECT_NEAR(tested.about().viscosity, viscosity, 1e-15) << which;
        follow(plain, tested);
        ASSERT_NO_FATAL_FAILURE(expect_same_steps(tested, plain, steps, which + " with other obstacles"));
      }
      tested.set_speed(0.07, 0.15);
      EXPECT_NEAR(tested.about().viscosity, 0.15, 1e-15);
      EXPECT_EQ(tested.given().velocity, 0.07);
      follow(plain, tested);
      ASSERT_NO_FATAL_FAILURE(expect_same_steps(tested, plain, steps, which + " with another speed"));
    }
  }
}

TEST_P(lattice_boltzmann, stays_whole_while_obstacles_move) {
  for (const storage kept : {storage::f32, storage::f16}) {
    for (const flow_case which : {flow_case::free, flow_case::cavity}) {
      settings given = sized(which, columns, lines);
      given.kept = kept;
      given.reynolds = 20;
      given.velocity = 0.05;
      flow tested(where, given);
      for (std::size_t i = 0; i < 12; ++i) {
        tested.set_obstacles(blocks({{4 + i, 4 + i / 3, 4, 5}}));
        EXPECT_EQ(tested.fluid_cells(), columns * lines - 20);
        EXPECT_TRUE(tested.has_obstacles());
        const double before = tested.excess_mass();
        tested.advance(seeks_races ? 1 : 25);
        ASSERT_NO_THROW(tested.check());
        // Of a box that is closed all stays: in 16 bits exactly.
        if (which == flow_case::cavity) {
          EXPECT_NEAR(tested.excess_mass(), before, kept == storage::f16 ? 0 : 1e-3);
        }
      }
      const bounds within = stable_bounds(tested.given());
      tested.set_speed(given.velocity, within.most_viscosity);
      tested.set_speed(given.velocity / 2, within.most_viscosity / 2);
      ASSERT_NO_THROW(tested.advance(50));
      ASSERT_NO_THROW(tested.check());
    }
  }
}

TEST_P(lattice_boltzmann, speeds_within_the_bounds_are_stable) {
  if (seeks_races) GTEST_SKIP() << "steps of other tests are enough";
  for (const collision how : {collision::trt, collision::regularized}) {
    settings given = sized(flow_case::free, 60, 24);
    given.kept = storage::f32;
    given.how = how;
    given.reynolds = 20;
    given.velocity = 0.05;
    given.obstacles.assign(std::size_t{60} * 24, 0);
    for (std::size_t y = 9; y < 15; ++y)
      for (std::size_t x = 15; x < 19; ++x) given.obstacles[y * 60 + x] = 1;
    flow tested(where, given);
    tested.advance(100);
    for (const double velocity : {0.1, 0.02, 0.1}) {
      settings wanted = tested.given();
      wanted.velocity = velocity;
      const bounds within = stable_bounds(wanted);
      for (const double viscosity : {within.least_viscosity, within.most_viscosity}) {
        tested.set_speed(velocity, viscosity);
        ASSERT_NO_THROW(tested.advance(300)) << name(how) << " " << velocity << " " << viscosity;
      }
    }
  }
}

TEST_P(lattice_boltzmann, fields_and_their_pictures_are_those_of_the_rows) {
  for (const storage kept : storages) {
    settings given = sized(flow_case::free, columns, lines);
    given.kept = kept;
    given.reynolds = 20;
    given.obstacles = blocks({{8, 5, 4, 6}, {20, 2, 1, 3}, {13, 8, 1, 1}});
    flow tested(where, given);
    tested.advance(seeks_races ? 2 : 60);
    const std::vector<moments<double>> rows = rows_of(tested);
    const auto at = [&](std::size_t x, std::size_t y) { return rows[y * columns + x]; };
    for (const field which : fields) {
      const std::vector<float> have = tested.values(which).to_vector();
      std::vector<float> magnitudes;
      for (std::size_t y = 0; y < lines; ++y) {
        for (std::size_t x = 0; x < columns; ++x) {
          double want = 0;
          if (!tested.is_solid(x, y)) {
            const auto beside = [&](bool along_x, int step) {
              const std::ptrdiff_t nx = static_cast<std::ptrdiff_t>(x) + (along_x ? step : 0);
              const std::ptrdiff_t ny = static_cast<std::ptrdiff_t>(y) + (along_x ? 0 : step);
              if (nx < 0 || ny < 0 || nx >= static_cast<std::ptrdiff_t>(columns) ||
                  ny >= static_cast<std::ptrdiff_t>(lines))
                return 0;
              return tested.is_solid(static_cast<std::size_t>(nx), static_cast<std::size_t>(ny)) ? 0 : step;
            };
            if (which == field::velocity) want = std::hypot(at(x, y).ux, at(x, y).uy);
            if (which == field::density) want = at(x, y).excess;
            if (which == field::vorticity) {
              const int left = beside(true, -1), right = beside(true, 1), below = beside(false, -1),
                        above = beside(false, 1);
              if (right != left)
                want += (at(x + static_cast<std::size_t>(right), y).uy -
                         at(x + static_cast<std::size_t>(left), y).uy) /
                        (right - left);
              if (above != below)
                want -= (at(x, y + static_cast<std::size_t>(above)).ux -
                         at(x, y + static_cast<std::size_t>(below)).ux) /
                        (above - below);
            }
          }
          ASSERT_NEAR(have[y * columns + x], want, 1e-7) << name(which) << " " << x << " " << y;
          magnitudes.push_back(std::abs(have[y * columns + x]));
        }
      }
      std::sort(magnitudes.begin(), magnitudes.end());
      const float range = range_of(tested.values(which));
      EXPECT_EQ(range,
                magnitudes[static_cast<std::size_t>(0.98 * static_cast<double>(magnitudes.size() - 1))]);
      const scale_of_colour scale = scale_of_colour::of(which, range);
      for (const hd::picture_part& part :
           {hd::picture_part::whole(columns, lines), {7, 3, 2, 5, 6}, {1, 2, 5, 6, 3}}) {
        const std::vector<std::uint8_t> pixels =
            draw(tested.values(which), tested.solid_in_place(), scale, part);
        for (std::size_t j = 0; j < part.rows; ++j) {
          for (std::size_t i = 0; i < part.columns; ++i) {
            double sum = 0, count = 0;
            const std::size_t bottom = part.top + (part.rows - 1 - j) * part.side,
                              left = part.left + i * part.side;
            for (std::size_t y = bottom; y < std::min(bottom + part.side, lines); ++y)
              for (std::size_t x = left; x < std::min(left + part.side, columns); ++x) {
                if (tested.is_solid(x, y)) continue;
                sum += have[y * columns + x];
                ++count;
              }
            const int have_level = pixels[j * part.columns + i];
            if (count == 0) {
              ASSERT_EQ(have_level, 255);
            } else {
              const double share = std::clamp((sum / count - scale.low) / (scale.high - scale.low), 0.0, 1.0);
              ASSERT_NEAR(have_level, 254 * share, 0.501) << name(which);
            }
          }
        }
      }
      pictures whole(which);
      EXPECT_EQ(whole.draw(tested), draw(tested.values(which), tested.solid_in_place(), scale,
                                         hd::picture_part::whole(columns, lines)));
    }
  }
}

/// Whether what comes in on the left in each row reaches the right, by a search from each of them.
bool all_leave(const std::vector<std::uint8_t>& obstacles, std::size_t width, std::size_t height,
               bool wraps) {
  std::vector<std::uint8_t> solid = obstacles;
  for (std::size_t y = 0; y < height; ++y) {
    solid[y * width] |= solid[y * width + 1];
    solid[y * width + width - 1] |= solid[y * width + width - 2];
  }
  bool any = false;
  for (std::size_t begin = 0; begin < height; ++begin) {
    if (solid[begin * width] != 0) continue;
    any = true;
    std::vector<std::uint8_t> seen = solid;
    std::vector<std::size_t> left{begin * width};
    bool leaves = false;
    while (!left.empty()) {
      const std::size_t cell = left.back();
      left.pop_back();
      leaves |= cell % width == width - 1;
      for (const int up : {-1, 0, 1}) {
        for (const int right : {-1, 0, 1}) {
          const auto x = static_cast<std::ptrdiff_t>(cell % width) + right;
          auto y = static_cast<std::ptrdiff_t>(cell / width) + up;
          const auto rows = static_cast<std::ptrdiff_t>(height);
          if (wraps) y = (y + rows) % rows;
          if (x < 0 || x >= static_cast<std::ptrdiff_t>(width) || y < 0 || y >= rows) continue;
          const std::size_t to = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
          if (std::exchange(seen[to], 1) == 0) left.push_back(to);
        }
      }
    }
    if (!leaves) return false;
  }
  return any;
}

TEST(lattice_boltzmann_ways, are_those_that_a_search_finds) {
  constexpr std::size_t width = 13, height = 9;
  std::mt19937 random(7);
  int refused = 0, taken = 0;
  for (const bool wraps : {true, false}) {
    settings given;
    given.which = wraps ? flow_case::free : flow_case::channel;
    given.by = drive::inflow;
    given.width = width;
    given.height = height;
    given.reynolds = 10;
    flow tested(hd::target::serial(), given);
    for (int i = 0; i < 400; ++i) {
      std::vector<std::uint8_t> solid(width * height);
      for (std::uint8_t& cell : solid) cell = random() % 100 < 30U + static_cast<unsigned>(i % 40) ? 1 : 0;
      const bool expected = all_leave(solid, width, height, wraps);
      bool is_taken = true;
      try {
        tested.set_obstacles(solid);
      } catch (const hd::error&) {
        is_taken = false;
      }
      ASSERT_EQ(is_taken, expected) << "mask " << i << (wraps ? ", periodic" : "");
      ++(is_taken ? taken : refused);
    }
  }
  EXPECT_GT(refused, 50);
  EXPECT_GT(taken, 50);
}

TEST_P(lattice_boltzmann, says_what_it_is_not_changed_to) {
  settings given = sized(flow_case::free, columns, lines);
  given.reynolds = 10;
  flow tested(where, given);
  tested.advance(5);
  const std::vector<moments<double>> before = rows_of(tested);
  std::vector<std::uint8_t> wall(columns * lines, 0);
  for (std::size_t y = 0; y < lines; ++y) wall[y * columns + 9] = 1;
  EXPECT_NE(message_of([&] { tested.set_obstacles(wall); }).find("leave no way"), std::string::npos);
  EXPECT_NE(message_of([&] { tested.set_obstacles({1, 2}); }).find("obstacles of 2 cells"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              tested.set_speed(0.5, 0.1);
            }).find("a velocity of 0.5 cells a step, where 0.0001 to 0.1732 are stable"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              tested.set_speed(0.1, 1e-4);
            }).find("a viscosity of 0.0001, where 0.006667 to 0.8333 are stable at a velocity of 0.1"),
            std::string::npos);
  EXPECT_EQ(difference(rows_of(tested), before), 0);
  EXPECT_EQ(tested.given(), completed(given));
}
