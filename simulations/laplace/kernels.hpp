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
inline std::size_t relax_room(int sweeps) {
  return static_cast<std::size_t>((2 * (2 * sweeps + 2) + 4) * (relax_columns + 4 * sweeps + 64));
}
inline std::size_t restrict_room(std::ptrdiff_t fine_width, std::ptrdiff_t coarse_width) {
  return static_cast<std::size_t>(fine_width + 8 + 8 * coarse_width);
}

template <class T>
cpu_kernels<T> baseline_kernels();
template <class T>
cpu_kernels<T> avx2_kernels();
template <class T>
cpu_kernels<T> avx512_kernels();

}  // namespace heddle::laplace
