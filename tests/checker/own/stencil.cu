#include <heddle/impl/patterns/stencil/gpu.cuh>

#include <cstddef>

// The kernel of stencil, behind kernels that take plain arguments: tests/checker/own_stencil_test.py.

using namespace heddle;

struct of_row {
  template <class U>
  __device__ unsigned operator()(const U& u, std::size_t column) const {
    return 3 * u(-2) + 5 * u(0) + 7 * u(1) + static_cast<unsigned>(column);
  }
};
struct of_table {
  template <class U>
  __device__ unsigned operator()(const U& u) const {
    return 3 * u(-1, 0) + 5 * u(0, -1) + 7 * u(1, 1) + u(0, 0);
  }
};
struct of_block {
  template <class U>
  __device__ unsigned operator()(const U& u, std::size_t plane, std::size_t row, std::size_t column) const {
    return 3 * u(-1, 0, 0) + 5 * u(0, 1, 0) + 7 * u(0, 0, -1) + u(1, 1, 1) +
           static_cast<unsigned>(100 * plane + 10 * row + column);
  }
};

// The grid is laid out as impl::stencil does it.
template <int Axes, int Reach, int Indices, class F>
__device__ void pass(const unsigned* in, unsigned* out, const long long* sizes, unsigned kind, unsigned value,
                     int generations) {
  boundary<unsigned> around = periodic{};
  around.kind = static_cast<impl::edge>(kind);
  around.value = value;
  impl::stencil_grid<unsigned> grid{in, out, {1, 1, 1}, {0, 0, 0}, 0, 0, 0, around};
  for (int axis = 3 - Axes; axis < 3; ++axis) {
    grid.cells[axis] = sizes[axis];
    grid.reach[axis] = Reach;
  }
  if (Axes > 1) grid.row = grid.cells[2];
  if (Axes > 2) grid.plane = grid.cells[1] * grid.cells[2];
  if (around.kind == impl::edge::dirichlet) {
    grid.origin = Reach;
    const std::ptrdiff_t before = Reach * (grid.plane + grid.row + 1);
    grid.in += before;
    grid.out += before;
    for (int axis = 0; axis < 3; ++axis) grid.cells[axis] -= 2 * grid.reach[axis];
  }
  const impl::stencil_blocking blocking{{sizes[3], sizes[4], sizes[5]},
                                        static_cast<std::size_t>(generations)};
  std::size_t tiles = 1;
  for (int axis = 0; axis < 3; ++axis)
    tiles *= static_cast<std::size_t>((grid.cells[axis] + blocking.sides[axis] - 1) / blocking.sides[axis]);
  const std::size_t cells =
      gpu::stencil_buffer_bytes(grid.cells, grid.reach, blocking, sizeof(unsigned)) / sizeof(unsigned);
  gpu::stencil_tiles<Reach, Indices>(grid, F{}, blocking, generations, tiles, cells);
}

/// `sizes` are those of the array and those of a tile, planes first.
__global__ void rows(const unsigned* in, unsigned* out, const long long* sizes, unsigned kind, unsigned value,
                     int generations) {
  pass<1, 2, 1, of_row>(in, out, sizes, kind, value, generations);
}
__global__ void tables(const unsigned* in, unsigned* out, const long long* sizes, unsigned kind,
                       unsigned value, int generations) {
  pass<2, 1, 0, of_table>(in, out, sizes, kind, value, generations);
}
__global__ void blocks(const unsigned* in, unsigned* out, const long long* sizes, unsigned kind,
                       unsigned value, int generations) {
  pass<3, 1, 3, of_block>(in, out, sizes, kind, value, generations);
}
