#pragma once

#include <span>
#include <string_view>

namespace heddle::viewer {

/// A well-known pattern of Conway's Life.
struct known_pattern {
  std::string_view name;   ///< "glider-gun"
  std::string_view title;  ///< "Gosper's glider gun"
  std::string_view rle;
};

std::span<const known_pattern> known_patterns() noexcept;

}  // namespace heddle::viewer
