#include "lattice_boltzmann/flow.hpp"

#include "lattice_boltzmann/checkpoint.hpp"
#include "lattice_boltzmann/engine.hpp"
#include "lattice_boltzmann/fields.hpp"
#include "lattice_boltzmann/flow_state.hpp"
#include "lattice_boltzmann/geometry.hpp"
#include "lattice_boltzmann/over_ranks.hpp"
#include "target_for_steps.hpp"
#include <heddle/error.hpp>
#include <heddle/machine.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace heddle::lbm {
namespace {

/// Rows that are worked on at once where the whole grid need not be in memory.
std::size_t rows_at_once(std::size_t width, std::size_t height) {
  return std::clamp<std::size_t>((std::size_t{1} << 22) / width, 1, height);
}

/// A look costs about a step.
std::uint64_t steps_between_looks(const settings& given) {
  return given.width * given.height > std::size_t{1} << 22 ? 500 : 100;
}

}  // namespace

template <class S>
struct flow::state_of final : flow::state {
  using R = arithmetic<S>;
  std::unique_ptr<engine<S>> device;

  void make_engine() {
    device = where.is_gpu() ? make_gpu_engine<S>(plan, where) : make_cpu_engine<S>(plan, where.threads());
    if (plan.halos) device = std::make_unique<engine_over_ranks<S>>(plan, std::move(device));
    // The engine has its own.
    plan.solid = {};
    plan.links = {};
  }

  void begin() override {
    make_engine();
    device->rest();
    if (begins_at_rest(given)) return;
    const std::size_t width = given.width, piece = rows_at_once(width, given.height);
    const std::size_t last = first_row() + rows();
    std::vector<S> populations(velocities * piece * width);
    for (std::size_t first = first_row(); first < last; first += piece) {
      const std::size_t count = std::min(piece, last - first);
      cpu::for_slices(
          threads(), count, (std::size_t{1} << 12) / width + 1, [&](std::size_t low, std::size_t high) {
            for (std::size_t y = low; y < high; ++y) {
              for (std::size_t x = 0; x < width; ++x) {
                const beginning made =
                    begin_at(given, about, static_cast<double>(x), static_cast<double>(first + y));
                double g[velocities];
                near_equilibrium(g, made.of, made.not_xx, made.not_yy, made.not_xy);
                for (std::size_t i = 0; i < velocities; ++i) {
                  populations[(i * count + y) * width + x] =
                      encode<S>(static_cast<R>(g[i]), static_cast<R>(plan.given.unit));
                }
              }
            }
          });
      device->load(static_cast<std::ptrdiff_t>(first), static_cast<std::ptrdiff_t>(count),
                   populations.data());
    }
  }

  void step(std::uint64_t count) override {
    device->step(steps, count);
    steps += count;
  }

  void read(std::size_t first, std::size_t count, moments<double>* to) override {
    const std::size_t width = given.width;
    std::vector<moments<R>> here(count * width);
    device->read(static_cast<std::ptrdiff_t>(first), static_cast<std::ptrdiff_t>(count), here.data());
    for (std::size_t i = 0; i < here.size(); ++i) {
      const bool is_solid = !solid.empty() && solid[first * width + i] != 0;
      to[i] = is_solid ? moments<double>{}
                       : moments<double>{static_cast<double>(here[i].excess), static_cast<double>(here[i].ux),
                                         static_cast<double>(here[i].uy)};
    }
  }

  void set_plan() override {
    device->set_plan(plan);
    plan.solid = {};
    plan.links = {};
  }

  void refill(const std::vector<std::size_t>& cells, const std::vector<double>& excess) override {
    std::vector<S> populations(velocities * cells.size());
    for (std::size_t k = 0; k < cells.size(); ++k) {
      double g[velocities];
      near_equilibrium(g, moments<double>{excess[k], 0, 0}, 0.0, 0.0, 0.0);
      for (std::size_t i = 0; i < velocities; ++i)
        populations[k * velocities + i] = encode<S>(static_cast<R>(g[i]), static_cast<R>(plan.given.unit));
    }
    device->put(cells, populations);
  }

  array<float> values(field which) override {
    if (!is_over_ranks()) return values_of(device->moments_in_place(), solid_in_place(), given.width, which);
    return values_of(moments_of_all(), solid_in_place(), given.width, which);
  }

  array<float> velocity_in_place() override {
    if (!is_over_ranks()) return velocities_of(device->moments_in_place(), given.width);
    return velocities_of(moments_of_all(), given.width);
  }

  array<moments<R>> moments_of_all() {
    array<moments<R>> rows({given.height, given.width}, where_fields_are());
    device->read(0, static_cast<std::ptrdiff_t>(given.height), rows.data());
    return rows;
  }

  double excess_mass() override { return device->excess_mass(); }
  double mass_brought() override { return device->mass_brought(); }
  force on_obstacles() override { return device->on_obstacles(); }
  std::optional<std::size_t> blown_up() override { return device->blown_up(); }
  std::optional<double> change() override { return device->change(); }

  void write_populations(std::optional<checkpoint_writer>& to) override {
    in_blocks<S>(velocities, [&](std::ptrdiff_t first, std::ptrdiff_t count, S* block, std::size_t bytes) {
      device->store(first, count, block);
      on_first([&] { to->write(block, bytes); });
    });
  }
  void read_populations(checkpoint_reader& from) override {
    make_engine();
    device->rest();
    in_blocks<S>(velocities, [&](std::ptrdiff_t first, std::ptrdiff_t count, S* block, std::size_t bytes) {
      from.read(block, bytes);
      device->load(first, count, block);
    });
  }
  void write_compared(std::optional<checkpoint_writer>& to) override {
    in_blocks<R>(2, [&](std::ptrdiff_t first, std::ptrdiff_t count, R* block, std::size_t bytes) {
      device->store_compared(first, count, block);
      on_first([&] { to->write(block, bytes); });
    });
  }
  void read_compared(checkpoint_reader& from) override {
    in_blocks<R>(2, [&](std::ptrdiff_t first, std::ptrdiff_t count, R* block, std::size_t bytes) {
      from.read(block, bytes);
      device->load_compared(first, count, block);
    });
  }

  /// f(first row, rows, room for them, its bytes) for all rows, with so many numbers a cell.
  template <class T, class F>
  void in_blocks(std::size_t numbers, const F& f) const {
    const std::size_t rows = rows_at_once(given.width, given.height);
    std::vector<T> block(numbers * rows * given.width);
    for (std::size_t first = 0; first < given.height; first += rows) {
      const std::size_t count = std::min(rows, given.height - first);
      f(static_cast<std::ptrdiff_t>(first), static_cast<std::ptrdiff_t>(count), block.data(),
        numbers * count * given.width * sizeof(T));
    }
  }
};

std::unique_ptr<flow::state> flow::make(const target& requested, const std::optional<ranks>& all,
                                        const settings& given, bool compares) {
  std::unique_ptr<state> made;
  switch (given.kept) {
    case storage::f64:
      made = std::make_unique<state_of<double>>();
      break;
    case storage::f32:
      made = std::make_unique<state_of<float>>();
      break;
    case storage::f16:
      made = std::make_unique<state_of<fixed16>>();
      break;
  }
  made->all = all;
  made->given = completed(given);
  made->about = describe(made->given);
  const std::size_t more = compares ? made->bytes_compared() : 0;
  made->where = target_for_steps(requested, made->about.bytes, more);
  made->about.bytes += more;
  if (all && all->size() > 1 && made->given.height >= static_cast<std::size_t>(all->size())) {
    const bool is_periodic =
        made->given.which == flow_case::taylor_green || made->given.which == flow_case::free;
    made->plan.halos =
        std::make_shared<halo_exchange>(*all, even_rows(made->given.height, all->size()), is_periodic);
  }
  // Boundaries take time and memory too: whether there is memory for the rest is known first.
  made->look_for_room(made->about.bytes);
  made->solid = solid_cells(made->given);
  made->plan = make_plan(made->given, made->about, made->solid, made->plan.halos);
  made->count_obstacles();
  return made;
}

flow::flow(std::unique_ptr<state> made) : state_(std::move(made)) {}
flow::flow(const target& where, const settings& given) : flow(where, std::nullopt, given) {}
flow::flow(const ranks& all, const settings& given) : flow(all.where(), all, given) {}
flow::flow(const target& where, const std::optional<ranks>& all, const settings& given)
    : state_(make(where, all, given, false)) {
  {
    const operation running("lbm", state_->given.width * state_->given.height, name(state_->given.kept));
    state_->begin();
  }
  state_->look_at_first();
}
flow::flow(flow&&) noexcept = default;
flow& flow::operator=(flow&&) noexcept = default;
flow::~flow() = default;

const target& flow::where() const noexcept {
  return state_->where;
}
const settings& flow::given() const noexcept {
  return state_->given;
}
const description& flow::about() const noexcept {
  return state_->about;
}
std::uint64_t flow::steps() const noexcept {
  return state_->steps;
}
double flow::time() const noexcept {
  return static_cast<double>(state_->steps) * state_->about.speed / state_->about.length;
}
bool flow::is_solid(std::size_t x, std::size_t y) const noexcept {
  return !state_->solid.empty() && state_->solid[y * state_->given.width + x] != 0;
}

const std::vector<std::uint8_t>& flow::solid() const noexcept {
  return state_->solid;
}
const ranks* flow::all() const noexcept {
  return state_->is_over_ranks() ? &*state_->all : nullptr;
}
const target& flow::where_fields_are() const noexcept {
  return state_->where_fields_are();
}
array<float> flow::velocity_in_place() const {
  return state_->velocity_in_place();
}
array_view<const std::uint8_t> flow::solid_in_place() const {
  return state_->solid_in_place();
}
array<float> flow::values(field which) const {
  return state_->values(which);
}

void flow::advance(std::uint64_t count) {
  state& s = *state_;
  while (count > 0) {
    const std::uint64_t between = steps_between_looks(s.given);
    const std::uint64_t now = std::min(count, between - s.steps % between);
    s.step(now);
    s.kept_force.reset();
    count -= now;
    if (s.steps % between == 0) check();
  }
}

void flow::check() const {
  state_->check();
}

void flow::state::check() {
  std::string what;
  if (const std::optional<std::size_t> cell = blown_up()) {
    const std::size_t x = *cell % given.width, y = *cell / given.width;
    std::vector<moments<double>> row(given.width);
    read(y, 1, row.data());
    const moments<double>& of = row[x];
    // Of what is no number the sign says nothing.
    const auto number = [](double value) { return std::isnan(value) ? "nan" : fmt::format("{:.6g}", value); };
    what = fmt::format("in cell ({}, {}) its density is {} and its speed {}, where sound has {:.3f}{}", x, y,
                       number(1 + of.excess), number(std::hypot(of.ux, of.uy)), speed_of_sound,
                       given.kept == storage::f16 ? ", or it is beyond what 16 bits hold" : "");
  } else {
    if (!known_mass) return;
    *known_mass += mass_brought();
    if (excess_mass() == *known_mass) return;
    what = "it has been beyond what 16 bits hold";
  }
  std::vector<std::string> remedies;
  if (about.is_viscous()) {
    remedies = {"a lower --velocity", "a higher --reynolds"};
  } else {
    remedies = {"more cells", "a lower --reynolds", "a lower --velocity"};
    const bool is_regularized = given.how == collision::regularized;
    if (!is_regularized) remedies.emplace_back("--collision regularized");
    if (given.smagorinsky < some_eddies) {
      remedies.push_back(fmt::format("--smagorinsky {}", some_eddies));
    } else if (!is_regularized && given.smagorinsky < many_eddies) {
      remedies.push_back(fmt::format("--smagorinsky {}", many_eddies));
    }
  }
  if (given.kept == storage::f16) remedies.emplace_back("--storage f32");
  const std::string last = remedies.back();
  remedies.pop_back();
  fail(fmt::format("lbm: the flow blew up by step {}: {}. Take {} or {}: the relaxation time is {:.6g}",
                   steps, what, fmt::join(remedies, ", "), last, about.relaxation_time));
}

void flow::read_rows(std::size_t first, std::size_t count, moments<double>* to) const {
  state_->read(first, count, to);
}

namespace {

/// f(row, its moments) for every row, from the bottom.
template <class F>
void for_each_row(const flow& of, const F& f) {
  const std::size_t width = of.given().width, height = of.given().height, rows = rows_at_once(width, height);
  std::vector<moments<double>> here(rows * width);
  for (std::size_t first = 0; first < height; first += rows) {
    const std::size_t count = std::min(rows, height - first);
    of.read_rows(first, count, here.data());
    for (std::size_t y = 0; y < count; ++y) f(first + y, here.data() + y * width);
  }
}

}  // namespace

array<float> flow::density() const {
  const std::size_t width = given().width;
  array<float> made({given().height, width});
  for_each_row(*this, [&](std::size_t y, const moments<double>* row) {
    for (std::size_t x = 0; x < width; ++x)
      made.data()[y * width + x] = static_cast<float>(1 + row[x].excess);
  });
  return made;
}

array<float> flow::velocity() const {
  const std::size_t width = given().width;
  array<float> made({given().height, width, 2});
  for_each_row(*this, [&](std::size_t y, const moments<double>* row) {
    for (std::size_t x = 0; x < width; ++x) {
      made.data()[2 * (y * width + x)] = static_cast<float>(row[x].ux);
      made.data()[2 * (y * width + x) + 1] = static_cast<float>(row[x].uy);
    }
  });
  return made;
}

array<float> flow::vorticity() const {
  return values(field::vorticity).on(target());
}

double flow::excess_mass() const {
  return state_->excess_mass();
}
std::size_t flow::fluid_cells() const noexcept {
  return state_->fluid_cells;
}
bool flow::has_obstacles() const noexcept {
  return state_->has_obstacles;
}

std::optional<double> flow::change() {
  const std::size_t more = state_->compared ? 0 : state_->bytes_compared();
  if (more != 0) state_->look_for_room(more);
  const std::optional<double> found = state_->change();
  state_->about.bytes += more;
  state_->compared = state_->steps;
  return found ? std::optional(*found / state_->given.velocity) : std::nullopt;
}

std::optional<std::uint64_t> flow::compared() const noexcept {
  return state_->compared;
}

std::uint64_t flow::steps_between_comparisons() const noexcept {
  constexpr double least = 100, most = 0x1p62;  // an integer, for any velocity
  return static_cast<std::uint64_t>(std::clamp(std::round(about().length / about().speed), least, most));
}

flow::coefficients flow::on_obstacles() const {
  const force sum = state_->force_of_last_step();
  const double scale = 2 / (about().speed * about().speed * about().length);
  return {scale * sum.x, scale * sum.y};
}

std::optional<double> flow::pressure_difference() const {
  if (given().which != flow_case::cylinder) return std::nullopt;
  const circle around = cylinder_of(given());
  const std::size_t width = given().width;
  // Rows on both sides of the axis; their fluid cells next to the surface, and two more, give the pressure
  // there.
  const auto low = static_cast<std::size_t>(std::floor(around.y));
  const double part = around.y - std::floor(around.y);
  std::vector<moments<double>> rows(2 * width);
  read_rows(low, 2, rows.data());
  const auto excess = [&](double x) {
    const auto at = static_cast<std::size_t>(x);
    return (1 - part) * rows[at].excess + part * rows[width + at].excess;
  };
  const auto is_fluid = [&](double x) {
    return x >= 0 && x < static_cast<double>(width) && !is_solid(static_cast<std::size_t>(x), low) &&
           !is_solid(static_cast<std::size_t>(x), low + 1);
  };
  const auto at_surface = [&](double surface, int away) -> std::optional<double> {
    double first = away < 0 ? std::floor(surface) : std::ceil(surface);
    // Beside the axis the surface is less than a cell further.
    if (!is_fluid(first)) first += away;
    for (int i = 0; i < 3; ++i) {
      if (!is_fluid(first + i * away)) return std::nullopt;
    }
    const double t = (surface - first) * away;  // in cells towards the fluid: at most 0
    const double a = excess(first), b = excess(first + away), c = excess(first + 2 * away);
    return a * (t - 1) * (t - 2) / 2 - b * t * (t - 2) + c * t * (t - 1) / 2;
  };
  const std::optional<double> front = at_surface(around.x - around.radius, -1),
                              back = at_surface(around.x + around.radius, 1);
  if (!front || !back) return std::nullopt;
  constexpr double viscosity = 0.001, diameter = 0.1;
  const double speed = viscosity * given().reynolds / diameter / about().speed;
  return (*front - *back) / 3 * speed * speed;
}

profiles centre_lines(const flow& of) {
  const std::size_t width = of.given().width, height = of.given().height;
  const double scale = 1 / of.given().velocity;
  profiles made;
  // Between two columns or rows where their number is even.
  for_each_row(of, [&](std::size_t y, const moments<double>* row) {
    const moments<double>&a = row[(width - 1) / 2], &b = row[width / 2];
    made.vertical.push_back({(static_cast<double>(y) + 0.5) / static_cast<double>(height),
                             scale * (a.ux + b.ux) / 2, scale * (a.uy + b.uy) / 2});
  });
  std::vector<moments<double>> rows(2 * width);
  of.read_rows((height - 1) / 2, 1, rows.data());
  of.read_rows(height / 2, 1, rows.data() + width);
  for (std::size_t x = 0; x < width; ++x) {
    const moments<double>&a = rows[x], &b = rows[width + x];
    const double place = static_cast<double>(x), last = static_cast<double>(width - 1);
    made.horizontal.push_back({is_open(of.given()) ? place / last : (place + 0.5) / (last + 1),
                               scale * (a.ux + b.ux) / 2, scale * (a.uy + b.uy) / 2});
  }
  return made;
}

std::optional<double> error_of(const flow& of) {
  const settings& given = of.given();
  const bool is_channel = given.which == flow_case::channel && given.by == drive::force;
  if ((!is_channel && given.which != flow_case::taylor_green) || !given.obstacles.empty())
    return std::nullopt;
  double most = 0;
  for_each_row(of, [&](std::size_t y, const moments<double>* row) {
    const double py = static_cast<double>(y);
    for (std::size_t x = 0; x < given.width; ++x) {
      moments<double> exact{0, given.velocity * parabola(py, static_cast<double>(given.height)), 0};
      if (!is_channel) {
        exact = taylor_green(given, of.about(), static_cast<double>(x), py, static_cast<double>(of.steps()));
      }
      most = std::max({most, std::abs(row[x].ux - exact.ux), std::abs(row[x].uy - exact.uy)});
    }
  });
  return most / given.velocity;
}

}  // namespace heddle::lbm
