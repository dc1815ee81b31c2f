// The lanes of a warp read one another's registers: no shared memory and no barrier.
// Change the order of the distances: `sums` stay, and so do those of xor; a scan needs them from 1 upwards.
// Change the width of the last shuffle from 8 to 16: lanes then form groups of 16.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>

#include <numeric>

namespace hd = heddle;
using examples::expect;

const char* const source = R"(
__global__ void shuffles(const int* x, int* sums, int* everywhere, int* scan, int* first_of_8) {
  const unsigned all = 0xffffffffu;
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;

  int sum = x[i];  // down: lane 0 ends with the sum
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(all, sum, distance);
  if (lane == 0) sums[i / 32] = sum;

  int both = x[i];  // xor: partners exchange, and every lane ends with the sum
  for (int distance = 1; distance < 32; distance *= 2) both += __shfl_xor_sync(all, both, distance);
  everywhere[i] = both;

  int running = x[i];  // up: a scan after Hillis and Steele
  for (int distance = 1; distance < 32; distance *= 2) {
    const int before = __shfl_up_sync(all, running, distance);
    if (lane >= distance) running += before;
  }
  scan[i] = running;

  first_of_8[i] = __shfl_sync(all, x[i], 0, 8);  // indexed: each group of 8 hears its first lane
}
)";

void show(const hd::target& where) {
  const std::size_t blocks = 2, threads = 96, n = blocks * threads;
  std::vector<int> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(i * i % 17);
  const hd::array<int> in(x, where);
  hd::array<int> sums(n / 32, where), everywhere(n, where), scan(n, where), first_of_8(n, where);
  const hd::module kernels(where, source);
  kernels.function("shuffles")(blocks, threads)(in, sums, everywhere, scan, first_of_8);

  const std::vector<int> s = sums.to_vector(), e = everywhere.to_vector(), r = scan.to_vector();
  const std::vector<int> f = first_of_8.to_vector();
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(i / 32 * 32);
    const int of_warp = std::accumulate(begin, begin + 32, 0);
    expect(s[i / 32] == of_warp && e[i] == of_warp, "the sum of a warp");
    expect(r[i] == std::accumulate(begin, begin + 1 + static_cast<std::ptrdiff_t>(i % 32), 0),
           "the scan of a warp");
    expect(f[i] == x[i / 8 * 8], "the first of 8 lanes");
  }
  std::printf("  %zu warps: the first adds up to %d, its scan ends with %d\n", n / 32, s[0], r[31]);
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
