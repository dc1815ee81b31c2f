#include "view_kinds.hpp"

#include <memory>
#include <vector>

#include <CLI/CLI.hpp>

namespace heddle::cli {

std::vector<view_kind> view_kinds() {
  return {view_of_life(), view_of_mandelbrot(), view_of_laplace(), view_of_lbm()};
}

const std::vector<std::unique_ptr<CLI::App>>& view_commands() {
  struct listing {
    std::vector<std::unique_ptr<CLI::App>> commands;
    std::vector<viewer::simulation_maker> makers;  // hold what the options write to
  };
  static const listing all = [] {
    listing made;
    for (const view_kind& one : view_kinds()) {
      made.commands.push_back(std::make_unique<CLI::App>(
          "In a browser, with the options of heddle view and these", "view " + one.name));
      made.commands.back()->set_help_flag();
      made.makers.push_back(one.add_to(*made.commands.back()));
    }
    return made;
  }();
  return all.commands;
}

}  // namespace heddle::cli
