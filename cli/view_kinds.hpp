#pragma once

#include "viewer/viewed_simulation.hpp"

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
