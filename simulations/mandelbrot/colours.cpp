#include "mandelbrot/colours.hpp"

#include <heddle/error.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace heddle::mandelbrot {
namespace {

/// Colours at equal distances along a palette.
struct named_palette {
  const char* name;
  std::vector<colour> stops;
};

const std::vector<named_palette>& palettes() {
  constinit static made_once<std::vector<named_palette>> all;
  return all.get([] {
    return std::vector<named_palette>{
        {"dusk", {{12, 8, 38}, {46, 24, 92}, {124, 44, 120}, {214, 88, 98}, {250, 170, 98}, {255, 242, 200}}},
        {"ocean",
         {{4, 12, 36}, {8, 48, 96}, {16, 108, 148}, {72, 176, 180}, {178, 222, 196}, {252, 250, 228}}},
        {"ember", {{8, 4, 4}, {72, 12, 12}, {164, 36, 12}, {236, 108, 20}, {252, 190, 72}, {255, 248, 216}}},
        {"grey", {{16, 16, 16}, {255, 255, 255}}},
    };
  });
}

constexpr colour inside{0, 0, 0};
constexpr std::size_t shades = 1024;
/// √count over which a palette runs from its beginning to its end.
constexpr double palette_length = 11;

}  // namespace

std::vector<std::string> palette_names() {
  std::vector<std::string> names;
  for (const named_palette& palette : palettes()) names.emplace_back(palette.name);
  return names;
}

colouring::colouring(const picture& what, std::string_view palette, bool smooth)
    : what_(what), smooth_(smooth) {
  const auto found = std::find_if(palettes().begin(), palettes().end(),
                                  [&](const named_palette& p) { return p.name == palette; });
  if (found == palettes().end()) {
    fail(fmt::format("there is no palette {}: {} are", palette, fmt::join(palette_names(), ", ")));
  }
  const std::vector<colour>& stops = found->stops;
  gradient_.resize(shades);
  for (std::size_t i = 0; i < shades; ++i) {
    const double along = static_cast<double>(i * (stops.size() - 1)) / (shades - 1);
    const std::size_t before = std::min(static_cast<std::size_t>(along), stops.size() - 2);
    const double share = along - static_cast<double>(before);
    for (int channel = 0; channel < 3; ++channel) {
      const double from = stops[before][channel], to = stops[before + 1][channel];
      gradient_[i][channel] = static_cast<std::uint8_t>(std::lround(from + share * (to - from)));
    }
  }
  format_ = !smooth && what.iterations <= 255 ? pixel_format::palette : pixel_format::rgb;
  if (format_ == pixel_format::palette) {
    for (std::uint32_t count = 0; count < what.iterations; ++count) palette_.push_back(at(count));
    palette_.push_back(inside);
  }
  if (smooth && !what.deep) {
    columns_ = coordinates(what, false);
    rows_ = coordinates(what, true);
  }
}

colour colouring::at(double count) const {
  const double along = std::fmod(std::sqrt(std::max(count, 0.0)) / palette_length, 2.0);
  return gradient_[static_cast<std::size_t>(std::lround((along > 1 ? 2 - along : along) * (shades - 1)))];
}

double colouring::smooth_count(double re, double im, std::uint32_t count) const {
  // Far out |z| is squared by every iteration: log2(log2 |z|) grows by one each. A few more iterations than
  // the count says take the point there.
  double modulus = 0;
  const auto orbit = [&]<class T>(T) {
    T x = 0, y = 0;
    for (std::uint32_t i = 0; i <= count; ++i) {
      const T xy = x * y, next = (x * x - y * y) + static_cast<T>(re);
      y = (xy + xy) + static_cast<T>(im);
      x = next;
    }
    double wide_x = x, wide_y = y;
    for (int i = 0; i < further_iterations; ++i) {
      const double next = wide_x * wide_x - wide_y * wide_y + re;
      wide_y = 2 * wide_x * wide_y + im;
      wide_x = next;
    }
    modulus = std::hypot(wide_x, wide_y);
  };
  what_.precision == dtype::float32 ? orbit(float()) : orbit(double());
  return smooth_count(modulus, count);
}

double colouring::smooth_count(double modulus, std::uint32_t count) {
  // From the real axis near -2, |z| may stay at 2 for long. A count of another point says nothing of this
  // one.
  return !(modulus > 2 && std::isfinite(modulus))
             ? count
             : count + further_iterations - std::log2(std::log2(modulus));
}

void colouring::paint(std::size_t first_row, std::size_t rows, const std::uint32_t* counts, int threads,
                      std::uint8_t* pixels, const double* beyond) const {
  if (smooth_ && what_.deep && beyond == nullptr) {
    fail("mandelbrot: smooth colours of a deep picture take the norms beyond the escape");
  }
  const std::size_t width = what_.width;
  cpu::for_slices(threads, rows, (1 << 14) / width + 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      for (std::size_t x = 0; x < width; ++x) {
        const std::size_t i = row * width + x;
        if (format_ == pixel_format::palette) {
          pixels[i] = static_cast<std::uint8_t>(counts[i]);
          continue;
        }
        colour here = inside;
        if (counts[i] < what_.iterations) {
          double along = counts[i];
          if (smooth_ && what_.deep) along = smooth_count(std::sqrt(beyond[i]), counts[i]);
          if (smooth_ && !what_.deep) along = smooth_count(columns_[x], rows_[first_row + row], counts[i]);
          here = at(along);
        }
        std::copy(here.begin(), here.end(), pixels + 3 * i);
      }
    }
  });
}

}  // namespace heddle::mandelbrot
