#pragma once

/// Functions of CUDA's mathematics that the C library does not have.

#include "entries.hpp"

#include <math.h>

namespace heddle_device {

inline constexpr double pi = 3.14159265358979323846, root_of_pi = 1.77245385090551602730,
                        root_of_2 = 1.41421356237309504880;

/// sin(πx) and cos(πx): the multiple of 1/2 is taken off first, so that zeros are exact.
HEDDLE_DEVICE double sine_of_pi(double x) {
  if (x == rint(x)) return copysign(0.0, x);
  const double half_turns = rint(2 * fmod(x, 2.0)), rest = fmod(x, 2.0) - half_turns / 2;
  const int quadrant = static_cast<int>(half_turns) & 3;
  const double value = quadrant % 2 == 0 ? sin(pi * rest) : cos(pi * rest);
  return quadrant < 2 ? value : -value;
}
HEDDLE_DEVICE double cosine_of_pi(double x) {
  const double half_turns = rint(2 * fmod(fabs(x), 2.0)), rest = fmod(fabs(x), 2.0) - half_turns / 2;
  const int quadrant = static_cast<int>(half_turns) & 3;
  const double value = quadrant % 2 == 0 ? cos(pi * rest) : sin(pi * rest);
  return quadrant == 1 || quadrant == 2 ? -value : value;
}

/// exp(x²) erfc(x); for large x, where the factors leave the range of double, by the asymptotic series.
inline double scaled_erfc(double x) {
  if (x < 12) return exp(x * x) * erfc(x);
  double term = 1, sum = 1;
  for (int n = 1; n < 20; ++n) sum += term *= -(2 * n - 1) / (2 * x * x);
  return sum / (x * root_of_pi);
}

/// The x of which erf(x) is y: Halley's method, from the rational approximation 26.2.23 of Abramowitz and
/// Stegun where y is near 1, and from the slope at 0.
inline double inverse_of_erfc(double y) {
  if (!(y >= 0 && y <= 2)) return NAN;
  if (y == 0 || y == 2) return y == 0 ? INFINITY : -INFINITY;
  if (y > 1) return -inverse_of_erfc(2 - y);
  const double t = sqrt(-2 * log(y / 2));
  double x = (t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t))) / root_of_2;
  for (int i = 0; i < 4; ++i) {
    const double error = erfc(x) - y;
    x += error / (2 / root_of_pi * exp(-x * x) - x * error);
  }
  return x;
}
inline double inverse_of_erf(double y) {
  if (fabs(y) > 0.5) return y > 0 ? inverse_of_erfc(1 - y) : -inverse_of_erfc(1 + y);
  double x = y * root_of_pi / 2;
  for (int i = 0; i < 4; ++i) {
    const double error = erf(x) - y;
    x -= error / (2 / root_of_pi * exp(-x * x) + x * error);
  }
  return x;
}

/// The modified Bessel function of the first kind of order 0 or 1: its power series, and for large x, where
/// that has many terms, the asymptotic one.
inline double modified_bessel(double x, int order) {
  const double size = fabs(x), sign = order == 1 && x < 0 ? -1 : 1;
  double term = 1, sum = 1;
  if (size < 30) {
    for (int k = 1; term > sum * 1e-17; ++k) sum += term *= size * size / (4.0 * k * (k + order));
    return order == 1 ? x / 2 * sum : sum;
  }
  if (isinf(x)) return sign * size;
  for (int k = 1; k < 30; ++k) {
    const int odd = 2 * k - 1;
    sum += term *= -(4.0 * order * order - odd * odd) / (8.0 * k * size);
  }
  // exp(x) leaves the range of double before the function does.
  return sign * sum * exp(size / 2) / sqrt(2 * pi * size) * exp(size / 2);
}

/// The length of a vector, in which nothing overflows on the way.
template <class T>
HEDDLE_DEVICE double length_of(int count, const T* x) {
  double largest = 0, sum = 0;
  bool has_nan = false;
  for (int i = 0; i < count; ++i) {
    has_nan |= x[i] != x[i];
    largest = fmax(largest, fabs(static_cast<double>(x[i])));
  }
  if (isinf(largest)) return largest;
  if (has_nan || largest == 0) return has_nan ? NAN : 0;
  for (int i = 0; i < count; ++i) sum += (x[i] / largest) * (x[i] / largest);
  return largest * sqrt(sum);
}

}  // namespace heddle_device

#define HEDDLE_FUNCTION1(NAME, EXPRESSION)                   \
  HEDDLE_DEVICE double NAME(double x) {                      \
    return EXPRESSION;                                       \
  }                                                          \
  HEDDLE_DEVICE float NAME##f(float x) {                     \
    return static_cast<float>(NAME(static_cast<double>(x))); \
  }                                                          \
  HEDDLE_DEVICE float NAME(float x) {                        \
    return NAME##f(x);                                       \
  }
HEDDLE_FUNCTION1(sinpi, heddle_device::sine_of_pi(x))
HEDDLE_FUNCTION1(cospi, heddle_device::cosine_of_pi(x))
HEDDLE_FUNCTION1(normcdf, 0.5 * erfc(-x / heddle_device::root_of_2))
HEDDLE_FUNCTION1(erfcx, heddle_device::scaled_erfc(x))
HEDDLE_FUNCTION1(erfinv, heddle_device::inverse_of_erf(x))
HEDDLE_FUNCTION1(erfcinv, heddle_device::inverse_of_erfc(x))
HEDDLE_FUNCTION1(normcdfinv, -heddle_device::root_of_2* heddle_device::inverse_of_erfc(2 * x))
HEDDLE_FUNCTION1(cyl_bessel_i0, heddle_device::modified_bessel(x, 0))
HEDDLE_FUNCTION1(cyl_bessel_i1, heddle_device::modified_bessel(x, 1))
#undef HEDDLE_FUNCTION1
HEDDLE_DEVICE double rsqrt(double x) {
  return 1 / sqrt(x);
}
HEDDLE_DEVICE float rsqrtf(float x) {
  return 1 / sqrtf(x);
}
HEDDLE_DEVICE float rsqrt(float x) {
  return rsqrtf(x);
}
HEDDLE_DEVICE double rcbrt(double x) {
  return 1 / cbrt(x);
}
HEDDLE_DEVICE float rcbrtf(float x) {
  return 1 / cbrtf(x);
}
HEDDLE_DEVICE float rcbrt(float x) {
  return rcbrtf(x);
}
#define HEDDLE_LENGTHS(T, SUFFIX)                              \
  HEDDLE_DEVICE void sincospi##SUFFIX(T x, T* s, T* c) {       \
    *s = sinpi##SUFFIX(x), *c = cospi##SUFFIX(x);              \
  }                                                            \
  HEDDLE_DEVICE T norm3d##SUFFIX(T x, T y, T z) {              \
    const T all[] = {x, y, z};                                 \
    return static_cast<T>(heddle_device::length_of(3, all));   \
  }                                                            \
  HEDDLE_DEVICE T norm4d##SUFFIX(T x, T y, T z, T w) {         \
    const T all[] = {x, y, z, w};                              \
    return static_cast<T>(heddle_device::length_of(4, all));   \
  }                                                            \
  HEDDLE_DEVICE T norm##SUFFIX(int count, const T* x) {        \
    return static_cast<T>(heddle_device::length_of(count, x)); \
  }                                                            \
  HEDDLE_DEVICE T rhypot##SUFFIX(T x, T y) {                   \
    return 1 / hypot##SUFFIX(x, y);                            \
  }                                                            \
  HEDDLE_DEVICE T rnorm3d##SUFFIX(T x, T y, T z) {             \
    return 1 / norm3d##SUFFIX(x, y, z);                        \
  }                                                            \
  HEDDLE_DEVICE T rnorm4d##SUFFIX(T x, T y, T z, T w) {        \
    return 1 / norm4d##SUFFIX(x, y, z, w);                     \
  }                                                            \
  HEDDLE_DEVICE T rnorm##SUFFIX(int count, const T* x) {       \
    return 1 / norm##SUFFIX(count, x);                         \
  }
HEDDLE_LENGTHS(double, )
HEDDLE_LENGTHS(float, f)
#undef HEDDLE_LENGTHS
