#include "cli/commands.hpp"
#include "cli/files/npy_input.hpp"
#include "cli/files/npy_output.hpp"
#include "cli/files/progress.hpp"
#include "cli/kernels/run_options.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/options/whole_number.hpp"
#include <heddle/any_array.hpp>
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/io/npy.hpp>

#include <charconv>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

namespace heddle::cli {
namespace {

struct fft_options : run_options {
  bool inverse = false, real = false;
  std::string axes = "-1";
  std::size_t length = 0;
};

/// Numbers of axes, which are checked.
fft_axes parse_axes(const std::string& text) {
  fft_axes axes;
  for (const std::string& part : list_of(text)) {
    axes.push_back(0);
    std::from_chars(part.data(), part.data() + part.size(), axes.back());
  }
  return axes;
}

any_array transformed(const fft_options& options, const fft_axes& axes, const target& where,
                      const any_const_view& x) {
  if (options.real && options.inverse) return irfft(where, x, axes, options.length);
  if (options.real) return rfft(where, x, axes);
  return options.inverse ? ifft(where, x, axes) : fft(where, x, axes);
}

void run(const fft_options& options) {
  if (options.length != 0 && !(options.inverse && options.real))
    throw CLI::ValidationError("--length", "it is of --inverse --real only");
  const target requested = target::parse(options.target);
  const npy_file file(options.input);
  const dtype asked_for = options.element_type().value_or(file.dtype());
  if (!options.dtype.empty() && asked_for < dtype::float32) {
    fail(fmt::format("fft of {}: the type is float32, float64, complex64 or complex128", name(asked_for)));
  }
  const bool is_double = asked_for != dtype::float32 && asked_for != dtype::complex64;
  const bool from_real = options.real && !options.inverse;
  if (from_real && asked_for >= dtype::complex64)
    fail(fmt::format("fft --real of {}: it takes real elements", name(asked_for)));
  const fft_axes axes = parse_axes(options.axes);
  const shape lengths = !options.real     ? fft_shape(file.shape(), axes)
                        : options.inverse ? irfft_shape(file.shape(), axes, options.length)
                                          : rfft_shape(file.shape(), axes);
  const dtype complex = is_double ? dtype::complex128 : dtype::complex64;
  const dtype real = is_double ? dtype::float64 : dtype::float32;
  const dtype type = from_real ? real : complex;
  const dtype result_type = options.real && options.inverse ? real : complex;

  npy_output output(options.output);
  const std::size_t bytes = file.size() * size_of(type),
                    result_bytes = lengths.elements() * size_of(result_type);
  const target where = resolve(requested, {8 * bytes, 8 * result_bytes, target(), true});
  operation running("fft", file.size(), name(type));
  running.runs_on(where);
  const run_stats stats("fft", options.op, "fft", file.size(), type, bytes + result_bytes, where);
  any_array result;
  {
    npy_input x(file, type, type, where);
    progress shown(x.file_bytes(x.size()), options.quiet);
    const any_array elements = x.bring_all(shown);
    result = transformed(options, axes, where, elements);
  }
  result = brought_to_cpu(std::move(result));
  stats.report(options);
  output.write(result_type, lengths, result.data(), options.quiet);
}

}  // namespace

void add_fft(CLI::App& app) {
  CLI::App* command = app.add_subcommand("fft", "The discrete Fourier transform of an array");
  const auto options = std::make_shared<fft_options>();
  options->op = "forward";
  options->add_input_to(*command);
  command->get_option("--dtype")->description(
      "Convert the elements to float32, float64, complex64 or complex128 first");
  writes_file(command->add_option("-o,--output", options->output, "Where the result goes")
                  ->required()
                  ->option_text("OUT.npy"));
  command->add_flag_callback(
      "--inverse",
      [options] {
        options->inverse = true;
        options->op = "inverse";
      },
      "The inverse, divided by the number of elements that are transformed together");
  command->add_flag("--real", options->real,
                    "Of real elements, the half that is not mirrored; the inverse: back to real elements");
  command->add_option("--axes", options->axes, "Along which axes, as 0,1; default the last")
      ->option_text("K,...")
      ->check(each(check_axis));
  command
      ->add_option(
          "--length", options->length,
          "Real elements along the last of the axes that --inverse --real leads to; default the even "
          "number")
      ->option_text("N")
      ->transform(count_from(1));
  options->add_place_to(*command);
  command->footer(
      "As numpy.fft.fftn, ifftn, rfftn and irfftn. float32 and complex64 are transformed in complex64, all "
      "else in\n"
      "complex128.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
