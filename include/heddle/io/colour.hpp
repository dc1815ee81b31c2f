#pragma once

#include <heddle/compiler.hpp>

#include <array>
#include <cstdint>

namespace heddle {

/// Red, green and blue, 0 … 255.
using colour = std::array<std::uint8_t, 3>;

}  // namespace heddle
