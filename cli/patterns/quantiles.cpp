#include "quantiles.hpp"

#include "cli/files/npy_output.hpp"
#include "cli/options/option_checks.hpp"
#include <heddle/any_array.hpp>
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/memory.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/core.h>

namespace heddle::cli {
namespace {

/// The elements of each segment in order, on the CPU.
any_array sorted_elements(npy_input& x, const axis_lines& all, progress& shown) {
  // A radix sort goes to and fro between two arrays of keys; many segments are sorted a few at a time.
  const std::size_t bytes = x.size() * size_of(x.type()), needed = all.count() == 1 ? 3 * bytes : bytes;
  if (!x.where().is_gpu()) require_memory(needed, "the elements are sorted in memory, and do not fit: ");
  any_array elements = x.bring_all(shown);
  const any_view lines = elements.reshaped(shape_of(all));
  sort_into(x.where(), lines, lines, axis{1});
  return brought_to_cpu(std::move(elements));
}

/// Calls f(segment, at) for each segment, where at(i) is element i of the sorted segment; where the last is
/// NaN, as all NaNs are, `give_nan(segment)` instead.
template <class F, class GiveNan>
void for_each_sorted(npy_input& x, const axis_lines& all, progress& shown, const F& f,
                     const GiveNan& give_nan) {
  const any_array sorted = sorted_elements(x, all, shown);
  const int threads = x.where().is_gpu() ? available_cores() : x.where().threads();
  with_type(x.type(), [&]<class T>(T) {
    if constexpr (!heddle::is_complex<T>) {
      constexpr std::size_t segments_worth_a_thread = std::size_t{1} << 14;
      cpu::for_slices(threads, all.count(), segments_worth_a_thread,
                      [&](std::size_t first, std::size_t last) {
                        for (std::size_t segment = first; segment < last; ++segment) {
                          const T* const begin = static_cast<const T*>(sorted.data()) + all.begin_of(segment);
                          const T greatest = begin[(all.length - 1) * all.inner];
                          if (greatest != greatest) {
                            give_nan(segment);
                          } else {
                            f(segment, [=](std::size_t i) { return begin[i * all.inner]; });
                          }
                        }
                      });
    }
  });
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::string check_percentiles(const std::string& text) {
  return each(check_number::between(0, 100))(text);
}

std::vector<double> parse_percentiles(const std::string& text) {
  std::vector<double> fractions;
  for (const std::string& part : list_of(text)) {
    double percents = 0;
    std::from_chars(part.data(), part.data() + part.size(), percents);
    fractions.push_back(percents / 100);
  }
  return fractions;
}

void quantiles(npy_input& x, const axis_lines& all, std::span<const double> fractions, progress& shown,
               double* out) {
  const std::size_t last = all.length - 1, count = all.count();
  for_each_sorted(
      x, all, shown,
      [&](std::size_t segment, const auto& at) {
        for (std::size_t i = 0; i < fractions.size(); ++i)
          out[i * count + segment] = quantile_of(at, last, fractions[i]);
      },
      [&](std::size_t segment) {
        for (std::size_t i = 0; i < fractions.size(); ++i) out[i * count + segment] = not_a_number;
      });
}

void medians(npy_input& x, const axis_lines& all, progress& shown, double* out) {
  for_each_sorted(
      x, all, shown, [&](std::size_t segment, const auto& at) { out[segment] = median_of(at, all.length); },
      [&](std::size_t segment) { out[segment] = not_a_number; });
}

}  // namespace heddle::cli
