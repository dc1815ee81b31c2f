// Random numbers from a counter: number i of a seed is the same on every target, in any order of making.
// Change the seed: other numbers, as random. Change the offset: the same sequence from there on.
// Change `normal` to exponential, or to integers between bounds, each of them as likely as the others.
#include "on_each_target.hpp"
#include <heddle/random.hpp>

#include <cmath>

namespace hd = heddle;
using examples::expect;

void show(const hd::target& where) {
  const std::size_t n = 100'000;
  const std::vector<float> uniform = hd::random::uniform(where, {n}, {.seed = 7}).to_vector();
  expect(uniform == hd::random::uniform(hd::target::serial(), {n}, {.seed = 7}).to_vector(),
         "the numbers of one core");
  const std::vector<float> part = hd::random::uniform(where, {10}, {.seed = 7, .offset = 500}).to_vector();
  expect(std::equal(part.begin(), part.end(), uniform.begin() + 500), "a part of the sequence by itself");

  const std::vector<double> normal = hd::random::normal<double>(where, {n}, {.seed = 7}, 10, 2).to_vector();
  double sum = 0, squares = 0;
  for (const double x : normal) sum += x, squares += (x - 10) * (x - 10);
  const double mean = sum / n, deviation = std::sqrt(squares / n);
  // Five standard errors of n numbers.
  expect(std::abs(mean - 10) < 5 * 2 / std::sqrt(n) && std::abs(deviation - 2) < 5 * 2 / std::sqrt(2.0 * n),
         "moments");

  const std::vector<std::size_t> order = hd::random::permutation(where, n, {.seed = 7}).to_vector();
  std::vector<bool> seen(n);
  for (const std::size_t place : order) seen[place] = true;
  expect(std::count(seen.begin(), seen.end(), true) == std::ptrdiff_t(n),
         "a permutation has every place once");
  std::printf("  uniform %.7f, %.7f, …; normal of mean %.3f and deviation %.3f; permutation %zu, %zu, …\n",
              double(uniform[0]), double(uniform[1]), mean, deviation, order[0], order[1]);
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
