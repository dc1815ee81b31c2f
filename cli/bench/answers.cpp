#include "answers.hpp"

#include <heddle/array_view.hpp>
#include <heddle/error.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>

#include <fmt/core.h>

namespace heddle::cli::bench {
namespace {

template <class T>
inline constexpr bool is_complex_type =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

/// In which sums of T are exact, or wrap as those of T do.
template <class T>
using wide = std::conditional_t<is_complex_type<T>, std::complex<long double>,
                                std::conditional_t<std::is_integral_v<T>, std::uint64_t, long double>>;

template <class T>
wide<T> widened(const T& x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::make_unsigned_t<T>>(x);
  } else {
    return wide<T>(x);
  }
}

/// Of the sum of magnitudes, which bounds all rounding; for maxima and single additions nothing is lost.
template <class T>
constexpr long double tolerance() {
  return sizeof(T) == (is_complex_type<T> ? 8 : 4) ? 3e-5L : 3e-14L;
}

template <class T>
bool agree(const T& found, const wide<T>& expected, long double magnitude) {
  if constexpr (std::is_integral_v<T>) {
    return found == static_cast<T>(expected);
  } else {
    return std::abs(wide<T>(found) - expected) <= tolerance<T>() * magnitude;
  }
}

[[noreturn]] void fail_answer(const workload& work, const std::string& name, std::size_t element) {
  throw error(fmt::format("bench: {} {} on {}: element {} of what {} computes is wrong", work.n,
                          heddle::name(work.type), work.where.text(), element, name));
}

/// A loop that goes on from element to element.
template <class T>
void compare(const workload& work, const std::string& name, const std::vector<T>& x,
             const std::vector<T>& found) {
  const bool is_maximum = work.combine == runtime_op::maximum;
  wide<T> total{};
  long double magnitude = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto value = widened(x[i]);
    if (work.pattern == pattern::transform) {
      const auto next = widened(static_cast<T>(x[i] + T(1)));
      if (!agree(found[i], next, 1)) fail_answer(work, name, i);
      continue;
    }
    if constexpr (is_complex_type<T>) {
      total += value;
      magnitude += std::abs(value);
    } else if (is_maximum) {
      total = i == 0 ? value : widened(std::max(static_cast<T>(total), x[i]));
    } else {
      total += value;
      magnitude += static_cast<long double>(std::abs(static_cast<long double>(x[i])));
    }
    if (work.pattern == pattern::scan && !agree(found[i], total, magnitude)) fail_answer(work, name, i);
  }
  if (work.pattern == pattern::reduce && !agree(found[0], total, magnitude)) fail_answer(work, name, 0);
}

}  // namespace

bool has_answer(dtype type) noexcept {
  return type != dtype::boolean;
}

void check_against_loop(const workload& work, const contender& what) {
  with_type(work.type, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, bool>) {
      what.calls(0, 1);
      work.where.wait();
      const auto vector_of = [&](const void* data, std::size_t n) {
        return array_view<const T>(static_cast<const T*>(data), shape{n}, work.where).to_vector();
      };
      const bool is_reduction = work.pattern == pattern::reduce;
      compare(
          work, what.name, vector_of(work.elements->input(0), work.n),
          is_reduction ? vector_of(work.elements->result(), 1) : vector_of(work.elements->output(0), work.n));
    }
  });
}

}  // namespace heddle::cli::bench
