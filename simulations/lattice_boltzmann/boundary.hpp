#pragma once

#include "lattice_boltzmann/collision.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// Boundaries are treated between one step and the next. The step itself knows none: every cell streams
/// and collides, and afterwards what left the fluid is put where it is expected back. The populations here
/// are those after the exchange: own[p][m] is what arrived in m along c, ahead[p][m] what m sends back
/// against c.
namespace heddle::lbm {

/// A population that leaves the fluid and the one that comes back: the place in the planes of its pair, times
/// 8, plus twice the pair, plus 1 for those that leave against the pair's velocity.
using link = std::uint64_t;

HD_INLINE constexpr link make_link(std::ptrdiff_t place, int pair, bool is_against) {
  return static_cast<link>(place) * 8 + static_cast<link>(2 * pair) + (is_against ? 1 : 0);
}

/// Links of one kind after another, each kind in the order of memory.
///
/// walls      at rest, half-way between two cells: what leaves comes back (half-way bounce-back)
/// moving     walls whose velocity u_w takes 6 w_i ρ (c_i·u_w) from it, with ρ = 1: the second number. Two
///            neighbours send one such link each past each other: what they take adds up to 0, so that no
///            mass comes or goes. A link past a solid neighbour has none to cancel it, and is of the kind
///            `walls`
/// obstacles  walls on which the force is measured
/// curved     obstacles whose surface is the fraction q of the way along the link: the second number; linear
///            interpolation (M. Bouzidi, M. Firdaouss and P. Lallemand, Phys. Fluids 13 (2001) 3452)
struct wall_links {
  std::vector<link> places;
  std::vector<double> second;  // of moving and curved links
  std::size_t walls = 0, moving = 0, obstacles = 0, curved = 0;

  std::size_t size() const { return places.size(); }
};

/// A cell of the ring that stands for one of the grid, on the other side of a periodic boundary. The image's
/// place is without the pair. The first `in_ring` have images in the ring too, in rows that stand for those
/// of another rank.
struct periodic_copies {
  std::vector<link> ghosts;
  std::vector<std::uint64_t> images;
  std::size_t in_ring = 0;
};

/// Cells on the left with a velocity given and cells on the right with a density given, 1 but for sound;
/// their centres are on the boundary.
struct open_cells {
  std::vector<std::uint64_t> inflow;
  std::vector<double> inflow_velocity;  // along x
  std::vector<double> inflow_slope;     // of that along y
  std::vector<std::uint64_t> outflow;
  // Of the whole grid, of which a rank may have a part:
  std::size_t outflows = 0;
  double mean_outflow = 0;  // the velocity with which as much leaves as comes in
};

/// Numbers and addresses of the same on a target.
template <class R>
struct boundary_view {
  const link* links;
  const R* second;
  std::size_t walls, moving, obstacles, curved;
  const link* ghosts;
  const std::uint64_t* images;
  std::size_t copies;
  const std::uint64_t* inflow;
  const R* inflow_velocity;
  const R* inflow_slope;
  std::size_t inflows;
  const std::uint64_t* outflow;
  std::size_t outflows;
  R mean_outflow;  // the velocity with which as much leaves as comes in
  R unit;          // of fixed16

  HD_INLINE std::size_t link_count() const { return walls + moving + obstacles + curved; }
  /// Links and copies, which are independent of each other. Open cells need what they deliver.
  HD_INLINE std::size_t exchanges() const { return link_count() + copies; }
};

/// Puts back what a link has taken. Returns the units of mass that this brings, of fixed16; only an
/// interpolation brings any.
template <class S, class R>
HD_INLINE R reflect(const populations<S>& at, const layout& grid, const boundary_view<R>& all,
                    std::size_t number) {
  const link here = all.links[number];
  const int p = static_cast<int>(here / 2 % 4);
  const bool is_against = here % 2 != 0;
  const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(here / 8);
  const S* const left = is_against ? at.ahead[p] : at.own[p];
  S* const back = is_against ? at.own[p] : at.ahead[p];
  if (number < all.walls) {
    back[place] = left[place];
    return 0;
  }
  number -= all.walls;
  if (number < all.moving) {
    back[place] = encode<S>(decode(left[place], all.unit) - all.second[number], all.unit);
    return 0;
  }
  if (number < all.moving + all.obstacles) {
    back[place] = left[place];
    return 0;
  }
  // The population after this cell's own came from the next cell away from the wall.
  const std::ptrdiff_t behind = is_against ? place + grid.step(p) : place - grid.step(p);
  const R q = all.second[number - all.obstacles];
  const R mine = decode(left[place], all.unit);
  R value;
  if (q < R(0.5)) {
    value = R(2) * q * mine + (1 - R(2) * q) * decode(left[behind], all.unit);
  } else {
    const R part = R(0.5) / q;
    value = part * mine + (1 - part) * decode(back[behind], all.unit);
  }
  back[place] = encode<S>(value, all.unit);
  if constexpr (is_fixed<S>) return unbounded_units(value, all.unit) - R(left[place].steps);
  return 0;
}

template <class S, class R>
HD_INLINE void copy_across(const populations<S>& at, const boundary_view<R>& all, std::size_t number) {
  const link ghost = all.ghosts[number];
  const int p = static_cast<int>(ghost / 2 % 4);
  const std::uint64_t place = ghost / 8, image = all.images[number];
  at.own[p][image] = at.own[p][place];
  at.ahead[p][place] = at.ahead[p][image];
}

/// A link, or after all of them a copy. Returns the units of mass that this brings, of fixed16.
template <class S, class R>
HD_INLINE R exchange_at(const populations<S>& at, const layout& grid, const boundary_view<R>& all,
                        std::size_t number) {
  const std::size_t links = all.link_count();
  if (number < links) return reflect(at, grid, all, number);
  copy_across(at, all, number - links);
  return 0;
}

struct force {
  double x = 0, y = 0;
};

/// The momentum that a link of an obstacle has taken: of the population that left and of the one that came
/// back. At a wall half-way both are the same, and an open end may have written over the second one since.
template <class S>
HD_INLINE force momentum_taken(const populations<S>& at, link here, bool is_half_way, arithmetic<S> unit) {
  const int p = static_cast<int>(here / 2 % 4);
  const bool is_against = here % 2 != 0;
  const double along = static_cast<double>(decode(at.own[p][here / 8], unit)),
               against = static_cast<double>(decode(at.ahead[p][here / 8], unit));
  const double both = is_half_way ? 2 * (is_against ? against : along) : along + against;
  const double part = is_against ? -both : both;
  return {pair_x(p) * part, pair_y(p) * part};
}

template <class S>
HD_INLINE void read_cell(const populations<S>& at, const layout& grid, std::ptrdiff_t place,
                         arithmetic<S> (&g)[velocities], arithmetic<S> unit) {
  for (int i = 0; i < velocities; ++i) g[i] = decode(at.of(grid, place, i), unit);
}
template <class S>
HD_INLINE void write_cell(const populations<S>& at, const layout& grid, std::ptrdiff_t place,
                          const arithmetic<S> (&g)[velocities], arithmetic<S> unit) {
  for (int i = 0; i < velocities; ++i) at.of(grid, place, i) = encode<S>(g[i], unit);
}

/// The sum of the known populations of an outflow's cell, f_0 + f_y + f_−y + 2·(those that leave):
/// density times velocity, plus the excess of density.
template <class S, class R>
HD_INLINE R leaving_at(const populations<S>& at, const layout& grid, const boundary_view<R>& all,
                       std::size_t number) {
  const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(all.outflow[number]);
  const auto g = [&](int i) { return decode(at.of(grid, place, i), all.unit); };
  return g(0) + (g(3) + g(4)) + R(2) * (g(1) + (g(5) + g(7)));
}

/// The excess of density of an outflow that reflects no sound, of the mean of leaving_at. What flows out is
/// on average what flows in, whatever vortices pass; a difference is a plane wave of sound that arrives, in
/// which the excess of density is that of velocity over the speed of sound.
template <class R>
HD_INLINE R outflow_excess(R mean_leaving, const boundary_view<R>& all) {
  return (mean_leaving - all.mean_outflow) / (1 + R(speed_of_sound));
}

/// Units of mass that an open cell's own populations make way for: those that arrived from the grid, and
/// those that it has sent out of it, which are where none arrives.
HD_INLINE int units_at_end(const populations<fixed16>& at, const layout& grid, std::ptrdiff_t place,
                           bool is_inflow) {
  int units = at.rest[place].steps;
  for (int p = 0; p < pairs; ++p) {
    const fixed16* const here = pair_x(p) == 0 || !is_inflow ? at.own[p] : at.ahead[p];
    const fixed16* const there = pair_x(p) == 0 || is_inflow ? at.ahead[p] : at.own[p];
    units += here[place].steps + there[place + grid.step(p)].steps;
  }
  return units;
}

/// An inflow or an outflow: all nine populations of the cell get a density and a velocity. At an inflow the
/// velocity is given, the density follows from the populations that are known (Q. Zou and X. He, Phys. Fluids
/// 9 (1997) 1591), and the second moments of what is not equilibrium are those of the velocity's slope (J.
/// Latt et al., Phys. Rev. E 77 (2008) 056703). At an outflow the density is given, the velocity and the
/// second moments of what is not equilibrium are those of the cell before it; third ones are left out, which
/// damps what arrives. Without the second ones the cell before it would feel a force where the flow has a
/// slope. Returns the units of mass that this brings, of fixed16.
template <class S, class R>
HD_INLINE R open_at(const populations<S>& at, const layout& grid, const boundary_view<R>& all,
                    const rates<R>& given, R excess, std::size_t number) {
  const bool is_inflow = number < all.inflows;
  R g[velocities];
  moments<R> of{0, 0, 0};
  R not_xx = 0, not_yy = 0, not_xy = 0;
  std::ptrdiff_t place;
  if (is_inflow) {
    place = static_cast<std::ptrdiff_t>(all.inflow[number]);
    const auto known = [&](int i) { return decode(at.of(grid, place, i), all.unit); };
    const R level = known(0) + (known(3) + known(4)), leaving = known(2) + (known(6) + known(8));
    of.ux = all.inflow_velocity[number];
    of.excess = (level + R(2) * leaving + of.ux) / (1 - of.ux);
    // −2 c_s² ρ τ S.
    not_xy = R(-1.0 / 3) * given.tau * (1 + of.excess) * all.inflow_slope[number];
  } else {
    place = static_cast<std::ptrdiff_t>(all.outflow[number - all.inflows]);
    read_cell<S>(at, grid, place - 1, g, all.unit);
    of = moments_of(g, given);
    stresses(g, of, not_xx, not_yy, not_xy);
    of.excess = excess;
  }
  near_equilibrium(g, of, not_xx, not_yy, not_xy);
  R brought = 0;
  if constexpr (is_fixed<S>) {
    brought = -R(units_at_end(at, grid, place, is_inflow));
    for (int i = 0; i < velocities; ++i) brought += unbounded_units(g[i], all.unit);
  }
  write_cell<S>(at, grid, place, g, all.unit);
  return brought;
}

}  // namespace heddle::lbm
