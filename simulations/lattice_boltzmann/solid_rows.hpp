#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::lbm {

/// Whether one of these cells is other than 0, as fast as memory gives them.
inline bool any_solid(const std::uint8_t* cells, std::size_t count) {
  std::uint8_t seen = 0;
  for (std::size_t i = 0; i < count; ++i) seen |= cells[i];
  return seen != 0;
}

}  // namespace heddle::lbm
