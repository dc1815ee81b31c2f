#include "life_start.hpp"
#include "view_kinds.hpp"
#include "viewer/life_library.hpp"
#include "viewer/life_view.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <life/formats.hpp>

namespace heddle::cli {
namespace {

struct life_view_options : life_start_options {
  std::string library;
};

viewer::life_start start_of(const life_view_options& options) {
  if (options.library.empty()) {
    life_beginning start = begin_life(options, target::parallel());
    return {std::move(start.cells), start.shape,           start.law,
            start.generation,       algorithm_of(options), options.words()};
  }
  const auto known = viewer::known_patterns();
  const auto at = std::find_if(known.begin(), known.end(),
                               [&](const viewer::known_pattern& one) { return one.name == options.library; });
  const life::pattern from = life::parse_pattern(at->rle, options.library);
  const life::rule law = options.rule.empty() ? life::rule{} : life::bounded_rule::parse(options.rule).law;
  return {from.live, life::topology::infinite, law, 0, algorithm_of(options), ""};
}

}  // namespace

view_kind view_of_life() {
  const auto add = [](CLI::App& command, life_view_options& options) {
    options.add_start_to(command);
    std::vector<std::string> names;
    for (const viewer::known_pattern& one : viewer::known_patterns()) names.emplace_back(one.name);
    CLI::Option* const library =
        command.add_option("--library", options.library, "A known pattern on the infinite plane instead")
            ->option_text("NAME")
            ->check(CLI::IsMember(names));
    for (const char* const other : {"PATTERN", "--random", "--size", "--topology"})
      library->excludes(command.get_option(other));
  };
  const auto begin = [](const life_view_options& options, const target& where) {
    return std::make_unique<viewer::life_view>(start_of(options),
                                               where.is_automatic() ? target::best() : where);
  };
  return {"life",
          with_target<life_view_options>(add, begin),
          {{"Random cells",
            "A torus of 1024 by 1024 cells, a quarter of them alive",
            {"life", "--random", "1024x1024"}},
           {"Glider gun", "Gosper's gun on the infinite plane", {"life", "--library", "glider-gun"}},
           {"Acorn", "Seven cells that live for 5206 generations", {"life", "--library", "acorn"}},
           {"HighLife",
            "B36/S23: a rule with a pattern that copies itself",
            {"life", "--random", "512x512", "--rule", "B36/S23"}},
           {"Day and night",
            "B3678/S34678: live and dead cells obey the same rule",
            {"life", "--random", "512x512", "--density", "0.5", "--rule", "B3678/S34678"}},
           {"Four million cells",
            "A torus of 2048 by 2048 cells",
            {"life", "--random", "2048x2048", "--seed", "7"}}}};
}

}  // namespace heddle::cli
