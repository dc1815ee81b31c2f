// How long patterns take on each target: medians of calls after one that warms up, and bytes a second.
// Change the number of elements, the argument: small arrays cost a launch, large ones the memory's bandwidth.
// Time the first call alone: it pays for what is kept from then on. `heddle bench` compares with a copy.
#include <heddle/heddle.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

namespace hd = heddle;

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

void print_row(const char* pattern, const hd::target& where, float value, double seconds, std::size_t bytes) {
  std::printf("%-16s%-14s%14.8g%12.3f ms%12.1f GB/s\n", pattern, where.text().c_str(), double(value),
              seconds * 1e3, static_cast<double>(bytes) / seconds / 1e9);
}

void reduce_and_scan(const hd::array<float>& samples) {
  const std::size_t bytes = samples.size() * sizeof(float);
  std::printf("%-16s%-14s%14s%15s%17s\n", "pattern", "target", "value", "time", "rate");
  for (const hd::target& where : hd::target::available()) {
    const hd::array<float> x = samples.on(where);

    float total = 0;
    const double reduce_seconds = median_seconds([&] { total = hd::reduce(where, x); });
    print_row("reduce", where, total, reduce_seconds, bytes);

    hd::array<float> running_total = hd::empty_like(x);
    const double scan_seconds = median_seconds([&] {
      hd::inclusive_scan_into(where, running_total, x);
      running_total.wait();  // what fills an array on a GPU has only been begun
    });
    print_row("inclusive_scan", where, running_total.back(), scan_seconds, 2 * bytes);
    // Both round, each in an order of its own; n numbers with mean 1/2 and deviation 1/sqrt(12).
    const double n = static_cast<double>(x.size());
    if (std::abs(running_total.back() - total) > 1e-4 * n || std::abs(total - n / 2) > 5 * std::sqrt(n / 12))
      throw hd::error("the sums are not those of " + std::to_string(x.size()) + " uniform numbers");
  }
}

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::size_t{1} << 26;
  if (count == 0 || argc > 2) {
    std::fputs("usage: demo [ELEMENTS]\n", stderr);
    return 2;
  }
  try {
    const hd::array<float> samples = hd::random::uniform(hd::target::parallel(), {count}, {.seed = 1});
    std::printf("%zu floats from 0 to 1\n\n", samples.size());
    reduce_and_scan(samples);
    return 0;
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "demo: %s\n", wrong.what());
    return 1;
  }
}
