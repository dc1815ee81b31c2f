#include "lbm_start.hpp"
#include "view_kinds.hpp"
#include "viewer/lbm_view.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace heddle::cli {

view_kind view_of_lbm() {
  const auto add = [](CLI::App& command, lbm_start_options& options) {
    std::vector<CLI::Option*> of_the_flow;
    options.add_start_to(command, [&](CLI::Option* option) { of_the_flow.push_back(option); });
    // A checkpoint has what they say.
    for (CLI::Option* const option : of_the_flow) command.get_option("--resume")->excludes(option);
  };
  const auto begin = [](const lbm_start_options& options, const target& where) {
    viewer::lbm_start start;
    start.resume = options.resume;
    if (options.resume.empty()) {
      start.given = options.settings();
      start.words = options.words();
    }
    if (!options.field.empty()) start.shown = *lbm::named(lbm::fields, options.field);
    return std::make_unique<viewer::lbm_view>(std::move(start), where);
  };
  return {"lbm",
          with_target<lbm_start_options>(add, begin),
          {{"Wind tunnel",
            "A free flow of 512 by 192 cells: draw obstacles, drag a cylinder",
            {"lbm", "free", "--size", "512x192", "--collision", "regularized", "--field", "vorticity"}},
           {"Vortex street",
            "The flow past a circle in a channel at a Reynolds number of 100",
            {"lbm", "cylinder", "--size", "500x90", "--field", "vorticity"}},
           {"Cavity", "A box of 192 by 192 cells whose lid moves", {"lbm", "cavity", "--size", "192x192"}},
           {"Decaying vortices", "Taylor and Green's, periodic both ways", {"lbm", "taylor-green"}}}};
}

}  // namespace heddle::cli
