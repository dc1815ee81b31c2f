#pragma once

#include "cli/files/npy_input.hpp"
#include "cli/files/progress.hpp"
#include <heddle/shape.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace heddle::cli {

/// From a to b ≥ a; of large integers the difference is exact before it is rounded.
template <class T>
double difference(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<double>(static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a));
  } else {
    return static_cast<double>(b) - static_cast<double>(a);
  }
}

/// On the straight line from a to b, rounded as numpy.percentile does. A line with one infinite end is
/// infinite between its ends, where NumPy has NaN in its upper half; a line from −∞ to ∞ is NaN.
template <class T>
double between(T a, T b, double fraction) {
  const double low = static_cast<double>(a), high = static_cast<double>(b);
  if (fraction == 0 || low == high) return low;
  if (std::isinf(low) || std::isinf(high)) return low + high;
  const double length = difference(a, b);
  if (std::isinf(length)) return low * (1 - fraction) + high * fraction;
  return fraction < 0.5 ? low + length * fraction : high - length * (1 - fraction);
}

/// Between which two of sorted elements, the last of which is number `last`, a quantile lies, and where.
struct quantile_place {
  std::size_t below, above;
  double fraction;

  quantile_place(std::size_t last, double of_all) {
    const double place = static_cast<double>(last) * of_all;
    below = std::min(static_cast<std::size_t>(place), last);
    above = std::min(below + 1, last);
    fraction = place - static_cast<double>(below);
  }
};

/// Of sorted elements, element i of which is at(i) and the last at(last), the quantile of a fraction.
template <class At>
double quantile_of(const At& at, std::size_t last, double fraction) {
  const quantile_place place(last, fraction);
  return between(at(place.below), at(place.above), place.fraction);
}

/// The median of `length` sorted elements.
template <class At>
double median_of(const At& at, std::size_t length) {
  const auto high = static_cast<double>(at(length / 2));
  return length % 2 != 0 ? high : std::midpoint(static_cast<double>(at(length / 2 - 1)), high);
}

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
