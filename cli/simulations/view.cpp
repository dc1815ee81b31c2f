#include "cli/commands.hpp"
#include "cli/files/interruption.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/unknown_word.hpp"
#include "cli/options/whole_number.hpp"
#include "view_kinds.hpp"
#include "viewer/server.hpp"
#include "viewer/session.hpp"
#include <heddle/error.hpp>
#include <heddle/machine.hpp>
#include <heddle/support/process.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

namespace heddle::cli {
namespace {

struct view_options {
  std::string host = "127.0.0.1";
  std::uint64_t port = 8640;
  bool once = false, shared = false, not_opened = false;
};

void add_server_to(CLI::App& command, view_options& options) {
  command
      .add_option(
          "--host", options.host,
          "The address of this machine to listen on; default 127.0.0.1, which only this machine reaches")
      ->option_text("H");
  command.add_option("--port", options.port, "Default 8640; 0 for one that is free")
      ->option_text("P")
      ->transform(count_from(0))
      ->check([](const std::string& text) {
        return text.size() > 5 || std::stoul(text) > 65535 ? fmt::format("{} is no port: 0 to 65535", text)
                                                           : std::string();
      });
  command.add_flag("--share", options.shared, "All browsers steer, not only the first");
  command.add_flag("--once", options.once, "End when the last browser has left");
  command.add_flag("--no-open", options.not_opened, "Open no browser here");
}

std::vector<std::string> names_of_targets() {
  std::vector<std::string> names;
  for (const target& one : target::available()) names.push_back(one.text());
  return names;
}

/// Where there is a desktop. Nobody waits for what is started.
void open_browser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::string program = find_program("xdg-open").string(), argument = address;
  if (program.empty()) return;
  std::array<char*, 3> words{program.data(), argument.data(), nullptr};
  pid_t child = 0;
  ::posix_spawn(&child, program.c_str(), nullptr, nullptr, words.data(), environ);
}

/// Reads the words of a simulation, which begin with its name, and perhaps options of the server among them.
/// Nothing is returned where its help was asked for.
viewer::simulation_maker maker_of(std::vector<std::string> words, view_options& server) {
  const std::vector<view_kind> kinds = view_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                 [&](const view_kind& one) { return one.name == words.front(); });
  if (kind == kinds.end()) {
    std::vector<std::string> names;
    for (const view_kind& one : kinds) names.push_back(one.name);
    throw CLI::ValidationError(
        "view", fmt::format("'{}' is no simulation: {} are", words.front(), fmt::join(names, ", ")));
  }
  const auto command = std::make_shared<CLI::App>("", "heddle view " + kind->name);
  viewer::simulation_maker made = kind->add_to(*command);
  add_server_to(*command, server);
  words.erase(words.begin());
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    command->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    print(command->help());
    return {};
  } catch (const CLI::ExtrasError&) {
    throw CLI::ParseError(unknown_word(*command), CLI::ExitCodes::ExtrasError);
  }
  check_files(*command);
  return made;
}

void run(view_options options, const std::vector<std::string>& words) {
  viewer::simulation_maker first;
  if (!words.empty()) {
    first = maker_of(words, options);
    if (!first) return;
  }
  viewer::session::options how;
  for (const view_kind& kind : view_kinds())
    how.presets.insert(how.presets.end(), kind.presets.begin(), kind.presets.end());
  how.open = [](const viewer::preset& one) {
    view_options unused;
    return maker_of(one.words, unused);
  };
  how.shared = options.shared;
  how.targets = names_of_targets();
  how.ceiling = measured_copy_bandwidth;
  viewer::server server({options.host, static_cast<std::uint16_t>(options.port), options.once});
  viewer::session shown(std::move(how), std::move(first), [&server] { server.wake(); });
  shown.wait_for_first();
  print(server.address() + "\n");
  if (!options.not_opened) open_browser(server.address());
  try {
    // A generation may take longer than the two seconds in which the command is to stop.
    const state_to_keep kept;
    server.run(shown, [&shown] { return signal_received() != 0 || shown.has_failed(); });
    shown.rethrow_failure();
    stop_if_interrupted();
  } catch (const interrupted&) {
    // How it is ended.
  }
}

}  // namespace

void add_view(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "view",
      "Shows a simulation in a browser: life, mandelbrot, laplace or lbm, with that command's options");
  const auto options = std::make_shared<view_options>();
  add_server_to(*command, *options);
  command->prefix_command();
  command->footer(
      "heddle view SIMULATION [OPTIONS]: the options of the server and those with which `heddle SIMULATION` "
      "begins,\n"
      "which heddle view SIMULATION --help lists. Without a simulation it shows a gallery. Prints the "
      "address; "
      "Ctrl-C ends it.");
  command->callback([options, command] { run(*options, command->remaining()); });
}

}  // namespace heddle::cli
