#include "checker/build/arguments.hpp"
#include "checker/build/built_program.hpp"
#include "checker/build/compile.hpp"
#include "checker/build/compile_commands.hpp"
#include "checker/build/compiler_command.hpp"
#include "checker/program/program.hpp"
#include "checker/report/lines.hpp"
#include "checker/report/report.hpp"
#include "cli/commands.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/options/whole_number.hpp"
#include "kernel_options.hpp"
#include <heddle/error.hpp>
#include <heddle/interruption.hpp>
#include <heddle/support/atomic_file.hpp>
#include <heddle/support/named_stream.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <regex>
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
  std::string volatile_accesses = "relaxed";
  bool legacy_warps = false, json = false, profile = false;
  double timeout = 60, budget = std::numeric_limits<double>::infinity(),
         stop_after = std::numeric_limits<double>::infinity();
  std::string junit, sarif, html, suppressions, baseline, report, fail_on = "warning";
  int error_exitcode = 1;
  // Of whole programs.
  std::vector<std::string> files, words, commands, libraries, library_folders;
  std::string language, built;
  bool uses_openmp = false;
  bool checks_leaks = false, tells_unwritten_copies = false;
  std::string kernel_filter;
  std::uint64_t launches = std::numeric_limits<std::uint64_t>::max();
  int devices = 1;

  bool is_program() const { return kernel.empty(); }
};

struct verdict {
  std::vector<checker::finding> findings;
  std::string junit, sarif, html, report;
  int status = 0;  // of a program
};

checker::severity severity_of(const std::string& text) {
  return text == "note"      ? checker::severity::note
         : text == "warning" ? checker::severity::warning
                             : checker::severity::error;
}

/// The findings that are not to be reported.
checker::known_findings known_to(const check_options& options) {
  checker::known_findings known;
  if (!options.suppressions.empty()) known.read_suppressions(options.suppressions);
  if (!options.baseline.empty()) known.read_baseline(options.baseline);
  return known;
}

/// Prints the measurements of both kinds of checks, after `what` was run.
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
  print_error(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

verdict check_kernel(const check_options& options) {
  if (!options.words.empty())
    throw error(fmt::format("'{}': arguments of a program go without --kernel, those of a kernel with --arg",
                            options.words.front()));
  if (!options.kernel_filter.empty() || options.launches != std::numeric_limits<std::uint64_t>::max())
    throw error(
        "--kernel-filter and --launches are for programs: --kernel names the one kernel that is launched");
  if (options.devices != 1) throw error("--devices is for programs: a kernel alone runs on one");
  if (options.files.size() > 1)
    throw error(fmt::format("'{}': a kernel is checked with its file alone", options.files[1]));
  const checker::known_findings known = known_to(options);
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
  launch.volatile_is_plain = options.volatile_accesses == "plain";
  launch.seconds_without_end = options.timeout;
  launch.watched_seconds = options.budget;
  launch.profiles = options.profile;
  checker::launch_outcome outcome = checker::run(loaded, arguments, launch);
  checker::find_lines(compiled, loaded.base(), outcome.findings);
  outcome.profile = checker::profile_lines(loaded, outcome.instructions);

  const checker::checked what{shown_path(options.source), options.kernel, launch,
                              severity_of(options.fail_on), known.remove_from(outcome.findings)};
  checker::write_outputs(arguments);
  report_stats(options, compiled, outcome, {{"kernel", options.kernel}, {"schedules", outcome.schedules}});
  if (!options.json) print(outcome.printed);
  const std::string report = options.json ? checker::as_json(what, outcome) : checker::as_text(what, outcome);
  return {outcome.findings, checker::as_junit(what, outcome),
          checker::as_sarif(what.source, outcome.findings),
          options.html.empty() ? "" : checker::as_html(what, outcome), report};
}

bool is_source(const std::string& word) {
  return cuda_on_cpu::language_of(word).has_value();
}

/// The files of a program, or those of targets of a build.
std::vector<cuda_on_cpu::source_file> sources_of(const check_options& options) {
  std::vector<cuda_on_cpu::source_file> result;
  if (!options.commands.empty())
    result = checker::sources_of_targets(options.commands[0], options.commands[1]);
  for (const std::string& file : options.files) {
    const auto by_ending = cuda_on_cpu::language_of(file);
    const auto language = options.language == "cu"    ? cuda_on_cpu::source_language::cuda
                          : options.language == "c"   ? cuda_on_cpu::source_language::c
                          : options.language == "c++" ? cuda_on_cpu::source_language::cpp
                          // The only file is CUDA, whatever its name is.
                          : options.files.size() == 1 && result.empty()
                              ? cuda_on_cpu::source_language::cuda
                              : by_ending.value_or(cuda_on_cpu::source_language::cuda);
    result.push_back({file, language, {}});
  }
  return result;
}

/// With files that the program has compiled while it ran.
checker::compilation compile(const check_options& options,
                             const std::vector<cuda_on_cpu::source_file>& more = {}) {
  if (!options.built.empty()) return checker::read_built_program(options.built);
  checker::compile_options compile = options.compile;
  compile.is_profiled = options.profile;
  if (options.uses_openmp) {
    compile.flags.emplace_back("-fopenmp");
    compile.link_words.emplace_back("-fopenmp");
  }
  for (const std::string& folder : options.library_folders) compile.link_words.push_back("-L" + folder);
  for (const std::string& library : options.libraries) {
    if (!checker::is_library_of_cuda(library)) compile.link_words.push_back("-l" + library);
  }
  std::vector<cuda_on_cpu::source_file> sources = sources_of(options);
  sources.insert(sources.end(), more.begin(), more.end());
  return checker::compile_program(sources, std::move(compile));
}

verdict check_program(const check_options& options) {
  const checker::known_findings known = known_to(options);
  try {
    static_cast<void>(std::regex(options.kernel_filter));
  } catch (const std::regex_error& wrong) {
    throw error(fmt::format("--kernel-filter '{}' is no regular expression: {}", options.kernel_filter,
                            wrong.what()));
  }
  const checker::compilation compiled = compile(options);
  checker::program_checked what{
      shown_path(options.source), options.words, {}, severity_of(options.fail_on), {}};
  what.options.seed = options.seed;
  what.options.schedules = options.schedules;
  what.options.threads = options.cores();
  what.options.legacy_warps = options.legacy_warps;
  what.options.volatile_is_plain = options.volatile_accesses == "plain";
  what.options.seconds_without_end = options.timeout;
  what.options.checks_leaks = options.checks_leaks;
  what.options.tells_unwritten_copies = options.tells_unwritten_copies;
  what.options.devices = options.devices;
  what.options.budget = options.budget;
  what.options.most_seconds = options.stop_after;
  what.options.kernel_filter = options.kernel_filter;
  what.options.watched_launches = options.launches;
  what.options.profiles = options.profile;
  what.options.prints_to_error = (options.json && options.report.empty()) || is_kept_for_data();
  std::vector<std::string> words{options.built.empty()
                                     ? std::filesystem::path(options.source).replace_extension().string()
                                     : options.built};
  words.insert(words.end(), options.words.begin(), options.words.end());
  std::function<checker::compilation(const std::vector<cuda_on_cpu::source_file>&)> compile_with;
  if (options.built.empty())
    compile_with = [&](const std::vector<cuda_on_cpu::source_file>& more) { return compile(options, more); };
  checker::program_outcome outcome = checker::run_program(compiled, words, what.options, compile_with);
  what.hidden = known.remove_from(outcome.findings);
  report_stats(options, compiled, outcome,
               {{"launches", outcome.launches}, {"schedules", options.schedules}});
  if (outcome.status != 0)
    print_error(fmt::format("heddle check: {} ended with exit status {}\n", what.source, outcome.status));
  const std::string report = options.json ? checker::as_json(what, outcome) : checker::as_text(what, outcome);
  return {outcome.findings, checker::as_junit(what, outcome),
          checker::as_sarif(what.source, outcome.findings),
          options.html.empty() ? "" : checker::as_html(what, outcome), report,
          // The caller of a program that checks itself expects the program's own status.
          outcome.status == 0 && outcome.has_checked_nothing() && options.built.empty() ? 3 : outcome.status};
}

void run(const check_options& options) {
  std::unique_ptr<atomic_file> junit, sarif, html, report;
  const auto write = [](std::unique_ptr<atomic_file>& file, const std::string& text) {
    const std::unique_ptr<atomic_file> out = std::move(file);
    if (out == nullptr) return;
    out->write(text.data(), text.size());
    out->commit();
  };
  int status = 0;
  try {
    // That it can be written is known before anything runs.
    if (!options.junit.empty()) junit = std::make_unique<atomic_file>(options.junit);
    if (!options.sarif.empty()) sarif = std::make_unique<atomic_file>(options.sarif);
    if (!options.html.empty()) html = std::make_unique<atomic_file>(options.html);
    if (!options.report.empty()) report = std::make_unique<atomic_file>(options.report);
    const verdict found = options.is_program() ? check_program(options) : check_kernel(options);
    write(junit, found.junit);
    write(sarif, found.sarif);
    write(html, found.html);
    if (report != nullptr) {
      write(report, found.report);
    } else if (options.json) {
      print(found.report);
    } else {
      print_error(found.report);
    }
    status = checker::any_as_severe(found.findings, severity_of(options.fail_on)) ? options.error_exitcode
                                                                                  : found.status;
  } catch (const interruption&) {
    throw;
  } catch (const std::exception& wrong) {
    const bool is_memory = dynamic_cast<const std::bad_alloc*>(&wrong) != nullptr;
    const char* const why = is_memory ? "out of memory" : wrong.what();
    print_error(fmt::format("heddle check: {}\n", why));
    if (options.json && report != nullptr) {
      write(report, checker::as_json_error(shown_path(options.source), options.kernel, why));
    } else if (options.json) {
      print(checker::as_json_error(shown_path(options.source), options.kernel, why));
    }
    write(junit, checker::as_junit_error(shown_path(options.source), options.kernel, why));
    throw ended{2};
  }
  if (status != 0) throw ended{status};
}

/// The arguments of the program.
std::vector<std::string> program_arguments;

}  // namespace

void take_program_arguments(std::vector<std::string>& words) {
  if (words.size() > 1 && words.front() == checker::runs_built_program) {
    const char* const own = std::getenv("HEDDLE_CHECK_OPTIONS");
    std::vector<std::string> call{"check"};
    for (std::string& option : checker::split_as_shell(own == nullptr ? "" : own))
      call.push_back(std::move(option));
    call.insert(call.end(), {"--built", words[1], "--"});
    call.insert(call.end(), words.begin() + 2, words.end());
    words = std::move(call);
  }
  if (words.empty() || (words.front() != "check" && words.front() != "run")) return;
  const auto mark = std::find(words.begin(), words.end(), "--");
  // As compilers spell them.
  for (auto word = words.begin(); word != mark; ++word) {
    if (word->starts_with("-std=") || *word == "-include" || *word == "-isystem" || *word == "-fopenmp")
      word->insert(0, "-");
    if (*word == "-rdc=true" || *word == "-dc") *word = "--rdc";
    if (*word == "-O") *word = "-O1";
  }
  if (words.front() == "run" || mark == words.end()) return;
  program_arguments.assign(mark + 1, words.end());
  words.erase(mark, words.end());
}

namespace {

/// How the files of a program are compiled and linked.
void add_files_to(CLI::App& command, check_options& options) {
  const auto many = [&](const char* name, std::vector<std::string>& into, const char* what,
                        const char* text) {
    command.add_option(name, into, what)->option_text(text)->expected(1)->allow_extra_args(false)->take_all();
  };
  many("-l", options.libraries, "A library of a program; those of CUDA are left out", "NAME");
  many("-L", options.library_folders, "Where libraries are", "DIR");
  command.add_option("-x", options.language, "The language of all files, whatever their names")
      ->option_text("LANGUAGE")
      ->check(CLI::IsMember({"cu", "c++", "c"}));
  command.add_option("-O", "Ignored: a check compiles in its own way")->option_text("N");
  command.add_flag("--rdc", options.compile.is_relocatable,
                   "Files use one another's code of the device, also spelled -rdc=true");
  command.add_flag("--fopenmp", options.uses_openmp,
                   "The host's code of a program has threads of OpenMP, also spelled -fopenmp");
  reads_file(
      command
          .add_option("--compile-commands", options.commands,
                      "compile_commands.json of a build and, with commas between them, the targets to link")
          ->option_text("FILE TARGET")
          ->expected(2));
  command.add_option("--built", options.built)->group("");
}

/// In which orders threads run, and what of a program is watched for how long.
void add_watching_to(CLI::App& command, check_options& options) {
  command.add_option("--seed", options.seed, "Another order in which threads run; default 0")
      ->option_text("S")
      ->transform(count_from(0));
  command.add_option("--schedules", options.schedules, "How many orders are tried; default 3")
      ->option_text("N")
      ->transform(count_from(1, 1000));
  command.add_flag("--legacy-warps", options.legacy_warps, "The threads of a warp move together");
  command
      .add_option(
          "--volatile", options.volatile_accesses,
          "plain: volatile accesses race as others do; relaxed, the default: as atomics of relaxed order")
      ->option_text("MODEL")
      ->check(CLI::IsMember({"plain", "relaxed"}));
  command
      .add_option("--timeout", options.timeout,
                  "Processor time after which a kernel of which no thread ends is stopped; default 60")
      ->option_text("SECONDS")
      ->check(check_number::above(0));
  command
      .add_option("--budget", options.budget,
                  "About how long to watch: a spread of blocks and launches, the rest runs unwatched")
      ->option_text("SECONDS")
      ->check(check_number::above(0));
  command
      .add_option("--stop-after", options.stop_after,
                  "When to end a program; what was found until then is told")
      ->option_text("SECONDS")
      ->check(check_number::above(0));
  command
      .add_option("--kernel-filter", options.kernel_filter,
                  "Of a program, the kernels to watch: a regular expression that is in their names")
      ->option_text("REGEX");
  command
      .add_option("--launches", options.launches, "Of a program, how many launches of each kernel to watch")
      ->option_text("N")
      ->transform(count_from(1));
  command.add_option("--devices", options.devices, "How many devices a program finds; default 1")
      ->option_text("N")
      ->check(CLI::Range(1, 64));
  command.add_flag(
      "--profile", options.profile,
      "By lines: sectors a request, bank conflicts, and idle lanes of warps; of a program, by launches");
  command.add_flag("--leak-check", options.checks_leaks, "Memory that a program does not free is a finding");
  command.add_flag(
      "--unwritten-copies", options.tells_unwritten_copies,
      "Report unwritten elements where they are copied to the host, not where the host reads them");
}

/// Where findings go, and which of them are told.
void add_reports_to(CLI::App& command, check_options& options) {
  command.add_flag("--json", options.json, "What was found as one JSON object");
  writes_file(command.add_option("--report", options.report, "Where the findings go; default standard error")
                  ->option_text("FILE"));
  command
      .add_option("--fail-on", options.fail_on,
                  "The least that a finding weighs for which the check fails; default warning")
      ->option_text("LEVEL")
      ->check(CLI::IsMember({"note", "warning", "error"}));
  command.add_option("--error-exitcode", options.error_exitcode, "The exit status when it fails; default 1")
      ->option_text("N")
      ->check(CLI::Range(1, 255));
  writes_file(
      command.add_option("--junit", options.junit, "What was found for a CI system")->option_text("FILE"));
  writes_file(
      command.add_option("--sarif", options.sarif, "What was found for a code host")->option_text("FILE"));
  writes_file(
      command.add_option("--html", options.html, "What was found as a page, with sources and threads drawn")
          ->option_text("FILE"));
  reads_file(command
                 .add_option("--suppressions", options.suppressions,
                             "Findings that are not told: lines of a kind, a file and a function")
                 ->option_text("FILE"));
  reads_file(command
                 .add_option("--baseline", options.baseline,
                             "An earlier report, by --json: what it has is not told again")
                 ->option_text("FILE"));
}

}  // namespace

void add_check(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "check", "Run a CUDA kernel or program on the CPU and find its races and other mistakes");
  const auto options = std::make_shared<check_options>();
  reads_file(
      command
          ->add_option(
              "FILE.cu", options->files,
              "A kernel's file with --kernel, or the files of a program: .cu, .cpp, .c; what it is called "
              "with follows --")
          ->option_text("..."));
  options->add_launch_to(*command, false);
  options->add_compilation_to(*command);
  add_files_to(*command, *options);
  options->add_place_to(*command);
  add_watching_to(*command, *options);
  add_reports_to(*command, *options);
  command->footer(
      "Without --kernel the file is a program: its main is run, and what it launches is checked.\n"
      "Every access to memory is watched. Found are data races, barriers that not every thread reaches,\n"
      "deadlocks, accesses out of bounds, reads of what was never written, misaligned accesses, masks that "
      "name\n"
      "lanes that do not arrive, and locks without a fence.\n"
      "Exit status: 1 findings, 2 could not run, 3 nothing was checked, otherwise the program's own, or 0.");
  command->callback([options] {
    for (std::size_t i = 1; i < options->files.size(); ++i) {
      if (!is_source(options->files[i]))
        throw CLI::ValidationError(fmt::format("'{}'", options->files[i]),
                                   "no source: what a program is called with follows --");
    }
    if (options->files.empty() && options->commands.empty() && options->built.empty())
      throw CLI::RequiredError("FILE.cu");
    options->source = !options->built.empty()  ? options->built
                      : options->files.empty() ? options->commands[1]
                                               : options->files.front();
    options->words = program_arguments;
    run(*options);
  });
}

}  // namespace heddle::cli
