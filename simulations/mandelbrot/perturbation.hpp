#pragma once

#include <heddle/compiler.hpp>

#include <cstdint>

/// Points near a reference orbit: what is iterated is how far they are from it.
///
/// Z is the orbit of a reference C, computed with as many digits as it takes, and stored in double. For a
/// point C + e the orbit is z = Z + u, with u' = 2·Z·u + u² + e = (Z + z)·u + e (K. I. Martin,
/// "SuperFractalThing Maths", 2013). Where |z| < |u|, or where Z ends, the point goes on beside the beginning
/// of the reference: Z = 0, u = z ("rebasing", Zhuoran on fractalforums.org, 2021). Without that z is the
/// difference of two numbers that are nearly the same, and whole regions get wrong counts, which are known as
/// glitches.
///
/// e and u are multiples of a power of two that is about the size of the picture: so nothing underflows, and
/// at 10⁻³⁰⁰ nothing overflows either, since |u| < 2²¹.
namespace heddle::mandelbrot {

struct complex_double {
  double re = 0, im = 0;
};

/// Several iterations as one: u becomes a·u + b·e where neither |re u| nor |im u| reaches the radius. There
/// every u² that is left out is less than half of the last bit of 2·Z·u beside it (C. Heiland-Allen, "Deep
/// zoom theory and practice", 2021: bivariate linear approximation).
struct linear_steps {
  complex_double a, b;
  double radius = 0;
};

/// A reference orbit as kernels read it.
struct reference_view {
  /// The first level takes 2^first_level iterations at once: for fewer it is not worth looking.
  static constexpr std::uint32_t first_level = 3, most_levels = 28;

  const complex_double* z;  // Z_0 = 0 … Z_last
  std::uint32_t last;
  // Element j of level k takes 2^(first_level + k) iterations from Z_(1 + j·2^(first_level + k)) on.
  const linear_steps* steps;
  std::uint32_t levels;
  std::uint64_t level_begin[most_levels];
  double largest_radius;  // of all linear steps
  double unit, per_unit;  // the power of two and its inverse
};

/// Smooth colours take a point as far out: there log2(log2 |z|) grows by one with every iteration.
inline constexpr int further_iterations = 5;

/// |z|² so many iterations after the escape.
HD_INLINE double norm_beyond(double x, double y, double re, double im) {
  for (int i = 0; i < further_iterations; ++i) {
    const double xy = x * y, next = (x * x - y * y) + re;
    y = (xy + xy) + im;
    x = next;
  }
  return x * x + y * y;
}

HD_INLINE double larger_part(double re, double im) {
  const double a = re < 0 ? -re : re, b = im < 0 ? -im : im;
  return a < b ? b : a;
}

/// A point on its way beside a reference.
struct perturbed_point {
  double re, im;          // e, in units
  double ux = 0, uy = 0;  // u, in units
  double x = 0, y = 0;    // z
  double old_x = 0, old_y = 0;
  std::uint32_t m = 0, n = 0;  // z_n = Z_m + u
  std::uint32_t rebased = 0;
};

enum class fate : unsigned char { goes_on, escapes, stays };

/// The level of the longest linear steps that a point can take; −1 where it can take none.
HD_INLINE int level_at(const reference_view& reference, const perturbed_point& p, std::uint32_t limit) {
  int level = -1;
  if (p.m == 0) return level;
  std::uint64_t at = (p.m - 1) >> reference_view::first_level;
  if (at << reference_view::first_level != p.m - 1) return level;
  const double size = larger_part(p.ux, p.uy);
  const std::uint32_t most = limit - p.n < reference.last - p.m ? limit - p.n : reference.last - p.m;
  std::uint32_t length = 1U << reference_view::first_level;
  for (std::uint32_t k = 0; k < reference.levels && length <= most; ++k) {
    if (!(size < reference.steps[reference.level_begin[k] + at].radius)) break;
    level = static_cast<int>(k);
    if ((at & 1) != 0) break;
    at >>= 1;
    length <<= 1;
  }
  return level;
}

/// One iteration where the level is −1, or linear steps.
HD_INLINE void advance(const reference_view& reference, perturbed_point& p, int level) {
  complex_double a = {reference.z[p.m].re + p.x, reference.z[p.m].im + p.y}, b = {1, 0};
  std::uint32_t length = 1;
  if (level >= 0) {
    const std::uint32_t shift = reference_view::first_level + static_cast<std::uint32_t>(level);
    const linear_steps& steps = reference.steps[reference.level_begin[level] + ((p.m - 1) >> shift)];
    a = steps.a;
    b = steps.b;
    length = 1U << shift;
  }
  const double next = (a.re * p.ux - a.im * p.uy) + (b.re * p.re - b.im * p.im);
  p.uy = (a.re * p.uy + a.im * p.ux) + (b.re * p.im + b.im * p.re);
  p.ux = next;
  p.m += length;
  p.n += length;
  p.x = reference.z[p.m].re + p.ux * reference.unit;
  p.y = reference.z[p.m].im + p.uy * reference.unit;
}

/// The fate of a point that has advanced; the point continues beside the reference's beginning if it must.
HD_INLINE fate settle(const reference_view& reference, perturbed_point& p, std::uint32_t limit) {
  if (p.x * p.x + p.y * p.y >= 4) return fate::escapes;
  if (p.n == limit) return fate::stays;
  const double size = larger_part(p.ux * reference.unit, p.uy * reference.unit);
  if (!(larger_part(p.x, p.y) < size) && p.m != reference.last) return fate::goes_on;
  p.ux = p.x * reference.per_unit;
  p.uy = p.y * reference.per_unit;
  p.m = 0;
  // From the same number beside the same Z it all comes again (Brent).
  if (p.rebased > 0 && p.ux == p.old_x && p.uy == p.old_y) return fate::stays;
  if ((p.rebased & (p.rebased - 1)) == 0) {
    p.old_x = p.ux;
    p.old_y = p.uy;
  }
  ++p.rebased;
  return fate::goes_on;
}

/// norm_beyond of a point that escapes.
HD_INLINE double norm_beyond(const reference_view& reference, const perturbed_point& p) {
  return norm_beyond(p.x, p.y, reference.z[1].re + p.re * reference.unit,
                     reference.z[1].im + p.im * reference.unit);
}

/// The count of C + (re, im)·unit: that of exact arithmetic, but for what roundings of u and e amount to,
/// which is less than 10⁻¹⁰ of a pixel. `beyond`, if it is not null, gets norm_beyond of what escapes.
HD_INLINE std::uint32_t escape_count_near(const reference_view& reference, double re, double im,
                                          std::uint32_t limit, double* beyond) {
  perturbed_point p{re, im};
  if (limit == 0) return limit;
  for (;;) {
    advance(reference, p, level_at(reference, p, limit));
    const fate what = settle(reference, p, limit);
    if (what == fate::stays) return limit;
    if (what == fate::goes_on) continue;
    if (beyond != nullptr) *beyond = norm_beyond(reference, p);
    return p.n - 1;
  }
}

}  // namespace heddle::mandelbrot
