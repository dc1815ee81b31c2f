#include "laplace/laplace.hpp"

#include "cli/commands.hpp"
#include "cli/files/interruption.hpp"
#include "cli/files/progress.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/kernels/run_options.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/options/whole_number.hpp"
#include "cli/over_ranks.hpp"
#include "laplace/heat.hpp"
#include "laplace_start.hpp"
#include "live_view.hpp"
#include <heddle/array.hpp>
#include <heddle/distributed.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/error.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/io/png.hpp>
#include <heddle/io/vti.hpp>
#include <heddle/memory.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

struct laplace_options : place_options, laplace_start_options {
  std::string output, format;
  laplace::stopping when;
  bool watch = false;
};

/// The array in a file, as numbers of T, of which each rank reads its own rows.
template <class T>
distributed_array<T> read_points(const ranks& all, const npy_file& file) {
  distributed_array<T> points(all, file.shape());
  array<T> own(points.local().shape());
  file.read(points.first_row() * file.shape()[1], own.size(), dtype_of<T>, own.data());
  points.local().copy_from(own.view());
  return points;
}

/// 1 where the numbers in a file are not 0.
distributed_array<std::uint8_t> read_mask(const ranks& all, const npy_file& file) {
  distributed_array<std::uint8_t> mask(all, file.shape());
  array<double> own(mask.local().shape());
  file.read(mask.first_row() * file.shape()[1], own.size(), dtype::float64, own.data());
  array<std::uint8_t> is_held(own.shape());
  std::transform(own.begin(), own.end(), is_held.begin(), [](double value) { return value != 0 ? 1 : 0; });
  mask.local().copy_from(is_held.view());
  return mask;
}

const file_formats formats{".npy", ".png", ".vti"};

template <class T>
laplace::grid_view<T> view_of(const array<T>& u) {
  return {u.data(), u.shape()[1], u.shape()[0], u.shape()[1], u.where()};
}

/// Row 0 is on top.
template <class T>
void write_colours(const std::string& path, const array<T>& u) {
  image picture{u.shape()[1], u.shape()[0], pixel_format::palette, {}, {}};
  for (int level = 0; level < 256; ++level) picture.palette.push_back(laplace::heat::of_level(level));
  require_memory(u.size());
  const laplace::grid_view<T> of = view_of(u);
  picture.pixels = laplace::draw(of, laplace::heat_of(of), picture_part::whole(of.width, of.height));
  write_png(path, picture);
}

/// The same in the terminal.
template <class T>
void show_colours(live_view& view, const array<T>& u, std::string_view caption) {
  const laplace::heat colours = laplace::heat_of(view_of(u));
  const std::size_t width = u.shape()[1];
  view.show(
      width, u.shape()[0],
      [&](const block& of) {
        const T middle = u.data()[(of.top + of.height / 2) * width + of.left + of.width / 2];
        return laplace::heat::of_level(colours.level(static_cast<double>(middle)));
      },
      caption);
}

/// Thrown where who watches has seen enough.
struct watched_enough {};

template <class T>
void write_points(const std::string& path, std::string_view format, const array<T>& u) {
  if (format == ".vti") {
    const auto spacing = [](std::size_t points) {
      return points < 2 ? 1.0 : 1 / static_cast<double>(points - 1);
    };
    write_vti(path, u, "u", {{0, 0, 0}, {spacing(u.shape()[1]), spacing(u.shape()[0]), 1}});
  } else if (format == ".png") {
    write_colours(path, u);
  } else {
    write_npy(path, u);
  }
}

/// How much of the way to the tolerance, or to the last iteration, is done: 0 to 1.
double fraction_done(double residual, double first, const laplace::stopping& when, std::size_t iterations) {
  double done = 0;
  if (first > 0 && residual > 0 && when.tolerance > 0) {
    done = std::log(first / residual) / -std::log(std::min(when.tolerance, 0.5));
  }
  if (when.max_iterations) {
    done = std::max(done, static_cast<double>(iterations) / static_cast<double>(*when.max_iterations));
  }
  return std::clamp(done, 0.0, 1.0);
}

const char* iterations_of(laplace::method how) {
  return how == laplace::method::multigrid ? "cycles" : "sweeps";
}

template <class T>
std::unique_ptr<laplace::solver<T>> solver_over_ranks(const laplace_options& options,
                                                      const laplace_files& files) {
  const ranks all = ranks_on(options.target);
  begin_together();
  const auto points = [&](const npy_file& file) { return read_points<T>(all, file); };
  const distributed_array<T> edges =
      files.edges ? points(*files.edges) : laplace::sine_edges<T>(all, files.lengths[1], files.lengths[0]);
  auto made = files.source
                  ? std::make_unique<laplace::solver<T>>(all, options.how(), edges, points(*files.source))
                  : std::make_unique<laplace::solver<T>>(all, options.how(), edges);
  if (files.held) made->hold(read_mask(all, *files.held));
  return made;
}

template <class T>
std::unique_ptr<laplace::solver<T>> solver_for(const laplace_options& options, const laplace_files& files) {
  if (is_over_ranks()) return solver_over_ranks<T>(options, files);
  const array<T> edges =
      files.edges ? files.edges->read_as<T>() : laplace::sine_edges<T>(files.lengths[1], files.lengths[0]);
  array<T> source;
  if (files.source) source = files.source->read_as<T>();
  auto made = std::make_unique<laplace::solver<T>>(
      target::parse(options.target), options.how(), edges,
      array_view<const T>(source.data(), source.shape(), source.where()));
  if (files.held) made->hold(files.mask());
  return made;
}

/// A solver on its way to the tolerance, shown on the way.
template <class T>
class laplace_run {
 public:
  laplace_run(const laplace_options& options, laplace::solver<T>& problem)
      : options_(options), problem_(problem), shown_(parts, options.quiet || options.watch) {
    if (options.watch) view_.emplace();
  }

  void to_the_end() {
    const auto began = std::chrono::steady_clock::now();
    try {
      const state_to_keep last;
      if (view_) show(problem_.residual());
      residual_ = laplace::solve<T>(problem_, options_.how(), options_.when, [&](double now) { look(now); });
    } catch (const interrupted& stop) {
      stopped_ = stop;
    } catch (const watched_enough&) {
      residual_ = problem_.residual();
      is_watched_enough_ = true;
    }
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    try {
      if (view_ && !stopped_) view_->stay();
    } catch (const interrupted& stop) {
      stopped_ = stop;
    }
    view_.reset();
    shown_.hide();
  }

  /// The signal that ended it, if one did.
  const std::optional<interrupted>& stopped() const { return stopped_; }
  double residual() const { return residual_; }
  double seconds() const { return seconds_; }

  void warn_where_it_did_not_converge() const {
    const double wanted = options_.when.tolerance * problem_.first_residual();
    if (is_watched_enough_ || !(wanted > 0) || residual_ <= wanted) return;
    print_error(
        fmt::format("warning: the residual is {:.3g} after {} {}, and not down to {:.3g}: take more "
                    "--max-iterations or a larger --tolerance\n",
                    residual_, problem_.iterations(), iterations_of(options_.how()), wanted));
  }

 private:
  static constexpr std::size_t parts = 1'000'000;

  void look(double now) {
    residual_ = now;
    if (view_) {
      if (now != residual_shown_) show(now);
      if (view_->end_is_asked()) throw watched_enough{};
    }
    shown_.show_instead_of_rate(state(now));
    const auto done = static_cast<std::size_t>(
        parts * fraction_done(now, problem_.first_residual(), options_.when, problem_.iterations()));
    shown_.advance(done > parts_done_ ? done - parts_done_ : 0);
    parts_done_ = std::max(done, parts_done_);
    stop_together();
  }

  void show(double now) {
    residual_shown_ = now;
    show_colours(*view_, problem_.solution(), state(now) + "   q ends, space pauses");
  }

  std::string state(double now) const {
    return fmt::format("{} {}, residual {:.2e}", problem_.iterations(), iterations_of(options_.how()), now);
  }

  const laplace_options& options_;
  laplace::solver<T>& problem_;
  std::optional<live_view> view_;
  progress shown_;
  std::size_t parts_done_ = 0;
  double residual_ = 0, residual_shown_ = 0, seconds_ = 0;
  std::optional<interrupted> stopped_;
  bool is_watched_enough_ = false;
};

template <class T>
void print_stats(const laplace_options& options, const laplace_files& files,
                 const laplace::solver<T>& problem, const laplace_run<T>& steps) {
  nlohmann::ordered_json line;
  line["pattern"] = "laplace";
  line["method"] = name(options.how());
  line["target"] = problem.where().text();
  line["width"] = files.lengths[1];
  line["height"] = files.lengths[0];
  line["dtype"] = name(dtype_of<T>);
  line["iterations"] = problem.iterations();
  line["residual"] = steps.residual();
  line["first_residual"] = problem.first_residual();
  line["seconds"] = steps.seconds();
  line["gpoint_per_s"] = static_cast<double>(problem.points()) * static_cast<double>(problem.iterations()) /
                         steps.seconds() / 1e9;
  print_error(line.dump() + "\n");
}

template <class T>
void run_as(const laplace_options& options, const laplace_files& files) {
  const std::string_view format = formats.chosen(options.output, options.format);
  const std::unique_ptr<laplace::solver<T>> made = solver_for<T>(options, files);
  laplace::solver<T>& problem = *made;
  laplace_run<T> steps(options, problem);
  steps.to_the_end();

  // Over ranks an array that goes to a .npy stays where it is.
  const bool stays = is_over_ranks() && (options.output.empty() || format == ".npy");
  const array<T> u = stays ? array<T>() : problem.solution();
  const auto write = [&] {
    if (options.output.empty()) return;
    if (stays) return write_npy(options.output, problem.solution_of_ranks());
    write_points(written_by_first(options.output), format, u);
  };
  // The last state is written after a signal too.
  if (steps.stopped()) {
    write();
    throw *steps.stopped();
  }
  std::string text = fmt::format("iterations {} residual {:.6g}", problem.iterations(), steps.residual());
  if (!files.edges && options.source.empty() && options.held.empty())
    text += fmt::format(" error {:.6g}", stays ? laplace::sine_error<T>(problem.solution_of_ranks())
                                               : laplace::sine_error<T>(u));
  print(text + "\n");
  write();
  steps.warn_where_it_did_not_converge();
  if (options.stats) print_stats(options, files, problem, steps);
}

void run(const laplace_options& options) {
  require_writable(written_by_first(options.output));
  refuse_over_ranks(options.watch, "--watch", "nothing is shown in a terminal");
  const laplace_files files(options);
  if (files.is_float(options)) return run_as<float>(options, files);
  run_as<double>(options, files);
}

}  // namespace

void add_laplace(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("laplace", "Solve Laplace's or Poisson's equation on a rectangle of points");
  const auto options = std::make_shared<laplace_options>();
  options->add_start_to(*command);
  command
      ->add_option("--tolerance", options->when.tolerance,
                   "Stop when the residual is so small beside that of 0 inside; default 1e-6")
      ->option_text("T")
      ->check(check_number::at_least(0));
  command
      ->add_option("--max-iterations", options->when.max_iterations,
                   "Stop after N sweeps or cycles; default 1000000 or 100")
      ->option_text("N")
      ->transform(count_from(0));
  command
      ->add_option("--check-every", options->when.check_every,
                   "Look at the residual every K sweeps or cycles; default 100 or 1")
      ->option_text("K")
      ->transform(count_from(1));
  CLI::Option* const output =
      writes_file(command
                      ->add_option("-o,--output", options->output,
                                   "Where the points go: OUT.npy, OUT.png (colours) or OUT.vti (ParaView)")
                      ->option_text("OUT"));
  formats.add_option_to(*command, options->format, output);
  command->add_flag(
      "--watch", options->watch,
      "Show the points in the terminal each time that the residual is looked at: q ends, space pauses");
  options->add_place_to(*command);
  command->footer(
      "The points cover the unit square, edges included: column i is at x = i/(W-1), row j at y = j/(H-1).\n"
      "sine is u = sin(pi y) at x = 0, exp(-pi) sin(pi y) at x = 1 and 0 at y = 0 and y = 1.\n"
      "Prints the iterations, the residual - by how much a sweep of Jacobi's would change a point at most - "
      "and, "
      "for\n"
      "sine, the largest difference from the exact solution exp(-pi x) sin(pi y).");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
