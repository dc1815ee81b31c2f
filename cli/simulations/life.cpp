#include "cli/commands.hpp"
#include "cli/files/interruption.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/kernels/run_options.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/whole_number.hpp"
#include "cli/over_ranks.hpp"
#include "life_output.hpp"
#include "life_start.hpp"
#include "paced_steps.hpp"
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
#include <life/universe.hpp>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

using namespace heddle::life;
using clock = std::chrono::steady_clock;

struct life_options : place_options, life_start_options {
  std::string output, format;
  std::uint64_t generations = 0;
  std::optional<std::uint64_t> every;
  bool detect_cycles = false, watch = false;
};

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
  life_output output(options.output, options.format);
  const target on_cpu = target::parallel();
  life_beginning start = begin_life(options, on_cpu);
  if (options.generations > std::numeric_limits<std::uint64_t>::max() - start.generation) {
    throw CLI::ValidationError("--generations", fmt::format("{} more than {} are beyond what is counted",
                                                            options.generations, start.generation));
  }
  refuse_over_ranks(options.watch, "--watch", "nothing is shown in a terminal");
  const target where = is_over_ranks()
                           ? ranks_on(options.target).where()
                           : resolved(options, static_cast<double>(start.cells.cells.width()) *
                                                   static_cast<double>(start.cells.cells.height()));
  const algorithm how = algorithm_of(options);
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
  options->add_start_to(*command);
  command->add_option("--generations", options->generations, "How many")
      ->option_text("N")
      ->required()
      ->transform(count_from(0));
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
