// Heddle chooses the threads of a block and the blocks of a grid; a program may choose otherwise.
// Change the shapes below: what is computed stays the same, for every index is visited once in any shape.
// Ask for a block of more than 1024 threads on a GPU: the error names the pattern and CUDA's reason.
#include "on_each_target.hpp"
#include <heddle/array.hpp>
#include <heddle/for_each_index.hpp>

namespace hd = heddle;

/// Threads of the block that this runs in; on a CPU there are no blocks.
HD_FN int threads_of_this_block() {
#if defined(__CUDA_ARCH__)
  return static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
#else
  return 1;
#endif
}

void show(const hd::target& where) {
  const std::size_t rows = 100, columns = 77;
  hd::array<int> visits({rows, columns}, where), threads({rows, columns}, where);
  const auto visit = visits.access<2>();
  const auto thread = threads.access<2>();
  const struct {
    const char* name;
    hd::launch_shape shape;
  } launches[] = {{"chosen by Heddle", {}},
                  {"64 x 4 threads", {.block_x = 64, .block_y = 4}},
                  {"3 blocks of 32 threads", {.block_x = 32, .block_y = 1, .blocks = 3}}};
  for (const auto& launch : launches) {
    visits.fill(0);
    hd::for_each_index(
        where, hd::extent{rows, columns},
        [=] HD_FN(std::size_t row, std::size_t column) {
          visit(row, column) += 1;
          thread(row, column) = threads_of_this_block();
        },
        launch.shape);
    for (const int count : visits.to_vector()) examples::expect(count == 1, "every index is visited once");
    std::printf("  %-24s%5d threads a block\n", launch.name, threads.front());
  }
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
