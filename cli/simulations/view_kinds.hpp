#pragma once

#include "cli/kernels/run_options.hpp"
#include "viewer/viewed_simulation.hpp"
#include <heddle/target.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace heddle::cli {

/// A simulation that `heddle view` shows.
struct view_kind {
  std::string name;
  /// Adds the options with which it begins, those of its command, and --target. What is returned makes the
  /// simulation once they have been read; it throws heddle::error or CLI::ParseError for what is wrong.
  std::function<viewer::simulation_maker(CLI::App& command)> add_to;
  std::vector<viewer::preset> presets;
};

/// The `add_to` of a kind: `add(command, options)` adds what O holds, --target follows, and `begin(options,
/// where)` makes the simulation.
template <class O, class Add, class Begin>
std::function<viewer::simulation_maker(CLI::App& command)> with_target(const Add& add, const Begin& begin) {
  return [add, begin](CLI::App& command) -> viewer::simulation_maker {
    const auto options = std::make_shared<O>();
    const auto where = std::make_shared<std::string>("auto");
    add(command, *options);
    add_target_to(command, *where);
    return [options, where, begin] { return begin(*options, target::parse(*where)); };
  };
}

view_kind view_of_life();
view_kind view_of_mandelbrot();
view_kind view_of_laplace();
view_kind view_of_lbm();

/// All of them.
std::vector<view_kind> view_kinds();

/// `view SIMULATION` for each of them, to be listed and not to be parsed: its own options, without those of
/// `view`.
const std::vector<std::unique_ptr<CLI::App>>& view_commands();

}  // namespace heddle::cli
