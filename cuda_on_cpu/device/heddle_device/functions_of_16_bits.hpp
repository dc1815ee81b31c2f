/// What CUDA computes with floating-point numbers of 16 bits, beyond operators: of the type that
/// numbers_of_16_bits.hpp was read for last.

#define HEDDLE_PASTE3(A, B, C) A##B##C
#define HEDDLE_EXPAND3(A, B, C) HEDDLE_PASTE3(A, B, C)
#define HEDDLE_NAMED(BEFORE, AFTER) HEDDLE_EXPAND3(BEFORE, HEDDLE_WORD, AFTER)

namespace heddle_device {

HEDDLE_DEVICE HEDDLE_HALF from_bits_of_16(HEDDLE_HALF, unsigned short bits) {
  HEDDLE_HALF result;
  result.bits = bits;
  return result;
}
/// A number that float has room for, in a direction.
HEDDLE_DEVICE HEDDLE_HALF rounded(HEDDLE_HALF, float exact, rounding direction) {
  const unsigned short nearest = HEDDLE_FROM_FLOAT(exact);
  return from_bits_of_16(HEDDLE_HALF(), directed(nearest, HEDDLE_TO_FLOAT(nearest), exact, direction));
}
HEDDLE_DEVICE bool is_nan(HEDDLE_HALF a) {
  return float(a) != float(a);
}
HEDDLE_DEVICE HEDDLE_HALF nan_of(HEDDLE_HALF) {
  return from_bits_of_16(HEDDLE_HALF(), 0x7fff);
}
/// The larger or the smaller; the other one of NaN, +0 of two zeros for the larger.
HEDDLE_DEVICE HEDDLE_HALF extreme(HEDDLE_HALF a, HEDDLE_HALF b, bool is_larger) {
  if (is_nan(a)) return is_nan(b) ? nan_of(a) : b;
  if (is_nan(b)) return a;
  const bool a_first = float(a) == float(b) ? a.bits < b.bits : float(a) > float(b);
  return a_first == is_larger ? a : b;
}
HEDDLE_DEVICE HEDDLE_HALF saturated(HEDDLE_HALF a) {
  return float(a) > 0 ? (float(a) < 1 ? a : HEDDLE_HALF(1.0f)) : HEDDLE_HALF(0.0f);
}
/// a·b + c with one rounding.
HEDDLE_DEVICE HEDDLE_HALF multiplied_and_added(HEDDLE_HALF a, HEDDLE_HALF b, HEDDLE_HALF c) {
  const double product = static_cast<double>(float(a)) * float(b), summand = float(c);
  const double sum = product + summand;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (summand - part);
  if (!(error != 0) || error != error) return HEDDLE_HALF(sum);
  // Of what double has no room for it is enough to know on which side of the sum it lies.
  const bool is_farther = (error > 0) == (sum > 0);
  const long long bits = __builtin_bit_cast(long long, sum) - (is_farther ? 0 : 1);
  return HEDDLE_HALF(__builtin_bit_cast(double, bits | 1));
}

}  // namespace heddle_device

// --------------------------------------------------------------------------------------- conversions

HEDDLE_DEVICE HEDDLE_HALF HEDDLE_NAMED(__float2, )(float f) {
  return f;
}
HEDDLE_DEVICE HEDDLE_HALF HEDDLE_NAMED(__double2, )(double d) {
  return d;
}
HEDDLE_DEVICE float HEDDLE_NAMED(__, 2float)(HEDDLE_HALF a) {
  return a;
}
#define HEDDLE_CONVERSIONS(SUFFIX, DIRECTION, ROUND)                                                         \
  HEDDLE_DEVICE HEDDLE_HALF HEDDLE_NAMED(__float2, SUFFIX)(float f) {                                        \
    return heddle_device::rounded(HEDDLE_HALF(), f, heddle_device::rounding::DIRECTION);                     \
  }                                                                                                          \
  HEDDLE_INTEGER(int, int, -2147483647 - 1, 2147483647, SUFFIX, DIRECTION, ROUND)                            \
  HEDDLE_INTEGER(uint, unsigned, 0, 4294967295u, SUFFIX, DIRECTION, ROUND)                                   \
  HEDDLE_INTEGER(short, short, -32768, 32767, SUFFIX, DIRECTION, ROUND)                                      \
  HEDDLE_INTEGER(ushort, unsigned short, 0, 65535, SUFFIX, DIRECTION, ROUND)                                 \
  HEDDLE_INTEGER(ll, long long, -9223372036854775807LL - 1, 9223372036854775807LL, SUFFIX, DIRECTION, ROUND) \
  HEDDLE_INTEGER(ull, unsigned long long, 0, 18446744073709551615ull, SUFFIX, DIRECTION, ROUND)
#define HEDDLE_INTEGER(NAME, I, LEAST, MOST, SUFFIX, DIRECTION, ROUND)                          \
  HEDDLE_DEVICE I HEDDLE_NAMED(__, 2##NAME##SUFFIX)(HEDDLE_HALF a) {                            \
    return heddle_device::to_integer<I>(ROUND(float(a)), LEAST, MOST);                          \
  }                                                                                             \
  HEDDLE_DEVICE HEDDLE_HALF HEDDLE_NAMED(__##NAME##2, SUFFIX)(I i) {                            \
    return heddle_device::rounded(HEDDLE_HALF(),                                                \
                                  heddle_device::float_to_odd(heddle_device::double_to_odd(i)), \
                                  heddle_device::rounding::DIRECTION);                          \
  }
HEDDLE_CONVERSIONS(_rn, to_nearest, rintf)
HEDDLE_CONVERSIONS(_rz, to_zero, truncf)
HEDDLE_CONVERSIONS(_ru, up, ceilf)
HEDDLE_CONVERSIONS(_rd, down, floorf)
#undef HEDDLE_INTEGER
#undef HEDDLE_CONVERSIONS
HEDDLE_DEVICE signed char HEDDLE_NAMED(__, 2char_rz)(HEDDLE_HALF a) {
  return heddle_device::to_integer<signed char>(truncf(a), -128, 127);
}
HEDDLE_DEVICE unsigned char HEDDLE_NAMED(__, 2uchar_rz)(HEDDLE_HALF a) {
  return heddle_device::to_integer<unsigned char>(truncf(a), 0, 255);
}
HEDDLE_DEVICE unsigned short HEDDLE_NAMED(__, _as_ushort)(HEDDLE_HALF a) {
  return a.bits;
}
HEDDLE_DEVICE short HEDDLE_NAMED(__, _as_short)(HEDDLE_HALF a) {
  return static_cast<short>(a.bits);
}
HEDDLE_DEVICE HEDDLE_HALF HEDDLE_NAMED(__ushort_as_, )(unsigned short bits) {
  return heddle_device::from_bits_of_16(HEDDLE_HALF(), bits);
}
HEDDLE_DEVICE HEDDLE_HALF HEDDLE_NAMED(__short_as_, )(short bits) {
  return heddle_device::from_bits_of_16(HEDDLE_HALF(), static_cast<unsigned short>(bits));
}

HEDDLE_DEVICE HEDDLE_HALF2 HEDDLE_NAMED(make_, 2)(HEDDLE_HALF a, HEDDLE_HALF b) {
  return {a, b};
}
HEDDLE_DEVICE HEDDLE_HALF2 HEDDLE_NAMED(__halves2, 2)(HEDDLE_HALF a, HEDDLE_HALF b) {
  return {a, b};
}
HEDDLE_DEVICE HEDDLE_HALF2 HEDDLE_EXPAND3(HEDDLE_NAMED(__, 2), HEDDLE_WORD, 2)(HEDDLE_HALF a) {
  return {a, a};
}
HEDDLE_DEVICE HEDDLE_HALF2 HEDDLE_NAMED(__float2, 2_rn)(float f) {
  return {f, f};
}
HEDDLE_DEVICE HEDDLE_HALF2 HEDDLE_NAMED(__floats2, 2_rn)(float a, float b) {
  return {a, b};
}
HEDDLE_DEVICE HEDDLE_HALF2 HEDDLE_NAMED(__float22, 2_rn)(float2 f) {
  return {f.x, f.y};
}
HEDDLE_DEVICE float2 HEDDLE_NAMED(__, 22float2)(HEDDLE_HALF2 a) {
  return {a.x, a.y};
}
HEDDLE_DEVICE float __low2float(HEDDLE_HALF2 a) {
  return a.x;
}
HEDDLE_DEVICE float __high2float(HEDDLE_HALF2 a) {
  return a.y;
}
HEDDLE_DEVICE HEDDLE_HALF HEDDLE_NAMED(__low2, )(HEDDLE_HALF2 a) {
  return a.x;
}
HEDDLE_DEVICE HEDDLE_HALF HEDDLE_NAMED(__high2, )(HEDDLE_HALF2 a) {
  return a.y;
}
HEDDLE_DEVICE HEDDLE_HALF2 HEDDLE_NAMED(__low2, 2)(HEDDLE_HALF2 a) {
  return {a.x, a.x};
}
HEDDLE_DEVICE HEDDLE_HALF2 HEDDLE_NAMED(__high2, 2)(HEDDLE_HALF2 a) {
  return {a.y, a.y};
}
HEDDLE_DEVICE HEDDLE_HALF2 HEDDLE_NAMED(__lows2, 2)(HEDDLE_HALF2 a, HEDDLE_HALF2 b) {
  return {a.x, b.x};
}
HEDDLE_DEVICE HEDDLE_HALF2 HEDDLE_NAMED(__highs2, 2)(HEDDLE_HALF2 a, HEDDLE_HALF2 b) {
  return {a.y, b.y};
}
HEDDLE_DEVICE HEDDLE_HALF2 __lowhigh2highlow(HEDDLE_HALF2 a) {
  return {a.y, a.x};
}

// ---------------------------------------------------------------------------------------- arithmetic

#define HEDDLE_BOTH1(NAME, NAME2, EXPRESSION)        \
  HEDDLE_DEVICE HEDDLE_HALF NAME(HEDDLE_HALF a) {    \
    return EXPRESSION;                               \
  }                                                  \
  HEDDLE_DEVICE HEDDLE_HALF2 NAME2(HEDDLE_HALF2 a) { \
    return {NAME(a.x), NAME(a.y)};                   \
  }
#define HEDDLE_BOTH2(NAME, NAME2, EXPRESSION)                        \
  HEDDLE_DEVICE HEDDLE_HALF NAME(HEDDLE_HALF a, HEDDLE_HALF b) {     \
    return EXPRESSION;                                               \
  }                                                                  \
  HEDDLE_DEVICE HEDDLE_HALF2 NAME2(HEDDLE_HALF2 a, HEDDLE_HALF2 b) { \
    return {NAME(a.x, b.x), NAME(a.y, b.y)};                         \
  }
#define HEDDLE_BOTH3(NAME, NAME2, EXPRESSION)                                        \
  HEDDLE_DEVICE HEDDLE_HALF NAME(HEDDLE_HALF a, HEDDLE_HALF b, HEDDLE_HALF c) {      \
    return EXPRESSION;                                                               \
  }                                                                                  \
  HEDDLE_DEVICE HEDDLE_HALF2 NAME2(HEDDLE_HALF2 a, HEDDLE_HALF2 b, HEDDLE_HALF2 c) { \
    return {NAME(a.x, b.x, c.x), NAME(a.y, b.y, c.y)};                               \
  }
HEDDLE_BOTH2(__hadd, __hadd2, a + b)
HEDDLE_BOTH2(__hadd_rn, __hadd2_rn, a + b)
HEDDLE_BOTH2(__hadd_sat, __hadd2_sat, heddle_device::saturated(a + b))
HEDDLE_BOTH2(__hsub, __hsub2, a - b)
HEDDLE_BOTH2(__hsub_rn, __hsub2_rn, a - b)
HEDDLE_BOTH2(__hsub_sat, __hsub2_sat, heddle_device::saturated(a - b))
HEDDLE_BOTH2(__hmul, __hmul2, a* b)
HEDDLE_BOTH2(__hmul_rn, __hmul2_rn, a* b)
HEDDLE_BOTH2(__hmul_sat, __hmul2_sat, heddle_device::saturated(a* b))
HEDDLE_BOTH2(__hdiv, __h2div, a / b)
HEDDLE_BOTH1(__hneg, __hneg2, -a)
HEDDLE_BOTH1(__habs, __habs2, heddle_device::from_bits_of_16(a, a.bits & 0x7fff))
HEDDLE_BOTH3(__hfma, __hfma2, heddle_device::multiplied_and_added(a, b, c))
HEDDLE_BOTH3(__hfma_sat, __hfma2_sat, heddle_device::saturated(__hfma(a, b, c)))
HEDDLE_BOTH2(__hmax, __hmax2, heddle_device::extreme(a, b, true))
HEDDLE_BOTH2(__hmin, __hmin2, heddle_device::extreme(a, b, false))
HEDDLE_BOTH2(__hmax_nan, __hmax2_nan,
             heddle_device::is_nan(a) || heddle_device::is_nan(b) ? heddle_device::nan_of(a) : __hmax(a, b))
HEDDLE_BOTH2(__hmin_nan, __hmin2_nan,
             heddle_device::is_nan(a) || heddle_device::is_nan(b) ? heddle_device::nan_of(a) : __hmin(a, b))
HEDDLE_BOTH3(__hfma_relu, __hfma2_relu, __hmax_nan(__hfma(a, b, c), HEDDLE_HALF(0.0f)))
/// The product of two complex numbers, added to a third.
HEDDLE_DEVICE HEDDLE_HALF2 __hcmadd(HEDDLE_HALF2 a, HEDDLE_HALF2 b, HEDDLE_HALF2 c) {
  return {__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}

// Those that end in u are true of NaN, too.
#define HEDDLE_COMPARISON(NAME, CONDITION)                                                \
  HEDDLE_DEVICE bool __h##NAME(HEDDLE_HALF a, HEDDLE_HALF b) {                            \
    return CONDITION;                                                                     \
  }                                                                                       \
  HEDDLE_DEVICE HEDDLE_HALF2 __h##NAME##2(HEDDLE_HALF2 a, HEDDLE_HALF2 b) {               \
    return {float(__h##NAME(a.x, b.x)), float(__h##NAME(a.y, b.y))};                      \
  }                                                                                       \
  HEDDLE_DEVICE unsigned __h##NAME##2_mask(HEDDLE_HALF2 a, HEDDLE_HALF2 b) {              \
    return (__h##NAME(a.x, b.x) ? 0xffffu : 0) | (__h##NAME(a.y, b.y) ? 0xffff0000u : 0); \
  }                                                                                       \
  HEDDLE_DEVICE bool __hb##NAME##2(HEDDLE_HALF2 a, HEDDLE_HALF2 b) {                      \
    return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y);                                    \
  }
HEDDLE_COMPARISON(eq, a == b)
HEDDLE_COMPARISON(ne, a<b || a> b)
HEDDLE_COMPARISON(lt, a < b)
HEDDLE_COMPARISON(le, a <= b)
HEDDLE_COMPARISON(gt, a > b)
HEDDLE_COMPARISON(ge, a >= b)
HEDDLE_COMPARISON(equ, !(a < b || a > b))
HEDDLE_COMPARISON(neu, a != b)
HEDDLE_COMPARISON(ltu, !(a >= b))
HEDDLE_COMPARISON(leu, !(a > b))
HEDDLE_COMPARISON(gtu, !(a <= b))
HEDDLE_COMPARISON(geu, !(a < b))
#undef HEDDLE_COMPARISON
HEDDLE_DEVICE bool __hisnan(HEDDLE_HALF a) {
  return heddle_device::is_nan(a);
}
HEDDLE_DEVICE HEDDLE_HALF2 __hisnan2(HEDDLE_HALF2 a) {
  return {float(__hisnan(a.x)), float(__hisnan(a.y))};
}
/// -1 and 1 of the infinities, 0 of other numbers.
HEDDLE_DEVICE int __hisinf(HEDDLE_HALF a) {
  return __builtin_isinf(float(a)) ? (float(a) < 0 ? -1 : 1) : 0;
}

// --------------------------------------------------------------------------------------- mathematics

#define HEDDLE_FUNCTION(NAME, EXPRESSION) HEDDLE_BOTH1(h##NAME, h2##NAME, HEDDLE_HALF(EXPRESSION))
HEDDLE_FUNCTION(sqrt, sqrt(static_cast<HEDDLE_WIDE>(float(a))))
HEDDLE_FUNCTION(rsqrt, 1 / sqrt(static_cast<double>(float(a))))
HEDDLE_FUNCTION(rcp, static_cast<HEDDLE_WIDE>(1) / float(a))
HEDDLE_FUNCTION(exp, exp(static_cast<double>(float(a))))
HEDDLE_FUNCTION(exp2, exp2(static_cast<double>(float(a))))
HEDDLE_FUNCTION(exp10, pow(10.0, static_cast<double>(float(a))))
HEDDLE_FUNCTION(log, log(static_cast<double>(float(a))))
HEDDLE_FUNCTION(log2, log2(static_cast<double>(float(a))))
HEDDLE_FUNCTION(log10, log10(static_cast<double>(float(a))))
HEDDLE_FUNCTION(sin, sin(static_cast<double>(float(a))))
HEDDLE_FUNCTION(cos, cos(static_cast<double>(float(a))))
HEDDLE_FUNCTION(tanh, tanh(static_cast<double>(float(a))))
HEDDLE_FUNCTION(tanh_approx, tanh(static_cast<double>(float(a))))
HEDDLE_FUNCTION(ceil, ceilf(a))
HEDDLE_FUNCTION(floor, floorf(a))
HEDDLE_FUNCTION(trunc, truncf(a))
HEDDLE_FUNCTION(rint, rintf(a))
#undef HEDDLE_FUNCTION
#undef HEDDLE_BOTH1
#undef HEDDLE_BOTH2
#undef HEDDLE_BOTH3

#undef HEDDLE_NAMED
#undef HEDDLE_EXPAND3
#undef HEDDLE_PASTE3
#undef HEDDLE_HALF
#undef HEDDLE_HALF2
#undef HEDDLE_RAW
#undef HEDDLE_RAW2
#undef HEDDLE_WORD
#undef HEDDLE_WIDE
#undef HEDDLE_TO_FLOAT
#undef HEDDLE_FROM_FLOAT
