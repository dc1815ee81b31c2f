#pragma once

#include "laplace/heat.hpp"
#include <heddle/array.hpp>
#include <heddle/for_each_index.hpp>
#include <heddle/statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// heat_of() and draw() by patterns, for the targets that the including file is compiled for.
namespace heddle::laplace {

template <class T>
heat heat_of_gpu(const grid_view<T>& of);
template <class T>
std::vector<std::uint8_t> draw_on_gpu(const grid_view<T>& of, const heat& colours, const picture_part& part);

inline namespace HD_BUILD {

/// The numbers of a grid side by side.
template <class T>
struct packed_point {
  const T* from;
  std::size_t pitch, width;
  T* to;
  HD_FN void operator()(std::size_t row, std::size_t column) const {
    to[row * width + column] = from[row * pitch + column];
  }
};

template <class T>
struct heat_pixel {
  const T* data;
  std::size_t width, height, pitch;
  heat colours;
  picture_part part;
  std::uint8_t* to;

  HD_FN void operator()(std::size_t row, std::size_t column) const {
    const std::size_t top = part.top + row * part.side, left = part.left + column * part.side;
    const std::size_t bottom = top + part.side < height ? top + part.side : height;
    const std::size_t right = left + part.side < width ? left + part.side : width;
    double sum = 0;
    for (std::size_t y = top; y < bottom; ++y)
      for (std::size_t x = left; x < right; ++x) sum += static_cast<double>(data[y * pitch + x]);
    to[row * part.columns + column] =
        colours.level(sum / static_cast<double>((bottom - top) * (right - left)));
  }
};

template <class T>
heat find_heat(const grid_view<T>& of) {
  array<T> packed(of.width * of.height, of.where);
  for_each_index(of.where, extent{of.height, of.width},
                 packed_point<T>{of.data, of.pitch, of.width, packed.data()});
  const minmax_result<T> both = minmax(of.where, packed);
  const double low = static_cast<double>(both.min);
  return {low, static_cast<double>(both.max) - low};
}

template <class T>
std::vector<std::uint8_t> draw_pixels(const grid_view<T>& of, const heat& colours, const picture_part& part) {
  array<std::uint8_t> pixels(part.rows * part.columns, of.where);
  for_each_index(of.where, extent{part.rows, part.columns},
                 heat_pixel<T>{of.data, of.width, of.height, of.pitch, colours, part, pixels.data()});
  return pixels.to_vector();
}

}  // namespace HD_BUILD
}  // namespace heddle::laplace
