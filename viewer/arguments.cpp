#include "arguments.hpp"

#include <heddle/error.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace heddle::viewer {

using json = nlohmann::json;

double number_of(std::string_view kind, const json& arguments, const char* key) {
  const auto at = arguments.find(key);
  if (at == arguments.end() || !at->is_number()) fail(fmt::format("{}: '{}' is no number", kind, key));
  const auto value = at->get<double>();
  if (!std::isfinite(value)) fail(fmt::format("{}: '{}' is no finite number", kind, key));
  return value;
}

double number_of(std::string_view kind, const json& arguments, const char* key, double least, double most) {
  const double value = number_of(kind, arguments, key);
  if (value < least || value > most)
    fail(fmt::format("{}: '{}' is {:.6g}, and not within {:.6g} to {:.6g}", kind, key, value, least, most));
  return value;
}

std::string name_of(std::string_view kind, const json& arguments, const char* key) {
  const auto at = arguments.find(key);
  if (at == arguments.end() || !at->is_string()) fail(fmt::format("{}: '{}' is no text", kind, key));
  return at->get<std::string>();
}

bool stroke::covers(std::size_t column, std::size_t row) const {
  const double x = static_cast<double>(column) + 0.5 - from_x, y = static_cast<double>(row) + 0.5 - from_y;
  const double dx = to_x - from_x, dy = to_y - from_y, length = dx * dx + dy * dy;
  const double along = length > 0 ? std::clamp((x * dx + y * dy) / length, 0.0, 1.0) : 0;
  // Half a diagonal: a line without width meets a cell on its way wherever it goes.
  constexpr double least = 0.7072;
  const double reach = std::max(radius, least);
  const double away_x = x - along * dx, away_y = y - along * dy;
  return away_x * away_x + away_y * away_y <= reach * reach;
}

stroke stroke_of(std::string_view kind, const json& arguments) {
  const auto place = [&](const char* key, double& x, double& y) {
    const auto at = arguments.find(key);
    if (at == arguments.end() || !at->is_array() || at->size() != 2)
      fail(fmt::format("{}: '{}' is not [x, y]", kind, key));
    constexpr double most = 1e9;
    x = number_of(kind, json{{key, (*at)[0]}}, key, -most, most);
    y = number_of(kind, json{{key, (*at)[1]}}, key, -most, most);
  };
  stroke made;
  place("from", made.from_x, made.from_y);
  place("to", made.to_x, made.to_y);
  constexpr double most_radius = 1000;
  made.radius = number_of(kind, arguments, "radius", 0, most_radius);
  return made;
}

void for_each_cell(std::string_view kind, const stroke& drawn, std::size_t width, std::size_t height,
                   const std::function<void(std::size_t column, std::size_t row)>& f) {
  const double reach = drawn.radius + 1;
  const auto first = [](double at, std::size_t size) {
    return static_cast<std::size_t>(std::clamp(std::floor(at), 0.0, static_cast<double>(size)));
  };
  const std::size_t left = first(std::min(drawn.from_x, drawn.to_x) - reach, width),
                    right = first(std::max(drawn.from_x, drawn.to_x) + reach + 1, width),
                    top = first(std::min(drawn.from_y, drawn.to_y) - reach, height),
                    bottom = first(std::max(drawn.from_y, drawn.to_y) + reach + 1, height);
  constexpr std::size_t most = std::size_t{1} << 24;
  if (right > left && bottom - top > most / (right - left))
    fail(fmt::format("{}: a stroke lies in a rectangle of up to 2^24 cells", kind));
  for (std::size_t row = top; row < bottom; ++row)
    for (std::size_t column = left; column < right; ++column)
      if (drawn.covers(column, row)) f(column, row);
}

}  // namespace heddle::viewer
