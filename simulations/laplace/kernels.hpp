#pragma once

#include "laplace/grid.hpp"

#include <cstddef>

/// The inner loops of the methods on a CPU, compiled for several instruction sets.
namespace heddle::laplace {

/// Rows first … last−1 and columns left … right−1 of the inner points.
struct window {
  std::ptrdiff_t first, last, left, right;
};

template <class T>
struct cpu_kernels {
  /// `sweeps` of Jacobi's sweeps from u to v; g may be null.
  void (*jacobi)(int threads, const grid<T>& on, const T* u, const T* g, T* v, std::size_t sweeps);

  /// In a window of v: u and the correction, after `sweeps` red-black sweeps; u may be null for 0. `room` has
  /// relax_room elements.
  void (*relax)(const grid<T>& on, const T* u, const correction<T>& from, const T* g, T* v, int sweeps,
                const window& in, T* room);

  /// In rows first … last−1 of the coarse g: the restricted residual of u, which may be null for 0. Returns
  /// the largest residual that it saw. `room` has restrict_room elements.
  T (*restrict_residual)(const grid<T>& fine, const T* u, const T* g, const grid<T>& coarse, T* coarse_g,
                         const transfer_view<T>& across, const transfer_view<T>& down, std::ptrdiff_t first,
                         std::ptrdiff_t last, T* room);

  /// The largest residual in rows first … last−1.
  T (*largest_residual)(const grid<T>& on, const T* u, const T* g, std::ptrdiff_t first, std::ptrdiff_t last);
};

/// Columns of a window, at most: several rows of it and what is around them stay in a second-level cache.
inline constexpr std::ptrdiff_t relax_columns = 4096;
/// Where relax() keeps what of a window of so many columns: rows of u and of g, each in two halves, a line of
/// coarse points, and a row of values.
struct relax_layout {
  std::ptrdiff_t rows, half, line, values, end;

  // Inlined, as kernels are compiled for several instruction sets.
  [[gnu::always_inline]] constexpr relax_layout(std::ptrdiff_t columns, int sweeps)
      : rows(2 * sweeps + 2),
        half((columns / 2 + 16) / 8 * 8),
        line(2 * rows * 2 * half),
        values(line + columns + 8),
        end(values + columns) {}
};
inline std::size_t relax_room(int sweeps) {
  // A window takes columns on either side, for each half sweep, and begins at an even one.
  return static_cast<std::size_t>(relax_layout(relax_columns + 4 * sweeps + 1, sweeps).end);
}

/// Restricted rows that restrict_residual() keeps, and what it keeps behind a row of residuals: as many as a
/// coarse point takes, at least.
inline constexpr std::ptrdiff_t restricted_rows = 8, behind_residuals = 8;
static_assert(restricted_rows >= most_fine_points && behind_residuals >= most_fine_points);
inline std::size_t restrict_room(std::ptrdiff_t fine_width, std::ptrdiff_t coarse_width) {
  return static_cast<std::size_t>(fine_width + behind_residuals + restricted_rows * coarse_width);
}

template <class T>
cpu_kernels<T> baseline_kernels();
template <class T>
cpu_kernels<T> avx2_kernels();
template <class T>
cpu_kernels<T> avx512_kernels();

}  // namespace heddle::laplace
