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
#include "deviations.hpp"
#include "element_types.hpp"
#include "percentiles.hpp"
#include "reductions.hpp"
#include <heddle/algorithm.hpp>
#include <heddle/any_array.hpp>
#include <heddle/any_patterns.hpp>
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/memory.hpp>
#include <heddle/runtime_op.hpp>
#include <heddle/streamed_reduce.hpp>

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

/// Whether x takes the place of an extremum before it: it lies beyond it, or is the first NaN.
template <class T>
bool is_better(runtime_op combine, T x, T best) {
  if (best != best) return false;
  return x != x || (combine == runtime_op::minimum ? x < best : best < x);
}

/// The first index of the smallest or largest element of the file.
std::int64_t index_of_extremum(const reduction& op, npy_input& x, progress& shown) {
  return with_type(x.type(), [&]<class T>(T) -> std::int64_t {
    if constexpr (heddle::is_complex<T>) {
      return 0;
    } else {
      // One pass finds the first piece that holds the extremum; the index is then looked for in that piece
      // alone.
      T extremum{};
      std::size_t holder = 0;
      for (std::size_t first = 0; first < x.size(); first += x.piece()) {
        stop_if_interrupted();
        const std::size_t count = std::min(x.piece(), x.size() - first);
        streamed_reduce of_piece(x.where(), op.combine, x.type());
        of_piece.append(x.load(first, count), count);
        T candidate;
        of_piece.result(&candidate);
        if (first == 0 || is_better(op.combine, candidate, extremum)) {
          extremum = candidate;
          holder = first;
        }
        shown.advance(x.file_bytes(count));
      }
      const std::size_t count = std::min(x.piece(), x.size() - holder);
      const any_const_view piece(x.load(holder, count), x.type(), {count});
      const std::size_t index =
          op.combine == runtime_op::minimum ? argmin(x.where(), piece) : argmax(x.where(), piece);
      return static_cast<std::int64_t>(holder + index);
    }
  });
}

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

/// A reduction along an axis of elements that are together on the CPU: some entries of the axes before it,
/// some along the axis, and some of the axes after it. Results are on the CPU too.
class reduction_along {
 public:
  reduction_along(const reduction& op, const npy_input& x, dtype type)
      : op_(op),
        x_(x),
        type_(type),
        partial_type_(partial_type(op, type)),
        tile_(streamed_reduce(x.where(), op.combine, partial_type_).unit()) {}

  /// Pieces of an axis hold a multiple of this many entries, but for the last.
  std::size_t tile() const noexcept { return tile_; }

  /// The whole axis at once.
  void whole(const void* elements, const axis_lines& block, void* results) {
    if (op_.is_index()) return indices_of_whole(elements, block, static_cast<std::int64_t*>(results));
    combine(type_, elements, block, results);
  }

  /// Entries `first` … `first + count − 1` of an axis in `columns` columns side by side, in order from 0.
  void piece(const void* elements, std::size_t first, std::size_t count, std::size_t columns) {
    if (op_.is_index()) {
      indices_of_piece(elements, first, count, columns);
      return;
    }
    // Reduces tiles; `pieces_together` reduces their results, which are an array again.
    const std::size_t row_bytes = columns * size_of(type_), full = count / tile_, rest = count % tile_;
    const std::size_t partial_bytes = columns * size_of(partial_type_),
                      before = first / tile_ * partial_bytes;
    partials_.resize(before + (full + (rest != 0 ? 1 : 0)) * partial_bytes);
    if (full != 0) combine(type_, elements, {full, tile_, columns}, partials_.data() + before);
    if (rest != 0) {
      combine(type_, static_cast<const std::byte*>(elements) + full * tile_ * row_bytes, {1, rest, columns},
              partials_.data() + before + full * partial_bytes);
    }
  }

  /// What all pieces since the one that began at 0 combine to.
  void pieces_together(std::size_t columns, void* results) {
    if (op_.is_index()) {
      std::copy(indices_.begin(), indices_.end(), static_cast<std::int64_t*>(results));
    } else {
      const std::size_t rows = partials_.size() / (columns * size_of(partial_type_));
      combine(partial_type_, partials_.data(), {1, rows, columns}, results);
    }
  }

 private:
  /// Combines elements of the type of the input, or of `partial_type_`, on the target.
  void combine(dtype type, const void* elements, const axis_lines& block, void* results) {
    const auto on_target = [&](const void* from, void* to) {
      reduce_into(x_.where(), any_view(to, partial_type_, {block.outer, block.inner}, x_.where()),
                  any_const_view(from, type, shape_of(block), x_.where()), axis{1}, op_.combine);
    };
    if (!x_.where().is_gpu()) return on_target(elements, results);
    const std::size_t bytes = block.elements() * size_of(type),
                      result_bytes = block.count() * size_of(partial_type_);
    if (on_gpu_.bytes() < bytes) on_gpu_ = memory(bytes, x_.where());
    const memory results_on_gpu(result_bytes, x_.where());
    copy(on_gpu_.data(), x_.where(), elements, target(), bytes);
    on_target(on_gpu_.data(), results_on_gpu.data());
    copy(results, target(), results_on_gpu.data(), x_.where(), result_bytes);
  }

  void indices_of_whole(const void* elements, const axis_lines& block, std::int64_t* results) {
    const any_const_view lines(elements, type_, shape_of(block));
    const array<std::size_t> indices = op_.combine == runtime_op::minimum
                                           ? argmin(x_.where(), lines, axis{1})
                                           : argmax(x_.where(), lines, axis{1});
    copy(results, target(), indices.data(), indices.where(), indices.size() * sizeof(std::size_t));
  }

  void indices_of_piece(const void* elements, std::size_t first, std::size_t count, std::size_t columns) {
    std::vector<std::int64_t> indices(columns);
    indices_of_whole(elements, {1, count, columns}, indices.data());
    with_type(type_, [&]<class T>(T) {
      if constexpr (!heddle::is_complex<T>) {
        const T* const x = static_cast<const T*>(elements);
        if (first == 0) {
          indices_.resize(columns);
          partials_.resize(columns * sizeof(T));
        }
        T* const best = reinterpret_cast<T*>(partials_.data());
        for (std::size_t column = 0; column < columns; ++column) {
          const T here = x[static_cast<std::size_t>(indices[column]) * columns + column];
          if (first == 0 || is_better(op_.combine, here, best[column])) {
            best[column] = here;
            indices_[column] = static_cast<std::int64_t>(first) + indices[column];
          }
        }
      }
    });
  }

  const reduction& op_;
  const npy_input& x_;
  dtype type_, partial_type_;
  std::size_t tile_;
  memory on_gpu_;
  std::vector<std::byte> partials_;    // results of tiles, or the extrema so far
  std::vector<std::int64_t> indices_;  // of the extrema so far
};

/// Reduces all elements of the file to one, or their deviations.
void reduce_all(const reduction& op, npy_input& x, deviations* from_mean, progress& shown, void* out) {
  if (x.size() == 0) return fill_with_identity(op, x.type(), x.shape(), out, 1);
  if (op.is_index()) {
    const std::int64_t index = index_of_extremum(op, x, shown);
    std::copy_n(reinterpret_cast<const std::byte*>(&index), sizeof index, static_cast<std::byte*>(out));
    return;
  }
  reduction_along reduce(op, x, from_mean == nullptr ? x.type() : dtype::float64);
  std::size_t before = 0;
  x.for_each_piece(reduce.tile(), shown, [&](const void* elements, std::size_t count) {
    const std::size_t most = from_mean == nullptr ? count : from_mean->piece();
    for (std::size_t first = 0; first < count; first += most) {
      const void* piece = static_cast<const std::byte*>(elements) + first * size_of(x.type());
      const std::size_t here = std::min(most, count - first);
      if (from_mean != nullptr) piece = from_mean->of(piece, {1, here, 1}, 0, 1);
      reduce.piece(piece, before + first, here, 1);
    }
    before += count;
  });
  reduce.pieces_together(1, out);
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
  reduction_along reduce(op, x, type);

  // Rows of a block are read one by one when it has not all of the inner axes: not less than so many elements
  // of each.
  constexpr std::size_t narrowest = 4096;
  const std::size_t piece = from_mean == nullptr ? x.piece() : std::min(x.piece(), from_mean->piece());
  std::size_t outer = std::clamp<std::size_t>(piece / entry, 1, all.outer);
  std::size_t inner = all.inner, length = all.length;
  const bool stays_in_file = x.in_place() && !x.where().is_gpu() && from_mean == nullptr;
  if (entry > piece && !stays_in_file) {
    inner = std::clamp(piece / all.length, std::min(narrowest, all.inner), all.inner);
    const std::size_t tiles = piece / inner / reduce.tile();
    length = std::min(all.length, std::max<std::size_t>(tiles, 1) * reduce.tile());
  }

  const auto load = [&](std::size_t first, std::size_t columns, std::size_t rows) {
    return columns == all.inner ? x.load(first, rows * columns) : x.load(first, columns, rows, all.inner);
  };
  for (std::size_t i = 0; i < all.outer; i += outer) {
    outer = std::min(outer, all.outer - i);
    for (std::size_t j = 0; j < all.inner; j += inner) {
      const std::size_t columns = std::min(inner, all.inner - j);
      void* const results = static_cast<std::byte*>(out) + (i * all.inner + j) * result_bytes;
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
          reduce.piece(elements, k, rows, columns);
        }
        shown.advance(x.file_bytes(outer * rows * columns));
      }
      if (length < all.length) reduce.pieces_together(columns, results);
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
