#pragma once

#include "npy_input.hpp"
#include "progress.hpp"
#include <heddle/shape.hpp>

#include <span>
#include <string>
#include <vector>

namespace heddle::cli {

/// What is wrong with a list of percentiles, "25,50,97.5"; empty when nothing is.
std::string check_percentiles(const std::string& text);

/// The fractions of such a list, from 0 to 1.
std::vector<double> parse_percentiles(const std::string& text);

/// Of each of `all` segments of x, which have elements, the quantile of each fraction, those of the first
/// fraction first: on the straight line between the neighbours of its place in the sorted segment, as
/// numpy.percentile has it; NaN where the segment holds one. Sorts all elements in memory.
void quantiles(npy_input& x, const axis_lines& all, std::span<const double> fractions, progress& shown,
               double* out);

/// The medians of each of `all` segments of x: the middle element, or half way between the two in the middle.
void medians(npy_input& x, const axis_lines& all, progress& shown, double* out);

}  // namespace heddle::cli
