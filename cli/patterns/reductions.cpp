#include "reductions.hpp"

#include "algorithm_names.hpp"
#include "element_types.hpp"
#include <heddle/algorithm.hpp>
#include <heddle/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

namespace heddle::cli {
namespace {

constexpr reduction all_reductions[] = {
    {"sum", runtime_op::plus, 0},
    {"prod", runtime_op::multiplies, 1},
    {"min", runtime_op::minimum, -1},
    {"max", runtime_op::maximum, -1},
    {"argmin", runtime_op::minimum, -1, outcome::index},
    {"argmax", runtime_op::maximum, -1, outcome::index},
    {"mean", runtime_op::plus, -1, outcome::mean},
    {"std", runtime_op::plus, -1, outcome::deviation},
    {"var", runtime_op::plus, -1, outcome::variance},
    {"median", runtime_op::none, -1, outcome::median},
    {"percentile", runtime_op::none, -1, outcome::percentile},
    {"any", runtime_op::logical_or, 0, outcome::logical},
    {"all", runtime_op::logical_and, 1, outcome::logical},
};

/// Turns `count` combined elements into whether they are not 0, where they are.
void finish_logical(dtype combined, void* values, std::size_t count) {
  with_type(combined, [&]<class T>(T) {
    // Written byte by byte over elements that have been read.
    const T* const elements = static_cast<const T*>(values);
    auto* const flags = static_cast<unsigned char*>(values);
    for (std::size_t i = 0; i < count; ++i) flags[i] = elements[i] != T(0);
  });
}

/// Turns `count` sums of double into results, where they are.
void finish_reals(const reduction& op, double divisor, bool is_single, void* values, std::size_t count) {
  auto* const bytes = static_cast<std::byte*>(values);
  for (std::size_t i = 0; i < count; ++i) {
    double x;
    std::memcpy(&x, bytes + i * sizeof x, sizeof x);
    x /= divisor;
    if (op.becomes == outcome::deviation) x = std::sqrt(x);
    if (x != x) x = std::numeric_limits<double>::quiet_NaN();  // as the library writes it, of either sign
    const auto single = static_cast<float>(x);
    if (is_single) {
      std::memcpy(bytes + i * sizeof single, &single, sizeof single);
    } else {
      std::memcpy(bytes + i * sizeof x, &x, sizeof x);
    }
  }
}

}  // namespace

std::span<const reduction> reductions() {
  return all_reductions;
}
const reduction& reduction_called(const std::string& name) {
  return *std::find_if(std::begin(all_reductions), std::end(all_reductions),
                       [&](const reduction& r) { return r.name == name; });
}

dtype combined_type(const reduction& op, dtype from, bool was_asked_for) {
  const bool complex = from >= dtype::complex64;
  if (op.is_logical()) return complex ? dtype::boolean : from;
  if (op.is_average()) return from;
  if (op.combine == runtime_op::plus || op.combine == runtime_op::multiplies) {
    return was_asked_for ? from : accumulating_type(from);
  }
  if (complex && op.is_quantile()) fail_complex_order(op.name, from, real_parts);
  if (complex) fail_complex_order(op.name, from);
  return from;
}

dtype partial_type(const reduction& op, dtype type) {
  if (!op.is_average()) return type;
  return type >= dtype::complex64 ? dtype::complex128 : dtype::float64;
}

dtype result_type(const reduction& op, dtype from, dtype combined) {
  const bool is_single = from == dtype::float32 || from == dtype::complex64;
  switch (op.becomes) {
    case outcome::index:
      return dtype::int64;
    case outcome::logical:
      return dtype::boolean;
    case outcome::mean:
      return from <= dtype::uint64 ? dtype::float64 : from;
    case outcome::variance:
    case outcome::deviation:
    case outcome::median:
      return is_single ? dtype::float32 : dtype::float64;
    case outcome::percentile:
      return dtype::float64;
    case outcome::itself:
      break;
  }
  return combined;
}

void finish(const reduction& op, dtype combined, dtype result, std::size_t length, std::size_t ddof,
            void* values, std::size_t count) {
  if (op.is_logical()) return finish_logical(combined, values, count);
  if (!op.is_average()) return;
  const std::size_t divisor = length > ddof ? length - ddof : 0;
  const bool is_complex = result >= dtype::complex64;
  finish_reals(op, static_cast<double>(divisor), result == dtype::float32 || result == dtype::complex64,
               values, is_complex ? 2 * count : count);
}

void fill_with_identity(const reduction& op, dtype combined, const shape& lengths, void* values,
                        std::size_t count) {
  if (op.identity < 0) {
    fail(fmt::format("shape {} has no elements, and so no {}", lengths.text(), op.name));
  }
  with_type(combined,
            [&]<class T>(T) { std::fill_n(static_cast<T*>(values), count, static_cast<T>(op.identity)); });
}

shape lengths_of_results(const shape& of_one, std::size_t percentiles) {
  if (percentiles < 2) return of_one;
  std::vector<std::size_t> lengths(of_one.begin(), of_one.end());
  lengths.insert(lengths.begin(), percentiles);
  return shape(lengths);
}

void check_reduce_options(const reduction& op, const reduce_options& options) {
  if (options.ddof && !op.is_spread()) throw CLI::ValidationError("--ddof", "only std and var take it");
  const bool wants = op.becomes == outcome::percentile, has = !options.percentiles.empty();
  if (has && !wants) throw CLI::ValidationError("--percentile", "only --op percentile takes it");
  if (wants && !has) throw CLI::ValidationError("--op", "percentile needs --percentile Q, such as 95");
  const reduce_algorithm algorithm = parse_reduce_algorithm(options.algorithm);
  if (algorithm == reduce_algorithm::single_pass) return;
  if (options.axis) fail_axis_with_textbook(name(algorithm));
  if (op.becomes != outcome::itself && !op.is_logical()) {
    throw CLI::ValidationError("--algorithm", fmt::format("{} combines by sum, prod, min, max, any and all; "
                                                          "{} takes single-pass",
                                                          name(algorithm), op.name));
  }
}

}  // namespace heddle::cli
