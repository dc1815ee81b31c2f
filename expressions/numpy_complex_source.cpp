#include "expressions/numpy_expression.hpp"

namespace heddle::expressions {

// Values at infinities, NaN, signed zeros and branch cuts are those of Annex G of the C standard. complex64
// is computed in double and rounded once.
const char* const complex_functions = R"(
#if defined(__CUDACC_RTC__)
#define HEDDLE_CALLED static __device__
#else
#define HEDDLE_CALLED static
#endif
#define HEDDLE_HALF_PI 1.57079632679489661923
#define HEDDLE_LN2 0.69314718055994530942

/// scale e^x factor, for a factor of at most 1 that is not 0, where e^x alone may overflow.
HEDDLE_CALLED double heddle_exp_times(double x, double factor, double scale) {
  if (x < 700) return exp(x) * scale * factor;
  const double quarter = exp(x / 4);
  return factor * quarter * quarter * (quarter * scale) * quarter;
}

HEDDLE_CALLED heddle_complex128 heddle_exp(heddle_complex128 z) {
  if (z.im == 0) return heddle_complex128(exp(z.re), z.im);
  if (!heddle_isfinite(z.im)) {
    if (z.re == -heddle_inf()) return heddle_complex128(0, 0);
    return heddle_complex128(z.re == heddle_inf() ? z.re : z.im - z.im, z.im - z.im);
  }
  return heddle_complex128(heddle_exp_times(z.re, cos(z.im), 1), heddle_exp_times(z.re, sin(z.im), 1));
}

HEDDLE_CALLED heddle_complex128 heddle_exp2(heddle_complex128 z) {
  if (z.im == 0) return heddle_complex128(exp2(z.re), z.im);
  return heddle_exp(heddle_complex128(z.re * HEDDLE_LN2, z.im * HEDDLE_LN2));
}

HEDDLE_CALLED heddle_complex128 heddle_expm1(heddle_complex128 z) {
  if (z.im == 0) return heddle_complex128(expm1(z.re), z.im);
  const heddle_complex128 power = heddle_exp(z);
  if (!(z.re < 700) || !heddle_isfinite(z.im)) return heddle_complex128(power.re - 1, power.im);
  const double half_sine = sin(z.im / 2);
  return heddle_complex128(expm1(z.re) * cos(z.im) - 2 * half_sine * half_sine, power.im);
}

/// ln(|1 + t| ^ 2) / 2 with t = 2 x + x^2 + y^2, where the products are exact in pairs and large terms cancel first.
HEDDLE_CALLED double heddle_log_near_one(double twice_x, double x, double y) {
  const double xx = x * x, yy = y * y;
  const double rest = fma(x, x, -xx) + fma(y, y, -yy);
  return 0.5 * log1p(((twice_x + yy) + xx) + rest);
}

HEDDLE_CALLED double heddle_log_abs(double x, double y) {
  x = fabs(x), y = fabs(y);
  const double large = x < y ? y : x, small = x < y ? x : y;
  if (x == heddle_inf() || y == heddle_inf()) return heddle_inf();
  if (x != x || y != y) return x + y;
  if (large > 0x1p1000) return log(hypot(x * 0x1p-10, y * 0x1p-10)) + 10 * HEDDLE_LN2;
  if (large < 0x1p-900) return log(hypot(x * 0x1p200, y * 0x1p200)) - 200 * HEDDLE_LN2;
  const double a = large * large, b = small * small;
  if (a + b <= 0.5 || a + b >= 3) return log(hypot(x, y));
  // a - 1 and what its rounding lost, then b, which may cancel it.
  const double above = a - 1, lost = a - (above + 1);
  return 0.5 * log1p((above + b) + (lost + fma(large, large, -a) + fma(small, small, -b)));
}

HEDDLE_CALLED heddle_complex128 heddle_log(heddle_complex128 z) {
  return heddle_complex128(heddle_log_abs(z.re, z.im), atan2(z.im, z.re));
}
HEDDLE_CALLED heddle_complex128 heddle_log2(heddle_complex128 z) {
  const heddle_complex128 w = heddle_log(z);
  return heddle_complex128(w.re * 1.44269504088896340736, w.im * 1.44269504088896340736);
}
HEDDLE_CALLED heddle_complex128 heddle_log10(heddle_complex128 z) {
  const heddle_complex128 w = heddle_log(z);
  return heddle_complex128(w.re * 0.43429448190325182765, w.im * 0.43429448190325182765);
}
HEDDLE_CALLED heddle_complex128 heddle_log1p(heddle_complex128 z) {
  const bool is_small = fabs(z.re) < 0.5 && fabs(z.im) < 1;
  return heddle_complex128(
      is_small ? heddle_log_near_one(2 * z.re, z.re, z.im) : heddle_log_abs(1 + z.re, z.im), atan2(z.im, 1 + z.re));
}

HEDDLE_CALLED heddle_complex128 heddle_sqrt(heddle_complex128 z) {
  const double x = fabs(z.re), y = fabs(z.im);
  if (y == heddle_inf()) return heddle_complex128(y, z.im);
  if (x == heddle_inf() && z.re > 0) return heddle_complex128(x, z.im != z.im ? z.im : copysign(0.0, z.im));
  if (x == heddle_inf()) return heddle_complex128(z.im != z.im ? z.im : 0, copysign(x, z.im));
  if (x != x || y != y) return heddle_complex128(x + y, x + y);
  const double large = x < y ? y : x;
  if (large == 0) return heddle_complex128(0, z.im);
  // Powers of 4 keep the sum below from overflow and underflow.
  const double scale = large > 0x1p1000 ? 0x1p-4 : large < 0x1p-900 ? 0x1p200 : 1;
  const double back = large > 0x1p1000 ? 0x1p2 : large < 0x1p-900 ? 0x1p-100 : 1;
  const double root = sqrt((x * scale + hypot(x * scale, y * scale)) / 2);
  const double other = y * scale / (2 * root) * back;
  if (z.re < 0) return heddle_complex128(other, copysign(root * back, z.im));
  return heddle_complex128(root * back, copysign(other, z.im));
}

HEDDLE_CALLED heddle_complex128 heddle_sinh(heddle_complex128 z) {
  const double x = fabs(z.re), nan = z.im - z.im;
  if (z.im == 0) return heddle_complex128(sinh(z.re), z.im);
  if (!heddle_isfinite(z.im)) return heddle_complex128(x == 0 || x == heddle_inf() ? z.re : nan, nan);
  if (x < 700) return heddle_complex128(sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im));
  return heddle_complex128(copysign(1.0, z.re) * heddle_exp_times(x, cos(z.im), 0.5),
                           heddle_exp_times(x, sin(z.im), 0.5));
}
HEDDLE_CALLED heddle_complex128 heddle_cosh(heddle_complex128 z) {
  const double x = fabs(z.re), nan = z.im - z.im;
  if (z.im == 0) return heddle_complex128(cosh(z.re), copysign(0.0, z.re) * z.im);
  if (!heddle_isfinite(z.im)) {
    if (x == 0) return heddle_complex128(nan, 0);
    return heddle_complex128(x == heddle_inf() ? x : nan, nan);
  }
  if (x < 700) return heddle_complex128(cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im));
  return heddle_complex128(heddle_exp_times(x, cos(z.im), 0.5),
                           copysign(1.0, z.re) * heddle_exp_times(x, sin(z.im), 0.5));
}
// W. Kahan: Branch cuts for complex elementary functions. The State of the Art in Numerical Analysis (1987).
HEDDLE_CALLED heddle_complex128 heddle_tanh(heddle_complex128 z) {
  const double x = fabs(z.re), nan = z.im - z.im;
  if (z.im == 0) return heddle_complex128(tanh(z.re), z.im);
  if (!heddle_isfinite(z.im)) {
    if (x == heddle_inf()) return heddle_complex128(copysign(1.0, z.re), 0);
    return heddle_complex128(x == 0 ? z.re : nan, nan);
  }
  if (x > 22) return heddle_complex128(copysign(1.0, z.re), 4 * sin(z.im) * cos(z.im) * exp(-2 * x));
  const double t = tan(z.im), beta = 1 + t * t, s = sinh(z.re);
  const double below = 1 + beta * s * s;
  return heddle_complex128(beta * sqrt(1 + s * s) * s / below, t / below);
}
HEDDLE_CALLED heddle_complex128 heddle_sin(heddle_complex128 z) {
  const heddle_complex128 w = heddle_sinh(heddle_complex128(z.im, z.re));
  return heddle_complex128(w.im, w.re);
}
HEDDLE_CALLED heddle_complex128 heddle_cos(heddle_complex128 z) {
  return heddle_cosh(heddle_complex128(-z.im, z.re));
}
HEDDLE_CALLED heddle_complex128 heddle_tan(heddle_complex128 z) {
  const heddle_complex128 w = heddle_tanh(heddle_complex128(z.im, z.re));
  return heddle_complex128(w.im, w.re);
}

/// Of x, y >= 0 the real part of the arc sine or cosine, and the size of the imaginary one.
// T. E. Hull, T. F. Fairgrieve, P. T. P. Tang: Implementing the complex arcsine and arccosine functions using
// exception handling. ACM Transactions on Mathematical Software 23 (1997).
HEDDLE_CALLED heddle_complex128 heddle_arc(double x, double y, bool is_cosine) {
  const double inf = heddle_inf(), above = x + 1, below = x - 1, epsilon = 0x1p-52;
  if (x == inf || y == inf) {
    const double angle = x != x || y != y ? x + y - inf : x == y ? HEDDLE_HALF_PI / 2 : x < y ? 0 : HEDDLE_HALF_PI;
    return heddle_complex128(is_cosine && x != y ? HEDDLE_HALF_PI - angle : angle, inf);
  }
  if (x != x || y != y) return heddle_complex128(x == 0 ? (is_cosine ? HEDDLE_HALF_PI : x) : x + y, x + y);
  const double least = 0x1p-509, most = 0x1p508;
  if (x > least && x < most && y > least && y < most) {
    const double r = hypot(above, y), s = hypot(below, y), a = 0.5 * (r + s), b = x / a, yy = y * y;
    double angle, size;
    if (b <= 0.6417) {
      angle = is_cosine ? acos(b) : asin(b);
    } else {
      // The side opposite to x in a triangle with the angle.
      const double side = x <= 1 ? sqrt(0.5 * (a + x) * (yy / (r + above) + (s - below)))
                                 : y * sqrt(0.5 * ((a + x) / (r + above) + (a + x) / (s + below)));
      angle = is_cosine ? atan(side / x) : atan(x / side);
    }
    if (a <= 1.5) {
      const double excess = x < 1 ? 0.5 * (yy / (r + above) + yy / (s - below)) : 0.5 * (yy / (r + above) + (s + below));
      size = log1p(excess + sqrt(excess * (a + 1)));
    } else {
      size = log(a + sqrt(a * a - 1));
    }
    return heddle_complex128(angle, size);
  }
  if (y <= epsilon * fabs(below) && below != 0) {
    if (x < 1) return heddle_complex128(is_cosine ? acos(x) : asin(x), y / sqrt(above * -below));
    const bool overflows = x > most;
    const double root = overflows ? x : sqrt(above * below);
    return heddle_complex128(is_cosine ? y / root : HEDDLE_HALF_PI - y / root,
                             overflows ? HEDDLE_LN2 + log(x) : log1p(below + root));
  }
  if (y <= least) return heddle_complex128(is_cosine ? sqrt(y) : HEDDLE_HALF_PI - sqrt(y), sqrt(y));
  double angle, size;
  if (epsilon * y - 1 >= x) {
    angle = x / y;
    size = HEDDLE_LN2 + log(y);
  } else if (x > 1) {
    angle = atan(x / y);
    size = HEDDLE_LN2 + log(y) + 0.5 * log1p(x / y * (x / y));
  } else {
    const double a = sqrt(1 + y * y);
    angle = x / a;
    size = 0.5 * log1p(2 * y * (y + a));
  }
  return heddle_complex128(is_cosine ? HEDDLE_HALF_PI - angle : angle, size);
}
HEDDLE_CALLED heddle_complex128 heddle_asin(heddle_complex128 z) {
  const heddle_complex128 w = heddle_arc(fabs(z.re), fabs(z.im), false);
  return heddle_complex128(copysign(w.re, z.re), copysign(w.im, z.im));
}
HEDDLE_CALLED heddle_complex128 heddle_acos(heddle_complex128 z) {
  const heddle_complex128 w = heddle_arc(fabs(z.re), fabs(z.im), true);
  return heddle_complex128(heddle_signbit(z.re) ? 2 * HEDDLE_HALF_PI - w.re : w.re, copysign(w.im, -z.im));
}
HEDDLE_CALLED heddle_complex128 heddle_asinh(heddle_complex128 z) {
  const heddle_complex128 w = heddle_asin(heddle_complex128(z.im, z.re));
  return heddle_complex128(w.im, w.re);
}
HEDDLE_CALLED heddle_complex128 heddle_acosh(heddle_complex128 z) {
  const heddle_complex128 w = heddle_acos(z);
  return heddle_complex128(fabs(w.im), copysign(w.re, z.im));
}
HEDDLE_CALLED heddle_complex128 heddle_atanh(heddle_complex128 z) {
  const double x = fabs(z.re), y = fabs(z.im), large = x < y ? y : x;
  double re, im;
  if (x == 0 || (y == 0 && x <= 1)) {
    re = atanh(x);
    im = atan(y);
  } else if (x == heddle_inf() || y == heddle_inf()) {
    re = 0;
    im = y != y ? y : HEDDLE_HALF_PI;
  } else if (x != x || y != y) {
    re = im = x + y;
  } else if (large > 0x1p54) {
    re = 0.5 * (x / large) / (x / large * (x / 2) + y / large * (y / 2));
    im = HEDDLE_HALF_PI;
  } else {
    re = x == 1 && y < 0x1p-30 ? 0.5 * (HEDDLE_LN2 - log(y)) : 0.25 * log1p(4 * x / ((1 - x) * (1 - x) + y * y));
    im = 0.5 * atan2(2 * y, (1 - x) * (1 + x) - y * y);
  }
  return heddle_complex128(copysign(re, z.re), copysign(im, z.im));
}
HEDDLE_CALLED heddle_complex128 heddle_atan(heddle_complex128 z) {
  const heddle_complex128 w = heddle_atanh(heddle_complex128(z.im, z.re));
  return heddle_complex128(w.im, w.re);
}

/// Of 0 and of infinities as NumPy.
HEDDLE_CALLED heddle_complex128 heddle_reciprocal(heddle_complex128 z) {
  const double scale = heddle_scale(z), x = z.re * scale, y = z.im * scale;
  if (fabs(y) <= fabs(x)) {
    const double ratio = y / x, below = x + y * ratio;
    return heddle_complex128(1 / below * scale, -ratio / below * scale);
  }
  const double ratio = x / y, below = x * ratio + y;
  return heddle_complex128(ratio / below * scale, -1 / below * scale);
}

HEDDLE_CALLED heddle_complex128 heddle_power(heddle_complex128 base, heddle_complex128 exponent) {
  const double nan = heddle_nan();
  if (!heddle_is_nonzero(exponent)) return heddle_complex128(1, 0);
  if (!heddle_is_nonzero(base)) return exponent.re > 0 ? heddle_complex128(0, 0) : heddle_complex128(nan, nan);
  // Small integers as NumPy, which multiplies; where that overflows on the way it goes on below.
  if (exponent.im == 0 && fabs(exponent.re) < 100 && exponent.re == floor(exponent.re)) {
    heddle_complex128 result(1, 0), factor = base;
    bool is_first = true;
    for (int left = (int)fabs(exponent.re);; left /= 2) {
      if (left % 2 != 0) {
        result = is_first ? factor : result * factor;
        is_first = false;
      }
      if (left < 2) break;
      factor = factor * factor;
    }
    if (exponent.re < 0) result = heddle_complex128(1, 0) / result;
    const bool is_right = heddle_isfinite(result) && heddle_is_nonzero(result);
    if (is_right || !heddle_isfinite(base)) return result;
  }
  if (base.im == 0 && base.re > 0 && exponent.im == 0)
    return heddle_complex128(pow(base.re, exponent.re), base.im * exponent.re);
  const heddle_complex128 w = heddle_log(base);
  return heddle_exp(heddle_complex128(exponent.re * w.re - exponent.im * w.im, exponent.re * w.im + exponent.im * w.re));
}
HEDDLE_BOTH heddle_complex64 heddle_power(heddle_complex64 base, heddle_complex64 exponent) {
  return heddle_complex64(heddle_power(heddle_complex128(base), heddle_complex128(exponent)));
}

#define HEDDLE_IN_DOUBLE(NAME) \
  HEDDLE_BOTH heddle_complex64 heddle_##NAME(heddle_complex64 z) { return heddle_complex64(heddle_##NAME(heddle_complex128(z))); }
HEDDLE_IN_DOUBLE(sqrt) HEDDLE_IN_DOUBLE(exp) HEDDLE_IN_DOUBLE(exp2) HEDDLE_IN_DOUBLE(expm1) HEDDLE_IN_DOUBLE(log)
HEDDLE_IN_DOUBLE(log2) HEDDLE_IN_DOUBLE(log10) HEDDLE_IN_DOUBLE(log1p) HEDDLE_IN_DOUBLE(sin) HEDDLE_IN_DOUBLE(cos)
HEDDLE_IN_DOUBLE(tan) HEDDLE_IN_DOUBLE(asin) HEDDLE_IN_DOUBLE(acos) HEDDLE_IN_DOUBLE(atan) HEDDLE_IN_DOUBLE(sinh)
HEDDLE_IN_DOUBLE(cosh) HEDDLE_IN_DOUBLE(tanh) HEDDLE_IN_DOUBLE(asinh) HEDDLE_IN_DOUBLE(acosh) HEDDLE_IN_DOUBLE(atanh)
HEDDLE_IN_DOUBLE(reciprocal)

HEDDLE_COMPLEX heddle_complex<T> heddle_rint(heddle_complex<T> z) {
  return heddle_complex<T>(heddle_rint(z.re), heddle_rint(z.im));
}
/// z / |z|.
HEDDLE_COMPLEX heddle_complex<T> heddle_sign(heddle_complex<T> z) {
  if (!heddle_is_nonzero(z)) return heddle_complex<T>(0, 0);
  if (heddle_isinf(z.re) != heddle_isinf(z.im))
    return heddle_isinf(z.re) ? heddle_complex<T>(heddle_copysign((T)1, z.re), 0)
                              : heddle_complex<T>(0, heddle_copysign((T)1, z.im));
  if (heddle_isfinite(z) && heddle_isinf(heddle_abs(z))) z = heddle_complex<T>(z.re / 2, z.im / 2);
  return heddle_complex<T>(z.re / heddle_abs(z), z.im / heddle_abs(z));
}
)";

}  // namespace heddle::expressions
