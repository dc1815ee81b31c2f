// Random cases of every pattern beside plain loops. A case that fails is made smaller, and a line repeats it.
#include "choices.hpp"
#include "properties.hpp"
#include <heddle/array.hpp>
#include <heddle/reduce.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::tests::differential {
namespace {

using clock = std::chrono::steady_clock;

std::vector<property> all_properties() {
  std::vector<property> all;
  for (const auto some : {reductions, scans, orders, selections, statistics, elementwise, numerics, files,
                          user_types, patterns_over_ranks, simulations, flows, pictures, random_numbers}) {
    const std::vector<property> more = some();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// The numbers of a case.
using sequence = std::vector<std::uint64_t>;

/// How a process that runs cases ended.
struct ending {
  bool failed = false;
  std::string why;
};

void mix(std::uint64_t& seed) {
  seed += 0x9e3779b97f4a7c15u;
  seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
}

class runner {
 public:
  runner(std::vector<property> all, const limits& most, int seconds_a_case)
      : all_(std::move(all)), most_(most), seconds_a_case_(seconds_a_case) {
    void* const shared =
        mmap(nullptr, sizeof(record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw std::runtime_error("differential: no memory to share with a process");
    record_ = new (shared) record{};
  }
  ~runner() { munmap(record_, sizeof(record)); }
  runner(const runner&) = delete;

  const std::vector<property>& properties() const { return all_; }
  const record& last() const { return *record_; }

  /// The instruction sets that this processor has, by their names in HEDDLE_SIMD.
  std::vector<std::string> instruction_sets() {
    std::vector<std::string> all;
    for (const char* const name : {"baseline", "avx2", "avx512"}) {
      const auto reduces = [&] {
        setenv("HEDDLE_SIMD", name, 1);
        reduce(target::serial(), array<float>(1000, 1.0f));
      };
      if (!in_process(true, reduces).failed) all.emplace_back(name);
    }
    return all;
  }

  /// New cases from `seed` until `end`, at most `most_cases`, in a process of their own.
  ending run_new(std::uint64_t seed, clock::time_point end, std::uint64_t most_cases) {
    return in_process(false, [&] {
      for (std::uint64_t i = 0; i < most_cases && clock::now() < end; ++i) {
        mix(seed);
        record_->property = seed % all_.size();
        ++record_->cases;
        choices from(seed, *record_);
        all_[record_->property].run(from, most_);
      }
    });
  }

  /// One case again.
  ending run_again(std::size_t number, const sequence& values, bool quiet) {
    return in_process(quiet, [&] {
      record_->property = number;
      ++record_->cases;
      choices from(values.data(), values.size(), *record_);
      all_[number].run(from, most_);
    });
  }

  /// A case that fails too, of smaller numbers.
  sequence shrunk(std::size_t number, sequence values, clock::time_point end) {
    const auto still_fails = [&](const sequence& tried) {
      return clock::now() < end && run_again(number, tried, true).failed;
    };
    for (bool is_smaller = true; is_smaller && clock::now() < end;) {
      is_smaller = false;
      while (!values.empty() && still_fails(sequence(values.begin(), values.end() - 1))) {
        values.pop_back();
        is_smaller = true;
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        // The least number from 0 on that fails, as if all larger ones did.
        std::uint64_t low = 0, high = values[i];
        while (low < high) {
          const std::uint64_t middle = low == 0 && high == values[i] ? 0 : low + (high - low) / 2;
          sequence tried = values;
          tried[i] = middle;
          if (still_fails(tried)) {
            high = middle;
          } else {
            low = middle + 1;
          }
        }
        if (high < values[i]) {
          values[i] = high;
          is_smaller = true;
        }
      }
    }
    return values;
  }

 private:
  template <class F>
  ending in_process(bool quiet, const F& f) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("differential: no process can be started");
    if (child == 0) {
      if (quiet) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDERR_FILENO);
        dup2(nowhere, STDOUT_FILENO);
      }
      _exit(run_reporting(f));
    }
    return wait_for(child);
  }

  template <class F>
  int run_reporting(const F& f) {
    try {
      f();
      return 0;
    } catch (const std::exception& problem) {
      std::strncpy(record_->failure.data(), problem.what(), record_->failure.size() - 1);
    } catch (...) {
      std::strncpy(record_->failure.data(), "an exception of an unknown type", record_->failure.size() - 1);
    }
    return 1;
  }

  ending wait_for(pid_t child) const {
    int status = 0;
    std::uint64_t seen = record_->cases;
    clock::time_point since = clock::now();
    while (waitpid(child, &status, WNOHANG) == 0) {
      usleep(200);
      if (record_->cases != seen) {
        seen = record_->cases;
        since = clock::now();
      }
      if (clock::now() - since < std::chrono::seconds(seconds_a_case_)) continue;
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return {true, fmt::format("no end after {} s", seconds_a_case_)};
    }
    if (WIFSIGNALED(status)) return {true, fmt::format("signal {}", WTERMSIG(status))};
    if (WEXITSTATUS(status) == 0) return {};
    const std::string why = record_->failure.data();
    return {true, why.empty() ? "a sanitizer ended the process" : why};
  }

  std::vector<property> all_;
  limits most_;
  int seconds_a_case_;
  record* record_;
};

std::string repeats(const runner& cases, std::size_t number, const sequence& values) {
  return fmt::format("{}:{}", cases.properties()[number].name, fmt::join(values, ","));
}

/// Makes the last case smaller, and says how to repeat it.
void report(runner& cases, const ending& found, const std::string& options) {
  const std::size_t number = cases.last().property;
  const sequence values(cases.last().values.begin(), cases.last().values.begin() + cases.last().count);
  fmt::print("FAILED {}: {}\n  {}\n", cases.properties()[number].name, cases.last().note.data(), found.why);
  std::fflush(stdout);
  const sequence smaller = cases.shrunk(number, values, clock::now() + std::chrono::seconds(30));
  const ending again = cases.run_again(number, smaller, false);
  const char* const set = std::getenv("HEDDLE_SIMD");
  fmt::print("  smallest: {}\n  {}\n  repeat: {}differential{} --repeat {}\n", cases.last().note.data(),
             again.failed ? again.why : "did not fail when it was repeated",
             set == nullptr ? "" : fmt::format("HEDDLE_SIMD={} ", set), options,
             repeats(cases, number, again.failed ? smaller : values));
  std::fflush(stdout);
}

int repeat(runner& cases, const std::string& line) {
  const std::size_t colon = line.find(':');
  const std::string name = line.substr(0, colon);
  for (std::size_t number = 0; number < cases.properties().size(); ++number) {
    if (cases.properties()[number].name != name) continue;
    sequence values;
    std::istringstream numbers(colon == std::string::npos ? "" : line.substr(colon + 1));
    for (std::string value; std::getline(numbers, value, ',');) values.push_back(std::stoull(value));
    const ending found = cases.run_again(number, values, false);
    fmt::print("{}: {}\n  {}\n", name, cases.last().note.data(), found.failed ? found.why : "holds");
    return found.failed ? 1 : 0;
  }
  fmt::print(stderr, "differential: no property is called {}: --list names them\n", name);
  return 2;
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app("Random cases of every pattern beside plain loops");
  double seconds = 10;
  std::uint64_t seed =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::size_t elements = 4096;
  int most_failures = 5, seconds_a_case = 120;
  std::string repeated;
  std::vector<std::string> only;
  bool has_gpu = false, lists = false;
  app.add_option("--seconds", seconds, "how long to look for failures")->capture_default_str();
  app.add_option("--seed", seed, "of the cases; by default the time");
  app.add_option("--elements", elements, "the most elements of an array")->capture_default_str();
  app.add_option("--only", only, "names of properties");
  app.add_option("--most-failures", most_failures, "stop after so many")->capture_default_str();
  app.add_option("--case-seconds", seconds_a_case, "a case that takes longer has failed")
      ->capture_default_str();
  app.add_option("--repeat", repeated, "one case, as a failure names it");
  app.add_flag("--gpu", has_gpu, "run on GPU 0 too");
  app.add_flag("--list", lists, "name the properties");
  CLI11_PARSE(app, argc, argv);

  std::vector<property> all = all_properties();
  if (!only.empty()) {
    std::erase_if(
        all, [&](const property& p) { return std::find(only.begin(), only.end(), p.name) == only.end(); });
    if (all.empty()) return fmt::print(stderr, "differential: no such property: --list names them\n"), 2;
  }
  if (lists) {
    for (const property& p : all) fmt::print("{}\n", p.name);
    return 0;
  }
  runner cases(all, {elements, has_gpu}, seconds_a_case);
  if (!repeated.empty()) return repeat(cases, repeated);

  const char* const given = std::getenv("HEDDLE_SIMD");
  const std::vector<std::string> sets =
      given != nullptr ? std::vector<std::string>{given} : cases.instruction_sets();
  const std::string options = fmt::format(" --elements {}{}", elements, has_gpu ? " --gpu" : "");
  fmt::print("differential --seed {}{}: {} properties, {} s, {}\n", seed, options, all.size(), seconds,
             fmt::join(sets, " "));
  std::fflush(stdout);
  const clock::time_point end =
      clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
  int failures = 0;
  std::uint64_t batch = 0;
  while (clock::now() < end && failures < most_failures) {
    // Read by each process anew.
    if (!sets.empty()) setenv("HEDDLE_SIMD", sets[batch % sets.size()].c_str(), 1);
    const ending found = cases.run_new(seed ^ ++batch << 48, end, 500);
    if (!found.failed) continue;
    ++failures;
    report(cases, found, options);
  }
  fmt::print("{} cases, {} failures\n", cases.last().cases, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace heddle::tests::differential

int main(int argc, char** argv) {
  return heddle::tests::differential::run(argc, argv);
}
