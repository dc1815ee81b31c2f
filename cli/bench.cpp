#include "bench/measurement.hpp"
#include "cli/bench/answers.hpp"
#include "cli/bench/buffers.hpp"
#include "cli/bench/ceilings.hpp"
#include "cli/bench/chart.hpp"
#include "cli/bench/contender.hpp"
#include "cli/bench/gpu.hpp"
#include "cli/bench/patterns.hpp"
#include "cli/bench/peers.hpp"
#include "cli/bench/report.hpp"
#include "cli/bench/scaling.hpp"
#include "cli/bench/sizes.hpp"
#include "cli/files/interruption.hpp"
#include "cli/files/progress.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/kernels/run_options.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/patterns/element_types.hpp"
#include "commands.hpp"
#include "machine_description.hpp"
#include "over_ranks.hpp"
#include <heddle/dtype.hpp>
#include <heddle/error.hpp>
#include <heddle/interruption.hpp>
#include <heddle/machine.hpp>
#include <heddle/support/atomic_file.hpp>
#include <heddle/support/threads.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

using namespace bench;
using namespace timing;
using json = nlohmann::ordered_json;

constexpr std::pair<const char*, pattern> patterns[] = {
    {"reduce", pattern::reduce}, {"scan", pattern::scan}, {"transform", pattern::transform}};

constexpr std::pair<const char*, runtime_op> operators[] = {{"sum", runtime_op::plus},
                                                            {"max", runtime_op::maximum}};

constexpr contenders (*families_of_peers[])(const workload&) = {
    standard_peers,
#if defined(HEDDLE_BENCH_THRUST_OPENMP)
    thrust_openmp_peers,
#endif
#if defined(HEDDLE_BENCH_THRUST_TBB)
    thrust_tbb_peers,
#endif
#if defined(HEDDLE_BENCH_CUDA)
    cub_peers,           thrust_gpu_peers,
#endif
};

struct bench_options {
  std::string pattern, op = "sum", targets, types = "float32", sizes, algorithms;
  std::string json_file, plot_file;
  double seconds = 1;
  bool peers = false, check = false, in_cache = false, quiet = false, ranks = false;
};

/// The measurements that the options ask for.
struct plan {
  pattern which;
  runtime_op combine;
  std::vector<target> targets;
  std::vector<dtype> types;
  std::vector<std::size_t> sizes;
  std::vector<std::string> algorithms;
};

/// Parses each part of a list, whose every part has been checked.
template <class Parse>
auto parsed_list(const std::string& text, const Parse& parse) {
  std::vector<decltype(parse(text))> all;
  for (const std::string& part : list_of(text)) {
    const auto value = parse(part);
    if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
  }
  return all;
}

/// The entry of a table under a name, which has been checked.
template <class Value, std::size_t N>
Value named(const std::pair<const char*, Value> (&all)[N], const std::string& name) {
  return std::find_if(std::begin(all), std::end(all), [&](const auto& one) { return one.first == name; })
      ->second;
}
template <class Value, std::size_t N>
std::vector<std::string> names_of(const std::pair<const char*, Value> (&all)[N]) {
  std::vector<std::string> names;
  for (const auto& one : all) names.emplace_back(one.first);
  return names;
}

plan plan_of(const bench_options& options) {
  plan made;
  made.which = named(patterns, options.pattern);
  made.combine = named(operators, options.op);
  if (made.which == pattern::transform && made.combine != runtime_op::plus) {
    throw CLI::ValidationError("--op", "transform adds 1: it has no other operator");
  }
  made.targets = options.targets.empty() ? target::available() : parsed_list(options.targets, target::parse);
  made.types = parsed_list(options.types, parse_dtype);
  for (const dtype type : made.types) {
    if (made.combine == runtime_op::maximum && type >= dtype::complex64) {
      fail_complex_order(options.op.c_str(), type, " (sum takes them)");
    }
  }
  for (const std::string& part : list_of(options.sizes.empty() ? "2^12..2^26" : options.sizes)) {
    for (const std::size_t size : parse_sizes(part)) made.sizes.push_back(size);
  }
  std::sort(made.sizes.begin(), made.sizes.end());
  made.sizes.erase(std::unique(made.sizes.begin(), made.sizes.end()), made.sizes.end());

  const std::vector<std::string> known = algorithms_of(made.which);
  made.algorithms = {known.front()};
  if (options.algorithms == "all") {
    made.algorithms = known;
  } else if (!options.algorithms.empty()) {
    made.algorithms = parsed_list(options.algorithms, [&](const std::string& name) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        std::string names;
        for (const std::string& one : known) names += ", " + one;
        throw CLI::ValidationError("--algorithm",
                                   fmt::format("'{}' is no algorithm of {} ({} are, and all alone)", name,
                                               options.pattern, names.substr(2)));
      }
      return name;
    });
  }
  return made;
}

/// oneTBB and OpenMP end the process where the system refuses them a thread, and each has as many as the
/// target.
void require_threads_for_peers(const target& where) {
  const std::size_t each = static_cast<std::size_t>(where.threads()) - 1, wanted = 2 * each + 1,
                    given = cpu::threads_given(wanted);
  if (given < wanted) {
    fail(fmt::format("--peers need {} threads, and the system gives {}: leave them out", wanted, given));
  }
}

/// Everything that does the same work.
contenders contenders_for(const workload& work, const plan& what, bool with_peers) {
  contenders all;
  for (const std::string& algorithm : what.algorithms) all.push_back(heddle_pattern(work, algorithm));
  if (with_peers) {
    for (const auto peers : families_of_peers) {
      contenders found = peers(work);
      std::move(found.begin(), found.end(), std::back_inserter(all));
    }
  }
  if (work.pattern != pattern::reduce) {
    all.push_back(copy_ceiling(work));
  } else {
    all.push_back(read_ceiling(work));
    if (with_peers) {
      all.push_back(copy_ceiling(work));
      all.back().kind = contender::kind::peer;
    }
  }
  return all;
}

/// The measurement of one contender.
class trial {
 public:
  trial(const workload& work, const contender& what, stopwatch& device_watch, stopwatch& wall_watch,
        double most_seconds)
      : what_(what) {
    const bool on_gpu = work.where.is_gpu();
    const auto sample = [&](sampler::calls calls, stopwatch& watch, batch size) {
      samplers_.emplace_back(std::move(calls), watch, size, patience{most_seconds}, stop_if_interrupted);
    };
    sample(what.calls, device_watch, on_gpu ? single_call : calls_by_wall_clock);
    if (!on_gpu) return;
    sample(what.calls, device_watch, back_to_back_calls);
    const auto whole = [calls = what.calls, call = what.whole_call](std::size_t first, std::size_t count) {
      call == nullptr ? calls(first, count) : call(first);
    };
    sample(whole, wall_watch, single_call);
  }

  bool is_finished() const {
    return std::all_of(samplers_.begin(), samplers_.end(), [](const sampler& s) { return s.is_finished(); });
  }
  void take_round() {
    for (sampler& sampler : samplers_) {
      if (!sampler.is_finished()) sampler.take_round();
    }
  }
  result finished(const workload& work) const {
    result made{
        work.where,           work.type, work.n, what_.name, what_.kind, what_.bytes, work.elements->count(),
        samplers_[0].result()};
    if (samplers_.size() > 1) {
      made.back_to_back = samplers_[1].result();
      made.whole_call = samplers_[2].result();
    }
    return made;
  }

 private:
  const contender& what_;
  std::vector<sampler> samplers_;
};

/// Measures all contenders for one workload, alternately.
std::vector<result> measure(const workload& work, const contenders& all, double most_seconds,
                            progress& shown) {
  const std::unique_ptr<stopwatch> wall_watch = wall_clock(work.where);
  const std::unique_ptr<stopwatch> gpu_watch = work.where.is_gpu() ? gpu_stopwatch(work.where) : nullptr;
  std::vector<trial> trials;
  for (const contender& one : all) {
    trials.emplace_back(work, one, gpu_watch ? *gpu_watch : *wall_watch, *wall_watch, most_seconds);
  }
  for (bool finished = false; !finished;) {
    finished = true;
    for (trial& one : trials) {
      if (one.is_finished()) continue;
      one.take_round();
      finished = finished && one.is_finished();
      shown.advance(0);
    }
  }
  std::vector<result> results;
  results.reserve(trials.size());
  for (const trial& one : trials) results.push_back(one.finished(work));
  const auto ceiling = std::find_if(results.begin(), results.end(),
                                    [](const result& r) { return r.kind == contender::kind::ceiling; });
  for (result& one : results) {
    if (one.kind == contender::kind::ceiling) continue;
    one.ceiling = ceiling->name;
    one.fraction = one.gb_per_s() / ceiling->gb_per_s();
  }
  return results;
}

void write(atomic_file& file, const std::string& text) {
  file.write(text.data(), text.size());
  file.commit();
}

/// About how long the measurement of n elements lasts on a target, in any unit: what the progress line goes
/// by.
std::size_t expected_work(const target& where, dtype type, std::size_t n) {
  constexpr std::size_t least = std::size_t{1} << 28;
  return least + 20 * n * size_of(type) / (where.is_gpu() ? 100 : 1);
}

/// Whether a plan's calls write as many elements as they read; a peer of a reduction copies.
bool has_output(const plan& what, const bench_options& options) {
  return what.which != pattern::reduce || options.peers;
}

/// Says before anything is measured what there is no memory for.
void require_memory_for(const plan& what, const bench_options& options) {
  const std::size_t n = what.sizes.back();
  for (const target& where : what.targets) {
    for (const dtype type : what.types) {
      const auto scratch = [&](const std::string& algorithm) {
        return scratch_bytes(what.which, algorithm, type, n);
      };
      const std::string& largest =
          *std::max_element(what.algorithms.begin(), what.algorithms.end(),
                            [&](const auto& a, const auto& b) { return scratch(a) < scratch(b); });
      require_memory(where, type, n, has_output(what, options), largest, scratch(largest));
    }
  }
}

/// Does a part of the measurement of n elements; what is wrong with it, or nothing.
template <class Part>
std::optional<std::string> failure_of(const target& where, dtype type, std::size_t n, const Part& part) {
  operation running("bench", n, name(type));
  running.runs_on(where);
  try {
    part();
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    return fmt::format("bench: {} {} on {}: out of memory", n, name(type), where.text());
  } catch (const interruption&) {
    throw;
  } catch (const std::exception& wrong) {
    return wrong.what();
  }
}

/// Adds what it measures to the results and prints it, row by row. What went wrong ends it, and is returned.
std::optional<std::string> measure_all(const plan& what, const bench_options& options, progress& shown,
                                       std::vector<result>& results) {
  const bool with_gpu = std::any_of(what.targets.begin(), what.targets.end(),
                                    [](const target& where) { return where.is_gpu(); });
  for (const target& where : what.targets) {
    for (const dtype type : what.types) {
      std::optional<buffers> elements;
      auto failure = failure_of(where, type, what.sizes.back(), [&] {
        if (options.peers && where.threads() > 1) require_threads_for_peers(where);
        release_cached_memory(where);
        elements.emplace(where, type, has_output(what, options), what.sizes,
                         options.in_cache ? buffers::rotation::none : buffers::rotation::out_of_cache);
      });
      if (failure) return failure;
      for (const std::size_t n : what.sizes) {
        shown.show_instead_of_rate(fmt::format("{} {} {}", where.text(), name(type), size_text(n)));
        shown.advance(0);
        std::vector<result> measured;
        failure = failure_of(where, type, n, [&] {
          elements->set_size(n);
          const workload work{what.which, what.combine, where, type, n, &*elements};
          const contenders all = contenders_for(work, what, options.peers);
          for (const contender& one : all) {
            if (options.check && one.kind == contender::kind::algorithm && has_answer(type))
              check_against_loop(work, one);
          }
          measured = measure(work, all, options.seconds, shown);
        });
        if (failure) return failure;
        shown.hide();
        std::string rows = results.empty() ? head_text(with_gpu) : "";
        for (const result& one : measured) rows += row_text(one);
        print(rows);
        results.insert(results.end(), measured.begin(), measured.end());
        shown.advance(expected_work(where, type, n));
      }
    }
  }
  return std::nullopt;
}

/// Runs the measurements of --ranks, on the ranks that mpirun started or on one.
void run_over_ranks(const bench_options& options) {
  const ranks all = is_over_ranks() ? ranks_on("auto") : ranks();
  const std::vector<std::size_t> sizes = parse_sizes(options.sizes.empty() ? "2^24" : options.sizes);
  if (sizes.size() != 1) throw CLI::ValidationError("--size", "--ranks takes one size");
  const std::string path = written_by_first(options.json_file);
  std::optional<atomic_file> json_file;
  if (!path.empty()) json_file.emplace(path);
  json described;
  if (is_first_rank() && json_file) described["machine"] = machine_description();
  begin_together();
  print(fmt::format("{:<16}{:<8}{:>6}{:>14}{:>14}{:>16}\n", "what", "scaling", "ranks", "work", "ms",
                    "a second"));
  for (const scaling_result& one : measure_over_ranks(all, sizes[0], options.seconds)) {
    print(fmt::format("{:<16}{:<8}{:>6}{:>14}{:>14.4f}{:>16.4g}\n", one.what, one.scaling, all.size(),
                      one.work, 1e3 * one.seconds, one.rate));
    described["results"].push_back({{"what", one.what},
                                    {"scaling", one.scaling},
                                    {"ranks", all.size()},
                                    {"target", all.where().text()},
                                    {"work", one.work},
                                    {"things", one.things},
                                    {"seconds", one.seconds},
                                    {"per_second", one.rate}});
  }
  if (json_file) write(*json_file, described.dump(2) + "\n");
}

void run(const bench_options& options) {
  if (options.ranks) return run_over_ranks(options);
  if (options.pattern.empty()) throw CLI::RequiredError("PATTERN");
  refuse_over_ranks(true, "bench", "it takes --ranks");
  const plan what = plan_of(options);
  if (!options.plot_file.empty()) require_gnuplot();
  const measured_work work{options.pattern, options.op, options.check};
  std::optional<atomic_file> json_file, plot_file;
  if (!options.json_file.empty()) json_file.emplace(options.json_file);
  if (!options.plot_file.empty()) plot_file.emplace(options.plot_file);
  json all;
  if (json_file) all["machine"] = machine_description();
  require_memory_for(what, options);

  std::size_t total = 0;
  for (const target& where : what.targets) {
    for (const dtype type : what.types) {
      for (const std::size_t n : what.sizes) total += expected_work(where, type, n);
    }
  }
  progress shown(total, options.quiet);
  std::vector<result> results;
  const std::optional<std::string> failure = measure_all(what, options, shown, results);
  shown.hide();
  if (failure && results.empty()) fail(*failure);

  if (json_file) {
    for (const result& one : results) all["results"].push_back(json_of(one, work));
    if (failure) all["error"] = *failure;
    write(*json_file, all.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
  }
  if (plot_file) write(*plot_file, draw_chart(panels_of(what.targets, what.types, work, results)));
  if (failure) {
    const bool written = json_file || plot_file;
    fail(*failure + (written ? "; what was measured until then is written" : ""));
  }
}

std::string check_place(const std::string& text) {
  return text == "auto" ? "auto is no place to measure: name targets" : check_target(text);
}

std::string check_chart(const std::string& name) {
  const std::string ending = std::filesystem::path(name).extension();
  return ending.empty() || ending == ".svg" ? ""
                                            : fmt::format("a chart is an SVG: name it .svg, not {}", ending);
}

std::string check_sizes(const std::string& text) {
  try {
    parse_sizes(text);
    return "";
  } catch (const error& wrong) {
    return wrong.what();
  }
}

}  // namespace

void add_bench(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("bench", "How fast the patterns are on this machine, and its ceilings");
  const auto options = std::make_shared<bench_options>();
  CLI::Option* const pattern = command->add_option("PATTERN", options->pattern, "reduce, scan or transform")
                                   ->option_text(" ")
                                   ->check(CLI::IsMember(names_of(patterns)));
  command
      ->add_flag("--ranks", options->ranks,
                 "Under mpirun: patterns, the exchange between neighbours and simulations over ranks")
      ->excludes(pattern);
  command->add_option("--op", options->op, "sum|max, of reduce and scan; default sum")
      ->option_text("OP")
      ->check(CLI::IsMember(names_of(operators)));
  command
      ->add_option("--target", options->targets,
                   "serial, parallel[:N], gpu[:ID]; default all of this machine")
      ->option_text("T,...")
      ->transform([](const std::string& text) {
        std::string all;
        for (const std::string& part : list_of(text))
          all += (all.empty() ? "" : ",") + target_in_digits(part);
        return all;
      })
      ->check(each(check_place), "{serial,parallel,gpu}");
  command
      ->add_option("--size", options->sizes,
                   "Elements: 1000, 2^24, 1e6, or 2^10..2^28 (each twice the last; with :4, four times); "
                   "default 2^12..2^26")
      ->option_text("N,...")
      ->check(each(check_sizes));
  command->add_option("--type", options->types, "Element types, such as int32; default float32")
      ->option_text("T,...")
      ->check(each(check_dtype), set_of_dtypes());
  command
      ->add_option("--algorithm", options->algorithms, "Algorithms of Heddle's, or all; default single-pass")
      ->option_text("A,...");
  command->add_flag("--peers", options->peers,
                    "Other libraries that do the same, as far as the build found them");
  command->add_flag("--check", options->check,
                    "Compare what Heddle computes with a plain loop, and fail where it differs");
  command->add_flag("--in-cache", options->in_cache,
                    "The same buffers over and over, from whatever cache they fit");
  command->add_option("--seconds", options->seconds, "The most time for each measurement; default 1")
      ->option_text("S")
      ->check(check_number::above(0));
  writes_file(command->add_option("--json", options->json_file, "All numbers, and what machine this is")
                  ->option_text("F"));
  writes_file(
      command->add_option("--plot", options->plot_file, "A chart of bandwidth against size, drawn by gnuplot")
          ->option_text("F.svg")
          ->check(check_chart));
  command->add_flag("--quiet", options->quiet, "No progress line");
  command->footer(
      "Measures the sum of n elements or the largest, their running sum or maximum, or x + 1 of each.\n"
      "A row is the median time of a call, the middle half of the times as a percentage of it, and the rate\n"
      "beside that of the ceiling in the same run: reading the elements for reduce, copying them for the "
      "rest.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
