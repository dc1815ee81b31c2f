// Times a reduction and a scan on every target of this machine, beside a copy: the medians of calls after one
// that warms up. The argument is the number of elements.
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/machine.hpp>
#include <heddle/random.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>
#include <heddle/support/threads.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
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

/// The ceiling of this machine: memcpy by every thread of the target, or the GPU's own copy.
void copy(hd::array<float>& to, const hd::array<float>& from) {
  const hd::target where = from.where();
  if (where.is_gpu()) {
    to.copy_from(from);
    to.wait();  // what fills an array on a GPU has only been begun
  } else {
    hd::cpu::for_slices(where.threads(), from.size(), 4096, [&](std::size_t first, std::size_t last) {
      std::memcpy(to.data() + first, from.data() + first, (last - first) * sizeof(float));
    });
  }
}

struct sums {
  float of_reduce, of_scan;
  bool operator==(const sums&) const = default;
};

/// The same two calls for every target.
sums reduce_and_scan(const hd::target& where, const hd::array<float>& samples) {
  const hd::array<float> x = samples.on(where);
  hd::array<float> y = hd::empty_like(x);
  const double bytes = static_cast<double>(x.size() * sizeof(float));

  const double copy_seconds = median_seconds([&] { copy(y, x); });
  const auto print_row = [&](const char* pattern, std::optional<float> sum, double moved, double seconds) {
    std::printf("%-12s%-16s", where.text().c_str(), pattern);
    if (sum) std::printf("%12.8g", static_cast<double>(*sum));
    std::printf("%*.4g ms%9.1f GB/s%12.2f\n", sum ? 12 : 24, seconds * 1e3, moved / seconds / 1e9,
                moved / seconds / (2 * bytes / copy_seconds));
  };
  print_row("copy", {}, 2 * bytes, copy_seconds);

  sums found{};
  const double reduce_seconds = median_seconds([&] { found.of_reduce = hd::reduce(where, x); });
  print_row("reduce", found.of_reduce, bytes, reduce_seconds);

  const double scan_seconds = median_seconds([&] {
    hd::inclusive_scan_into(where, y, x);
    y.wait();
  });
  found.of_scan = y.back();
  print_row("inclusive_scan", found.of_scan, 2 * bytes, scan_seconds);
  return found;
}

void on_every_target(std::size_t count) {
  std::printf("Heddle on %s: %d cores, %s", hd::cpu_name().c_str(), hd::available_cores(),
              hd::cpu_instruction_set());
  for (const hd::gpu_properties& gpu : hd::gpus()) std::printf("; %s", gpu.name.c_str());
  std::printf("\n\n");
  std::printf("  x = hd::random::uniform(hd::target::parallel(), {%zu});   floats from 0 to 1\n", count);
  std::printf("  hd::reduce(where, x);                  reads x once\n");
  std::printf("  hd::inclusive_scan_into(where, y, x);  reads x once and writes y once\n\n");
  std::printf("%-12s%-16s%12s%15s%14s%12s\n", "where", "", "sum", "time", "rate", "of a copy");

  const hd::array<float> samples = hd::random::uniform(hd::target::parallel(), {count}, {.seed = 1});
  std::optional<sums> first;
  for (const hd::target& where : hd::target::available()) {
    const sums found = reduce_and_scan(where, samples);
    if (!first) first = found;
    if (found != *first) throw hd::error("the sums on " + where.text() + " differ from those on serial");
  }
  // Both round, each in an order of its own; n numbers with mean 1/2 and deviation 1/sqrt(12).
  const double n = static_cast<double>(count);
  if (std::abs(first->of_scan - first->of_reduce) > 1e-4 * n ||
      std::abs(first->of_reduce - n / 2) > 5 * std::sqrt(n / 12))
    throw hd::error("the sums are not those of " + std::to_string(count) + " uniform numbers");
  std::printf("\nEvery target computed the same bits. Next:\n\n");
  std::printf("  make test                      builds all of Heddle and runs every test\n");
  std::printf(
      "  make install PREFIX=~/heddle   installs the library and the command: heddle --help, heddle bench "
      "scan\n");
  std::printf("  pip install ./python           builds the Python package\n");
  std::printf("  examples/README.md             a short program for each idea of a first course on GPUs\n");
  std::printf("  docs/README.md                 every page\n");
}

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::size_t{1} << 26;
  if (count == 0 || argc > 2) {
    std::fputs("usage: demo [ELEMENTS]\n", stderr);
    return 2;
  }
  try {
    on_every_target(count);
    return 0;
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "demo: %s\n", wrong.what());
    return 1;
  }
}
