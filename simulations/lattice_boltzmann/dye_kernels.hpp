#pragma once

#include <cstddef>
#include <cstdint>

/// A pass of dye on a CPU, compiled for several instruction sets.
namespace heddle::lbm {

/// Arrays of all cells, row by row. No trace goes further than a cell along each axis: `steps` times each
/// component of a velocity is cut to −1 … 1.
struct dye_rows {
  const float* velocity;        ///< two numbers a cell
  const std::uint8_t* solid;    ///< null for none
  const std::uint8_t* sources;  ///< null for none
  const float* now;
  float* carried;
  float* least;  ///< of the cells that `carried` is a mean of
  float* most;
  float* next;
  std::ptrdiff_t width, height;
  bool periodic_x, periodic_y;
  float steps;

  /// Three rows of velocities, fluid cells and values, each with the cells beside its ends.
  static constexpr std::ptrdiff_t rows_of_room = 12;
  std::size_t numbers_of_room() const noexcept {
    return static_cast<std::size_t>(rows_of_room * (width + 2));
  }
};

struct dye_kernels {
  /// `room` has dye.numbers_of_room() numbers.
  using rows = void(const dye_rows& dye, std::ptrdiff_t first, std::ptrdiff_t last, float* room);
  /// From `now`: `carried`, `least` and `most` of rows first … last−1.
  rows* carry;
  /// From all but `sources` after `carry` of all rows: `next` of these rows.
  rows* correct;
  /// The largest absolute component of these rows' velocities. A number that is none counts as infinite.
  float (*fastest)(const float* velocity, std::size_t count);
};

dye_kernels baseline_dye_kernels();
dye_kernels avx2_dye_kernels();
dye_kernels avx512_dye_kernels();

}  // namespace heddle::lbm
