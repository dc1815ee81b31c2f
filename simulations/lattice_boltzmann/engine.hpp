#pragma once

#include "lattice_boltzmann/boundary.hpp"
#include "lattice_boltzmann/collision.hpp"
#include <heddle/array.hpp>
#include <heddle/reduce.hpp>
#include <heddle/support/halo_exchange.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace heddle::lbm {

/// The description of a flow, or of a block of its rows, that an engine needs.
struct flow_plan {
  std::ptrdiff_t width = 0, height = 0;
  std::shared_ptr<halo_exchange> halos;  ///< to the rows of other ranks; null where all rows are here
  std::vector<std::uint8_t> solid;       ///< of each cell, rows from the bottom; nothing where none is
  wall_links links;
  periodic_copies copies;
  open_cells open;
  collision_kind kind = collision_kind::two_rates;
  rates<double> given;  ///< less the kicks
};

/// A component of each link's force.
struct link_forces {
  std::vector<double> x, y;
};

/// The populations of a flow on a target, and what advances them. Cells lie row after row, from the bottom.
template <class S>
class engine {
 public:
  virtual ~engine() = default;

  /// Fluid at rest everywhere.
  virtual void rest() = 0;
  /// Puts populations 0 … 8 of rows first … first+count−1 there, or brings them: nine times count·width of
  /// them, on the CPU.
  virtual void load(std::ptrdiff_t first, std::ptrdiff_t count, const S* from) = 0;
  virtual void store(std::ptrdiff_t first, std::ptrdiff_t count, S* to) = 0;

  /// `number` is how many steps there have been before the first.
  virtual void step(std::uint64_t number, std::uint64_t count) = 0;

  /// Excess of density and velocity of rows first … first+count−1, to the CPU. Of solid cells they mean
  /// nothing.
  virtual void read(std::ptrdiff_t first, std::ptrdiff_t count, moments<arithmetic<S>>* to) = 0;

  /// The sums of the excess of density over the fluid cells of each row.
  virtual std::vector<double> excess_of_rows() = 0;
  double excess_mass() { return reduce(target(), excess_of_rows()); }

  /// The mass that open ends and curved walls have added since the last call, of fixed16 to the last bit as
  /// long as all populations were within their range.
  virtual double mass_brought() = 0;

  /// The forces of the fluid on obstacles in the last step: on each link, in their order.
  virtual link_forces on_links() = 0;
  force on_obstacles() {
    const link_forces of = on_links();
    return {reduce(target(), of.x), reduce(target(), of.y)};
  }

  /// The first fluid cell that is no flow, see is_a_flow(), or whose populations are at the end of their
  /// range.
  virtual std::optional<std::size_t> blown_up() = 0;

  /// The largest change of a component of the velocity since the last call; the first call has no answer.
  virtual std::optional<double> change() = 0;
  /// Other boundaries and rates from now on, of a plan of as many cells.
  virtual void set_plan(const flow_plan& plan) = 0;
  /// Puts nine populations in each of these cells.
  virtual void put(const std::vector<std::size_t>& cells, const std::vector<S>& of_cells) = 0;
  /// The moments that read() brings, of the rows that are here, on the target.
  virtual array<moments<arithmetic<S>>> moments_in_place() = 0;

  /// The velocities that it compares with next, two numbers for each cell of rows first … first+count−1.
  virtual void load_compared(std::ptrdiff_t first, std::ptrdiff_t count, const arithmetic<S>* from) = 0;
  virtual void store_compared(std::ptrdiff_t first, std::ptrdiff_t count, arithmetic<S>* to) = 0;
};

template <class S>
std::unique_ptr<engine<S>> make_cpu_engine(const flow_plan& plan, int threads);
template <class S>
std::unique_ptr<engine<S>> make_gpu_engine(const flow_plan& plan, const target& where);

/// Momentum of a step's force in units, such that the sum over the steps is as near to the force's as it can
/// be.
inline double kick(double force, double units, std::uint64_t step) {
  const double before = force * units * static_cast<double>(step);
  const auto rounded = [](double x) {
    return static_cast<double>(static_cast<long long>(x + (x < 0 ? -0.5 : 0.5)));
  };
  return rounded(before + force * units) - rounded(before);
}

/// The rates of a step, in what is computed with.
template <class S>
rates<arithmetic<S>> rates_of(const rates<double>& from, std::uint64_t step) {
  using R = arithmetic<S>;
  rates<R> made{static_cast<R>(from.even),    static_cast<R>(from.odd),    static_cast<R>(from.magic),
                static_cast<R>(from.tau),     static_cast<R>(from.eddy),   static_cast<R>(from.force_x),
                static_cast<R>(from.force_y), static_cast<R>(from.kick_x), static_cast<R>(from.kick_y),
                static_cast<R>(from.unit),    static_cast<R>(from.units)};
  if constexpr (is_fixed<S>) {
    made.kick_x = static_cast<R>(kick(from.force_x, from.units, step));
    made.kick_y = static_cast<R>(kick(from.force_y, from.units, step));
  }
  return made;
}
inline bool is_general(const rates<double>& given) {
  return given.eddy > 0 || given.force_x != 0 || given.force_y != 0;
}

/// Sends the populations that cross the edges of a block of rows, after a step and the exchange of planes,
/// and receives those that come: three rows each way. The rows of the ring stand for those of other ranks.
template <class S>
void start_halos(halo_exchange& halos, const populations<S>& at, const layout& grid) {
  static_assert(pair_y(1) == 1 && pair_y(2) == 1 && pair_y(3) == -1);
  const auto row = [&](S* plane, std::ptrdiff_t y) {
    return memory_part{plane + grid.at(0, y), static_cast<std::size_t>(grid.width) * sizeof(S)};
  };
  const std::ptrdiff_t last = grid.height - 1;
  const memory_part to_before[] = {row(at.ahead[1], 0), row(at.ahead[2], 0), row(at.own[3], -1)};
  const memory_part from_before[] = {row(at.own[1], 0), row(at.own[2], 0), row(at.ahead[3], -1)};
  const memory_part to_after[] = {row(at.own[1], last + 1), row(at.own[2], last + 1), row(at.ahead[3], last)};
  const memory_part from_after[] = {row(at.ahead[1], last + 1), row(at.ahead[2], last + 1),
                                    row(at.own[3], last)};
  halos.start(to_before, to_after, from_before, from_after);
}

/// The second numbers of links as an engine uses them. What a moving wall takes is a number that the storage
/// holds exactly, so that what two links take cancels.
template <class S>
std::vector<arithmetic<S>> second_numbers(const wall_links& links, double unit) {
  std::vector<arithmetic<S>> made(links.second.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = static_cast<arithmetic<S>>(links.second[i]);
    const auto one = static_cast<arithmetic<S>>(unit);
    if (is_fixed<S> && i < links.moving) made[i] = decode(encode<S>(made[i], one), one);
  }
  return made;
}

}  // namespace heddle::lbm
