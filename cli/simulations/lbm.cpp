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

/// The line that is printed of a state.
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

void check(const lbm_options& options) {
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
  refuse_over_ranks(options.watch, "--watch", "nothing is shown in a terminal");
}

/// The files that a run writes.
struct lbm_files {
  lbm_output output;
  lbm_forces forces;
  lbm_checkpoint checkpoint;
  std::string profile;

  lbm_files(const lbm_options& options, lbm::field field)
      : output(options.output, options.format, field),
        forces(options.forces),
        checkpoint(options.checkpoint),
        profile(options.profile) {
    require_writable(written_by_first(profile));
  }

  /// A file that cannot be written leaves the others: the run may have taken hours.
  void finish(const lbm::flow& of, std::vector<std::string> failures) {
    const auto attempt = [&](const auto& write) {
      try {
        write();
      } catch (const interruption&) {
        throw;
      } catch (const std::exception& wrong) {
        failures.emplace_back(wrong.what());
      }
    };
    attempt([&] { output.finish(of); });
    attempt([&] { forces.finish(); });
    if (!profile.empty()) attempt([&] { write_profiles(profile, of); });
    attempt([&] { checkpoint.write(of); });
    if (!failures.empty()) fail(fmt::format("{}", fmt::join(failures, "; ")));
  }
};

/// How many steps are taken after those that the flow has.
std::uint64_t steps_wanted(const lbm_options& options, const lbm::flow& of) {
  constexpr std::uint64_t unless_given = 10'000, most_until_steady = 100'000'000;
  const std::uint64_t wanted = options.steps.value_or(options.steady ? most_until_steady : unless_given);
  if (wanted > std::numeric_limits<std::uint64_t>::max() - of.steps()) {
    throw CLI::ValidationError("--steps",
                               fmt::format("{} more than {} are beyond what is counted", wanted, of.steps()));
  }
  return wanted;
}

/// A flow on its way to its last step: what is shown, printed and written on the way.
class lbm_run {
 public:
  lbm_run(const lbm_options& options, lbm::flow& flow, lbm_files& files, lbm::field field,
          std::uint64_t wanted)
      : options_(options),
        flow_(flow),
        files_(files),
        first_(flow.steps()),
        last_(first_ + wanted),
        compare_every_(flow.steps_between_comparisons()),
        sample_every_(options.every.value_or(10)),
        picture_every_(options.every.value_or(100)),
        saves_(options.every && of_first_rank(files.checkpoint.can_be_replaced()) != 0),
        pace_(flow, last_ - first_, options.quiet || options.watch) {
    if (options.watch) view_.emplace(field);
  }

  void to_the_end() {
    try {
      const state_to_keep last_state;
      at_state();
      while (flow_.steps() < last_ && !is_steady_) {
        pace_.to(next_stop());
        at_state();
      }
      if (view_) view_->stay();
    } catch (const interrupted&) {
      // The last state is written after a signal too, unless it is none.
      close();
      files_.finish(flow_, {});
      throw;
    } catch (const unwritable& file) {
      close();
      files_.finish(flow_, {file.what});  // throws
    } catch (const seen_enough&) {
    } catch (const error& wrong) {
      if (files_.forces.samples() == 0) throw;
      fail(fmt::format("{}. The {} samples of --forces are lost: fewer --steps write them", wrong.what(),
                       files_.forces.samples()));
    }
    close();
    // Files are there once all that is printed has been printed.
    print(line_of(flow_, change_));
    files_.finish(flow_, {});
    if (options_.steady && !is_steady_ && flow_.steps() == last_) warn_that_it_is_not_steady();
  }

  const flow_pace& pace() const { return pace_; }

 private:
  std::uint64_t next_stop() const {
    const std::uint64_t step = flow_.steps();
    std::uint64_t next = last_;
    const auto no_later_than_multiple_of = [&](std::uint64_t count) {
      next = std::min(next, step + std::min(last_ - step, count - step % count));
    };
    if (options_.steady) no_later_than_multiple_of(compare_every_);
    if (files_.output.is_animation() || view_) no_later_than_multiple_of(picture_every_);
    if (files_.forces.is_wanted()) no_later_than_multiple_of(sample_every_);
    if (options_.every) no_later_than_multiple_of(*options_.every);
    return next;
  }

  void at_state() {
    const std::uint64_t step = flow_.steps();
    const bool is_between = step > first_ && step < last_;
    const bool is_every = is_between && options_.every && step % *options_.every == 0;
    if (step % picture_every_ == 0) {
      if (files_.output.is_animation()) add_to(files_.output, [&] { files_.output.add_frame(flow_); });
      if (view_) view_->show(flow_);
    }
    if (step > first_ && step % sample_every_ == 0) add_to(files_.forces, [&] { files_.forces.add(flow_); });
    // Forces that go to a file need not be printed.
    if (is_every && !files_.forces.is_wanted() && !view_) {
      pace_.hide();
      print(line_of(flow_, change_));
    }
    if (options_.steady && step % compare_every_ == 0 && flow_.compared() != step) compare();
    // After the comparison, which is a part of the state.
    if (saves_ && is_every && !is_steady_) {
      flow_.check();
      add_to(files_.checkpoint, [&] { files_.checkpoint.write(flow_); });
    }
  }

  void compare() {
    // A comparison with another step tells nothing.
    const bool follows = flow_.compared() == flow_.steps() - compare_every_;
    change_ = flow_.change();
    if (!follows) change_.reset();
    is_steady_ = change_ && *change_ <= *options_.steady;
  }

  template <class File, class F>
  void add_to(File& file, const F& add) {
    std::string failure;
    try {
      add();
    } catch (const error& wrong) {
      failure = wrong.what();
    }
    failure = failure_of_any(failure);
    if (failure.empty()) return;
    file.give_up();
    throw unwritable{fmt::format("{}: the run ends at step {}", failure, flow_.steps())};
  }

  /// Gives the terminal back; throws where the flow is no longer one.
  void close() {
    view_.reset();
    flow_.check();
    pace_.hide();
  }

  void warn_that_it_is_not_steady() const {
    print_error(fmt::format(
        "warning: not steady after {} steps: the velocity still changes by {} in {} of them; take more "
        "--steps or a larger --steady\n",
        pace_.steps(), change_ ? fmt::format("{:.3g} of --velocity", *change_) : "an unknown part",
        compare_every_));
  }

  const lbm_options& options_;
  lbm::flow& flow_;
  lbm_files& files_;
  std::uint64_t first_, last_, compare_every_, sample_every_, picture_every_;
  bool saves_, is_steady_ = false;
  std::optional<double> change_;
  std::optional<lbm_view> view_;
  flow_pace pace_;
};

void run(const lbm_options& options) {
  check(options);
  const lbm::field field = lbm::named(lbm::fields, options.field).value_or(lbm::field::velocity);
  lbm_files files(options, field);
  lbm::flow flow = begin(options);
  if (files.forces.is_wanted() && !flow.has_obstacles()) {
    throw CLI::ValidationError("--forces", "are those on obstacles, and there are none: give --obstacles");
  }
  files.output.begin(flow);
  const std::uint64_t wanted = steps_wanted(options, flow);
  describe(flow, options.quiet);
  lbm_run steps(options, flow, files, field, wanted);
  steps.to_the_end();
  if (options.stats) print_stats(flow, steps.pace());
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
