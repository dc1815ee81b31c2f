#pragma once

#include "reductions.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/shape.hpp>

#include <span>

namespace heddle::cli {

/// The median, or the quantile of each fraction, of all elements, which are some, on every rank.
void quantiles_over_ranks(const reduction& op, const any_distributed_array& x,
                          std::span<const double> fractions, double* out);

/// The same of each line along an axis, those of the first fraction first: float64, flat.
any_distributed_array quantiles_along_over_ranks(const reduction& op, const any_distributed_array& x,
                                                 axis along, std::span<const double> fractions);

}  // namespace heddle::cli
