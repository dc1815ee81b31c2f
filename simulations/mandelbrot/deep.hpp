#pragma once

#include "mandelbrot/perturbation.hpp"
#include "mandelbrot/reference_orbit.hpp"
#include <heddle/memory.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle::mandelbrot {

/// A window of the plane around a point that is given in decimal, with any number of digits.
struct deep_window {
  static constexpr double narrowest = 1e-300, widest = 1e3, most = 1e3;

  std::string re = "-0.5", im = "0";
  double width = 3;
};

/// Throws heddle::error where the middle is no decimal number or further out than `most`, or where the width
/// is none from narrowest to widest.
void check(const deep_window& window);

/// Whether a text is a number in decimal: a sign, digits with a point, and an exponent after e.
bool is_decimal(const std::string& text);
/// The double that is nearest to a decimal number, 0 and infinity included.
double nearest_double(const std::string& decimal);

/// The bits that a reference orbit for a window of so many columns takes.
int bits_for(const deep_window& window, std::size_t columns, std::uint32_t limit);

/// How points of a window are counted on a target, beside a reference orbit.
class perturbed_points {
 public:
  /// Column x of `width` is re + (x/width − 1/2)·w and row y of `height` is im + (y/height −
  /// 1/2)·w·height/width, with the window's (re, im) and w. `reference` may be of another point, within a
  /// thousand widths, and with a higher limit: so one orbit serves as a window moves. O(length of the orbit +
  /// width + height).
  perturbed_points(const deep_window& window, std::size_t width, std::size_t height, std::uint32_t limit,
                   const target& where, std::shared_ptr<const reference_orbit> reference);

  /// Counts of `rows` rows from `first_row` on to `counts`; norm_beyond of each to `beyond`, unless that is
  /// null. Both are on the target. Asynchronous on a GPU.
  void count(std::size_t first_row, std::size_t rows, std::uint32_t* counts, double* beyond) const;

  const std::shared_ptr<const reference_orbit>& reference() const noexcept { return reference_; }

 private:
  target where_;
  std::size_t width_;
  std::uint32_t limit_;
  std::shared_ptr<const reference_orbit> reference_;
  memory z_, steps_, columns_, rows_;
  reference_view view_{};
};

}  // namespace heddle::mandelbrot
