#pragma once

#include "life/engine.hpp"
#include "life/soup.hpp"
#include "life/universe.hpp"
#include "tests/distributed/distributed_checks.hpp"

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

/// Life over ranks, against the same on one machine.
namespace heddle::tests {

/// Of the cases every so many.
inline void check_life_engines(const ranks& all, std::size_t every) {
  using namespace life;
  const char* const rules[] = {"B3/S23", "B36/S23", "B3/S23", "B01234/S0123", "B3/S23"};
  const std::pair<std::size_t, std::size_t> sizes[] = {{70, 1},   {5, 2},     {64, 5},    {512, 9},
                                                       {700, 40}, {600, 500}, {128, 9001}};
  std::size_t number = 0;
  for (const auto& [width, height] : sizes) {
    for (const bool torus : {false, true}) {
      for (const algorithm how : {algorithm::packed, algorithm::per_cell, algorithm::shared}) {
        if (how != algorithm::packed && (height > 100 || (how == algorithm::shared && !all.where().is_gpu())))
          continue;
        const rule law = rule::parse(rules[number % std::size(rules)]);
        if (number++ % every != 0) continue;
        const bounds size{width, height, torus};
        const grid start = soup(width, height, 0.4, width + height, target());
        const auto alone = make_engine(algorithm::packed, size, law, target());
        const auto spread = make_engine(how, size, law, all);
        alone->load(start);
        spread->load(start);
        const std::string what = std::to_string(width) + "x" + std::to_string(height) + " by " + law.text();
        for (const std::uint64_t generations : {1, 3, 37}) {
          alone->advance(generations);
          spread->advance(generations);
          expect(spread->cells() == alone->cells(), "cells of " + what);
          expect(spread->population() == alone->population(), "population of " + what);
        }
      }
    }
  }
}

/// Cells that are changed, and pictures, between generations: whose cells are of one rank, of several, and
/// outside.
inline void check_life_changes(const ranks& all) {
  using namespace life;
  for (const topology shape : {topology::infinite, topology::torus, topology::plane}) {
    for (const algorithm how : {algorithm::packed, algorithm::per_cell}) {
      const placed_grid start{soup(90, 43, 0.3, 5, target()), -7, 12};
      universe alone(start, shape, rule{}, algorithm::packed, target()),
          spread(start, shape, rule{}, how, all);
      std::uint64_t number = 0;
      const auto toggle = [&](grid& cells, std::int64_t left, std::int64_t top) {
        for (std::size_t y = 0; y < cells.height(); ++y)
          for (std::size_t x = 0; x < cells.width(); ++x)
            if (random_bits(static_cast<std::uint64_t>(1000 * (top + 500) + left + 500) + 77 * y + x +
                            number) %
                    3 ==
                0)
              cells.set(x, y, !cells(x, y));
      };
      const std::string of = std::string(", ") + name(shape) + " by " + name(how);
      // A cell, a row, rows of every rank, past the edges, and far away.
      const grid::box boxes[] = {
          {83, 32, 1, 1}, {70, 15, 100, 1}, {60, 2, 30, 100}, {0, 0, 90, 30}, {400, 300, 9, 70}};
      for (const grid::box& box : boxes) {
        ++number;
        for (universe* const of_them : {&alone, &spread})
          of_them->edit(static_cast<std::int64_t>(box.left) - 60, static_cast<std::int64_t>(box.top),
                        box.width, box.height, toggle);
        for (const std::uint64_t generations : {0, 1, 20}) {
          alone.advance(generations);
          spread.advance(generations);
          expect(spread.cells() == alone.cells(), "cells after change " + std::to_string(number) + of);
        }
        const universe::frame_of_grid at = alone.computed();
        // The grid that is computed is another for another algorithm: pixels are placed by the cells.
        for (const squares& what :
             {squares{0, 0, 1, 90, 43}, squares{-3, -2, 4, 20, 30}, squares{5, 9, 7, 3, 2},
              squares{-10, -20, 64, 9, 8}, squares{-600, -700, 2000, 1, 1}, squares{0, 3000, 5, 2, 3}}) {
          squares here = what;
          here.left += at.left - spread.computed().left;
          here.top += at.top - spread.computed().top;
          expect(spread.draw(here) == alone.draw(what),
                 "a picture of squares of " + std::to_string(what.side) + of);
        }
      }
    }
  }
}

inline void check_life_universes(const ranks& all) {
  using namespace life;
  for (const topology shape : {topology::infinite, topology::torus, topology::plane}) {
    const placed_grid start{soup(90, 33, 0.3, 5, target()), -7, 12};
    universe alone(start, shape, rule{}, algorithm::packed, target());
    universe spread(start, shape, rule{}, algorithm::packed, all);
    for (const std::uint64_t generations : {0, 1, 200, 90}) {
      alone.advance(generations);
      spread.advance(generations);
      expect(spread.cells() == alone.cells(), std::string("cells of a universe, ") + name(shape));
      expect(spread.population() == alone.population() && spread.generation() == alone.generation(),
             std::string("population of a universe, ") + name(shape));
      if (generations != 1) continue;
      alone.change(rule::parse("B36/S23"), target());
      spread.change(rule::parse("B36/S23"), all.where());
    }
  }
  // One block of a GPU, where there is more than one rank.
  refuses([&] { life::make_engine(life::algorithm::block, {500, 500, true}, {}, all); }, "take packed");
  const placed_grid start{soup(90, 33, 0.3, 5, target())};
  if (all.size() > 1)
    expect(universe(start, topology::torus, {}, algorithm::packed, all).bytes_of(1) == 0,
           "bytes are not known");
}

}  // namespace heddle::tests
