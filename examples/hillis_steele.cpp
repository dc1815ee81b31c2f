// The scan of Hillis and Steele: step k adds the element 2^k before, until each has the sum of all before it.
// Take out one of the barriers: a thread reads what another has changed already, and `heddle check` names it.
// Change `n`, up to 1024 in one block; beyond, the library takes one launch a step and two arrays.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>
#include <heddle/textbook.hpp>

#include <numeric>

namespace hd = heddle;

const char* const source = R"(
__global__ void hillis_steele(const int* x, int* running) {
  extern __shared__ int sums[];
  const int i = threadIdx.x;
  sums[i] = x[i];
  for (int distance = 1; distance < blockDim.x; distance *= 2) {
    __syncthreads();  // what is read has been written
    const int before = i >= distance ? sums[i - distance] : 0;
    __syncthreads();  // and everybody has read it before it changes
    sums[i] += before;
  }
  running[i] = sums[i];
}
)";

std::vector<int> running_totals(const std::vector<int>& x) {
  std::vector<int> totals(x.size());
  std::partial_sum(x.begin(), x.end(), totals.begin());
  return totals;
}

void show(const hd::target& where) {
  const std::size_t n = 777;
  std::vector<int> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(i % 10) - 3;
  const hd::array<int> in(x, where);
  hd::array<int> running(n, where);
  const hd::module kernels(where, source);
  kernels.function("hillis_steele")(1, n, n * sizeof(int))(in, running);
  examples::expect(running.to_vector() == running_totals(x), "the scan of one block");

  const std::vector<int> large(100'003, 1);
  const auto by_steps = hd::scan_algorithm::hillis_steele;
  const hd::array<int> sums = hd::inclusive_scan(where, large, hd::plus{}, by_steps);
  examples::expect(sums.to_vector() == running_totals(large), "the scan of many blocks");
  for (const std::size_t size : {n, large.size()}) {
    const hd::algorithm_cost cost = hd::cost_of(by_steps, size, sizeof(int));
    std::printf("  %6zu elements: %7zu additions in %2zu steps and %2zu launches\n", size, cost.operations,
                cost.steps, cost.launches);
  }
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
