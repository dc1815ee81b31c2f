#pragma once

#include "mandelbrot/mandelbrot.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::tests {

/// The counts of a picture by the definition, a pixel at a time in the picture's precision.
template <class T>
std::vector<std::uint32_t> escape_counts_by_definition(const mandelbrot::picture& what) {
  const T xmin = static_cast<T>(what.view.xmin), xmax = static_cast<T>(what.view.xmax),
          ymin = static_cast<T>(what.view.ymin), ymax = static_cast<T>(what.view.ymax);
  std::vector<std::uint32_t> counts;
  for (std::size_t row = 0; row < what.height; ++row) {
    for (std::size_t column = 0; column < what.width; ++column) {
      const T re = xmin + static_cast<T>(column) * (xmax - xmin) / static_cast<T>(what.width);
      const T im = ymin + static_cast<T>(row) * (ymax - ymin) / static_cast<T>(what.height);
      T x = 0, y = 0;
      std::uint32_t i = 0;
      for (; i < what.iterations; ++i) {
        const T next = x * x - y * y + re;
        y = 2 * (x * y) + im;
        x = next;
        if (x * x + y * y >= 4) break;
      }
      counts.push_back(i);
    }
  }
  return counts;
}

inline std::vector<std::uint32_t> escape_counts_by_definition(const mandelbrot::picture& what) {
  return what.precision == dtype::float32 ? escape_counts_by_definition<float>(what)
                                          : escape_counts_by_definition<double>(what);
}

}  // namespace heddle::tests
