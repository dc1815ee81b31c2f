#include "cli/options/option_checks.hpp"
#include "laplace_start.hpp"
#include "view_kinds.hpp"
#include "viewer/laplace_view.hpp"

#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

namespace heddle::cli {
namespace {

struct laplace_view_options : laplace_start_options {
  double tolerance = 1e-6;
};

template <class T>
std::unique_ptr<viewer::viewed_simulation> begin(const laplace_view_options& options,
                                                 const laplace_files& files, const target& where) {
  viewer::laplace_start<T> start;
  start.points =
      files.edges ? files.edges->read_as<T>() : laplace::sine_edges<T>(files.lengths[1], files.lengths[0]);
  if (files.source) start.source = files.source->read_as<T>();
  if (files.held) start.held = files.mask();
  start.how = options.how();
  start.tolerance = options.tolerance;
  // Files may be pipes, which give their numbers once.
  start.words = options.words();
  if (start.words.empty()) start.words = "--size 512x512";
  return std::make_unique<viewer::laplace_view<T>>(std::move(start), where);
}

}  // namespace

view_kind view_of_laplace() {
  const auto add = [](CLI::App& command, laplace_view_options& options) {
    options.add_start_to(command);
    command
        .add_option("--tolerance", options.tolerance,
                    "Pause when the residual is so small beside that of 0 inside; default 1e-6")
        ->option_text("T")
        ->check(check_number::at_least(0));
  };
  const auto begin_in_type = [](const laplace_view_options& options, const target& where) {
    const laplace_files files(options);
    return files.is_float(options) ? begin<float>(options, files, where)
                                   : begin<double>(options, files, where);
  };
  return {"laplace",
          with_target<laplace_view_options>(add, begin_in_type),
          {{"Walls and charges",
            "257 by 257 points by multigrid: draw walls at a potential, and charges",
            {"laplace", "--size", "257x257", "--tolerance", "1e-9"}},
           {"Jacobi's sweeps",
            "129 by 129 points, a sweep at a time",
            {"laplace", "--size", "129x129", "--method", "jacobi"}},
           {"A million points", "1025 by 1025 points by multigrid", {"laplace", "--size", "1025x1025"}}}};
}

}  // namespace heddle::cli
