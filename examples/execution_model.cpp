// A launch is a grid of blocks of threads, of 1 to 3 dimensions; a thread computes which element is its own.
// Change the grids and blocks: any of `number` that covers all cells will do, and any of `square` at all.
// Take the bounds check out of `number`: the last blocks write beyond the array, which `heddle check` names.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>

#include <cstdint>

namespace hd = heddle;

const char* const source = R"(
__device__ int cell_at(int plane, int row, int column, int rows, int columns) {
  return (plane * rows + row) * columns + column;
}

// A thread a cell: the grid is rounded up, so some threads have no cell.
__global__ void number(int* cells, int planes, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int plane = blockIdx.z * blockDim.z + threadIdx.z;
  if (plane < planes && row < rows && column < columns) {
    const int cell = cell_at(plane, row, column, rows, columns);
    cells[cell] = cell;
  }
}

// A grid-stride loop: each thread takes every so many elements, so any grid serves any n.
__global__ void square(const int* x, long long* squares, int n) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
    squares[i] = (long long)x[i] * x[i];
  }
}
)";

std::size_t blocks_for(std::size_t cells, std::size_t block) {
  return (cells + block - 1) / block;
}

void show(const hd::target& where) {
  const int planes = 3, rows = 45, columns = 70, n = planes * rows * columns;
  const hd::module kernels(where, source);
  hd::array<int> cells(n, where);
  cells.fill(-1);
  const hd::dimensions block(32, 4, 2);
  const hd::dimensions grid(blocks_for(columns, block.x), blocks_for(rows, block.y),
                            blocks_for(planes, block.z));
  kernels.function("number")(grid, block)(cells, planes, rows, columns);

  hd::array<std::int64_t> squares(n, where);
  kernels.function("square")(5, 96)(cells, squares, n);

  const std::vector<std::int64_t> found = squares.to_vector();
  for (std::int64_t i = 0; i < n; ++i)
    examples::expect(found[i] == i * i, "cell " + std::to_string(i) + " squared");
  std::printf("  %d cells: numbered by %zu threads in %zu blocks, squared by %d threads\n", n,
              grid.count() * block.count(), grid.count(), 5 * 96);
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
