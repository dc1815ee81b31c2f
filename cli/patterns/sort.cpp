#include "cli/commands.hpp"
#include "cli/files/distributed_input.hpp"
#include "cli/files/interruption.hpp"
#include "cli/files/npy_input.hpp"
#include "cli/files/npy_output.hpp"
#include "cli/files/progress.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/kernels/run_options.hpp"
#include "cli/options/whole_number.hpp"
#include "cli/over_ranks.hpp"
#include "element_types.hpp"
#include <heddle/any_array.hpp>
#include <heddle/any_distributed.hpp>
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/shape.hpp>
#include <heddle/sort.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

namespace heddle::cli {
namespace {

struct sort_options : run_options {
  bool indices = false;
  sort_order order = sort_order::ascending;
  std::optional<std::size_t> first;
};

[[noreturn]] void fail_too_many(std::size_t k, std::size_t elements) {
  fail(fmt::format("k is {0}, and there are {1} elements: k can be {1} at most", k, elements));
}

/// Sorts a file over ranks, each of which reads its own elements.
void sort_over_ranks(const sort_options& options, const npy_file& file, dtype type) {
  const ranks all = ranks_on(options.target);
  const std::size_t n = file.size();
  const shape lengths = options.axis ? file.shape() : shape{n};
  const std::size_t along_axis = lengths.resolve_axis(options.axis.value_or(0));
  const axis along{static_cast<std::ptrdiff_t>(along_axis)};
  if (options.first && *options.first > lengths[along_axis])
    fail_too_many(*options.first, lengths[along_axis]);
  require_writable_over_ranks(options.output);
  npy_input x(file, type, type, all.where());
  begin_together();
  operation running("sort", n, name(type));
  running.runs_on(all.where());
  const std::size_t bytes = x.file_bytes(n);
  const run_stats stats("sort", options.op, "radix", n, type, bytes + n * size_of(type), all.where());
  progress shown(bytes / static_cast<std::size_t>(all.size()), options.quiet);
  const any_distributed_array elements = spread(all, x, lengths, shown);
  if (options.first && lengths.axes() == 1) {
    any_top_elements top = top_k(all, elements, *options.first, options.order);
    const any_array result = options.indices ? any_array(std::move(top.indices)) : std::move(top.values);
    stats.report(options);
    if (all.rank() == 0)
      npy_output(options.output)
          .write(options.indices ? dtype::int64 : type, result.shape(), result.data(), options.quiet);
    return;
  }
  const auto ordered = [&]() -> any_distributed_array {
    if (options.first) {
      any_distributed_top_elements top = top_k(all, elements, *options.first, along, options.order);
      return options.indices ? as_int64(top.indices) : std::move(top.values);
    }
    return options.indices ? as_int64(argsort(all, elements, along, options.order))
                           : sort(all, elements, along, options.order);
  };
  const any_distributed_array result = ordered();
  stats.report(options);
  stop_if_interrupted();
  write_npy(options.output, result);
}

void run(const sort_options& options) {
  const target requested = target::parse(options.target);
  const npy_file file(options.input);
  const dtype type = options.element_type().value_or(file.dtype());
  if (type >= dtype::complex64) fail_complex_order("sort", type, real_parts);
  if (is_over_ranks()) return sort_over_ranks(options, file, type);
  const std::size_t n = file.size(), bytes = n * size_of(type);
  const shape lengths = options.axis ? file.shape() : shape{n};
  const std::size_t along_axis = lengths.resolve_axis(options.axis.value_or(0));
  const axis_lines lines = along(lengths, along_axis);
  npy_output output(options.output);
  const target where = resolve(requested, {8 * bytes, 8 * bytes, target(), true});
  npy_input x(file, type, type, where);
  operation running("sort", n, name(type));
  running.runs_on(where);
  if (options.first && *options.first > lines.length) fail_too_many(*options.first, lines.length);
  const shape result_shape = options.first ? lengths.with_length(along_axis, *options.first) : lengths;
  const dtype result_type = options.indices ? dtype::int64 : type;
  const std::size_t result_bytes = result_shape.elements() * size_of(result_type);
  const run_stats stats("sort", options.op, "radix", n, type, x.file_bytes(n) + result_bytes, where);
  any_array result;
  {
    progress shown(x.file_bytes(n), options.quiet);
    any_array elements = x.bring_all(shown);
    const any_view along_middle = elements.reshaped(shape_of(lines));
    if (options.first) {
      any_top_elements top = top_k(where, along_middle, *options.first, axis{1}, options.order);
      result = options.indices ? any_array(std::move(top.indices)) : std::move(top.values);
    } else if (options.indices) {
      result = argsort(where, along_middle, axis{1}, options.order);
    } else {
      sort_into(where, along_middle, along_middle, axis{1}, options.order);
      result = std::move(elements);
    }
    result = brought_to_cpu(std::move(result));
  }
  stats.report(options);
  output.write(result_type, result_shape, result.data(), options.quiet);
}

}  // namespace

void add_sort(CLI::App& app) {
  CLI::App* command = app.add_subcommand("sort", "The elements of an array in order");
  const auto options = std::make_shared<sort_options>();
  options->op = "sort";
  options->add_to(*command, true);
  command->add_flag_callback(
      "--descending", [options] { options->order = sort_order::descending; },
      "From the largest to the smallest");
  command->add_option("--first", options->first, "Only the first N in that order")
      ->option_text("N")
      ->transform(count_from(0));
  const auto write_indices = [options] {
    options->indices = true;
    options->op = "argsort";
  };
  command->add_flag_callback("--indices", write_indices,
                             "Write the indices of the elements in the input instead, as int64");
  // Its former name.
  command->add_flag_callback("--places", write_indices)->group("");
  command->footer(
      "Writes the elements from the smallest to the largest: a flat array, in C order, without --axis; one "
      "of "
      "the same\n"
      "shape with it. NaNs come last, and first with --descending. Equal elements keep their order in "
      "--indices, "
      "as in\n"
      "numpy.argsort of kind stable.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
