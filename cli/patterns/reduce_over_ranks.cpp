#include "algorithm_names.hpp"
#include "cli/files/distributed_input.hpp"
#include "cli/files/interruption.hpp"
#include "cli/files/npy_input.hpp"
#include "cli/files/npy_output.hpp"
#include "cli/files/progress.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/files/value_text.hpp"
#include "cli/over_ranks.hpp"
#include "percentiles.hpp"
#include "reductions.hpp"
#include <heddle/algorithm.hpp>
#include <heddle/any_distributed.hpp>
#include <heddle/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace heddle::cli {
namespace {

/// The variance of elements as a float64, so that its root is rounded once.
template <class... Along>
auto variance_in_double(const any_distributed_array& x, dtype partial, std::size_t ddof, Along... along) {
  const auto variance_of = [&](const any_distributed_array& y) {
    return variance(y.all(), y, along..., ddof);
  };
  return x.dtype() == partial ? variance_of(x) : variance_of(converted(x, partial));
}

/// All elements to one, which is put where `out` is.
void reduce_all(const reduction& op, const any_distributed_array& x, dtype partial, std::size_t ddof,
                const std::vector<double>& fractions, std::byte* out) {
  const ranks& all = x.all();
  const auto put = [&](const any_value& value) { std::memcpy(out, value.data(), size_of(value.dtype())); };
  if (op.becomes == outcome::median) return put(median(all, x));
  if (op.is_quantile()) {
    const array<double> values = quantile(all, x, fractions);
    std::memcpy(out, values.data(), values.size() * sizeof(double));
    return;
  }
  if (op.is_index())
    return put(
        static_cast<std::int64_t>(op.combine == runtime_op::minimum ? argmin(all, x) : argmax(all, x)));
  if (op.becomes == outcome::mean) return put(mean(all, x));
  if (op.becomes == outcome::variance) return put(variance(all, x, ddof));
  if (op.becomes == outcome::deviation) return put(variance_in_double(x, partial, ddof));
  put(reduce(all, x, op.combine));
}

/// Turns combined elements of type `combined`, or variances, into results, where they are.
void finish(const reduction& op, dtype combined, dtype result, void* values, std::size_t count) {
  if (op.becomes == outcome::mean || op.becomes == outcome::variance) return;
  finish(op, combined, result, 1, 0, values, count);
}

/// The same of each line, on the CPU.
any_distributed_array finished(const reduction& op, const any_distributed_array& combined, dtype result) {
  any_array own = combined.local().on(target());
  finish(op, combined.dtype(), result, own.data(), own.size());
  any_array results(result, own.shape());
  if (results.bytes() > 0) std::memcpy(results.data(), own.data(), results.bytes());
  return {combined.all(), combined.shape(), combined.begins(), std::move(results)};
}

/// The results along an axis, in the blocks of their array, on the CPU.
any_distributed_array reduced_along(const reduction& op, const any_distributed_array& x, axis along_axis,
                                    dtype partial, dtype result, std::size_t ddof,
                                    const std::vector<double>& fractions) {
  const ranks& all = x.all();
  if (op.is_index())
    return as_int64(op.combine == runtime_op::minimum ? argmin(all, x, along_axis)
                                                      : argmax(all, x, along_axis));
  if (op.becomes == outcome::median) return median(all, x, along_axis);
  if (op.is_quantile()) {
    std::vector<any_distributed_array> parts;
    for (distributed_array<double>& of_fraction : quantile(all, x, fractions, along_axis))
      parts.emplace_back(std::move(of_fraction));
    return concatenate(all, parts);
  }
  if (op.becomes == outcome::mean) return mean(all, x, along_axis);
  if (op.becomes == outcome::variance) return variance(all, x, along_axis, ddof);
  if (op.becomes == outcome::deviation)
    return finished(op, variance_in_double(x, partial, ddof, along_axis), result);
  return finished(op, reduce(all, x, along_axis, op.combine), result);
}

}  // namespace

void reduce_over_ranks(const reduce_options& options) {
  const reduction& op = reduction_called(options.op);
  check_reduce_options(op, options);
  const reduce_algorithm algorithm = parse_reduce_algorithm(options.algorithm);
  refuse_over_ranks(algorithm != reduce_algorithm::single_pass, "--algorithm", "only single-pass does");
  const ranks all = ranks_on(options.target);
  const npy_file file(options.input);
  const std::optional<dtype> asked_for = options.element_type();
  const dtype from = asked_for.value_or(file.dtype());
  const dtype combined = combined_type(op, from, asked_for.has_value());
  const dtype result = result_type(op, from, combined), partial = partial_type(op, combined);
  std::vector<double> fractions;
  if (op.becomes == outcome::percentile) fractions = parse_percentiles(options.percentiles);
  shape lengths;
  std::size_t length = file.size();
  if (options.axis) {
    const std::size_t axis_number = file.shape().resolve_axis(*options.axis);
    lengths = file.shape().without_axis(axis_number);
    length = file.shape()[axis_number];
  }
  const bool becomes_array = options.axis && lengths.axes() > 0;
  const std::size_t count = becomes_array ? 0 : std::max<std::size_t>(fractions.size(), 1);
  operation running(op.name, file.size(), name(partial));
  running.runs_on(all.where());
  if (length == 0 && (!becomes_array || lengths.elements() > 0 || op.is_index()))
    fill_with_identity(op, combined, file.shape(), std::array<std::byte, largest_element_bytes>().data(), 1);
  require_writable_over_ranks(options.output);
  npy_input x(file, asked_for.value_or(combined), combined, all.where());
  begin_together();

  const std::size_t bytes = x.file_bytes(file.size());
  const run_stats stats("reduce", options.op, name(algorithm), file.size(), partial, bytes, all.where());
  progress shown(bytes / static_cast<std::size_t>(all.size()), options.quiet);
  if (becomes_array) {
    const any_distributed_array results =
        reduced_along(op, spread(all, x, file.shape(), shown), axis{*options.axis}, partial, result,
                      options.ddof.value_or(0), fractions);
    stats.report(options);
    stop_if_interrupted();
    return write_npy(options.output, results, lengths_of_results(lengths, fractions.size()));
  }
  std::vector<std::byte> values(16 * count);
  if (file.size() == 0) {
    fill_with_identity(op, combined, file.shape(), values.data(), 1);
  } else {
    reduce_all(op, spread(all, x, shape{file.size()}, shown), partial, options.ddof.value_or(0), fractions,
               values.data());
  }
  finish(op, partial, result, values.data(), count);
  stats.report(options);
  stop_if_interrupted();
  if (!options.axis && !is_standard_output(options.output))
    for (std::size_t i = 0; i < count; ++i)
      print(value_text(result, values.data() + i * size_of(result)) + "\n");
  if (options.output.empty() || all.rank() != 0) return;
  npy_output(options.output)
      .write(result, lengths_of_results(shape(), fractions.size()), values.data(), options.quiet);
}

}  // namespace heddle::cli
