// Atomic functions change a word that many threads want to change, one after another: no change is lost.
// Replace atomicAdd(sum, x[i]) by *sum += x[i]: sums are lost, and `heddle check` names the race.
// Operations that hardware lacks use compare-and-swap: `multiply` tries until nobody has come in between.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>

#include <algorithm>
#include <numeric>

namespace hd = heddle;
using examples::expect;

const char* const source = R"(
__device__ void multiply(float* product, float factor) {
  int* const word = (int*)product;
  int seen = 0, before;  // a guess: the first try tells what is there
  do {
    before = seen;
    seen = atomicCAS(word, before, __float_as_int(__int_as_float(before) * factor));
  } while (seen != before);
}

__global__ void combine(const int* x, int n, int* sum, float* float_sum, int* least, int* most,
                        unsigned* turns, unsigned* left, int* one_of_them, float* product) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(sum, x[i]);
  atomicAdd(float_sum, 0.5f);
  atomicMin(least, x[i]);
  atomicMax(most, x[i]);
  atomicInc(turns, 9);          // 0, 1, … 9, 0, 1, …
  atomicDec(left, 0xffffffffu);  // down from where it was, and round
  atomicExch(one_of_them, x[i]);
  if (i % 100 == 0) multiply(product, i % 200 == 0 ? 2.0f : 0.25f);
}
)";

void show(const hd::target& where) {
  const int n = 2000;
  std::vector<int> x(n);
  for (int i = 0; i < n; ++i) x[i] = (i * 37) % n - 700;
  const hd::array<int> in(x, where);
  hd::array<int> sum(1, where), least(1, where), most(1, where), one_of_them(1, where);
  hd::array<float> float_sum(1, where), product(1, where);
  hd::array<unsigned> turns(1, where), left(1, where);
  for (hd::array<int>* each : {&sum, &least, &most, &one_of_them}) each->fill(0);
  float_sum.fill(0);
  product.fill(1024);
  turns.fill(0);
  left.fill(5000);
  const hd::module kernels(where, source);
  kernels.function("combine")(16, 128)(in, n, sum, float_sum, least, most, turns, left, one_of_them, product);

  expect(sum[0] == std::accumulate(x.begin(), x.end(), 0) && float_sum[0] == 0.5f * static_cast<float>(n),
         "sums");
  expect(least[0] == -700 && most[0] == 1299, "minimum and maximum");
  expect(turns[0] == n % 10 && left[0] == 5000 - n, "counters that go round");
  expect(std::find(x.begin(), x.end(), one_of_them[0]) != x.end(), "one of the values that were exchanged");
  expect(product[0] == 1.0f, "ten times 2 and ten times 1/4");
  std::printf("  sum %d, minimum %d, maximum %d, product %g\n", sum.front(), least.front(), most.front(),
              double(product[0]));
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
