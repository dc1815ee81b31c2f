#pragma once

#include <heddle/error.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/patterns/stencil/blocking.hpp>
#include <heddle/neighbours.hpp>

#include <algorithm>
#include <cstddef>

namespace heddle::gpu {

/// Shared memory of a block, of which every GPU has as much for two and more.
inline constexpr std::size_t stencil_shared_bytes = std::size_t{48} << 10;

/// Bytes of one of a tile's two buffers, for several generations.
inline std::size_t stencil_buffer_bytes(const std::ptrdiff_t (&cells)[3], const std::ptrdiff_t (&reach)[3],
                                        const impl::stencil_blocking& blocking, std::size_t element_bytes) {
  std::size_t bytes = element_bytes;
  for (int axis = 0; axis < 3; ++axis) {
    const bool is_whole = blocking.sides[axis] == cells[axis];
    const std::size_t generations = is_whole ? 1 : blocking.generations;
    bytes *= static_cast<std::size_t>(blocking.sides[axis]) +
             2 * generations * static_cast<std::size_t>(reach[axis]);
  }
  return bytes;
}

/// Tiles whose cells and halo fit shared memory twice. A grid of one tile goes through all generations in one
/// block.
inline impl::stencil_blocking stencil_blocking_for(const std::ptrdiff_t (&cells)[3],
                                                   const std::ptrdiff_t (&reach)[3],
                                                   std::size_t element_bytes, std::size_t steps) {
  const auto fits = [&](const impl::stencil_blocking& blocking) {
    return cells[0] * cells[1] * cells[2] > 0 &&
           2 * stencil_buffer_bytes(cells, reach, blocking, element_bytes) <= stencil_shared_bytes;
  };
  const std::ptrdiff_t most = static_cast<std::ptrdiff_t>(stencil_shared_bytes);
  impl::stencil_blocking chosen{{cells[0], cells[1], cells[2]}, steps};
  if (cells[0] <= most && cells[1] <= most && cells[2] <= most && fits(chosen)) return chosen;
  const bool solid = reach[0] > 0, flat = !solid && reach[1] > 0;
  const std::ptrdiff_t wanted[3] = {solid ? 8 : 1, solid ? 8 : flat ? 32 : 1, solid ? 32 : flat ? 64 : 2048};
  std::ptrdiff_t longest_reach = 1;
  for (int axis = 0; axis < 3; ++axis) {
    chosen.sides[axis] = std::min(cells[axis], wanted[axis]);
    longest_reach = std::max(longest_reach, reach[axis]);
  }
  const std::size_t at_once = static_cast<std::size_t>(std::max<std::ptrdiff_t>((solid  ? 2
                                                                                 : flat ? 4
                                                                                        : 32) /
                                                                                    longest_reach,
                                                                                1));
  chosen.generations = std::min(steps, at_once);
  while (!fits(chosen)) {
    std::ptrdiff_t* const longest = std::max_element(chosen.sides, chosen.sides + 3);
    if (chosen.generations > 1) {
      chosen.generations /= 2;
    } else if (*longest > 1) {
      *longest = (*longest + 1) / 2;
    } else {
      fail("an element and its neighbours do not fit a block's shared memory of 48 KiB");
    }
  }
  return chosen;
}

/// Visits the cells of a box, those of a row by neighbouring threads.
template <class Visit>
__device__ inline void for_cells_of_box(const int (&from)[3], const int (&to)[3], const Visit& visit) {
  for (int p = from[0]; p < to[0]; ++p) {
    for (int r = from[1] + static_cast<int>(threadIdx.y); r < to[1]; r += static_cast<int>(blockDim.y)) {
      for (int c = from[2] + static_cast<int>(threadIdx.x); c < to[2]; c += static_cast<int>(blockDim.x)) {
        visit(p, r, c);
      }
    }
  }
}

/// A tile and its halo in a buffer of shared memory, where positions are counted from their low corner. The
/// arrays are the kernel's: if they were members the compiler would use other registers.
template <class T>
struct tile_in_buffer {
  const impl::stencil_grid<T>& grid;
  const impl::tile_axis (&axes)[3];
  const std::ptrdiff_t (&low)[3];  ///< the cell of the array at the low corner
  int row, plane;                  ///< from one to the next in the buffer

  /// The value of f at a position of the buffer `now`.
  template <int Reach, int Indices, class F>
  __device__ __forceinline__ T value_at(int p, int r, int c, const F& f, T* now) const {
    const neighbours<T, Reach> u(now + (p * plane + r * row + c), grid.row == 0 ? 0 : row,
                                 grid.plane == 0 ? 0 : plane);
    std::ptrdiff_t index[3] = {low[0] + p, low[1] + r, low[2] + c};
    if constexpr (Indices > 0) {
      for (int axis = 0; axis < 3; ++axis) {
        if (axes[axis].is_periodic) index[axis] = impl::modulo(index[axis], axes[axis].cells);
        if (axes[axis].reach > 0) index[axis] += grid.origin;
      }
    }
    return impl::at_cell<Indices>(f, u, index[0], index[1], index[2]);
  }

  /// Sets the cell at a position of the buffer `next`, if it is beyond an edge, from the cells within.
  __device__ __forceinline__ void set_beyond(int p, int r, int c, T* next) const {
    const std::ptrdiff_t at[3] = {low[0] + p, low[1] + r, low[2] + c};
    std::ptrdiff_t source[3];
    bool is_beyond = false, is_fixed = false;
    for (int axis = 0; axis < 3; ++axis) {
      source[axis] = at[axis];
      if (axes[axis].is_periodic || axes[axis].reach == 0) continue;
      if (0 <= at[axis] && at[axis] < axes[axis].cells) continue;
      is_beyond = true;
      source[axis] = impl::cell_for(grid.around.kind, at[axis], axes[axis].cells);
      is_fixed = is_fixed || grid.around.kind == impl::edge::fixed;
    }
    if (!is_beyond) return;
    T& cell = next[p * plane + r * row + c];
    if (is_fixed) {
      cell = grid.around.value;
    } else if (grid.around.kind == impl::edge::dirichlet) {
      cell = grid.in[at[0] * grid.plane + at[1] * grid.row + at[2]];
    } else {
      cell = next[(source[0] - low[0]) * plane + (source[1] - low[1]) * row + (source[2] - low[2])];
    }
  }
};

/// Tiles go through several generations in shared memory: two buffers, read and written alternately.
template <int Reach, int Indices, class T, class F>
__global__ void stencil_tiles(const __grid_constant__ impl::stencil_grid<T> grid, const F f,
                              const __grid_constant__ impl::stencil_blocking blocking, int generations,
                              std::size_t tiles, std::size_t buffer_cells) {
  extern __shared__ __align__(256) unsigned char stencil_buffers[];
  for (std::size_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    impl::tile_axis axes[3];
    grid.tile(static_cast<std::ptrdiff_t>(number), blocking.sides, axes);
    T* now = reinterpret_cast<T*>(stencil_buffers);
    T* next = now + buffer_cells;
    std::ptrdiff_t low[3];
    int extent[3];
    bool at_edge = false;
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = axes[axis].low(generations);
      extent[axis] = static_cast<int>(axes[axis].high(generations) - low[axis]);
      at_edge = at_edge || (!axes[axis].is_periodic &&
                            (low[axis] < 0 || axes[axis].high(generations) > axes[axis].cells));
    }
    const tile_in_buffer<T> tile{grid, axes, low, extent[2], extent[1] * extent[2]};
    // The halo is as wide as all generations need, so that the tile is loaded once.
    const int none[3] = {0, 0, 0};
    for_cells_of_box(none, extent, [&](int p, int r, int c) {
      now[p * tile.plane + r * tile.row + c] = grid.cell(low[0] + p, low[1] + r, low[2] + c);
    });
    __syncthreads();
    for (int to_follow = generations - 1; to_follow >= 0; --to_follow) {
      // Of the next generation only the cells that later ones need are computed. The last one goes to the
      // array.
      int from[3], to[3];
      for (int axis = 0; axis < 3; ++axis) {
        from[axis] = static_cast<int>(axes[axis].from(to_follow) - low[axis]);
        to[axis] = static_cast<int>(axes[axis].to(to_follow) - low[axis]);
      }
      for_cells_of_box(from, to, [&](int p, int r, int c) {
        const T value = tile.template value_at<Reach, Indices>(p, r, c, f, now);
        if (to_follow == 0) {
          grid.out[(low[0] + p) * grid.plane + (low[1] + r) * grid.row + (low[2] + c)] = value;
        } else {
          next[p * tile.plane + r * tile.row + c] = value;
        }
      });
      __syncthreads();
      if (to_follow > 0 && at_edge) {
        // The next generation reads the cells beyond the edges too, which are set from those within.
        for (int axis = 0; axis < 3; ++axis) {
          from[axis] = static_cast<int>(axes[axis].low(to_follow) - low[axis]);
          to[axis] = static_cast<int>(axes[axis].high(to_follow) - low[axis]);
        }
        for_cells_of_box(from, to, [&](int p, int r, int c) { tile.set_beyond(p, r, c, next); });
        __syncthreads();
      }
      T* const before = now;
      now = next;
      next = before;
    }
  }
}

/// `generations` generations from grid.in to grid.out, on the GPU's stream.
template <int Reach, int Indices, class T, class F>
void stencil(const target& where, const impl::stencil_grid<T>& grid, const F& f,
             const impl::stencil_blocking& blocking, int generations) {
  const current_device on(where);
  std::size_t tiles = 1;
  std::ptrdiff_t in_tile = 1;
  for (int axis = 0; axis < 3; ++axis) {
    tiles *= static_cast<std::size_t>((grid.cells[axis] + blocking.sides[axis] - 1) / blocking.sides[axis]);
    in_tile *= blocking.sides[axis];
  }
  const std::size_t bytes = stencil_buffer_bytes(grid.cells, grid.reach, blocking, sizeof(T));
  // A block alone has all the threads that there is work for.
  const unsigned most = tiles == 1 && in_tile > 1024 ? 512 : 256;
  dim3 block(32, most / 32);
  if (blocking.sides[1] == 1) block = dim3(most, 1);
  const unsigned blocks = grid_for(tiles, 1);
  stencil_tiles<Reach, Indices><<<blocks, block, 2 * bytes, where.stream()>>>(grid, f, blocking, generations,
                                                                              tiles, bytes / sizeof(T));
  check(cudaGetLastError(), "launch of stencil");
}

}  // namespace heddle::gpu
