#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>

namespace heddle::impl {

/// Where elements are counted. The edges are where the code runs.
struct bin_finder {
  const double* edges;
  std::size_t bins;
  bool even;
  double low, high, bins_a_unit;

  /// The bin of x, or `bins` for none. The bin of nearly even edges is found by a multiplication and then
  /// corrected by the edges.
  HD_INLINE std::size_t operator()(double x) const {
    if (!(x >= low && x <= high)) return bins;
    if (even) {
      std::size_t bin = static_cast<std::size_t>((x - low) * bins_a_unit);
      if (bin >= bins) bin = bins - 1;
      while (bin > 0 && x < edges[bin]) --bin;
      while (bin + 1 < bins && x >= edges[bin + 1]) ++bin;
      return bin;
    }
    std::size_t first = 0, last = bins;  // edges[first] ≤ x, and x < edges[last] or it is the last edge
    while (last - first > 1) {
      const std::size_t middle = first + (last - first) / 2;
      if (x < edges[middle]) {
        last = middle;
      } else {
        first = middle;
      }
    }
    return first;
  }
};

}  // namespace heddle::impl
