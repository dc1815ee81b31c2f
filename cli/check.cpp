#include "checker/arguments.hpp"
#include "checker/compile.hpp"
#include "checker/lines.hpp"
#include "checker/program.hpp"
#include "checker/report.hpp"
#include "commands.hpp"
#include "file_options.hpp"
#include "kernel_options.hpp"
#include "option_checks.hpp"
#include "standard_output.hpp"
#include "whole_number.hpp"
#include <heddle/error.hpp>
#include <heddle/io/atomic_file.hpp>
#include <heddle/io/named_stream.hpp>
#include <heddle/target.hpp>

#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

struct check_options : kernel_options {
  std::uint64_t seed = 0;
  std::size_t schedules = 3;
  bool legacy_warps = false, json = false, profile = false;
  double timeout = 60;
  std::string junit;
  // Of whole programs.
  std::vector<std::string> words;
  bool checks_leaks = false;

  bool is_program() const { return kernel.empty(); }
};

struct verdict {
  bool is_clean;
  std::string junit;
};

/// What both kinds of checks measure, after `what` was run.
template <class Outcome>
void report_stats(const check_options& options, const checker::compilation& compiled, const Outcome& outcome,
                  const nlohmann::ordered_json& what) {
  if (!options.stats) return;
  nlohmann::ordered_json line{{"pattern", "check"}};
  line.update(what);
  line["target"] = options.target;
  line["cached"] = compiled.was_cached;
  line["accesses"] = outcome.accesses;
  line["seconds"] = outcome.seconds;
  line["accesses_per_s"] = static_cast<double>(outcome.accesses) / outcome.seconds;
  print_error(line.dump() + "\n");
}

verdict check_kernel(const check_options& options) {
  if (!options.words.empty())
    throw error(fmt::format("'{}': arguments of a program go without --kernel, those of a kernel with --arg",
                            options.words.front()));
  std::vector<checker::argument> arguments = options.read_arguments();
  checker::compile_options compile = options.compile;
  compile.is_profiled = options.profile;
  const checker::compiled_kernel made =
      checker::compile_kernel(options.source, std::move(compile), options.kernel);
  const checker::compilation& compiled = made.compiled;
  const checker::module& loaded = *made.loaded;
  checker::launch_options launch = options.launch();
  launch.seed = options.seed;
  launch.schedules = options.schedules;
  launch.legacy_warps = options.legacy_warps;
  launch.seconds_without_end = options.timeout;
  launch.profiles = options.profile;
  checker::launch_outcome outcome = checker::run(loaded, arguments, launch);
  checker::find_lines(compiled, loaded.base(), outcome.findings);
  outcome.profile = checker::profile_lines(loaded, outcome.instructions);

  const checker::checked what{shown_path(options.source), options.kernel, launch};
  checker::write_outputs(arguments);
  report_stats(options, compiled, outcome, {{"kernel", options.kernel}, {"schedules", outcome.schedules}});
  if (options.json) {
    print(checker::as_json(what, outcome));
  } else {
    print(outcome.printed + checker::as_text(what, outcome));
  }
  return {outcome.findings.empty(), checker::as_junit(what, outcome)};
}

verdict check_program(const check_options& options) {
  static_cast<void>(options.checked_target());
  checker::compile_options compile = options.compile;
  compile.is_profiled = options.profile;
  const checker::compilation compiled = checker::compile_program(options.source, std::move(compile));
  checker::program_checked what{shown_path(options.source), options.words, {}};
  what.options.seed = options.seed;
  what.options.schedules = options.schedules;
  what.options.legacy_warps = options.legacy_warps;
  what.options.seconds_without_end = options.timeout;
  what.options.checks_leaks = options.checks_leaks;
  what.options.profiles = options.profile;
  what.options.prints_to_error = options.json || is_kept_for_data();
  std::vector<std::string> words{std::filesystem::path(options.source).replace_extension().string()};
  words.insert(words.end(), options.words.begin(), options.words.end());
  const checker::program_outcome outcome = checker::run_program(compiled, words, what.options);
  report_stats(options, compiled, outcome,
               {{"launches", outcome.launches}, {"schedules", options.schedules}});
  if (outcome.status != 0)
    print_error(fmt::format("heddle check: {} ended with exit status {}\n", what.source, outcome.status));
  print(options.json ? checker::as_json(what, outcome) : checker::as_text(what, outcome));
  return {outcome.findings.empty(), checker::as_junit(what, outcome)};
}

void run(const check_options& options) {
  std::unique_ptr<atomic_file> junit;
  const auto write_junit = [&](const std::string& text) {
    const std::unique_ptr<atomic_file> out = std::move(junit);
    if (out == nullptr) return;
    out->write(text.data(), text.size());
    out->commit();
  };
  bool is_clean = false;
  try {
    // That it can be written is known before anything runs.
    if (!options.junit.empty()) junit = std::make_unique<atomic_file>(options.junit);
    const verdict found = options.is_program() ? check_program(options) : check_kernel(options);
    write_junit(found.junit);
    is_clean = found.is_clean;
  } catch (const std::exception& wrong) {
    const bool is_memory = dynamic_cast<const std::bad_alloc*>(&wrong) != nullptr;
    const char* const why = is_memory ? "out of memory" : wrong.what();
    print_error(fmt::format("heddle check: {}\n", why));
    if (options.json) print(checker::as_json_error(shown_path(options.source), options.kernel, why));
    write_junit(checker::as_junit_error(shown_path(options.source), options.kernel, why));
    throw ended{2};
  }
  if (!is_clean) throw ended{1};
}

}  // namespace

void add_check(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "check", "Run a CUDA kernel or program on the CPU and find its races and other mistakes");
  const auto options = std::make_shared<check_options>();
  reads_file(command->add_option("FILE.cu", options->source, "A kernel's file with --kernel, or a program")
                 ->required()
                 ->option_text(" "));
  command->add_option("ARGUMENTS", options->words, "What a program is called with, after --")
      ->option_text("...");
  options->add_launch_to(*command, false);
  options->add_compilation_to(*command);
  options->add_place_to(*command);
  command->add_option("--seed", options->seed, "Another order in which threads run; default 0")
      ->option_text("S")
      ->transform(count_from(0));
  command->add_option("--schedules", options->schedules, "How many orders are tried; default 3")
      ->option_text("N")
      ->transform(count_from(1, 1000));
  command->add_flag("--legacy-warps", options->legacy_warps, "The threads of a warp move together");
  command
      ->add_option("--timeout", options->timeout,
                   "Processor time after which a kernel of which no thread ends is stopped; default 60")
      ->option_text("SECONDS")
      ->check(check_number::above(0));
  command->add_flag(
      "--profile", options->profile,
      "By lines: sectors a request, bank conflicts, and idle lanes of warps; of a program, by launches");
  command->add_flag("--leak-check", options->checks_leaks, "What a program does not free is a finding");
  command->add_flag("--json", options->json, "What was found as one JSON object");
  writes_file(
      command->add_option("--junit", options->junit, "What was found for a CI system")->option_text("FILE"));
  command->footer(
      "Without --kernel the file is a program: its main is run, and what it launches is checked.\n"
      "Every access to memory is watched. Found are data races, barriers that not every thread reaches,\n"
      "deadlocks, accesses out of bounds, reads of what was never written, misaligned accesses, masks that "
      "name\n"
      "lanes that do not arrive, and locks without a fence.\n"
      "Exit status: 0 clean, 1 findings, 2 could not run.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
