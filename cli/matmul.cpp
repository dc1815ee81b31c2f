#include "algorithm_names.hpp"
#include "commands.hpp"
#include "file_options.hpp"
#include "npy_input.hpp"
#include "npy_output.hpp"
#include "progress.hpp"
#include "run_options.hpp"
#include "standard_output.hpp"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/linear_algebra.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

struct matmul_options : place_options {
  std::string a, b, output, dtype, algorithm = "blas";
};

/// The type of a product: the wider of both, and of integers float64.
dtype type_of_product(dtype a, dtype b) {
  const bool complex = a >= dtype::complex64 || b >= dtype::complex64;
  const auto is_single = [](dtype type) { return type == dtype::float32 || type == dtype::complex64; };
  const bool single = is_single(a) && is_single(b);
  if (complex) return single ? dtype::complex64 : dtype::complex128;
  return single ? dtype::float32 : dtype::float64;
}

impl::matrix_type matrix_type_of(dtype type) {
  switch (type) {
    case dtype::float32:
      return impl::matrix_type::float32;
    case dtype::float64:
      return impl::matrix_type::float64;
    case dtype::complex64:
      return impl::matrix_type::complex64;
    case dtype::complex128:
      return impl::matrix_type::complex128;
    default:
      fail(fmt::format("matmul of {}: the type is float32, float64, complex64 or complex128", name(type)));
  }
}

void run(const matmul_options& options) {
  const target requested = target::parse(options.target);
  const matmul_algorithm algorithm = parse_matmul_algorithm(options.algorithm);
  const npy_file a(options.a), b(options.b);
  const dtype type =
      options.dtype.empty() ? type_of_product(a.dtype(), b.dtype()) : parse_dtype(options.dtype);
  const impl::matrix_type of_matrices = matrix_type_of(type);
  impl::product_shape of = impl::shape_of_product(a.shape(), b.shape());
  npy_output output(options.output);

  const std::size_t element_bytes = size_of(type), size = of.whole.elements();
  const target where = impl::matmul_target(requested, of.a, of.b, element_bytes);
  operation running("matmul", size, name(type));
  running.runs_on(where);
  memory product(size * element_bytes, where);
  double seconds = 0;
  {
    npy_input from_a(a, type, type, where), from_b(b, type, type, where);
    progress shown(from_a.file_bytes(a.size()) + from_b.file_bytes(b.size()), options.quiet);
    const memory left = from_a.bring_all(shown), right = from_b.bring_all(shown);
    of.a.data = left.data();
    of.b.data = right.data();
    of.a.where = of.b.where = where;
    where.wait();
    const auto began = std::chrono::steady_clock::now();
    impl::library_matmul(of_matrices, of.a, of.b, product.data(), where, algorithm);
    where.wait();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  product = brought_to_cpu(std::move(product));
  if (options.stats) {
    // A complex product and sum are four real ones.
    const double operations = 2.0 * static_cast<double>(std::max(of.a.batches, of.b.batches)) *
                              static_cast<double>(of.a.rows) * static_cast<double>(of.a.columns) *
                              static_cast<double>(of.b.columns) * (type >= dtype::complex64 ? 4 : 1);
    nlohmann::ordered_json line;
    line["pattern"] = "matmul";
    line["target"] = where.text();
    line["algorithm"] = name(algorithm);
    line["n"] = size;
    line["m"] = of.a.rows;
    line["k"] = of.a.columns;
    line["columns"] = of.b.columns;
    line["batches"] = std::max(of.a.batches, of.b.batches);
    line["dtype"] = name(type);
    line["seconds"] = seconds;
    line["gflop_per_s"] = operations / seconds / 1e9;
    print_error(line.dump() + "\n");
  }
  output.write(type, of.whole, product.data(), options.quiet);
}

}  // namespace

void add_matmul(CLI::App& app) {
  CLI::App* command = app.add_subcommand("matmul", "The product of two matrices, or of batches of them");
  const auto options = std::make_shared<matmul_options>();
  reads_file(command->add_option("A.npy", options->a, "The left matrix")->required()->option_text(" "));
  reads_file(command->add_option("B.npy", options->b, "The right matrix")->required()->option_text(" "));
  writes_file(command->add_option("-o,--output", options->output, "Where the product goes")
                  ->required()
                  ->option_text("C.npy"));
  const std::vector<std::string> names = names_of(matmul_algorithms);
  command->add_option("--algorithm", options->algorithm, "blas|naive|tiled; default blas")
      ->option_text("A")
      ->check(CLI::IsMember(names));
  command
      ->add_option("--dtype", options->dtype,
                   "Convert the elements to float32, float64, complex64 or complex128 first")
      ->option_text("D")
      ->check(check_dtype, "{float32,float64,complex64,complex128}");
  options->add_place_to(*command);
  command->footer(
      "Shapes are those of numpy.matmul: matrices along the last two axes, batches along those before; an "
      "array of one\n"
      "axis is a row on the left and a column on the right. Integers become float64.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
