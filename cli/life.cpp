#include "commands.hpp"
#include "file_options.hpp"
#include "grid_size.hpp"
#include "interruption.hpp"
#include "life_output.hpp"
#include "option_checks.hpp"
#include "over_ranks.hpp"
#include "paced_steps.hpp"
#include "run_options.hpp"
#include "standard_output.hpp"
#include "whole_number.hpp"
#include <heddle/error.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <life/cycle.hpp>
#include <life/formats.hpp>
#include <life/soup.hpp>
#include <life/universe.hpp>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

using namespace heddle::life;
using clock = std::chrono::steady_clock;

struct life_options : place_options {
  std::string pattern, random, size, rule, topology, algorithm = "packed", output, format;
  double density = 0.25;
  std::uint64_t seed = 0, generations = 0;
  std::optional<std::uint64_t> every;
  bool detect_cycles = false, watch = false;
};

std::string check_rule(const std::string& text) {
  try {
    bounded_rule::parse(text);
    return "";
  } catch (const error& wrong) {
    return wrong.what();
  }
}

/// What the run begins with.
struct beginning {
  placed_grid cells;
  topology shape;
  rule law;
  std::uint64_t generation;
};

beginning begin(const life_options& options, const target& where) {
  const bool infinite = options.topology == "infinite";
  const topology bounded = options.topology == "plane" ? topology::plane : topology::torus;
  const grid_size asked = options.size.empty() ? grid_size{} : *parse_grid_size(options.size);
  const bool sized = asked.width != 0;
  if (infinite && sized) {
    throw CLI::ValidationError("--size",
                               "the infinite plane has none: leave it out, or take another topology");
  }
  beginning start{};
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
  pattern from = read_pattern(options.pattern);
  start.generation = from.generation;
  if (options.generations > std::numeric_limits<std::uint64_t>::max() - from.generation) {
    throw CLI::ValidationError("--generations", fmt::format("{} more than {} are beyond what is counted",
                                                            options.generations, from.generation));
  }
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

/// The target that 'auto' stands for: a GPU, where there is one, for work that outlasts starting it.
target resolved(const life_options& options, double cells) {
  const target asked = target::parse(options.target);
  if (!asked.is_automatic()) return asked;
  constexpr double updates_worth_a_gpu = 2e10;
  const target best = target::best();
  const bool only_on_gpus = options.algorithm == "shared" || options.algorithm == "block";
  if (best.is_gpu() &&
      (only_on_gpus || cells * static_cast<double>(options.generations) > updates_worth_a_gpu)) {
    return best;
  }
  return target::parallel();
}

/// Generations of a universe, in pieces, until who watches has seen enough.
class paced_generations {
 public:
  paced_generations(universe& world, const target& where, const life_options& options,
                    std::optional<life_view>& view)
      : world_(world),
        view_(view),
        pace_(options.generations, (where.is_gpu() ? 2e10 : 2e8) / std::max(1.0, world.cells_computed()),
              options.quiet || options.watch) {}

  /// Whether who watches has seen enough.
  bool is_ended() { return view_ && view_->end_is_asked(); }

  void to(std::uint64_t generation) {
    while (world_.generation() < generation && !is_ended()) {
      double updated = 0;
      pace_.take(
          generation - world_.generation(),
          [&](std::uint64_t count) {
            world_.advance(count);
            updated = world_.cells_computed() * static_cast<double>(count);
            updates += updated;
          },
          [&](std::uint64_t, double seconds) {
            return fmt::format("{:.4g} Gcells/s", updated / seconds / 1e9);
          });
    }
  }

  void hide() { pace_.hide(); }

  double updates = 0;

 private:
  universe& world_;
  std::optional<life_view>& view_;
  paced_steps pace_;
};

void run(const life_options& options) {
  if (options.pattern.empty() == options.random.empty()) {
    throw CLI::ValidationError("PATTERN", "either a file or --random WxH");
  }
  life_output output(options.output, options.format);
  const target on_cpu = target::parallel();
  beginning start = begin(options, on_cpu);
  refuse_over_ranks(options.watch, "--watch", "nothing is shown in a terminal");
  const target where = is_over_ranks()
                           ? ranks_on(options.target).where()
                           : resolved(options, static_cast<double>(start.cells.cells.width()) *
                                                   static_cast<double>(start.cells.cells.height()));
  const auto how = *std::find_if(std::begin(algorithms), std::end(algorithms),
                                 [&](algorithm a) { return options.algorithm == name(a); });
  const std::size_t width = start.cells.cells.width(), height = start.cells.cells.height();
  begin_together();
  universe world = is_over_ranks()
                       ? universe(start.cells, start.shape, start.law, how, ranks_on(options.target))
                       : universe(start.cells, start.shape, start.law, how, where);
  start.cells = {};
  world.count_from(start.generation);
  const std::uint64_t last = start.generation + options.generations;

  const clock::time_point began = clock::now();
  std::optional<std::uint64_t> period;
  std::optional<life_view> view;
  if (options.watch) view.emplace();
  paced_generations advance(world, where, options, view);
  const std::uint64_t every = options.every ? *options.every : output.is_animation() || view ? 1 : 0;
  std::string lines;
  std::optional<std::uint64_t> said;
  const auto say = [&]() {
    if (said != world.generation()) {
      lines += fmt::format("generation {} population {}\n", world.generation(), world.population());
    }
    said = world.generation();
    // The terminal may be where they go, and holds pictures now.
    if (view) return;
    advance.hide();
    print(std::exchange(lines, ""));
  };
  const auto report = [&]() {
    if (every == 0) return;
    if (output.is_animation()) output.add_frame(world);
    if (view) view->show(world);
  };
  std::uint64_t skipped = 0;
  double seconds = 0;
  try {
    const state_to_keep kept;
    report();
    cycle_detector detector;
    while (world.generation() < last && !advance.is_ended()) {
      const bool looking = options.detect_cycles && !period;
      if (looking) {
        period = detector.look_at(world);
        if (period && every == 0) {
          // What is left of the last period is all that must be computed.
          const std::uint64_t left = last - world.generation();
          skipped = left - left % *period;
          break;
        }
      }
      std::uint64_t next = last;
      if (every != 0) {
        next = world.generation() + std::min(last - world.generation(), every - world.generation() % every);
      }
      if (options.detect_cycles && !period) next = world.generation() + 1;
      advance.to(next);
      if (every != 0 && world.generation() % every == 0) {
        report();
        if (options.every && world.generation() < last) say();
      }
    }
    if (options.detect_cycles && !period) period = detector.look_at(world);
    advance.to(last - skipped);
    seconds = std::chrono::duration<double>(clock::now() - began).count();
    if (view) {
      if (world.generation() % every != 0) view->show(world);
      view->stay();
    }
  } catch (const interrupted&) {
    view.reset();
    say();
    output.finish(world, start.law);
    throw;
  }
  world.skip(skipped);
  view.reset();
  say();
  if (options.detect_cycles) print(period ? fmt::format("period {}\n", *period) : "no period found\n");
  output.finish(world, start.law);
  if (options.stats) {
    nlohmann::ordered_json line;
    line["pattern"] = "life";
    line["rule"] = start.law.text();
    line["topology"] = name(start.shape);
    line["target"] = where.text();
    line["algorithm"] = name(how);
    line["width"] = width;
    line["height"] = height;
    line["generations"] = world.generation() - start.generation;
    line["seconds"] = seconds;
    line["cells_per_s"] = seconds > 0 ? advance.updates / seconds : 0;
    print_error(line.dump() + "\n");
  }
}

}  // namespace

void add_life(CLI::App& app) {
  CLI::App* command = app.add_subcommand("life", "Conway's Life and every other outer-totalistic rule");
  const auto options = std::make_shared<life_options>();
  reads_file(command->add_option("PATTERN", options->pattern, "RLE, plaintext (.cells) or Life 1.06")
                 ->option_text(" "));
  CLI::Option* random = command->add_option("--random", options->random, "Begin with random cells")
                            ->option_text("WxH")
                            ->check(check_grid_size);
  command->add_option("--density", options->density, "How many of them live; default 0.25")
      ->option_text("D")
      ->check(check_number::between(0, 1))
      ->needs(random);
  command->add_option("--seed", options->seed, "Other random cells for each S; default 0")
      ->option_text("S")
      ->transform(count_from(0))
      ->needs(random);
  command->add_option("--generations", options->generations, "How many")
      ->option_text("N")
      ->required()
      ->transform(count_from(0));
  command
      ->add_option("--rule", options->rule,
                   "Such as B36/S23, or B3/S23:T30,20 on a torus; default the pattern's, or B3/S23")
      ->option_text("R")
      ->check(check_rule);
  command->add_option("--size", options->size, "A bounded grid with the pattern in its middle")
      ->option_text("WxH")
      ->check(check_grid_size);
  command
      ->add_option("--topology", options->topology,
                   "infinite|torus|plane; default infinite for a pattern, torus for a grid with a size")
      ->option_text("T")
      ->check(CLI::IsMember({"infinite", "torus", "plane"}));
  std::vector<std::string> names;
  for (const algorithm a : algorithms) names.emplace_back(name(a));
  command->add_option("--algorithm", options->algorithm, "packed|per-cell|shared|block; default packed")
      ->option_text("A")
      ->check(CLI::IsMember(names));
  CLI::Option* const output =
      writes_file(command
                      ->add_option("-o,--output", options->output,
                                   "The last generation: .rle, .cells, .npy or .png; or a .gif")
                      ->option_text("OUT"));
  life_output::formats().add_option_to(*command, options->format, output);
  command->add_option("--every", options->every, "Print every K generations, and draw them into a .gif")
      ->option_text("K")
      ->transform(count_from(1));
  command->add_flag("--detect-cycles", options->detect_cycles,
                    "Find the period of a pattern that repeats itself, and skip its repetitions");
  command->add_flag("--watch", options->watch,
                    "Show every generation, or every Kth, in the terminal: q ends, space pauses");
  options->add_place_to(*command);
  command->footer(
      "Prints 'generation N population P' at the end. A pattern with neither --size nor bounds of its own (a "
      "rule\n"
      "B3/S23:T30,20 has) lives on the infinite plane, and the grid follows it. A .gif without --every shows "
      "every\n"
      "generation; of the infinite plane files hold the rectangle with every live cell.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
