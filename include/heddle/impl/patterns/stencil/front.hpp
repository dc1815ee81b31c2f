#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/patterns/stencil/cpu.hpp>
#include <heddle/neighbours.hpp>

#include <cstddef>
#include <type_traits>
#if defined(__CUDACC__)
#include <heddle/impl/patterns/stencil/gpu.cuh>
#endif

namespace heddle::impl {

[[noreturn]] void fail_stencil_axes(std::size_t axes);
[[noreturn]] void fail_stencil_indices(std::size_t axes);
[[noreturn]] void fail_stencil_shapes(const shape& out, const shape& in);

inline namespace HD_BUILD {

/// Whether f takes the neighbours and so many indices.
template <class F, class U, int Indices>
inline constexpr bool takes_indices =
    Indices == 0   ? std::is_invocable_v<const F&, const U&>
    : Indices == 1 ? std::is_invocable_v<const F&, const U&, std::size_t>
    : Indices == 2 ? std::is_invocable_v<const F&, const U&, std::size_t, std::size_t>
                   : std::is_invocable_v<const F&, const U&, std::size_t, std::size_t, std::size_t>;

/// The generations of a stencil on `where`, where x and out are. Passes alternate between `out` and scratch
/// memory such that the last one ends in `out`.
template <int Reach, int Indices, class T, class F>
void stencil_on(const target& where, stencil_grid<T> grid, const F& f, std::size_t steps, T* out,
                std::size_t size, std::size_t edge_before) {
#if defined(__CUDACC__)
  const auto blocking =
      where.is_gpu() ? gpu::stencil_blocking_for(grid.cells, grid.reach, sizeof(T), steps)
                     : cpu::stencil_blocking_for(where.threads(), grid.cells, grid.reach, sizeof(T), steps);
#else
  const auto blocking = cpu::stencil_blocking_for(where.threads(), grid.cells, grid.reach, sizeof(T), steps);
#endif
  const auto pass = [&](const stencil_grid<T>& now, std::size_t generations) {
#if defined(__CUDACC__)
    if (where.is_gpu()) {
      return gpu::stencil<Reach, Indices>(where, now, f, blocking, static_cast<int>(generations));
    }
#endif
    cpu::stencil<Reach, Indices>(where.threads(), now, f, blocking, generations);
  };
  const T* const in = grid.in - edge_before;
  std::size_t passes = (steps + blocking.generations - 1) / blocking.generations;
  const bool in_place = in == out;
  // In place the first pass may not write what it reads; better that the last one writes it.
  if (in_place && passes % 2 == 1 && passes < steps) ++passes;
  const bool through_other = passes > 1 || in_place;
  const memory other(through_other ? size * sizeof(T) : 0, where);
  T* const buffers[] = {out, static_cast<T*>(other.data())};
  if (grid.around.kind == edge::dirichlet) {
    // Every pass reads the cells that never change from what the one before wrote.
    for (T* const to : buffers) {
      if (to != nullptr && to != in) copy(to, where, in, where, size * sizeof(T));
    }
  }
  std::size_t current = in_place ? 1 : (passes - 1) % 2;
  for (std::size_t done = 0, left = passes; left > 0; --left, current = 1 - current) {
    const std::size_t generations = (steps - done + left - 1) / left;
    grid.out = buffers[current] + edge_before;
    pass(grid, generations);
    done += generations;
    grid.in = grid.out;
  }
  if (grid.in != out + edge_before) copy(out, where, other.data(), where, size * sizeof(T));
}

template <int Reach, class T, class F>
void stencil_by_indices(const target& where, const stencil_grid<T>& grid, const F& f, std::size_t steps,
                        T* out, std::size_t size, std::size_t edge_before, std::size_t axes) {
  using U = neighbours<T, Reach>;
  static_assert(
      takes_indices<F, U, 0> || takes_indices<F, U, 1> || takes_indices<F, U, 2> || takes_indices<F, U, 3>,
      "stencil(where, in, out, boundary, f): f must be callable with the neighbours of a cell, as "
      "f(u), or with the cell's index too, as f(u, row, column)");
  if constexpr (takes_indices<F, U, 0>) {
    return stencil_on<Reach, 0>(where, grid, f, steps, out, size, edge_before);
  } else {
    if constexpr (takes_indices<F, U, 1>) {
      if (axes == 1) return stencil_on<Reach, 1>(where, grid, f, steps, out, size, edge_before);
    }
    if constexpr (takes_indices<F, U, 2>) {
      if (axes == 2) return stencil_on<Reach, 2>(where, grid, f, steps, out, size, edge_before);
    }
    if constexpr (takes_indices<F, U, 3>) {
      if (axes == 3) return stencil_on<Reach, 3>(where, grid, f, steps, out, size, edge_before);
    }
    fail_stencil_indices(axes);
  }
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
