#include "cli/files/interruption.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/unknown_word.hpp"
#include "commands.hpp"
#include "over_ranks.hpp"
#include <heddle/error.hpp>
#include <heddle/support/atomic_file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

namespace {

// Exit statuses; one of a signal is added to the last.
enum status { done = 0, failed = 1, wrong_usage = 2, signalled = 128 };

/// "heddle", or "heddle reduce" once that is known.
std::string command_name(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? "heddle" : "heddle " + chosen.front()->get_name();
}

/// Control characters would steer a terminal: they are shown as \xNN, but for ends of lines and tabs.
std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool steers = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
    shown += steers ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return shown;
}

/// A message about words of the command line, which may hold ends of lines.
std::string in_one_line(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 2) text.replace(at, 1, "\\n");
  return text;
}

/// The line that says what went wrong. What a pattern says begins with its name, which the command's may be.
std::string failure(const CLI::App& app, std::string_view what) {
  const std::string name = command_name(app);
  const auto chosen = app.get_subcommands();
  const std::string of_pattern = chosen.empty() ? "" : chosen.front()->get_name() + ": ";
  if (!of_pattern.empty() && what.starts_with(of_pattern)) what.remove_prefix(of_pattern.size());
  return fmt::format("{}: {}", name, printable(what));
}

/// Says why the command ends: of several ranks one does.
void tell(std::string line) {
  if (!heddle::cli::prints_failure(line)) return;
  heddle::cli::print_everything();
  heddle::cli::print_error(line + "\n");
}

/// Options that are given no text, as of a script's variable that is not set, are not taken for absent.
void refuse_empty_values(CLI::App& app) {
  for (CLI::App* const command : app.get_subcommands({})) {
    for (CLI::Option* const option : command->get_options()) {
      if (option->get_positional()) continue;
      option->check([](const std::string& text) { return text.empty() ? "no text is given" : ""; });
    }
  }
}

int run(CLI::App& app, int argc, char** argv) {
  try {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (argc > 0 && std::string_view(argv[0]).ends_with("heddle-nvcc"))
      return heddle::cli::run_as_nvcc(std::move(words));
    heddle::cli::keep_expression_from_options(app, words);
    heddle::cli::take_program_arguments(words);
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse_complete_callback([&app] {
      for (CLI::App* const command : app.get_subcommands()) {
        heddle::cli::check_files(*command);
        heddle::cli::check_subcommand_over_ranks(*command);
      }
    });
    app.parse(std::move(words));
    if (app.get_subcommands().empty()) throw CLI::RequiredError("A subcommand");
  } catch (const CLI::ParseError& outcome) {
    if (outcome.get_exit_code() == 0) {
      std::ostringstream help;
      app.exit(outcome, help, help);
      heddle::cli::print(help.str());
      return done;
    }
    const std::string name = command_name(app);
    const std::string unknown = heddle::cli::unknown_word(app);
    tell(fmt::format("{} (see {} --help)",
                     in_one_line(failure(app, unknown.empty() ? outcome.what() : unknown)), name));
    return wrong_usage;
  }
  return done;
}

}  // namespace

int main(int argc, char** argv) {
  heddle::cli::reserve_standard_streams();
  heddle::cli::watch_signals();
  heddle::tell_lost_properties_to(
      [](const std::string& text) { heddle::cli::print_error(printable("note: " + text) + "\n"); });

  CLI::App app("Data-parallel patterns on arrays in NumPy's .npy files, on one core, every core or a GPU.",
               "heddle");
  app.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  app.footer("- is standard input where a file is read, and standard output where one is written.");
  app.require_subcommand(0, 1);  // an unknown one is named before a missing one is
  heddle::cli::add_info(app);
  heddle::cli::add_reduce(app);
  heddle::cli::add_scan(app);
  heddle::cli::add_transform(app);
  heddle::cli::add_sort(app);
  heddle::cli::add_histogram(app);
  heddle::cli::add_matmul(app);
  heddle::cli::add_fft(app);
  heddle::cli::add_random(app);
  heddle::cli::add_bench(app);
  heddle::cli::add_life(app);
  heddle::cli::add_mandelbrot(app);
  heddle::cli::add_laplace(app);
  heddle::cli::add_lbm(app);
  heddle::cli::add_pi(app);
  heddle::cli::add_view(app);
  heddle::cli::add_cache(app);
  heddle::cli::add_check(app);
  heddle::cli::add_run(app);
  heddle::cli::add_completion(app);
  heddle::cli::add_manual(app);
  refuse_empty_values(app);

  try {
    heddle::cli::join_ranks(argc, argv);
    return run(app, argc, argv);
  } catch (const heddle::cli::ended& end) {
    return end.status;
  } catch (const heddle::cli::interrupted& stop) {
    heddle::cli::end_where_interrupted_alone();
    heddle::cli::print_error(fmt::format("{}: interrupted\n", command_name(app)));
    return signalled + stop.signal;
  } catch (const std::bad_alloc&) {
    tell(fmt::format("{}: out of memory", command_name(app)));
  } catch (const std::exception& wrong) {
    tell(failure(app, wrong.what()));
  }
  return failed;
}
