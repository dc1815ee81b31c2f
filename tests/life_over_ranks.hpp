#pragma once

#include "distributed_checks.hpp"
#include "life/engine.hpp"
#include "life/soup.hpp"
#include "life/universe.hpp"

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
  const std::pair<std::size_t, std::size_t> sizes[] = {{70, 1},  {5, 2},    {64, 5},
                                                       {512, 9}, {700, 40}, {600, 500}};
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
  std::string message;
  try {
    // One block of a GPU, where there is more than one rank.
    life::make_engine(life::algorithm::block, {500, 500, true}, {}, all);
  } catch (const error& e) {
    message = e.what();
  }
  expect(message.find("take packed") != std::string::npos, "'" + message + "' gives no remedy");
}

}  // namespace heddle::tests
