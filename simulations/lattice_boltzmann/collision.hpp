#pragma once

#include "lattice_boltzmann/storage.hpp"

#include <type_traits>

/// Collisions, on one cell or on a register of cells: V is a number or a vector of numbers, R the number.
/// Populations are deviations from the rest state, in the order of lattice.hpp.
namespace heddle::lbm {

/// The arguments of a collision besides the populations.
template <class R>
struct rates {
  R even = 1;  ///< 1/τ: of the parts that are alike in opposite directions; it sets the viscosity (τ − 1/2)/3
  R odd = 1;   ///< of the parts that are opposite
  R magic = 0;  ///< (1/even − 1/2)·(1/odd − 1/2), where it stays while `even` changes; 0 keeps odd = even
  R tau = 1;    ///< 1/even
  R eddy = 0;   ///< 18·√2·C², C being Smagorinsky's constant
  R force_x = 0, force_y = 0;  ///< on a cell of density 1
  R kick_x = 0, kick_y = 0;    ///< of fixed16: the momentum of this step in units, on average the force
  R unit = 1, units = 1;       ///< of fixed16: what its integers count, and how many of those make 1
};

enum class collision_kind { two_rates, regularized };

/// Σ g, Σ c_x g, Σ c_y g: of density less 1 and of momentum.
template <class V>
HD_INLINE void sums(const V (&g)[velocities], V& mass, V& momentum_x, V& momentum_y) {
  const V across = g[5] - g[6], down = g[7] - g[8];
  mass = g[0] + (((g[1] + g[2]) + (g[3] + g[4])) + ((g[5] + g[6]) + (g[7] + g[8])));
  momentum_x = (g[1] - g[2]) + (across + down);
  momentum_y = (g[3] - g[4]) + (across - down);
}

/// The populations of nine raw moments: Σg, Σc_x g, Σc_y g, Σc_x² g, Σc_y² g, Σc_x c_y g, Σc_x² c_y g, Σc_x
/// c_y² g and Σc_x² c_y² g.
template <class V, class R>
HD_INLINE void from_moments(V (&g)[velocities], V m, V x, V y, V xx, V yy, V xy, V xxy, V xyy, V xxyy, R) {
  constexpr R half = R(0.5), quarter = R(0.25);
  g[0] = (m - xx - yy) + xxyy;
  const V even_x = xx - xxyy, odd_x = x - xyy, even_y = yy - xxyy, odd_y = y - xxy;
  g[1] = half * (even_x + odd_x);
  g[2] = half * (even_x - odd_x);
  g[3] = half * (even_y + odd_y);
  g[4] = half * (even_y - odd_y);
  const V same = xxyy + xy, other = xxyy - xy, sum = xxy + xyy, difference = xyy - xxy;
  g[5] = quarter * (same + sum);
  g[6] = quarter * (same - sum);
  g[7] = quarter * (other + difference);
  g[8] = quarter * (other - difference);
}

/// Density and momentum of a cell, and what a collision computes from them. In units of the populations,
/// but for the velocity.
template <class V, class R>
struct flow_of_cell {
  V mass, x, y;  ///< density less 1, and momentum before the force
  R force_x, force_y;
  V middle_x, middle_y;         ///< momentum in the middle of the step
  V volume;                     ///< momentum in units times this is velocity
  V ux, uy;                     ///< velocity in the middle of the step
  V flux_xx, flux_yy, flux_xy;  ///< second moments of equilibrium, less the pressure
};
template <bool General, class V, class R, class Math>
HD_INLINE flow_of_cell<V, R> flow_of(const V (&g)[velocities], const rates<R>& given, const Math& math,
                                     R unit, R units) {
  flow_of_cell<V, R> flow;
  sums(g, flow.mass, flow.x, flow.y);
  flow.volume = math.inverse(flow.mass * unit + R(1)) * unit;
  flow.force_x = given.force_x * units;
  flow.force_y = given.force_y * units;
  flow.middle_x = flow.x;
  flow.middle_y = flow.y;
  if constexpr (General) {
    flow.middle_x = flow.x + R(0.5) * flow.force_x;
    flow.middle_y = flow.y + R(0.5) * flow.force_y;
  }
  flow.ux = flow.middle_x * flow.volume;
  flow.uy = flow.middle_y * flow.volume;
  flow.flux_xx = flow.middle_x * flow.ux;
  flow.flux_yy = flow.middle_y * flow.uy;
  flow.flux_xy = flow.middle_x * flow.uy;
  return flow;
}

/// The sums of the populations of each pair.
template <class V>
struct pair_sums {
  V x, y, up, down;
  HD_INLINE explicit pair_sums(const V (&g)[velocities])
      : x(g[1] + g[2]), y(g[3] + g[4]), up(g[5] + g[6]), down(g[7] + g[8]) {}
};

template <class V>
struct second_moments {
  V xx{}, yy{}, xy{};
};
/// The second moments of what is not equilibrium.
template <class V, class R>
HD_INLINE second_moments<V> not_equilibrium(const pair_sums<V>& sum, const flow_of_cell<V, R>& flow) {
  const V diagonal = sum.up + sum.down;
  return {sum.x + diagonal - (flow.mass * R(1.0 / 3) + flow.flux_xx),
          sum.y + diagonal - (flow.mass * R(1.0 / 3) + flow.flux_yy), sum.up - sum.down - flow.flux_xy};
}

/// Sets both rates to those of Smagorinsky's eddy viscosity, found from the second moments of what is not
/// equilibrium (S. Hou et al., Fields Inst. Commun. 6 (1996) 151).
template <class V, class R, class Math>
HD_INLINE void set_eddy_rates(V& even, V& odd, const second_moments<V>& neq, const V& volume,
                              const rates<R>& given, const Math& math) {
  const V stress = math.root(neq.xx * neq.xx + neq.yy * neq.yy + R(2) * (neq.xy * neq.xy));
  const V tau = R(0.5) * (given.tau + math.root(given.tau * given.tau + given.eddy * stress * volume));
  even = math.inverse(tau);
  odd = given.magic > 0 ? math.inverse(R(0.5) + given.magic * math.inverse(tau - R(0.5))) : even;
}

/// Adds the body force of a step to the even and the odd part of each pair (Z. Guo, C. Zheng and B. Shi,
/// Phys. Rev. E 65 (2002) 046308).
template <class V, class R>
HD_INLINE void add_force(V (&g)[velocities], const flow_of_cell<V, R>& flow, const V& even, const V& odd) {
  const R fx = flow.force_x, fy = flow.force_y;
  const V ux = flow.ux, uy = flow.uy;
  const V even_part = R(1) - R(0.5) * even, odd_part = R(1) - R(0.5) * odd;
  const V power = R(3) * (ux * fx + uy * fy);
  g[0] = g[0] - even_part * (R(4.0 / 9) * power);
  const V even_force[pairs] = {even_part * (R(1.0 / 9) * (R(9) * (ux * fx) - power)),
                               even_part * (R(1.0 / 9) * (R(9) * (uy * fy) - power)),
                               even_part * (R(1.0 / 36) * (R(9) * ((ux + uy) * (fx + fy)) - power)),
                               even_part * (R(1.0 / 36) * (R(9) * ((ux - uy) * (fx - fy)) - power))};
  const V odd_force[pairs] = {odd_part * (R(1.0 / 3) * fx), odd_part * (R(1.0 / 3) * fy),
                              odd_part * (R(1.0 / 12) * (fx + fy)), odd_part * (R(1.0 / 12) * (fx - fy))};
  for (int p = 0; p < pairs; ++p) {
    g[2 * p + 1] = g[2 * p + 1] + (even_force[p] + odd_force[p]);
    g[2 * p + 2] = g[2 * p + 2] + (even_force[p] - odd_force[p]);
  }
}

/// Relaxes the even and the odd part of each pair at rates of their own.
template <bool General, class V, class R>
HD_INLINE void relax_pairs(V (&g)[velocities], const flow_of_cell<V, R>& flow, const pair_sums<V>& sum,
                           const V& even, const V& odd) {
  const V at_rest = flow.mass - R(1.5) * (flow.flux_xx + flow.flux_yy);
  const V along_up = flow.flux_xx + flow.flux_yy + R(2) * flow.flux_xy,
          along_down = flow.flux_xx + flow.flux_yy - R(2) * flow.flux_xy;
  // How far each pair's sum and difference are from equilibrium.
  const V from_rest = R(4.0 / 9) * at_rest - g[0];
  const V from_even[pairs] = {R(2.0 / 9) * (at_rest + R(4.5) * flow.flux_xx) - sum.x,
                              R(2.0 / 9) * (at_rest + R(4.5) * flow.flux_yy) - sum.y,
                              R(1.0 / 18) * (at_rest + R(4.5) * along_up) - sum.up,
                              R(1.0 / 18) * (at_rest + R(4.5) * along_down) - sum.down};
  const V from_odd[pairs] = {R(2.0 / 3) * flow.middle_x - (g[1] - g[2]),
                             R(2.0 / 3) * flow.middle_y - (g[3] - g[4]),
                             R(1.0 / 6) * (flow.middle_x + flow.middle_y) - (g[5] - g[6]),
                             R(1.0 / 6) * (flow.middle_x - flow.middle_y) - (g[7] - g[8])};
  if constexpr (General) add_force(g, flow, even, odd);
  g[0] = g[0] + even * from_rest;
  for (int p = 0; p < pairs; ++p) {
    if constexpr (std::is_same_v<V, R>) {
      // A GPU waits for memory, not for this: for the sum of both changes it needs fewer registers.
      const V even_change = even * from_even[p], odd_change = odd * from_odd[p];
      g[2 * p + 1] = g[2 * p + 1] + R(0.5) * (even_change + odd_change);
      g[2 * p + 2] = g[2 * p + 2] + R(0.5) * (even_change - odd_change);
    } else {
      const V half_even = R(0.5) * even, half_odd = R(0.5) * odd;
      g[2 * p + 1] = (g[2 * p + 1] + half_odd * from_odd[p]) + half_even * from_even[p];
      g[2 * p + 2] = (g[2 * p + 2] - half_odd * from_odd[p]) + half_even * from_even[p];
    }
  }
}

/// The second moments after a collision: those of equilibrium, what is kept of the others, and the force.
template <bool General, class V, class R>
HD_INLINE second_moments<V> relaxed(const flow_of_cell<V, R>& flow, const second_moments<V>& kept,
                                    const V& even) {
  second_moments<V> second{flow.flux_xx + kept.xx, flow.flux_yy + kept.yy, flow.flux_xy + kept.xy};
  if constexpr (General) {
    const R fx = flow.force_x, fy = flow.force_y;
    const V part = R(1) - R(0.5) * even;
    second.xx = second.xx + part * (R(2) * (flow.ux * fx));
    second.yy = second.yy + part * (R(2) * (flow.uy * fy));
    second.xy = second.xy + part * (flow.ux * fy + flow.uy * fx);
  }
  return second;
}

/// Sets the populations by their moments, of which the third and fourth follow from the lower ones.
template <bool General, class V, class R>
HD_INLINE void regularize(V (&g)[velocities], const flow_of_cell<V, R>& flow, const second_moments<V>& kept,
                          const second_moments<V>& second) {
  const V mass = flow.mass, ux = flow.ux, uy = flow.uy;
  V x = flow.x, y = flow.y;
  if constexpr (General) {
    x = x + flow.force_x;
    y = y + flow.force_y;
  }
  const V third_xxy = flow.flux_xx * uy + (R(2) * (ux * kept.xy) + uy * kept.xx);
  const V third_xyy = flow.flux_yy * ux + (R(2) * (uy * kept.xy) + ux * kept.yy);
  const V fourth =
      flow.flux_xx * (uy * uy) + ((uy * uy) * kept.xx + (ux * ux) * kept.yy + R(4) * ((ux * uy) * kept.xy));
  from_moments(g, mass, x, y, mass * R(1.0 / 3) + second.xx, mass * R(1.0 / 3) + second.yy, second.xy,
               y * R(1.0 / 3) + third_xxy, x * R(1.0 / 3) + third_xyy,
               mass * R(1.0 / 9) + (second.xx + second.yy) * R(1.0 / 3) + fourth, R());
}

/// One collision.
///
/// two_rates    relaxes the even and the odd part of each pair at rates of their own (I. Ginzburg,
///              F. Verhaeghe and D. d'Humières, Commun. Comput. Phys. 3 (2008) 427); with one rate it is
///              BGK's
/// regularized  keeps of what is not equilibrium the second moments alone, and gives the third and fourth the
///              values that follow from them (O. Malaspinas, arXiv:1505.06900), with the equilibrium to
///              fourth order
///
/// `General` adds the body force and the eddy viscosity. `math` has square roots and inverses on V.
/// Populations are in multiples of `unit`, of which `units` make 1.
template <collision_kind Kind, bool General, class V, class R, class Math>
HD_INLINE void collide(V (&g)[velocities], const rates<R>& given, const Math& math, R unit, R units) {
  const flow_of_cell<V, R> flow = flow_of<General>(g, given, math, unit, units);
  const pair_sums<V> sum(g);
  second_moments<V> neq;
  if constexpr (General || Kind == collision_kind::regularized) neq = not_equilibrium(sum, flow);
  V even = V{} + given.even, odd = V{} + given.odd;
  if constexpr (General) {
    if (given.eddy > 0) set_eddy_rates(even, odd, neq, flow.volume, given, math);
  }
  if constexpr (Kind == collision_kind::two_rates) {
    relax_pairs<General>(g, flow, sum, even, odd);
  } else {
    const V stays = R(1) - even;
    const second_moments<V> kept{stays * neq.xx, stays * neq.yy, stays * neq.xy};
    regularize<General>(g, flow, kept, relaxed<General>(flow, kept, even));
  }
}

/// One collision of fixed16, in its units and to whole ones: mass stays to the last of them, and so does
/// momentum but for the step's share of the force.
template <collision_kind Kind, bool General, class V, class I, class Math>
HD_INLINE void collide_units(V (&g)[velocities], const rates<float>& given, const Math& math,
                             I (&units)[velocities]) {
  V mass, x, y;
  sums(g, mass, x, y);
  collide<Kind, General>(g, given, math, given.unit, given.units);
  if constexpr (General) {
    x = x + given.kick_x;
    y = y + given.kick_y;
  }
  for (int i = 1; i < velocities; ++i) units[i] = math.rounded(g[i]);
  conserve(units, math.rounded(mass), math.rounded(x), math.rounded(y));
}

/// Density less 1, and the velocity in the middle of the step's force.
template <class R>
struct moments {
  R excess, ux, uy;
};
template <class R>
HD_INLINE moments<R> moments_of(const R (&g)[velocities], const rates<R>& given) {
  R mass, x, y;
  sums(g, mass, x, y);
  const R density = 1 + mass;
  return {mass, (x + R(0.5) * given.force_x) / density, (y + R(0.5) * given.force_y) / density};
}

/// Whether a flow can have this excess of density over 1 and this momentum: it is slower than sound, and so
/// its density within 1 of that at rest, since a wave of sound in which they differ by a part has that part
/// of the speed of sound. What is no number is none. V is a number or a register of numbers.
template <class R, class V>
HD_INLINE auto is_a_flow(V excess, V momentum_x, V momentum_y) {
  const V density = excess + R(1);
  return (momentum_x * momentum_x + momentum_y * momentum_y < density * density * R(1.0 / 3)) &
         (excess > R(-1)) & (excess < R(1));
}

/// Whether a cell has blown up, or left the range of its storage.
template <class S>
HD_INLINE bool is_bad(const arithmetic<S> (&g)[velocities], const rates<arithmetic<S>>& given) {
  using R = arithmetic<S>;
  R mass, x, y;
  sums(g, mass, x, y);
  bool bad = !is_a_flow<R>(mass, x + R(0.5) * given.force_x, y + R(0.5) * given.force_y);
  if constexpr (is_fixed<S>) {
    const R most = R(fixed16_largest) * given.unit;
    for (int i = 0; i < velocities; ++i) bad = bad || g[i] >= most || g[i] <= -most;
  }
  return bad;
}

/// Second moments of what is not equilibrium.
template <class R>
HD_INLINE void stresses(const R (&g)[velocities], const moments<R>& of, R& not_xx, R& not_yy, R& not_xy) {
  const R density = 1 + of.excess, pressure = of.excess * R(1.0 / 3);
  const R diagonal = (g[5] + g[6]) + (g[7] + g[8]);
  not_xx = (g[1] + g[2]) + diagonal - (pressure + density * of.ux * of.ux);
  not_yy = (g[3] + g[4]) + diagonal - (pressure + density * of.uy * of.uy);
  not_xy = (g[5] + g[6]) - (g[7] + g[8]) - density * of.ux * of.uy;
}

/// Populations of a density, a velocity and second moments of what is not equilibrium, to second order.
template <class R>
HD_INLINE void near_equilibrium(R (&g)[velocities], const moments<R>& of, R not_xx, R not_yy, R not_xy) {
  const R density = 1 + of.excess;
  const R speed = R(1.5) * (of.ux * of.ux + of.uy * of.uy);
  g[0] = R(4.0 / 9) * (of.excess - density * speed) - R(2.0 / 3) * (not_xx + not_yy);
  for (int p = 0; p < pairs; ++p) {
    const R w = static_cast<R>(pair_weight(p));
    const R cx = static_cast<R>(pair_x(p)), cy = static_cast<R>(pair_y(p));
    const R cu = cx * of.ux + cy * of.uy;
    const R stress = R(4.5) * ((cx * cx - R(1.0 / 3)) * not_xx + (cy * cy - R(1.0 / 3)) * not_yy +
                               R(2) * (cx * cy) * not_xy);
    const R even = w * (of.excess + density * (R(4.5) * cu * cu - speed) + stress),
            odd = w * density * R(3) * cu;
    g[2 * p + 1] = even + odd;
    g[2 * p + 2] = even - odd;
  }
}

}  // namespace heddle::lbm
