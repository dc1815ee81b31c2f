// Shared memory belongs to a block: a static array has its size in the source, a dynamic one at the launch.
// Change `threads` to 300: more than the static array has, which `heddle check` names; the dynamic one grows.
// Change the bytes of the launch to 250 KiB: more than a block may have, and the error names them.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>

#include <numeric>

namespace hd = heddle;

const char* const source = R"(
// Each block smooths its elements: it reads memory once for each, and shared memory three times.
__global__ void smooth(const float* x, float* y) {
  __shared__ float held[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, last = blockDim.x - 1;
  held[threadIdx.x] = x[i];
  __syncthreads();
  const float before = held[threadIdx.x == 0 ? 0 : threadIdx.x - 1];
  const float after = held[threadIdx.x == last ? last : threadIdx.x + 1];
  y[i] = (before + 2 * held[threadIdx.x] + after) / 4;
}

// Each block turns its elements round. There is one dynamic array a block, which may be cut into several.
__global__ void reverse(const float* x, float* y, int* places) {
  extern __shared__ float values[];
  int* const from = (int*)(values + blockDim.x);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[threadIdx.x] = x[i];
  from[threadIdx.x] = i;
  __syncthreads();
  y[i] = values[blockDim.x - 1 - threadIdx.x];
  places[i] = from[blockDim.x - 1 - threadIdx.x];
}
)";

void show(const hd::target& where) {
  const std::size_t blocks = 4, threads = 200, n = blocks * threads;
  std::vector<float> x(n);
  std::iota(x.begin(), x.end(), 1.0f);
  const hd::array<float> in(x, where);
  hd::array<float> smoothed(n, where), reversed(n, where);
  hd::array<int> places(n, where);
  const hd::module kernels(where, source);
  kernels.function("smooth")(blocks, threads)(in, smoothed);
  kernels.function("reverse")(blocks, threads, threads * (sizeof(float) + sizeof(int)))(in, reversed, places);

  const std::vector<float> s = smoothed.to_vector(), r = reversed.to_vector();
  const std::vector<int> from = places.to_vector();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t in_block = i % threads, mirrored = i - in_block + threads - 1 - in_block;
    const float edge = in_block == 0 ? 0.25f : in_block == threads - 1 ? -0.25f : 0;
    examples::expect(s[i] == x[i] + edge, "a line stays one but for the ends of each block");
    examples::expect(r[i] == x[mirrored] && from[i] == static_cast<int>(mirrored), "each block turned round");
  }
  std::printf("  %zu blocks smoothed in static and turned round in dynamic shared memory\n", blocks);
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
