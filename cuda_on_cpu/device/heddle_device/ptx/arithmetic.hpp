#pragma once

/// Arithmetic of PTX's instructions (PTX ISA), of integers as bits of their size.

#include "ptx.hpp"

namespace heddle_device::ptx {

template <class T>
using unsigned_of = std::make_unsigned_t<T>;

/// The carry of each thread, also between asm statements.
struct carry_flag {
  bool is_set;
};
// Not inlined where they would be instrumented.
__attribute__((no_sanitize("thread"), noinline)) inline bool carry_of(const carry_flag* thread) {
  return thread->is_set;
}
__attribute__((no_sanitize("thread"), noinline)) inline void set_carry_of(carry_flag* thread, bool carry) {
  thread->is_set = carry;
}
HEDDLE_DEVICE carry_flag* own_carry() {
  return of_threads<carry_flag>() + rank_in_block();
}
template <class U, bool Takes, bool Gives>
HEDDLE_DEVICE U add_with_carry(U a, U b) {
  U sum = a, second = 0;
  const bool first = __builtin_add_overflow(a, b, &sum);
  const bool last = Takes && __builtin_add_overflow(sum, static_cast<U>(carry_of(own_carry())), &second);
  if (!Takes) second = sum;
  if (Gives) set_carry_of(own_carry(), first || last);
  return second;
}
template <class U, bool Takes, bool Gives>
HEDDLE_DEVICE U subtract_with_borrow(U a, U b) {
  U difference = a, second = 0;
  const bool first = __builtin_sub_overflow(a, b, &difference);
  const bool last =
      Takes && __builtin_sub_overflow(difference, static_cast<U>(carry_of(own_carry())), &second);
  if (!Takes) second = difference;
  if (Gives) set_carry_of(own_carry(), first || last);
  return second;
}

// ------------------------------------------------------------------------------- integers and floats

/// What a sum, difference or product of numbers of 16 bits is rounded from: double has room for them.
template <class T>
HEDDLE_DEVICE T rounded_to(double exact) {
  return T::of(float_to_odd(exact));
}

#define HEDDLE_BOTH(NAME, SIGN)                                                                             \
  template <class T>                                                                                        \
  HEDDLE_DEVICE T NAME(T a, T b) {                                                                          \
    if constexpr (is_short_float<T>) {                                                                      \
      return rounded_to<T>(static_cast<double>(static_cast<float>(a)) SIGN static_cast<float>(b));          \
    } else if constexpr (is_float<T>) {                                                                     \
      return a SIGN b;                                                                                      \
    } else if constexpr (std::is_integral_v<T>) {                                                           \
      return static_cast<T>(                                                                                \
          static_cast<unsigned_of<T>>(static_cast<unsigned_of<T>>(a) SIGN static_cast<unsigned_of<T>>(b))); \
    } else {                                                                                                \
      return {NAME(a.x, b.x), NAME(a.y, b.y)};                                                              \
    }                                                                                                       \
  }
HEDDLE_BOTH(add, +)
HEDDLE_BOTH(sub, -)
#undef HEDDLE_BOTH
template <class T>
HEDDLE_DEVICE T mul_lo(T a, T b) {
  return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
}
template <class T>
HEDDLE_DEVICE T mul(T a, T b) {
  if constexpr (is_short_float<T>) {
    return rounded_to<T>(static_cast<double>(static_cast<float>(a)) * static_cast<float>(b));
  } else if constexpr (is_float<T>) {
    return a * b;
  } else {
    return {mul(a.x, b.x), mul(a.y, b.y)};
  }
}
template <class T>
HEDDLE_DEVICE T mul_hi(T a, T b) {
  if constexpr (static_cast<T>(-1) < 0) {
    return static_cast<T>((static_cast<__int128>(a) * b) >> (8 * sizeof(T)));
  } else {
    return static_cast<T>((static_cast<unsigned __int128>(a) * b) >> (8 * sizeof(T)));
  }
}
/// W is as wide as two T.
template <class W, class T>
HEDDLE_DEVICE unsigned_of<W> mul_wide(T a, T b) {
  return static_cast<unsigned_of<W>>(static_cast<unsigned_of<W>>(static_cast<W>(a)) *
                                     static_cast<unsigned_of<W>>(static_cast<W>(b)));
}
template <class T>
HEDDLE_DEVICE T mad_lo(T a, T b, T c) {
  return add(mul_lo(a, b), c);
}
template <class T>
HEDDLE_DEVICE T mad_hi(T a, T b, T c) {
  return add(mul_hi(a, b), c);
}
template <class T>
HEDDLE_DEVICE T low_24(T a) {
  return static_cast<T>(static_cast<T>(static_cast<u32>(a) << 8) >> 8);
}
template <class T>
HEDDLE_DEVICE T mul24_lo(T a, T b) {
  return mul_lo(low_24(a), low_24(b));
}
template <class T>
HEDDLE_DEVICE T mul24_hi(T a, T b) {
  return static_cast<T>((static_cast<long long>(low_24(a)) * low_24(b)) >> 16);
}
template <class T>
HEDDLE_DEVICE T mad24_lo(T a, T b, T c) {
  return add(mul24_lo(a, b), c);
}
template <class T>
HEDDLE_DEVICE T mad24_hi(T a, T b, T c) {
  return add(mul24_hi(a, b), c);
}
template <class T>
HEDDLE_DEVICE T fma(T a, T b, T c) {
  if constexpr (__is_same(T, float)) {
    return __builtin_fmaf(a, b, c);
  } else if constexpr (__is_same(T, double)) {
    return __builtin_fma(a, b, c);
  } else if constexpr (is_short_float<T>) {
    // The product is exact; so is what is left of the sum behind it (Knuth's two-sum), whose sign is enough.
    const double product = static_cast<double>(static_cast<float>(a)) * static_cast<float>(b),
                 summand = static_cast<float>(c);
    const double sum = product + summand, part = sum - product,
                 rest = (product - (sum - part)) + (summand - part);
    if (!(rest != 0) || rest != rest) return rounded_to<T>(sum);
    const long long bits = __builtin_bit_cast(long long, sum) - ((rest > 0) == (sum > 0) ? 0 : 1);
    return rounded_to<T>(__builtin_bit_cast(double, bits | 1));
  } else {
    return {fma(a.x, b.x, c.x), fma(a.y, b.y, c.y)};
  }
}
/// A quotient by 0 has all bits set, a remainder is the dividend.
template <class T>
HEDDLE_DEVICE T div(T a, T b) {
  if constexpr (is_float<T>) {
    return a / b;
  } else {
    if (b == 0) return static_cast<T>(-1);
    if (static_cast<T>(-1) < 0 && b == static_cast<T>(-1)) return sub(T{}, a);
    return static_cast<T>(a / b);
  }
}
template <class T>
HEDDLE_DEVICE T rem(T a, T b) {
  if (b == 0) return a;
  if (static_cast<T>(-1) < 0 && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
}
template <class T>
HEDDLE_DEVICE T neg(T a) {
  if constexpr (std::is_integral_v<T>) {
    return sub(T{}, a);
  } else if constexpr (is_short_float<T>) {
    return {static_cast<u16>(a.bits ^ 0x8000)};
  } else if constexpr (is_float<T>) {
    return -a;
  } else {
    return {neg(a.x), neg(a.y)};
  }
}
template <class T>
HEDDLE_DEVICE T abs(T a) {
  if constexpr (std::is_integral_v<T>) {
    return a < 0 ? neg(a) : a;
  } else if constexpr (is_short_float<T>) {
    return {static_cast<u16>(a.bits & 0x7fff)};
  } else if constexpr (is_float<T>) {
    return __builtin_copysign(a, T(1));
  } else {
    return {abs(a.x), abs(a.y)};
  }
}
template <class T>
HEDDLE_DEVICE bool is_not_a_number(T a) {
  if constexpr (is_float<T>) {
    return static_cast<double>(a) != static_cast<double>(a);
  } else {
    return false;
  }
}
template <class T>
HEDDLE_DEVICE bool has_sign(T a) {
  return (raw(a) >> (8 * sizeof(T) - 1)) != 0;
}
/// The other one of NaN, and of two zeros the one with that sign.
template <class T>
HEDDLE_DEVICE T min(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return b < a ? b : a;
  } else if constexpr (is_float<T>) {
    if (is_not_a_number(a)) return b;
    if (is_not_a_number(b)) return a;
    if (a == b) return has_sign(a) ? a : b;
    return a < b ? a : b;
  } else {
    return {min(a.x, b.x), min(a.y, b.y)};
  }
}
template <class T>
HEDDLE_DEVICE T max(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b ? b : a;
  } else if constexpr (is_float<T>) {
    if (is_not_a_number(a)) return b;
    if (is_not_a_number(b)) return a;
    if (a == b) return has_sign(a) ? b : a;
    return a < b ? b : a;
  } else {
    return {max(a.x, b.x), max(a.y, b.y)};
  }
}
/// NaN of NaN.
template <class T>
HEDDLE_DEVICE T min_nan(T a, T b) {
  return is_not_a_number(a) ? a : is_not_a_number(b) ? b : min(a, b);
}
template <class T>
HEDDLE_DEVICE T max_nan(T a, T b) {
  return is_not_a_number(a) ? a : is_not_a_number(b) ? b : max(a, b);
}
template <class T>
HEDDLE_DEVICE T sad(T a, T b, T c) {
  return add(c, a < b ? sub(b, a) : sub(a, b));
}
/// The sign of the first.
template <class T>
HEDDLE_DEVICE T copysign(T a, T b) {
  return __builtin_copysign(b, a);
}
template <class T>
HEDDLE_DEVICE T saturated(T a) {
  if constexpr (std::is_integral_v<T>) {
    return a;
  } else if constexpr (is_short_float<T>) {
    return a > 0.0f ? (a < 1.0f ? a : T::of(1.0f)) : T::of(0.0f);
  } else if constexpr (is_float<T>) {
    return a > 0 ? (a < 1 ? a : T(1)) : T(0);
  } else {
    return {saturated(a.x), saturated(a.y)};
  }
}
/// Without subnormal numbers.
template <class T>
HEDDLE_DEVICE T flushed(T a) {
  if constexpr (__is_same(T, float)) {
    return (raw(a) & 0x7f800000u) == 0 ? __builtin_copysignf(0.0f, a) : a;
  } else if constexpr (__is_same(T, f16)) {
    return (a.bits & 0x7c00) == 0 ? T{static_cast<u16>(a.bits & 0x8000)} : a;
  } else if constexpr (__is_same(T, pair<f16>)) {
    return {flushed(a.x), flushed(a.y)};
  } else {
    return a;
  }
}
template <class T>
HEDDLE_DEVICE T relu(T a) {
  return is_not_a_number(a) ? a : has_sign(a) ? T{} : a;
}
/// The largest number for infinity.
template <class T>
HEDDLE_DEVICE T finite(T a) {
  constexpr u16 infinity = __is_same(T, f16) ? 0x7c00 : 0x7f80;
  return (a.bits & 0x7fff) == infinity ? T{static_cast<u16>(a.bits - 1)} : a;
}

#define HEDDLE_FUNCTION(NAME, FUNCTION)                                           \
  template <class T>                                                              \
  HEDDLE_DEVICE T NAME(T a) {                                                     \
    if constexpr (__is_same(T, double)) {                                         \
      return FUNCTION(a);                                                         \
    } else if constexpr (__is_same(T, float)) {                                   \
      return static_cast<T>(FUNCTION(static_cast<double>(a)));                    \
    } else if constexpr (is_short_float<T>) {                                     \
      return rounded_to<T>(FUNCTION(static_cast<double>(static_cast<float>(a)))); \
    } else {                                                                      \
      return {NAME(a.x), NAME(a.y)};                                              \
    }                                                                             \
  }
HEDDLE_FUNCTION(sqrt, ::sqrt)
HEDDLE_FUNCTION(rcp, 1.0 /)
HEDDLE_FUNCTION(rsqrt, 1.0 / ::sqrt)
HEDDLE_FUNCTION(sin, ::sin)
HEDDLE_FUNCTION(cos, ::cos)
HEDDLE_FUNCTION(lg2, ::log2)
HEDDLE_FUNCTION(ex2, ::exp2)
HEDDLE_FUNCTION(tanh, ::tanh)
#undef HEDDLE_FUNCTION

/// Four products of bytes.
template <bool IsSigned>
HEDDLE_DEVICE int byte_of(u32 word, u32 i) {
  return IsSigned ? static_cast<signed char>(word >> (8 * i)) : static_cast<int>(word >> (8 * i) & 255);
}
template <bool A, bool B>
HEDDLE_DEVICE u32 dp4a(u32 a, u32 b, u32 c) {
  for (u32 i = 0; i < 4; ++i) c += static_cast<u32>(byte_of<A>(a, i) * byte_of<B>(b, i));
  return c;
}
template <bool IsSigned>
HEDDLE_DEVICE int half_word(u32 word, u32 i) {
  return IsSigned ? static_cast<short>(word >> (16 * i)) : static_cast<int>(word >> (16 * i) & 65535);
}
template <bool A, bool B>
HEDDLE_DEVICE u32 dp2a_lo(u32 a, u32 b, u32 c) {
  for (u32 i = 0; i < 2; ++i) c += static_cast<u32>(half_word<A>(a, i) * byte_of<B>(b, i));
  return c;
}
template <bool A, bool B>
HEDDLE_DEVICE u32 dp2a_hi(u32 a, u32 b, u32 c) {
  return dp2a_lo<A, B>(a, b >> 16, c);
}

// ---------------------------------------------------------------------------------------- comparisons

#define HEDDLE_COMPARISON(NAME, SIGN)                            \
  template <class T>                                             \
  HEDDLE_DEVICE bool is_##NAME(T a, T b) {                       \
    return a SIGN b;                                             \
  }                                                              \
  template <class T>                                             \
  HEDDLE_DEVICE bool is_##NAME##u(T a, T b) {                    \
    return is_not_a_number(a) || is_not_a_number(b) || a SIGN b; \
  }
HEDDLE_COMPARISON(eq, ==)
HEDDLE_COMPARISON(lt, <)
HEDDLE_COMPARISON(le, <=)
HEDDLE_COMPARISON(gt, >)
HEDDLE_COMPARISON(ge, >=)
#undef HEDDLE_COMPARISON
template <class T>
HEDDLE_DEVICE bool is_neu(T a, T b) {
  return !(a == b);
}
template <class T>
HEDDLE_DEVICE bool is_ne(T a, T b) {
  return !is_not_a_number(a) && !is_not_a_number(b) && !(a == b);
}
template <class T>
HEDDLE_DEVICE bool is_nan(T a, T b) {
  return is_not_a_number(a) || is_not_a_number(b);
}
template <class T>
HEDDLE_DEVICE bool is_num(T a, T b) {
  return !is_nan(a, b);
}
template <class T>
HEDDLE_DEVICE bool is_notanumber(T a) {
  return is_not_a_number(a);
}
template <class T>
HEDDLE_DEVICE bool is_number(T a) {
  return !is_not_a_number(a);
}
template <class T>
HEDDLE_DEVICE bool is_infinite(T a) {
  return __builtin_isinf(a);
}
template <class T>
HEDDLE_DEVICE bool is_finite(T a) {
  return __builtin_isfinite(a);
}
/// testp.normal takes zeros for normal numbers.
template <class T>
HEDDLE_DEVICE bool is_normal(T a) {
  return a == 0 || __builtin_isnormal(a);
}
template <class T>
HEDDLE_DEVICE bool is_subnormal(T a) {
  return a != 0 && __builtin_isfinite(a) && !__builtin_isnormal(a);
}

}  // namespace heddle_device::ptx
