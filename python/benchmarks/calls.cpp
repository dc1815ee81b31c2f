/// Makes from C++ the calls that run.py makes from Python, on the first GPU, and prints a line of JSON for
/// each:
///
///     calls 1024,268435456 sum,cumsum

#include <heddle/any_patterns.hpp>
#include <heddle/kernel.hpp>
#include <heddle/random.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace hd = heddle;

namespace {

using clock_of_calls = std::chrono::steady_clock;

double since(clock_of_calls::time_point begin) {
  return std::chrono::duration<double>(clock_of_calls::now() - begin).count();
}

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
  return all[all.size() / 2];
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) all.push_back(word);
  return all;
}

/// What each call returns lives until it is done, as in Python.
std::map<std::string, std::function<void()>> calls_of(const hd::target& where, const hd::any_const_view& x) {
  const hd::elementwise_kernel line("float a, float& y", "y = a * 2 + 1");
  return {
      {"sum", [=] { hd::reduce(where, x, hd::axis{0}); }},
      {"max", [=] { hd::reduce(where, x, hd::axis{0}, hd::runtime_op::maximum); }},
      {"mean", [=] { hd::mean(where, x, hd::axis{0}); }},
      {"argmax", [=] { hd::argmax(where, x, hd::axis{0}); }},
      {"cumsum", [=] { hd::inclusive_scan(where, x); }},
      {"sort", [=] { hd::sort(where, x); }},
      {"argsort", [=] { hd::argsort(where, x); }},
      {"unique", [=] { hd::unique(where, x); }},
      {"rfft", [=] { hd::rfft(where, x); }},
      {"a * 2 + 1",
       [=] {
         hd::array<float> y(x.size(), where);
         line(where, x.as<float>(), y);
       }},
  };
}

void measure(const hd::target& where, const std::string& name, std::size_t n,
             const std::function<void()>& call) {
  constexpr double sample_seconds = 1e-2, short_call_seconds = 1e-3, most_seconds = 1.0;
  constexpr std::size_t least = 3, most = 101, singles = 200;
  const auto repeated = [&](std::size_t repeats) {
    const auto begin = clock_of_calls::now();
    for (std::size_t k = 0; k < repeats; ++k) call();
    where.wait();
    return since(begin) / static_cast<double>(repeats);
  };
  repeated(1);
  const auto repeats = static_cast<std::size_t>(std::max(1L, std::lround(sample_seconds / repeated(1))));
  std::vector<double> samples;
  const auto begin = clock_of_calls::now();
  while (samples.size() < most && (samples.size() < least || since(begin) < most_seconds))
    samples.push_back(repeated(repeats));
  std::printf(R"({"call": "%s", "n": %zu, "seconds": %.9g, "samples": %zu)", name.c_str(), n, median(samples),
              samples.size());
  if (median(samples) < short_call_seconds) {
    std::vector<double> returned, ready;
    for (std::size_t k = 0; k < singles; ++k) {
      const auto start = clock_of_calls::now();
      call();
      returned.push_back(since(start));
      where.wait();
      ready.push_back(since(start));
    }
    std::printf(R"(, "returned": %.9g, "ready": %.9g)", median(returned), median(ready));
  }
  std::puts("}");
}

void run(const std::string& sizes, const std::string& names) {
  const hd::target where = hd::target::gpu();
  for (const std::string& size : words(sizes)) {
    const std::size_t n = std::stoull(size);
    hd::any_array x(hd::dtype::float32, {n}, where);
    hd::random::sequence::uniform(hd::dtype::float32, {n, 0}).fill(where, 0, n, x.data());
    const auto calls = calls_of(where, x);
    for (const std::string& name : words(names)) measure(where, name, n, calls.at(name));
  }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count != 3) throw std::invalid_argument("give the sizes and the calls, such as 1024,4096 sum,cumsum");
    run(arguments[1], arguments[2]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "calls: %s\n", e.what());
    return 1;
  }
}
