#include "life/cycle.hpp"
#include "life/engine.hpp"
#include "life/rule.hpp"
#include "life/soup.hpp"
#include "life/universe.hpp"
#include "tests/on_targets.hpp"
#include <heddle/error.hpp>
#include <heddle/machine.hpp>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace heddle;
using namespace heddle::life;

/// The definition: every cell by itself, its neighbours by remainders.
grid by_definition(const grid& now, const rule& law, bool torus) {
  const auto width = static_cast<std::ptrdiff_t>(now.width()),
             height = static_cast<std::ptrdiff_t>(now.height());
  grid next(now.width(), now.height());
  for (std::ptrdiff_t y = 0; y < height; ++y) {
    for (std::ptrdiff_t x = 0; x < width; ++x) {
      int neighbours = 0;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          if (dx == 0 && dy == 0) continue;
          std::ptrdiff_t nx = x + dx, ny = y + dy;
          if (!torus && (nx < 0 || ny < 0 || nx >= width || ny >= height)) continue;
          nx = (nx + width) % width;
          ny = (ny + height) % height;
          neighbours += now(static_cast<std::size_t>(nx), static_cast<std::size_t>(ny));
        }
      }
      const auto px = static_cast<std::size_t>(x), py = static_cast<std::size_t>(y);
      if ((now(px, py) ? law.survival : law.birth) >> neighbours & 1) next.set(px, py);
    }
  }
  return next;
}

/// Where what one thread does is tested: of so few cells several do no more.
std::vector<target> places() {
  std::vector<target> all{target::serial()};
  if (!gpus().empty()) all.push_back(target::gpu());
  return all;
}

const char* const rules[] = {"B3/S23", "B36/S23",      "B0/S",         "B01234/S0123", "B1357/S1357",
                             "B2/S",   "B3678/S34678", "B/S012345678", "B8/S08",       "B012345678/S"};

void expect_same_as_definition(std::size_t width, std::size_t height, const rule& law, int generations,
                               algorithm how, const target& where) {
  for (const bool torus : {true, false}) {
    grid expected = soup(width, height, 0.375, 17 * width + height, target());
    const auto made = make_engine(how, {width, height, torus}, law, where);
    made->load(expected);
    ASSERT_EQ(made->cells(), expected) << width << "x" << height << " on " << where.text();
    // Steps of many lengths, so that passes of all numbers of generations are made.
    int done = 0;
    for (int step = 1; done < generations; ++step) {
      made->advance(static_cast<std::uint64_t>(step));
      done += step;
      for (int i = 0; i < step; ++i) expected = by_definition(expected, law, torus);
      ASSERT_EQ(made->cells(), expected)
          << name(how) << ", " << width << "x" << height << (torus ? " torus" : " plane") << " by "
          << law.text() << " after " << done << " generations on " << where.text();
      ASSERT_EQ(made->population(), expected.population());
    }
  }
}

TEST(life_engines, packed_is_the_definition_at_every_small_size) {
  for (const target& where : places()) {
    for (const std::size_t width : {1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 127, 128, 129}) {
      for (const std::size_t height : {1, 2, 3, 7, 32, 33}) {
        expect_same_as_definition(width, height, {}, 10, algorithm::packed, where);
      }
    }
  }
}

TEST(life_engines, packed_is_the_definition_by_every_rule) {
  for (const target& where : places()) {
    for (const char* text : rules) {
      for (const auto& [width, height] :
           {std::pair{1, 1}, {3, 2}, {32, 32}, {65, 20}, {511, 9}, {512, 9}, {513, 9}}) {
        expect_same_as_definition(static_cast<std::size_t>(width), static_cast<std::size_t>(height),
                                  rule::parse(text), 6, algorithm::packed, where);
      }
    }
  }
}

TEST(life_engines, packed_is_the_definition_where_strips_and_passes_meet) {
  for (const target& where : places()) {
    for (const auto& [width, height] :
         {std::pair{1024, 80}, {1023, 50}, {70, 400}, {4096, 6}, {640, 20}, {128, 30}}) {
      expect_same_as_definition(static_cast<std::size_t>(width), static_cast<std::size_t>(height), {}, 40,
                                algorithm::packed, where);
    }
  }
}

TEST(life_engines, the_textbooks_ways_are_the_definition) {
  for (const target& where : places()) {
    for (const algorithm how : {algorithm::per_cell, algorithm::shared, algorithm::block}) {
      if (!where.is_gpu() && how != algorithm::per_cell) {
        EXPECT_THROW(make_engine(how, {8, 8, true}, {}, where), error);
        continue;
      }
      for (const auto& [width, height] : {std::pair{1, 1}, {2, 1}, {3, 5}, {32, 32}, {65, 33}, {130, 70}}) {
        for (const char* text : {"B3/S23", "B02/S18"}) {
          expect_same_as_definition(static_cast<std::size_t>(width), static_cast<std::size_t>(height),
                                    rule::parse(text), 6, how, where);
        }
      }
    }
  }
}

/// Grids that several threads share.
class life_in_chunks : public tests::on_targets {};
HD_ON_ALL_TARGETS(life_in_chunks);

TEST_P(life_in_chunks, is_what_one_core_makes) {
  struct cells {
    algorithm how;
    std::size_t width, height;
  };
  // Heights that no number of chunks divides.
  for (const auto& [how, width, height] : {cells{algorithm::packed, 2700, 151},
                                           {algorithm::packed, 700, 907},
                                           {algorithm::per_cell, 700, 300}}) {
    for (const bool torus : {true, false}) {
      const grid start = soup(width, height, 0.375, width, where);
      const auto made = make_engine(how, {width, height, torus}, {}, where),
                 on_one_core = make_engine(algorithm::packed, {width, height, torus}, {}, target::serial());
      for (const auto& engine : {made.get(), on_one_core.get()}) engine->load(start);
      for (const std::uint64_t generations : {1, 2, 7}) {
        made->advance(generations);
        on_one_core->advance(generations);
        ASSERT_EQ(made->cells(), on_one_core->cells())
            << name(how) << ", " << width << "x" << height << (torus ? " torus" : " plane");
        ASSERT_EQ(made->population(), on_one_core->population());
      }
    }
  }
}

/// The brightness of squares, cell by cell.
std::vector<std::uint8_t> squares_by_definition(const grid& cells, const squares& what) {
  const auto side = static_cast<std::int64_t>(what.side);
  const auto is_alive = [&](std::int64_t x, std::int64_t y) {
    return x >= 0 && y >= 0 && x < static_cast<std::int64_t>(cells.width()) &&
           y < static_cast<std::int64_t>(cells.height()) &&
           cells(static_cast<std::size_t>(x), static_cast<std::size_t>(y));
  };
  std::vector<std::uint8_t> pixels;
  for (std::int64_t j = 0; j < static_cast<std::int64_t>(what.rows); ++j) {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(what.columns); ++i) {
      std::int64_t live = 0;
      for (std::int64_t y = what.top + j * side; y < what.top + (j + 1) * side; ++y) {
        for (std::int64_t x = what.left + i * side; x < what.left + (i + 1) * side; ++x)
          live += is_alive(x, y);
      }
      // 255 where all live, 0 where none does, and between 80 and 254 otherwise.
      pixels.push_back(static_cast<std::uint8_t>(live == 0 ? 0 : 80 + 175 * live / (side * side)));
    }
  }
  return pixels;
}

TEST_P(life_in_chunks, squares_are_counted_on_the_target) {
  for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>{1, 1},
                                      {33, 20},
                                      {512, 70},
                                      {640, 130},
                                      {1000, 41},
                                      {70, 600},
                                      {4096, 9}}) {
    const grid start = soup(width, height, 0.375, width, target());
    for (const algorithm how : {algorithm::packed, algorithm::per_cell}) {
      const auto made = make_row_engine(how, {width, height, true}, {}, where);
      made->load(start);
      for (const squares& what : {squares{0, 0, 1, width, height},
                                  {-3, 2, 1, 9, 5},
                                  {3, -2, 1, width, 5},
                                  {1, 1, 2, width / 2 + 1, 7},
                                  {0, 0, 4, (width + 3) / 4, (height + 3) / 4},
                                  {-10, -7, 7, width / 7 + 4, height / 7 + 3},
                                  {-5, -5, 100, 3, 2},
                                  {-2, -1, 290, 4, 3},
                                  {5000, 0, 2, 3, 3}})
        ASSERT_EQ(made->draw(what), squares_by_definition(start, what))
            << name(how) << ", " << width << "x" << height << ", squares of " << what.side << " from "
            << what.left;
    }
  }
}

TEST(life, generations_share_passes_over_memory) {
  const grid start = soup(4096, 4096, 0.25, 1, target());
  universe packed({start, 0, 0}, topology::torus, {}, algorithm::packed, target::serial());
  // A bit a cell, read and written, for up to 16 generations.
  constexpr std::uint64_t pass = 2 * 4096 * 4096 / 8;
  EXPECT_EQ(packed.bytes_of(1), pass);
  EXPECT_EQ(packed.bytes_of(16), pass);
  EXPECT_EQ(packed.bytes_of(40), 3 * pass);
  universe per_cell({start, 0, 0}, topology::torus, {}, algorithm::per_cell, target::serial());
  EXPECT_EQ(per_cell.bytes_of(3), 3 * 8 * pass);
}

TEST_P(life_in_chunks, cells_change_while_it_runs) {
  for (const topology shape : {topology::torus, topology::plane, topology::infinite}) {
    universe world({soup(70, 50, 0.375, 1, target()), -35, -25}, shape, {}, algorithm::packed, where);
    world.advance(9);
    const grid before = world.cells().cells;
    const placed_grid all = world.cells();
    // A row alive, from the middle to beyond the edges of a torus, in the middle of what lives.
    world.edit(0, all.top + 3, 200, 2, [](grid& cells, std::int64_t, std::int64_t) {
      for (std::size_t x = 0; x < cells.width(); ++x) cells.set(x, 0), cells.set(x, 1, false);
    });
    grid expected = before;
    if (shape == topology::infinite) {
      expected = grid(static_cast<std::size_t>(200 - all.left), before.height());
      expected.put(before, 0, 0);
    }
    for (auto x = static_cast<std::size_t>(-all.left); x < expected.width(); ++x) {
      expected.set(x, 3);
      expected.set(x, 4, false);
    }
    ASSERT_EQ(world.cells().cells, expected) << name(shape);
    // As if it had begun so, also where the new cells reach the edge of the grid that is computed.
    universe fresh(world.cells(), shape, {}, algorithm::packed, target::serial());
    world.change(rule::parse("B36/S23"), where);
    world.change(rule{}, where);
    for (universe* const one : {&world, &fresh}) one->advance(300);
    EXPECT_EQ(world.cells(), fresh.cells()) << name(shape);
    EXPECT_EQ(world.generation(), 309u);
  }
}

TEST_P(life_in_chunks, cells_near_the_edge_of_the_infinite_plane) {
  universe world({{}, 0, 0}, topology::infinite, {}, algorithm::packed, where);
  const auto put = [&](std::int64_t x, std::int64_t y) {
    world.edit(x, y, 3, 3, [](grid& cells, std::int64_t, std::int64_t) {
      for (const auto& [column, row] :
           {std::pair<std::size_t, std::size_t>{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}})
        cells.set(column, row);
    });
  };
  put(5, 5);
  const universe::frame_of_grid grid_now = world.computed();
  // A glider that flies out of the grid's corner.
  put(grid_now.left + static_cast<std::int64_t>(grid_now.width) - 3,
      grid_now.top + static_cast<std::int64_t>(grid_now.height) - 3);
  world.advance(4 * 50);
  EXPECT_EQ(world.population(), 10u);
  const placed_grid after = world.cells();
  EXPECT_EQ(after.left, 55);
  EXPECT_EQ(after.top, 55);
  EXPECT_THROW(world.edit(std::int64_t{1} << 40, 0, 1, 1,
                          [](grid& cells, std::int64_t, std::int64_t) { cells.set(0, 0); }),
               error);
  EXPECT_NE(tests::message_of([&] {
              world.edit(std::int64_t{1} << 31, std::int64_t{1} << 31, 1, 1,
                         [](grid& cells, std::int64_t, std::int64_t) { cells.set(0, 0); });
            }).find("the pattern spans 2147483594x2147483594 cells, and more than 1073741824 are refused"),
            std::string::npos);
  EXPECT_EQ(world.cells(), after);
}

placed_grid drawn(std::initializer_list<const char*> rows) {
  grid cells(std::string(*rows.begin()).size(), rows.size());
  std::size_t y = 0;
  for (const std::string row : rows) {
    for (std::size_t x = 0; x < row.size(); ++x) {
      if (row[x] == 'O') cells.set(x, y);
    }
    ++y;
  }
  return {cells};
}

const placed_grid r_pentomino = drawn({".OO", "OO.", ".O."});
const placed_grid acorn = drawn({".O.....", "...O...", "OO..OOO"});
const placed_grid diehard = drawn({"......O.", "OO......", ".O...OOO"});
const placed_grid glider = drawn({".O.", "..O", "OOO"});
const placed_grid gun = drawn({"........................O...........", "......................O.O...........",
                               "............OO......OO............OO", "...........O...O....OO............OO",
                               "OO........O.....O...OO..............", "OO........O...O.OO....O.O...........",
                               "..........O.....O.......O...........", "...........O...O....................",
                               "............OO......................"});

TEST(life_on_the_infinite_plane, methuselahs_end_as_they_are_known_to) {
  for (const target& where : places()) {
    universe r(r_pentomino, topology::infinite, {}, algorithm::packed, where);
    r.advance(1103);
    EXPECT_EQ(r.population(), 116u);
    for (const algorithm how : {algorithm::packed, algorithm::per_cell}) {
      universe d(diehard, topology::infinite, {}, how, where);
      d.advance(129);
      EXPECT_EQ(d.population(), 2u);
      d.advance(1);
      EXPECT_EQ(d.population(), 0u);
      EXPECT_EQ(d.cells().cells.width(), 0u);
      d.advance(1'000'000'000'000);
      EXPECT_EQ(d.population(), 0u);
    }
    universe a(acorn, topology::infinite, {}, algorithm::packed, where);
    a.advance(5206);
    EXPECT_EQ(a.population(), 633u);
  }
}

TEST(life_on_the_infinite_plane, a_gun_adds_a_glider_every_thirty_generations) {
  universe world(gun, topology::infinite, {}, algorithm::packed, target::serial());
  for (std::uint64_t n = 0; n <= 40; ++n) {
    EXPECT_EQ(world.population(), 36 + 5 * n) << "generation " << world.generation();
    world.advance(30);
  }
}

TEST(life_on_the_infinite_plane, a_glider_is_where_it_flew_and_the_grid_stays_small) {
  universe world(glider, topology::infinite, {}, algorithm::packed, target::serial());
  world.advance(4 * 2'500);
  const placed_grid there = world.cells();
  EXPECT_EQ(there.left, 2'500);
  EXPECT_EQ(there.top, 2'500);
  EXPECT_EQ(there.cells, glider.cells);
  EXPECT_LT(world.cells_computed(), 1e6);
}

TEST(life_on_the_infinite_plane, a_cell_that_copies_itself_meets_no_edge) {
  // By Fredkin's rule a cell is its eight neighbours after any power of two of generations, so far away.
  for (const algorithm how : {algorithm::packed, algorithm::per_cell}) {
    universe world(drawn({"O"}), topology::infinite, rule::parse("B1357/S1357"), how, target::serial());
    for (const std::size_t away : {16, 64, 256}) {
      world.advance(away - world.generation());
      grid copies(2 * away + 1, 2 * away + 1);
      for (std::size_t y = 0; y <= 2 * away; y += away) {
        for (std::size_t x = 0; x <= 2 * away; x += away) {
          if (x != away || y != away) copies.set(x, y);
        }
      }
      const placed_grid have = world.cells();
      EXPECT_EQ(have.cells, copies) << name(how) << ", " << away;
      EXPECT_EQ(have.left, -static_cast<std::int64_t>(away));
      EXPECT_EQ(have.top, -static_cast<std::int64_t>(away));
    }
  }
}

TEST(life_on_the_infinite_plane, a_rule_that_fills_it_is_refused) {
  EXPECT_THROW(universe(glider, topology::infinite, rule::parse("B03/S23"), algorithm::packed, target()),
               error);
  EXPECT_NO_THROW(
      universe({grid(5, 5)}, topology::torus, rule::parse("B03/S23"), algorithm::packed, target()));
  EXPECT_THROW(universe({grid(0, 5)}, topology::torus, {}, algorithm::packed, target()), error);
}

TEST(life_on_the_infinite_plane, a_place_that_is_too_far_away_is_refused) {
  constexpr std::int64_t far = std::int64_t{1} << 61;
  for (const std::int64_t place : {far, -far}) {
    EXPECT_EQ(tests::message_of([&] {
                universe({glider.cells, 0, place}, topology::infinite, {}, algorithm::packed, target());
              }),
              "life: the pattern is more than 2^61 cells from where it began");
  }
}

TEST(life_cycles, periods_are_the_smallest) {
  const auto period = [](const placed_grid& start, topology shape, std::uint64_t most) {
    universe world(start, shape, {}, algorithm::packed, target());
    cycle_detector detector;
    for (;;) {
      if (const auto found = detector.look_at(world)) return *found;
      if (world.generation() == most) return std::uint64_t{0};
      world.advance(1);
    }
  };
  EXPECT_EQ(period(drawn({"OO", "OO"}), topology::infinite, 10), 1u);
  EXPECT_EQ(period(drawn({"OOO"}), topology::infinite, 10), 2u);
  EXPECT_EQ(period(drawn({"OOOOOOOOOO"}), topology::infinite, 200), 15u);
  EXPECT_EQ(period(glider, topology::infinite, 300), 0u);
  grid torus(20, 12);
  torus.put(glider.cells, 3, 4);
  EXPECT_EQ(period({torus}, topology::torus, 1000), 4u * 60);
  EXPECT_EQ(period(r_pentomino, topology::infinite, 50), 0u);
}

TEST(life_rules, are_read_in_both_notations) {
  const rule conway;
  for (const char* text : {"B3/S23", "b3/s23", "S23/B3", "B3S23", "23/3", "s32b3"}) {
    EXPECT_EQ(rule::parse(text), conway) << text;
  }
  EXPECT_EQ(rule::parse("B/S").text(), "B/S");
  EXPECT_EQ(rule::parse("/2"), (rule{1 << 2, 0}));
  EXPECT_EQ(rule::parse("012345678/"), (rule{0, 0x1ff}));
  EXPECT_EQ(rule::parse("B36/S125").text(), "B36/S125");
  for (const char* text :
       {"", "B9/S2", "23", "B3/S2/3", "B3/S23 ", "33/2", "2B3/S23", "B3/23", "x", "B3/S2/", "//"}) {
    EXPECT_THROW(rule::parse(text), error) << text;
  }
}

TEST(life_soups, have_their_density_and_depend_on_the_seed_alone) {
  for (const double density : {0.0, 0.03, 0.25, 0.5, 0.7, 1.0}) {
    const grid cells = soup(1000, 999, density, 7, target::serial());
    EXPECT_EQ(cells, soup(1000, 999, density, 7, target::parallel(3)));
    const double n = 999000, deviations = std::sqrt(n * density * (1 - density));
    EXPECT_NEAR(static_cast<double>(cells.population()), n * density, 4.5 * deviations + 0.5) << density;
  }
  EXPECT_NE(soup(100, 100, 0.5, 1, target()), soup(100, 100, 0.5, 2, target()));
  EXPECT_THROW(soup(10, 10, 1.5, 1, target()), error);
  EXPECT_THROW(soup(10, 10, -0.1, 1, target()), error);
}

TEST(life_grids, have_no_more_cells_than_memory_can_hold) {
  EXPECT_EQ(tests::message_of([] { grid(std::size_t{1} << 60, std::size_t{1} << 20); }),
            "a grid of 1152921504606846976x1048576 cells is more than memory can hold");
}

TEST(life_grids, parts_and_places_are_the_cells_they_name) {
  const grid all = soup(200, 5, 0.5, 3, target());
  const grid part = all.part({61, 1, 70, 3});
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 70; ++x) EXPECT_EQ(part(x, y), all(61 + x, 1 + y));
  }
  for (const std::size_t at : {0, 1, 63, 64, 100, 130}) {
    grid result(200, 5);
    result.set_run(0, 0, 200);
    result.put(part, at, 2);
    EXPECT_EQ(result.part({at, 2, 70, 3}), part);
    EXPECT_EQ(result.population(), 200 + part.population());
  }
  grid sparse(300, 40);
  EXPECT_EQ(sparse.live_box(), (grid::box{0, 0, 0, 0}));
  sparse.set(130, 7);
  EXPECT_EQ(sparse.live_box(), (grid::box{130, 7, 1, 1}));
  sparse.set(255, 30);
  EXPECT_EQ(sparse.live_box(), (grid::box{130, 7, 126, 24}));
}

}  // namespace
