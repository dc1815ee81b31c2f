#include "algorithm_names.hpp"
#include "deviations.hpp"
#include "distributed_input.hpp"
#include "interruption.hpp"
#include "npy_input.hpp"
#include "npy_output.hpp"
#include "over_ranks.hpp"
#include "progress.hpp"
#include "quantiles.hpp"
#include "reductions.hpp"
#include "standard_output.hpp"
#include "value_text.hpp"
#include <heddle/algorithm.hpp>
#include <heddle/any_distributed.hpp>
#include <heddle/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

namespace heddle::cli {
namespace {

/// The squares of the distances of all elements from their mean, in their blocks.
any_distributed_array squared_distances(const any_distributed_array& x, const npy_input& from,
                                        const any_value& mean) {
  memory mean_memory(size_of(mean.dtype()), target());
  std::memcpy(mean_memory.data(), mean.data(), size_of(mean.dtype()));
  deviations from_mean(from, std::move(mean_memory));
  const any_array elements = x.local().on(target());
  array<double> squares(elements.shape());
  const std::size_t n = elements.size();
  for (std::size_t first = 0; first < n; first += from_mean.piece()) {
    const std::size_t count = std::min(from_mean.piece(), n - first);
    const void* const made = from_mean.of(
        static_cast<const std::byte*>(elements.data()) + first * size_of(x.dtype()), {1, count, 1}, 0, 1);
    std::memcpy(squares.data() + first, made, count * sizeof(double));
  }
  return {x.all(), x.shape(), x.begins(), any_array(squares.on(x.all().where()))};
}

/// Quantiles of all elements, on every rank.
void find_quantiles(const reduction& op, const any_distributed_array& x, const std::vector<double>& fractions,
                    double* out) {
  const any_distributed_array sorted = sort(x.all(), x);
  with_type(x.dtype(), [&]<class T>(T) {
    if constexpr (!heddle::is_complex<T>) {
      const std::size_t n = x.size();
      const auto at = [&](std::size_t i) { return element_at(sorted, i).as<T>(); };
      const T greatest = at(n - 1);
      for (std::size_t i = 0; i < std::max<std::size_t>(fractions.size(), 1); ++i) {
        out[i] = greatest != greatest            ? std::numeric_limits<double>::quiet_NaN()
                 : op.becomes == outcome::median ? median_of(at, n)
                                                 : quantile_of(at, n - 1, fractions[i]);
      }
    }
  });
}

/// All elements to one, which is put where `out` is.
void reduce_all(const reduction& op, const any_distributed_array& x, const npy_input& from, dtype partial,
                const std::vector<double>& fractions, std::byte* out) {
  const ranks& all = x.all();
  const auto put = [&](const any_value& value) { std::memcpy(out, value.data(), size_of(value.dtype())); };
  if (op.is_quantile()) return find_quantiles(op, x, fractions, reinterpret_cast<double*>(out));
  if (op.is_place())
    return put(
        static_cast<std::int64_t>(op.combine == runtime_op::minimum ? argmin(all, x) : argmax(all, x)));
  if (!op.is_average()) return put(reduce(all, x, op.combine));
  put(reduce(all, converted(x, partial), runtime_op::plus));
  if (!op.is_spread()) return;
  finish(mean_of_elements, partial, partial, x.size(), 0, out, 1);
  put(reduce(all, squared_distances(x, from, any_value(partial, out)), runtime_op::plus));
}

/// The results along an axis, in the blocks of their array, on the CPU.
any_distributed_array reduced_along(const reduction& op, const any_distributed_array& x, axis along,
                                    dtype partial, dtype result) {
  const any_distributed_array combined = partial == x.dtype()
                                             ? reduce(x.all(), x, along, op.combine)
                                             : reduce(x.all(), converted(x, partial), along, op.combine);
  any_array own = combined.local().on(target());
  const std::size_t length = x.shape()[x.shape().resolve_axis(along.index)];
  finish(op, partial, result, length, 0, own.data(), own.size());
  any_array results(result, own.shape());
  if (results.bytes() > 0) std::memcpy(results.data(), own.data(), results.bytes());
  return {x.all(), combined.shape(), combined.begins(), std::move(results)};
}

}  // namespace

void reduce_over_ranks(const reduce_options& options) {
  const reduction& op = reduction_called(options.op);
  check_reduce_options(op, options);
  const reduce_algorithm algorithm = parse_reduce_algorithm(options.algorithm);
  refuse_over_ranks(algorithm != reduce_algorithm::single_pass, "--algorithm", "only single-pass does");
  refuse_over_ranks(options.axis && (op.is_place() || op.is_spread() || op.is_quantile()), "--axis",
                    fmt::format("it takes sum, prod, min, max, mean, any and all, and not {}", op.name));
  const ranks all = ranks_on(options.target);
  const npy_file file(options.input);
  const std::optional<dtype> asked_for = options.element_type();
  const dtype from = asked_for.value_or(file.dtype());
  const dtype combined = combined_type(op, from, asked_for.has_value());
  const dtype result = result_type(op, from, combined), partial = partial_type(op, combined);
  std::vector<double> fractions;
  if (op.becomes == outcome::percentile) fractions = parse_percentiles(options.percentiles);
  shape lengths;
  if (options.axis) lengths = file.shape().without_axis(file.shape().resolve_axis(*options.axis));
  const bool becomes_array = options.axis && lengths.axes() > 0;
  const std::size_t count = becomes_array ? 0 : std::max<std::size_t>(fractions.size(), 1);
  operation running(op.name, file.size(), name(partial));
  running.runs_on(all.where());
  if (file.size() == 0 && (!becomes_array || lengths.elements() > 0))
    fill_with_identity(op, combined, file.shape(), std::array<std::byte, 16>().data(), 1);
  require_writable_over_ranks(options.output);
  npy_input x(file, asked_for.value_or(combined), combined, all.where());
  begin_together();

  const std::size_t bytes = x.file_bytes(file.size());
  const run_stats stats("reduce", options.op, name(algorithm), file.size(), partial, bytes, all.where());
  progress shown(bytes / static_cast<std::size_t>(all.size()), options.quiet);
  if (becomes_array) {
    const any_distributed_array results =
        reduced_along(op, spread(all, x, file.shape(), shown), axis{*options.axis}, partial, result);
    stats.report(options);
    stop_if_interrupted();
    return write_npy(options.output, results);
  }
  std::vector<std::byte> values(16 * count);
  if (file.size() == 0) {
    fill_with_identity(op, combined, file.shape(), values.data(), 1);
  } else {
    reduce_all(op, spread(all, x, shape{file.size()}, shown), x, partial, fractions, values.data());
  }
  finish(op, partial, result, file.size(), options.ddof.value_or(0), values.data(), count);
  stats.report(options);
  stop_if_interrupted();
  if (!options.axis && !is_standard_output(options.output))
    for (std::size_t i = 0; i < count; ++i)
      print(value_text(result, values.data() + i * size_of(result)) + "\n");
  if (options.output.empty() || all.rank() != 0) return;
  npy_output(options.output)
      .write(result, fractions.size() < 2 ? shape() : shape{fractions.size()}, values.data(), options.quiet);
}

}  // namespace heddle::cli
