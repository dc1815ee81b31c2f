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
  double unit, per_unit;  // the power of two and its inverse
};

/// The longest linear steps from (m, u) on that end by `most` iterations, in levels from 0; −1 where there
/// are none.
HD_INLINE int level_from(const reference_view& reference, std::uint32_t m, double size, std::uint32_t most) {
  int level = -1;
  if (m == 0) return level;
  std::uint64_t at = (m - 1) >> reference_view::first_level;
  if (at << reference_view::first_level != m - 1) return level;
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

/// The count of C + (re, im)·unit: that of exact arithmetic, but for what roundings of u and e amount to,
/// which is less than 10⁻¹⁰ of a pixel. `beyond`, if it is not null, gets norm_beyond of what escapes.
HD_INLINE std::uint32_t escape_count_near(const reference_view& reference, double re, double im,
                                          std::uint32_t limit, double* beyond) {
  double x = 0, y = 0;    // z
  double ux = 0, uy = 0;  // u, in units
  double old_x = 0, old_y = 0;
  std::uint32_t m = 0, n = 0, rebased = 0;
  while (n < limit) {
    const std::uint32_t most = limit - n < reference.last - m ? limit - n : reference.last - m;
    const int level = level_from(reference, m, larger_part(ux, uy), most);
    complex_double a, b;
    std::uint32_t length = 1;
    if (level < 0) {
      a = {reference.z[m].re + x, reference.z[m].im + y};
      b = {1, 0};
    } else {
      const std::uint32_t shift = reference_view::first_level + static_cast<std::uint32_t>(level);
      const linear_steps& steps = reference.steps[reference.level_begin[level] + ((m - 1) >> shift)];
      a = steps.a;
      b = steps.b;
      length = 1U << shift;
    }
    const double next = (a.re * ux - a.im * uy) + (b.re * re - b.im * im);
    uy = (a.re * uy + a.im * ux) + (b.re * im + b.im * re);
    ux = next;
    m += length;
    n += length;
    const double far_x = ux * reference.unit, far_y = uy * reference.unit;
    x = reference.z[m].re + far_x;
    y = reference.z[m].im + far_y;
    if (x * x + y * y >= 4) {
      if (beyond != nullptr) {
        const complex_double c = reference.z[1];
        *beyond = norm_beyond(x, y, c.re + re * reference.unit, c.im + im * reference.unit);
      }
      return n - 1;
    }
    if (larger_part(x, y) < larger_part(far_x, far_y) || m == reference.last) {
      ux = x * reference.per_unit;
      uy = y * reference.per_unit;
      m = 0;
      // From the same number beside the same Z it all comes again (Brent).
      if (rebased > 0 && ux == old_x && uy == old_y) return limit;
      if ((rebased & (rebased - 1)) == 0) {
        old_x = ux;
        old_y = uy;
      }
      ++rebased;
    }
  }
  return limit;
}

}  // namespace heddle::mandelbrot
