#include "commands.hpp"
#include "element_types.hpp"
#include "interruption.hpp"
#include "npy_input.hpp"
#include "npy_output.hpp"
#include "progress.hpp"
#include "run_options.hpp"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/sort.hpp>

#include <cstddef>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace heddle::cli {
namespace {

struct sort_options : run_options {
  bool places = false;
};

void run(const sort_options& options) {
  const target requested = target::parse(options.target);
  const npy_file file(options.input);
  const dtype type = options.element_type().value_or(file.dtype());
  if (type >= dtype::complex64) fail_complex_order("sort", type);
  npy_output output(options.output);
  const std::size_t n = file.size(), bytes = n * size_of(type);
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
      detail::library_argsort(type, elements.data(), n, static_cast<std::size_t*>(result.data()), where);
    } else {
      detail::library_sort(type, elements.data(), n, elements.data(), where);
      result = std::move(elements);
    }
    if (where.is_gpu()) {
      detail::memory brought(result_bytes, target());
      detail::copy(brought.data(), target(), result.data(), where, result_bytes);
      result = std::move(brought);
    }
  }
  stop_if_interrupted();
  stats.report(options);
  output.write(result_type, shape{n}, result.data(), options.quiet);
}

}  // namespace

void add_sort(CLI::App& app) {
  CLI::App* command = app.add_subcommand("sort", "The elements of an array in order");
  const auto options = std::make_shared<sort_options>();
  options->op = "sort";
  options->add_input_to(*command);
  command->add_option("-o,--output", options->output, "Where the result goes")
      ->required()
      ->option_text("OUT.npy");
  command->add_flag_callback(
      "--places",
      [options] {
        options->places = true;
        options->op = "argsort";
      },
      "Write where the elements stand in the input instead, as int64");
  options->add_place_to(*command);
  command->footer(
      "Writes a flat array, in C order, from the smallest element to the largest; NaNs come last. Equal "
      "elements keep\n"
      "their order in --places, as in numpy.argsort of kind stable.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
