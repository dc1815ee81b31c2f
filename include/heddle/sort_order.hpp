#pragma once

#include <heddle/compiler.hpp>

#include <cstdint>

namespace heddle {

/// From the smallest to the largest, NaNs last; or the reverse, NaNs first. Equal elements keep their order
/// in both.
enum class sort_order : std::uint8_t { ascending, descending };

}  // namespace heddle
