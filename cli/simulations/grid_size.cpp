#include "grid_size.hpp"

#include "cli/options/whole_number.hpp"

#include <fmt/core.h>

namespace heddle::cli {

std::optional<grid_size> parse_grid_size(std::string_view text) {
  const std::size_t cross = text.find('x');
  if (cross == text.npos) return std::nullopt;
  const auto width = parse_whole_number(text.substr(0, cross)),
             height = parse_whole_number(text.substr(cross + 1));
  if (!width || !height || *width == 0 || *height == 0) return std::nullopt;
  return grid_size{*width, *height};
}

std::string check_grid_size(const std::string& text) {
  return parse_grid_size(text) ? "" : fmt::format("'{}' is no size, such as 640x480", text);
}

}  // namespace heddle::cli
