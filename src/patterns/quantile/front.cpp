#include "patterns/sort/sortable.hpp"
#include <heddle/error.hpp>
#include <heddle/impl/patterns/quantile/front.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

namespace heddle::impl {
namespace {

/// From a to b ≥ a; of large integers the difference is exact before it is rounded.
template <class T>
double difference(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<double>(static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a));
  } else {
    return static_cast<double>(b) - static_cast<double>(a);
  }
}

/// On the straight line from a to b, rounded as numpy.quantile does.
template <class T>
double between(T a, T b, double fraction) {
  const double low = static_cast<double>(a), high = static_cast<double>(b);
  if (fraction == 0 || low == high) return low;
  if (std::isinf(low) || std::isinf(high)) return low + high;
  const double length = difference(a, b);
  if (std::isinf(length)) return low * (1 - fraction) + high * fraction;
  return fraction < 0.5 ? low + length * fraction : high - length * (1 - fraction);
}

}  // namespace

sorted_line_values sorted_line_values::quantiles(std::size_t length, std::span<const double> fractions) {
  sorted_line_values made;
  const std::size_t last = length > 0 ? length - 1 : 0;
  for (const double of_all : fractions) {
    if (!(of_all >= 0 && of_all <= 1))
      fail(fmt::format("a quantile of {}: fractions are from 0 to 1", of_all));
    const double index = static_cast<double>(last) * of_all;
    const std::size_t below = std::min(static_cast<std::size_t>(index), last);
    made.values_.push_back({below, std::min(below + 1, last), index - static_cast<double>(below)});
  }
  made.choose(length);
  return made;
}

sorted_line_values sorted_line_values::median(std::size_t length) {
  sorted_line_values made;
  made.is_median_ = true;
  made.values_.push_back({length > 0 ? (length - 1) / 2 : 0, length / 2, 0});
  made.choose(length);
  return made;
}

void sorted_line_values::choose(std::size_t length) {
  if (length == 0) return;
  indices_.push_back(length - 1);
  for (const place& each : values_) indices_.insert(indices_.end(), {each.below, each.above});
  std::sort(indices_.begin(), indices_.end());
  indices_.erase(std::unique(indices_.begin(), indices_.end()), indices_.end());
  const auto chosen = [&](std::size_t index) {
    return static_cast<std::size_t>(std::lower_bound(indices_.begin(), indices_.end(), index) -
                                    indices_.begin());
  };
  for (place& each : values_) each = {chosen(each.below), chosen(each.above), each.fraction};
}

template <class T>
void sorted_line_values::compute_line(const T* line, std::size_t step, double* out,
                                      std::size_t step_out) const {
  const T greatest = line[(indices_.size() - 1) * step];
  for (const place& each : values_) {
    const T below = line[each.below * step], above = line[each.above * step];
    if (greatest != greatest) {
      *out = std::numeric_limits<double>::quiet_NaN();
    } else if (!is_median_) {
      *out = between(below, above, each.fraction);
    } else {
      const auto high = static_cast<double>(above);
      *out = each.below == each.above ? high : std::midpoint(static_cast<double>(below), high);
    }
    out += step_out;
  }
}

void sorted_line_values::compute(dtype type, const void* elements, const axis_lines& lines, int threads,
                                 double* out) const {
  constexpr std::size_t lines_worth_a_thread = std::size_t{1} << 14;
  with_ordered_type(type, [&]<class T>(T) {
    const T* const x = static_cast<const T*>(elements);
    cpu::for_slices(threads, lines.count(), lines_worth_a_thread, [&](std::size_t first, std::size_t last) {
      for (std::size_t line = first; line < last; ++line)
        compute_line(x + lines.begin_of(line), lines.inner, out + line, lines.count());
    });
  });
}

void require_elements_of_lines(const char* pattern, std::size_t length, std::size_t lines) {
  if (length == 0 && lines > 0) fail(fmt::format("there are no elements, and so no {}", pattern));
}

}  // namespace heddle::impl
