#include "laplace_view.hpp"

#include "saved_file.hpp"
#include "visible_part.hpp"
#include <heddle/error.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/io/vti.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <laplace/heat.hpp>
#include <nlohmann/json.hpp>

namespace heddle::viewer {
namespace {

using json = nlohmann::json;
using laplace::method, laplace::point, laplace::point_value;

constexpr std::string_view of_laplace = "laplace";

/// The first palette is that of `heddle laplace -o x.png`.
constexpr std::string_view laplace_palettes[] = {"heat", "grey"};

std::vector<colour> colours_of(std::string_view palette) {
  std::vector<colour> made;
  for (int level = 0; level < 256; ++level) {
    const auto grey = static_cast<std::uint8_t>(level);
    made.push_back(palette == "grey" ? colour{grey, grey, grey} : laplace::heat::of_level(level));
  }
  return made;
}

}  // namespace

template <class T>
laplace_view<T>::laplace_view(laplace_start<T> start, const target& where) : start_(std::move(start)) {
  if (start_.source.size() == 0) {
    start_.source = array<T>(start_.points.shape());
    start_.source.fill(0);
  }
  if (!start_.held) start_.held.emplace(start_.points.shape(), std::uint8_t{0});
  solver_ = made(where, start_.how, start_.points);
  look();
}

template <class T>
bool laplace_view<T>::is_inner(std::size_t column, std::size_t row) const {
  return column > 0 && row > 0 && column + 1 < width() && row + 1 < height();
}

template <class T>
std::unique_ptr<laplace::solver<T>> laplace_view<T>::made(const target& where, method how,
                                                          const array<T>& points) const {
  auto solver = std::make_unique<laplace::solver<T>>(where, how, points, start_.source);
  const auto& held = *start_.held;
  if (std::any_of(held.begin(), held.end(), [](std::uint8_t is) { return is != 0; })) solver->hold(held);
  return solver;
}

template <class T>
void laplace_view<T>::look() {
  // The residual is the beginning of the next cycle, on the first coarse grid too.
  const auto levels = solver_->levels();
  residual_ = solver_->residual();
  residuals_.add(static_cast<double>(steps()), residual_);
  if (levels.size() != of_levels_.size()) of_levels_.assign(levels.size(), {});
  for (std::size_t k = 0; k < levels.size(); ++k)
    of_levels_[k].add(static_cast<double>(steps()), levels[k].residual);
}

template <class T>
json laplace_view<T>::description() const {
  json methods = json::array();
  for (const method how : laplace::methods) methods.push_back(laplace::name(how));
  return {{"palettes", laplace_palettes},
          {"up", false},
          {"methods", std::move(methods)},
          {"width", width()},
          {"height", height()}};
}

template <class T>
void laplace_view<T>::step(std::uint64_t count) {
  solver_->iterate(count);
  at_once_ = count;
  look();
}

template <class T>
work laplace_view<T>::work_of_step() const {
  return {static_cast<double>(solver_->points()), "points/s",
          static_cast<double>(solver_->bytes_of(at_once_)) / static_cast<double>(at_once_),
          start_.how != method::multigrid && solver_->held_points() == 0
              ? "no copy bounds it: several sweeps in a pass over memory"
              : ""};
}

template <class T>
bool laplace_view<T>::is_finished() const {
  return residual_ <= start_.tolerance * solver_->first_residual();
}

template <class T>
void laplace_view<T>::restart() {
  solver_ = made(where(), start_.how, start_.points);
  before_ = 0;
  residuals_.clear();
  of_levels_.clear();
  look();
}

template <class T>
void laplace_view<T>::move_to(const target& where) {
  auto moved = made(where, start_.how, solver_->solution());
  before_ = steps();
  solver_ = std::move(moved);
}

template <class T>
window laplace_view<T>::home(std::uint32_t width_of_window, std::uint32_t height_of_window) const {
  return whole_grid(width(), height(), width_of_window, height_of_window);
}

template <class T>
rendering laplace_view<T>::render(const window& shown, std::string_view palette) {
  std::vector<colour> colours = colours_of(palette);
  if (level_ > 0) {
    const auto levels = solver_->levels();
    // Before the first cycle there is none.
    if (level_ <= levels.size()) return render_level(shown, levels[level_ - 1].correction, colours);
  }
  rendering made;
  const visible_part seen = visible_in(shown, width(), height(), false);
  if (seen.part.columns == 0) return made;
  const laplace::grid_view<T> points = solver_->points_in_place();
  made.image = {seen.part.columns, seen.part.rows, pixel_format::palette,
                laplace::draw(points, laplace::heat_of(points), seen.part), std::move(colours)};
  made.left = seen.left;
  made.top = seen.top;
  made.pixel = seen.pixel;
  return made;
}

/// A coarse grid covers the same square: a pixel of the window shows the point that lies there.
template <class T>
rendering laplace_view<T>::render_level(const window& shown, const laplace::grid_view<T>& of,
                                        const std::vector<colour>& palette) const {
  rendering made;
  const visible_part seen = visible_in(shown, width(), height(), false);
  if (seen.part.columns == 0) return made;
  const auto places = [&](std::size_t first, std::size_t count, std::size_t points, std::size_t coarse) {
    std::vector<std::size_t> all(count);
    for (std::size_t i = 0; i < count; ++i)
      all[i] = std::min((first + i * seen.part.side + seen.part.side / 2) * coarse / points, coarse - 1);
    return all;
  };
  const std::vector<std::size_t> columns = places(seen.part.left, seen.part.columns, width(), of.width);
  const std::vector<std::size_t> rows = places(seen.part.top, seen.part.rows, height(), of.height);
  const picture_part part{columns.front(), rows.front(), 1, columns.back() - columns.front() + 1,
                          rows.back() - rows.front() + 1};
  const std::vector<std::uint8_t> levels = laplace::draw(of, laplace::heat_of(of), part);
  std::vector<std::uint8_t> pixels;
  pixels.reserve(columns.size() * rows.size());
  for (const std::size_t row : rows)
    for (const std::size_t column : columns)
      pixels.push_back(levels[(row - part.top) * part.columns + column - part.left]);
  made.image = {columns.size(), rows.size(), pixel_format::palette, std::move(pixels), palette};
  made.left = seen.left;
  made.top = seen.top;
  made.pixel = seen.pixel;
  return made;
}

template <class T>
void laplace_view<T>::handle(std::string_view action, const json& arguments) {
  constexpr double most_value = 1e6;
  if (action == "wall") {
    const auto value = static_cast<T>(number_of(of_laplace, arguments, "value", -most_value, most_value));
    set_wall(stroke_of(of_laplace, arguments), value);
  } else if (action == "charge") {
    set_charge(number_of(of_laplace, arguments, "x"), number_of(of_laplace, arguments, "y"),
               number_of(of_laplace, arguments, "value", -most_value, most_value));
  } else if (action == "erase") {
    erase(stroke_of(of_laplace, arguments));
  } else if (action == "clear") {
    clear();
  } else if (action == "method") {
    const std::string wanted = name_of(of_laplace, arguments, "name");
    const auto* const how = std::find_if(std::begin(laplace::methods), std::end(laplace::methods),
                                         [&](method one) { return laplace::name(one) == wanted; });
    if (how == std::end(laplace::methods))
      fail(fmt::format("laplace: '{}' is none of jacobi, red-black and multigrid", wanted));
    auto other = made(where(), *how, solver_->solution());
    before_ = steps();
    solver_ = std::move(other);
    start_.how = *how;
    of_levels_.clear();
    is_edited_ = true;
  } else if (action == "level") {
    constexpr double most_levels = 100;
    level_ = static_cast<std::size_t>(number_of(of_laplace, arguments, "number", 0, most_levels));
    return;
  } else {
    fail(fmt::format("laplace: '{}' is none of wall, charge, erase, clear, method and level", action));
  }
  look();
}

template <class T>
void laplace_view<T>::set_wall(const stroke& drawn, T value) {
  std::vector<point_value<T>> points;
  for_each_cell(of_laplace, drawn, width(), height(),
                [&](std::size_t column, std::size_t row) { points.push_back({row, column, value}); });
  solver_->hold(points);
  for (const point_value<T>& one : points) {
    start_.points.data()[one.row * width() + one.column] = value;
    if (is_inner(one.column, one.row)) start_.held->data()[one.row * width() + one.column] = 1;
  }
  is_edited_ = true;
}

template <class T>
void laplace_view<T>::set_charge(double x, double y, double charge) {
  if (!(x >= 0 && y >= 0 && x < static_cast<double>(width()) && y < static_cast<double>(height())))
    fail(fmt::format("laplace: a charge at ({:.6g}, {:.6g}) is outside of {}x{} points", x, y, width(),
                     height()));
  const auto row = static_cast<std::size_t>(y), column = static_cast<std::size_t>(x);
  // Spread over the cell around the point.
  const double cells = static_cast<double>(width() - 1) * static_cast<double>(height() - 1);
  const auto f = static_cast<T>(-charge * cells);
  solver_->set_source(std::vector<point_value<T>>{{row, column, f}});
  start_.source.data()[row * width() + column] = f;
  is_edited_ = true;
}

template <class T>
void laplace_view<T>::erase(const stroke& drawn) {
  std::vector<point> points;
  std::vector<point_value<T>> sources;
  for_each_cell(of_laplace, drawn, width(), height(), [&](std::size_t column, std::size_t row) {
    if (!is_inner(column, row)) return;
    points.push_back({row, column});
    if (start_.source.data()[row * width() + column] != 0) sources.push_back({row, column, 0});
  });
  solver_->release(points);
  if (!sources.empty()) solver_->set_source(sources);
  for (const point& one : points) {
    const std::size_t at = one.row * width() + one.column;
    if (start_.held->data()[at] != 0) start_.points.data()[at] = 0;
    start_.held->data()[at] = 0;
    start_.source.data()[at] = 0;
  }
  is_edited_ = true;
}

template <class T>
void laplace_view<T>::clear() {
  std::vector<point> points;
  std::vector<point_value<T>> sources;
  for (std::size_t row = 1; row + 1 < height(); ++row) {
    for (std::size_t column = 1; column + 1 < width(); ++column) {
      const std::size_t at = row * width() + column;
      if (start_.held->data()[at] != 0) {
        points.push_back({row, column});
        start_.points.data()[at] = 0;
      }
      if (start_.source.data()[at] != 0) sources.push_back({row, column, 0});
    }
  }
  solver_->release(points);
  solver_->set_source(sources);
  start_.held->fill(0);
  start_.source.fill(0);
  is_edited_ = true;
}

template <class T>
json laplace_view<T>::status() {
  const bool is_cycle = start_.how == method::multigrid;
  json plots = json::array();
  const std::string_view unit = is_cycle ? "cycle" : "sweep";
  plots.push_back(residuals_.entry("residual", unit, true));
  json levels = json::array();
  const auto now = solver_->levels();
  for (std::size_t k = 0; k < now.size() && k < of_levels_.size(); ++k) {
    const std::string size = fmt::format("{}x{}", now[k].correction.width, now[k].correction.height);
    levels.push_back({{"size", size}, {"residual", now[k].residual}});
    plots.push_back(of_levels_[k].entry(fmt::format("level {}, {}", k + 1, size), unit, true));
  }
  return {{"text", fmt::format("{} {}, residual {:.3g}, {:.2g} of the first", unit, steps(), residual_,
                               solver_->first_residual() > 0 ? residual_ / solver_->first_residual() : 0)},
          {"method", laplace::name(start_.how)},
          {"level", level_},
          {"held", solver_->held_points()},
          {"levels", std::move(levels)},
          {"plots", std::move(plots)}};
}

template <class T>
std::string laplace_view<T>::command_line() const {
  const char* const how = laplace::name(start_.how);
  if (!is_edited_ && before_ == 0 && !start_.words.empty())
    return fmt::format("heddle laplace {} --method {} --tolerance 0 --max-iterations {}", start_.words, how,
                       steps());
  return fmt::format(
      "heddle laplace --edges laplace.npy --held laplace.held.npy --source laplace.source.npy "
      "--method {} --max-iterations 0    # once these three are saved",
      how);
}

template <class T>
saved_file laplace_view<T>::save(std::string_view format) {
  const auto as = [](const std::string& name, const auto& write) { return written(name, write); };
  if (format == "npy")
    return as("laplace.npy", [&](const std::string& path) { write_npy(path, solver_->solution()); });
  if (format == "held.npy")
    return as("laplace.held.npy", [&](const std::string& path) { write_npy(path, *start_.held); });
  if (format == "source.npy")
    return as("laplace.source.npy", [&](const std::string& path) { write_npy(path, start_.source); });
  if (format == "vti") {
    const auto spacing = [](std::size_t points) {
      return points < 2 ? 1.0 : 1 / static_cast<double>(points - 1);
    };
    return as("laplace.vti", [&](const std::string& path) {
      write_vti(path, solver_->solution(), "u", {{0, 0, 0}, {spacing(width()), spacing(height()), 1}});
    });
  }
  if (format == "png") {
    const laplace::grid_view<T> points = solver_->points_in_place();
    const image picture{
        width(), height(), pixel_format::palette,
        laplace::draw(points, laplace::heat_of(points), picture_part::whole(width(), height())),
        colours_of(laplace_palettes[0])};
    return as("laplace.png", [&](const std::string& path) { write_png(path, picture); });
  }
  fail(fmt::format("laplace: '{}' is none of {}", format, fmt::join(formats(), ", ")));
}

template class laplace_view<float>;
template class laplace_view<double>;

}  // namespace heddle::viewer
