// Pi from random points: the share of the unit square's points in the quarter disc is pi / 4.
// Change `n`: a hundred times as many points give one digit more. Change a seed: another estimate, as good.
// It is the same on every target, because the points are. `heddle pi` makes them without storing any.
#include "../on_each_target.hpp"
#include <heddle/kernel.hpp>
#include <heddle/random.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace hd = heddle;

void show(const hd::target& where) {
  const std::size_t n = 10'000'000;
  const hd::array<float> x = hd::random::uniform(where, {n}, {.seed = 1});
  const hd::array<float> y = hd::random::uniform(where, {n}, {.seed = 2});
  const hd::reduction_kernel<std::int64_t> count("float x, float y", "x * x + y * y < 1", "a + b", "0");
  const std::int64_t within = count(where, x, y);

  const std::vector<float> a = x.to_vector(), b = y.to_vector();
  std::int64_t counted = 0;
  for (std::size_t i = 0; i < n; ++i) counted += a[i] * a[i] + b[i] * b[i] < 1;
  examples::expect(within == counted, "the count of a plain loop");
  const double pi = 4 * static_cast<double>(within) / static_cast<double>(n);
  const double error = std::sqrt(std::numbers::pi * (4 - std::numbers::pi) / static_cast<double>(n));
  examples::expect(std::abs(pi - std::numbers::pi) < 4 * error, "within four standard errors");
  std::printf("  %lld of %zu points: pi = %.4f, standard error %.4f\n", static_cast<long long>(within), n, pi,
              error);
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
