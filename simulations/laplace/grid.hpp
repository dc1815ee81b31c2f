#pragma once

#include <cstddef>
#include <vector>

/// The grids that the methods work on, and the way from one to a coarser one. Memory of all targets is laid
/// out alike: rows of `pitch` elements.
namespace heddle::laplace {

/// Points of a grid, edges included, and the weights of the five-point formula: what Jacobi's sweep makes of
/// a point is across·(left + right) + down·(above + below) − g, where g is f times `source_scale`.
template <class T>
struct grid {
  std::ptrdiff_t width = 0, height = 0, pitch = 0;
  T across{}, down{};
  double source_scale = 0;  ///< 1/(2/h_x² + 2/h_y²)
  bool is_square = false;   ///< the spacings are alike

  /// Rows that are in memory, where other ranks have the others: addresses of points are as if all were
  /// there.
  std::ptrdiff_t first = 0, last = height;

  std::ptrdiff_t points_in_memory() const noexcept { return pitch * (last - first); }
};

/// Rows first … last−1.
struct row_range {
  std::ptrdiff_t first, last;
  std::ptrdiff_t count() const noexcept { return last - first; }
};
/// Those of rows that are no edges of a grid; none where first ≥ last.
template <class T>
row_range inner(const grid<T>& on, const row_range& rows) noexcept {
  return {rows.first > 1 ? rows.first : 1, rows.last < on.height - 1 ? rows.last : on.height - 1};
}

template <class T>
grid<T> make_grid(std::ptrdiff_t width, std::ptrdiff_t height) {
  grid<T> made;
  made.width = width;
  made.height = height;
  made.last = height;
  made.is_square = width == height;
  constexpr std::ptrdiff_t aligned = 128 / sizeof(T);
  made.pitch = (width + aligned - 1) / aligned * aligned;
  const double x = static_cast<double>(width - 1), y = static_cast<double>(height - 1);
  made.source_scale = width > 1 && height > 1 ? 1 / (2 * (x * x + y * y)) : 0;
  made.across = static_cast<T>(x * x * made.source_scale);
  made.down = static_cast<T>(y * y * made.source_scale);
  return made;
}

/// Fine points that one coarse point takes its residual from, along one axis: at most.
inline constexpr int most_fine_points = 4;

/// One axis of a grid and the same axis of a coarser one over the same length, whose points need not
/// coincide. Interpolation is linear: fine point i lies between coarse points below[i] and below[i] + 1,
/// `above[i]` of the way. Restriction is its transpose, scaled such that constants stay: full weighting,
/// where the coarse points are every second fine one.
template <class T>
struct axis_transfer {
  std::vector<int> below;  // for each fine point
  std::vector<T> above;
  std::vector<int> first;  // for each coarse point: of the fine points that it takes
  std::vector<int> count;
  std::vector<T> weights;  // most_fine_points for each coarse point

  axis_transfer(std::ptrdiff_t fine_points, std::ptrdiff_t coarse_points);
};

/// The same where code on a target can read it.
template <class T>
struct transfer_view {
  const int* below;
  const T* above;
  const int* first;
  const int* count;
  const T* weights;
};

/// A correction from a coarser grid: null values for none.
template <class T>
struct correction {
  const T* values = nullptr;
  std::ptrdiff_t pitch = 0;
  transfer_view<T> across{}, down{};
};

/// The points of the next coarser grid; the same when there is none. Only the axis with the
/// closer points is coarsened until both are about alike, as a sweep does not smooth along the other.
struct extents {
  std::ptrdiff_t width, height;
  friend bool operator==(const extents&, const extents&) = default;
};
extents coarser(const extents& fine) noexcept;

}  // namespace heddle::laplace
