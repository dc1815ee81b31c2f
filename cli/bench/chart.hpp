#pragma once

#include "contender.hpp"

#include <string>
#include <utility>
#include <vector>

namespace heddle::cli::bench {

/// A line of a chart: points (n, GB/s) in order of n.
struct chart_line {
  std::string name;
  enum contender::kind kind;
  std::vector<std::pair<double, double>> points;
};

/// Lines over the same n that share a pair of axes, under a title.
struct chart_panel {
  std::string title, subtitle;
  std::vector<chart_line> lines;
};

/// Throws heddle::error, which names the package, when there is no gnuplot.
void require_gnuplot();

/// The SVG drawing of bandwidth against n, on a logarithmic axis, with one panel below another. Names stand
/// at the ends of their lines; Heddle's lines are thick, ceilings dashed. It is gnuplot's work, run as a
/// process of its own. Throws heddle::error with what gnuplot says when it fails.
std::string draw_chart(const std::vector<chart_panel>& panels);

}  // namespace heddle::cli::bench
