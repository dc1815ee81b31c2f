#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

/// The values of the arguments of an action. Each throws heddle::error that begins with `kind` for other
/// values.
namespace heddle::viewer {

double number_of(std::string_view kind, const nlohmann::json& arguments, const char* key);
/// Within least … most.
double number_of(std::string_view kind, const nlohmann::json& arguments, const char* key, double least,
                 double most);
std::string name_of(std::string_view kind, const nlohmann::json& arguments, const char* key);

/// A line that is drawn with a round brush, in units of the simulation: cell (column, row) is the square from
/// (column, row) to (column + 1, row + 1).
struct stroke {
  double from_x = 0, from_y = 0, to_x = 0, to_y = 0, radius = 0;

  /// Whether the middle of a cell is on it; a brush is never thinner than a cell.
  bool covers(std::size_t column, std::size_t row) const;
};
/// `from` and `to`, two numbers each, and `radius`, up to 1000.
stroke stroke_of(std::string_view kind, const nlohmann::json& arguments);
/// Calls f(column, row) for the cells of a grid that a stroke covers, 2^24 looked at at most.
void for_each_cell(std::string_view kind, const stroke& drawn, std::size_t width, std::size_t height,
                   const std::function<void(std::size_t column, std::size_t row)>& f);

}  // namespace heddle::viewer
