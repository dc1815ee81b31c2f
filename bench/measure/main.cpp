// Measures the patterns that `heddle bench` does not, beside peers and a copy, and checks every result.
// Prints one JSON object a line; scripts/benchmark makes a page of them.
//
//   measure [--target T] [--only PATTERN,...] [--seconds S] [--log2-bytes N] [--quick]
#include "bench/measurement.hpp"
#include "bench/stopwatch.hpp"
#include "peers.hpp"
#include "session.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <execution>
#include <memory>
#include <numeric>
#include <optional>
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

/// The measurement of one contender: calls that follow each other, and on a GPU single calls too.
struct trial {
  timing::sampler in_a_row;
  std::optional<timing::sampler> single;
  bool is_right = false;
};

void print_line(const session& with, const task& what, const contender& one, const trial& of) {
  constexpr const char* kinds[] = {"ours", "peer", "ceiling"};
  const timing::measurement found = of.in_a_row.result();
  fmt::print(
      R"({{"pattern":"{}","variant":"{}","target":"{}","dtype":"{}","n":{},"contender":"{}","kind":"{}",)"
      R"("seconds":{:.6g},"spread":{:.4f},"samples":{},"bytes":{:.15g},"operations":{:.15g},"checked":{})",
      what.pattern, what.variant, with.where.text(), what.dtype, what.n, one.name,
      kinds[static_cast<int>(one.kind)], found.seconds, found.interquartile() / found.seconds, found.samples,
      one.bytes != 0 ? one.bytes : what.bytes, what.operations, of.is_right);
  if (of.single) fmt::print(R"(,"call_seconds":{:.6g})", of.single->result().seconds);
  if (one.is_right && !of.is_right) fmt::print(R"(,"wrong":true)");
  fmt::print("}}\n");
}

}  // namespace

void session::compare(const task& what, const contenders& all) const {
  // A sample is long beside the clock and beside what the end of the work costs.
  const timing::batch in_a_row{1, std::size_t{1} << 20, where.is_gpu() ? 1e-3 : 2e-4};
  const timing::patience most{seconds, quick ? std::size_t{3} : std::size_t{5}};
  const std::unique_ptr<timing::stopwatch> watch = timing::wall_clock(where);
  std::vector<trial> trials;
  for (const contender& one : all) {
    one.call();
    where.wait();
    const bool is_right = one.is_right && one.is_right();
    if (one.kind == role::ours && !is_right) {
      throw error(fmt::format("measure: {} {} of {} {} on {}: the result of {} is wrong", what.pattern,
                              what.variant, what.n, what.dtype, where.text(), one.name));
    }
    const auto calls = [&one](std::size_t, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) one.call();
    };
    trials.push_back({timing::sampler(calls, *watch, in_a_row, most), {}, is_right});
    if (where.is_gpu()) trials.back().single.emplace(calls, *watch, timing::single_call, most);
  }
  for (bool is_finished = false; !is_finished;) {
    is_finished = true;
    for (trial& of : trials) {
      for (timing::sampler* const one : {&of.in_a_row, of.single ? &*of.single : nullptr}) {
        if (one == nullptr || one->is_finished()) continue;
        one->take_round();
        is_finished = false;
      }
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
