#include "lattice_boltzmann/geometry.hpp"

#include "lattice_boltzmann/solid_rows.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include <fmt/core.h>

namespace heddle::lbm {
namespace {

/// Which ways the grid ends.
struct sides {
  bool periodic_x = false, periodic_y = false, open = false, lid = false;
};

sides sides_of(const settings& given) {
  const bool open = is_open(given);
  switch (given.which) {
    case flow_case::cavity:
      return {false, false, false, true};
    case flow_case::taylor_green:
      return {true, true, false, false};
    case flow_case::free:
      return {false, true, open, false};
    default:
      return {!open, false, open, false};
  }
}

/// How far along its way from (x, y) a link meets a circle.
double meeting(const circle& around, double x, double y, int cx, int cy) {
  const double dx = x - around.x, dy = y - around.y;
  const double a = cx * cx + cy * cy, b = dx * cx + dy * cy;
  const double c = dx * dx + dy * dy - around.radius * around.radius;
  const double t = (-b - std::sqrt(std::max(0.0, b * b - a * c))) / a;
  return std::clamp(t, 1e-6, 1.0);
}

/// Links and copies of a case, found cell by cell.
class boundary_finder {
 public:
  /// Of `rows` rows from `first` on; other ranks have the rest.
  boundary_finder(const settings& given, const std::vector<std::uint8_t>& solid, std::size_t first,
                  std::size_t rows)
      : given_(given),
        solid_(solid),
        width_(static_cast<std::ptrdiff_t>(given.width)),
        height_(static_cast<std::ptrdiff_t>(given.height)),
        first_(static_cast<std::ptrdiff_t>(first)),
        last_(static_cast<std::ptrdiff_t>(first + rows)),
        grid_(layout::of(width_, last_ - first_, 1)),
        ends_(sides_of(given)),
        around_(cylinder_of(given)) {}

  bool is_solid(std::ptrdiff_t x, std::ptrdiff_t y) const {
    return !solid_.empty() && solid_[static_cast<std::size_t>(y * width_ + x)] != 0;
  }

  void find(flow_plan& plan) {
    if (!solid_.empty()) {
      for (std::ptrdiff_t y = 0; y < height_; ++y) {
        const std::uint8_t* const row = solid_.data() + y * width_;
        solid_rows_.push_back(any_solid(row, static_cast<std::size_t>(width_)) ? 1 : 0);
      }
    }
    const auto at_edge = [this](std::ptrdiff_t x, std::ptrdiff_t y) {
      return x == 0 || y == 0 || x == width_ - 1 || y == height_ - 1;
    };
    for (std::ptrdiff_t y = first_; y < last_; ++y) {
      // Away from obstacles all that matters is at the edges.
      const bool whole = is_solid_row(y - 1) || is_solid_row(y) || is_solid_row(y + 1) || at_edge(1, y);
      for (std::ptrdiff_t x = 0; x < width_; x += whole || x == width_ - 1 ? 1 : width_ - 1) {
        if (is_solid(x, y)) continue;
        for (int p = 0; p < pairs; ++p) {
          look(x, y, p, false);
          look(x, y, p, true);
        }
      }
    }
    gather(plan);
    if (!ends_.open) return;
    double sum = 0;
    for (std::ptrdiff_t y = 0; y < height_; ++y) {
      const bool is_here = y >= first_ && y < last_;
      if (!is_solid(0, y)) {
        const double height = static_cast<double>(height_), at = static_cast<double>(y);
        const bool is_uniform = given_.which == flow_case::free;
        const double velocity = given_.velocity * (is_uniform ? 1 : parabola(at, height));
        sum += velocity;
        if (is_here) {
          plan.open.inflow.push_back(static_cast<std::uint64_t>(place(0, y)));
          plan.open.inflow_velocity.push_back(velocity);
          plan.open.inflow_slope.push_back(
              is_uniform ? 0 : given_.velocity * 4 * (height - 2 * at - 1) / (height * height));
        }
      }
      if (!is_solid(width_ - 1, y)) {
        ++plan.open.outflows;
        if (is_here) plan.open.outflow.push_back(static_cast<std::uint64_t>(place(width_ - 1, y)));
      }
    }
    plan.open.mean_outflow = sum / static_cast<double>(plan.open.outflows);
  }

 private:
  struct found {
    link place;
    double second;
    friend bool operator<(const found& a, const found& b) {
      return std::pair(a.place % 8, a.place) < std::pair(b.place % 8, b.place);
    }
  };

  bool is_solid_row(std::ptrdiff_t y) const {
    return !solid_rows_.empty() && y >= 0 && y < height_ && solid_rows_[static_cast<std::size_t>(y)] != 0;
  }

  std::ptrdiff_t place(std::ptrdiff_t x, std::ptrdiff_t y) const { return grid_.at(x, y - first_); }

  /// Finds where a fluid cell sends a population, along or against a pair's velocity.
  void look(std::ptrdiff_t x, std::ptrdiff_t y, int p, bool is_against) {
    const int sign = is_against ? -1 : 1;
    const int cx = sign * pair_x(p), cy = sign * pair_y(p);
    const std::ptrdiff_t to_x = x + cx, to_y = y + cy;
    if (ends_.open && (to_x < 0 || to_x >= width_)) return;
    const std::ptrdiff_t image_x = ends_.periodic_x ? (to_x + width_) % width_ : to_x;
    const std::ptrdiff_t image_y = ends_.periodic_y ? (to_y + height_) % height_ : to_y;
    const bool inside = image_x >= 0 && image_x < width_ && image_y >= 0 && image_y < height_;
    const link here = make_link(is_against ? place(x, y) : place(to_x, to_y), p, is_against);
    if (!inside) {
      // The lid ends at the corners, whose links are the side walls': else the flow would converge to first
      // order. So it does beside obstacles: what the two ends of a link take must cancel.
      if (ends_.lid && to_y == height_ && to_x >= 0 && to_x < width_ && !is_solid(to_x, y)) {
        moving_.push_back({here, 6 * pair_weight(p) * cx * given_.velocity});
      } else {
        walls_.push_back({here, 0});
      }
    } else if (is_solid(image_x, image_y)) {
      const double px = static_cast<double>(x), py = static_cast<double>(y);
      const bool on_circle = given_.which == flow_case::cylinder && !ends_.periodic_x &&
                             around_.contains(px + cx, py + cy) && is_interior(x - cx, y - cy);
      if (on_circle) {
        curved_.push_back({here, meeting(around_, px, py, cx, cy)});
      } else {
        obstacles_.push_back({here, 0});
      }
    } else if (!is_against && image_y >= first_ && image_y < last_) {
      if (to_x != image_x || to_y != image_y)
        images_.push_back({here, static_cast<std::uint64_t>(place(image_x, image_y))});
    } else if (!is_against && to_x != image_x) {
      images_in_ring_.push_back({here, static_cast<std::uint64_t>(place(image_x, to_y))});
    }
  }

  bool is_interior(std::ptrdiff_t x, std::ptrdiff_t y) const {
    return x >= 0 && x < width_ && y >= 0 && y < height_ && !is_solid(x, y);
  }

  void gather(flow_plan& plan) {
    wall_links& links = plan.links;
    links.walls = walls_.size();
    links.moving = moving_.size();
    links.obstacles = obstacles_.size();
    links.curved = curved_.size();
    for (std::vector<found>* kind : {&walls_, &moving_, &obstacles_, &curved_}) {
      std::sort(kind->begin(), kind->end());
      for (const found& one : *kind) links.places.push_back(one.place);
      if (kind == &moving_ || kind == &curved_) {
        for (const found& one : *kind) links.second.push_back(one.second);
      }
    }
    plan.copies.in_ring = images_in_ring_.size();
    for (auto* copies : {&images_in_ring_, &images_}) {
      std::sort(copies->begin(), copies->end());
      for (const auto& [ghost, image] : *copies) {
        plan.copies.ghosts.push_back(ghost);
        plan.copies.images.push_back(image);
      }
    }
  }

  const settings& given_;
  const std::vector<std::uint8_t>& solid_;
  std::ptrdiff_t width_, height_, first_, last_;
  layout grid_;
  sides ends_;
  circle around_;
  std::vector<std::uint8_t> solid_rows_;  // whether a row has an obstacle
  std::vector<found> walls_, moving_, obstacles_, curved_;
  std::vector<std::pair<link, std::uint64_t>> images_in_ring_, images_;
};

/// Fluid cells of a row, one beside the other: columns first … last−1.
struct fluid_run {
  std::size_t first, last;
  std::size_t joined;  // another of the same fluid, or itself
};

/// The runs of all rows, joined where they touch, also at a corner, so that `root` is the same for all of one
/// fluid.
class fluid_runs {
 public:
  fluid_runs(const std::vector<std::uint8_t>& solid, std::size_t width, std::size_t height, bool wraps) {
    for (std::size_t y = 0; y < height; ++y) {
      rows_.push_back(runs_.size());
      add_row(solid.data() + y * width, width);
      if (y > 0) join(rows_[y - 1], rows_[y], rows_[y], runs_.size());
    }
    rows_.push_back(runs_.size());
    if (wraps) join(rows_[height - 1], rows_[height], 0, rows_[1]);
  }

  /// That of the cell at the beginning or the end of a row; nothing where it is solid.
  std::optional<std::size_t> at_begin(std::size_t y) {
    if (rows_[y] == rows_[y + 1] || runs_[rows_[y]].first != 0) return std::nullopt;
    return root(rows_[y]);
  }
  std::optional<std::size_t> at_end(std::size_t y, std::size_t width) {
    if (rows_[y] == rows_[y + 1] || runs_[rows_[y + 1] - 1].last != width) return std::nullopt;
    return root(rows_[y + 1] - 1);
  }

 private:
  void add_row(const std::uint8_t* row, std::size_t width) {
    const auto add = [&](std::size_t first, std::size_t last) {
      runs_.push_back({first, last, runs_.size()});
    };
    if (!any_solid(row, width)) return add(0, width);
    for (std::size_t x = 0; x < width; ++x) {
      if (row[x] != 0) continue;
      const std::size_t first = x;
      while (x < width && row[x] == 0) ++x;
      add(first, x);
    }
  }
  /// Runs a … a_end−1 and b … b_end−1 of neighbouring rows.
  void join(std::size_t a, std::size_t a_end, std::size_t b, std::size_t b_end) {
    while (a < a_end && b < b_end) {
      if (runs_[a].first <= runs_[b].last && runs_[b].first <= runs_[a].last) {
        runs_[root(a)].joined = root(b);
      }
      if (runs_[a].last < runs_[b].last) {
        ++a;
      } else {
        ++b;
      }
    }
  }
  std::size_t root(std::size_t run) {
    while (runs_[run].joined != run) run = runs_[run].joined = runs_[runs_[run].joined].joined;
    return run;
  }

  std::vector<fluid_run> runs_;
  std::vector<std::size_t> rows_;  // the first run of each
};

/// Throws unless what comes in on the left can leave on the right. Fluid goes between two obstacles that
/// touch at a corner.
void check_ways(const settings& given, const std::vector<std::uint8_t>& solid) {
  const std::size_t width = given.width, height = given.height;
  fluid_runs fluid(solid, width, height, given.which == flow_case::free);
  std::vector<std::size_t> leaves;
  for (std::size_t y = 0; y < height; ++y) {
    const std::optional<std::size_t> at = fluid.at_end(y, width);
    if (at && (leaves.empty() || leaves.back() != *at)) leaves.push_back(*at);
  }
  std::sort(leaves.begin(), leaves.end());
  std::size_t inflows = 0;
  for (std::size_t y = 0; y < height; ++y) {
    const std::optional<std::size_t> at = fluid.at_begin(y);
    if (!at) continue;
    ++inflows;
    if (!std::binary_search(leaves.begin(), leaves.end(), *at)) {
      fail(
          fmt::format("lbm: obstacles leave no way from the left, in row {}, to the right: what comes "
                      "in there could not leave",
                      y));
    }
  }
  if (inflows == 0) fail("lbm: obstacles cover all of the left column, where the flow comes in");
}

}  // namespace

std::vector<std::uint8_t> solid_cells(const settings& given) {
  std::vector<std::uint8_t> solid = given.obstacles;
  if (given.which == flow_case::cylinder) {
    solid.resize(given.width * given.height, 0);
    const circle around = cylinder_of(given);
    for (std::size_t y = 0; y < given.height; ++y) {
      for (std::size_t x = 0; x < given.width; ++x) {
        if (around.contains(static_cast<double>(x), static_cast<double>(y))) solid[y * given.width + x] = 1;
      }
    }
  }
  if (is_open(given) && !solid.empty()) {
    // Open cells look at the cell beside them: an obstacle there goes on to the boundary.
    for (std::size_t y = 0; y < given.height; ++y) {
      std::uint8_t* const row = solid.data() + y * given.width;
      row[0] |= row[1];
      row[given.width - 1] |= row[given.width - 2];
    }
  }
  if (is_open(given) && !solid.empty()) check_ways(given, solid);
  return solid;
}

flow_plan make_plan(const settings& given, const description& about) {
  return make_plan(given, about, solid_cells(given), nullptr);
}

flow_plan make_plan(const settings& given, const description& about, const std::vector<std::uint8_t>& solid,
                    const std::shared_ptr<halo_exchange>& halos) {
  const std::size_t first = halos ? halos->first_row() : 0, rows = halos ? halos->rows() : given.height;
  flow_plan plan;
  plan.width = static_cast<std::ptrdiff_t>(given.width);
  plan.height = static_cast<std::ptrdiff_t>(rows);
  plan.halos = halos;
  if (!solid.empty()) {
    const auto begin = solid.begin() + static_cast<std::ptrdiff_t>(first * given.width);
    plan.solid.assign(begin, begin + static_cast<std::ptrdiff_t>(rows * given.width));
  }
  boundary_finder(given, solid, first, rows).find(plan);

  plan.kind = given.how == collision::regularized ? collision_kind::regularized : collision_kind::two_rates;
  const double tau = about.relaxation_time;
  plan.given.tau = tau;
  plan.given.even = 1 / tau;
  // Odd parts that relax slowly make the ends of an open flow unstable.
  const double magic = is_open(given) ? std::min(3.0 / 16, tau - 0.5) : 3.0 / 16;
  plan.given.magic = given.how == collision::trt ? magic : 0;
  plan.given.odd = given.how == collision::trt ? 1 / (0.5 + plan.given.magic / (tau - 0.5)) : plan.given.even;
  plan.given.units = std::exp2(given.fraction_bits);
  plan.given.unit = 1 / plan.given.units;
  plan.given.eddy = 18 * std::numbers::sqrt2 * given.smagorinsky * given.smagorinsky;
  if (given.which == flow_case::channel && given.by == drive::force) {
    const double height = static_cast<double>(given.height);
    plan.given.force_x = 8 * about.viscosity * given.velocity / (height * height);
  }
  return plan;
}

bool begins_at_rest(const settings& given) {
  return given.which == flow_case::cavity || (given.which == flow_case::channel && given.by == drive::force);
}

namespace {

/// Taylor's and Green's vortices: the wave numbers, and what makes the faster of the two components as fast
/// as was given.
struct waves {
  double kx, ky, scale;
};
waves waves_of(const settings& given) {
  const double kx = 2 * std::numbers::pi / static_cast<double>(given.width);
  const double ky = 2 * std::numbers::pi / static_cast<double>(given.height);
  return {kx, ky, std::sqrt(std::min(kx / ky, ky / kx))};
}

}  // namespace

moments<double> taylor_green(const settings& given, const description& about, double x, double y,
                             double steps) {
  const auto [kx, ky, scale] = waves_of(given);
  const double u0 = given.velocity * std::exp(-about.viscosity * (kx * kx + ky * ky) * steps);
  const double px = kx * (x + 0.5), py = ky * (y + 0.5);
  moments<double> of{};
  of.ux = -u0 * scale * std::sqrt(ky / kx) * std::cos(px) * std::sin(py);
  of.uy = u0 * scale * std::sqrt(kx / ky) * std::sin(px) * std::cos(py);
  of.excess = -0.75 * u0 * u0 * scale * scale * (ky / kx * std::cos(2 * px) + kx / ky * std::cos(2 * py));
  return of;
}

beginning begin_at(const settings& given, const description& about, double x, double y) {
  beginning made{};
  switch (given.which) {
    case flow_case::cavity:
      break;
    case flow_case::channel:
    case flow_case::cylinder:
      if (is_open(given)) made.of.ux = given.velocity * parabola(y, static_cast<double>(given.height));
      break;
    case flow_case::free:
      made.of.ux = given.velocity;
      break;
    case flow_case::taylor_green: {
      made.of = taylor_green(given, about, x, y, 0);
      const auto [kx, ky, scale] = waves_of(given);
      const double px = kx * (x + 0.5), py = ky * (y + 0.5);
      const double along =
          given.velocity * scale * std::sqrt(kx * ky) * std::sin(px) * std::sin(py);  // du/dx
      const double across = given.velocity * scale * std::cos(px) * std::cos(py) *
                            (kx * std::sqrt(kx / ky) - ky * std::sqrt(ky / kx));  // du/dy + dv/dx
      // −2 c_s² ρ τ S.
      const double factor = -2.0 / 3 * about.relaxation_time * (1 + made.of.excess);
      made.not_xx = factor * along;
      made.not_yy = -factor * along;
      made.not_xy = factor * across / 2;
      break;
    }
  }
  return made;
}

}  // namespace heddle::lbm
