// Sorts of random, sorted and few different elements beside std::sort on one core and tbb::parallel_sort on
// several, in one run: milliseconds of Heddle's sort, and how many times as long the other takes, by the
// clock and by the time of all cores.
//
//   sort_bench [THREADS [LOG2 OF THE MOST ELEMENTS]]      default: every core, 26
#include <heddle/machine.hpp>
#include <heddle/sort.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_sort.h>

namespace hd = heddle;

namespace {

enum class kind { random, sorted, few };
constexpr const char* name_of(kind which) {
  constexpr const char* names[] = {"random", "sorted", "few"};
  return names[static_cast<int>(which)];
}

template <class T>
std::vector<T> elements(kind which, std::size_t n, std::uint64_t seed) {
  std::vector<T> x(n);
  std::uint64_t state = seed;
  for (T& value : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto bits = static_cast<std::int64_t>(state ^ (state >> 29));
    if (which == kind::few) {
      value = static_cast<T>(bits & 15);
    } else if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(static_cast<double>(bits) * 0x1p-63);
    } else {
      value = static_cast<T>(bits);
    }
  }
  if (which == kind::sorted) std::sort(x.begin(), x.end());
  return x;
}

struct cost {
  double clock, cores;
};

cost operator/(const cost& a, const cost& b) {
  return {a.clock / b.clock, a.cores / b.cores};
}

/// What one call of `sort` takes, on average of those of all arrays.
template <class T, class Sort>
cost time_of(std::vector<std::vector<T>> arrays, const Sort& sort) {
  const std::clock_t cores = std::clock();
  const auto clock = std::chrono::steady_clock::now();
  for (std::vector<T>& array : arrays) sort(array);
  const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - clock;
  const double spent = static_cast<double>(std::clock() - cores) / CLOCKS_PER_SEC;
  const double count = static_cast<double>(arrays.size());
  return {lasted.count() / count, spent / count};
}

cost median(std::vector<cost> all) {
  const auto middle = [&](double cost::* part) {
    std::sort(all.begin(), all.end(), [part](const cost& a, const cost& b) { return a.*part < b.*part; });
    return all[all.size() / 2].*part;
  };
  return {middle(&cost::clock), middle(&cost::cores)};
}

template <class T>
void measure(const hd::target& where, std::size_t n) {
  // Of small arrays many, or the processor would learn which way their comparisons go.
  const std::size_t repeats = std::max<std::size_t>(1, (std::size_t{1} << 19) / n);
  for (const kind which : {kind::random, kind::sorted, kind::few}) {
    std::vector<std::vector<T>> x;
    for (std::size_t i = 0; i < repeats; ++i) x.push_back(elements<T>(which, n, i + 1));
    std::vector<cost> ours, theirs;
    // In turn, so that whatever else the machine does slows both.
    for (int round = 0; round < 3; ++round) {
      ours.push_back(time_of(x, [&](std::vector<T>& y) { hd::sort_into(where, y, y); }));
      theirs.push_back(time_of(x, [&](std::vector<T>& y) {
        if (where.threads() == 1) return std::sort(y.begin(), y.end());
        tbb::parallel_sort(y.begin(), y.end());
      }));
    }
    const cost one = median(ours), ratio = median(theirs) / one;
    fmt::print("{:>9} {:>8} {:>6} {:>12.4f} {:>9.2f} {:>9.2f}\n", hd::name(hd::dtype_of<T>), n,
               name_of(which), 1e3 * one.clock, ratio.clock, ratio.cores);
    std::fflush(stdout);
  }
}

void measure_all(const hd::target& where, unsigned most) {
  fmt::print("{}, beside {}\n{:>9} {:>8} {:>6} {:>12} {:>9} {:>9}\n", where.text(),
             where.threads() == 1 ? "std::sort" : "tbb::parallel_sort", "type", "n", "", "ms", "clock",
             "cores");
  for (const unsigned log2 : {7u, 8u, 9u, 10u, 12u, 16u, 22u, 26u}) {
    if (log2 > most) continue;
    const std::size_t n = std::size_t{1} << log2;
    measure<std::int32_t>(where, n);
    measure<float>(where, n);
    measure<std::int64_t>(where, n);
    measure<double>(where, n);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::stoi(argv[1]) : hd::available_cores();
  const unsigned most = argc > 2 ? static_cast<unsigned>(std::stoul(argv[2])) : 26;
  const tbb::global_control as_many(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
  measure_all(hd::target::serial(), most);
  if (threads > 1) measure_all(hd::target::parallel(threads), most);
}
