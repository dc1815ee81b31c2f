#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/stencil/cpu.hpp>
#include <heddle/impl/patterns/stencil/front.hpp>
#include <heddle/neighbours.hpp>

#include <cstddef>
#include <type_traits>

namespace heddle {

inline namespace HD_BUILD {

/// Sets every cell of `out` to f of the cell of `in` at the same index and of its neighbours, `steps` times:
/// each generation reads the one before.
///
///     hd::stencil(where, u, v, hd::periodic{}, [] HD_FN(auto u) {
///       return 0.25f * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
///     }, 100);
///
/// `in` and `out` have the same shape, of one to three axes, and the same element type, and may be the same
/// array. f reads the cell at an offset of up to Reach along each axis by u(column), u(row, column) or
/// u(plane, row, column), and may take the indices of its cell after u: f(u, row, column). `around` says what
/// lies beyond the edges. Each cell is what f returns, bit for bit, whatever the target and however the work
/// is divided.
///
/// size · steps calls of f, and a few more at the edges of tiles. Memory is read and written once for several
/// generations; where that takes more than one pass, or `out` is `in`, with scratch memory for one array.
/// Asynchronous on a GPU. `stencil<2>(…)` has a reach of 2.
template <int Reach = 1, array_like In, array_like Out, class F>
void stencil(const target& requested, const In& in, Out&& out,
             const std::type_identity_t<boundary<element_of<In>>>& around, const F& f,
             std::size_t steps = 1) {
  static_assert(Reach >= 0, "stencil: the reach is the largest offset, which is not negative");
  using T = element_of<In>;
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
  std::size_t edge_before = 0;
  bool any = steps > 0;
  if (around.kind == edge::dirichlet) {
    grid.origin = Reach;
    edge_before = static_cast<std::size_t>(Reach * (grid.plane + grid.row + 1));
    for (int axis = 0; axis < 3; ++axis) {
      grid.cells[axis] -= 2 * grid.reach[axis];
      any = any && grid.cells[axis] > 0;
    }
  }
  if (any) {
    grid.in += edge_before;
    stencil_by_indices<Reach>(where, grid, f, steps, staged_out.data(), from.size, edge_before, axes);
  } else if (staged.data() != staged_out.data()) {
    copy(staged_out.data(), where, staged.data(), where, from.size * sizeof(T));
  }
  staged_out.deliver();
}

/// Explains what to do about an output of another type.
template <int Reach = 1, array_like In, array_like Out, class F>
  requires(!std::is_same_v<element_of<In>, element_of<Out>>)
void stencil(const target&, const In&, Out&&, const std::type_identity_t<boundary<element_of<In>>>&, const F&,
             std::size_t = 1) {
  static_assert(std::is_same_v<element_of<In>, element_of<Out>>,
                "stencil: the output has the element type of the input, as each generation is the next one's "
                "input");
}

}  // namespace HD_BUILD

HD_EXPLAIN_MISUSE(stencil)

}  // namespace heddle
