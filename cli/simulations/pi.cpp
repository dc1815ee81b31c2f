#include "monte_carlo/pi.hpp"

#include "cli/commands.hpp"
#include "cli/files/progress.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/kernels/run_options.hpp"
#include "cli/options/whole_number.hpp"
#include "cli/over_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

struct pi_options : place_options {
  std::string samples = "1e7", seed = "0";
};

void run(const pi_options& options) {
  const std::uint64_t samples = whole_number("--samples", options.samples);
  const std::uint64_t seed = whole_number("--seed", options.seed);
  if (samples == 0) throw CLI::ValidationError("--samples", "of 0 samples there is no estimate");
  target where = target::parse(options.target);
  // A GPU takes a moment to start, in which every core draws so many.
  if (is_over_ranks()) where = ranks_on(options.target).where();
  if (where.is_automatic()) where = samples < 1'000'000'000 ? target::parallel() : target::best();

  begin_together();
  // Few enough at once to be stopped between them.
  std::uint64_t at_once = where.is_gpu() ? std::uint64_t{1} << 33 : std::uint64_t{1} << 22;
  std::uint64_t inside = 0;
  double seconds = 0;
  {
    progress shown(samples, options.quiet);
    for (std::uint64_t done = 0; done < samples;) {
      stop_together();
      const std::uint64_t now = std::min(at_once, samples - done);
      const auto began = std::chrono::steady_clock::now();
      inside += is_over_ranks() ? monte_carlo::points_in_disc(all_ranks().on(where), seed, done, now)
                                : monte_carlo::points_in_disc(where, seed, done, now);
      const double took =
          of_first_rank(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
      seconds += took;
      if (took < 0.1) at_once *= 2;
      done += now;
      shown.show_instead_of_rate(fmt::format("{:.2e} samples/s", static_cast<double>(done) / seconds));
      shown.advance(now);
    }
  }
  stop_together();
  const monte_carlo::pi_estimate pi = monte_carlo::estimate_of_pi(inside, samples);
  const double rate = static_cast<double>(samples) / seconds;
  print(fmt::format("estimate        {:.12f}\nstandard error  {:.2e}\nsamples/s       {:.3e}\n", pi.value,
                    pi.standard_error, rate));
  if (options.stats) {
    nlohmann::ordered_json line;
    line["pattern"] = "pi";
    line["target"] = where.text();
    line["n"] = samples;
    line["seed"] = seed;
    line["inside"] = inside;
    line["seconds"] = seconds;
    line["samples_per_s"] = rate;
    print_error(line.dump() + "\n");
  }
}

}  // namespace

void add_pi(CLI::App& app) {
  CLI::App* command = app.add_subcommand("pi", "Pi from random points in a square");
  const auto options = std::make_shared<pi_options>();
  command->add_option("--samples", options->samples, "Points, as 1000000 or 1e11; default 1e7")
      ->option_text("N");
  command->add_option("--seed", options->seed, "The sequence, below 2^64; default 0")->option_text("S");
  options->add_place_to(*command);
  command->footer(
      "Prints the estimate, its standard error and the rate. The estimate is the same on every target: "
      "points "
      "come from\n"
      "Philox4x32-10, 32 bits a coordinate.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
