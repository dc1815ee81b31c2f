#include "cli/commands.hpp"
#include "cli/files/distributed_input.hpp"
#include "cli/files/interruption.hpp"
#include "cli/files/npy_input.hpp"
#include "cli/files/npy_output.hpp"
#include "cli/files/progress.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/kernels/run_options.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/options/whole_number.hpp"
#include "cli/over_ranks.hpp"
#include "element_types.hpp"
#include <heddle/any_array.hpp>
#include <heddle/any_distributed.hpp>
#include <heddle/any_patterns.hpp>
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/histogram.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/streamed_reduce.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

namespace heddle::cli {
namespace {

struct histogram_options : run_options {
  std::size_t bins = 10;
  std::vector<double> range;
  std::string edges, edges_output, weights;
};

void require_finite(double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high))
    fail(fmt::format("histogram: the elements go from {} to {}: say with --range where bins go", low, high));
}

/// Throws where float64 does not hold integers that integers are compared with.
void require_exact_edges(const npy_file& file) {
  if (file.dtype() != dtype::int64 && file.dtype() != dtype::uint64) return;
  constexpr std::uint64_t most = std::uint64_t{1} << std::numeric_limits<double>::digits;
  const auto check = [&](const auto& edges) {
    for (std::size_t k = 0; k < edges.size(); ++k) {
      const auto edge = edges.data()[k];
      const auto bits = static_cast<std::uint64_t>(edge);
      if ((edge < 1 ? 0 - bits : bits) > most)
        fail(
            fmt::format("histogram: {}: edge {} is {}: integers are compared as float64, which does not hold "
                        "all integers beyond 2^53: subtract a number from the elements and from the edges",
                        file.path(), k, edge));
    }
  };
  file.dtype() == dtype::int64 ? check(file.read_as<std::int64_t>()) : check(file.read_as<std::uint64_t>());
}

/// The smallest and the largest element; 0 to 1 of none.
std::pair<double, double> range_of(npy_input& x, progress& shown) {
  if (x.size() == 0) return {0, 1};
  double bounds[2];
  for (const auto which : {runtime_op::minimum, runtime_op::maximum}) {
    streamed_reduce so_far(x.where(), which, x.type());
    x.for_each_piece(so_far.unit(), shown,
                     [&](const void* elements, std::size_t count) { so_far.append(elements, count); });
    with_type(x.type(), [&]<class T>(T) {
      if constexpr (!heddle::is_complex<T>) {
        T extremum;
        so_far.result(&extremum);
        bounds[which == runtime_op::maximum] = static_cast<double>(extremum);
      }
    });
  }
  require_finite(bounds[0], bounds[1]);
  return {bounds[0], bounds[1]};
}

/// The same of an array over ranks.
std::pair<double, double> range_of(const any_distributed_array& x) {
  if (x.size() == 0) return {0, 1};
  const auto bound = [&](runtime_op which) {
    const any_value extremum = reduce(x.all(), x, which);
    return with_type(x.dtype(), [&]<class T>(T) {
      if constexpr (heddle::is_complex<T>)
        return 0.0;
      else
        return static_cast<double>(extremum.as<T>());
    });
  };
  const double low = bound(runtime_op::minimum), high = bound(runtime_op::maximum);
  require_finite(low, high);
  return {low, high};
}

/// Bins of equal width, or between edges of any kind; `edges` says where both kinds are.
struct chosen_bins {
  std::optional<even_bins> even;
  std::vector<double> edges;

  chosen_bins(dtype type, const even_bins& bins) : even(bins), edges(edges_of(type, bins)) {}
  explicit chosen_bins(std::vector<double> given) : edges(std::move(given)) {
    // Throws where they do not rise.
    histogram(target(), array<double>(), edges);
  }
  std::size_t count() const { return edges.size() - 1; }

  /// Calls f with the bins as `histogram` takes them.
  template <class F>
  auto with(const F& f) const {
    return even ? f(*even) : f(edges);
  }
};

/// The bins that the options say, or between the bounds that `range` finds.
template <class Range>
chosen_bins bins_for(const histogram_options& options, dtype type, const Range& range) {
  if (!options.edges.empty()) {
    const npy_file file(options.edges);
    if (file.dtype() >= dtype::complex64) fail_complex_order("histogram", file.dtype(), "");
    if (file.shape().axes() != 1) {
      fail(fmt::format("histogram: {}: has shape {}, where edges have one axis", file.path(),
                       file.shape().text()));
    }
    if (type <= dtype::uint64) require_exact_edges(file);
    return chosen_bins(file.read_as<double>().to_vector());
  }
  if (options.range.empty()) {
    const auto [low, high] = range();
    return {type, even_bins{.count = options.bins, .low = low, .high = high, .ends_are_elements = true}};
  }
  return {type, even_bins{options.bins, options.range[0], options.range[1]}};
}

/// The counts of each bin, on the CPU, of a file that is read a piece at a time.
array<std::uint64_t> counts_of(npy_input& x, const chosen_bins& bins, progress& shown) {
  array<std::uint64_t> counts(bins.count(), 0);
  x.for_each_piece(1, shown, [&](const void* elements, std::size_t count) {
    const any_const_view piece(elements, x.type(), {count});
    const array<std::uint64_t> of_piece =
        bins.with([&](const auto& by) { return histogram(x.where(), piece, by); }).on(target());
    for (std::size_t bin = 0; bin < counts.size(); ++bin) counts.data()[bin] += of_piece.data()[bin];
  });
  return counts;
}

/// The sum of the weights of each bin, on the CPU.
any_array weighted_sums(npy_input& x, const chosen_bins& bins, npy_input& weights, progress& shown) {
  const any_array elements = x.bring_all(shown), of_each = weights.bring_all(shown);
  return brought_to_cpu(
      bins.with([&](const auto& by) { return histogram(x.where(), elements, by, of_each); }));
}

/// The counts, and the edges where they are asked for: both files are there, or neither.
void write_results(const histogram_options& options, const chosen_bins& bins, dtype type, const void* results,
                   npy_output& output, std::optional<npy_output>& edges_output) {
  if (edges_output)
    edges_output->fill(dtype::float64, shape{bins.edges.size()}, bins.edges.data(), options.quiet);
  output.fill(type, shape{bins.count()}, results, options.quiet);
  if (edges_output) edges_output->commit();
  output.commit();
}

/// Over ranks, each of which reads its own elements; the first has the results.
void count_over_ranks(const histogram_options& options, const npy_file& file,
                      const std::optional<npy_file>& weights_file, dtype type) {
  const ranks all = ranks_on(options.target);
  std::optional<npy_output> output, edges_output;
  if (all.rank() == 0) output.emplace(options.output);
  if (all.rank() == 0 && !options.edges_output.empty()) edges_output.emplace(options.edges_output);
  npy_input x(file, type, type, all.where());
  std::optional<npy_input> weights;
  if (weights_file) weights.emplace(*weights_file, weights_file->dtype(), weights_file->dtype(), all.where());
  begin_together();
  const std::size_t bytes =
      x.file_bytes(file.size()) + (weights ? weights->file_bytes(file.size()) : std::size_t{0});
  const run_stats stats("histogram", options.op, "bins", file.size(), type, bytes, all.where());
  progress shown(bytes / static_cast<std::size_t>(all.size()), options.quiet);
  const any_distributed_array elements = spread(all, x, shape{file.size()}, shown);
  std::optional<any_distributed_array> of_each;
  if (weights) of_each = spread(all, *weights, shape{file.size()}, shown);
  const chosen_bins bins = bins_for(options, type, [&] { return range_of(elements); });
  operation running("histogram", file.size(), name(type));
  running.runs_on(all.where());
  const any_array result = bins.with([&](const auto& by) {
    return of_each ? histogram(all, elements, by, *of_each) : any_array(histogram(all, elements, by));
  });
  shown.hide();
  stats.report(options);
  stop_if_interrupted();
  if (output)
    write_results(options, bins, weights ? weights->type() : dtype::int64, result.data(), *output,
                  edges_output);
}

void run(const histogram_options& options) {
  const target requested = target::parse(options.target);
  const npy_file file(options.input);
  const dtype type = options.element_type().value_or(file.dtype());
  if (type >= dtype::complex64) fail_complex_order("histogram", type, real_parts);
  std::optional<npy_file> weights_file;
  if (!options.weights.empty()) {
    weights_file.emplace(options.weights);
    if (!(weights_file->shape() == file.shape())) {
      fail(fmt::format("the weights have shape {}, where the elements have {}", weights_file->shape().text(),
                       file.shape().text()));
    }
  }
  if (is_over_ranks()) return count_over_ranks(options, file, weights_file, type);
  npy_output output(options.output);
  std::optional<npy_output> edges_output;
  if (!options.edges_output.empty()) edges_output.emplace(options.edges_output);

  const target where = resolve(requested, {file.size() * size_of(type), 0, target(), true});
  npy_input x(file, type, type, where);
  std::optional<npy_input> weights;
  if (weights_file) weights.emplace(*weights_file, weights_file->dtype(), weights_file->dtype(), where);
  const std::size_t weight_bytes = weights ? weights->file_bytes(file.size()) : 0;
  const run_stats stats("histogram", options.op, "bins", file.size(), type,
                        x.file_bytes(file.size()) + weight_bytes, where);
  const bool finds_range = options.edges.empty() && options.range.empty();
  progress shown((finds_range ? 3 : 1) * x.file_bytes(file.size()) + weight_bytes, options.quiet);
  const chosen_bins bins = bins_for(options, type, [&] { return range_of(x, shown); });
  operation running("histogram", file.size(), name(type));
  running.runs_on(where);
  const any_array result =
      weights ? weighted_sums(x, bins, *weights, shown) : any_array(counts_of(x, bins, shown));
  shown.hide();
  stats.report(options);
  write_results(options, bins, weights ? weights->type() : dtype::int64, result.data(), output, edges_output);
}

}  // namespace

void add_histogram(CLI::App& app) {
  CLI::App* command = app.add_subcommand("histogram", "How many elements lie in each of several bins");
  const auto options = std::make_shared<histogram_options>();
  options->op = "histogram";
  options->add_input_to(*command);
  writes_file(command
                  ->add_option("-o,--output", options->output,
                               "Where the counts go, as int64, or sums of weights, in their type")
                  ->required()
                  ->option_text("OUT.npy"));
  CLI::Option* bins = command->add_option("--bins", options->bins, "Bins of equal width; default 10")
                          ->option_text("N")
                          ->transform(count_from(1));
  CLI::Option* range = command
                           ->add_option("--range", options->range,
                                        "From where to where they go; the smallest and the largest element "
                                        "unless given")
                           ->option_text("LOW HIGH")
                           ->expected(2);
  reads_file(
      command->add_option("--edges", options->edges, "The edges of bins instead, one more than bins, rising")
          ->option_text("EDGES.npy")
          ->excludes(bins)
          ->excludes(range));
  reads_file(command
                 ->add_option("--weights", options->weights,
                              "What each element counts for, in an array of its shape")
                 ->option_text("W.npy"));
  writes_file(command->add_option("--write-edges", options->edges_output, "Where the edges go, as float64")
                  ->option_text("EDGES.npy"));
  options->add_place_to(*command);
  command->footer(
      "As numpy.histogram: a bin holds its lower edge and not its upper one, but for the last, which holds "
      "both; NaNs\n"
      "and what is beyond the edges are in no bin.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
