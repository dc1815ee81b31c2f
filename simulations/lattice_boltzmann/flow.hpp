#pragma once

#include "lattice_boltzmann/collision.hpp"
#include "lattice_boltzmann/field.hpp"
#include "lattice_boltzmann/settings.hpp"
#include <heddle/array.hpp>
#include <heddle/ranks.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Flows in two dimensions by the lattice Boltzmann method, D2Q9.
namespace heddle::lbm {

/// A flow that steps advance. Cells lie row after row from the bottom, x to the right and y upwards;
/// everything is in cells, steps and the density at rest.
class flow {
 public:
  /// Throws heddle::error for settings that make no flow, and where there is no memory.
  /// `automatic` is a GPU that has room for it, unless it is small, or every core.
  flow(const target& where, const settings& given);

  /// The same over ranks, each of which computes a block of rows on its target; with fewer rows than ranks
  /// each computes all. Every rank gives the same settings, makes the same calls, also of what only reads,
  /// and gets the answers of all: those of one machine, bit for bit, whose target is of the same kind.
  flow(const ranks& all, const settings& given);

  /// Goes on from a checkpoint, bit for bit on the same kind of target. Throws heddle::error for what is no
  /// whole checkpoint.
  static flow resume(const target& where, const std::string& path);
  /// The same over ranks, whatever number of them wrote it; each reads the file.
  static flow resume(const ranks& all, const std::string& path);

  flow(flow&&) noexcept;
  flow& operator=(flow&&) noexcept;
  ~flow();

  const target& where() const noexcept;
  /// The ranks, or nothing on one machine.
  const ranks* all() const noexcept;
  /// The target of values(), velocity_in_place() and solid_in_place(): where the flow is, and over ranks on
  /// GPUs the CPU of each.
  const target& where_fields_are() const noexcept;
  const settings& given() const noexcept;  ///< complete
  const description& about() const noexcept;

  /// Every 100 steps, 500 on more than 2^22 cells, and whenever check() or save() is called, the flow is
  /// looked at: heddle::error says by which step and in which cell it blew up, and what to change. In 16 bits
  /// what has left their range blows up too, although it has returned: mass is no longer what it was and what
  /// came in, at that look and at every later one.
  void advance(std::uint64_t steps);
  void check() const;
  std::uint64_t steps() const noexcept;

  /// In units of length over speed.
  double time() const noexcept;

  /// Excess of density over 1 and velocity of rows first … first+count−1; 0 in solid cells.
  void read_rows(std::size_t first, std::size_t count, moments<double>* to) const;
  bool is_solid(std::size_t x, std::size_t y) const noexcept;
  /// Other than 0 for solid cells, rows from the bottom; of no elements where none is.
  const std::vector<std::uint8_t>& solid() const noexcept;
  /// The same where values() are, until obstacles change.
  array_view<const std::uint8_t> solid_in_place() const;

  /// The whole of them, of shape (H, W); the velocity of shape (H, W, 2).
  array<float> density() const;
  array<float> velocity() const;
  /// Of velocity the speed, of density its excess over 1, and vorticity, of shape (H, W), over ranks of all
  /// on every one. 0 in solid cells.
  array<float> values(field which) const;
  /// The velocity, of shape (H, W, 2), which of solid cells means nothing.
  array<float> velocity_in_place() const;
  /// dv/dx − du/dy, by central differences, one-sided at the edges of the grid and beside obstacles.
  array<float> vorticity() const;

  /// The excess of mass over that of the fluid cells at density 1.
  double excess_mass() const;
  std::size_t fluid_cells() const noexcept;

  /// The largest change of a component of the velocity since the last call, over the given velocity; the
  /// first call has no answer.
  std::optional<double> change();
  /// The step of that call. A checkpoint keeps it with its velocities, unless more than
  /// steps_between_comparisons() have passed.
  std::optional<std::uint64_t> compared() const noexcept;
  /// Those in which the flow goes its length, 100 at least.
  std::uint64_t steps_between_comparisons() const noexcept;

  /// The force of the fluid on the obstacles in the last step, by momentum exchange (Ladd, J. Fluid Mech. 271
  /// (1994) 285). Pressure counts from that of density 1. The force is 0 before the first step. The
  /// coefficients of drag and lift are the force divided by ½·ρ·speed²·length.
  struct coefficients {
    double drag, lift;
  };
  coefficients on_obstacles() const;
  bool has_obstacles() const noexcept;

  /// Of the cylinder: pressure in front less pressure behind, in the benchmark's units (density 1, viscosity
  /// 0.001, diameter 0.1). Other cases have none, nor has a cylinder with an obstacle within three cells.
  std::optional<double> pressure_difference() const;

  /// Other obstacles from now on: `solid` is as settings::obstacles, or of no elements for none. Cells that
  /// become fluid get the equilibrium of the density around them, the mean of their fluid neighbours, and the
  /// velocity of a wall, 0 (equilibrium refill: A. Caiazzo, Prog. Comput. Fluid Dyn. 8 (2008) 3), layer by
  /// layer into what was solid. The viscosity stays, so that the Reynolds number follows the length. Forces
  /// are those of walls at rest. Throws heddle::error for obstacles that make no flow; the flow is then as it
  /// was. O(cells). Every rank gives all of them, and changes its own rows.
  void set_obstacles(const std::vector<std::uint8_t>& solid);

  /// Another velocity of the inflow, the lid or the force, and another kinematic viscosity, from the next
  /// step on. A velocity that changes by d sends a wave of sound whose density differs by √3·d. Throws
  /// heddle::error for what is changed and not within stable_bounds().
  void set_speed(double velocity, double viscosity);

  /// Writes a checkpoint, whole or not at all; of ranks the first writes. Throws heddle::error for a flow
  /// that has blown up.
  void save(const std::string& path) const;

 private:
  struct state;
  template <class S>
  struct state_of;
  explicit flow(std::unique_ptr<state> made);
  static std::unique_ptr<state> make(const target& where, const std::optional<ranks>& all,
                                     const settings& given, bool compares);
  static flow resume(const target& where, const std::optional<ranks>& all, const std::string& path);
  flow(const target& where, const std::optional<ranks>& all, const settings& given);

  std::unique_ptr<state> state_;
};

/// A point of a centre line: its place from 0 to 1 and the velocity over the given one.
struct profile_point {
  double position, u, v;
};
struct profiles {
  std::vector<profile_point> vertical;    ///< x = 1/2, from the bottom
  std::vector<profile_point> horizontal;  ///< y = 1/2, from the left
};
profiles centre_lines(const flow& of);

/// The largest difference from the exact velocity over the given one, for cases that have an exact flow: the
/// channel by a force, once it is steady, and Taylor–Green.
std::optional<double> error_of(const flow& of);

}  // namespace heddle::lbm
