#pragma once

/// Bits of floating-point numbers of 8 bits: e4m3 and e5m2 (Micikevicius et al.: FP8 formats for deep
/// learning; 2022), and e8m0, powers of two alone (OCP Microscaling formats).

#include "half_bits.hpp"

namespace heddle_device {

struct format_of_8_bits {
  int fraction, bias;         // bits, and of the exponent
  unsigned char most, above;  // the largest number, and what is above it: NaN of e4m3, infinity of e5m2
};
inline constexpr format_of_8_bits e4m3 = {3, 7, 0x7e, 0x7f}, e5m2 = {2, 15, 0x7b, 0x7c};

/// To nearest even. What is too large becomes the largest, or what is above it.
inline unsigned char to_8_bits(double x, bool saturates, const format_of_8_bits& of) {
  if (x != x) return 0x7f;
  const unsigned char sign = __builtin_signbit(x) ? 0x80 : 0;
  const double size = __builtin_fabs(x);
  int exponent = 0;
  if (size == 0) return sign;
  if (__builtin_isinf(size)) return sign | (saturates ? of.most : of.above);
  __builtin_frexp(size, &exponent);
  const int least = 1 - of.bias, at = exponent - 1 < least ? least : exponent - 1;
  // In units of the last bit; a fraction that is rounded up to the next power of two carries into the
  // exponent.
  const double units = __builtin_rint(__builtin_ldexp(size, of.fraction - at));
  const double bits = __builtin_ldexp(static_cast<double>(at - least), of.fraction) + units;
  if (bits > of.most) return sign | (saturates ? of.most : of.above);
  return static_cast<unsigned char>(sign | static_cast<unsigned char>(bits));
}
inline float from_8_bits(unsigned char bits, const format_of_8_bits& of) {
  const int size = bits & 0x7f, exponent = size >> of.fraction, fraction = size & ((1 << of.fraction) - 1);
  float result = 0;
  if (size > of.most) {
    result = size == of.above && of.above != 0x7f ? __builtin_inff() : __builtin_nanf("");
  } else if (exponent == 0) {
    result = __builtin_ldexpf(static_cast<float>(fraction), 1 - of.bias - of.fraction);
  } else {
    result =
        __builtin_ldexpf(static_cast<float>(fraction + (1 << of.fraction)), exponent - of.bias - of.fraction);
  }
  return bits & 0x80 ? -result : result;
}

/// The power of two towards zero, or the next one away from it; of what is too small the least.
inline unsigned char to_power_of_2(double x, bool saturates, bool goes_up) {
  if (x != x) return 0xff;
  const double size = __builtin_fabs(x);
  if (__builtin_isinf(size)) return saturates ? 0xfe : 0xff;
  if (size == 0) return 0;
  int exponent = 0;
  const double fraction = __builtin_frexp(size, &exponent);
  int bits = exponent - 1 + 127;
  if (goes_up && fraction != 0.5) ++bits;
  if (bits > 254) return saturates ? 0xfe : 0xff;
  return static_cast<unsigned char>(bits < 0 ? 0 : bits);
}
inline float from_power_of_2(unsigned char bits) {
  return bits == 0xff ? __builtin_nanf("") : __builtin_ldexpf(1.0f, bits - 127);
}

/// An integer that the number is towards zero, clamped; 0 of NaN.
template <class I>
inline I integer_of(float x) {
  constexpr bool is_signed = static_cast<I>(-1) < 0;
  constexpr I most =
      static_cast<I>(is_signed ? (I{1} << (8 * sizeof(I) - 2)) - 1 + (I{1} << (8 * sizeof(I) - 2)) : -1);
  constexpr I least = is_signed ? static_cast<I>(-most - 1) : I{};
  if (x != x) return 0;
  // Numbers of 8 bits have room in 64.
  return x >= static_cast<float>(most) ? most : x <= static_cast<float>(least) ? least : static_cast<I>(x);
}

}  // namespace heddle_device
