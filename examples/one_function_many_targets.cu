// One scalar function, written once, runs on one core, on every core or on a GPU: the target is a value.
// Change the target on the command line, or `steps_to_one` to a function of your own.
// Take HD_FN away: to nvcc the function is then missing on the GPU; to g++ nothing changes.
#include "on_each_target.hpp"
#include <heddle/reduce.hpp>
#include <heddle/transform.hpp>

namespace hd = heddle;

/// How many steps n takes to 1 when even numbers are halved and odd ones become 3n + 1 (Collatz).
HD_FN int steps_to_one(long n) {
  int steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

void show(const hd::target& where) {
  std::vector<long> numbers(1000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<long>(i) + 1;

  const hd::array<int> steps = hd::transform(where, numbers, [] HD_FN(long n) { return steps_to_one(n); });
  const std::vector<int> found = steps.to_vector();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    examples::expect(found[i] == steps_to_one(numbers[i]),
                     "the same steps for " + std::to_string(numbers[i]));
  }
  // 871 takes the most steps of the numbers below 1000, 178 of them.
  const int most = hd::reduce(where, steps, hd::maximum{});
  examples::expect(most == 178 && found[870] == most, "871 takes 178 steps");
  std::printf("  of 1 to 1000, 871 takes the most steps to 1: %d\n", most);
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
