#include "outgoing_message.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace heddle::viewer {

outgoing_message text_message(nlohmann::json text) {
  return {std::move(text), false};
}

void leave_out_told(nlohmann::json& frame_header, nlohmann::json& told) {
  for (const char* const key : {"colours", "home", "status"}) {
    const auto value = frame_header.find(key);
    if (value == frame_header.end()) continue;
    nlohmann::json& before = told[key];
    if (before == *value) {
      frame_header.erase(value);
    } else {
      before = *value;
    }
  }
}

std::string_view name(pixel_format format) {
  constexpr std::string_view names[] = {"grey", "rgb", "rgba", "palette"};
  static_assert(std::size(names) == static_cast<std::size_t>(pixel_format::palette) + 1);
  return names[static_cast<int>(format)];
}

std::string hexadecimal(const std::vector<colour>& palette) {
  std::string digits;
  digits.reserve(6 * palette.size());
  for (const colour& one : palette) digits += fmt::format("{:02x}{:02x}{:02x}", one[0], one[1], one[2]);
  return digits;
}

nlohmann::json as_json(const window& shown) {
  return {{"x", shown.x},
          {"y", shown.y},
          {"scale", shown.scale},
          {"width", shown.width},
          {"height", shown.height}};
}

}  // namespace heddle::viewer
