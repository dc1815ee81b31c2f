#include "mandelbrot/deep.hpp"

#include "mandelbrot/kernels.hpp"
#include "mandelbrot/mandelbrot.hpp"
#include <heddle/error.hpp>
#include <heddle/interruption.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace heddle::mandelbrot {
namespace {

complex_double product(complex_double a, complex_double b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

double modulus(complex_double a) {
  return std::hypot(a.re, a.im);
}

/// One iteration from Z on, for u in units; the radius is that of |u|.
linear_steps one_step(complex_double z, double per_unit) {
  constexpr double half_of_last_bit = 0x1p-53;
  // Where Z is about to escape the point may do so first.
  const bool stays = z.re * z.re + z.im * z.im < 3.99;
  return {{2 * z.re, 2 * z.im}, {1, 0}, stays ? half_of_last_bit * 2 * modulus(z) * per_unit : 0};
}

/// `first` and then `second`, for every |e| up to `farthest`.
linear_steps chained(const linear_steps& first, const linear_steps& second, double farthest) {
  linear_steps both{product(second.a, first.a), product(second.a, first.b), 0};
  both.b.re += second.b.re;
  both.b.im += second.b.im;
  const double left =
      std::min(first.radius, (second.radius - modulus(first.b) * farthest) / modulus(first.a));
  // Neither where numbers are too large for double, nor where Z is 0.
  if (left > 0 && std::isfinite(modulus(both.a)) && std::isfinite(modulus(both.b))) both.radius = left;
  return both;
}

/// Every level of linear steps over an orbit, one after another; `view` learns where each begins.
std::vector<linear_steps> linear_steps_of(const std::vector<complex_double>& z, double farthest,
                                          reference_view& view) {
  std::vector<linear_steps> all;
  const std::size_t iterations = z.size() - 2;  // from Z_1 on
  constexpr std::size_t shortest = std::size_t{1} << reference_view::first_level;
  for (std::size_t j = 0; j + shortest <= iterations; j += shortest) {
    linear_steps steps = one_step(z[1 + j], view.per_unit);
    for (std::size_t i = 1; i < shortest; ++i) {
      steps = chained(steps, one_step(z[1 + j + i], view.per_unit), farthest);
    }
    all.push_back(steps);
  }
  std::size_t begin = 0;
  // As many levels as the longest orbit has.
  static_assert(std::bit_width(picture::most_iterations >> reference_view::first_level) <=
                reference_view::most_levels);
  for (std::size_t count = all.size(); count > 0; count /= 2) {
    if (view.levels == reference_view::most_levels)
      fail(fmt::format("mandelbrot: an orbit of {} iterations has more than {} levels of linear steps",
                       iterations, reference_view::most_levels));
    view.level_begin[view.levels++] = begin;
    for (std::size_t j = 0; j + 1 < count; j += 2) {
      all.push_back(chained(all[begin + j], all[begin + j + 1], farthest));
    }
    begin += count;
  }
  // Radii were of |u|, which is at most √2 times the larger part.
  view.largest_radius = 0;
  for (linear_steps& steps : all) {
    steps.radius *= 0.7071;
    view.largest_radius = std::max(view.largest_radius, steps.radius);
  }
  return all;
}

template <class T>
memory on_target(const std::vector<T>& values, const target& where) {
  memory there(values.size() * sizeof(T), where);
  copy(there.data(), where, values.data(), target(), there.bytes());
  return there;
}

}  // namespace

bool is_decimal(const std::string& text) {
  const char* at = text.c_str();
  const auto digits = [&] {
    const char* const first = at;
    while (*at >= '0' && *at <= '9') ++at;
    return at - first;
  };
  if (*at == '+' || *at == '-') ++at;
  auto count = digits();
  if (*at == '.') {
    ++at;
    count += digits();
  }
  if (count == 0) return false;
  if (*at == 'e' || *at == 'E') {
    ++at;
    if (*at == '+' || *at == '-') ++at;
    if (const auto exponent = digits(); exponent == 0 || exponent > 6) return false;
  }
  return at == text.c_str() + text.size();
}

double nearest_double(const std::string& decimal) {
  const char* first = decimal.c_str();
  if (*first == '+') ++first;
  double value = 0;
  const auto [end, status] = std::from_chars(first, decimal.c_str() + decimal.size(), value);
  if (status != std::errc::result_out_of_range) return value;
  const std::size_t exponent = decimal.find_first_of("eE");
  const char size =
      exponent == std::string::npos ? *(first + (*first == '-' ? 1 : 0)) : decimal[exponent + 1];
  return size == '-' || size == '0' || size == '.' ? 0 : std::numeric_limits<double>::infinity();
}

void check(const deep_window& window) {
  for (const std::string& part : {window.re, window.im}) {
    if (!is_decimal(part)) fail(fmt::format("mandelbrot: '{}' is no decimal number", part));
    if (!(std::abs(nearest_double(part)) <= deep_window::most)) {
      fail(fmt::format("mandelbrot: {} is beyond {}", part, deep_window::most));
    }
  }
  if (!(window.width >= deep_window::narrowest && window.width <= deep_window::widest)) {
    fail(fmt::format("mandelbrot: a deep picture {} wide: widths are {} to {}", window.width,
                     deep_window::narrowest, deep_window::widest));
  }
}

int bits_for(const deep_window& window, std::size_t columns, std::uint32_t limit) {
  // Every iteration rounds once: what that moves C by is to stay below 2⁻³² of a pixel.
  const double pixel = std::log2(window.width) - std::log2(static_cast<double>(columns));
  return static_cast<int>(std::ceil(std::max(-pixel, 0.0) + std::log2(limit + 1.0))) + 48;
}

perturbed_points::perturbed_points(const deep_window& window, std::size_t width, std::size_t height,
                                   std::uint32_t limit, const target& where,
                                   std::shared_ptr<const reference_orbit> reference)
    : where_(where), width_(width), limit_(limit), reference_(std::move(reference)) {
  check(window);
  const double columns = static_cast<double>(width), rows = static_cast<double>(height);
  const double tall = window.width / columns * rows;
  view_.unit = std::ldexp(1.0, std::ilogb(std::max(window.width, tall)));
  view_.per_unit = 1 / view_.unit;
  const double away_re = difference(window.re, reference_->re(), view_.unit);
  const double away_im = difference(window.im, reference_->im(), view_.unit);
  if (!(std::max(std::abs(away_re), std::abs(away_im)) < 2000)) {
    fail(fmt::format("mandelbrot: the reference orbit is of a point {} widths away: 1000 at most",
                     std::max(std::abs(away_re), std::abs(away_im))));
  }
  const auto axis = [&](double middle, double length, std::size_t count) {
    std::vector<double> e(count);
    for (std::size_t i = 0; i < count; ++i) {
      const double part =
          (2 * static_cast<double>(i) - static_cast<double>(count)) / (2 * static_cast<double>(count));
      e[i] = middle + part * length;
    }
    return e;
  };
  const double across = window.width * view_.per_unit, down = tall * view_.per_unit;
  columns_ = on_target(axis(away_re, across, width), where);
  rows_ = on_target(axis(away_im, down, height), where);
  const double farthest = std::hypot(std::abs(away_re) + across / 2, std::abs(away_im) + down / 2);
  const std::vector<complex_double>& z = reference_->points();
  const std::vector<linear_steps> steps = linear_steps_of(z, farthest, view_);
  z_ = on_target(z, where);
  steps_ = on_target(steps, where);
  view_.z = static_cast<const complex_double*>(z_.data());
  view_.last = static_cast<std::uint32_t>(z.size() - 1);
  view_.steps = static_cast<const linear_steps*>(steps_.data());
}

void perturbed_points::count(std::size_t first_row, std::size_t rows, std::uint32_t* counts,
                             double* beyond) const {
  const double* const re = static_cast<const double*>(columns_.data());
  const double* const im = static_cast<const double*>(rows_.data()) + first_row;
  if (where_.is_gpu()) return gpu::count_near(where_, view_, re, im, width_, rows, limit_, counts, beyond);
  // The cost of a pixel is not known before: threads ask for a few at a time.
  constexpr std::size_t piece = 1 << 10;
  const std::size_t pixels = rows * width_;
  std::atomic<std::size_t> next{0};
  const auto threads = static_cast<std::size_t>(where_.threads());
  cpu::on_threads(where_.threads(), std::min(threads, (pixels + piece - 1) / piece), [&] {
    for (;;) {
      const std::size_t first = next.fetch_add(piece, std::memory_order_relaxed);
      if (first >= pixels) return;
      check_interruption();
      kernels().near_reference(view_, re, im, width_, first, std::min(pixels, first + piece), limit_, counts,
                               beyond);
    }
  });
}

}  // namespace heddle::mandelbrot
