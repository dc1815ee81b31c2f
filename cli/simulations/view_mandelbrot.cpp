#include "cli/options/whole_number.hpp"
#include "mandelbrot_start.hpp"
#include "view_kinds.hpp"
#include "viewer/mandelbrot_view.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace heddle::cli {
namespace {

struct mandelbrot_view_options : mandelbrot_start_options {
  std::uint32_t iterations = 0;
};

viewer::mandelbrot_start start_of(const mandelbrot_view_options& options) {
  viewer::mandelbrot_start start;
  if (const auto seen = options.surroundings()) {
    start.re = seen->re;
    start.im = seen->im;
    start.width = 3 / seen->zoom;
  }
  start.iterations = options.iterations;
  start.palette = options.palette;
  start.smooth = options.smooth;
  return start;
}

}  // namespace

view_kind view_of_mandelbrot() {
  const auto add = [](CLI::App& command, mandelbrot_view_options& options) {
    options.add_center_to(command);
    options.add_colours_to(command, nullptr);
    command
        .add_option("--iterations", options.iterations, "The limit; default 0, as many as the depth wants")
        ->option_text("N")
        ->transform(count_from(0, mandelbrot::picture::most_iterations));
  };
  const auto begin = [](const mandelbrot_view_options& options, const target& where) {
    return std::make_unique<viewer::mandelbrot_view>(start_of(options),
                                                     where.is_automatic() ? target::parallel() : where);
  };
  // Each is around a point whose orbit comes back to itself, where there is detail at every depth.
  return {
      "mandelbrot",
      with_target<mandelbrot_view_options>(add, begin),
      {{"The whole set", "From here to 10^-300", {"mandelbrot"}},
       {"Seahorses",
        "The valley between the heart and the disc",
        {"mandelbrot", "--center=-0.7453,0.1127", "--zoom", "300", "--smooth"}},
       {"A small copy",
        "The largest one on the antenna",
        {"mandelbrot", "--center=-1.7548776662466927,0", "--zoom", "60", "--palette", "ocean", "--smooth"}},
       {"Branches at 10^-100",
        "Around i, where everything comes again five times smaller",
        {"mandelbrot", "--center=1e-101,1", "--zoom", "3e100", "--palette", "ember", "--smooth"}}}};
}

}  // namespace heddle::cli
