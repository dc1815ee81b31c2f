#include "lattice_boltzmann/settings.hpp"

#include "lattice_boltzmann/lattice.hpp"
#include "lattice_boltzmann/solid_rows.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/core.h>

namespace heddle::lbm {

const char* name(flow_case which) noexcept {
  constexpr const char* names[] = {"cavity", "channel", "cylinder", "taylor-green", "free"};
  static_assert(std::size(names) == std::size(flow_cases));
  return names[static_cast<int>(which)];
}
const char* name(collision how) noexcept {
  constexpr const char* names[] = {"bgk", "trt", "regularized"};
  static_assert(std::size(names) == std::size(collisions));
  return names[static_cast<int>(how)];
}
const char* name(storage kept) noexcept {
  constexpr const char* names[] = {"f64", "f32", "f16"};
  static_assert(std::size(names) == std::size(storages));
  return names[static_cast<int>(kept)];
}
std::size_t bytes_of(storage kept) noexcept {
  return kept == storage::f64 ? 8 : kept == storage::f32 ? 4 : 2;
}
std::size_t bytes_of_velocity(storage kept) noexcept {
  return 2 * (kept == storage::f64 ? 8 : 4);
}
const char* name(drive by) noexcept {
  constexpr const char* names[] = {"force", "inflow"};
  static_assert(std::size(names) == std::size(drives));
  return names[static_cast<int>(by)];
}

namespace {

// The benchmark's lengths over the height of its channel.
constexpr double channel_height = 0.41, channel_length = 2.2 / channel_height, centre = 0.2 / channel_height,
                 radius = 0.05 / channel_height;

/// Rows that obstacles take up, from the lowest to the highest.
std::size_t extent_of_obstacles(const settings& given) {
  std::size_t low = given.height, high = 0;
  for (std::size_t y = 0; y < given.height; ++y) {
    if (any_solid(given.obstacles.data() + y * given.width, given.width)) {
      low = std::min(low, y);
      high = y + 1;
    }
  }
  return high > low ? high - low : given.height;
}

/// The part of a column that is open where obstacles leave the least.
double narrowest(const settings& given) {
  const double height = static_cast<double>(given.height);
  double most = given.which == flow_case::cylinder ? 2 * cylinder_of(given).radius : 0;
  std::vector<std::size_t> solid(given.obstacles.empty() ? 0 : given.width);
  for (std::size_t y = 0; y < given.height && !solid.empty(); ++y) {
    const std::uint8_t* const row = given.obstacles.data() + y * given.width;
    if (!any_solid(row, given.width)) continue;
    for (std::size_t x = 0; x < given.width; ++x) solid[x] += row[x] != 0 ? 1 : 0;
  }
  for (const std::size_t of_column : solid) most = std::max(most, static_cast<double>(of_column));
  return std::max(1 - most / height, 1 / height);
}

/// The part of the range of populations that a flow takes, within ±1/8, which is that of speeds to 0.29 and
/// of densities within a quarter of 1.
struct reach {
  double speed, pressure;
  double most() const { return std::max(speed, pressure); }
};

/// That of speed is in proportion to the velocity. Of open flows half is for vortices and for the sound of
/// the first steps, whose density differs from 1 by the velocity over that of sound, and more for those
/// against obstacles and for the speed beside them: open flows past cylinders and plates, at Reynolds numbers
/// from 5 to 100, stayed within it at velocities of 0.098 and less, or of 0.149 of the narrowest part.
/// Pressure is largest in the corners of a lid, 7.5·ν·U as density, and at the beginning of an open channel.
reach reach_of(const settings& given, const description& about) {
  constexpr double quarter = 0.25;
  double fastest = 0.2;
  if (is_open(given)) {
    const double open = narrowest(given);
    fastest = open < 1 ? std::min(0.09, 0.14 * open) : 0.14;
  }
  double pressure = 7.5;
  if (is_open(given) && given.which != flow_case::free) {
    const double height = static_cast<double>(given.height);
    pressure = std::max(pressure, 24 * static_cast<double>(given.width) / (height * height));
  }
  return {given.velocity / fastest, pressure * about.viscosity * given.velocity / quarter};
}

/// The largest velocity at which a flow of the same Reynolds number is within the range: viscosity is in
/// proportion to it, so that pressure is to its square.
double velocity_within(const reach& range, double velocity) {
  return std::min(velocity / range.speed, velocity / std::sqrt(range.pressure));
}

/// The largest number of two digits that is not above one.
double rounded_down(double value) {
  const double scale = std::pow(10, 1 - std::floor(std::log10(value)));
  const double digits = std::round(value * scale);
  return (digits / scale > value ? digits - 1 : digits) / scale;
}

/// The Reynolds number of a cell, velocity times its width over viscosity, up to which cavities of 64² cells,
/// the cylinder on 41 and 82 rows, and plates and circles of cells were stable, at velocities to 0.1.
double stable_cell_reynolds(const settings& given) {
  const bool is_regularized = given.how == collision::regularized;
  // At the ends of a plate, whatever the eddy viscosity.
  if (given.how == collision::trt && !given.obstacles.empty()) return 6;
  if (given.smagorinsky >= (is_regularized ? some_eddies : many_eddies)) {
    return std::numeric_limits<double>::infinity();
  }
  if (is_regularized) return 30;
  const bool has_eddies = given.smagorinsky >= some_eddies;
  if (given.how == collision::trt) return has_eddies ? 40 : 15;
  return has_eddies ? 20 : 13;
}

/// Bits after the binary point, of sixteen: 18 for the whole range; each more halves it, and the errors.
int fraction_bits_of(const settings& given, const description& about) {
  constexpr int least = 18, most = 28;
  return std::clamp(least - static_cast<int>(std::ceil(std::log2(reach_of(given, about).most()))), least,
                    most);
}

/// Warnings that the flow may differ from the requested one, with remedies.
std::vector<std::string> warnings_of(const settings& given, const description& about) {
  std::vector<std::string> warnings;
  if (about.mach > 0.3) {
    warnings.push_back(fmt::format(
        "the Mach number {:.2f} is above 0.3: the flow will be compressible; take a smaller --velocity",
        about.mach));
  }
  const double cell_reynolds = given.velocity / about.viscosity;
  if (cell_reynolds > stable_cell_reynolds(given)) {
    warnings.push_back(
        fmt::format("the relaxation time {:.6g} is close to 1/2 (Reynolds number of a cell {:.6g}): the run "
                    "may be unstable; take more cells, a lower --reynolds{}{}",
                    about.relaxation_time, cell_reynolds,
                    given.how == collision::regularized ? "" : " or --collision regularized",
                    given.smagorinsky >= some_eddies ? "" : ", and --smagorinsky 0.1"));
  }
  if (about.is_viscous()) {
    warnings.push_back(
        fmt::format("the relaxation time {:.6g} is large, and errors grow with its square; take a smaller "
                    "--velocity, a higher --reynolds or fewer cells",
                    about.relaxation_time));
  }
  // A hundred of the steps between numbers from 1/2 to 1, where the relaxation time is kept. At half as much
  // again the decay of Taylor-Green's vortices in `float` was wrong by a hundredth.
  const double step = (given.kept == storage::f64 ? std::numeric_limits<double>::epsilon()
                                                  : std::numeric_limits<float>::epsilon()) /
                      2;
  if (3 * about.viscosity < 100 * step) {
    warnings.push_back(
        fmt::format("the viscosity {:.3g} is close to what is lost in rounding: the flow may have another; "
                    "take a higher --velocity or a lower --reynolds{}",
                    about.viscosity, given.kept == storage::f64 ? "" : ", or --storage f64"));
  }
  if (given.kept == storage::f16) {
    if (const reach range = reach_of(given, about); range.most() > 1) {
      warnings.push_back(fmt::format(
          "16 bits hold speeds up to 0.29 and densities from 0.75 to 1.25: this flow may be beyond "
          "{}; take a --velocity of {:.2g} at most{}",
          is_open(given) ? "in its first steps" : "where it is fastest or in corners",
          rounded_down(velocity_within(range, given.velocity)),
          range.speed > 1 ? "" : ", or a higher --reynolds"));
    }
  }
  // In cavities of 64² cells errors over the velocity were 2.9e-5 over the velocity in units of 2^-18 at a
  // viscosity of 0.064, and grew like its power -0.62.
  if (given.kept == storage::f16 && given.fraction_bits != 0 &&
      2.9e-5 * std::pow(0.064 / about.viscosity, 0.62) >
          1e-3 * given.velocity * std::exp2(given.fraction_bits - 18)) {
    warnings.push_back(
        "16 bits may be wrong by more than 0.001 of --velocity: take a higher --velocity, a lower "
        "--reynolds or "
        "--storage f32");
  }
  const double width = static_cast<double>(given.width), height = static_cast<double>(given.height);
  if (given.which == flow_case::cylinder && width + 1 < channel_length * height) {
    warnings.push_back(fmt::format("the channel of the benchmark is longer: {} rows take {} columns",
                                   given.height, std::lround(channel_length * height) + 1));
  }
  return warnings;
}

}  // namespace

bounds stable_bounds(const settings& given) {
  const description about = describe(given);
  const double step = (given.kept == storage::f64 ? std::numeric_limits<double>::epsilon()
                                                  : std::numeric_limits<float>::epsilon()) /
                      2;
  bounds made{1e-4, 0.3 * speed_of_sound, 100 * step / 3, (most_relaxation_time - 0.5) / 3};
  if (given.kept == storage::f16) {
    const reach taken = reach_of(given, about);
    const double room = std::exp2(18 - given.fraction_bits);
    made.most_velocity = std::min(made.most_velocity, given.velocity / taken.speed * room);
    made.most_viscosity = std::min(made.most_viscosity, about.viscosity / taken.pressure * room);
  }
  made.least_viscosity = std::max(made.least_viscosity, given.velocity / stable_cell_reynolds(given));
  return made;
}

bool is_open(const settings& given) {
  return given.which == flow_case::cylinder || given.which == flow_case::free ||
         (given.which == flow_case::channel && given.by == drive::inflow);
}

double parabola(double y, double height) {
  const double part = (y + 0.5) / height;
  return 4 * part * (1 - part);
}

circle cylinder_of(const settings& given) {
  const double height = static_cast<double>(given.height);
  return {centre * height, centre * height - 0.5, radius * height};
}

settings completed(settings given) {
  if (!(given.velocity > 0 && given.velocity < speed_of_sound)) {
    fail(fmt::format(
        "lbm: a velocity of {:.6g} cells a step, where more than 0 and less than the speed of sound, "
        "{:.3f}, is needed",
        given.velocity, speed_of_sound));
  }
  if (!(given.reynolds >= 0 && std::isfinite(given.reynolds))) {
    fail(fmt::format("lbm: a Reynolds number of {:.6g}, where more than 0 is needed", given.reynolds));
  }
  if (!(given.smagorinsky >= 0 && given.smagorinsky <= 1)) {
    fail(fmt::format("lbm: a Smagorinsky constant of {}, where 0 to 1 is needed", given.smagorinsky));
  }
  if (given.width == 0 || given.height == 0) {
    switch (given.which) {
      case flow_case::channel:
        given.width = 192;
        given.height = 64;
        break;
      case flow_case::cylinder:
        given.height = 164;
        given.width = static_cast<std::size_t>(std::lround(channel_length * 164)) + 1;
        break;
      case flow_case::free:
        given.width = 512;
        given.height = 256;
        break;
      default:
        given.width = given.height = 128;
    }
  }
  const std::size_t least = is_open(given) ? 4 : 2;
  constexpr std::size_t most = std::size_t{1} << 30;
  if (given.width < least || given.height < least || given.width > most || given.height > most) {
    fail(fmt::format("lbm: {}x{} cells, where {} to {} each way are needed for {}", given.width, given.height,
                     least, most, name(given.which)));
  }
  // So that numbers of bytes are numbers.
  constexpr double most_cells = 281474976710656;
  if (static_cast<double>(given.width) * static_cast<double>(given.height) > most_cells) {
    fail(
        fmt::format("lbm: {}x{} cells, which no memory holds: 2^48 are the most", given.width, given.height));
  }
  if (!given.obstacles.empty() && given.obstacles.size() != given.width * given.height) {
    fail(fmt::format("lbm: obstacles of {} cells, where the grid has {}x{}", given.obstacles.size(),
                     given.width, given.height));
  }
  if (!given.obstacles.empty() &&
      std::all_of(given.obstacles.begin(), given.obstacles.end(), [](auto cell) { return cell != 0; })) {
    fail(fmt::format("lbm: all {}x{} cells are obstacles, and none is fluid", given.width, given.height));
  }
  if (given.which == flow_case::cylinder) {
    const circle around = cylinder_of(given);
    if (around.radius < 1 || around.x + around.radius + 4 > static_cast<double>(given.width)) {
      fail(
          fmt::format("lbm: {}x{} cells have no room for the cylinder, which is {:.1f} cells wide and {:.1f} "
                      "from the left: with {} rows take {} columns, and 9 rows at least",
                      given.width, given.height, 2 * around.radius, around.x, given.height,
                      std::lround(channel_length * static_cast<double>(given.height)) + 1));
    }
  }
  if (given.reynolds == 0) {
    constexpr double unless_viscous = 100, most_viscosity = 0.2;
    given.reynolds = unless_viscous;
    given.reynolds = std::max(unless_viscous, unless_viscous * describe(given).viscosity / most_viscosity);
  }
  if (given.kept != storage::f16) {
    given.fraction_bits = 0;
  } else if (given.fraction_bits == 0) {
    given.fraction_bits = fraction_bits_of(given, describe(given));
  }
  return given;
}

description describe(const settings& given) {
  description made;
  const double width = static_cast<double>(given.width), height = static_cast<double>(given.height);
  made.speed = given.velocity;
  switch (given.which) {
    case flow_case::cavity:
    case flow_case::taylor_green:
      made.length = width;
      break;
    case flow_case::channel:
      made.length = height;
      break;
    case flow_case::cylinder:
      made.length = 2 * cylinder_of(given).radius;
      made.speed = given.velocity * 2 / 3;  // the mean of a parabola
      break;
    case flow_case::free:
      made.length = given.obstacles.empty() ? height : static_cast<double>(extent_of_obstacles(given));
      break;
  }
  made.viscosity = made.speed * made.length / given.reynolds;
  made.relaxation_time = 3 * made.viscosity + 0.5;
  made.mach = given.velocity * std::sqrt(3.0);
  const std::size_t bytes = bytes_of(given.kept);
  made.bytes_a_cell = 2 * velocities * bytes;
  const layout grid =
      layout::of(static_cast<std::ptrdiff_t>(given.width), static_cast<std::ptrdiff_t>(given.height),
                 static_cast<std::ptrdiff_t>(bytes));
  made.bytes = grid.elements() * bytes + given.obstacles.size();
  made.warnings = warnings_of(given, made);
  return made;
}

}  // namespace heddle::lbm
