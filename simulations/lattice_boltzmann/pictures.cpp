#include "lattice_boltzmann/pictures.hpp"

#include <heddle/memory.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace heddle::lbm {
namespace {

constexpr std::uint8_t obstacle_colour = 255;  // the last of the palette
constexpr int levels = 255;

}  // namespace

const char* name(field of) noexcept {
  constexpr const char* names[] = {"velocity", "vorticity", "density"};
  return names[static_cast<int>(of)];
}

std::vector<colour> pictures::palette(field of) {
  std::vector<colour> made;
  for (int level = 0; level < levels; ++level) {
    const double part = level / (levels - 1.0);
    const auto byte = [](double x) {
      return static_cast<std::uint8_t>(std::clamp(255 * x + 0.5, 0.0, 255.0));
    };
    if (of == field::velocity) {
      made.push_back({byte(3 * part), byte(3 * part - 1), byte(3 * part - 2)});
    } else {
      // Blue for what is negative, red for what is positive.
      const double away = std::abs(2 * part - 1), rest = 1 - away;
      made.push_back(part < 0.5 ? colour{byte(rest), byte(rest + 0.3 * away), byte(1 - 0.2 * away)}
                                : colour{byte(1 - 0.2 * away), byte(rest + 0.1 * away), byte(rest)});
    }
  }
  made.push_back({110, 110, 110});
  return made;
}

const std::vector<std::uint8_t>& pictures::draw(const flow& of) {
  const std::size_t width = of.given().width, height = of.given().height;
  if (values_.empty()) require_memory(width * height * (2 * sizeof(float) + 1));
  values_.resize(width * height);
  if (field_ == field::velocity) {
    const array<float> u = of.velocity();
    for (std::size_t i = 0; i < values_.size(); ++i)
      values_[i] = std::hypot(u.data()[2 * i], u.data()[2 * i + 1]);
  } else {
    const array<float> values = field_ == field::vorticity ? of.vorticity() : of.density();
    const float middle = field_ == field::density ? 1.0f : 0.0f;
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = values.data()[i] - middle;
  }
  sorted_.clear();
  for (const float value : values_) {
    if (std::isfinite(value)) sorted_.push_back(std::abs(value));
  }
  if (!sorted_.empty()) {
    const auto most =
        sorted_.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(sorted_.size() - 1) * 0.98);
    std::nth_element(sorted_.begin(), most, sorted_.end());
    range_ = std::max(range_, *most);
  }
  pixels_.resize(values_.size());
  const float low = field_ == field::velocity ? 0 : -range_;
  for (std::size_t y = 0; y < height; ++y) {
    const std::size_t from = (height - 1 - y) * width;
    for (std::size_t x = 0; x < width; ++x) {
      const float part = range_ > 0                  ? (values_[from + x] - low) / (range_ - low)
                         : field_ == field::velocity ? 0
                                                     : 0.5f;
      // What is no number is shown as the largest.
      const float level = part >= 0 && part <= 1 ? part : part < 0 ? 0 : 1;
      pixels_[y * width + x] = of.is_solid(x, height - 1 - y)
                                   ? obstacle_colour
                                   : static_cast<std::uint8_t>(std::lround((levels - 1) * level));
    }
  }
  return pixels_;
}

}  // namespace heddle::lbm
