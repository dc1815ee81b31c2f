#pragma once

#include <cstddef>
#include <cstdint>

/// A pass of dye on a CPU, compiled for several instruction sets.
namespace heddle::lbm {

/// Arrays of all cells, row by row, with the cells beside both ends of each row. No trace goes further than a
/// cell along each axis: `steps` times each component of a velocity is cut to −1 … 1.
struct dye_rows {
  float* u;  ///< 0 in solid cells, as v, fluid and now are
  float* v;
  float* fluid;                 ///< 1 in fluid cells
  std::uint8_t* has_solid;      ///< of each row
  const std::uint8_t* sources;  ///< of each cell, without those beside the ends; null for none
  float* now;
  float* carried;
  float* least;  ///< of the cells that `carried` is a mean of
  float* most;
  float* next;
  std::ptrdiff_t width, height;
  bool periodic_x, periodic_y;
  float steps;

  std::ptrdiff_t stride() const noexcept { return width + 2; }
  /// The first cell of row y.
  std::ptrdiff_t place(std::ptrdiff_t y) const noexcept { return y * (width + 2) + 1; }
};

/// Each works on rows first … last−1.
struct dye_kernels {
  /// `u`, `v`, `fluid`, `has_solid` and `now`, of velocities (two numbers a cell), solid cells (null for
  /// none) and dye of width times height cells.
  void (*begin)(const dye_rows& dye, const float* velocity, const std::uint8_t* solid, const float* now,
                std::ptrdiff_t first, std::ptrdiff_t last);
  using rows = void(const dye_rows& dye, std::ptrdiff_t first, std::ptrdiff_t last);
  /// From `now`: `carried`, `least` and `most`.
  rows* carry;
  /// From all of these, and `carried` of all rows: `next`.
  rows* correct;
  /// The largest absolute value of `count` components of velocities. A number that is none counts as
  /// infinite.
  float (*fastest)(const float* velocity, std::size_t count);
};

dye_kernels baseline_dye_kernels();
dye_kernels avx2_dye_kernels();
dye_kernels avx512_dye_kernels();

}  // namespace heddle::lbm
