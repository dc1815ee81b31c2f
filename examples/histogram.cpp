// A histogram: each block counts in shared memory by atomics, and adds its counts to all blocks' at the end.
// Count in `counts` at once: the result is the same, and every thread of the GPU wants the same few words.
// Change the bins of hd::histogram to edges of your own, in a std::vector<double>.
#include "on_each_target.hpp"
#include <heddle/histogram.hpp>
#include <heddle/kernel.hpp>

namespace hd = heddle;

const char* const source = R"(
__global__ void count(const float* x, int n, unsigned long long* counts, int bins) {
  extern __shared__ unsigned of_block[];
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) of_block[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bin = x[i] == 1 ? bins - 1 : (int)(x[i] * bins);  // the last bin holds its upper edge too
    if (x[i] >= 0 && x[i] <= 1) atomicAdd(&of_block[bin], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) atomicAdd(&counts[bin], of_block[bin]);
}
)";

void show(const hd::target& where) {
  const int n = 20'001, bins = 16;
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i)
    x[i] = static_cast<float>(i) / (n - 1) * (i % 2 == 0 ? 1 : static_cast<float>(i) / n);
  const hd::array<float> in(x, where);
  hd::array<unsigned long long> counts(bins, where);
  counts.fill(0);
  const hd::module kernels(where, source);
  kernels.function("count")(8, 256, bins * sizeof(unsigned))(in, n, counts, bins);

  std::vector<unsigned long long> wanted(bins);
  for (const float value : x) ++wanted[value == 1 ? bins - 1 : static_cast<int>(value * bins)];
  const hd::array<std::uint64_t> by_pattern = hd::histogram(where, in, hd::even_bins{bins, 0.0, 1.0});
  examples::expect(counts.to_vector() == wanted, "the counts of the kernel");
  for (int bin = 0; bin < bins; ++bin)
    examples::expect(by_pattern[bin] == wanted[bin], "the counts of hd::histogram");
  std::printf("  %d values: %llu in the first bin of %d, %llu in the last\n", n, wanted.front(), bins,
              wanted.back());
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
