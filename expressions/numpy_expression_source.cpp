#include "expressions/numpy_expression.hpp"

namespace heddle::expressions {

const char* const expression_functions = R"(
template <class T>
struct heddle_complex {
  T re, im;
  HEDDLE_BOTH heddle_complex(T re, T im) : re(re), im(im) {}
  template <class U>
  HEDDLE_BOTH explicit heddle_complex(heddle_complex<U> other) : re((T)other.re), im((T)other.im) {}
};
typedef heddle_complex<float> heddle_complex64;
typedef heddle_complex<double> heddle_complex128;
#define HEDDLE_COMPLEX template <class T> HEDDLE_BOTH
HEDDLE_COMPLEX heddle_complex<T> operator+(heddle_complex<T> a, heddle_complex<T> b) {
  return heddle_complex<T>(a.re + b.re, a.im + b.im);
}
HEDDLE_COMPLEX heddle_complex<T> operator-(heddle_complex<T> a, heddle_complex<T> b) {
  return heddle_complex<T>(a.re - b.re, a.im - b.im);
}
HEDDLE_COMPLEX heddle_complex<T> operator-(heddle_complex<T> a) { return heddle_complex<T>(-a.re, -a.im); }
HEDDLE_COMPLEX heddle_complex<T> operator*(heddle_complex<T> a, heddle_complex<T> b) {
  return heddle_complex<T>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
// R. L. Smith: Algorithm 116, complex division. Communications of the ACM 5 (1962).
HEDDLE_BOTH heddle_complex128 heddle_quotient(heddle_complex128 a, heddle_complex128 b) {
  const double re = b.re < 0 ? -b.re : b.re, im = b.im < 0 ? -b.im : b.im;
  if (re >= im) {
    if (re == 0 && im == 0) return heddle_complex128(a.re / re, a.im / re);
    const double ratio = b.im / b.re, scale = 1 / (b.re + b.im * ratio);
    return heddle_complex128((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale);
  }
  const double ratio = b.re / b.im, scale = 1 / (b.im + b.re * ratio);
  return heddle_complex128((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale);
}
/// A power of 2 that takes sums of a very large or small number's parts from the ends of the type.
HEDDLE_BOTH double heddle_scale(heddle_complex128 z) {
  const double re = z.re < 0 ? -z.re : z.re, im = z.im < 0 ? -z.im : z.im, large = re < im ? im : re;
  return large > 0x1p1000 ? 0x1p-60 : large < 0x1p-900 ? 0x1p120 : 1;
}
// M. Baudin, R. L. Smith: A robust complex division in Scilab (2012).
HEDDLE_BOTH heddle_complex128 operator/(heddle_complex128 a, heddle_complex128 b) {
  const double up = heddle_scale(a), down = heddle_scale(b), back = down / up;
  const heddle_complex128 q =
      heddle_quotient(heddle_complex128(a.re * up, a.im * up), heddle_complex128(b.re * down, b.im * down));
  return heddle_complex128(q.re * back, q.im * back);
}
HEDDLE_BOTH heddle_complex64 operator/(heddle_complex64 a, heddle_complex64 b) {
  return heddle_complex64(heddle_quotient(heddle_complex128(a), heddle_complex128(b)));
}
HEDDLE_COMPLEX bool operator==(heddle_complex<T> a, heddle_complex<T> b) { return a.re == b.re && a.im == b.im; }
HEDDLE_COMPLEX bool operator!=(heddle_complex<T> a, heddle_complex<T> b) { return !(a == b); }
HEDDLE_COMPLEX heddle_complex<T> heddle_conj(heddle_complex<T> a) { return heddle_complex<T>(a.re, -a.im); }
HEDDLE_COMPLEX bool heddle_is_nonzero(heddle_complex<T> a) { return a.re != 0 || a.im != 0; }

#if defined(__CUDACC_RTC__)
HEDDLE_BOTH double heddle_inf() { return __longlong_as_double(0x7ff0000000000000ll); }
HEDDLE_BOTH double heddle_nan() { return __longlong_as_double(0x7ff8000000000000ll); }
#else
HEDDLE_BOTH double heddle_inf() { return __builtin_huge_val(); }
HEDDLE_BOTH double heddle_nan() { return __builtin_nan(""); }
#endif

#define HEDDLE_REAL(NAME)                                        \
  HEDDLE_BOTH float heddle_##NAME(float x) { return NAME##f(x); } \
  HEDDLE_BOTH double heddle_##NAME(double x) { return NAME(x); }
HEDDLE_REAL(sqrt) HEDDLE_REAL(cbrt) HEDDLE_REAL(exp) HEDDLE_REAL(exp2) HEDDLE_REAL(expm1) HEDDLE_REAL(log)
HEDDLE_REAL(log2) HEDDLE_REAL(log10) HEDDLE_REAL(log1p) HEDDLE_REAL(sin) HEDDLE_REAL(cos) HEDDLE_REAL(tan)
HEDDLE_REAL(asin) HEDDLE_REAL(acos) HEDDLE_REAL(atan) HEDDLE_REAL(sinh) HEDDLE_REAL(cosh) HEDDLE_REAL(tanh)
HEDDLE_REAL(asinh) HEDDLE_REAL(acosh) HEDDLE_REAL(atanh) HEDDLE_REAL(floor) HEDDLE_REAL(ceil) HEDDLE_REAL(trunc)
HEDDLE_REAL(rint) HEDDLE_REAL(fabs)
#define HEDDLE_REALS(NAME)                                                            \
  HEDDLE_BOTH float heddle_##NAME(float x, float y) { return NAME##f(x, y); }          \
  HEDDLE_BOTH double heddle_##NAME(double x, double y) { return NAME(x, y); }
HEDDLE_REALS(atan2) HEDDLE_REALS(hypot) HEDDLE_REALS(copysign) HEDDLE_REALS(fmod) HEDDLE_REALS(fmin) HEDDLE_REALS(fmax)

template <class T>
HEDDLE_BOTH bool heddle_isnan(T x) { return x != x; }
template <class T>
HEDDLE_BOTH bool heddle_isinf(T x) { return x == (T)heddle_inf() || x == -(T)heddle_inf(); }
template <class T>
HEDDLE_BOTH bool heddle_isfinite(T x) { return x - x == 0; }
template <class T>
HEDDLE_BOTH bool heddle_signbit(T x) { return heddle_copysign((T)1, x) < 0; }
HEDDLE_COMPLEX bool heddle_isnan(heddle_complex<T> z) { return heddle_isnan(z.re) || heddle_isnan(z.im); }
HEDDLE_COMPLEX bool heddle_isinf(heddle_complex<T> z) { return heddle_isinf(z.re) || heddle_isinf(z.im); }
HEDDLE_COMPLEX bool heddle_isfinite(heddle_complex<T> z) { return heddle_isfinite(z.re) && heddle_isfinite(z.im); }
HEDDLE_COMPLEX T heddle_abs(heddle_complex<T> z) { return heddle_hypot(z.re, z.im); }
HEDDLE_COMPLEX T heddle_angle(heddle_complex<T> z) { return heddle_atan2(z.im, z.re); }
template <class T>
HEDDLE_BOTH T heddle_square(T x) { return (T)((unsigned long long)x * (unsigned long long)x); }
HEDDLE_BOTH float heddle_square(float x) { return x * x; }
HEDDLE_BOTH double heddle_square(double x) { return x * x; }
HEDDLE_COMPLEX heddle_complex<T> heddle_square(heddle_complex<T> z) {
  const heddle_complex<T> product = z * z;
  // Of squares that overflow the difference is known all the same.
  if (product.re == product.re) return product;
  return heddle_complex<T>((z.re / 2 - z.im / 2) * (z.re / 2 + z.im / 2) * 4, product.im);
}
template <class T>
HEDDLE_BOTH bool heddle_is_minus_one(T x) { return (T)-1 < 0 && x == (T)-1; }
// Of 0 what conversion from infinity gives on x86, where NumPy divides in double.
template <class T>
HEDDLE_BOTH T heddle_reciprocal(T x) {
  if (x == 0) return (T)-1 < 0 && sizeof(T) >= 4 ? (T)(1ull << (8 * sizeof(T) - 1)) : (T)0;
  return x == 1 || heddle_is_minus_one(x) ? x : (T)0;
}
HEDDLE_BOTH float heddle_reciprocal(float x) { return 1 / x; }
HEDDLE_BOTH double heddle_reciprocal(double x) { return 1 / x; }
template <class T>
HEDDLE_BOTH T heddle_absolute(T x) { return x < 0 ? (T)-(unsigned long long)x : x; }
template <class T>
HEDDLE_BOTH T heddle_heaviside(T x, T at_zero) { return x != x ? x : x == 0 ? at_zero : (T)(x > 0); }
template <class T>
HEDDLE_BOTH T heddle_sign(T x) { return x != x ? x : (T)((x > 0) - (x < 0)); }
template <class T>
HEDDLE_BOTH T heddle_minimum(T a, T b) { return a < b || a != a ? a : b; }
template <class T>
HEDDLE_BOTH T heddle_maximum(T a, T b) { return a > b || a != a ? a : b; }
template <class T>
HEDDLE_BOTH T heddle_fmin(T a, T b) { return a < b ? a : b; }
template <class T>
HEDDLE_BOTH T heddle_fmax(T a, T b) { return a > b ? a : b; }
template <class T>
HEDDLE_BOTH T heddle_fmod(T a, T b) { return b == 0 || heddle_is_minus_one(b) ? (T)0 : (T)(a % b); }

// Quotients round to minus infinity, and remainders have the sign of the divisor.
template <class T>
HEDDLE_BOTH T heddle_floor_divide(T a, T b) {
  if (b == 0) return 0;
  if (heddle_is_minus_one(b)) return (T)-(unsigned long long)a;
  return (T)(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}
template <class T>
HEDDLE_BOTH T heddle_remainder(T a, T b) {
  if (b == 0 || heddle_is_minus_one(b)) return 0;
  const T rest = (T)(a % b);
  return rest != 0 && (rest < 0) != (b < 0) ? (T)(rest + b) : rest;
}
template <class T>
HEDDLE_BOTH T heddle_real_remainder(T a, T b) {
  const T rest = heddle_fmod(a, b);
  if (b == 0) return rest;
  if (rest == 0) return heddle_copysign((T)0, b);
  return (b < 0) != (rest < 0) ? rest + b : rest;
}
template <class T>
HEDDLE_BOTH T heddle_real_floor_divide(T a, T b) {
  if (b == 0) return a / b;
  const T rest = heddle_fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return heddle_copysign((T)0, a / b);
  const T whole = heddle_floor(quotient);
  return quotient - whole > (T)0.5 ? whole + 1 : whole;
}
HEDDLE_BOTH float heddle_remainder(float a, float b) { return heddle_real_remainder(a, b); }
HEDDLE_BOTH double heddle_remainder(double a, double b) { return heddle_real_remainder(a, b); }
HEDDLE_BOTH float heddle_floor_divide(float a, float b) { return heddle_real_floor_divide(a, b); }
HEDDLE_BOTH double heddle_floor_divide(double a, double b) { return heddle_real_floor_divide(a, b); }

HEDDLE_BOTH unsigned long long heddle_euclid(unsigned long long a, unsigned long long b) {
  while (b != 0) {
    const unsigned long long rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
template <class T>
HEDDLE_BOTH unsigned long long heddle_magnitude(T x) { return x < 0 ? -(unsigned long long)x : (unsigned long long)x; }
template <class T>
HEDDLE_BOTH T heddle_gcd(T a, T b) { return (T)heddle_euclid(heddle_magnitude(a), heddle_magnitude(b)); }
template <class T>
HEDDLE_BOTH T heddle_lcm(T a, T b) {
  const unsigned long long divisor = heddle_euclid(heddle_magnitude(a), heddle_magnitude(b));
  return divisor == 0 ? (T)0 : (T)(heddle_magnitude(a) / divisor * heddle_magnitude(b));
}
template <class T>
HEDDLE_BOTH unsigned char heddle_bitwise_count(T x) {
  unsigned char count = 0;
  for (unsigned long long left = heddle_magnitude(x); left != 0; left &= left - 1) ++count;
  return count;
}
// Below, at or above 0 as a is less than b, equal to it or greater.
HEDDLE_BOTH int heddle_order(long long a, unsigned long long b) {
  return a < 0 || (unsigned long long)a < b ? -1 : (unsigned long long)a > b;
}
HEDDLE_BOTH int heddle_order(unsigned long long a, long long b) { return -heddle_order(b, a); }

template <class T>
HEDDLE_BOTH T heddle_power(T base, T exponent) {
  if (exponent < 0) return base == 1 ? (T)1 : base == (T)-1 ? (T)(exponent % 2 ? -1 : 1) : (T)0;
  unsigned long long result = 1, factor = (unsigned long long)base;
  for (unsigned long long left = (unsigned long long)exponent; left != 0; left /= 2) {
    if (left % 2) result *= factor;
    factor *= factor;
  }
  return (T)result;
}
HEDDLE_BOTH float heddle_power(float base, float exponent) { return powf(base, exponent); }
HEDDLE_BOTH double heddle_power(double base, double exponent) { return pow(base, exponent); }

template <class T>
HEDDLE_BOTH T heddle_shift_left(T x, T by) {
  return (unsigned long long)by < 8 * sizeof(T) ? (T)((unsigned long long)x << by) : (T)0;
}
template <class T>
HEDDLE_BOTH T heddle_shift_right(T x, T by) {
  return (unsigned long long)by < 8 * sizeof(T) ? (T)(x >> by) : x < 0 ? (T)-1 : (T)0;
}

/// The nearest integer towards 0 that the type has; 0 for NaN.
template <class To, class From>
HEDDLE_BOTH To heddle_integer(From x) {
  const bool is_signed = (To)-1 < 0;
  const int bits = 8 * sizeof(To) - is_signed;
  const From end = (From)2 * (From)(1ull << (bits - 1));
  const To most = (To)(~0ull >> (64 - bits)), least = is_signed ? (To)(-(long long)most - 1) : (To)0;
  if (x != x) return 0;
  if (x >= end) return most;
  return is_signed ? (x <= -end ? least : (To)x) : (x <= 0 ? (To)0 : (To)x);
}
)";

}  // namespace heddle::expressions
