#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/impl/patterns/stencil/blocking.hpp>
#include <heddle/neighbours.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

#ifndef HEDDLE_ISA
#define HEDDLE_ISA any_processor
#endif

namespace heddle::cpu {

using impl::stencil_blocking;

inline namespace HEDDLE_ISA {

/// Tiles for threads to share, some cache lines wide, and as many generations as do not make a tile compute
/// many more cells than its own. A grid of one tile does all of them at once.
inline stencil_blocking stencil_blocking_for(int threads, const std::ptrdiff_t (&cells)[3],
                                             const std::ptrdiff_t (&reach)[3], std::size_t element_bytes,
                                             std::size_t steps) {
  // Two tiles, before and after a generation, stay in an L2 cache.
  constexpr auto tile_bytes = impl::threshold.stencil_tile_bytes, least = impl::threshold.stencil_least_tile;
  auto budget = static_cast<std::ptrdiff_t>(std::max(tile_bytes / element_bytes, least / 8));
  if (threads > 1) {
    std::ptrdiff_t share = cells[0] * cells[1] * cells[2] / (4 * threads);
    budget = std::clamp<std::ptrdiff_t>(share, std::min(budget, static_cast<std::ptrdiff_t>(least)), budget);
  }
  stencil_blocking chosen{{1, 1, 1}, steps};
  const bool solid = reach[0] > 0, flat = !solid && reach[1] > 0;
  const std::ptrdiff_t widest = solid ? 64 : flat ? 512 : budget;
  chosen.sides[2] = std::min(cells[2], widest);
  budget = std::max<std::ptrdiff_t>(budget / chosen.sides[2], 1);
  // A cube's other sides are equal.
  std::ptrdiff_t rows = budget;
  if (solid) {
    rows = 1;
    while (rows * rows * 4 <= budget) rows *= 2;
  }
  chosen.sides[1] = std::min(cells[1], rows);
  chosen.sides[0] = std::min(cells[0], std::max<std::ptrdiff_t>(budget / chosen.sides[1], 1));
  for (int axis = 0; axis < 3; ++axis) {
    if (reach[axis] == 0 || chosen.sides[axis] == cells[axis]) continue;
    const std::ptrdiff_t most = chosen.sides[axis] / ((solid ? 8 : 16) * reach[axis]);
    chosen.generations =
        std::min(chosen.generations, static_cast<std::size_t>(std::max<std::ptrdiff_t>(most, 1)));
  }
  return chosen;
}

/// A tile's cells and its halo, by their indices in the whole array: stored in the array itself, or in a
/// buffer that begins at the tile's low corner.
template <class T>
struct tile_view {
  T* data;
  std::ptrdiff_t row, plane, low[3];

  inline __attribute__((always_inline)) T* at(std::ptrdiff_t p, std::ptrdiff_t r, std::ptrdiff_t c) const {
    return data + (p - low[0]) * plane + (r - low[1]) * row + (c - low[2]);
  }
};

/// One pass: tiles of `grid` go through several generations.
template <int Reach, int Indices, class T, class F>
class stencil_pass {
 public:
  stencil_pass(const impl::stencil_grid<T>& grid, const F& f, const stencil_blocking& blocking,
               std::ptrdiff_t generations)
      : grid_(grid), f_(f), blocking_(blocking), generations_(generations) {}

  /// Tiles first … last−1.
  void run(std::size_t first, std::size_t last) const {
    std::unique_ptr<std::byte[]> buffers;
    std::size_t room = 0;
    for (std::size_t number = first; number < last; ++number) {
      impl::tile_axis axes[3];
      grid_.tile(static_cast<std::ptrdiff_t>(number), blocking_.sides, axes);
      tile_view<T> now{nullptr, 0, 0, {}}, next;
      bool is_inside = true;
      std::ptrdiff_t extent[3];
      for (int axis = 0; axis < 3; ++axis) {
        now.low[axis] = axes[axis].low(generations_);
        extent[axis] = axes[axis].high(generations_) - now.low[axis];
        is_inside = is_inside && now.low[axis] >= 0 && axes[axis].high(generations_) <= grid_.cells[axis];
      }
      now.row = extent[2];
      now.plane = extent[1] * extent[2];
      next = now;
      const std::size_t cells = static_cast<std::size_t>(extent[0] * now.plane);
      if (cells > room) {
        // Both in one, the second a few lines on, so that they do not compete for the same sets of a cache.
        room = cells;
        buffers.reset(new std::byte[2 * (room * sizeof(T) + line) + lines_between * 64]);
      }
      now.data = aligned(buffers.get());
      next.data = aligned(reinterpret_cast<std::byte*>(now.data + room) + lines_between * 64);
      if (is_inside) {
        now.data = const_cast<T*>(grid_.in);
        for (std::ptrdiff_t& low : now.low) low = 0;
        now.row = grid_.row;
        now.plane = grid_.plane;
      } else {
        load(axes, now);
      }
      T* other = aligned(buffers.get());
      for (std::ptrdiff_t to_follow = generations_ - 1; to_follow > 0; --to_follow) {
        compute(axes, to_follow, now, next);
        surround(axes, to_follow, next);
        T* const free = is_inside && to_follow == generations_ - 1 ? other : now.data;
        now = next;
        next.data = free;
      }
      compute(axes, 0, now, tile_view<T>{grid_.out, grid_.row, grid_.plane, {0, 0, 0}});
    }
  }

 private:
  static constexpr std::size_t line = alignof(T) > 64 ? alignof(T) : 64, lines_between = 3;

  static inline __attribute__((always_inline)) T* aligned(std::byte* place) {
    return reinterpret_cast<T*>((reinterpret_cast<std::size_t>(place) + line - 1) / line * line);
  }

  /// Everything that the first generation reads.
  void load(const impl::tile_axis (&axes)[3], const tile_view<T>& to) const {
    const std::ptrdiff_t g = generations_;
    for (std::ptrdiff_t p = axes[0].low(g); p < axes[0].high(g); ++p) {
      for (std::ptrdiff_t r = axes[1].low(g); r < axes[1].high(g); ++r) {
        for (std::ptrdiff_t c = axes[2].low(g); c < axes[2].high(g);) {
          const bool in_plane = 0 <= p && p < grid_.cells[0], in_row = 0 <= r && r < grid_.cells[1];
          if (in_plane && in_row && 0 <= c && c < grid_.cells[2]) {
            const std::ptrdiff_t end = std::min(axes[2].high(g), grid_.cells[2]);
            copy(grid_.in + p * grid_.plane + r * grid_.row + c, end - c, to.at(p, r, c));
            c = end;
          } else {
            *to.at(p, r, c) = grid_.cell(p, r, c);
            ++c;
          }
        }
      }
    }
  }

  static void copy(const T* from, std::ptrdiff_t count, T* to) {
    for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = from[i];
  }

  /// The cells of one generation.
  void compute(const impl::tile_axis (&axes)[3], std::ptrdiff_t to_follow, const tile_view<T>& now,
               const tile_view<T>& next) const {
    const std::ptrdiff_t from = axes[2].from(to_follow), to = axes[2].to(to_follow);
    const std::ptrdiff_t row = grid_.row == 0 ? 0 : now.row, plane = grid_.plane == 0 ? 0 : now.plane;
    for (std::ptrdiff_t p = axes[0].from(to_follow); p < axes[0].to(to_follow); ++p) {
      for (std::ptrdiff_t r = axes[1].from(to_follow); r < axes[1].to(to_follow); ++r) {
        if constexpr (Indices == 0) {
          compute_row(f_, now.at(p, r, from), row, plane, to - from, 0, 0, 0, next.at(p, r, from));
        } else {
          // Runs of columns whose numbers count up.
          for (std::ptrdiff_t c = from; c < to;) {
            const std::ptrdiff_t column = index(axes[2], c);
            const std::ptrdiff_t run = std::min(to - c, grid_.cells[2] - (column - origin(2)));
            compute_row(f_, now.at(p, r, c), row, plane, run, index(axes[0], p), index(axes[1], r), column,
                        next.at(p, r, c));
            c += run;
          }
        }
      }
    }
  }

  std::ptrdiff_t origin(int axis) const { return grid_.reach[axis] > 0 ? grid_.origin : 0; }

  std::ptrdiff_t index(const impl::tile_axis& axis, std::ptrdiff_t i) const {
    return (axis.is_periodic ? impl::modulo(i, axis.cells) : i) + (axis.reach > 0 ? grid_.origin : 0);
  }

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  static void compute_row(const F& f, const T* __restrict now, std::ptrdiff_t row, std::ptrdiff_t plane,
                          std::ptrdiff_t count, std::ptrdiff_t p, std::ptrdiff_t r, std::ptrdiff_t c,
                          T* __restrict next) {
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      next[i] = impl::at_cell<Indices>(f, neighbours<T, Reach>(now + i, row, plane), p, r, c + i);
    }
  }

  /// Sets the cells beyond the array's edges that the next generation reads, from those within.
  void surround(const impl::tile_axis (&axes)[3], std::ptrdiff_t to_follow, const tile_view<T>& next) const {
    const auto beyond = [&](int axis, auto set) {
      const impl::tile_axis& along = axes[axis];
      if (along.reach == 0 || along.is_periodic) return;
      for (std::ptrdiff_t i = along.low(to_follow); i < 0; ++i) set(i);
      for (std::ptrdiff_t i = along.cells; i < along.high(to_follow); ++i) set(i);
    };
    const bool is_dirichlet = grid_.around.kind == impl::edge::dirichlet;
    const auto source = [&](int axis, std::ptrdiff_t i) {
      return impl::cell_for(grid_.around.kind, i, grid_.cells[axis]);
    };
    for (std::ptrdiff_t p = axes[0].from(to_follow); p < axes[0].to(to_follow); ++p) {
      for (std::ptrdiff_t r = axes[1].from(to_follow); r < axes[1].to(to_follow); ++r) {
        beyond(2, [&](std::ptrdiff_t c) {
          *next.at(p, r, c) = is_dirichlet                             ? grid_.cell(p, r, c)
                              : grid_.around.kind == impl::edge::fixed ? grid_.around.value
                                                                       : *next.at(p, r, source(2, c));
        });
      }
    }
    const std::ptrdiff_t left = axes[2].low(to_follow), width = axes[2].high(to_follow) - left;
    const auto set_row = [&](std::ptrdiff_t p, std::ptrdiff_t r, std::ptrdiff_t from_p,
                             std::ptrdiff_t from_r) {
      T* const row = next.at(p, r, left);
      if (grid_.around.kind == impl::edge::fixed) {
        for (std::ptrdiff_t c = 0; c < width; ++c) row[c] = grid_.around.value;
      } else if (is_dirichlet) {
        for (std::ptrdiff_t c = 0; c < width; ++c) row[c] = grid_.cell(p, r, left + c);
      } else {
        copy(next.at(from_p, from_r, left), width, row);
      }
    };
    for (std::ptrdiff_t p = axes[0].from(to_follow); p < axes[0].to(to_follow); ++p) {
      beyond(1, [&](std::ptrdiff_t r) { set_row(p, r, p, source(1, r)); });
    }
    beyond(0, [&](std::ptrdiff_t p) {
      for (std::ptrdiff_t r = axes[1].low(to_follow); r < axes[1].high(to_follow); ++r) {
        set_row(p, r, source(0, p), r);
      }
    });
  }

  const impl::stencil_grid<T>& grid_;
  const F& f_;
  const stencil_blocking& blocking_;
  std::ptrdiff_t generations_;
};

/// `generations` generations from grid.in to grid.out, on up to `threads` threads.
template <int Reach, int Indices, class T, class F>
inline void stencil(int threads, const impl::stencil_grid<T>& grid, const F& f,
                    const stencil_blocking& blocking, std::size_t generations) {
  std::size_t tiles = 1, cells = generations;
  for (int axis = 0; axis < 3; ++axis) {
    tiles *= static_cast<std::size_t>((grid.cells[axis] + blocking.sides[axis] - 1) / blocking.sides[axis]);
    cells *= static_cast<std::size_t>(blocking.sides[axis]);
  }
  const stencil_pass<Reach, Indices, T, F> pass(grid, f, blocking, static_cast<std::ptrdiff_t>(generations));
  for_slices(threads, tiles, impl::threshold.stencil_grain / cells + 1,
             [&](std::size_t first, std::size_t last) { pass.run(first, last); });
}

}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
