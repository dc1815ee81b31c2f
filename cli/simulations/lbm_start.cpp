#include "lbm_start.hpp"

#include "cli/options/file_options.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/options/shell_words.hpp"
#include "grid_size.hpp"
#include "lbm_output.hpp"
#include <heddle/error.hpp>
#include <heddle/support/named_stream.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <lattice_boltzmann/field.hpp>

namespace heddle::cli {
namespace {

template <class E, std::size_t N>
std::vector<std::string> names(const E (&all)[N]) {
  std::vector<std::string> made;
  for (const E one : all) made.emplace_back(name(one));
  return made;
}

}  // namespace

void lbm_start_options::add_start_to(CLI::App& command,
                                     const std::function<void(CLI::Option*)>& of_the_flow) {
  const auto add = [&](const char* flags, auto& value, const char* text, const char* meaning) {
    return command.add_option(flags, value, meaning)->option_text(text);
  };
  const auto add_of_flow = [&](const char* flags, auto& value, const char* text, const char* meaning) {
    CLI::Option* const made = add(flags, value, text, meaning);
    of_the_flow(made);
    return made;
  };
  add("CASE", which, " ", "cavity|channel|cylinder|taylor-green|free")
      ->required()
      ->check(CLI::IsMember(names(lbm::flow_cases)));
  add_of_flow("--size", size, "WxH", "Cells; default the case's own, or those of the obstacles")
      ->check(check_grid_size);
  add_of_flow("--reynolds", reynolds, "R",
              "Speed times length over viscosity; default 100, or more where the grid is large")
      ->check(check_number::above(0));
  add_of_flow("--velocity", velocity, "U", "The largest that the case gives, in cells a step; default 0.1")
      ->check(check_number::above(0));
  add_of_flow("--collision", collision, "C", "bgk|trt|regularized; default trt")
      ->check(CLI::IsMember(names(lbm::collisions)));
  add_of_flow("--storage", storage, "S", "f64|f32|f16; default f32")
      ->check(CLI::IsMember(names(lbm::storages)));
  add_of_flow("--smagorinsky", smagorinsky, "C", "The constant of an eddy viscosity, such as 0.1")
      ->check(check_number::between(0, 1));
  add_of_flow("--drive", drive, "D", "What moves a channel: force|inflow; default force")
      ->check(CLI::IsMember(names(lbm::drives)));
  reads_file(
      add_of_flow("--obstacles", obstacles, "MASK.png|MASK.npy",
                  "Solid cells: dark in a picture, not 0 in an array (H, W) whose first row is the lowest")
          ->check(mask_formats()));
  reads_file(add("--resume", resume, "FILE", "Go on from a checkpoint, for --steps more"));
  add("--field", field, "F", "What is written and shown: velocity|vorticity|density; default velocity")
      ->check(CLI::IsMember(names(lbm::fields)));
}

lbm::settings lbm_start_options::settings() const {
  lbm::settings given;
  given.which = *lbm::named(lbm::flow_cases, which);
  given.reynolds = reynolds;
  given.velocity = velocity;
  given.how = *lbm::named(lbm::collisions, collision);
  given.kept = *lbm::named(lbm::storages, storage);
  given.smagorinsky = smagorinsky;
  if (!drive.empty()) given.by = *lbm::named(lbm::drives, drive);
  if (!size.empty()) {
    const grid_size asked = *parse_grid_size(size);
    given.width = asked.width;
    given.height = asked.height;
  }
  if (!obstacles.empty()) {
    obstacle_mask mask = read_obstacles(obstacles);
    if (given.width == 0) {
      given.width = mask.width;
      given.height = mask.height;
    }
    if (mask.width != given.width || mask.height != given.height) {
      fail(fmt::format("{}: has {}x{} cells, where --size says {}x{}", shown_path(obstacles), mask.width,
                       mask.height, given.width, given.height));
    }
    given.obstacles = std::move(mask.solid);
  }
  return given;
}

std::string lbm_start_options::words() const {
  const lbm_start_options unless_given;
  std::vector<std::string> all{which};
  const auto add = [&](const char* option, const std::string& value, const std::string& otherwise) {
    if (value != otherwise) all.insert(all.end(), {option, value});
  };
  const auto add_number = [&](const char* option, double value, double otherwise) {
    add(option, fmt::format("{}", value), fmt::format("{}", otherwise));
  };
  add("--size", size, "");
  add_number("--reynolds", reynolds, unless_given.reynolds);
  add_number("--velocity", velocity, unless_given.velocity);
  add("--collision", collision, unless_given.collision);
  add("--storage", storage, unless_given.storage);
  add_number("--smagorinsky", smagorinsky, unless_given.smagorinsky);
  add("--drive", drive, "");
  add("--obstacles", obstacles, "");
  return shell_words(all);
}

}  // namespace heddle::cli
