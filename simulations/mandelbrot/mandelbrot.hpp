#pragma once

#include "mandelbrot/deep.hpp"
#include <heddle/array.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/ranks.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace heddle::mandelbrot {

/// A rectangle of the plane of complex numbers.
struct view {
  double xmin = -2, xmax = 1, ymin = -1, ymax = 1;
};

/// The rectangle around (re, im) that is 3/zoom wide, with square pixels.
view view_around(double re, double im, double zoom, std::size_t width, std::size_t height);

/// A picture to be counted: `width` × `height` points of a view, with a limit of iterations up to
/// most_iterations, in `precision` float32 or float64.
struct picture {
  static constexpr std::uint32_t most_iterations = 2'000'000'000;

  std::size_t width = 1536, height = 1024;
  mandelbrot::view view;
  std::uint32_t iterations = 50;
  dtype precision = dtype::float32;
  /// The window that is counted instead of the view, by perturbation.
  std::optional<deep_window> deep = std::nullopt;
};

/// Throws heddle::error where there is no such picture: no pixels, more iterations than the most, another
/// precision, or a view that is empty or goes beyond ±1000000; for a deep picture what check(deep_window)
/// does.
void check(const picture& what);

/// The counts of a picture: for pixel (column x, row y), c = (xmin + x·(xmax − xmin)/width,
/// ymin + y·(ymax − ymin)/height), computed in the picture's precision as written, left to right, with the
/// view's sides and x and y rounded to it first; from z = 0, for i = 0, 1, … iterations − 1, z becomes z² +
/// c, and the count is the first i with |z|² ≥ 4, or the limit. The counts are the same on every target.
///
/// Points that are known to stay inside are not iterated: those of the main cardioid and the period-2 disc
/// that no rounding can lead out, and orbits that come back to a number they have had. Where the real axis
/// goes through the rows so that those of both sides have the same imaginary parts, one side is a copy of the
/// other.
///
/// Those of a deep picture are the counts of exact arithmetic, but where |z|² comes as near to 4 as rounding
/// reaches. See perturbed_points for its points.
class escape_counter {
 public:
  /// Throws what check(what) does; `where` is not automatic. A deep picture takes a reference orbit: it is
  /// computed, unless `reference` is one for bits_for of the picture.
  escape_counter(const picture& what, const target& where,
                 std::shared_ptr<const reference_orbit> reference = nullptr);

  /// Counts of `rows` rows from `first_row` on to `counts`, which is on the target; asynchronous on a GPU.
  /// Smooth colours of a deep picture take `beyond` too: |z|² five iterations after the escape.
  void count(std::size_t first_row, std::size_t rows, std::uint32_t* counts, double* beyond = nullptr) const;

  /// The reference orbit of a deep picture; null for others.
  std::shared_ptr<const reference_orbit> reference() const noexcept {
    return near_ ? near_->reference() : nullptr;
  }

  /// Whether row y is a copy of a row before it, of row mirror_row(y).
  bool is_mirrored(std::size_t y) const noexcept { return y <= mirror_ && mirror_row(y) < y; }
  std::size_t mirror_row(std::size_t y) const noexcept { return mirror_ - y; }

 private:
  picture what_;
  target where_;
  // c of every column and of every row, as bytes of the precision, where the target can read them.
  memory columns_, rows_;
  // Rows y and mirror_ − y are complex conjugates, where both are there and mirror_ is not 0.
  std::size_t mirror_ = 0;
  // Of a deep picture, instead of these.
  std::optional<perturbed_points> near_;
};

/// All of them: an array of height × width on the target.
array<std::uint32_t> escape_counts(const picture& what, const target& where);
/// The same over ranks, in even blocks of rows on their targets. Ranks take pieces of rows cyclically, as
/// rows differ in cost, and each row is sent to its rank once.
distributed_array<std::uint32_t> escape_counts(const picture& what, const ranks& all);

/// Whether any two pixels have different c: those side by side lie further apart than neighbouring numbers of
/// the precision.
bool tells_pixels_apart(const picture& what);

/// c of every column, or of every row, in double.
std::vector<double> coordinates(const picture& what, bool of_rows);

}  // namespace heddle::mandelbrot
