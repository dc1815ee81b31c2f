// Blelloch's work-efficient scan: up a tree of sums, then down it, which gives each node its prefix.
// Change `n`: what is no power of two is padded. Compare the additions with those of hillis_steele.cpp.
// Take the barrier out of either loop: a level begins before the last has ended, and `heddle check` names it.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>
#include <heddle/textbook.hpp>

#include <bit>
#include <numeric>

namespace hd = heddle;

const char* const source = R"(
__global__ void blelloch(const int* x, int* before, int n) {
  extern __shared__ int tree[];
  const int m = 2 * blockDim.x, left = 2 * threadIdx.x, right = left + 1;
  tree[left] = left < n ? x[left] : 0;
  tree[right] = right < n ? x[right] : 0;
  for (int span = 1; span < m; span *= 2) {  // up: the right end of each span becomes its sum
    __syncthreads();
    const int end = (threadIdx.x + 1) * 2 * span - 1;
    if (end < m) tree[end] += tree[end - span];
  }
  __syncthreads();
  if (threadIdx.x == 0) tree[m - 1] = 0;
  for (int span = m / 2; span > 0; span /= 2) {  // down: left takes from its parent, right adds what left was
    __syncthreads();
    const int end = (threadIdx.x + 1) * 2 * span - 1;
    if (end < m) {
      const int sum_of_left = tree[end - span];
      tree[end - span] = tree[end];
      tree[end] += sum_of_left;
    }
  }
  __syncthreads();
  if (left < n) before[left] = tree[left];
  if (right < n) before[right] = tree[right];
}
)";

void show(const hd::target& where) {
  const std::size_t n = 700;
  std::vector<int> x(n), wanted(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(i * i % 11);
  std::exclusive_scan(x.begin(), x.end(), wanted.begin(), 0);

  const hd::array<int> in(x, where);
  hd::array<int> before(n, where);
  const std::size_t padded = std::bit_ceil(n);
  const hd::module kernels(where, source);
  kernels.function("blelloch")(1, padded / 2, padded * sizeof(int))(in, before, static_cast<int>(n));
  examples::expect(before.to_vector() == wanted, "the exclusive scan of one block");

  const std::size_t large = 100'003;
  const auto by_tree = hd::scan_algorithm::blelloch;
  const hd::array<int> places = hd::exclusive_scan(where, std::vector<int>(large, 1), hd::plus{}, by_tree);
  std::vector<int> counted(large);
  std::iota(counted.begin(), counted.end(), 0);
  examples::expect(places.to_vector() == counted, "the exclusive scan of many blocks");
  const hd::algorithm_cost cost = hd::cost_of(by_tree, large, sizeof(int));
  std::printf("  %zu elements: %zu additions in %zu steps and %zu launches\n", large, cost.operations,
              cost.steps, cost.launches);
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
