#pragma once

#include "lattice_boltzmann/checkpoint.hpp"
#include "lattice_boltzmann/engine.hpp"
#include "lattice_boltzmann/fields.hpp"
#include "lattice_boltzmann/flow.hpp"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/machine.hpp>
#include <heddle/ranks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// The state of a flow, whatever its storage.
namespace heddle::lbm {

struct flow::state {
  target where;
  std::optional<ranks> all;
  settings given;
  description about;
  flow_plan plan;                                  // of the rows of this rank
  std::vector<std::uint8_t> solid;                 // of all rows
  std::optional<array<std::uint8_t>> solid_there;  // the same where fields are, once it is asked for
  bool has_obstacles = false;
  std::uint64_t steps = 0;
  std::size_t fluid_cells = 0;
  std::optional<std::uint64_t> compared;  // the step at which change() was called
  std::optional<double> known_mass;       // what flows in 16 bits had to have at the last look, exactly
  // The force of the last step, where the populations no longer show it: before the first step, after
  // obstacles have changed, and in a flow that was resumed.
  std::optional<force> kept_force = force{};

  virtual ~state() = default;
  virtual void begin() = 0;
  virtual void step(std::uint64_t count) = 0;
  virtual void read(std::size_t first, std::size_t count, moments<double>* to) = 0;
  virtual double excess_mass() = 0;
  virtual double mass_brought() = 0;
  virtual force on_obstacles() = 0;
  virtual std::optional<std::size_t> blown_up() = 0;
  virtual std::optional<double> change() = 0;
  virtual void set_plan() = 0;
  virtual void refill(const std::vector<std::size_t>& cells, const std::vector<double>& excess) = 0;
  virtual array<float> values(field which) = 0;
  virtual array<float> velocity_in_place() = 0;
  virtual void write_populations(std::optional<checkpoint_writer>& to) = 0;
  virtual void read_populations(checkpoint_reader& from) = 0;
  virtual void write_compared(std::optional<checkpoint_writer>& to) = 0;
  virtual void read_compared(checkpoint_reader& from) = 0;

  force force_of_last_step() { return kept_force ? *kept_force : on_obstacles(); }
  bool is_over_ranks() const { return all && all->size() > 1; }
  const target& where_fields_are() const {
    static const target cpu;
    return is_over_ranks() && where.is_gpu() ? cpu : where;
  }
  array_view<const std::uint8_t> solid_in_place() {
    if (!solid_there) solid_there.emplace(solid, where_fields_are());
    return solid_there->view();
  }

  /// Throws for a flow that has blown up.
  void check();
  /// Other settings, which are complete, and the solid cells that follow from them.
  void set(const settings& wanted, std::vector<std::uint8_t> solid_of_wanted);
  /// Of each of these cells, which are not fluid yet, the excess of density around it.
  std::vector<double> excess_around(const std::vector<std::size_t>& cells,
                                    const std::vector<std::uint8_t>& solid_before);
  /// Before the first step.
  void look_at_first() {
    if (given.kept == storage::f16) known_mass = excess_mass();
    check();
  }

  /// Throws where there is no memory for so much.
  void look_for_room(std::size_t bytes) const {
    const operation running("lbm", given.width * given.height, name(given.kept));
    const array<std::uint8_t> room(part_of_rank(bytes), where);
  }
  /// Of bytes of all rows.
  std::size_t part_of_rank(std::size_t bytes) const {
    return first_row() == 0 && rows() == given.height ? bytes : bytes / given.height * (rows() + 1);
  }
  std::size_t first_row() const { return plan.halos ? plan.halos->first_row() : 0; }
  std::size_t rows() const { return plan.halos ? plan.halos->rows() : given.height; }
  /// f on the rank that writes; where it throws, all do.
  template <class F>
  void on_first(const F& f) const {
    if (all) return all->on_first(f);
    f();
  }
  /// Links on which the force is measured.
  void count_obstacles() {
    fluid_cells = given.width * given.height -
                  static_cast<std::size_t>(
                      std::count_if(solid.begin(), solid.end(), [](std::uint8_t cell) { return cell != 0; }));
    const std::size_t links = plan.links.obstacles + plan.links.curved;
    has_obstacles = links != 0;
    if (plan.halos) {
      const array<std::size_t> of_ranks = all->all_gather(links);
      has_obstacles = std::any_of(of_ranks.begin(), of_ranks.end(), [](std::size_t n) { return n != 0; });
    }
  }
  std::size_t bytes_compared() const { return given.width * given.height * bytes_of_velocity(given.kept); }

  int threads() const { return where.is_gpu() ? available_cores() : where.threads(); }
};

}  // namespace heddle::lbm
