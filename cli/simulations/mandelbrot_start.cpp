#include "mandelbrot_start.hpp"

#include <charconv>
#include <cstddef>
#include <limits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <mandelbrot/colours.hpp>
#include <mandelbrot/deep.hpp>

namespace heddle::cli {

mandelbrot_start_options::mandelbrot_start_options() : palette(mandelbrot::palette_names().front()) {}

CLI::Option* mandelbrot_start_options::add_center_to(CLI::App& command) {
  CLI::Option* const middle =
      command.add_option("--center", center, "The point in the middle, with any number of digits")
          ->option_text("RE,IM");
  command.add_option("--zoom", zoom, "The picture is 3/Z wide around --center, up to 3e300; default 1")
      ->option_text("Z")
      ->needs(middle);
  return middle;
}

void mandelbrot_start_options::add_colours_to(CLI::App& command, CLI::Option* picture) {
  CLI::Option* const name =
      command
          .add_option("--palette", palette,
                      fmt::format("{}; default {}", fmt::join(mandelbrot::palette_names(), "|"), palette))
          ->option_text("NAME")
          ->check(CLI::IsMember(mandelbrot::palette_names()));
  CLI::Option* const without_bands = command.add_flag("--smooth", smooth, "Colours without bands");
  if (picture != nullptr) {
    name->needs(picture);
    without_bands->needs(picture);
  }
}

std::optional<mandelbrot_surroundings> mandelbrot_start_options::surroundings() const {
  if (center.empty()) return std::nullopt;
  const std::size_t comma = center.find(',');
  mandelbrot_surroundings seen{center.substr(0, comma),
                               comma == std::string::npos ? std::string() : center.substr(comma + 1), 0};
  if (!mandelbrot::is_decimal(seen.re) || !mandelbrot::is_decimal(seen.im))
    throw CLI::ValidationError("--center", fmt::format("'{}' is not RE,IM", center));
  const char* const end = zoom.data() + zoom.size();
  const auto [next, status] = std::from_chars(zoom.data(), end, seen.zoom);
  if (status != std::errc() || next != end)
    throw CLI::ValidationError("--zoom", fmt::format("'{}' is not a number", zoom));
  if (!(seen.zoom > 0 && seen.zoom <= std::numeric_limits<double>::max()))
    throw CLI::ValidationError("--zoom", fmt::format("'{}' is not above 0", zoom));
  return seen;
}

}  // namespace heddle::cli
