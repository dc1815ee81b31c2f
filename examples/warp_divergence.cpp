// A warp of 32 threads runs every branch that any of its lanes takes, one after another: divergence.
// Change `kinds`, or leave the sort out: where the lanes of a warp agree, it runs one branch and not all.
// The kernel counts the branches of each warp from what its lanes ask for.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>
#include <heddle/reduce.hpp>
#include <heddle/sort.hpp>

namespace hd = heddle;

const char* const source = R"(
__global__ void work(const int* kind, const float* x, float* y, int* branches) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  switch (kind[i]) {
    case 0: y[i] = x[i] + 1; break;
    case 1: y[i] = x[i] * 2; break;
    case 2: y[i] = x[i] * x[i]; break;
    default: y[i] = -x[i];
  }
  __syncwarp();
  // Of the lanes that go one way the first counts that way.
  const unsigned same_way = __match_any_sync(0xffffffffu, kind[i]);
  const unsigned first = __ballot_sync(0xffffffffu, threadIdx.x % 32 == __ffs(same_way) - 1);
  if (threadIdx.x % 32 == 0) branches[i / 32] = __popc(first);
}
)";

void show(const hd::target& where) {
  const std::size_t blocks = 16, threads = 128, n = blocks * threads, kinds = 4;
  std::vector<int> kind(n);
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    kind[i] = static_cast<int>(i * 7919 % 10'007 % kinds);
    x[i] = static_cast<float>(i);
  }
  const auto [sorted_kind, sorted_x] = hd::sort_by_key(where, kind, x);
  const hd::array<int> mixed_kind(kind, where);
  const hd::array<float> mixed_x(x, where);
  hd::array<float> y(n, where);
  hd::array<int> branches(n / 32, where);
  const hd::module kernels(where, source);
  int total[2];
  for (const bool sorted : {false, true}) {
    const hd::array<int>& kind_of = sorted ? sorted_kind : mixed_kind;
    const hd::array<float>& value_of = sorted ? sorted_x : mixed_x;
    kernels.function("work")(blocks, threads)(kind_of, value_of, y, branches);
    const std::vector<int> k = kind_of.to_vector();
    const std::vector<float> v = value_of.to_vector(), found = y.to_vector();
    for (std::size_t i = 0; i < n; ++i) {
      const float ways[] = {v[i] + 1, v[i] * 2, v[i] * v[i], -v[i]};
      examples::expect(found[i] == ways[k[i]], "each element by its own branch");
    }
    total[sorted] = hd::reduce(where, branches);
  }
  const int warps = static_cast<int>(n / 32);
  examples::expect(total[0] == 4 * warps && total[1] < warps + 4,
                   "sorted, all warps but three at most go one way");
  std::printf("  %d warps run %d branches as they come, %d when sorted\n", warps, total[0], total[1]);
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
