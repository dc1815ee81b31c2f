// A lock for what no atomic function can do: here three words that have to change together.
// Spin with `while (atomicCAS(…))` before the work: lanes of a warp may wait for one that cannot go on.
// Take the fence before the release out: the next owner may read what was, and `heddle check` names it.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>

namespace hd = heddle;

const char* const source = R"(
__device__ int lock = 0;

// The count, the largest value and its place, the first of them where there are several.
__global__ void find_largest(const int* x, int n, int* found) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool done = i >= n;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence();  // what the last owner wrote can be seen
      found[0] = found[0] + 1;
      if (x[i] > found[1] || (x[i] == found[1] && i < found[2])) {
        found[1] = x[i];
        found[2] = i;
      }
      __threadfence();  // what is written here can be seen before the lock is free
      atomicExch(&lock, 0);
      done = true;  // taken and released in one turn of the loop, so that no lane waits for another inside it
    }
  }
}
)";

void show(const hd::target& where) {
  const int n = 500;
  std::vector<int> x(n);
  for (int i = 0; i < n; ++i) x[i] = i * 37 % 101;
  const hd::array<int> in(x, where);
  hd::array<int> found(std::vector<int>{0, -1, n}, where);
  const hd::module kernels(where, source);
  kernels.function("find_largest")(4, 128)(in, n, found);

  int first = 0;
  while (x[first] != 100) ++first;
  examples::expect(found.to_vector() == std::vector<int>{n, 100, first},
                   "each element once, and the first of the largest");
  std::printf("  %d threads took the lock; the largest is %d, first at %d\n", int{found[0]}, int{found[1]},
              int{found[2]});
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
