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

/// A universe on its way to its last generation: what is shown, drawn and printed of it.
class life_run {
 public:
  life_run(const life_options& options, life_output& output, universe& world, const target& where)
      : options_(options),
        output_(output),
        world_(world),
        advance_(world, where, options, view_),
        last_(world.generation() + options.generations),
        every_(options.every                            ? *options.every
               : output.is_animation() || options.watch ? 1
                                                        : 0) {
    if (options.watch) view_.emplace();
  }

  /// Ends early if the user quits the view.
  void to_the_end() {
    const clock::time_point began = clock::now();
    show();
    cycle_detector detector;
    std::uint64_t skipped = 0;
    while (world_.generation() < last_ && !advance_.is_ended()) {
      if (looks_for_cycles()) period_ = detector.look_at(world_);
      if (period_ && every_ == 0) {
        // Only the rest of the last period must be computed.
        const std::uint64_t left = last_ - world_.generation();
        skipped = left - left % *period_;
        break;
      }
      advance_.to(next_stop());
      if (every_ == 0 || world_.generation() % every_ != 0) continue;
      show();
      if (options_.every && world_.generation() < last_) print_population();
    }
    if (looks_for_cycles()) period_ = detector.look_at(world_);
    advance_.to(last_ - skipped);
    seconds_ = std::chrono::duration<double>(clock::now() - began).count();
    if (view_) {
      if (world_.generation() % every_ != 0) view_->show(world_);
      view_->stay();
    }
    world_.skip(skipped);
  }

  /// Gives the terminal back, and prints what waited for it.
  void close() {
    view_.reset();
    print_population();
  }

  std::optional<std::uint64_t> period() const { return period_; }
  double seconds() const { return seconds_; }
  double cells_a_second() const { return seconds_ > 0 ? advance_.updates / seconds_ : 0; }

 private:
  bool looks_for_cycles() const { return options_.detect_cycles && !period_; }

  std::uint64_t next_stop() const {
    if (looks_for_cycles()) return world_.generation() + 1;
    if (every_ == 0) return last_;
    return world_.generation() + std::min(last_ - world_.generation(), every_ - world_.generation() % every_);
  }

  void show() {
    if (every_ == 0) return;
    if (output_.is_animation()) output_.add_frame(world_);
    if (view_) view_->show(world_);
  }

  void print_population() {
    if (printed_ != world_.generation()) {
      lines_ += fmt::format("generation {} population {}\n", world_.generation(), world_.population());
    }
    printed_ = world_.generation();
    // The terminal may be where they go, and has pictures now.
    if (view_) return;
    advance_.hide();
    print(std::exchange(lines_, ""));
  }

  const life_options& options_;
  life_output& output_;
  universe& world_;
  std::optional<life_view> view_;
  paced_generations advance_;
  std::uint64_t last_, every_;  // every: 0 where only the last generation is asked for
  std::optional<std::uint64_t> period_, printed_;
  std::string lines_;
  double seconds_ = 0;
};

void run(const life_options& options) {
  life_output output(options.output, options.format);
  life_beginning start = begin_life(options, target::parallel());
  if (options.generations > std::numeric_limits<std::uint64_t>::max() - start.generation) {
    throw CLI::ValidationError("--generations", fmt::format("{} more than {} are beyond what is counted",
                                                            options.generations, start.generation));
  }
  refuse_over_ranks(options.watch, "--watch", "nothing is shown in a terminal");
  const std::size_t width = start.cells.cells.width(), height = start.cells.cells.height();
  const target where = is_over_ranks()
                           ? ranks_on(options.target).where()
                           : resolved(options, static_cast<double>(width) * static_cast<double>(height));
  const algorithm how = algorithm_of(options);
  begin_together();
  universe world = is_over_ranks()
                       ? universe(start.cells, start.shape, start.law, how, ranks_on(options.target))
                       : universe(start.cells, start.shape, start.law, how, where);
  start.cells = {};
  world.count_from(start.generation);

  life_run steps(options, output, world, where);
  try {
    const state_to_keep kept;
    steps.to_the_end();
  } catch (const interrupted&) {
    steps.close();
    output.finish(world, start.law);
    throw;
  }
  steps.close();
  if (options.detect_cycles) {
    print(steps.period() ? fmt::format("period {}\n", *steps.period()) : "no period found\n");
  }
  output.finish(world, start.law);
  if (!options.stats) return;
  nlohmann::ordered_json line;
  line["pattern"] = "life";
  line["rule"] = start.law.text();
  line["topology"] = name(start.shape);
  line["target"] = where.text();
  line["algorithm"] = name(how);
  line["width"] = width;
  line["height"] = height;
  line["generations"] = world.generation() - start.generation;
  line["seconds"] = steps.seconds();
  line["cells_per_s"] = steps.cells_a_second();
  print_error(line.dump() + "\n");
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
