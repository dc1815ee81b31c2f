#include "grid_size.hpp"

#include <charconv>

#include <fmt/core.h>

namespace heddle::cli {

std::optional<grid_size> parse_grid_size(std::string_view text) {
  grid_size size{};
  const char* const end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  if (width.ec != std::errc() || width.ptr == end || *width.ptr != 'x') return std::nullopt;
  const auto height = std::from_chars(width.ptr + 1, end, size.height);
  if (height.ec != std::errc() || height.ptr != end || size.width == 0 || size.height == 0)
    return std::nullopt;
  return size;
}

std::string check_grid_size(const std::string& text) {
  return parse_grid_size(text) ? "" : fmt::format("'{}' is no size, such as 640x480", text);
}

}  // namespace heddle::cli
