// Shared memory has 32 banks of 4-byte words; lanes that want different words of one bank wait for one
// another. A column of a tile is in one bank where rows have 32 words; with rows of 33 words it is in all of
// them. Change the widths below: the kernel counts the lanes on one bank from the addresses that they use.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>

#include <numeric>

namespace hd = heddle;

const char* const source = R"(
__device__ int lanes_on_my_bank(const float* word) {
  const unsigned bank = (unsigned)((unsigned long long)word / 4 % 32);
  return __popc(__match_any_sync(0xffffffffu, bank));
}

__global__ void transpose(const float* in, float* out, int width, int* in_rows, int* in_columns) {
  extern __shared__ float tile[];
  float* const of_row = tile + threadIdx.y * width + threadIdx.x;
  float* const of_column = tile + threadIdx.x * width + threadIdx.y;
  *of_row = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = *of_column;  // both arrays are used row by row, the tile by columns
  atomicMax(in_rows, lanes_on_my_bank(of_row));
  atomicMax(in_columns, lanes_on_my_bank(of_column));
}
)";

void show(const hd::target& where) {
  std::vector<float> matrix(32 * 32);
  std::iota(matrix.begin(), matrix.end(), 0.0f);
  const hd::array<float> in(matrix, where);
  hd::array<float> out(in.size(), where);
  hd::array<int> in_rows(1, where), in_columns(1, where);
  const hd::module kernels(where, source);
  for (const int width : {32, 33, 34, 36, 40}) {
    in_rows.fill(0);
    in_columns.fill(0);
    kernels.function("transpose")(1, {32, 32}, 32 * width * sizeof(float))(in, out, width, in_rows,
                                                                           in_columns);
    const std::vector<float> transposed = out.to_vector();
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      examples::expect(transposed[i] == matrix[i % 32 * 32 + i / 32], "a transposed matrix");
    }
    // Words `width` apart come back to a bank after 32 / gcd(32, width) of them.
    examples::expect(in_rows[0] == 1 && in_columns[0] == std::gcd(32, width), "lanes that share a bank");
    std::printf("  rows of %d words: %2d lane a bank along a row, %2d along a column\n", width,
                in_rows.front(), in_columns.front());
  }
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
