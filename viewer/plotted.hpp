#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace heddle::viewer {

/// Numbers of a run for a plot of status(): 512 at most, evenly thinned where there were more, and the last.
class plotted {
 public:
  /// A point with the x of the last one takes its place.
  void add(double x, double y);
  void clear() { points_.clear(); }
  const std::vector<std::pair<double, double>>& points() const { return points_; }

  /// An entry of "plots"; on a logarithmic axis without what is not above 0.
  nlohmann::json entry(std::string_view name, std::string_view unit, bool is_log) const;

 private:
  std::vector<std::pair<double, double>> points_;
};

}  // namespace heddle::viewer
