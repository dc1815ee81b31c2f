#include "visible_part.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/core.h>

namespace heddle::viewer {
namespace {

/// Squares of one axis, from the lowest that a window from `from` to `to` sees.
struct span_of_axis {
  std::size_t first = 0, count = 0;
};
span_of_axis seen(double from, double to, std::size_t size, std::size_t side) {
  const double end = static_cast<double>(size);
  const auto cell = [&](double at) { return static_cast<std::size_t>(std::clamp(at, 0.0, end)); };
  // Squares lie alike wherever the window is.
  const std::size_t first = cell(std::floor(from)) / side * side, last = cell(std::ceil(to));
  return {first, last > first && first < size ? (last - first + side - 1) / side : 0};
}

/// Places and scales of a client are up to 10^9999 and 1.8e308; sums of these stay finite.
constexpr double farthest = 1e300;

double place(const std::string& text) {
  return std::clamp(std::strtod(text.c_str(), nullptr), -farthest, farthest);
}

}  // namespace

visible_part visible_in(const window& shown, std::size_t width, std::size_t height, bool is_up) {
  const double x = place(shown.x), y = place(shown.y);
  const double across = std::min(shown.scale * shown.width, farthest),
               down = std::min(shown.scale * shown.height, farthest);
  constexpr double most_side = 0x1p40;
  const auto side = static_cast<std::size_t>(std::clamp(std::ceil(shown.scale), 1.0, most_side));
  const span_of_axis columns = seen(x - across / 2, x + across / 2, width, side);
  const span_of_axis rows = seen(y - down / 2, y + down / 2, height, side);
  visible_part made;
  if (columns.count == 0 || rows.count == 0) return made;
  made.part = {columns.first, rows.first, side, columns.count, rows.count};
  made.left = (static_cast<double>(columns.first) - x) / shown.scale + shown.width / 2.0;
  const double highest = static_cast<double>(rows.first + rows.count * side);
  made.top = (is_up ? y - highest : static_cast<double>(rows.first) - y) / shown.scale + shown.height / 2.0;
  made.pixel = static_cast<double>(side) / shown.scale;
  return made;
}

window whole_grid(std::size_t columns, std::size_t rows, std::uint32_t width, std::uint32_t height) {
  const double scale = std::max(static_cast<double>(columns) / width, static_cast<double>(rows) / height);
  const double whole = scale > 1 ? std::ceil(scale) : 1 / std::max(1.0, std::floor(1 / scale));
  return {fmt::format("{}", static_cast<double>(columns) / 2),
          fmt::format("{}", static_cast<double>(rows) / 2), whole, width, height};
}

}  // namespace heddle::viewer
