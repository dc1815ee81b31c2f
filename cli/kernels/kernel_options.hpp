#pragma once

#include "checker/build/compile.hpp"
#include "checker/engine/launch.hpp"
#include "run_options.hpp"
#include <heddle/kernel.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace heddle::cli {

/// A kernel of a file, how it is compiled and how it is launched: what `check` and `run` both take.
struct kernel_options : place_options {
  std::string source, kernel, grid, block;
  std::size_t shared_bytes = 0;
  std::vector<std::string> arguments;
  checker::compile_options compile;

  void add_to(CLI::App& command);
  /// --kernel and what a launch of it takes.
  void add_launch_to(CLI::App& command, bool is_required);
  /// -I, -D and --std.
  void add_compilation_to(CLI::App& command);
  /// Where the checker runs; throws heddle::error for a GPU.
  heddle::target checked_target() const;
  /// How many cores that has.
  std::size_t cores() const;
  /// Of the checker, there.
  checker::launch_options launch() const;
  dimensions grid_dimensions() const;
  dimensions block_dimensions() const;
  std::vector<checker::argument> read_arguments() const;
};

}  // namespace heddle::cli
