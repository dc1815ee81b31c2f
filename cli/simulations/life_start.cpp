#include "life_start.hpp"

#include "cli/options/file_options.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/options/shell_words.hpp"
#include "cli/options/whole_number.hpp"
#include "grid_size.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <life/formats.hpp>
#include <life/soup.hpp>

namespace heddle::cli {

using namespace heddle::life;

namespace {

std::string check_rule(const std::string& text) {
  try {
    bounded_rule::parse(text);
    return "";
  } catch (const error& wrong) {
    return wrong.what();
  }
}

}  // namespace

void life_start_options::add_start_to(CLI::App& command) {
  reads_file(
      command.add_option("PATTERN", pattern, "RLE, plaintext (.cells) or Life 1.06")->option_text(" "));
  CLI::Option* const at_random = command.add_option("--random", random, "Begin with random cells")
                                     ->option_text("WxH")
                                     ->check(check_grid_size);
  command.add_option("--density", density, "How many of them live; default 0.25")
      ->option_text("D")
      ->check(check_number::between(0, 1))
      ->needs(at_random);
  command.add_option("--seed", seed, "Other random cells for each S; default 0")
      ->option_text("S")
      ->transform(count_from(0))
      ->needs(at_random);
  command
      .add_option("--rule", rule,
                  "Such as B36/S23, or B3/S23:T30,20 on a torus; default the pattern's, or B3/S23")
      ->option_text("R")
      ->check(check_rule);
  command.add_option("--size", size, "A bounded grid with the pattern in its middle")
      ->option_text("WxH")
      ->check(check_grid_size);
  command
      .add_option("--topology", topology,
                  "infinite|torus|plane; default infinite for a pattern, torus for a grid with a size")
      ->option_text("T")
      ->check(CLI::IsMember({"infinite", "torus", "plane"}));
  std::vector<std::string> names;
  for (const life::algorithm a : algorithms) names.emplace_back(name(a));
  command.add_option("--algorithm", algorithm, "packed|per-cell|shared|block; default packed")
      ->option_text("A")
      ->check(CLI::IsMember(names));
}

std::string life_start_options::words() const {
  std::vector<std::string> all;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) all.insert(all.end(), {option, value});
  };
  if (!pattern.empty()) all.push_back(pattern);
  add("--random", random);
  if (!random.empty()) {
    add("--density", fmt::format("{}", density));
    add("--seed", fmt::format("{}", seed));
  }
  add("--rule", rule);
  add("--size", size);
  add("--topology", topology);
  if (algorithm != life_start_options().algorithm) add("--algorithm", algorithm);
  return shell_words(all);
}

life::algorithm algorithm_of(const life_start_options& options) {
  return *std::find_if(std::begin(algorithms), std::end(algorithms),
                       [&](life::algorithm a) { return options.algorithm == name(a); });
}

life_beginning begin_life(const life_start_options& options, const target& where) {
  if (options.pattern.empty() == options.random.empty()) {
    throw CLI::ValidationError("PATTERN", "either a file or --random WxH");
  }
  const bool infinite = options.topology == "infinite";
  const topology bounded = options.topology == "plane" ? topology::plane : topology::torus;
  const grid_size asked = options.size.empty() ? grid_size{} : *parse_grid_size(options.size);
  const bool sized = asked.width != 0;
  if (infinite && sized) {
    throw CLI::ValidationError("--size",
                               "the infinite plane has none: leave it out, or take another topology");
  }
  life_beginning start{};
  bounded_rule given;
  if (!options.rule.empty()) given = bounded_rule::parse(options.rule);
  if (given.grid && (sized || infinite)) {
    throw CLI::ValidationError("--rule", fmt::format("'{}' has bounds: leave out {}", options.rule,
                                                     sized ? "--size" : "--topology infinite"));
  }
  start.law = given.law;
  const auto shape_of = [&](const grid_bounds& grid) {
    return options.topology.empty() && !grid.torus ? topology::plane : bounded;
  };
  if (!options.random.empty()) {
    const grid_size soup_size = *parse_grid_size(options.random);
    grid cells = soup(soup_size.width, soup_size.height, options.density, options.seed, where);
    start.shape = infinite ? topology::infinite : given.grid ? shape_of(*given.grid) : bounded;
    if (sized || given.grid) {
      pattern as_pattern;
      as_pattern.box_width = static_cast<std::int64_t>(soup_size.width);
      as_pattern.box_height = static_cast<std::int64_t>(soup_size.height);
      as_pattern.live.cells = std::move(cells);
      start.cells = place_in_the_middle(as_pattern, sized ? asked.width : given.grid->width,
                                        sized ? asked.height : given.grid->height);
    } else {
      start.cells = {std::move(cells), -static_cast<std::int64_t>(soup_size.width / 2),
                     -static_cast<std::int64_t>(soup_size.height / 2)};
    }
    return start;
  }
  // A grid whose size is given takes the memory that was asked for.
  constexpr std::uint64_t most_of_a_size = std::uint64_t{1} << 36;
  pattern from =
      read_pattern(options.pattern, sized || given.grid ? std::optional(most_of_a_size) : std::nullopt);
  start.generation = from.generation;
  if (options.rule.empty() && from.law) start.law = *from.law;
  if (given.grid) from.grid = given.grid;
  if (sized) {
    start.shape = bounded;
    start.cells = place_in_the_middle(from, asked.width, asked.height);
  } else if (from.grid && !infinite) {
    start.shape = shape_of(*from.grid);
    start.cells = place_on_bounded_grid(from);
  } else if (infinite || options.topology.empty()) {
    start.shape = topology::infinite;
    start.cells = std::move(from.live);
  } else {
    // As large as what the file draws.
    start.shape = bounded;
    start.cells = place_in_the_middle(from, static_cast<std::size_t>(from.box_width),
                                      static_cast<std::size_t>(from.box_height));
  }
  return start;
}

}  // namespace heddle::cli
