#pragma once

#include "cli/kernels/run_options.hpp"
#include <heddle/dtype.hpp>
#include <heddle/runtime_op.hpp>
#include <heddle/shape.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

/// The reductions of `heddle reduce`, in one process and over ranks.
namespace heddle::cli {

/// The kind of result that combined elements become.
enum class outcome { itself, index, logical, mean, variance, deviation, median, percentile };

/// A reduction that --op names: the operator that combines elements, and the numbers 0 and 1 where it has an
/// identity.
struct reduction {
  const char* name;
  runtime_op combine;
  int identity;  // -1: there is none
  outcome becomes = outcome::itself;

  bool is_index() const { return becomes == outcome::index; }
  bool is_logical() const { return becomes == outcome::logical; }
  bool is_spread() const { return becomes == outcome::variance || becomes == outcome::deviation; }
  bool is_average() const { return becomes == outcome::mean || is_spread(); }
  bool is_quantile() const { return becomes == outcome::median || becomes == outcome::percentile; }
};

std::span<const reduction> reductions();
const reduction& reduction_called(const std::string& name);

struct reduce_options : run_options {
  std::optional<std::size_t> ddof;
  std::string percentiles;
};

/// Throws where an option means nothing to the reduction.
void check_reduce_options(const reduction& op, const reduce_options& options);

/// The type to which elements of `from` are converted before they are combined.
dtype combined_type(const reduction& op, dtype from, bool was_asked_for);

/// The type that elements of `type` are combined to: averages widen them as they are read.
dtype partial_type(const reduction& op, dtype type);

dtype result_type(const reduction& op, dtype from, dtype combined);

/// Turns what combining made of segments of `length` elements into results.
void finish(const reduction& op, dtype combined, dtype result, std::size_t length, std::size_t ddof,
            void* values, std::size_t count);

/// The result of no elements, `count` times.
void fill_with_identity(const reduction& op, dtype combined, const shape& lengths, void* values,
                        std::size_t count);

/// The lengths of the results: first that of several percentiles, as in NumPy.
shape lengths_of_results(const shape& of_one, std::size_t percentiles);

/// The sum that a mean is made of.
inline constexpr reduction mean_of_elements{"mean", runtime_op::plus, -1, outcome::mean};

/// The same over ranks.
void reduce_over_ranks(const reduce_options& options);

}  // namespace heddle::cli
