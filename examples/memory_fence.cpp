// One launch adds up an array: blocks write their sums, and the last one to do so adds these up.
// Take the first __threadfence() out: the counter may be seen before the sum, and `heddle check` names it.
// Change `blocks` and `threads`: no barrier holds all blocks, so each tells the others that it is done.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>

#include <numeric>

namespace hd = heddle;

const char* const source = R"(
__device__ unsigned blocks_done = 0;

__device__ int sum_of_block(int own) {
  __shared__ int held[256];
  held[threadIdx.x] = own;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) held[threadIdx.x] += held[threadIdx.x + half];
  }
  __syncthreads();
  return held[0];
}

__global__ void sum(const int* x, int n, int* sums, int* total) {
  __shared__ bool is_last;
  int own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += x[i];
  const int of_block = sum_of_block(own);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = of_block;
    __threadfence();  // the sum can be seen before the counter says that it is there
    is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;  // the last makes it 0 again
    __threadfence();  // what the others have counted in can be seen from here on
  }
  __syncthreads();
  if (!is_last) return;
  own = 0;
  for (int block = threadIdx.x; block < gridDim.x; block += blockDim.x) own += sums[block];
  const int all = sum_of_block(own);
  if (threadIdx.x == 0) *total = all;
}
)";

void show(const hd::target& where) {
  const std::size_t blocks = 40, threads = 128;
  const int n = 30'011;
  std::vector<int> x(n);
  std::iota(x.begin(), x.end(), 1);
  const hd::array<int> in(x, where);
  hd::array<int> sums(blocks, where), total(1, where);
  const hd::module kernels(where, source);
  for (int launch = 1; launch <= 2; ++launch) {  // the counter serves again
    total.fill(0);
    kernels.function("sum")(blocks, threads)(in, n, sums, total);
    examples::expect(total[0] == n * (n + 1) / 2, "the sum of 1 to n in launch " + std::to_string(launch));
  }
  std::printf("  the sum of 1 to %d by %zu blocks in one launch: %d\n", n, blocks, total.front());
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
