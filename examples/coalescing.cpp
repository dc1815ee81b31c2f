// Memory comes in sectors of 32 bytes: a warp that reads 32 neighbouring floats needs 4, others up to 32.
// Change `reads`: with steps of 8 floats 28 bytes of 32 are wasted, and a start off the beat costs a sector.
// Time the reads of a large array on a GPU: those with steps of 8 take about eight times as long.
#include "on_each_target.hpp"
#include "sectors_of_a_warp.hpp"
#include <heddle/kernel.hpp>

#include <numeric>

namespace hd = heddle;

const std::string source = std::string(examples::sectors_of_a_warp) + R"(
__global__ void gather(const float* x, float* y, int first, int stride, int* sectors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float* const element = x + first + (long long)i * stride;
  y[i] = *element;
  const int count = sectors_of_a_warp(element);
  if (threadIdx.x % 32 == 0) sectors[i / 32] = count;
}
)";

void show(const hd::target& where) {
  const std::size_t threads = 256;
  std::vector<float> numbers(threads * 32 + 32);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  const hd::array<float> x(numbers, where);
  hd::array<float> y(threads, where);
  hd::array<int> sectors(threads / 32, where);
  const hd::module kernels(where, source);
  const struct {
    int first, stride, sectors;
  } reads[] = {{0, 1, 4}, {1, 1, 5}, {0, 2, 8}, {0, 4, 16}, {0, 8, 32}, {0, 32, 32}};
  for (const auto& read : reads) {
    kernels.function("gather")(2, threads / 2)(x, y, read.first, read.stride, sectors);
    const std::vector<float> found = y.to_vector();
    for (std::size_t i = 0; i < threads; ++i) {
      examples::expect(found[i] == static_cast<float>(read.first + static_cast<int>(i) * read.stride),
                       "what was read");
    }
    for (const int count : sectors.to_vector())
      examples::expect(count == read.sectors, "sectors of each warp");
    std::printf("  from %d on, every %2d: %2d sectors a warp, %3d %% of them used\n", read.first, read.stride,
                read.sectors, 100 * 4 / read.sectors);
  }
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
