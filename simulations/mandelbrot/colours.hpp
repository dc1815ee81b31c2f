#pragma once

#include "mandelbrot/mandelbrot.hpp"
#include <heddle/io/png.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::mandelbrot {

/// The palettes, the default first: "dusk", "ocean", "ember", "grey".
std::vector<std::string> palette_names();

/// The counts of a picture as colours. A palette runs there and back along √count; what did not escape is
/// black.
class colouring {
 public:
  /// `smooth` takes fractions of an iteration from how far a point has gone soon after it escaped, so that
  /// there are no bands. Throws heddle::error for a palette that is none of palette_names.
  colouring(const picture& what, std::string_view palette, bool smooth);

  /// A palette picture, whose pixels are the counts themselves, where 256 colours are enough; RGB otherwise.
  pixel_format format() const noexcept { return format_; }
  /// The colour of each count, for a palette picture.
  const std::vector<colour>& palette() const noexcept { return palette_; }

  /// The pixels of `rows` rows from their counts, on `threads` threads. Smooth colours of a deep picture take
  /// the norms `beyond` of escape_counter::count too.
  void paint(std::size_t first_row, std::size_t rows, const std::uint32_t* counts, int threads,
             std::uint8_t* pixels, const double* beyond = nullptr) const;

 private:
  colour at(double count) const;
  double smooth_count(double re, double im, std::uint32_t count) const;
  static double smooth_count(double modulus, std::uint32_t count);

  picture what_;
  bool smooth_;
  pixel_format format_;
  std::vector<colour> palette_;
  std::vector<colour> gradient_;
  std::vector<double> columns_, rows_;
};

}  // namespace heddle::mandelbrot
