#pragma once

/// IEEE binary16 to float and back, rounded to nearest even.

namespace heddle_device {

inline float half_to_float(unsigned short h) {
  const unsigned sign = (h & 0x8000u) << 16, exponent = (h >> 10) & 31, fraction = h & 1023;
  if (exponent == 31) return __builtin_bit_cast(float, sign | 0x7f800000u | (fraction << 13));
  if (exponent == 0) {
    const float value = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -value : value;
  }
  return __builtin_bit_cast(float, sign | ((exponent + 112) << 23) | (fraction << 13));
}

inline unsigned short float_to_half(float f) {
  const unsigned bits = __builtin_bit_cast(unsigned, f), sign = (bits >> 16) & 0x8000u,
                 rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return static_cast<unsigned short>(sign | 0x7fff);
  if (rest >= 0x477ff000u) return static_cast<unsigned short>(sign | 0x7c00);
  if (rest < 0x38800000u) {
    // Adding 2^-1 puts the bits of a subnormal at the end of the fraction, rounded.
    const float shifted = __builtin_bit_cast(float, rest) + 0.5f;
    return static_cast<unsigned short>(sign | (__builtin_bit_cast(unsigned, shifted) - 0x3f000000u));
  }
  const unsigned rounded = rest + 0xfff + ((rest >> 13) & 1);
  return static_cast<unsigned short>(sign | ((rounded - 0x38000000u) >> 13));
}

}  // namespace heddle_device
