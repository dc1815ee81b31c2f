#include "lbm_view.hpp"

#include "saved_file.hpp"
#include "visible_part.hpp"
#include <heddle/error.hpp>
#include <heddle/io/npy.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <lattice_boltzmann/fields.hpp>
#include <lattice_boltzmann/pictures.hpp>
#include <nlohmann/json.hpp>

namespace heddle::viewer {
namespace {

using json = nlohmann::json;

constexpr std::string_view of_lbm = "lbm";

/// The first palette is that of `heddle lbm -o x.png` for each field.
constexpr std::string_view lbm_palettes[] = {"field", "heat", "blue-red", "grey"};

constexpr std::uint64_t steps_of_ramp = 10;
constexpr double ramp = 0.002;  // of velocity: its sound has a density of 0.0035

}  // namespace

lbm_view::lbm_view(lbm_start start, const target& where)
    : start_(std::move(start)),
      flow_(std::make_unique<lbm::flow>(start_.resume.empty() ? lbm::flow(where, start_.given)
                                                              : lbm::flow::resume(where, start_.resume))),
      shown_(static_cast<picture>(static_cast<int>(start_.shown))) {
  began_ = flow_->steps();
  velocity_wanted_ = flow_->given().velocity;
  viscosity_wanted_ = flow_->about().viscosity;
  begin_dye();
}

/// Bands at an inflow; elsewhere the dye is what is drawn.
void lbm_view::begin_dye() {
  if (dye_sources_.empty()) {
    dye_sources_.assign(width() * height(), 0);
    constexpr std::size_t bands = 16;
    const std::size_t band = std::max<std::size_t>(height() / bands, 1);
    for (std::size_t y = 0; lbm::is_open(flow_->given()) && y < height(); ++y)
      if (y / band % 2 != 0) dye_sources_[y * width()] = 1;
  }
  dye_waits_ = 0;
  dye_ = std::make_unique<lbm::dye>(*flow_);
  dye_->set_sources(dye_sources_);
}

json lbm_view::description() const {
  return {{"palettes", lbm_palettes}, {"up", true},
          {"pictures", pictures},     {"case", lbm::name(flow_->given().which)},
          {"width", width()},         {"height", height()}};
}

/// Towards the speed and the viscosity that are wanted: slowly, as sound would outshout the flow.
void lbm_view::approach_wanted() {
  const double now = flow_->given().velocity;
  // Obstacles that were drawn since may have lowered the largest stable velocity.
  const double most = within().most_velocity;
  velocity_wanted_ = std::min(velocity_wanted_, most);
  const double velocity = velocity_wanted_ > now ? std::min(now + ramp, velocity_wanted_)
                                                 : std::max(std::min(now - ramp, most), velocity_wanted_);
  lbm::settings next = flow_->given();
  next.velocity = velocity;
  const lbm::bounds then = lbm::stable_bounds(next);
  flow_->set_speed(velocity, std::clamp(viscosity_wanted_, then.least_viscosity, then.most_viscosity));
  within_.reset();
}

const lbm::bounds& lbm_view::within() {
  if (!within_) within_ = lbm::stable_bounds(flow_->given());
  return *within_;
}

void lbm_view::step(std::uint64_t count) {
  values_.reset();
  while (count > 0) {
    std::uint64_t now = count;
    if (flow_->given().velocity != velocity_wanted_) {
      approach_wanted();
      now = std::min(now, steps_of_ramp);
    }
    // The same steps together, however many are asked for at once.
    if (shown_ == picture::dye)
      now = std::min(now, std::max<std::uint64_t>(steps_of_dye(), dye_waits_ + 1) - dye_waits_);
    flow_->advance(now);
    if (shown_ == picture::dye) {
      dye_waits_ += now;
      if (dye_waits_ >= steps_of_dye()) carry_dye();
    }
    count -= now;
  }
  add_to_plots();
}

/// Steps in which the given velocity carries dye by two cells: the flow is the same until then, to the eye.
std::uint64_t lbm_view::steps_of_dye() const {
  constexpr double most = 100;
  return static_cast<std::uint64_t>(std::clamp(2 / flow_->given().velocity, 1.0, most));
}

/// For the steps that it has not been carried for.
void lbm_view::carry_dye() {
  if (dye_waits_ > 0) dye_->advance(*flow_, static_cast<double>(std::exchange(dye_waits_, 0)));
}

void lbm_view::add_to_plots() {
  if (!flow_->has_obstacles() || flow_->steps() == 0) return;
  const lbm::flow::coefficients now = flow_->on_obstacles();
  drag_.add(static_cast<double>(steps()), now.drag);
  lift_.add(static_cast<double>(steps()), now.lift);
}

work lbm_view::work_of_step() const {
  const double cells = static_cast<double>(width()) * static_cast<double>(height());
  return {cells, "LUPS", cells * static_cast<double>(flow_->about().bytes_a_cell)};
}

void lbm_view::restart() {
  flow_ = std::make_unique<lbm::flow>(where(), lbm::settings(flow_->given()));
  is_edited_ = is_edited_ || began_ != 0;
  began_ = 0;
  values_.reset();
  drag_.clear();
  lift_.clear();
  begin_dye();
}

void lbm_view::move_to(const target& where) {
  // A checkpoint is what goes on bit for bit.
  carry_dye();
  std::unique_ptr<lbm::flow> moved;
  written("flow.checkpoint", [&](const std::string& path) {
    flow_->save(path);
    moved = std::make_unique<lbm::flow>(lbm::flow::resume(where, path));
  });
  const array<float> dye = dye_->values().on(target());
  flow_ = std::move(moved);
  values_.reset();
  begin_dye();
  dye_->set(dye);
}

window lbm_view::home(std::uint32_t width_of_window, std::uint32_t height_of_window) const {
  return whole_grid(width(), height(), width_of_window, height_of_window);
}

std::vector<std::uint8_t> lbm_view::pixels_of(const picture_part& part) {
  if (shown_ == picture::lines) return lbm::draw_lines(lbm::carrier_of(*flow_), part);
  if (shown_ == picture::dye) {
    carry_dye();
    return lbm::draw(dye_->values(), flow_->solid_in_place(), {0, 1}, part);
  }
  const auto field = static_cast<lbm::field>(static_cast<int>(shown_));
  if (!values_) values_ = flow_->values(field);
  return lbm::draw(*values_, flow_->solid_in_place(),
                   lbm::scale_of_colour::of(field, lbm::range_of(*values_)), part);
}

std::vector<colour> lbm_view::colours_of(std::string_view palette) const {
  using lbm::field;
  if (palette == "heat") return lbm::pictures::palette(field::velocity);
  if (palette == "blue-red") return lbm::pictures::palette(field::vorticity);
  if (palette == "grey" || shown_ == picture::lines) {
    std::vector<colour> made = lbm::pictures::palette(field::velocity);
    for (int level = 0; level < lbm::levels_of_colour; ++level) {
      const auto grey = static_cast<std::uint8_t>(level * 255 / (lbm::levels_of_colour - 1));
      made[static_cast<std::size_t>(level)] = {grey, grey, grey};
    }
    made.back() = {60, 90, 140};
    return made;
  }
  return lbm::pictures::palette(shown_ == picture::dye ? field::velocity
                                                       : static_cast<field>(static_cast<int>(shown_)));
}

rendering lbm_view::render(const window& shown, std::string_view palette) {
  rendering made;
  const visible_part seen = visible_in(shown, width(), height(), true);
  if (seen.part.columns == 0) return made;
  made.image = {seen.part.columns, seen.part.rows, pixel_format::palette, pixels_of(seen.part),
                colours_of(palette)};
  made.left = seen.left;
  made.top = seen.top;
  made.pixel = seen.pixel;
  return made;
}

std::vector<std::uint8_t> lbm_view::obstacles() const {
  std::vector<std::uint8_t> now = flow_->given().obstacles;
  now.resize(width() * height(), 0);
  return now;
}

void lbm_view::set_obstacles(const std::vector<std::uint8_t>& wanted) {
  const bool any = std::any_of(wanted.begin(), wanted.end(), [](std::uint8_t cell) { return cell != 0; });
  flow_->set_obstacles(any ? wanted : std::vector<std::uint8_t>());
  within_.reset();
  is_edited_ = true;
}

void lbm_view::handle(std::string_view action, const json& arguments) {
  carry_dye();
  const auto cells = [&](std::vector<std::uint8_t>& of, std::uint8_t value) {
    for_each_cell(of_lbm, stroke_of(of_lbm, arguments), width(), height(),
                  [&](std::size_t column, std::size_t row) { of[row * width() + column] = value; });
  };
  if (action == "solid" || action == "fluid") {
    std::vector<std::uint8_t> wanted = obstacles();
    cells(wanted, action == "solid" ? 1 : 0);
    set_obstacles(wanted);
    grabbed_.clear();
  } else if (action == "cylinder") {
    const double x = number_of(of_lbm, arguments, "x"), y = number_of(of_lbm, arguments, "y");
    constexpr double most_radius = 1000;
    std::vector<std::uint8_t> others = obstacles(), wanted = others;
    std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> disc;
    for_each_cell(of_lbm, {x, y, x, y, number_of(of_lbm, arguments, "radius", 1, most_radius)}, width(),
                  height(), [&](std::size_t column, std::size_t row) {
                    wanted[row * width() + column] = 1;
                    disc.emplace_back(column, row);
                  });
    set_obstacles(wanted);
    others_ = std::move(others);
    grabbed_ = std::move(disc);
    hold_at(x, y);
  } else if (action == "grab") {
    grab(number_of(of_lbm, arguments, "x"), number_of(of_lbm, arguments, "y"));
  } else if (action == "drag") {
    drag(number_of(of_lbm, arguments, "x"), number_of(of_lbm, arguments, "y"));
  } else if (action == "nudge") {
    const double right = number_of(of_lbm, arguments, "right"), up = number_of(of_lbm, arguments, "up");
    if (grabbed_.empty()) fail("lbm: no obstacle is held that could move: put a cylinder, or drag one first");
    drag(dragged_x_ + right, dragged_y_ + up);
  } else if (action == "clear") {
    set_obstacles({});
    grabbed_.clear();
  } else if (action == "dye") {
    cells(dye_sources_, 1);
    dye_->set_sources(dye_sources_);
  } else if (action == "speed") {
    velocity_wanted_ = number_of(of_lbm, arguments, "value", within().least_velocity, within().most_velocity);
    is_edited_ = true;
  } else if (action == "viscosity") {
    viscosity_wanted_ =
        number_of(of_lbm, arguments, "value", within().least_viscosity, within().most_viscosity);
    approach_wanted();
    is_edited_ = true;
  } else if (action == "show") {
    const std::string name = name_of(of_lbm, arguments, "name");
    const auto* const wanted = std::find(std::begin(pictures), std::end(pictures), name);
    if (wanted == std::end(pictures))
      fail(fmt::format("lbm: '{}' is none of {}", name, fmt::join(pictures, ", ")));
    shown_ = static_cast<picture>(wanted - std::begin(pictures));
  } else {
    fail(fmt::format(
        "lbm: '{}' is none of solid, fluid, cylinder, grab, drag, nudge, dye, speed, viscosity, show "
        "and clear",
        action));
  }
  values_.reset();
}

/// The obstacle of which a cell is a part: those that touch it at an edge or a corner, and so on.
void lbm_view::grab(double x, double y) {
  grabbed_.clear();
  const std::vector<std::uint8_t> all = obstacles();
  const auto columns = static_cast<std::ptrdiff_t>(width()), rows = static_cast<std::ptrdiff_t>(height());
  if (!(x >= 0 && y >= 0 && x < static_cast<double>(columns) && y < static_cast<double>(rows))) return;
  const auto column = static_cast<std::ptrdiff_t>(x), row = static_cast<std::ptrdiff_t>(y);
  if (all[static_cast<std::size_t>(row * columns + column)] == 0) {
    if (flow_->is_solid(static_cast<std::size_t>(column), static_cast<std::size_t>(row)))
      fail(
          "lbm: the circle of the case 'cylinder' stays where the benchmark has it: draw a cylinder in the "
          "case "
          "'free'");
    return;
  }
  others_ = all;
  std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> left{{column, row}};
  others_[static_cast<std::size_t>(row * columns + column)] = 0;
  while (!left.empty()) {
    const auto [at_x, at_y] = left.back();
    left.pop_back();
    grabbed_.emplace_back(at_x, at_y);
    for (std::ptrdiff_t ny = std::max<std::ptrdiff_t>(at_y - 1, 0); ny <= std::min(at_y + 1, rows - 1);
         ++ny) {
      for (std::ptrdiff_t nx = std::max<std::ptrdiff_t>(at_x - 1, 0); nx <= std::min(at_x + 1, columns - 1);
           ++nx) {
        std::uint8_t& cell = others_[static_cast<std::size_t>(ny * columns + nx)];
        if (cell == 0) continue;
        cell = 0;
        left.emplace_back(nx, ny);
      }
    }
  }
  hold_at(x, y);
}

void lbm_view::hold_at(double x, double y) {
  grabbed_x_ = dragged_x_ = x;
  grabbed_y_ = dragged_y_ = y;
}

/// To where the pointer is; what is beyond the grid then comes back with it.
void lbm_view::drag(double x, double y) {
  if (grabbed_.empty()) return;
  constexpr double farthest = 1e9;
  const auto by = [farthest](double to, double from) {
    return static_cast<std::ptrdiff_t>(std::lround(std::clamp(to - from, -farthest, farthest)));
  };
  const std::ptrdiff_t across = by(x, grabbed_x_), up = by(y, grabbed_y_);
  std::vector<std::uint8_t> wanted = others_;
  for (const auto& [column, row] : grabbed_) {
    const std::ptrdiff_t to_x = column + across, to_y = row + up;
    if (to_x < 0 || to_y < 0 || to_x >= static_cast<std::ptrdiff_t>(width()) ||
        to_y >= static_cast<std::ptrdiff_t>(height()))
      continue;
    wanted[static_cast<std::size_t>(to_y) * width() + static_cast<std::size_t>(to_x)] = 1;
  }
  if (wanted != obstacles()) set_obstacles(wanted);
  dragged_x_ = x;
  dragged_y_ = y;
}

json lbm_view::status() {
  std::string text = fmt::format("step {}, Reynolds number {:.4g}, speed {:.3g}, viscosity {:.3g}", steps(),
                                 flow_->given().reynolds, flow_->given().velocity, flow_->about().viscosity);
  json plots = json::array();
  if (flow_->has_obstacles() && !drag_.points().empty()) {
    text +=
        fmt::format(", drag {:.4g}, lift {:.4g}", drag_.points().back().second, lift_.points().back().second);
    plots.push_back(drag_.entry("drag", "step", false));
    plots.push_back(lift_.entry("lift", "step", false));
  }
  return {{"text", std::move(text)},
          {"shown", picture_name()},
          {"speed",
           {{"value", velocity_wanted_}, {"min", within().least_velocity}, {"max", within().most_velocity}}},
          {"viscosity",
           {{"value", flow_->about().viscosity},
            {"min", within().least_viscosity},
            {"max", within().most_viscosity}}},
          {"plots", std::move(plots)}};
}

std::string lbm_view::command_line() const {
  const char* const which = lbm::name(flow_->given().which);
  const std::string field =
      shown_ == picture::lines || shown_ == picture::dye ? "" : " --field " + picture_name();
  if (!is_edited_ && !start_.words.empty())
    return fmt::format("heddle lbm {} --steps {}{}", start_.words, steps() - began_, field);
  return fmt::format(
      "heddle lbm {} --resume lbm.checkpoint --steps 0{}    # once the state is saved as "
      "lbm.checkpoint",
      which, field);
}

saved_file lbm_view::save(std::string_view format) {
  if (format == "checkpoint")
    return written("lbm.checkpoint", [&](const std::string& path) { flow_->save(path); });
  if (format == "npy")
    return written("lbm.npy", [&](const std::string& path) { write_npy(path, flow_->velocity()); });
  if (format == "obstacles.npy") {
    const array<std::uint8_t> mask(obstacles());
    return written("lbm.obstacles.npy",
                   [&](const std::string& path) { write_npy(path, mask.reshaped({height(), width()})); });
  }
  if (format == "png") {
    const image picture{width(), height(), pixel_format::palette,
                        pixels_of(picture_part::whole(width(), height())), colours_of(lbm_palettes[0])};
    return written("lbm.png", [&](const std::string& path) { write_png(path, picture); });
  }
  fail(fmt::format("lbm: '{}' is none of {}", format, fmt::join(formats(), ", ")));
}

}  // namespace heddle::viewer
