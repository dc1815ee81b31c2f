#include "lattice_boltzmann/pictures.hpp"

#include "lattice_boltzmann/fields.hpp"
#include <heddle/memory.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace heddle::lbm {
std::vector<colour> pictures::palette(field of) {
  std::vector<colour> made;
  for (int level = 0; level < levels_of_colour; ++level) {
    const double part = level / (levels_of_colour - 1.0);
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
  if (pixels_.empty() && !of.where().is_gpu()) require_memory(width * height * (2 * sizeof(float) + 1));
  const array<float> values = of.values(field_);
  range_ = std::max(range_, range_of(values));
  pixels_ = lbm::draw(values, of.solid_in_place(), scale_of_colour::of(field_, range_),
                      picture_part::whole(width, height));
  return pixels_;
}

}  // namespace heddle::lbm
