#include "chart.hpp"

#include "cli/files/interruption.hpp"
#include <heddle/error.hpp>
#include <heddle/support/process.hpp>
#include <heddle/support/temporary_folder.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <string_view>

#include <fmt/core.h>

namespace heddle::cli::bench {
namespace {

/// The output of gnuplot for `script`, without the settings of a user.
std::string run_gnuplot(std::string_view script) {
  const std::filesystem::path program = find_program("gnuplot");
  if (program.empty()) fail("gnuplot is not installed any more");
  const temporary_folder work(temporary_place(), "heddle-chart-");
  const process_result drawn = run_program({program.string(), "-d"}, work.path(), script);
  stop_if_interrupted();
  if (drawn.status != 0 || drawn.out.find("</svg>") == drawn.out.npos) {
    std::string said = drawn.err;
    std::replace(said.begin(), said.end(), '\n', ' ');
    fail(fmt::format("gnuplot drew no chart: {}", said));
  }
  return drawn.out;
}

/// As a string of gnuplot's, in which nothing has a meaning.
std::string gnuplot_string(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

/// The style of one line.
struct line_style {
  std::string colour, text;
};

line_style style_of(const chart_line& line, std::size_t number) {
  // Far enough apart to be told from each other, and dark enough to be read as text.
  constexpr const char* colours[] = {"#0b62a4", "#d1495b", "#2e8b57", "#d9820a", "#7b3fa0",
                                     "#1797a6", "#8c564b", "#c2559d", "#6b7a1f", "#3d4f7d"};
  constexpr int points[] = {7, 5, 9, 13};  // a circle, a square, a triangle and a diamond
  if (line.kind == contender::kind::ceiling) return {"#606060", "linespoints lw 2 dt 2 pt 7 ps 0.3"};
  const std::size_t count = std::size(colours);
  return {colours[number % count],
          fmt::format("linespoints lw {} pt {} ps 0.5", line.kind == contender::kind::algorithm ? 3 : 1.5,
                      points[number / count % std::size(points)])};
}

constexpr int label_distance = 18;

/// Where the names of lines that end at these heights stand: as near as they can, by least squares, without
/// covering each other. It is the isotonic regression of what is left of the heights without the distances.
std::vector<double> label_heights(const std::vector<double>& ends, double most) {
  std::vector<std::size_t> order(ends.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ends[a] < ends[b]; });
  struct touching {
    double sum;
    std::size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<touching> groups;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    touching last{ends[order[rank]] - static_cast<double>(rank) * label_distance, 1};
    for (; !groups.empty() && groups.back().mean() > last.mean(); groups.pop_back()) {
      last = {groups.back().sum + last.sum, groups.back().count + last.count};
    }
    groups.push_back(last);
  }
  const double highest = most - static_cast<double>(order.size() - 1) * label_distance;
  std::vector<double> heights(ends.size());
  std::size_t rank = 0;
  for (const touching& group : groups) {
    for (std::size_t i = 0; i < group.count; ++i, ++rank) {
      heights[order[rank]] =
          std::clamp(group.mean(), 0.0, highest) + static_cast<double>(rank) * label_distance;
    }
  }
  return heights;
}

/// Draws a panel between two heights of the drawing, of which 1 is the top. A name has the same colour in all
/// panels, by its place among `names`.
std::string panel_script(const chart_panel& panel, const std::vector<std::string>& names, double top,
                         double bottom, double pixels) {
  const auto& [first_n, first_rate] = panel.lines.front().points.front();
  const double last_n = panel.lines.front().points.back().first;
  double highest = first_rate;
  for (const chart_line& line : panel.lines) {
    for (const auto& [n, rate] : line.points) highest = std::max(highest, rate);
  }
  highest *= 1.05;
  std::vector<double> ends;
  for (const chart_line& line : panel.lines) ends.push_back(line.points.back().second / highest * pixels);
  const std::vector<double> heights = label_heights(ends, pixels);

  const bool is_range = first_n < last_n;
  std::string script = fmt::format(
      "unset label\n"
      "set tmargin at screen {}\n"
      "set bmargin at screen {}\n"
      "set xrange [{}:{}]\n"
      "set yrange [0:{}]\n"
      "set label '{{/:Bold=18 {}}}' at graph 0, graph 1 offset 0, char 2.6 left\n"
      "set label {} at graph 0, graph 1 offset 0, char 1.2 left noenhanced textcolor rgb '#606060'\n",
      top, bottom, is_range ? first_n : first_n / 2, is_range ? last_n : last_n * 2, highest, panel.title,
      gnuplot_string(panel.subtitle));
  std::string plots;
  for (std::size_t i = 0; i < panel.lines.size(); ++i) {
    const chart_line& line = panel.lines[i];
    const auto place = std::find(names.begin(), names.end(), line.name);
    const line_style style = style_of(line, static_cast<std::size_t>(place - names.begin()));
    script += fmt::format("$line{} << end_of_points\n", i);
    for (const auto& [n, rate] : line.points) script += fmt::format("{} {}\n", n, rate);
    script += "end_of_points\n";
    script += fmt::format(
        "set label {} at graph 1, graph {} offset char 1.2, 0 left noenhanced textcolor rgb '{}'\n",
        gnuplot_string(line.name), heights[i] / pixels, style.colour);
    plots += fmt::format("{}$line{} using 1:2 with {} lc rgb '{}'", i == 0 ? "" : ", ", i, style.text,
                         style.colour);
  }
  return script + fmt::format("plot {}\n", plots);
}

}  // namespace

void require_gnuplot() {
  if (!find_program("gnuplot").empty()) return;
  fail("--plot needs gnuplot, which is not installed (Debian's package gnuplot-nox has it)");
}

std::string draw_chart(const std::vector<chart_panel>& panels) {
  std::size_t most_lines = 0, longest_name = 0;
  std::vector<std::string> names;
  for (const chart_panel& panel : panels) {
    most_lines = std::max(most_lines, panel.lines.size());
    for (const chart_line& line : panel.lines) {
      longest_name = std::max(longest_name, line.name.size());
      const bool has_colour = line.kind != contender::kind::ceiling;
      if (has_colour && std::find(names.begin(), names.end(), line.name) == names.end()) {
        names.push_back(line.name);
      }
    }
  }
  // In pixels.
  constexpr int width = 960, left = 80, above = 80, below = 60;
  const int right = 30 + 8 * static_cast<int>(longest_name);
  const int plot_height = std::max(400, label_distance * static_cast<int>(most_lines));
  const int panel_height = above + plot_height + below;
  const double height = panel_height * static_cast<double>(panels.size());

  std::string script = fmt::format(
      "set terminal svg size {},{} dynamic background rgb 'white' font 'sans-serif,14'\n"
      "set multiplot\n"
      "set logscale x 2\n"
      "set format x '2^{{%L}}'\n"
      "set border 3 lc rgb '#808080'\n"
      "set tics nomirror scale 0.5 textcolor rgb 'black'\n"
      "set grid lt 1 lw 1 lc rgb '#e4e4e4'\n"
      "set xlabel 'elements'\n"
      "set ylabel 'GB/s'\n"
      "set key off\n"
      "set lmargin at screen {}\n"
      "set rmargin at screen {}\n",
      width, height, left / static_cast<double>(width), 1 - right / static_cast<double>(width));
  double top = above;
  for (const chart_panel& panel : panels) {
    script += panel_script(panel, names, 1 - top / height, 1 - (top + plot_height) / height, plot_height);
    top += panel_height;
  }
  script += "unset multiplot\n";
  return run_gnuplot(script);
}

}  // namespace heddle::cli::bench
