#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::cli {

struct grid_size {
  std::size_t width, height;
};

/// "640x480"; nothing for what is no such text, and for sides of 0.
std::optional<grid_size> parse_grid_size(std::string_view text);

/// Says what is wrong with the text of a size; empty if nothing is.
std::string check_grid_size(const std::string& text);

}  // namespace heddle::cli
