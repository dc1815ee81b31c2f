#pragma once

#include "lattice_boltzmann/lattice.hpp"

#include <cstdint>
#include <type_traits>

/// How populations are kept. Each is kept as its deviation from the rest state, f_i − w_i, which is small
/// where the flow is slow: float keeps digits that it would lose beside w_i (P. Skordos, Phys. Rev. E 48
/// (1993) 4823; M. Lehmann et al., Phys. Rev. E 106 (2022) 015308).
namespace heddle::lbm {

/// 16 bits: a multiple of a unit, which is 2^−18 or less, see settings::fraction_bits. A fixed point has one
/// error everywhere, half a unit: at 2^−18 a quarter of that of an IEEE half at 0.03, where the populations
/// along a flow of speed 0.1 are; and integers let rounding conserve mass and momentum exactly, see
/// conserve(), within a range of ±32767 units. At 2^−18 that is speeds up to 0.29.
struct fixed16 {
  std::int16_t steps;
};
inline constexpr float fixed16_largest = 32767;

/// The type that computes.
template <class S>
using arithmetic = std::conditional_t<std::is_same_v<S, double>, double, float>;

/// Whether a type's rounding is a part of the method.
template <class S>
inline constexpr bool is_fixed = std::is_same_v<S, fixed16>;

/// The nearest integer of |x| < 2^22, by the rounding of an addition.
template <class V>
HD_INLINE V nearest(V x) {
  constexpr float large = 12582912;  // 1.5·2^23
  return (x + large) - large;
}

/// Changes populations after a collision, but for the one at rest rounded to whole units, such that mass and
/// momentum are those given, which are whole: what rounding changed goes to the populations along the axes
/// and to the one at rest. V is an integer or a register of integers.
template <class V>
HD_INLINE void conserve(V (&g)[velocities], V mass, V momentum_x, V momentum_y) {
  const V across = g[5] - g[6], down = g[7] - g[8];
  // The differences that the populations along the axes must have.
  const V along_x = momentum_x - (across + down), along_y = momentum_y - (across - down);
  const V missing_x = along_x - (g[1] - g[2]), missing_y = along_y - (g[3] - g[4]);
  // A half each, towards 0.
  g[1] = g[1] + ((missing_x - (missing_x >> 31)) >> 1);
  g[2] = g[1] - along_x;
  g[3] = g[3] + ((missing_y - (missing_y >> 31)) >> 1);
  g[4] = g[3] - along_y;
  g[0] = mass - (((g[1] + g[2]) + (g[3] + g[4])) + ((g[5] + g[6]) + (g[7] + g[8])));
}

/// One population, to and from what is computed with. `unit` is that of fixed16, a power of 2.
template <class S>
HD_INLINE arithmetic<S> decode(S kept, [[maybe_unused]] arithmetic<S> unit) {
  if constexpr (is_fixed<S>) {
    return static_cast<float>(kept.steps) * unit;
  } else {
    return kept;
  }
}
template <class S>
HD_INLINE S encode(arithmetic<S> value, [[maybe_unused]] arithmetic<S> unit) {
  if constexpr (is_fixed<S>) {
    float units = nearest(value / unit);
    units = units < fixed16_largest ? units : fixed16_largest;
    units = units > -fixed16_largest ? units : -fixed16_largest;
    return {static_cast<std::int16_t>(units)};
  } else {
    return value;
  }
}

/// The units that encode() makes of a value, where the range is none.
HD_INLINE float unbounded_units(float value, float unit) {
  return nearest(value / unit);
}

}  // namespace heddle::lbm
