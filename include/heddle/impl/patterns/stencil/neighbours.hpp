#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>
#include <cstdint>

namespace heddle {

template <class T>
struct boundary;
template <class T, int Reach>
class neighbours;

}  // namespace heddle

namespace heddle::impl {

enum class edge : std::uint8_t { periodic, fixed, clamp, reflect, symmetric, dirichlet };

HD_INLINE std::ptrdiff_t modulo(std::ptrdiff_t i, std::ptrdiff_t n) {
  const std::ptrdiff_t rest = i % n;
  return rest < 0 ? rest + n : rest;
}

/// The cell of an axis of n cells, n ≥ 1, whose value is that of cell i, which may be beyond the ends; −1 for
/// a fixed value. Where the boundary is dirichlet it stays.
HD_INLINE std::ptrdiff_t cell_for(edge kind, std::ptrdiff_t i, std::ptrdiff_t n) {
  if (0 <= i && i < n) return i;
  switch (kind) {
    case edge::periodic:
      return modulo(i, n);
    case edge::clamp:
      return i < 0 ? 0 : n - 1;
    case edge::reflect: {
      if (n == 1) return 0;
      const std::ptrdiff_t there_and_back = 2 * (n - 1), k = modulo(i, there_and_back);
      return k < n ? k : there_and_back - k;
    }
    case edge::symmetric: {
      const std::ptrdiff_t k = modulo(i, 2 * n);
      return k < n ? k : 2 * n - 1 - k;
    }
    case edge::dirichlet:
      return i;
    default:
      return -1;
  }
}

/// One axis of a tile: cells first … last−1 after several generations, from what is around them before. Of
/// the cells that this takes, those within the array are computed, and those beyond its edge, `reach` at
/// most, are set anew after each generation. On a periodic axis that has several tiles along the axis they
/// are cells like all others instead, and are computed twice.
struct tile_axis {
  std::ptrdiff_t cells, reach, first, last;
  bool is_periodic;

  /// Cells from … to−1 are computed in a generation that so many are to follow.
  HD_INLINE std::ptrdiff_t from(std::ptrdiff_t to_follow) const {
    const std::ptrdiff_t i = first - to_follow * reach;
    return is_periodic || i > 0 ? i : 0;
  }
  HD_INLINE std::ptrdiff_t to(std::ptrdiff_t to_follow) const {
    const std::ptrdiff_t i = last + to_follow * reach;
    return is_periodic || i < cells ? i : cells;
  }
  /// And so many more are read by the next.
  HD_INLINE std::ptrdiff_t low(std::ptrdiff_t to_follow) const {
    const std::ptrdiff_t i = first - to_follow * reach;
    return is_periodic || i > -reach ? i : -reach;
  }
  HD_INLINE std::ptrdiff_t high(std::ptrdiff_t to_follow) const {
    const std::ptrdiff_t i = last + to_follow * reach;
    return is_periodic || i < cells + reach ? i : cells + reach;
  }
};

/// An array of up to three axes that one pass of a stencil reads, and the one it writes. Axes that there are
/// not have one cell and no reach. Where the boundary is dirichlet the cells that never change are not
/// counted.
template <class T>
struct stencil_grid {
  const T* in;
  T* out;
  std::ptrdiff_t cells[3];  // planes, rows, columns
  std::ptrdiff_t reach[3];
  std::ptrdiff_t row, plane;  // from one to the next, of both
  std::ptrdiff_t origin;      // the index of the first cell along axes that have a reach
  boundary<T> around;

  /// Tile `number` when tiles have `sides` cells.
  HD_INLINE void tile(std::ptrdiff_t number, const std::ptrdiff_t (&sides)[3], tile_axis (&axes)[3]) const {
    for (int axis = 2; axis >= 0; --axis) {
      const std::ptrdiff_t tiles = (cells[axis] + sides[axis] - 1) / sides[axis];
      const std::ptrdiff_t first = number % tiles * sides[axis];
      number /= tiles;
      axes[axis] = {cells[axis], reach[axis], first, first + sides[axis],
                    around.kind == edge::periodic && tiles > 1};
      if (axes[axis].last > cells[axis]) axes[axis].last = cells[axis];
    }
  }

  /// The value of a cell, wherever it is.
  HD_INLINE T cell(std::ptrdiff_t p, std::ptrdiff_t r, std::ptrdiff_t c) const {
    p = reach[0] == 0 ? p : cell_for(around.kind, p, cells[0]);
    r = reach[1] == 0 ? r : cell_for(around.kind, r, cells[1]);
    c = cell_for(around.kind, c, cells[2]);
    if (around.kind == edge::fixed && (p < 0 || r < 0 || c < 0)) return around.value;
    return in[p * plane + r * row + c];
  }
};

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// f at one cell, with the cell's index if f takes one.
template <int Indices, int Reach, class F, class T>
HD_INLINE T at_cell(const F& f, const neighbours<T, Reach>& u, [[maybe_unused]] std::ptrdiff_t p,
                    [[maybe_unused]] std::ptrdiff_t r, [[maybe_unused]] std::ptrdiff_t c) {
  if constexpr (Indices == 0) {
    return static_cast<T>(f(u));
  } else if constexpr (Indices == 1) {
    return static_cast<T>(f(u, static_cast<std::size_t>(c)));
  } else if constexpr (Indices == 2) {
    return static_cast<T>(f(u, static_cast<std::size_t>(r), static_cast<std::size_t>(c)));
  } else {
    return static_cast<T>(
        f(u, static_cast<std::size_t>(p), static_cast<std::size_t>(r), static_cast<std::size_t>(c)));
  }
}

}  // namespace heddle::impl
