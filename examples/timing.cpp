// How long patterns take: the median of calls after one that warms up, and bytes a second.
// Change the number of elements: small arrays cost a call or a launch, large ones the memory's bandwidth.
// Time the first call alone: it pays for what is kept from then on. `heddle bench` compares with a copy.
#include "on_each_target.hpp"
#include <heddle/array.hpp>
#include <heddle/random.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace hd = heddle;
using examples::expect;

constexpr std::size_t count = std::size_t{1} << 24;

/// The median time of a few calls.
template <class Call>
double median_seconds(const Call& call) {
  constexpr int repeats = 7;
  call();
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const auto began = std::chrono::steady_clock::now();
    call();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
  return seconds[repeats / 2];
}

void print_row(const char* pattern, float value, double seconds, std::size_t bytes) {
  std::printf("  %-16s%14.8g%12.3f ms%12.1f GB/s\n", pattern, static_cast<double>(value), seconds * 1e3,
              static_cast<double>(bytes) / seconds / 1e9);
}

void show(const hd::target& where) {
  const hd::array<float> x = hd::random::uniform(where, {count}, {.seed = 1});
  const std::size_t bytes = x.size() * sizeof(float);

  float sum = 0;
  const double reduce_seconds = median_seconds([&] { sum = hd::reduce(where, x); });
  print_row("reduce", sum, reduce_seconds, bytes);

  hd::array<float> totals = hd::empty_like(x);
  const double scan_seconds = median_seconds([&] {
    hd::inclusive_scan_into(where, totals, x);
    totals.wait();  // what fills an array on a GPU has only been begun
  });
  print_row("inclusive_scan", totals.back(), scan_seconds, 2 * bytes);

  // Both round, each in an order of its own; n numbers with mean 1/2 and deviation 1/sqrt(12).
  const double n = static_cast<double>(x.size());
  expect(std::abs(totals.back() - sum) <= 1e-4 * n, "two sums that differ by rounding alone");
  expect(std::abs(sum - n / 2) <= 5 * std::sqrt(n / 12), "the sum of n uniform numbers");
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
