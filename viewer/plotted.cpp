#include "plotted.hpp"

#include <cstddef>

#include <nlohmann/json.hpp>

namespace heddle::viewer {

void plotted::add(double x, double y) {
  if (!points_.empty() && points_.back().first >= x) points_.pop_back();
  points_.emplace_back(x, y);
  constexpr std::size_t most = 512;
  if (points_.size() <= most) return;
  for (std::size_t i = 0; i < most / 2; ++i) points_[i] = points_[2 * i];
  points_.erase(points_.begin() + most / 2, points_.end() - 1);
}

nlohmann::json plotted::entry(std::string_view name, std::string_view unit, bool is_log) const {
  nlohmann::json x = nlohmann::json::array(), y = nlohmann::json::array();
  for (const auto& [at, value] : points_) {
    if (is_log && !(value > 0)) continue;
    x.push_back(at);
    y.push_back(value);
  }
  return {{"name", name}, {"unit", unit}, {"log", is_log}, {"x", std::move(x)}, {"y", std::move(y)}};
}

}  // namespace heddle::viewer
