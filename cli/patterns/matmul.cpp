#include "algorithm_names.hpp"
#include "cli/commands.hpp"
#include "cli/files/distributed_input.hpp"
#include "cli/files/interruption.hpp"
#include "cli/files/npy_input.hpp"
#include "cli/files/npy_output.hpp"
#include "cli/files/progress.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/kernels/run_options.hpp"
#include "cli/options/file_options.hpp"
#include "cli/over_ranks.hpp"
#include <heddle/any_array.hpp>
#include <heddle/any_distributed.hpp>
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/linear_algebra.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
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

/// The matrices of an operand: one of one axis is a row on the left and a column on the right.
struct matrices {
  std::size_t batches, rows, columns;

  matrices(const shape& of, bool is_left) {
    const std::size_t axes = of.axes();
    rows = axes > 1 ? of[axes - 2] : is_left ? 1 : of[0];
    columns = axes > 1 ? of[axes - 1] : is_left ? of[0] : 1;
    batches = 1;
    for (std::size_t k = 0; k + 2 < axes; ++k) batches *= of[k];
  }
};

/// The line of --stats.
void report(const matmul_options& options, const shape& a, const shape& b, std::size_t size, dtype type,
            const target& where, double seconds) {
  if (!options.stats) return;
  const matrices left(a, true), right(b, false);
  const std::size_t batches = std::max(left.batches, right.batches);
  // A complex product and sum are four real ones.
  const double operations = 2.0 * static_cast<double>(batches) * static_cast<double>(left.rows) *
                            static_cast<double>(left.columns) * static_cast<double>(right.columns) *
                            (type >= dtype::complex64 ? 4 : 1);
  nlohmann::ordered_json line;
  line["pattern"] = "matmul";
  line["target"] = where.text();
  line["algorithm"] = options.algorithm;
  line["n"] = size;
  line["m"] = left.rows;
  line["k"] = left.columns;
  line["columns"] = right.columns;
  line["batches"] = batches;
  line["dtype"] = name(type);
  line["seconds"] = seconds;
  line["gflop_per_s"] = operations / seconds / 1e9;
  print_error(line.dump() + "\n");
}

/// Calls f and returns how long it takes.
template <class F>
double seconds_of(const F& f) {
  const auto began = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// An operand over ranks as `matmul` takes it: a row or a column is one, a single matrix has two axes, and
/// batches are one axis.
shape lengths_over_ranks(const shape& of, bool is_left) {
  const matrices m(of, is_left);
  if (of.axes() == 1) return of;
  return m.batches == 1 ? shape{m.rows, m.columns} : shape{m.batches, m.rows, m.columns};
}

/// The same over ranks, each of which reads its own rows, or batches, of both operands. A row, a column, and
/// a matrix that is multiplied by batches every rank has.
void multiply_over_ranks(const matmul_options& options, const npy_file& a, const npy_file& b, dtype type,
                         const shape& lengths, matmul_algorithm algorithm) {
  const ranks all = ranks_on(options.target);
  require_writable_over_ranks(options.output);
  npy_input from_a(a, type, type, all.where()), from_b(b, type, type, all.where());
  begin_together();
  operation running("matmul", lengths.elements(), name(type));
  running.runs_on(all.where());
  progress shown(
      (from_a.file_bytes(a.size()) + from_b.file_bytes(b.size())) / static_cast<std::size_t>(all.size()),
      options.quiet);
  shape left = lengths_over_ranks(a.shape(), true);
  const shape right = lengths_over_ranks(b.shape(), false);
  // Of two rows the product is one number: of a matrix with one row.
  if (left.axes() == 1 && right.axes() == 1) left = shape{1, a.size()};
  const bool spreads_a = left.axes() > 1 && left.axes() >= right.axes();
  const bool spreads_b = right.axes() > 1 && right.axes() >= left.axes();
  std::optional<any_distributed_array> product;
  const auto multiply = [&](const auto& x, const auto& y) {
    all.where().wait();
    all.barrier();
    const double seconds = seconds_of([&] {
      product = matmul(all, x, y, algorithm);
      all.where().wait();
      all.barrier();
    });
    report(options, a.shape(), b.shape(), lengths.elements(), type, all.where(), seconds);
  };
  const auto whole = [&](npy_input& from, const shape& of) { return from.bring_all(shown).reshaped(of); };
  if (spreads_a && spreads_b) {
    const any_distributed_array x = spread(all, from_a, left, shown), y = spread(all, from_b, right, shown);
    multiply(x, y);
  } else if (spreads_a) {
    const any_array y = whole(from_b, right);
    multiply(spread(all, from_a, left, shown), any_const_view(y));
  } else {
    const any_array x = whole(from_a, left);
    multiply(any_const_view(x), spread(all, from_b, right, shown));
  }
  shown.hide();
  stop_if_interrupted();
  write_npy(options.output, *product, lengths);
}

void run(const matmul_options& options) {
  const target requested = target::parse(options.target);
  const matmul_algorithm algorithm = parse_matmul_algorithm(options.algorithm);
  const npy_file a(options.a), b(options.b);
  const dtype type =
      options.dtype.empty() ? type_of_product(a.dtype(), b.dtype()) : parse_dtype(options.dtype);
  if (type < dtype::float32) {
    fail(fmt::format("matmul of {}: the type is float32, float64, complex64 or complex128", name(type)));
  }
  const shape lengths = matmul_shape(a.shape(), b.shape());
  if (is_over_ranks()) return multiply_over_ranks(options, a, b, type, lengths, algorithm);
  npy_output output(options.output);

  const std::size_t size = lengths.elements();
  const target where = matmul_target(requested, a.shape(), b.shape(), type);
  operation running("matmul", size, name(type));
  running.runs_on(where);
  any_array product;
  {
    npy_input from_a(a, type, type, where), from_b(b, type, type, where);
    progress shown(from_a.file_bytes(a.size()) + from_b.file_bytes(b.size()), options.quiet);
    const any_array left = from_a.bring_all(shown), right = from_b.bring_all(shown);
    where.wait();
    const double seconds = seconds_of([&] {
      product = matmul(where, left, right, algorithm);
      where.wait();
    });
    report(options, a.shape(), b.shape(), size, type, where, seconds);
  }
  product = brought_to_cpu(std::move(product));
  output.write(type, lengths, product.data(), options.quiet);
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
