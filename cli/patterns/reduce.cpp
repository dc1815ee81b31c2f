#include "algorithm_names.hpp"
#include "cli/commands.hpp"
#include "cli/files/interruption.hpp"
#include "cli/files/npy_input.hpp"
#include "cli/files/npy_output.hpp"
#include "cli/files/progress.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/files/value_text.hpp"
#include "cli/kernels/run_options.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/options/whole_number.hpp"
#include "cli/over_ranks.hpp"
#include "element_types.hpp"
#include "percentiles.hpp"
#include "reductions.hpp"
#include <heddle/algorithm.hpp>
#include <heddle/any_array.hpp>
#include <heddle/any_patterns.hpp>
#include <heddle/argmin.hpp>
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/memory.hpp>
#include <heddle/runtime_op.hpp>
#include <heddle/statistics.hpp>
#include <heddle/streamed_reduce.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

namespace heddle::cli {
namespace {

std::string names_of_reductions() {
  std::string names;
  for (const reduction& op : reductions()) names += (names.empty() ? "" : "|") + std::string(op.name);
  return names;
}

/// The squared distances of elements from the means of their lines, a block of them at a time.
class deviations {
 public:
  /// `means` of as many lines as x is reduced to, float64 or complex128.
  deviations(const npy_input& x, memory means)
      : type_(x.type()),
        threads_(x.where().is_gpu() ? available_cores() : x.where().threads()),
        means_(std::move(means)) {}

  /// As many elements at a time stay in the cache until they are combined.
  std::size_t piece() const noexcept { return static_cast<std::size_t>(threads_) << 17; }

  /// Those of the elements of a block, whose means are number first + i·pitch + j for entry i of the axes
  /// before its axis and column j: float64, which last until the next call.
  const void* of(const void* elements, const axis_lines& block, std::size_t first, std::size_t pitch) {
    const std::size_t bytes = block.elements() * sizeof(double),
                      mean_bytes = (type_ >= dtype::complex64 ? 2 : 1) * sizeof(double);
    if (made_.bytes() < bytes) made_ = memory(bytes, target());
    auto* const made = static_cast<double*>(made_.data());
    cpu::squared_deviations(threads_, type_, elements, block,
                            static_cast<const std::byte*>(means_.data()) + first * mean_bytes, pitch, made);
    return made;
  }

 private:
  dtype type_;
  int threads_;
  memory means_, made_;
};

/// Reduces all elements of the file to one by a textbook method, which takes them all at once.
void reduce_all_by(reduce_algorithm algorithm, const reduction& op, npy_input& x, progress& shown,
                   void* out) {
  if (x.size() == 0) return fill_with_identity(op, x.type(), x.shape(), out, 1);
  any_array brought;
  const bool stays_in_file = !x.where().is_gpu() && x.in_place();
  if (!stays_in_file) brought = x.bring_all(shown);
  const void* const elements = stays_in_file ? x.load(0, x.size()) : brought.data();
  const any_value result =
      reduce(x.where(), any_const_view(elements, x.type(), {x.size()}, x.where()), op.combine, algorithm);
  std::memcpy(out, result.data(), size_of(x.type()));
}

/// A reduction of pieces of a file: of elements, or of deviations, which are float64. Results are on the CPU.
class reduction_of_pieces {
 public:
  reduction_of_pieces(const reduction& op, const npy_input& x, dtype type)
      : op_(op), where_(x.where()), type_(type), partial_type_(partial_type(op, type)) {}

  /// Pieces of an axis have a multiple of this many entries, but for the last.
  std::size_t unit() const { return streamed_reduce(where_, op_.combine, partial_type_).unit(); }

  /// Reduces whole lines along the axis.
  void whole(const void* elements, const axis_lines& block, void* results) const {
    const any_const_view lines(elements, type_, shape_of(block));
    if (!op_.is_index())
      return reduce_into(where_, any_view(results, partial_type_, {block.outer, block.inner}), lines, axis{1},
                         op_.combine);
    const array<std::size_t> indices =
        op_.combine == runtime_op::minimum ? argmin(where_, lines, axis{1}) : argmax(where_, lines, axis{1});
    copy(results, target(), indices.data(), indices.where(), indices.size() * sizeof(std::size_t));
  }

  /// Begins to reduce an axis of `columns` columns side by side, which comes in pieces.
  void begin(std::size_t columns) {
    if (op_.is_index()) {
      indices_.emplace(where_, op_.combine, type_, columns);
    } else {
      values_.emplace(where_, op_.combine, type_, std::nullopt, columns, partial_type_);
    }
  }
  void append(const void* elements, std::size_t rows) {
    op_.is_index() ? indices_->append(elements, rows) : values_->append(elements, rows);
  }
  void finish(void* results) {
    if (!op_.is_index()) return values_->result(results);
    const std::vector<std::size_t>& indices = indices_->result();
    std::memcpy(results, indices.data(), indices.size() * sizeof(std::size_t));
  }

 private:
  const reduction& op_;
  target where_;
  dtype type_, partial_type_;
  std::optional<streamed_reduce> values_;
  std::optional<streamed_arg> indices_;
};

/// Reduces all elements of the file to one, or their deviations.
void reduce_all(const reduction& op, npy_input& x, deviations* from_mean, progress& shown, void* out) {
  if (x.size() == 0) return fill_with_identity(op, x.type(), x.shape(), out, 1);
  reduction_of_pieces reduce(op, x, from_mean == nullptr ? x.type() : dtype::float64);
  reduce.begin(1);
  x.for_each_piece(reduce.unit(), shown, [&](const void* elements, std::size_t count) {
    const std::size_t most = from_mean == nullptr ? count : from_mean->piece();
    for (std::size_t first = 0; first < count; first += most) {
      const void* piece = static_cast<const std::byte*>(elements) + first * size_of(x.type());
      const std::size_t here = std::min(most, count - first);
      if (from_mean != nullptr) piece = from_mean->of(piece, {1, here, 1}, 0, 1);
      reduce.append(piece, here);
    }
  });
  reduce.finish(out);
}

/// Reduces along an axis: as many entries of the axes before it at once as are a piece, or else panels of the
/// axes after it, or else pieces of the axis.
void reduce_along(const reduction& op, npy_input& x, deviations* from_mean, axis_lines all, progress& shown,
                  void* out) {
  if (all.length == 0 && (all.count() != 0 || op.is_index())) {
    return fill_with_identity(op, x.type(), x.shape(), out, all.count());
  }
  if (all.count() == 0) return;
  const dtype type = from_mean == nullptr ? x.type() : dtype::float64;
  const std::size_t result_bytes = size_of(op.is_index() ? dtype::int64 : partial_type(op, type));
  const std::size_t entry = all.length * all.inner;
  reduction_of_pieces reduce(op, x, type);

  // Rows of a block are read one by one when it has not all of the inner axes: not less than so many elements
  // of each.
  constexpr std::size_t narrowest = 4096;
  const std::size_t piece = from_mean == nullptr ? x.piece() : std::min(x.piece(), from_mean->piece());
  std::size_t outer = std::clamp<std::size_t>(piece / entry, 1, all.outer);
  std::size_t inner = all.inner, length = all.length;
  const bool stays_in_file = x.in_place() && !x.where().is_gpu() && from_mean == nullptr;
  if (entry > piece && !stays_in_file) {
    inner = std::clamp(piece / all.length, std::min(narrowest, all.inner), all.inner);
    const std::size_t unit = reduce.unit(), units = piece / inner / unit;
    length = std::min(all.length, std::max<std::size_t>(units, 1) * unit);
  }

  const auto load = [&](std::size_t first, std::size_t columns, std::size_t rows) {
    return columns == all.inner ? x.load(first, rows * columns) : x.load(first, columns, rows, all.inner);
  };
  for (std::size_t i = 0; i < all.outer; i += outer) {
    outer = std::min(outer, all.outer - i);
    for (std::size_t j = 0; j < all.inner; j += inner) {
      const std::size_t columns = std::min(inner, all.inner - j);
      void* const results = static_cast<std::byte*>(out) + (i * all.inner + j) * result_bytes;
      if (length < all.length) reduce.begin(columns);
      for (std::size_t k = 0; k < all.length; k += length) {
        stop_if_interrupted();
        const std::size_t rows = std::min(length, all.length - k);
        const void* elements = load(i * entry + k * all.inner + j, columns, outer * rows);
        if (from_mean != nullptr) {
          elements = from_mean->of(elements, {outer, rows, columns}, i * all.inner + j, all.inner);
        }
        if (rows == all.length) {
          reduce.whole(elements, {outer, rows, columns}, results);
        } else {
          reduce.append(elements, rows);
        }
        shown.advance(x.file_bytes(outer * rows * columns));
      }
      if (length < all.length) reduce.finish(results);
    }
  }
}

/// The median, or the quantile of each fraction, of each of `all` segments: those of the first fraction
/// first.
void find_quantiles(const reduction& op, npy_input& x, const axis_lines& all,
                    const std::vector<double>& fractions, progress& shown, void* out) {
  if (all.count() == 0) return;
  if (all.length == 0) return fill_with_identity(op, x.type(), x.shape(), out, all.count());
  // A radix sort copies keys between two arrays; many segments are sorted a few at a time.
  const std::size_t bytes = x.size() * size_of(x.type()), needed = all.count() == 1 ? 3 * bytes : bytes;
  if (!x.where().is_gpu()) require_memory(needed, "the elements are sorted in memory, and do not fit: ");
  any_array segments = x.bring_all(shown).reshaped(shape_of(all));
  const any_array values = brought_to_cpu(op.becomes == outcome::median
                                              ? median(x.where(), std::move(segments), axis{1})
                                              : quantile(x.where(), std::move(segments), fractions, axis{1}));
  std::memcpy(out, values.data(), values.bytes());
}

void run(const reduce_options& options) {
  const reduction& op = reduction_called(options.op);
  const target requested = target::parse(options.target);
  check_reduce_options(op, options);
  const reduce_algorithm algorithm = parse_reduce_algorithm(options.algorithm);
  const npy_file file(options.input);
  const std::optional<dtype> asked_for = options.element_type();
  const dtype from = asked_for.value_or(file.dtype());
  const dtype combined = combined_type(op, from, asked_for.has_value());
  const dtype result = result_type(op, from, combined), partial = partial_type(op, combined);

  axis_lines all{1, file.size(), 1};
  shape lengths;
  if (options.axis) {
    const std::size_t axis = file.shape().resolve_axis(*options.axis);
    all = along(file.shape(), axis);
    lengths = file.shape().without_axis(axis);
  }
  std::vector<double> fractions;
  if (op.becomes == outcome::percentile) fractions = parse_percentiles(options.percentiles);
  lengths = lengths_of_results(lengths, fractions.size());

  std::optional<npy_output> output;
  if (!options.output.empty()) output.emplace(options.output);
  const std::size_t element_bytes = std::max(size_of(partial), size_of(result));
  const target where =
      resolve(requested, {file.size() * size_of(combined), all.count() * size_of(result), target(), true});
  npy_input x(file, asked_for.value_or(combined), combined, where);
  std::size_t result_bytes = 0;
  if (__builtin_mul_overflow(lengths.elements(), element_bytes, &result_bytes)) {
    fail(fmt::format("{}: {} results of {} bytes are more bytes than 64 bits can count", options.input,
                     lengths.elements(), element_bytes));
  }
  memory results(result_bytes, target());
  {
    const std::size_t bytes = x.file_bytes(file.size()) * (op.is_spread() ? 2 : 1);
    operation running(op.name, file.size(), name(partial));
    running.runs_on(where);
    const run_stats stats("reduce", options.op, name(algorithm), file.size(), partial, bytes, where);
    progress shown(bytes, options.quiet);
    const auto combine = [&](deviations* from_mean) {
      if (options.axis) return reduce_along(op, x, from_mean, all, shown, results.data());
      reduce_all(op, x, from_mean, shown, results.data());
    };
    if (op.is_quantile()) {
      find_quantiles(op, x, all, fractions, shown, results.data());
    } else if (algorithm != reduce_algorithm::single_pass) {
      reduce_all_by(algorithm, op, x, shown, results.data());
    } else {
      combine(nullptr);
    }
    if (op.is_spread()) {
      finish(mean_of_elements, partial, partial, all.length, 0, results.data(), all.count());
      deviations from_mean(x, std::exchange(results, memory(result_bytes, target())));
      combine(&from_mean);
    }
    finish(op, partial, result, all.length, options.ddof.value_or(0), results.data(), all.count());
    stats.report(options);
  }
  stop_if_interrupted();
  if (!options.axis && !is_standard_output(options.output)) {
    const auto* const value = static_cast<const std::byte*>(results.data());
    for (std::size_t i = 0; i < lengths.elements(); ++i)
      print(value_text(result, value + i * size_of(result)) + "\n");
  }
  if (output) output->write(result, lengths, results.data(), options.quiet);
}

}  // namespace

void add_reduce(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("reduce", "Combine the elements of an array into one, or along an axis");
  const auto options = std::make_shared<reduce_options>();
  options->add_to(*command, false);
  std::vector<std::string> names;
  for (const reduction& op : reductions()) names.emplace_back(op.name);
  command->add_option("--op", options->op, names_of_reductions() + "; default sum")
      ->option_text("OP")
      ->check(CLI::IsMember(names));
  command->add_option("--ddof", options->ddof, "Of std and var: divide by the elements less N; default 0")
      ->option_text("N")
      ->transform(count_from(0));
  command->add_option("--percentile", options->percentiles, "Of --op percentile: which, from 0 to 100")
      ->option_text("Q,...")
      ->check(check_percentiles);
  options->add_algorithm_to(*command, names_of(reduce_algorithms));
  command->footer(
      "Prints the value, in the shortest form that reads back to the same bits. The result along an axis is "
      "an array,\n"
      "and goes to -o. Without --axis an N-d array is taken flat, in C order.\n"
      "Types are NumPy's: integers are summed in 64 bits and averaged in float64 unless --dtype says "
      "otherwise; min and\n"
      "max keep the type; argmin and argmax are the first index, and that of the first NaN where there is "
      "one. std and\n"
      "var read the file twice; median and percentile sort the elements in memory.");
  command->callback([options] { is_over_ranks() ? reduce_over_ranks(*options) : run(*options); });
}

}  // namespace heddle::cli
