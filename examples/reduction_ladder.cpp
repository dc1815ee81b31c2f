// Seven ways to add up an array, from an atomic by every thread to the fastest, and what each of them costs.
// Change `n`: 256 elements are one block; with 257 the results of blocks need another launch.
// Change the operator to one without identity, or that does not commute: some refuse, and say which do not.
#include "on_each_target.hpp"
#include <heddle/textbook.hpp>

#include <cstdint>

namespace hd = heddle;

void show(const hd::target& where) {
  const std::size_t n = 100'003;
  std::vector<std::int64_t> x(n);
  std::int64_t wanted = 0;
  for (std::size_t i = 0; i < n; ++i) wanted += x[i] = static_cast<std::int64_t>(i * i);

  std::printf("  %-14s%12s%8s%10s%10s\n", "algorithm", "additions", "steps", "launches", "bytes");
  for (const hd::reduce_algorithm algorithm : hd::reduce_algorithms) {
    examples::expect(hd::reduce(where, x, hd::plus{}, algorithm) == wanted, hd::name(algorithm));
    if (algorithm == hd::reduce_algorithm::single_pass) {
      std::printf("  %-14s%12zu  the default, tuned to each target\n", hd::name(algorithm), n - 1);
    } else {
      const hd::algorithm_cost cost = hd::cost_of(algorithm, n, sizeof x[0]);
      std::printf("  %-14s%12zu%8zu%10zu%10zu\n", hd::name(algorithm), cost.operations, cost.steps,
                  cost.launches, cost.bytes);
    }
  }
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
