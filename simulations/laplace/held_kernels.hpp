#pragma once

#include "laplace/grid.hpp"
#include <heddle/compiler.hpp>

#include <cstddef>
#include <cstdint>

/// The work of one point where others are held: functions of a row and a column, for for_each_index. A level
/// is a grid with a ring of points that are never sought; its operator has nine entries a point, by row and
/// column of the neighbour.
namespace heddle::laplace {

inline constexpr int entries = 9, centre_entry = 4;
/// Coarse points that a fine one is interpolated from, at most: by row and column, lower first.
inline constexpr int parents = 4;

/// A level's lengths and its points that are sought. Planes of entries and weights are `plane` apart.
struct held_layout {
  std::ptrdiff_t width = 0, height = 0, pitch = 0, plane = 0;
  const std::uint8_t* is_held = nullptr;  // 1 for the ring, too

  HD_INLINE std::ptrdiff_t at(std::ptrdiff_t row, std::ptrdiff_t column) const {
    return row * pitch + column;
  }
  HD_INLINE std::ptrdiff_t neighbour(std::ptrdiff_t place, int entry) const {
    return place + (entry / 3 - 1) * pitch + (entry % 3 - 1);
  }
};

/// The operator of the finest grid, of which a point's own entry is 1: the five-point formula, without the
/// points that are held, as nothing of a correction is there.
template <class T>
struct five_points {
  T across, down;
  HD_INLINE T entry(const held_layout& on, std::ptrdiff_t place, int number) const {
    if (number == centre_entry) return 1;
    if (number % 2 == 0 || on.is_held[on.neighbour(place, number)] != 0) return 0;
    return number / 3 == 1 ? -across : -down;
  }
};

/// That of a coarser one.
template <class T>
struct nine_points {
  const T* entries_of;
  HD_INLINE T entry(const held_layout& on, std::ptrdiff_t place, int number) const {
    return entries_of[number * on.plane + place];
  }
};

/// f of rows from a later one on, as for_each_index counts from 0.
template <class F>
struct from_row {
  F f;
  std::size_t first;
  HD_INLINE void operator()(std::size_t r, std::size_t c) const { f(first + r, c); }
};

/// Which axes a level halves: coarse point k of such an axis is fine point 2k.
struct halving {
  bool across = false, down = false;
};

/// The value of a point after Jacobi's sweep; the CPU's and the GPU's other kernels write the sum in this
/// order.
template <class T>
HD_INLINE T swept(const grid<T>& on, const T* u, const T* g, std::ptrdiff_t place) {
  const T left = u[place - 1], right = u[place + 1], above = u[place - on.pitch], below = u[place + on.pitch];
  const T sum = on.is_square ? T(0.25) * ((left + right) + (above + below))
                             : on.across * (left + right) + on.down * (above + below);
  return g == nullptr ? sum : sum - g[place];
}

/// Inner points of v: those of u after a sweep of Jacobi's.
template <class T>
struct jacobi_point {
  grid<T> on;
  held_layout of;
  const T* u;
  const T* g;
  T* v;
  HD_INLINE void operator()(std::size_t r, std::size_t c) const {
    const std::ptrdiff_t place =
        of.at(static_cast<std::ptrdiff_t>(r) + 1, static_cast<std::ptrdiff_t>(c) + 1);
    v[place] = of.is_held[place] != 0 ? u[place] : swept(on, u, g, place);
  }
};

/// Inner points of one colour, two columns apart.
template <class T>
struct colour_point {
  grid<T> on;
  held_layout of;
  const T* g;
  T* u;
  int colour;  // (row + column) % 2
  HD_INLINE void operator()(std::size_t r, std::size_t pair) const {
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(r) + 1;
    const std::ptrdiff_t column = 2 * static_cast<std::ptrdiff_t>(pair) + 1 + (row + 1 + colour) % 2;
    if (column >= on.width - 1) return;
    const std::ptrdiff_t place = of.at(row, column);
    if (of.is_held[place] == 0) u[place] = swept(on, u, g, place);
  }
};

template <class T>
struct fine_residual_point {
  grid<T> on;
  held_layout of;
  const T* u;
  const T* g;
  T* residual;
  HD_INLINE void operator()(std::size_t r, std::size_t c) const {
    const std::ptrdiff_t place =
        of.at(static_cast<std::ptrdiff_t>(r) + 1, static_cast<std::ptrdiff_t>(c) + 1);
    residual[place] = of.is_held[place] != 0 ? T(0) : swept(on, u, g, place) - u[place];
  }
};

template <class T>
struct coarse_residual_point {
  held_layout of;
  nine_points<T> by;
  const T* v;
  const T* g;
  T* residual;
  HD_INLINE void operator()(std::size_t r, std::size_t c) const {
    const std::ptrdiff_t place =
        of.at(static_cast<std::ptrdiff_t>(r) + 1, static_cast<std::ptrdiff_t>(c) + 1);
    T sum = 0;
    if (of.is_held[place] == 0) {
      sum = g[place];
      for (int k = 0; k < entries; ++k) sum = sum - by.entry(of, place, k) * v[of.neighbour(place, k)];
    }
    residual[place] = sum;
  }
};

/// Points of one of four colours, by the parities of row and column, as diagonal neighbours count too.
template <class T>
struct coarse_colour_point {
  held_layout of;
  nine_points<T> by;
  const T* g;
  T* v;
  int colour;
  HD_INLINE void operator()(std::size_t r, std::size_t c) const {
    const std::ptrdiff_t row = 2 * static_cast<std::ptrdiff_t>(r) + 1 + colour / 2;
    const std::ptrdiff_t column = 2 * static_cast<std::ptrdiff_t>(c) + 1 + colour % 2;
    if (row >= of.height - 1 || column >= of.width - 1) return;
    const std::ptrdiff_t place = of.at(row, column);
    if (of.is_held[place] != 0) return;
    T sum = g[place];
    for (int k = 0; k < entries; ++k)
      if (k != centre_entry) sum = sum - by.entry(of, place, k) * v[of.neighbour(place, k)];
    v[place] = sum / by.entry(of, place, centre_entry);
  }
};

/// By how much a sweep changes a coarse point that begins at 0.
template <class T>
struct first_change_point {
  held_layout of;
  nine_points<T> by;
  const T* g;
  T* change;
  HD_INLINE void operator()(std::size_t r, std::size_t c) const {
    const std::ptrdiff_t place =
        of.at(static_cast<std::ptrdiff_t>(r) + 1, static_cast<std::ptrdiff_t>(c) + 1);
    change[place] = of.is_held[place] != 0 ? T(0) : g[place] / by.entry(of, place, centre_entry);
  }
};

/// Where the parents of a fine point are, along one axis: one where they coincide, or the two around it.
struct around {
  std::ptrdiff_t first;
  int count;
};
HD_INLINE around parents_of(std::ptrdiff_t fine, bool is_halved) {
  if (!is_halved) return {fine, 1};
  return {fine / 2, fine % 2 == 0 ? 1 : 2};
}

/// The coarse points that are held: those that coincide with a fine one that is.
struct coarse_held_point {
  held_layout fine;
  halving by;
  std::ptrdiff_t width, height, pitch;
  std::uint8_t* is_held;
  HD_INLINE void operator()(std::size_t r, std::size_t c) const {
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(r), column = static_cast<std::ptrdiff_t>(c);
    const bool is_ring = row == 0 || column == 0 || row == height - 1 || column == width - 1;
    const std::ptrdiff_t place = fine.at(by.down ? 2 * row : row, by.across ? 2 * column : column);
    is_held[row * pitch + column] = is_ring ? 1 : fine.is_held[place];
  }
};

/// The weights of a fine point's parents. Between two coarse points it solves its equation with the values
/// across the line through them set to its own; between four it solves its equation with its neighbours
/// interpolated. `Between` says which of the two are found, as the second takes the first.
template <class T, class Operator, bool BetweenFour>
struct weight_point {
  held_layout fine;
  Operator of;
  halving by;
  const std::uint8_t* coarse_is_held;
  std::ptrdiff_t coarse_pitch;
  T* weights;

  HD_INLINE T collapsed(std::ptrdiff_t place, bool is_across, int which) const {
    T sum = 0;
    for (int i = 0; i < 3; ++i) sum = sum + of.entry(fine, place, is_across ? 3 * i + which : 3 * which + i);
    return sum;
  }
  HD_INLINE bool is_sought(std::ptrdiff_t row, std::ptrdiff_t column) const {
    return coarse_is_held[row * coarse_pitch + column] == 0;
  }

  HD_INLINE void operator()(std::size_t r, std::size_t c) const {
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(r) + 1,
                         column = static_cast<std::ptrdiff_t>(c) + 1;
    const around down = parents_of(row, by.down), across = parents_of(column, by.across);
    if ((down.count * across.count == 4) != BetweenFour) return;
    const std::ptrdiff_t place = fine.at(row, column);
    T found[parents] = {0, 0, 0, 0};
    if (fine.is_held[place] == 0) {
      if constexpr (BetweenFour) {
        between_four(place, found);
      } else if (down.count * across.count == 1) {
        found[0] = 1;
      } else {
        const bool is_across = across.count == 2;
        const T middle = collapsed(place, is_across, 1);
        // Where the operator has lost its dominance there is nothing to solve.
        const T least = T(1e-3) * of.entry(fine, place, centre_entry);
        const T divisor = middle > least ? middle : of.entry(fine, place, centre_entry);
        found[0] = -collapsed(place, is_across, 0) / divisor;
        found[is_across ? 1 : 2] = -collapsed(place, is_across, 2) / divisor;
      }
      for (int i = 0; i < parents; ++i) {
        const std::ptrdiff_t coarse_row = down.first + (down.count == 2 ? i / 2 : 0);
        const std::ptrdiff_t coarse_column = across.first + (across.count == 2 ? i % 2 : 0);
        if (!is_sought(coarse_row, coarse_column)) found[i] = 0;
      }
    }
    for (int i = 0; i < parents; ++i) weights[i * fine.plane + place] = found[i];
  }

  HD_INLINE void between_four(std::ptrdiff_t place, T (&found)[parents]) const {
    for (int i = 0; i < parents; ++i) {
      const int row = i / 2, column = i % 2;  // of the corner: 0 or 1
      // The neighbours beside the corner: in its row, and in its column.
      const std::ptrdiff_t in_row = fine.neighbour(place, row == 0 ? 1 : 7),
                           in_column = fine.neighbour(place, column == 0 ? 3 : 5);
      T sum = of.entry(fine, place, 6 * row + 2 * column);
      sum = sum + of.entry(fine, place, row == 0 ? 1 : 7) * weights[column * fine.plane + in_row];
      sum = sum + of.entry(fine, place, column == 0 ? 3 : 5) * weights[2 * row * fine.plane + in_column];
      found[i] = -sum / of.entry(fine, place, centre_entry);
    }
  }
};

/// f(row, column, weight) of the fine points that a coarse one is a parent of.
template <class T, class F>
HD_INLINE void for_children(const held_layout& fine, const halving& by, const T* weights,
                            std::ptrdiff_t coarse_row, std::ptrdiff_t coarse_column, const F& f) {
  const int most_down = by.down ? 1 : 0, most_across = by.across ? 1 : 0;
  const std::ptrdiff_t row = by.down ? 2 * coarse_row : coarse_row;
  const std::ptrdiff_t column = by.across ? 2 * coarse_column : coarse_column;
  for (int i = -most_down; i <= most_down; ++i) {
    for (int j = -most_across; j <= most_across; ++j) {
      // The child lies after its first parent.
      const int parent = (i < 0 ? 2 : 0) + (j < 0 ? 1 : 0);
      const std::ptrdiff_t place = fine.at(row + i, column + j);
      if (fine.is_held[place] == 0) f(row + i, column + j, weights[parent * fine.plane + place]);
    }
  }
}

/// The entries of a coarse point: those of the fine operator between two interpolations.
template <class T, class Operator>
struct galerkin_point {
  held_layout fine;
  Operator of;
  halving by;
  const T* weights;
  held_layout coarse;
  T* to;

  HD_INLINE void operator()(std::size_t r, std::size_t c) const {
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(r) + 1,
                         column = static_cast<std::ptrdiff_t>(c) + 1;
    const std::ptrdiff_t here = coarse.at(row, column);
    T sum[entries] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    if (coarse.is_held[here] == 0) {
      for_children(fine, by, weights, row, column,
                   [&](std::ptrdiff_t fine_row, std::ptrdiff_t fine_column, T weight) {
                     for (int k = 0; k < entries; ++k) {
                       const T part = weight * of.entry(fine, fine.at(fine_row, fine_column), k);
                       if (part != 0)
                         add(fine_row + k / 3 - 1, fine_column + k % 3 - 1, row, column, part, sum);
                     }
                   });
    }
    for (int k = 0; k < entries; ++k) to[k * coarse.plane + here] = sum[k];
  }

  /// Part of an entry to the fine point goes to the parents of that one.
  HD_INLINE void add(std::ptrdiff_t fine_row, std::ptrdiff_t fine_column, std::ptrdiff_t row,
                     std::ptrdiff_t column, T part, T (&sum)[entries]) const {
    const std::ptrdiff_t place = fine.at(fine_row, fine_column);
    if (fine.is_held[place] != 0) return;
    const around down = parents_of(fine_row, by.down), across = parents_of(fine_column, by.across);
    for (int i = 0; i < down.count; ++i) {
      for (int j = 0; j < across.count; ++j) {
        const std::ptrdiff_t away_down = down.first + i - row, away_across = across.first + j - column;
        const T weight = weights[(2 * i + j) * fine.plane + place];
        if (weight != 0) sum[(away_down + 1) * 3 + away_across + 1] += part * weight;
      }
    }
  }
};

/// The source of a coarse point: the transpose of the interpolation. Its correction begins at 0.
template <class T>
struct restrict_point {
  held_layout fine;
  halving by;
  const T* weights;
  const T* residual;
  held_layout coarse;
  T* g;
  T* v;
  HD_INLINE void operator()(std::size_t r, std::size_t c) const {
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(r) + 1,
                         column = static_cast<std::ptrdiff_t>(c) + 1;
    const std::ptrdiff_t here = coarse.at(row, column);
    T sum = 0;
    if (coarse.is_held[here] == 0) {
      for_children(fine, by, weights, row, column, [&](std::ptrdiff_t i, std::ptrdiff_t j, T weight) {
        sum = sum + weight * residual[fine.at(i, j)];
      });
    }
    g[here] = sum;
    v[here] = 0;
  }
};

template <class T>
struct prolong_point {
  held_layout fine;
  halving by;
  const T* weights;
  std::ptrdiff_t coarse_pitch;
  const T* from;
  T* to;
  HD_INLINE void operator()(std::size_t r, std::size_t c) const {
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(r) + 1,
                         column = static_cast<std::ptrdiff_t>(c) + 1;
    const std::ptrdiff_t place = fine.at(row, column);
    if (fine.is_held[place] != 0) return;
    const around down = parents_of(row, by.down), across = parents_of(column, by.across);
    T sum = 0;
    for (int i = 0; i < down.count; ++i)
      for (int j = 0; j < across.count; ++j)
        sum = sum + weights[(2 * i + j) * fine.plane + place] *
                        from[(down.first + i) * coarse_pitch + across.first + j];
    to[place] = to[place] + sum;
  }
};

template <class V>
struct put_value {
  const std::size_t* places;
  const V* values;
  V* to;
  HD_INLINE void operator()(std::size_t i) const { to[places[i]] = values[i]; }
};

template <class T>
struct clear_point {
  held_layout of;
  T* u;
  HD_INLINE void operator()(std::size_t r, std::size_t c) const {
    const std::ptrdiff_t place = of.at(static_cast<std::ptrdiff_t>(r), static_cast<std::ptrdiff_t>(c));
    if (of.is_held[place] == 0) u[place] = 0;
  }
};

}  // namespace heddle::laplace
