#pragma once

#include <heddle/compiler.hpp>

#include <cstdint>

/// The one function behind every picture of the Mandelbrot set.
namespace heddle::mandelbrot {

/// The count of c = (re, im): from z = 0, for i = 0, 1, … limit − 1, z becomes z² + c, and the count is the
/// first i with |z|² ≥ 4, or the limit. Rounded as written: x² − y² + re and 2·(x·y) + im; a fused 2·t + im
/// is the same, since 2·t is exact.
template <class T>
HD_INLINE std::uint32_t escape_count(T re, T im, std::uint32_t limit) {
  T x = 0, y = 0, xx = 0, yy = 0;
  for (std::uint32_t i = 0; i < limit; ++i) {
    const T xy = x * y;
    x = (xx - yy) + re;
    y = (xy + xy) + im;
    xx = x * x;
    yy = y * y;
    if (xx + yy >= T(4)) return i;
  }
  return limit;
}

/// How far inside the main cardioid and the period-2 disc a point must be for its count to be known without
/// iterating.
///
/// In the cardioid, c = λ/2 − λ²/4 and z² + c has the attracting fixed point λ/2 with multiplier λ; let
/// δ = 1 − |λ|. On the fixed point's basin U the map is conjugate to the Blaschke product
/// B(w) = w·(w + λ)/(1 + λ̄·w), whose critical point has modulus ρ = (1 − √(1 − |λ|²))/|λ|, and |B(w)| stays
/// below r by r·(1 − r)·δ/2 on |w| ≤ r for every r in [ρ, 1). An error e of z, a few roundings, moves w by at
/// most 16·e/((1 − ρ)·δ), by Koebe's theorem and because the disc of radius δ about the fixed point lies in
/// U. So e ≤ ρ·(1 − ρ)²·δ²/32 keeps the rounded orbit of 0 in U for ever, where |z| < 2. With |z| ≤ 3/2
/// there, e ≤ 7.1·2⁻²⁴ in float and 7.1·2⁻⁵³ in double; δ = 1/40 and 10⁻⁴ leave room for 6.4·10⁻⁷ and
/// 6·10⁻¹⁴.
///
/// In the period-2 disc λ = 4·(c + 1), and the same holds for two steps at a time, with an error of
/// 40·2⁻²⁴ or 40·2⁻⁵³ and a disc of δ/3.7 about the periodic point: δ = 1/12 and 3·10⁻⁴ do.
template <class T>
inline constexpr T cardioid_multiplier = sizeof(T) == 4 ? T(0.975) : T(0.9999);
template <class T>
inline constexpr T disc_multiplier = sizeof(T) == 4 ? T(11.0 / 12) : T(0.9997);

/// Whether c = (re, im) lies that far inside. In the cardioid λ = 1 − s with s = √(1 − 4c), so with m = |1 −
/// 4c| the test |λ|² ≤ ρ² is 1 + m − ρ² ≤ 2·Re s = √(2·(m + Re(1 − 4c))), which needs m² alone once it is
/// squared and put in order.
template <class T>
HD_INLINE bool is_inside(T re, T im) {
  constexpr T square = cardioid_multiplier<T> * cardioid_multiplier<T>, rest = T(1) - square;
  constexpr T radius = disc_multiplier<T> / 4;
  const T left = re + T(1), above = im * im;
  const T a = T(1) - T(4) * re;
  const T mm = a * a + T(16) * above;
  const T side = mm + (rest * rest - T(2) * a);
  return (left * left + above <= radius * radius) | (side <= T(0)) |
         (side * side <= T(4) * square * square * mm);
}

}  // namespace heddle::mandelbrot
