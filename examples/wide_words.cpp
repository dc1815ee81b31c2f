// A thread may move 4, 8 or 16 bytes at once: the same bytes by a half and a quarter of the instructions.
// Change `first` from 4 to 2: a word of 16 bytes must begin at a multiple of 16, and `heddle check` names it.
// Change `n`: elements that are left when 4 does not divide it need a loop of their own, from `rest` on.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>

#include <numeric>

namespace hd = heddle;

const char* const source = R"(
template <class Word>
__device__ void copy_by(const float* x, float* y, int n, unsigned long long* loads) {
  constexpr int width = sizeof(Word) / sizeof(float);
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (int i = thread; i < n / width; i += threads) {
    ((Word*)y)[i] = ((const Word*)x)[i];
    atomicAdd(loads, 1ull);
  }
  const int rest = n / width * width;
  for (int i = rest + thread; i < n; i += threads) {
    y[i] = x[i];
    atomicAdd(loads, 1ull);
  }
}
__global__ void copy_floats(const float* x, float* y, int n, unsigned long long* loads) {
  copy_by<float>(x, y, n, loads);
}
__global__ void copy_float2s(const float* x, float* y, int n, unsigned long long* loads) {
  copy_by<float2>(x, y, n, loads);
}
__global__ void copy_float4s(const float* x, float* y, int n, unsigned long long* loads) {
  copy_by<float4>(x, y, n, loads);
}
)";

void show(const hd::target& where) {
  const std::size_t first = 4, n = 4003;
  std::vector<float> numbers(first + n);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  const hd::array<float> x(numbers, where);
  hd::array<float> y(first + n, where);
  hd::array<unsigned long long> loads(1, where);
  const hd::module kernels(where, source);
  const struct {
    const char* name;
    std::size_t width;
  } copies[] = {{"copy_floats", 1}, {"copy_float2s", 2}, {"copy_float4s", 4}};
  for (const auto& copy : copies) {
    y.fill(0);
    loads.fill(0);
    kernels.function(copy.name)(4, 128)(x.slice(first, first + n), y.slice(first, first + n), int(n), loads);
    const std::vector<float> found = y.to_vector();
    for (std::size_t i = first; i < first + n; ++i) examples::expect(found[i] == numbers[i], "a copy");
    examples::expect(loads[0] == n / copy.width + n % copy.width, "a load a word, and those of the rest");
    std::printf("  %zu floats by words of %2zu bytes: %4llu loads\n", n, 4 * copy.width, loads.front());
  }
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
