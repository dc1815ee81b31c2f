// Makes an array in a file, then reduces and scans it on every target that this machine has.
//
//   demo [ELEMENTS]      2^26 floats unless given

#include <heddle/heddle.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

namespace hd = heddle;

// The median time of a few calls, after one that warms up what is kept between calls.
template <class F>
double median_seconds(const F& call) {
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
  std::printf("%-16s%-14s%14.8g%12.3f ms%12.1f GB/s\n", pattern, where.text().c_str(),
              static_cast<double>(value), seconds * 1e3, static_cast<double>(bytes) / seconds / 1e9);
}

// Numbers from 0 to 1 that look random.
void make_samples(const std::string& path, std::size_t count) {
  hd::array<float> x(count);
  float* const samples = x.data();
  hd::for_each_index(hd::target::parallel(), hd::extent{count}, [=] HD_FN(std::size_t i) {
    const auto hash = static_cast<unsigned>((i + 1) * 0x9e3779b97f4a7c15 >> 40);
    samples[i] = static_cast<float>(hash) / (1 << 24);
  });
  hd::write_npy(path, x);
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
      running_total.wait();
    });
    print_row("inclusive_scan", where, running_total.back(), scan_seconds, 2 * bytes);
  }
}

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::size_t{1} << 26;
  if (count == 0 || argc > 2) {
    std::fputs("usage: demo [ELEMENTS]\n", stderr);
    return 2;
  }
  const std::string path =
      std::filesystem::temp_directory_path() / ("heddle-demo-" + std::to_string(::getpid()) + ".npy");
  int status = 0;
  try {
    make_samples(path, count);
    const hd::array<float> samples = hd::read_npy<float>(path);
    std::printf("%zu floats from %s\n\n", samples.size(), path.c_str());
    reduce_and_scan(samples);
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "demo: %s\n", wrong.what());
    status = 1;
  }
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return status;
}
