// Measures the patterns that `heddle bench` does not, beside peers and a copy, and checks every result.
// Prints one JSON object a line; scripts/benchmark makes a page of them.
//
//   measure [--target T] [--only PATTERN,...] [--seconds S] [--log2-bytes N] [--quick]
#include "peers.hpp"
#include "session.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <execution>
#include <memory>
#include <numeric>
#include <string_view>

#include <fmt/core.h>
#include <oneapi/tbb/task_arena.h>

namespace heddle::measure {
namespace {

constexpr struct {
  const char* name;
  void (*measure)(const session&);
} families[] = {{"axes", measure_axes},
                {"sort", measure_sort},
                {"segmented", measure_segmented},
                {"gather", measure_gather},
                {"search", measure_search},
                {"histogram", measure_histogram},
                {"select", measure_select},
                {"statistics", measure_statistics},
                {"random", measure_random},
                {"matmul", measure_matmul},
                {"fft", measure_fft},
                {"operators", measure_operators},
                {"mandelbrot", measure_mandelbrot}};

constexpr std::size_t most_rounds = 201;

/// Work and the end of it, in seconds a call.
double time_of(const contender& one, std::size_t calls, const target& where) {
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < calls; ++i) one.call();
  where.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() /
         static_cast<double>(calls);
}

double quantile(std::vector<double>& values, double fraction) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// What is measured of one contender.
struct trial {
  std::size_t calls_a_sample = 1;
  bool is_right = false;
  std::vector<double> seconds, single_seconds;
};

void print_line(const session& with, const task& what, const contender& one, trial& of) {
  constexpr const char* kinds[] = {"ours", "peer", "ceiling"};
  const double median = quantile(of.seconds, 0.5);
  const double spread = (quantile(of.seconds, 0.75) - quantile(of.seconds, 0.25)) / median;
  fmt::print(
      R"({{"pattern":"{}","variant":"{}","target":"{}","dtype":"{}","n":{},"contender":"{}","kind":"{}",)"
      R"("seconds":{:.6g},"spread":{:.4f},"samples":{},"bytes":{:.15g},"operations":{:.15g},"checked":{})",
      what.pattern, what.variant, with.where.text(), what.dtype, what.n, one.name,
      kinds[static_cast<int>(one.kind)], median, spread, of.seconds.size(),
      one.bytes != 0 ? one.bytes : what.bytes, what.operations, of.is_right);
  if (!of.single_seconds.empty()) fmt::print(R"(,"call_seconds":{:.6g})", quantile(of.single_seconds, 0.5));
  if (one.is_right && !of.is_right) fmt::print(R"(,"wrong":true)");
  fmt::print("}}\n");
}

}  // namespace

void session::compare(const task& what, const contenders& all) const {
  // A sample is long beside the clock and beside what the end of the work costs.
  const double sample = where.is_gpu() ? 1e-3 : 2e-4;
  std::vector<trial> trials(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    double once = time_of(all[i], 1, where);
    trials[i].is_right = all[i].is_right && all[i].is_right();
    if (all[i].kind == role::ours && !trials[i].is_right) {
      throw error(fmt::format("measure: {} {} of {} {} on {}: the result of {} is wrong", what.pattern,
                              what.variant, what.n, what.dtype, where.text(), all[i].name));
    }
    once = std::min(once, time_of(all[i], 1, where));
    trials[i].calls_a_sample = static_cast<std::size_t>(std::clamp(sample / once, 1.0, 1e6));
    time_of(all[i], trials[i].calls_a_sample, where);
  }
  const auto began = std::chrono::steady_clock::now();
  const double most = seconds * static_cast<double>(all.size());
  const std::size_t least_rounds = quick ? 3 : 5;
  for (std::size_t round = 0; round < most_rounds; ++round) {
    const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - began;
    if (round >= least_rounds && lasted.count() > most) break;
    for (std::size_t i = 0; i < all.size(); ++i) {
      trials[i].seconds.push_back(time_of(all[i], trials[i].calls_a_sample, where));
      if (where.is_gpu()) trials[i].single_seconds.push_back(time_of(all[i], 1, where));
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) print_line(*this, what, all[i], trials[i]);
  std::fflush(stdout);
}

contender copy_of(const session& with, void* out, const void* x, std::size_t bytes) {
  const auto* const from = static_cast<const std::byte*>(x);
  auto* const to = static_cast<std::byte*>(out);
  const target where = with.where;
  contender made{"copy", role::ceiling, nullptr, nullptr, 2 * static_cast<double>(bytes)};
  if (where.is_gpu()) {
    made.call = [=] {
      array_view<std::byte>(to, shape{bytes}, where)
          .copy_from(array_view<const std::byte>(from, shape{bytes}, where));
    };
  } else if (where.threads() == 1) {
    made.call = [=] { std::memcpy(to, from, bytes); };
  } else {
    made.call = [=, threads = std::make_shared<tbb::task_arena>(where.threads())] {
      threads->execute([&] { std::copy(std::execution::par_unseq, from, from + bytes, to); });
    };
  }
  return made;
}

contenders read_of(const session& with, const void* x, std::size_t bytes) {
  const auto* const words = static_cast<const std::uint32_t*>(x);
  const std::size_t n = bytes / sizeof *words;
  contenders made = cub_read(with, words, n);
  if (!with.where.is_gpu()) {
    const auto read = [=] {
      volatile std::uint32_t sum = std::reduce(std::execution::unseq, words, words + n, std::uint32_t{0});
      static_cast<void>(sum);
    };
    const auto read_in_parallel = [=, threads = std::make_shared<tbb::task_arena>(with.where.threads())] {
      threads->execute([&] {
        volatile std::uint32_t sum =
            std::reduce(std::execution::par_unseq, words, words + n, std::uint32_t{0});
        static_cast<void>(sum);
      });
    };
    made.push_back({"read", role::ceiling, nullptr, nullptr});
    if (with.where.threads() == 1) {
      made[0].call = read;
    } else {
      made[0].call = read_in_parallel;
    }
  }
  for (contender& one : made) one.bytes = static_cast<double>(bytes);
  return made;
}

}  // namespace heddle::measure

int main(int argc, char** argv) {
  using namespace heddle;
  try {
    target where;
    std::string only;
    double seconds = 0.2;
    bool quick = false;
    std::size_t log2_bytes = 0;
    const auto usage = [](const std::string& wrong) {
      throw error("measure: " + wrong +
                  " (measure [--target T] [--only PATTERN,...] [--seconds S] [--log2-bytes N] [--quick])");
    };
    for (int i = 1; i < argc; ++i) {
      const std::string option = argv[i];
      if (option == "--quick") {
        quick = true;
        continue;
      }
      if (i + 1 == argc) usage(option + " lacks its value or is unknown");
      const std::string value = argv[++i];
      if (option == "--target") {
        where = target::parse(value);
      } else if (option == "--only") {
        only = "," + value + ",";
      } else if (option == "--seconds") {
        seconds = std::stod(value);
      } else if (option == "--log2-bytes") {
        log2_bytes = std::stoul(value);
        if (log2_bytes < 10 || log2_bytes > 40) usage("--log2-bytes is from 10 to 40");
      } else {
        usage("unknown option " + option);
      }
    }
    if (log2_bytes == 0) log2_bytes = where.is_gpu() ? 29 : quick ? 26 : 27;
    const measure::session with{where, seconds, quick, std::size_t{1} << log2_bytes};
    bool found = only.empty();
    for (const auto& family : measure::families) {
      if (!only.empty() && only.find("," + std::string(family.name) + ",") == only.npos) continue;
      found = true;
      family.measure(with);
    }
    if (!found) usage("no such pattern: " + only.substr(1, only.size() - 2));
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
