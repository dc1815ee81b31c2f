#pragma once

#include <heddle/target.hpp>

#include <cstdint>
#include <string>

#include <CLI/App.hpp>
#include <life/universe.hpp>

namespace heddle::cli {

/// The options that say what a run of Life begins with.
struct life_start_options {
  std::string pattern, random, size, rule, topology, algorithm = "packed";
  double density = 0.25;
  std::uint64_t seed = 0;

  void add_start_to(CLI::App& command);
  /// The words that give them again, for a shell.
  std::string words() const;
};

/// The beginning of a run.
struct life_beginning {
  life::placed_grid cells;
  life::topology shape;
  life::rule law;
  std::uint64_t generation;
};

/// Reads the pattern or makes random cells; `where` is a CPU. Throws heddle::error for a pattern that is
/// none, and CLI::ParseError for options that contradict each other.
life_beginning begin_life(const life_start_options& options, const target& where);

life::algorithm algorithm_of(const life_start_options& options);

}  // namespace heddle::cli
