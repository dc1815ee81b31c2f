#include "cli/commands.hpp"
#include "cli/files/interruption.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/kernels/run_options.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/options/whole_number.hpp"
#include "cli/over_ranks.hpp"
#include "lbm_output.hpp"
#include "lbm_start.hpp"
#include "live_view.hpp"
#include "paced_steps.hpp"
#include <heddle/error.hpp>
#include <heddle/machine.hpp>
#include <heddle/support/named_stream.hpp>
#include <heddle/support/number_text.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <lattice_boltzmann/flow.hpp>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

struct lbm_options : place_options, lbm_start_options {
  std::string output, format, profile, checkpoint, forces;
  std::optional<std::uint64_t> steps, every;
  std::optional<double> steady;
  bool watch = false;
  std::vector<const CLI::Option*> of_the_flow;  // which a checkpoint has too
};

/// `where` is a target or ranks.
template <class Where>
lbm::flow begin_on(const Where& where, const lbm_options& options) {
  if (options.resume.empty()) return lbm::flow(where, options.settings());
  lbm::flow resumed = lbm::flow::resume(where, reopenable(options.resume));
  if (name(resumed.given().which) != options.which) {
    fail(fmt::format("{}: is a checkpoint of {}, not of {}", shown_path(options.resume),
                     name(resumed.given().which), options.which));
  }
  return resumed;
}

lbm::flow begin(const lbm_options& options) {
  if (!is_over_ranks()) return begin_on(target::parse(options.target), options);
  const ranks all = ranks_on(options.target);
  begin_together();
  return begin_on(all, options);
}

void describe(const lbm::flow& of, bool quiet) {
  const lbm::description& about = of.about();
  if (!quiet) {
    print_error(fmt::format(
        "{} {}x{} on {}: Reynolds number {:.6g}, viscosity {:.6g}, relaxation time {:.6g}, Mach number "
        "{:.3g}, length {:.6g}, memory {}\n",
        name(of.given().which), of.given().width, of.given().height, of.where().text(), of.given().reynolds,
        about.viscosity, about.relaxation_time, about.mach, about.length,
        bytes_text(static_cast<double>(about.bytes))));
  }
  for (const std::string& warning : about.warnings) print_error(fmt::format("warning: {}\n", warning));
}

/// Steps of a flow, in pieces.
class flow_pace {
 public:
  flow_pace(lbm::flow& of, std::uint64_t total, bool quiet)
      : flow_(of),
        cells_(static_cast<double>(of.given().width) * static_cast<double>(of.given().height)),
        pace_(total, (of.where().is_gpu() ? 2e9 : 1e7) / cells_, quiet) {}

  void to(std::uint64_t step) {
    while (flow_.steps() < step) {
      pace_.take(
          step - flow_.steps(),
          [&](std::uint64_t count) {
            flow_.advance(count);
            flow_.where().wait();
          },
          [&](std::uint64_t count, double seconds) {
            return fmt::format("step {}, {:.4g} GLUPS", flow_.steps(),
                               cells_ * static_cast<double>(count) / seconds / 1e9);
          });
    }
  }
  void hide() { pace_.hide(); }

  double seconds() const { return pace_.seconds; }
  std::uint64_t steps() const { return pace_.steps; }
  double giga_updates_a_second() const {
    return seconds() > 0 ? cells_ * static_cast<double>(steps()) / seconds() / 1e9 : 0;
  }

 private:
  lbm::flow& flow_;
  double cells_;
  paced_steps pace_;
};

/// Thrown where who watches has seen enough.
struct seen_enough {};

/// Thrown where a file that grows with the run cannot be written to.
struct unwritable {
  std::string what;
};

class lbm_view {
 public:
  explicit lbm_view(lbm::field field) : pictures_(field), palette_(lbm::pictures::palette(field)) {}

  void show(const lbm::flow& of) {
    const std::vector<std::uint8_t>& pixels = pictures_.draw(of);
    const std::size_t width = of.given().width;
    view_.show(
        width, of.given().height,
        [&](const block& part) {
          return palette_[pixels[(part.top + part.height / 2) * width + part.left + part.width / 2]];
        },
        fmt::format("step {} time {:.4g}   q ends, space pauses", of.steps(), of.time()));
    if (view_.end_is_asked()) throw seen_enough{};
  }
  void stay() { view_.stay(); }

 private:
  live_view view_;
  lbm::pictures pictures_;
  std::vector<colour> palette_;
};

/// The file of --checkpoint, which --every writes anew each time.
class lbm_checkpoint {
 public:
  explicit lbm_checkpoint(const std::string& path) : path_(path) { require_writable(written_by_first(path)); }

  /// Whether it can be replaced: of a stream one state is all that fits.
  bool can_be_replaced() const {
    std::error_code ignored;
    const std::filesystem::file_status there = std::filesystem::status(path_, ignored);
    return !path_.empty() && !descriptor_in(path_) &&
           (!std::filesystem::exists(there) || std::filesystem::is_regular_file(there));
  }
  void write(const lbm::flow& of) const {
    if (!path_.empty()) of.save(path_);
  }
  /// From here on there is nothing to write.
  void give_up() { path_.clear(); }

 private:
  std::string path_;
};

/// What is printed of a state.
std::string line_of(const lbm::flow& of, std::optional<double> change) {
  std::string text = fmt::format("steps {} time {:.6g} mass {:.12g}", of.steps(), of.time(),
                                 1 + of.excess_mass() / static_cast<double>(of.fluid_cells()));
  if (change) text += fmt::format(" change {:.3g}", *change);
  if (const std::optional<double> error = lbm::error_of(of)) text += fmt::format(" error {:.4g}", *error);
  if (of.steps() > 0 && of.has_obstacles()) {
    const lbm::flow::coefficients now = of.on_obstacles();
    text += fmt::format(" drag {:.6g} lift {:.6g}", now.drag, now.lift);
  }
  if (const std::optional<double> difference = of.pressure_difference()) {
    text += fmt::format(" pressure_difference {:.6g}", *difference);
  }
  return text + "\n";
}

void print_stats(const lbm::flow& of, const flow_pace& pace) {
  const lbm::description& about = of.about();
  const double rate = pace.giga_updates_a_second() * 1e9 * static_cast<double>(about.bytes_a_cell);
  const double roof = measured_copy_bandwidth(of.where());
  nlohmann::ordered_json line;
  line["pattern"] = "lbm";
  line["case"] = name(of.given().which);
  line["target"] = of.where().text();
  line["width"] = of.given().width;
  line["height"] = of.given().height;
  line["collision"] = name(of.given().how);
  line["storage"] = name(of.given().kept);
  line["steps"] = pace.steps();
  line["seconds"] = pace.seconds();
  line["glups"] = pace.giga_updates_a_second();
  line["bytes_a_cell_update"] = about.bytes_a_cell;
  line["gb_per_s"] = rate / 1e9;
  line["copy_gb_per_s"] = roof / 1e9;
  line["fraction_of_roof"] = rate / roof;
  line["memory_bytes"] = about.bytes;
  print_error(line.dump() + "\n");
}

void run(const lbm_options& options) {
  for (const CLI::Option* given : options.of_the_flow) {
    if (!options.resume.empty() && given->count() > 0) {
      throw CLI::ValidationError(given->get_name(),
                                 "the checkpoint of --resume has it already: leave it out");
    }
  }
  if (!options.drive.empty() && options.which != lbm::name(lbm::flow_case::channel)) {
    throw CLI::ValidationError("--drive", fmt::format("is for a channel, not for {}", options.which));
  }
  if (!options.field.empty() && options.output.empty() && !options.watch) {
    throw CLI::ValidationError("--field", "is for what -o writes and --watch shows: give one of them");
  }
  const lbm::field field = lbm::named(lbm::fields, options.field).value_or(lbm::field::velocity);
  lbm_output output(options.output, options.format, field);
  lbm_forces forces(options.forces);
  lbm_checkpoint checkpoint(options.checkpoint);
  require_writable(written_by_first(options.profile));
  refuse_over_ranks(options.watch, "--watch", "nothing is shown in a terminal");
  lbm::flow flow = begin(options);
  if (forces.is_wanted() && !flow.has_obstacles()) {
    throw CLI::ValidationError("--forces", "are those on obstacles, and there are none: give --obstacles");
  }
  output.begin(flow);
  constexpr std::uint64_t steps_unless_given = 10'000, most_steps = 100'000'000;
  const std::uint64_t first = flow.steps();
  const std::uint64_t wanted = options.steps.value_or(options.steady ? most_steps : steps_unless_given);
  if (wanted > std::numeric_limits<std::uint64_t>::max() - first) {
    throw CLI::ValidationError("--steps",
                               fmt::format("{} more than {} are beyond what is counted", wanted, first));
  }
  const std::uint64_t last = first + wanted;
  describe(flow, options.quiet);
  const std::uint64_t look_every = flow.steps_between_comparisons();
  const std::uint64_t sample_every = options.every.value_or(10);
  std::optional<lbm_view> view;
  if (options.watch) view.emplace(field);
  const std::uint64_t picture_every = options.every.value_or(100);
  flow_pace pace(flow, last - first, options.quiet || options.watch);

  const bool saves = options.every && of_first_rank(checkpoint.can_be_replaced()) != 0;
  std::optional<double> change;
  bool is_steady = false;
  const auto add_to = [&](auto& file, const auto& add) {
    std::string failure;
    try {
      add();
    } catch (const error& wrong) {
      failure = wrong.what();
    }
    failure = failure_of_any(failure);
    if (failure.empty()) return;
    file.give_up();
    throw unwritable{fmt::format("{}: the run ends at step {}", failure, flow.steps())};
  };
  const auto at_state = [&] {
    const std::uint64_t step = flow.steps();
    const bool pictured = step % picture_every == 0;
    if (pictured && output.is_animation()) add_to(output, [&] { output.add_frame(flow); });
    if (pictured && view) view->show(flow);
    if (step > first && step % sample_every == 0) add_to(forces, [&] { forces.add(flow); });
    // What goes to a file of forces need not be printed.
    const bool printed = options.every && !forces.is_wanted() && !view;
    if (printed && step % *options.every == 0 && step > first && step < last) {
      pace.hide();
      print(line_of(flow, change));
    }
    if (options.steady && step % look_every == 0 && flow.compared() != step) {
      // What was compared at another time tells nothing.
      const bool follows = flow.compared() == step - look_every;
      change = flow.change();
      if (!follows) change.reset();
      is_steady = change && *change <= *options.steady;
    }
    // After the comparison, which is a part of the state.
    if (saves && step % *options.every == 0 && step > first && step < last && !is_steady) {
      flow.check();
      add_to(checkpoint, [&] { checkpoint.write(flow); });
    }
  };
  const auto finish = [&](std::vector<std::string> failures = {}) {
    pace.hide();
    // A file that cannot be written leaves the others: the run may have taken hours.
    const auto attempt = [&](const auto& write) {
      try {
        write();
      } catch (const interruption&) {
        throw;
      } catch (const std::exception& wrong) {
        failures.emplace_back(wrong.what());
      }
    };
    attempt([&] { output.finish(flow); });
    attempt([&] { forces.finish(); });
    if (!options.profile.empty()) attempt([&] { write_profiles(options.profile, flow); });
    attempt([&] { checkpoint.write(flow); });
    if (!failures.empty()) fail(fmt::format("{}", fmt::join(failures, "; ")));
  };
  try {
    const state_to_keep last_state;
    at_state();
    while (flow.steps() < last && !is_steady) {
      const std::uint64_t step = flow.steps();
      std::uint64_t next = last;
      const auto no_later_than_multiple_of = [&](std::uint64_t count) {
        next = std::min(next, step + std::min(last - step, count - step % count));
      };
      if (options.steady) no_later_than_multiple_of(look_every);
      if (output.is_animation() || view) no_later_than_multiple_of(picture_every);
      if (forces.is_wanted()) no_later_than_multiple_of(sample_every);
      if (options.every) no_later_than_multiple_of(*options.every);
      pace.to(next);
      at_state();
    }
    if (view) view->stay();
  } catch (const interrupted&) {
    view.reset();
    // The last state is written after a signal too, unless it is none.
    flow.check();
    finish();
    throw;
  } catch (const unwritable& file) {
    view.reset();
    flow.check();
    finish({file.what});  // throws
  } catch (const seen_enough&) {
  } catch (const error& wrong) {
    if (forces.samples() == 0) throw;
    fail(fmt::format("{}. The {} samples of --forces are lost: fewer --steps write them", wrong.what(),
                     forces.samples()));
  }
  view.reset();
  flow.check();
  pace.hide();
  // Files are there once all that is printed has been printed.
  print(line_of(flow, change));
  finish();
  if (options.steady && !is_steady && flow.steps() == last) {
    print_error(fmt::format(
        "warning: not steady after {} steps: the velocity still changes by {} in {} of them; take more "
        "--steps or a larger --steady\n",
        pace.steps(), change ? fmt::format("{:.3g} of --velocity", *change) : "an unknown part", look_every));
  }
  if (options.stats) print_stats(flow, pace);
}

}  // namespace

void add_lbm(CLI::App& app) {
  CLI::App* command = app.add_subcommand("lbm", "Flow in two dimensions, by the lattice Boltzmann method");
  const auto options = std::make_shared<lbm_options>();
  const auto add = [&](const char* flags, auto& value, const char* text, const char* meaning) {
    return command->add_option(flags, value, meaning)->option_text(text);
  };
  options->add_start_to(*command, [&](CLI::Option* option) { options->of_the_flow.push_back(option); });
  add("--steps", options->steps, "N", "How many; default 10000, or with --steady 100000000 at most")
      ->transform(count_from(0));
  add("--steady", options->steady, "TOL",
      "Until the velocity changes by less than TOL of --velocity while the flow goes its length")
      ->check(check_number::above(0));
  CLI::Option* const output = writes_file(
      add("-o,--output", options->output, "OUT", "The last state: .vti, .npy or .png; or a .gif"));
  lbm_output::formats().add_option_to(*command, options->format, output);
  add("--every", options->every, "K",
      "Print, or sample the forces, draw into a .gif and write --checkpoint every K steps")
      ->transform(count_from(1));
  writes_file(add("--profile", options->profile, "FILE.csv",
                  "Velocities along the two centre lines: line,position,u,v"));
  writes_file(add("--checkpoint", options->checkpoint, "FILE",
                  "Write the last state, and that of every K steps, for --resume"));
  writes_file(add("--forces", options->forces, "FILE.csv",
                  "Drag and lift of the obstacles every K steps, 10 unless given"));
  command->add_flag("--watch", options->watch,
                    "Show every 100th state, or every Kth, in the terminal: q ends, space pauses");
  options->add_place_to(*command);
  command->footer(
      "Prints steps, time (in lengths over speeds), mass (a cell's mean) and, where there are any, the error "
      "against\n"
      "the exact flow, and drag and lift. y goes upwards: row 0 of arrays is the lowest, pictures have it at "
      "the bottom.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
