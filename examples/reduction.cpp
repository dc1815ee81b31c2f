// A reduction combines all elements into one by an associative operator; the operands keep their order.
// Change the operator, or the order of `a` and `b` in the last one: that result depends on the order.
// Change the target: sums of floats keep their bits, because the grouping follows from n alone.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>
#include <heddle/reduce.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace hd = heddle;
using examples::expect;

void show(const hd::target& where) {
  const std::size_t n = 10'007;
  std::vector<int> x(n);
  std::vector<float> fractions(n);
  std::vector<std::uint64_t> steps(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<int>(i * 7919 % n);
    fractions[i] = 1.0f / static_cast<float>(i + 1);
    steps[i] = (i * 4 + 5) << 32 | (i * 3 + 1);
  }
  expect(hd::reduce(where, x) == 10'006 * 10'007 / 2, "a sum of 0 to n - 1 in any order");
  expect(hd::reduce(where, x, hd::minimum{}) == 0 && hd::reduce(where, x, hd::maximum{}) == 10'006,
         "min, max");

  const float sum = hd::reduce(where, fractions), on_one_core = hd::reduce(hd::target::serial(), fractions);
  expect(std::bit_cast<std::uint32_t>(sum) == std::bit_cast<std::uint32_t>(on_one_core), "the same bits");

  // Steps x -> a x + b modulo 2^32, a in the upper half of a word and b in the lower, do not commute.
  const hd::reduction_kernel<std::uint64_t> compose("unsigned long long step", "step", "after(a, b)",
                                                    "1ull << 32", {.preamble = R"(
      __device__ unsigned long long after(unsigned long long first, unsigned long long second) {
        const unsigned a = second >> 32, b = second;
        return (unsigned long long)(a * unsigned(first >> 32)) << 32 | unsigned(a * unsigned(first) + b);
      })"});
  const std::uint64_t all = compose(where, steps);
  std::uint32_t start = 12345, value = start;
  for (const std::uint64_t step : steps)
    value = static_cast<std::uint32_t>(step >> 32) * value + static_cast<std::uint32_t>(step);
  expect(static_cast<std::uint32_t>(all >> 32) * start + static_cast<std::uint32_t>(all) == value,
         "steps in order");
  std::printf("  sum of 1/1 to 1/%zu: %.7g; %zu steps in order end at %u\n", n, static_cast<double>(sum), n,
              value);
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
