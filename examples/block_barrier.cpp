// __syncthreads() holds the threads of a block until all have come; other forms count, and or or.
// Take the barrier of `rotate` out: a thread reads what another has not written, and `heddle check` names it.
// Put it inside `if (threadIdx.x > 0)`: one thread never comes, and `heddle check` names it.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>

#include <algorithm>
#include <numeric>

namespace hd = heddle;
using examples::expect;

const char* const source = R"(
__global__ void rotate(int* x) {
  __shared__ int held[1024];
  int* const own = x + blockIdx.x * blockDim.x;
  held[threadIdx.x] = own[threadIdx.x];
  __syncthreads();  // all have written what others read
  own[threadIdx.x] = held[(threadIdx.x + 1) % blockDim.x];
}

__global__ void vote(const int* x, int* counts, int* all, int* any) {
  const int value = x[blockIdx.x * blockDim.x + threadIdx.x];
  const int even = __syncthreads_count(value % 2 == 0);
  const int small = __syncthreads_and(value < 200);
  const int zero = __syncthreads_or(value == 0);
  if (threadIdx.x == 0) {  // every thread has the same three answers
    counts[blockIdx.x] = even;
    all[blockIdx.x] = small;
    any[blockIdx.x] = zero;
  }
}
)";

void show(const hd::target& where) {
  const std::size_t blocks = 3, threads = 99;
  std::vector<int> wanted(blocks * threads);
  std::iota(wanted.begin(), wanted.end(), 0);
  hd::array<int> x(wanted, where), counts(blocks, where), all(blocks, where), any(blocks, where);

  const hd::module kernels(where, source);
  kernels.function("vote")(blocks, threads)(x, counts, all, any);
  expect(counts.to_vector() == std::vector<int>{50, 49, 50}, "even numbers of each block");
  expect(all[0] != 0 && all[1] != 0 && all[2] == 0, "all below 200: in the first two blocks");
  expect(any[0] != 0 && any[1] == 0 && any[2] == 0, "a zero: in the first block");

  kernels.function("rotate")(blocks, threads)(x);
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto first = wanted.begin() + static_cast<std::ptrdiff_t>(b * threads);
    std::rotate(first, first + 1, first + threads);
  }
  expect(x.to_vector() == wanted, "each block rotated by one");
  std::printf("  3 blocks of 99 rotated; %d, %d and %d even numbers\n", int{counts[0]}, int{counts[1]},
              int{counts[2]});
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
