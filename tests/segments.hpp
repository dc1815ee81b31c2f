#pragma once

#include "elements.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Segments that tests cut arrays into.
namespace heddle::tests {

using offsets_of_segments = std::vector<std::size_t>;

/// Segments of lengths from none to `longest`, whose elements are n or a few more than `first`.
inline offsets_of_segments segments_of(std::size_t first, std::size_t n, std::size_t longest) {
  offsets_of_segments offsets{first};
  for (std::size_t k = 0; offsets.back() < n; ++k) {
    const std::uint64_t bits = random_bits(k);
    const std::size_t length = bits % 4 == 0 ? 0 : bits / 4 % (longest + 1);
    offsets.push_back(std::min(n, offsets.back() + length));
  }
  offsets.push_back(offsets.back());
  return offsets;
}

}  // namespace heddle::tests
