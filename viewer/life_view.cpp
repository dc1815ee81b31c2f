#include "life_view.hpp"

#include "life_library.hpp"
#include "saved_file.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <life/formats.hpp>
#include <life/soup.hpp>

namespace heddle::viewer {
namespace {

using json = nlohmann::json;
using life::grid, life::placed_grid, life::topology;

/// The colours of no cells, few and all: the first palette is that of `heddle life -o x.png`.
struct palette {
  std::string_view name;
  colour dead, few, alive;
};
constexpr palette palettes[] = {{"night", {0, 0, 0}, {80, 80, 80}, {255, 255, 255}},
                                {"paper", {255, 255, 255}, {190, 190, 190}, {0, 0, 0}},
                                {"ember", {16, 8, 12}, {120, 30, 20}, {255, 214, 120}},
                                {"sea", {4, 16, 32}, {16, 80, 110}, {190, 255, 235}}};

std::vector<colour> colours_of(const palette& from) {
  std::vector<colour> all(256, from.dead);
  constexpr std::size_t least = 80;  // of life::brightness
  for (std::size_t level = 1; level < all.size(); ++level) {
    const double part = static_cast<double>(std::max(level, least) - least) / (255 - least);
    for (std::size_t i = 0; i < 3; ++i)
      all[level][i] =
          static_cast<std::uint8_t>(std::lround(from.few[i] + part * (from.alive[i] - from.few[i])));
  }
  return all;
}

/// A corner of the plane as far as cells may be.
constexpr std::int64_t farthest = std::int64_t{1} << 53;
constexpr std::uint64_t most_cells_of_edit = std::uint64_t{1} << 26;

std::int64_t whole(const json& arguments, const char* key) {
  const auto at = arguments.find(key);
  if (at == arguments.end() || !at->is_number_integer())
    fail(fmt::format("life: '{}' is no whole number", key));
  const auto value = at->get<std::int64_t>();
  if (value > farthest || value < -farthest ||
      (at->is_number_unsigned() && at->get<std::uint64_t>() > std::uint64_t{1} << 53))
    fail(fmt::format("life: '{}' is beyond 2^53", key));
  return value;
}

std::string text_of(const json& arguments, const char* key) {
  const auto at = arguments.find(key);
  if (at == arguments.end() || !at->is_string()) fail(fmt::format("life: '{}' is no text", key));
  return at->get<std::string>();
}

bool flag(const json& arguments, const char* key) {
  const auto at = arguments.find(key);
  if (at == arguments.end() || !at->is_boolean())
    fail(fmt::format("life: '{}' is neither true nor false", key));
  return at->get<bool>();
}

/// Turned by quarters clockwise, and then mirrored.
grid turned(const grid& from, int quarters, bool flip) {
  const bool is_on_side = quarters % 2 != 0;
  grid to(is_on_side ? from.height() : from.width(), is_on_side ? from.width() : from.height());
  for (std::size_t y = 0; y < from.height(); ++y) {
    for (std::size_t x = 0; x < from.width(); ++x) {
      if (!from(x, y)) continue;
      std::size_t column = x, row = y;
      if (quarters == 1) column = from.height() - 1 - y, row = x;
      if (quarters == 2) column = from.width() - 1 - x, row = from.height() - 1 - y;
      if (quarters == 3) column = y, row = from.width() - 1 - x;
      to.set(flip ? to.width() - 1 - column : column, row);
    }
  }
  return to;
}

/// A long double tells cells apart up to 2^61, and no cell is farther.
long double as_far_as_cells(long double at) {
  constexpr long double most = 0x1p61L;
  return std::clamp(at, -most, most);
}

long double place(const std::string& text) {
  return as_far_as_cells(std::strtold(text.c_str(), nullptr));
}

std::int64_t cell_at(long double at) {
  return static_cast<std::int64_t>(as_far_as_cells(at));
}

std::int64_t floor_divided(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

life::universe begun(const life_start& start, const life::rule& law, const target& where) {
  life::universe world(start.cells, start.shape, law, start.how, where);
  world.count_from(start.generation);
  return world;
}

}  // namespace

life_view::life_view(life_start start, const target& where)
    : start_(std::move(start)), world_(begun(start_, start_.law, where)) {}

json life_view::description() const {
  std::vector<std::string_view> names;
  for (const palette& one : palettes) names.push_back(one.name);
  json library = json::array();
  for (const known_pattern& one : known_patterns())
    library.push_back({{"name", one.name}, {"title", one.title}, {"rle", one.rle}});
  return {{"palettes", names},
          {"up", false},
          {"topology", life::name(start_.shape)},
          {"library", std::move(library)}};
}

void life_view::step(std::uint64_t count) {
  world_.advance(count);
  at_once_ = count;
  is_counted_ = false;
}

work life_view::work_of_step() const {
  return {world_.cells_computed(), "cells/s",
          static_cast<double>(world_.bytes_of(at_once_)) / static_cast<double>(at_once_),
          start_.how == life::algorithm::packed
              ? "no copy bounds it: several generations in a pass over memory"
              : ""};
}

void life_view::restart() {
  world_ = begun(start_, world_.law(), world_.where());
  is_counted_ = false;
  is_edited_ = world_.law() != start_.law;
  history_.clear();
}

void life_view::move_to(const target& where) {
  world_.change(world_.law(), where);
}

window life_view::home(std::uint32_t width, std::uint32_t height) const {
  life::universe::frame_of_grid all = world_.computed();
  if (all.width == 0) all = {all.left - 32, all.top - 32, 64, 64};
  const double scale =
      std::max(static_cast<double>(all.width) / width, static_cast<double>(all.height) / height);
  // Whole pixels a cell, or cells a pixel.
  const double whole_scale = scale > 1 ? std::ceil(scale) : 1 / std::max(1.0, std::floor(1 / scale));
  const auto middle = [](std::int64_t begin, std::size_t length) {
    return fmt::format("{}{}", begin + static_cast<std::int64_t>(length / 2), length % 2 != 0 ? ".5" : "");
  };
  std::string x = middle(all.left, all.width), y = middle(all.top, all.height);
  return {std::move(x), std::move(y), whole_scale, width, height};
}

rendering life_view::render(const window& shown, std::string_view name) {
  const auto* const chosen = std::find_if(std::begin(palettes), std::end(palettes),
                                          [&](const palette& one) { return one.name == name; });
  const palette& with = chosen != std::end(palettes) ? *chosen : palettes[0];
  const life::universe::frame_of_grid all = world_.computed();
  const auto scale = static_cast<long double>(shown.scale);
  const long double left = place(shown.x) - scale * shown.width / 2,
                    top = place(shown.y) - scale * shown.height / 2;
  constexpr long double most_side = 0x1p40L;
  const auto side = static_cast<std::int64_t>(std::clamp(std::ceil(scale), 1.0L, most_side));

  // Squares lie alike wherever the grid begins, so that pictures do not flicker when it is moved.
  const auto first = [&](long double from, std::int64_t begin) {
    return floor_divided(std::max(cell_at(std::floor(from)), begin), side) * side;
  };
  const auto count = [&](std::int64_t at, long double to, std::int64_t end) {
    const std::int64_t last = std::min(cell_at(std::ceil(to)), end);
    return last <= at ? std::size_t{0} : static_cast<std::size_t>((last - at + side - 1) / side);
  };
  const std::int64_t x = first(left, all.left), y = first(top, all.top);
  const std::size_t columns =
      count(x, left + scale * shown.width, all.left + static_cast<std::int64_t>(all.width));
  const std::size_t rows =
      count(y, top + scale * shown.height, all.top + static_cast<std::int64_t>(all.height));

  rendering made;
  made.beyond = start_.shape == topology::infinite ? with.dead : colour{112, 118, 128};
  if (columns == 0 || rows == 0) return made;
  std::vector<std::uint8_t> pixels =
      world_.draw({x - all.left, y - all.top, static_cast<std::size_t>(side), columns, rows});
  made.image = {columns, rows, pixel_format::palette, std::move(pixels), colours_of(with)};
  made.left = static_cast<double>((static_cast<long double>(x) - left) / scale);
  made.top = static_cast<double>((static_cast<long double>(y) - top) / scale);
  made.pixel = static_cast<double>(static_cast<long double>(side) / scale);
  return made;
}

void life_view::handle(std::string_view action, const json& arguments) {
  if (action == "rule") {
    const life::bounded_rule wanted = life::bounded_rule::parse(text_of(arguments, "rule"));
    if (wanted.grid) fail("life: the grid stays as it is: leave out the bounds of the rule");
    world_.change(wanted.law, world_.where());
  } else if (action == "cells") {
    set_cells(arguments);
  } else if (action == "pattern") {
    put_pattern(arguments);
  } else if (action == "random") {
    fill_randomly(arguments);
  } else if (action == "clear") {
    clear();
  } else {
    fail(fmt::format("life: '{}' is none of cells, pattern, rule, random and clear", action));
  }
  is_edited_ = true;
  is_counted_ = false;
}

void life_view::set_cells(const json& arguments) {
  const bool alive = flag(arguments, "alive");
  const auto at = arguments.find("points");
  constexpr std::size_t most_points = 16384;
  if (at == arguments.end() || !at->is_array() || at->empty() || at->size() > most_points)
    fail(fmt::format("life: 'points' is no list of 1 to {} cells", most_points));
  std::vector<std::pair<std::int64_t, std::int64_t>> points;
  std::int64_t left = farthest, top = farthest, right = -farthest, bottom = -farthest;
  for (const json& one : *at) {
    if (!one.is_array() || one.size() != 2) fail("life: a cell of 'points' is not [x, y]");
    const json named{{"x", one[0]}, {"y", one[1]}};
    points.emplace_back(whole(named, "x"), whole(named, "y"));
    left = std::min(left, points.back().first), right = std::max(right, points.back().first + 1);
    top = std::min(top, points.back().second), bottom = std::max(bottom, points.back().second + 1);
  }
  const auto width = static_cast<std::uint64_t>(right - left),
             height = static_cast<std::uint64_t>(bottom - top);
  if (width > most_cells_of_edit || height > most_cells_of_edit / width)
    fail("life: cells of one stroke lie in a rectangle of up to 2^26 cells");
  world_.edit(left, top, width, height, [&](grid& cells, std::int64_t from_left, std::int64_t from_top) {
    for (const auto& [x, y] : points) {
      const std::int64_t column = x - from_left, row = y - from_top;
      if (column >= 0 && row >= 0 && column < static_cast<std::int64_t>(cells.width()) &&
          row < static_cast<std::int64_t>(cells.height()))
        cells.set(static_cast<std::size_t>(column), static_cast<std::size_t>(row), alive);
    }
  });
}

void life_view::put_pattern(const json& arguments) {
  const life::pattern from =
      life::parse_pattern(text_of(arguments, "text"), "the pattern", most_cells_of_edit);
  const std::int64_t turn = whole(arguments, "turn");
  if (turn < 0 || turn > 3) fail("life: 'turn' is 0 to 3 quarters");
  if (from.live.cells.width() == 0) fail("life: nothing lives in the pattern");
  const grid cells = turned(from.live.cells, static_cast<int>(turn), flag(arguments, "flip"));
  const std::int64_t left = whole(arguments, "x") - static_cast<std::int64_t>(cells.width() / 2);
  const std::int64_t top = whole(arguments, "y") - static_cast<std::int64_t>(cells.height() / 2);
  const life::universe::frame_of_grid all = world_.computed();
  if (start_.shape != topology::infinite &&
      (left < all.left || top < all.top ||
       left + static_cast<std::int64_t>(cells.width()) > all.left + static_cast<std::int64_t>(all.width) ||
       top + static_cast<std::int64_t>(cells.height()) > all.top + static_cast<std::int64_t>(all.height)))
    fail(fmt::format("life: the pattern of {}x{} cells goes beyond the grid there", cells.width(),
                     cells.height()));
  world_.edit(left, top, cells.width(), cells.height(), [&](grid& to, std::int64_t, std::int64_t) {
    for (std::size_t y = 0; y < to.height(); ++y) {
      for (std::size_t i = 0; i < to.words_in_row(); ++i) to.row(y)[i] |= cells.row(y)[i];
    }
  });
}

void life_view::fill_randomly(const json& arguments) {
  const auto density = arguments.find("density");
  if (density == arguments.end() || !density->is_number()) fail("life: 'density' is no number");
  const std::int64_t width = whole(arguments, "width"), height = whole(arguments, "height");
  if (width < 1 || height < 1) fail("life: a rectangle of random cells has 1x1 or more");
  std::int64_t left = whole(arguments, "x"), top = whole(arguments, "y"), right = left + width,
               bottom = top + height;
  if (start_.shape != topology::infinite) {
    const life::universe::frame_of_grid all = world_.computed();
    left = std::max(left, all.left), top = std::max(top, all.top);
    right = std::min(right, all.left + static_cast<std::int64_t>(all.width));
    bottom = std::min(bottom, all.top + static_cast<std::int64_t>(all.height));
    if (left >= right || top >= bottom) fail("life: the rectangle is beyond the grid");
  }
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  const auto w = static_cast<std::uint64_t>(right - left), h = static_cast<std::uint64_t>(bottom - top);
  if (w > most || h > most / w) fail(fmt::format("life: {}x{} random cells are more than 2^32", w, h));
  const grid cells = life::soup(w, h, density->get<double>(), ++seed_, target::parallel());
  world_.edit(left, top, w, h, [&](grid& to, std::int64_t, std::int64_t) { to = cells; });
}

void life_view::clear() {
  if (start_.shape == topology::infinite) {
    const std::uint64_t generation = world_.generation();
    world_ = life::universe(placed_grid{}, start_.shape, world_.law(), start_.how, world_.where());
    world_.count_from(generation);
    return;
  }
  const life::universe::frame_of_grid all = world_.computed();
  world_.edit(all.left, all.top, all.width, all.height,
              [](grid& cells, std::int64_t, std::int64_t) { cells = grid(cells.width(), cells.height()); });
}

void life_view::count() {
  // Of a large grid a count takes as long as a generation.
  constexpr double cells_to_count_always = 1 << 26;
  const auto now = std::chrono::steady_clock::now();
  if (is_counted_ ||
      (world_.cells_computed() > cells_to_count_always && now - counted_ < std::chrono::seconds(1)))
    return;
  population_ = world_.population();
  is_counted_ = true;
  counted_ = now;
  // An edit changes the last one, and one generation has one point.
  if (!history_.empty() && history_.back().first >= world_.generation()) history_.pop_back();
  history_.emplace_back(world_.generation(), population_);
  constexpr std::size_t most_points = 512;
  if (history_.size() > most_points) {
    for (std::size_t i = 0; i < most_points / 2; ++i) history_[i] = history_[2 * i];
    history_.erase(history_.begin() + most_points / 2, history_.end() - 1);
  }
}

json life_view::status() {
  count();
  json x = json::array(), y = json::array();
  for (const auto& [generation, population] : history_) {
    x.push_back(generation);
    y.push_back(population);
  }
  const life::universe::frame_of_grid all = world_.computed();
  return {{"text", fmt::format("generation {}, population {}", world_.generation(), population_)},
          {"rule", world_.law().text()},
          {"grid", {{"x", all.left}, {"y", all.top}, {"width", all.width}, {"height", all.height}}},
          {"plots",
           {{{"name", "population"},
             {"unit", "generation"},
             {"log", false},
             {"x", std::move(x)},
             {"y", std::move(y)}}}}};
}

std::string life_view::command_line() const {
  if (is_edited_ || start_.words.empty())
    return "heddle life life.rle --generations 0    # once the state is saved as life.rle";
  return fmt::format("heddle life {} --generations {}", start_.words,
                     world_.generation() - start_.generation);
}

saved_file life_view::save(std::string_view format) {
  const placed_grid cells = world_.cells();
  if (format == "rle")
    return written("life.rle", [&](const std::string& path) {
      life::write_rle(path, cells, world_.law(), start_.shape, world_.generation());
    });
  if (format == "cells")
    return written("life.cells", [&](const std::string& path) {
      life::write_cells(path, cells, world_.law(), world_.generation());
    });
  if (format == "npy")
    return written("life.npy", [&](const std::string& path) { life::write_npy(path, cells.cells); });
  if (format == "png")
    return written("life.png", [&](const std::string& path) { life::write_png(path, cells.cells); });
  fail(fmt::format("life: '{}' is none of rle, cells, npy and png", format));
}

}  // namespace heddle::viewer
