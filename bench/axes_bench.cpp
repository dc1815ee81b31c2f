// Reduce and scan along an axis: rows and columns of every length, and few columns, as bytes moved a second
// beside a copy of the same array in the same run.
//
//   axes_bench [TARGET [MiB]]      default: best, 1024 MiB on a GPU and 256 elsewhere
#include <heddle/heddle.hpp>
#include <heddle/impl/cpu/threads.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace hd = heddle;

namespace {

/// The median of eleven runs, in seconds.
template <class F>
double median_seconds(const hd::target& where, const F& run) {
  std::vector<double> seconds;
  for (int i = 0; i < 12; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    where.wait();
    const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - begin;
    if (i > 0) seconds.push_back(lasted.count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + 5, seconds.end());
  return seconds[5];
}

template <class T>
void measure(const hd::target& where, std::size_t bytes) {
  const std::size_t most = bytes / sizeof(T);
  hd::array<T> x(most, where), out(most, where);
  x.fill(T(1));
  const auto copy_all = [&] {
    if (where.is_gpu()) return out.copy_from(x);
    hd::cpu::for_slices(where.threads(), most, std::size_t{1} << 18,
                        [&](std::size_t first, std::size_t last) {
                          std::memcpy(out.data() + first, x.data() + first, (last - first) * sizeof(T));
                        });
  };
  const double copy = 2.0 * static_cast<double>(bytes) / median_seconds(where, copy_all);
  std::printf("%s on %s, %zu MiB, copy %.0f GB/s; fractions of that\n", name(hd::dtype_of<T>),
              where.text().c_str(), bytes >> 20, copy / 1e9);
  const auto scan_along = [&](const hd::shape& lengths, std::size_t axis) {
    const auto in = x.slice(0, lengths.elements()).reshaped(lengths);
    auto to = out.slice(0, lengths.elements()).reshaped(lengths);
    const double moved = 2 * static_cast<double>(lengths.elements() * sizeof(T));
    const hd::axis along{static_cast<std::ptrdiff_t>(axis)};
    return moved / copy / median_seconds(where, [&] { hd::inclusive_scan_into(where, to, in, along); });
  };
  const auto reduce_along = [&](const hd::shape& lengths, std::size_t axis) {
    const auto in = x.slice(0, lengths.elements()).reshaped(lengths);
    const double results = 1 + 1 / static_cast<double>(lengths[axis]);
    const double moved = results * static_cast<double>(lengths.elements() * sizeof(T));
    const hd::axis along{static_cast<std::ptrdiff_t>(axis)};
    return moved / copy / median_seconds(where, [&] { (void)hd::reduce(where, in, along); });
  };
  std::printf("%12s %14s %14s %14s %14s\n", "length", "reduce rows", "scan rows", "reduce columns",
              "scan columns");
  for (const std::size_t length :
       {1,    2,    3,    7,    8,    31,   32,     33,     100,    128,       511,    512,
        1000, 1024, 2047, 2048, 2049, 4097, 10'000, 16'384, 65'537, 1'000'003, 1 << 24}) {
    if (length > most) continue;
    const std::size_t others = most / length;
    std::printf("%12zu %14.2f %14.2f %14.2f %14.2f\n", length, reduce_along({others, length}, 1),
                scan_along({others, length}, 1), reduce_along({length, others}, 0),
                scan_along({length, others}, 0));
    std::fflush(stdout);
  }
  std::printf("%12s %44s %14s\n", "columns", "reduce columns", "scan columns");
  for (const std::size_t columns : {2, 3, 4, 5, 8, 13, 16, 31, 40, 64, 100, 128, 160, 256, 1000, 4095}) {
    const hd::shape lengths{most / columns, columns};
    std::printf("%12zu %44.2f %14.2f\n", columns, reduce_along(lengths, 0), scan_along(lengths, 0));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const hd::target where = argc > 1 ? hd::target::parse(argv[1]) : hd::target::best();
  const std::size_t bytes = (argc > 2 ? std::stoull(argv[2]) : where.is_gpu() ? 1024 : 256) << 20;
  measure<float>(where, bytes);
  measure<std::int8_t>(where, bytes);
  measure<double>(where, bytes);
}
