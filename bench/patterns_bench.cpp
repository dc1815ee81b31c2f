// How fast reduce, transform and the scans are on every target of this machine, as a fraction of what its
// memory does in the same run: the CPU's patterns beside a plain read and memcpy on the same threads, a GPU's
// beside a copy on the device. Sizes are elements: `patterns_bench [N]`, 2^27 unless given, which no cache
// flatters.
#include <heddle/cpu/threads.hpp>
#include <heddle/heddle.hpp>
#include <heddle/machine.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <fmt/core.h>

namespace hd = heddle;

namespace {

/// Reads every byte and does as little as possible with it.
__attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"))) std::uint64_t read_all(
    const std::uint64_t* x, std::size_t count) {
  std::uint64_t sums[64] = {};
  for (std::size_t i = 0; i + 64 <= count; i += 64) {
    for (std::size_t k = 0; k < 64; ++k) sums[k] |= x[i + k];
  }
  std::uint64_t all = 0;
  for (std::uint64_t sum : sums) all |= sum;
  return all;
}

struct row {
  std::string name;
  double bytes;
  std::function<void()> run;
  std::string ceiling;  ///< the row that this one is compared with; empty for a ceiling
  std::vector<double> seconds = {};

  double median() {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  }
};

/// Runs every row in turn, over and over, so that what disturbs the machine disturbs all of them.
void measure_and_print(const hd::target& where, std::vector<row> rows) {
  constexpr int warm_up = 2, repeats = 15;
  for (int repeat = -warm_up; repeat < repeats; ++repeat) {
    for (row& row : rows) {
      const auto start = std::chrono::steady_clock::now();
      row.run();
      where.wait();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      if (repeat >= 0) row.seconds.push_back(took.count());
    }
  }
  for (row& row : rows) {
    const double rate = row.bytes / row.median();
    std::string of_ceiling;
    for (auto& other : rows) {
      if (other.name == row.ceiling) {
        of_ceiling = fmt::format("{:.2f} of {}", rate / (other.bytes / other.median()), other.name);
      }
    }
    fmt::print("{:<12} {:<34} {:>9.3f} ms {:>8.1f} GB/s   {}\n", where.text(), row.name, row.median() * 1e3,
               rate / 1e9, of_ceiling);
  }
}

template <class T>
hd::array<T> varied(std::size_t n) {
  hd::array<T> x(n);
  T* const data = x.data();
  hd::for_each_index(hd::target::parallel(), hd::extent{n}, [=](std::size_t i) {
    data[i] = static_cast<T>((i * 2654435761u >> 7) % 97) / static_cast<T>(7);
  });
  return x;
}

template <class T>
void measure_type(const hd::target& where, std::size_t n, const char* type) {
  const hd::array<T> x = varied<T>(n).on(where), y = varied<T>(n).on(where);
  hd::array<T> out(n, where);
  out.fill(1);
  const double bytes = static_cast<double>(n * sizeof(T));
  volatile T kept;
  volatile std::uint64_t seen;
  std::vector<row> rows;
  const int threads = where.threads();
  const std::size_t piece = (std::size_t{1} << 20) / sizeof(T);
  if (!where.is_gpu()) {
    rows.push_back({"read", bytes,
                    [&, threads] {
                      hd::cpu::for_slices(threads, n, piece, [&](std::size_t first, std::size_t last) {
                        seen = read_all(reinterpret_cast<const std::uint64_t*>(x.data() + first),
                                        (last - first) * sizeof(T) / 8);
                      });
                    },
                    ""});
  }
  rows.push_back({"copy", 2 * bytes,
                  [&, threads] {
                    if (where.is_gpu()) return out.copy_from(x);
                    hd::cpu::for_slices(threads, n, piece, [&](std::size_t first, std::size_t last) {
                      std::memcpy(out.data() + first, x.data() + first, (last - first) * sizeof(T));
                    });
                  },
                  ""});
  const char* const read = where.is_gpu() ? "copy" : "read";
  auto name = [&](const char* pattern) { return fmt::format("{} {}", pattern, type); };
  rows.push_back({name("reduce plus"), bytes, [&] { kept = hd::reduce(where, x); }, read});
  rows.push_back({name("reduce minimum"), bytes, [&] { kept = hd::reduce(where, x, hd::minimum{}); }, read});
  rows.push_back({name("transform x * 2"), 2 * bytes,
                  [&] { hd::transform_into(where, out, x, T(2), hd::multiplies{}); }, "copy"});
  rows.push_back({name("transform x + y"), 3 * bytes,
                  [&] { hd::transform_into(where, out, x, y, hd::plus{}); }, "copy"});
  if (!where.is_gpu()) {
    rows.push_back({name("transform lambda"), 2 * bytes,
                    [&] { hd::transform_into(where, out, x, [](T a) { return a * a + T(1); }); }, "copy"});
  }
  rows.push_back(
      {name("inclusive_scan plus"), 2 * bytes, [&] { hd::inclusive_scan_into(where, out, x); }, "copy"});
  measure_and_print(where, std::move(rows));
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::size_t{1} << 27;
  fmt::print("{}, {} cores, {}; {} elements\n", hd::cpu_name(), hd::available_cores(),
             hd::cpu_instruction_set(), n);
  for (const hd::gpu_properties& gpu : hd::gpus()) fmt::print("gpu:{}: {}\n", gpu.device, gpu.name);
  for (const hd::target& where : hd::target::available()) {
    measure_type<float>(where, n, "float32");
    measure_type<double>(where, n / 2, "float64");
    measure_type<std::int32_t>(where, n, "int32");
  }
}
