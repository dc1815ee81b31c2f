#include "lattice_boltzmann/fields.hpp"

#include "lattice_boltzmann/field_kernels.hpp"
#include <heddle/error.hpp>
#include <heddle/operators.hpp>
#include <heddle/sort.hpp>
#include <heddle/transform.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/core.h>

namespace heddle::lbm {

const char* name(field of) noexcept {
  constexpr const char* names[] = {"velocity", "vorticity", "density"};
  static_assert(std::size(names) == std::size(fields));
  return names[static_cast<int>(of)];
}

template <class R>
array<float> values_of(const array<moments<R>>& of, const array_view<const std::uint8_t>& solid,
                       std::size_t width, field which) {
  return of.where().is_gpu() ? values_on_gpu(of, solid, width, which) : find_values(of, solid, width, which);
}
template array<float> values_of(const array<moments<float>>&, const array_view<const std::uint8_t>&,
                                std::size_t, field);
template array<float> values_of(const array<moments<double>>&, const array_view<const std::uint8_t>&,
                                std::size_t, field);

template <class R>
array<float> velocities_of(const array<moments<R>>& of, std::size_t width) {
  return of.where().is_gpu() ? velocities_on_gpu(of, width) : find_velocities(of, width);
}
template array<float> velocities_of(const array<moments<float>>&, std::size_t);
template array<float> velocities_of(const array<moments<double>>&, std::size_t);

float range_of(const array<float>& values) {
  constexpr double part = 0.98;
  const auto place_of = [](std::size_t count) {
    return static_cast<std::size_t>(static_cast<double>(count - 1) * part);
  };
  if (values.where().is_gpu()) {
    // The magnitude of a number is the larger of it and of its negative.
    const array<float> negative = transform(values.where(), values, -1.0f, multiplies{});
    const array<float> sorted = sort(values.where(), transform(values.where(), values, negative, maximum{}));
    std::size_t finite = 0, beyond = sorted.size();  // numbers that are not finite come last
    while (finite < beyond) {
      const std::size_t middle = finite + (beyond - finite) / 2;
      if (std::isfinite(sorted[middle])) {
        finite = middle + 1;
      } else {
        beyond = middle;
      }
    }
    return finite == 0 ? 0 : sorted[place_of(finite)];
  }
  std::vector<float> magnitudes;
  magnitudes.reserve(values.size());
  for (const float value : values)
    if (std::isfinite(value)) magnitudes.push_back(std::abs(value));
  if (magnitudes.empty()) return 0;
  const auto most = magnitudes.begin() + static_cast<std::ptrdiff_t>(place_of(magnitudes.size()));
  std::nth_element(magnitudes.begin(), most, magnitudes.end());
  return *most;
}

void fail_outside(const picture_part& part, std::size_t width, std::size_t height) {
  fail(
      fmt::format("lbm: a picture of {}x{} squares of {} cells from column {}, row {} is not within "
                  "{}x{} cells",
                  part.columns, part.rows, part.side, part.left, part.top, width, height));
}

std::vector<std::uint8_t> draw(const array<float>& values, const array_view<const std::uint8_t>& solid,
                               const scale_of_colour& scale, const picture_part& part) {
  const std::size_t height = values.shape()[0], width = values.shape()[1];
  if (!part.is_within(width, height)) fail_outside(part, width, height);
  if (values.where().is_gpu()) return draw_on_gpu(values, solid, scale, part);
  return draw_pixels(values, solid, scale, part);
}

}  // namespace heddle::lbm
