#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The settings of a flow, and their consequences in lattice units: cells and steps.
namespace heddle::lbm {

enum class flow_case {
  cavity,        ///< a box of which the lid on top moves to the right
  channel,       ///< between two walls; by a body force and periodic, or from an inflow to an outflow
  cylinder,      ///< the channel past a circle of M. Schäfer and S. Turek (1996): 2.2 × 0.41, radius 0.05 at
                 ///< (0.2, 0.2)
  taylor_green,  ///< vortices that decay, periodic both ways
  free,          ///< from the left to the right past obstacles, periodic from the top to the bottom
};
inline constexpr flow_case flow_cases[] = {flow_case::cavity, flow_case::channel, flow_case::cylinder,
                                           flow_case::taylor_green, flow_case::free};
const char* name(flow_case which) noexcept;

enum class collision {
  bgk,          ///< one relaxation time
  trt,          ///< two, whose product keeps walls half-way between cells at any viscosity
  regularized,  ///< stable at the highest Reynolds numbers
};
inline constexpr collision collisions[] = {collision::bgk, collision::trt, collision::regularized};
const char* name(collision how) noexcept;

enum class storage {
  f64,
  f32,
  f16,  ///< 16 bits a population, computed with in float
};
inline constexpr storage storages[] = {storage::f64, storage::f32, storage::f16};
const char* name(storage kept) noexcept;
/// Of a population.
std::size_t bytes_of(storage kept) noexcept;
/// Of a cell's velocity, whose two components are in what is computed with.
std::size_t bytes_of_velocity(storage kept) noexcept;

/// The cause that moves the fluid of a channel.
enum class drive { force, inflow };
inline constexpr drive drives[] = {drive::force, drive::inflow};
const char* name(drive by) noexcept;

/// The one of several that has this name.
template <class E, std::size_t N>
std::optional<E> named(const E (&all)[N], std::string_view text) {
  const E* const found =
      std::find_if(std::begin(all), std::end(all), [&](E one) { return text == name(one); });
  return found == std::end(all) ? std::nullopt : std::optional(*found);
}

struct settings {
  flow_case which = flow_case::cavity;
  std::size_t width = 0, height = 0;  ///< 0: the case's own, or that of the obstacles
  double reynolds = 0;                ///< 0: 100, or what keeps the viscosity at 0.2 at most
  double velocity = 0.1;              ///< the largest that the case gives, in cells a step
  collision how = collision::trt;
  storage kept = storage::f32;
  double smagorinsky = 0;  ///< the constant of the eddy viscosity, 0.1 … 0.2 where it is wanted
  drive by = drive::force;
  int fraction_bits = 0;  ///< of f16: populations are multiples of 2^−this; 0: what the case's range allows
  std::vector<std::uint8_t> obstacles;  ///< other than 0 for solid cells, rows from the bottom; or nothing

  friend bool operator==(const settings&, const settings&) = default;
};

/// The same with sizes and a Reynolds number. Throws heddle::error for what makes no flow.
settings completed(settings given);

/// Constants of the eddy viscosity: with the one flows of `regularized` are stable at any Reynolds number,
/// with the other all.
inline constexpr double some_eddies = 0.1, many_eddies = 0.15;

/// Up to which errors that grow with the viscosity are small.
inline constexpr double most_relaxation_time = 3;

/// The consequences of complete settings.
struct description {
  double length = 0;             ///< that the Reynolds number is of, in cells
  double speed = 0;              ///< likewise
  double viscosity = 0;          ///< kinematic
  double relaxation_time = 0;    ///< τ = 3·viscosity + 1/2
  double mach = 0;               ///< largest given velocity over the speed of sound
  std::size_t bytes = 0;         ///< of the populations, the obstacles, and what flow::change() compares with
  std::size_t bytes_a_cell = 0;  ///< read and written by an update
  std::vector<std::string> warnings;

  /// Whether errors that grow with the viscosity are large.
  bool is_viscous() const { return relaxation_time > most_relaxation_time; }
};
description describe(const settings& given);

/// The limits of changes of a flow while it runs. The velocity's Mach number is 0.3 at most; the viscosity is
/// at least that of the Reynolds number of a cell up to which flows of this kind were stable, and the
/// relaxation time is 3 at most. In 16 bits both are within what the unit, which stays, leaves room for.
struct bounds {
  double least_velocity, most_velocity, least_viscosity, most_viscosity;
};
/// Those at the velocity of complete settings: that of viscosity depends on it.
bounds stable_bounds(const settings& given);

/// Where the circle of the case `cylinder` is, in cells from the centre of the first one.
struct circle {
  double x, y, radius;
  bool contains(double px, double py) const {
    return (px - x) * (px - x) + (py - y) * (py - y) <= radius * radius;
  }
};
circle cylinder_of(const settings& given);

/// Whether the flow comes in on the left and leaves on the right; the centres of the first and the last
/// column are at the ends then, and half a cell inside otherwise.
bool is_open(const settings& given);

/// The parabola between walls at the distance y + 1/2 from the lower one, in cells; its largest value is 1.
double parabola(double y, double height);

}  // namespace heddle::lbm
