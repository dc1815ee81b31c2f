#pragma once

#include <heddle/impl/patterns/stencil/cpu.hpp>
#include <heddle/neighbours.hpp>

#include <cstddef>
#include <type_traits>

namespace heddle::cpu {
inline namespace HEDDLE_ISA {

/// `steps` generations of a stencil on the inner points of a matrix, from `in` to `out`, which do not
/// overlap. It does what `stencil` does on the CPU with the boundary `dirichlet`, for rows that are `pitch`
/// elements apart. It is compiled with the options of the calling file. HEDDLE_ISA names them, as in
/// simd.hpp.
///
/// f takes neighbours<T, Reach>, and where Indices is 2 the row and the column too. The outermost Reach rows
/// and columns of `in` are read; those of `out` must hold the same values and are not written. `in` is not
/// changed. Runs on up to `threads` threads. Cells go through several generations while they are in the
/// cache.
template <int Reach, int Indices, class T, class F>
void matrix_stencil(int threads, const T* in, T* out, std::ptrdiff_t rows, std::ptrdiff_t columns,
                    std::ptrdiff_t pitch, const F& f, std::size_t steps) {
  static_assert(Indices == 0 || Indices == 2, "matrix_stencil: f takes no index, or the row and the column");
  constexpr std::ptrdiff_t edge = Reach;
  const std::ptrdiff_t first = edge * pitch + edge;
  const impl::stencil_grid<T> inner{
      in + first, out + first, {1, rows - 2 * edge, columns - 2 * edge}, {0, edge, edge}, pitch, 0,
      edge,       dirichlet{}};
  const impl::stencil_blocking blocking =
      stencil_blocking_for(threads, inner.cells, inner.reach, sizeof(T), steps);
  stencil<Reach, Indices>(threads, inner, f, blocking, steps);
}

}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
