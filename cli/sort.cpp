#include "commands.hpp"
#include "element_types.hpp"
#include "npy_input.hpp"
#include "npy_output.hpp"
#include "progress.hpp"
#include "run_options.hpp"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/shape.hpp>
#include <heddle/sort.hpp>

#include <cstddef>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

namespace heddle::cli {
namespace {

struct sort_options : run_options {
  bool places = false;
  sort_order order = sort_order::ascending;
};

void run(const sort_options& options) {
  const target requested = target::parse(options.target);
  const npy_file file(options.input);
  const dtype type = options.element_type().value_or(file.dtype());
  if (type >= dtype::complex64) fail_complex_order("sort", type, real_parts);
  const std::size_t n = file.size(), bytes = n * size_of(type);
  const shape lengths = options.axis ? file.shape() : shape{n};
  const segments lines = along(lengths, lengths.resolve_axis(options.axis.value_or(0)));
  npy_output output(options.output);
  const target where = detail::resolve(requested, {8 * bytes, 8 * bytes, target(), true});
  npy_input x(file, type, type, where);
  detail::operation running("sort", n, name(type));
  running.runs_on(where);
  const dtype result_type = options.places ? dtype::int64 : type;
  const std::size_t result_bytes = n * size_of(result_type);
  const run_stats stats("sort", options.op, "radix", n, type, x.file_bytes(n) + result_bytes, where);
  detail::memory result;
  {
    progress shown(x.file_bytes(n), options.quiet);
    detail::memory elements = x.bring_all(shown);
    if (options.places) {
      result = detail::memory(result_bytes, where);
      auto* const places = static_cast<std::size_t*>(result.data());
      detail::library_argsort(type, elements.data(), lines, options.order, places, where);
    } else {
      detail::library_sort(type, elements.data(), lines, options.order, elements.data(), where);
      result = std::move(elements);
    }
    result = brought_to_cpu(std::move(result));
  }
  stats.report(options);
  output.write(result_type, lengths, result.data(), options.quiet);
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
  command->add_flag_callback(
      "--places",
      [options] {
        options->places = true;
        options->op = "argsort";
      },
      "Write where the elements stand in the input instead, as int64");
  command->footer(
      "Writes the elements from the smallest to the largest: a flat array, in C order, without --axis; one "
      "of "
      "the same\n"
      "shape with it. NaNs come last, and first with --descending. Equal elements keep their order in "
      "--places, "
      "as in\n"
      "numpy.argsort of kind stable.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
