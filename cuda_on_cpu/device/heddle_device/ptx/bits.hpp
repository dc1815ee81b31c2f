#pragma once

/// PTX's instructions of bits, and its conversions (PTX ISA).

#include "../rounding.hpp"
#include "arithmetic.hpp"
#include "matrices.hpp"
#include "video.hpp"

namespace heddle_device::ptx {

template <class T>
inline constexpr u32 bits_in = 8 * sizeof(T);

/// By more than there are bits: nothing but the sign is left.
template <class T>
HEDDLE_DEVICE T shl(T a, u32 by) {
  return by >= bits_in<T> ? T{} : static_cast<T>(static_cast<unsigned_of<T>>(a) << by);
}
template <class T>
HEDDLE_DEVICE T shr(T a, u32 by) {
  return static_cast<T>(by >= bits_in<T> ? (a < 0 ? -1 : 0) : a >> by);
}
/// Of 64 bits, the upper after a shift to the left, the lower after one to the right.
template <bool Wraps>
HEDDLE_DEVICE u32 shf_l(u32 low, u32 high, u32 by) {
  by = Wraps ? by & 31 : by < 32 ? by : 32;
  return static_cast<u32>(((u64{high} << 32 | low) << by) >> 32);
}
template <bool Wraps>
HEDDLE_DEVICE u32 shf_r(u32 low, u32 high, u32 by) {
  by = Wraps ? by & 31 : by < 32 ? by : 32;
  return static_cast<u32>((u64{high} << 32 | low) >> by);
}
template <class T>
HEDDLE_DEVICE u32 popc(T a) {
  return static_cast<u32>(__builtin_popcountll(static_cast<unsigned_of<T>>(a)));
}
template <class T>
HEDDLE_DEVICE u32 clz(T a) {
  const u64 bits = static_cast<unsigned_of<T>>(a);
  return bits == 0 ? bits_in<T> : static_cast<u32>(__builtin_clzll(bits)) - (64 - bits_in<T>);
}
template <class T>
HEDDLE_DEVICE T brev(T a) {
  u64 bits = static_cast<unsigned_of<T>>(a), result = 0;
  for (u32 i = 0; i < bits_in<T>; ++i, bits >>= 1) result = result << 1 | (bits & 1);
  return static_cast<T>(result);
}
/// The highest bit that is not the sign's; all bits set for none.
template <bool IsShift, class T>
HEDDLE_DEVICE u32 bfind(T a) {
  const unsigned_of<T> bits = static_cast<unsigned_of<T>>(a < 0 ? ~a : a);
  if (bits == 0) return ~0u;
  return IsShift ? clz(bits) : bits_in<T> - 1 - clz(bits);
}
/// `count` bits from `at` on; of numbers with a sign the highest, or the last that there is, fills the rest.
template <class T>
HEDDLE_DEVICE T bfe(T a, u32 at, u32 count) {
  constexpr u32 most = bits_in<T> - 1;
  at &= 255, count &= 255;
  const u64 from = static_cast<unsigned_of<T>>(a);
  const u32 last = at + count - 1 < most && count != 0 ? at + count - 1 : most;
  const bool sign = std::is_signed_v<T> && count != 0 && (from >> last & 1) != 0;
  u64 result = 0;
  for (u32 i = 0; i <= most; ++i) {
    const bool is_there = i < count && at + i <= most;
    result |= u64{is_there ? (from >> (at + i) & 1) != 0 : sign} << i;
  }
  return static_cast<T>(result);
}
/// `a` in the `count` bits of `b` from `at` on.
template <class T>
HEDDLE_DEVICE T bfi(T a, T b, u32 at, u32 count) {
  u64 result = b;
  at &= 255, count &= 255;
  for (u32 i = 0; i < count && at + i < bits_in<T>; ++i) {
    const u64 bit = u64{1} << (at + i);
    result = (result & ~bit) | (i < bits_in<T> && (u64{a} >> i & 1) != 0 ? bit : 0);
  }
  return static_cast<T>(result);
}
/// The lowest `count` bits, of numbers with a sign filled with the highest of them.
template <bool Wraps, class T>
HEDDLE_DEVICE T szext(T a, u32 count) {
  if (Wraps) count &= 31;
  if (count >= 32) return a;
  if (count == 0) return 0;
  return static_cast<T>(static_cast<T>(static_cast<u32>(a) << (32 - count)) >> (32 - count));
}
/// `count` set bits from `at` on.
template <bool Wraps, class T>
HEDDLE_DEVICE u32 bmsk(T at, u32 count) {
  u64 from = static_cast<u32>(at);
  if (Wraps) from &= 31, count &= 31;
  if (from >= 32) return 0;
  const u64 ones = count >= 32 ? ~u64{0} >> 32 : (u64{1} << count) - 1;
  return static_cast<u32>(ones << from);
}

/// Bytes of two words by a selector each; its upper bit takes the sign of the byte for all of it.
HEDDLE_DEVICE u32 prmt(u32 a, u32 b, u32 selector) {
  const u64 from = u64{b} << 32 | a;
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    const u32 which = selector >> (4 * i) & 15;
    u32 byte = static_cast<u32>(from >> (8 * (which & 7))) & 255;
    if (which & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}
// Which bytes the modes take, by the two lowest bits of the selector (PTX ISA, prmt).
#define HEDDLE_PRMT(MODE, S0, S1, S2, S3)              \
  HEDDLE_DEVICE u32 prmt_##MODE(u32 a, u32 b, u32 c) { \
    constexpr u32 selectors[] = {S0, S1, S2, S3};      \
    return prmt(a, b, selectors[c & 3]);               \
  }
HEDDLE_PRMT(f4e, 0x3210, 0x4321, 0x5432, 0x6543)
HEDDLE_PRMT(b4e, 0x5670, 0x6701, 0x7012, 0x0123)
HEDDLE_PRMT(rc8, 0x0000, 0x1111, 0x2222, 0x3333)
HEDDLE_PRMT(ecl, 0x3210, 0x3211, 0x3222, 0x3333)
HEDDLE_PRMT(ecr, 0x0000, 0x1110, 0x2210, 0x3210)
HEDDLE_PRMT(rc16, 0x1010, 0x3232, 0x1010, 0x3232)
#undef HEDDLE_PRMT
/// Any function of three bits, by its table.
HEDDLE_DEVICE u32 lop3(u32 a, u32 b, u32 c, u32 table) {
  u32 result = 0;
  for (u32 i = 0; i < 8; ++i) {
    if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  }
  return result;
}

// ---------------------------------------------------------------------------------------- conversions

/// Directions of rounding: 0 to nearest even, 1 to zero, 2 up, 3 down.
template <int Direction>
HEDDLE_DEVICE double rounded_to_integer(double x) {
  return Direction == 1 ? ::trunc(x) : Direction == 2 ? ::ceil(x) : Direction == 3 ? ::floor(x) : ::rint(x);
}
template <class I, int Direction>
HEDDLE_DEVICE I to_integer_from(double x) {
  constexpr I most =
      std::is_signed_v<I> ? static_cast<I>(static_cast<unsigned_of<I>>(-1) >> 1) : static_cast<I>(-1);
  constexpr I least = std::is_signed_v<I> ? static_cast<I>(-most - 1) : I{};
  if (x != x) return I{};
  x = rounded_to_integer<Direction>(x);
  // One beyond the largest, which double has room for.
  constexpr double end = 2.0 * static_cast<double>(static_cast<I>(most / 2 + 1));
  return x >= end ? most : x < static_cast<double>(least) ? least : static_cast<I>(x);
}

template <class T>
HEDDLE_DEVICE double widened(T a) {
  if constexpr (is_short_float<T>) {
    return static_cast<float>(a);
  } else {
    return static_cast<double>(a);
  }
}
template <class D, int Mode, class A>
HEDDLE_DEVICE D directed_conversion(A a) {
  const rounding_mode<Mode> mode;
  return mode.opaque(static_cast<D>(mode.opaque(a)));
}
template <class D, int Direction, class A>
HEDDLE_DEVICE D to_short_float(A a) {
  float exact = 0;
  if constexpr (std::is_integral_v<A>) {
    exact = float_to_odd(double_to_odd(a));
  } else {
    exact = float_to_odd(widened(a));
  }
  const D nearest = D::of(exact);
  constexpr rounding how = Direction == 1   ? rounding::to_zero
                           : Direction == 2 ? rounding::up
                           : Direction == 3 ? rounding::down
                                            : rounding::to_nearest;
  return {directed(nearest.bits, static_cast<float>(nearest), exact, how)};
}

/// cvt: from an integer to another the bits that there is room for.
template <class D, int Direction, bool IsToInteger, class A>
HEDDLE_DEVICE D convert(A a) {
  if constexpr (std::is_integral_v<D>) {
    if constexpr (std::is_integral_v<A>) {
      return static_cast<D>(a);
    } else {
      return to_integer_from<D, Direction>(widened(a));
    }
  } else if constexpr (IsToInteger) {
    return convert<D, 0, false>(rounded_to_integer<Direction>(widened(a)));
  } else if constexpr (is_short_float<D>) {
    return to_short_float<D, Direction>(a);
  } else if constexpr (is_short_float<A>) {
    return static_cast<float>(a);
  } else if constexpr (Direction == 0) {
    return static_cast<D>(a);
  } else {
    constexpr int mode = Direction == 1 ? FE_TOWARDZERO : Direction == 2 ? FE_UPWARD : FE_DOWNWARD;
    return directed_conversion<D, mode>(a);
  }
}
/// The same, clamped to what D has room for.
template <class D, int Direction, class A>
HEDDLE_DEVICE D convert_saturated(A a) {
  if constexpr (std::is_integral_v<A>) {
    constexpr D most =
        std::is_signed_v<D> ? static_cast<D>(static_cast<unsigned_of<D>>(-1) >> 1) : static_cast<D>(-1);
    constexpr __int128 least = std::is_signed_v<D> ? -static_cast<__int128>(most) - 1 : 0;
    const __int128 wide = a;
    return wide > static_cast<__int128>(most) ? most
           : wide < least                     ? static_cast<D>(least)
                                              : static_cast<D>(a);
  } else {
    return to_integer_from<D, Direction>(widened(a));
  }
}
/// 10 bits of the fraction; how: 0 to nearest even, 1 to zero, 2 to nearest, half away from zero.
template <int How>
HEDDLE_DEVICE u32 to_tf32(float a) {
  const u32 bits = raw(a);
  if (a != a) return 0x7fffffff;
  if ((bits & 0x7f800000u) == 0x7f800000u || How == 1) return bits & ~0x1fffu;
  return (bits + (How == 2 ? 0x1000u : 0xfffu + (bits >> 13 & 1))) & ~0x1fffu;
}

}  // namespace heddle_device::ptx
