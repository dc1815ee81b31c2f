#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/cpu/stencil.hpp>
#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/misuse.hpp>
#include <heddle/neighbours.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#if defined(__CUDACC__)
#include <heddle/impl/gpu/stencil.cuh>
#endif

namespace heddle {
namespace impl {

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

/// The generations of a stencil on `where`, where x and out are. Passes take turns between `out` and memory
/// of their own such that the last ends in `out`.
template <int Reach, int Indices, class T, class F>
void stencil_on(const target& where, stencil_grid<T> grid, const F& f, std::size_t steps, T* out,
                std::size_t size, std::size_t held_before) {
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
  const T* const in = grid.in - held_before;
  std::size_t passes = (steps + blocking.generations - 1) / blocking.generations;
  const bool in_place = in == out;
  // In place the first pass must not write what it reads, and the last one had better.
  if (in_place && passes % 2 == 1 && passes < steps) ++passes;
  const bool through_other = passes > 1 || in_place;
  const memory other(through_other ? size * sizeof(T) : 0, where);
  T* const turns[] = {out, static_cast<T*>(other.data())};
  if (grid.around.kind == edge::dirichlet) {
    // Every pass reads the cells that never change from what the one before wrote.
    for (T* const to : turns) {
      if (to != nullptr && to != in) copy(to, where, in, where, size * sizeof(T));
    }
  }
  std::size_t turn = in_place ? 1 : (passes - 1) % 2;
  for (std::size_t done = 0, left = passes; left > 0; --left, turn = 1 - turn) {
    const std::size_t generations = (steps - done + left - 1) / left;
    grid.out = turns[turn] + held_before;
    pass(grid, generations);
    done += generations;
    grid.in = grid.out;
  }
  if (grid.in != out + held_before) copy(out, where, other.data(), where, size * sizeof(T));
}

template <int Reach, class T, class F>
void stencil_by_indices(const target& where, const stencil_grid<T>& grid, const F& f, std::size_t steps,
                        T* out, std::size_t size, std::size_t held_before, std::size_t axes) {
  using U = neighbours<T, Reach>;
  static_assert(
      takes_indices<F, U, 0> || takes_indices<F, U, 1> || takes_indices<F, U, 2> || takes_indices<F, U, 3>,
      "stencil(where, in, out, boundary, f): f must be callable with the neighbours of a cell, as "
      "f(u), or with the cell's index too, as f(u, row, column)");
  if constexpr (takes_indices<F, U, 0>) {
    return stencil_on<Reach, 0>(where, grid, f, steps, out, size, held_before);
  } else {
    if constexpr (takes_indices<F, U, 1>) {
      if (axes == 1) return stencil_on<Reach, 1>(where, grid, f, steps, out, size, held_before);
    }
    if constexpr (takes_indices<F, U, 2>) {
      if (axes == 2) return stencil_on<Reach, 2>(where, grid, f, steps, out, size, held_before);
    }
    if constexpr (takes_indices<F, U, 3>) {
      if (axes == 3) return stencil_on<Reach, 3>(where, grid, f, steps, out, size, held_before);
    }
    fail_stencil_indices(axes);
  }
}

}  // namespace HD_BUILD
}  // namespace impl

inline namespace HD_BUILD {

/// Every cell of `out` becomes f of the cell of `in` at the same place and of its neighbours, `steps` times
/// over: each generation reads the one before.
///
///     hd::stencil(where, u, v, hd::periodic{}, [] HD_FN(auto u) {
///       return 0.25f * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
///     }, 100);
///
/// `in` and `out` are arrays of one shape of one, two or three axes and of one element type, and may be the
/// same array. f reads the cell at an offset of up to Reach along each axis by u(column), u(row, column) or
/// u(plane, row, column), and may take the index of its cell after u: f(u, row, column). `around` says what
/// lies beyond the edges. The bits are f's own, whatever the target and however the work is divided.
///
/// size · steps calls of f, and a few more at the edges of tiles; the memory is read and written once for
/// several generations. Scratch memory for one array where they take more than one pass. `stencil<2>(…)` has
/// a reach of 2.
template <int Reach = 1, array_like In, array_like Out, class F>
void stencil(const target& requested, const In& in, Out&& out,
             const std::type_identity_t<boundary<element_of<In>>>& around, const F& f,
             std::size_t steps = 1) {
  static_assert(Reach >= 0, "stencil: the reach is the largest offset, which is not negative");
  using T = element_of<In>;
  static_assert(std::is_same_v<T, element_of<Out>>,
                "stencil: the output has the element type of the input, as each generation is the next one's "
                "input");
  using namespace impl;
  const elements<const T> from = input(in);
  const elements<T> to = output(out);
  const shape lengths = shape_of(in);
  if (from.size != to.size || !(lengths == shape_of(out))) fail_stencil_shapes(shape_of(out), lengths);
  operation running("stencil", from.size, type_name<T>());
  const target where =
      resolve(requested, {from.size * sizeof(T), from.size * sizeof(T), from.where, compiled_for_gpu});
  running.runs_on(where);
  const std::size_t axes = lengths.axes();
  if (axes < 1 || axes > 3) fail_stencil_axes(axes);
#if !defined(__CUDACC__)
  if (where.is_gpu()) fail_not_compiled_for_gpu();
#endif
  if (from.size == 0) return;
  check_in_place(from, to);
  const staged_input<T> staged(from, where);
  staged_output<T> staged_out(to, where);

  stencil_grid<T> grid{staged.data(), staged_out.data(), {1, 1, 1}, {0, 0, 0}, 0, 0, 0, around};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    grid.cells[3 - axes + axis] = static_cast<std::ptrdiff_t>(lengths[axis]);
    grid.reach[3 - axes + axis] = Reach;
  }
  grid.row = axes > 1 ? grid.cells[2] : 0;
  grid.plane = axes > 2 ? grid.cells[1] * grid.cells[2] : 0;
  std::size_t held_before = 0;
  bool any = steps > 0;
  if (around.kind == edge::dirichlet) {
    grid.origin = Reach;
    held_before = static_cast<std::size_t>(Reach * (grid.plane + grid.row + 1));
    for (int axis = 0; axis < 3; ++axis) {
      grid.cells[axis] -= 2 * grid.reach[axis];
      any = any && grid.cells[axis] > 0;
    }
  }
  if (any) {
    grid.in += held_before;
    stencil_by_indices<Reach>(where, grid, f, steps, staged_out.data(), from.size, held_before, axes);
  } else if (staged.data() != staged_out.data()) {
    copy(staged_out.data(), where, staged.data(), where, from.size * sizeof(T));
  }
  staged_out.deliver();
}

}  // namespace HD_BUILD

HD_EXPLAIN_MISUSE(stencil)

}  // namespace heddle
