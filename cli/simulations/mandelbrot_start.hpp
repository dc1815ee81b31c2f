#pragma once

#include <optional>
#include <string>

#include <CLI/App.hpp>

namespace heddle::cli {

/// The surroundings of a point that is given in decimal: 3/zoom of the plane.
struct mandelbrot_surroundings {
  std::string re, im;
  double zoom;
};

/// The options that say around which point a picture of the Mandelbrot set is, and how it is coloured.
struct mandelbrot_start_options {
  std::string center, zoom = "1", palette;
  bool smooth = false;

  mandelbrot_start_options();

  /// --center and --zoom. Returns the first.
  CLI::Option* add_center_to(CLI::App& command);
  /// --palette and --smooth. Where there is `picture`, they need it.
  void add_colours_to(CLI::App& command, CLI::Option* picture);

  /// The values of --center and --zoom; nothing without a center. Throws CLI::ParseError for a text that is
  /// no number.
  std::optional<mandelbrot_surroundings> surroundings() const;
};

}  // namespace heddle::cli
