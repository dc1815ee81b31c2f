// CUDA C++ in a string: compiled while the program runs, for the GPU at hand or this processor, and launched.
// Change the source: the next run compiles it anew, and the one after that takes it from the cache.
// Make a mistake in it: the error has the compiler's message with the line of the string.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>

namespace hd = heddle;
using examples::expect;

const char* const source = R"(
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

template <class T>
__global__ void sum_of_blocks(const T* x, int n, T* sums) {
  extern __shared__ char bytes[];
  T* const held = (T*)bytes;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  held[threadIdx.x] = i < n ? x[i] : T(0);
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) held[threadIdx.x] += held[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = held[0];
}
)";

void show(const hd::target& where) {
  const hd::module compiled(where, source, {.name_expressions = {"sum_of_blocks<float>"}});
  const hd::kernel_function saxpy = compiled.function("saxpy");
  const hd::kernel_function sum = compiled.function("sum_of_blocks<float>");

  const std::size_t n = 1000, threads = 256, blocks = (n + threads - 1) / threads;
  hd::array<float> x(n, where), y(n, where), sums(blocks, where);
  x.fill(2);
  y.fill(1);
  saxpy(blocks, threads)(int(n), 0.5f, x, y);  // grid, block; then what the kernel takes
  sum(blocks, threads, threads * sizeof(float))(y, int(n), sums);
  expect(sums.to_vector() == std::vector<float>{512, 512, 512, 464},
         "the sums of 256, 256, 256 and 232 twos");

  try {
    saxpy(blocks, threads)(int(n), 0.5, x, y);
    expect(false, "a double for a float is refused");
  } catch (const hd::error& problem) {
    std::printf("  %s\n  %s\n", saxpy.signature().c_str(), problem.what());
  }
  std::printf("  sums of %zu blocks: %g and %g\n", blocks, double(sums[0]), double(sums[3]));
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
