#pragma once

/// Bits of IEEE binary16 and of bfloat16 from and to float, rounded to nearest even or in a direction.

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

/// NaN becomes the one that GPUs make, 0x7fff.
inline unsigned short float_to_half(float f) {
  const unsigned bits = __builtin_bit_cast(unsigned, f), sign = (bits >> 16) & 0x8000u,
                 rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return 0x7fff;
  if (rest >= 0x477ff000u) return static_cast<unsigned short>(sign | 0x7c00);
  if (rest < 0x38800000u) {
    // Adding 2^-1 puts the bits of a subnormal at the end of the fraction, rounded.
    const float shifted = __builtin_bit_cast(float, rest) + 0.5f;
    return static_cast<unsigned short>(sign | (__builtin_bit_cast(unsigned, shifted) - 0x3f000000u));
  }
  const unsigned rounded = rest + 0xfff + ((rest >> 13) & 1);
  return static_cast<unsigned short>(sign | ((rounded - 0x38000000u) >> 13));
}

inline float bfloat16_to_float(unsigned short b) {
  return __builtin_bit_cast(float, static_cast<unsigned>(b) << 16);
}

inline unsigned short float_to_bfloat16(float f) {
  const unsigned bits = __builtin_bit_cast(unsigned, f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<unsigned short>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// The float next to a number towards zero, with its last bit set where that is not the number: what is
/// rounded from it to fewer bits is what would be rounded from the number (rounding to odd).
inline float float_to_odd(double d) {
  const float f = static_cast<float>(d);
  const double back = f;
  if (back == d || d != d) return f;
  unsigned bits = __builtin_bit_cast(unsigned, f);
  const bool is_beyond = d < 0 ? back < d : back > d;
  if (is_beyond) --bits;
  return __builtin_bit_cast(float, bits | 1);
}

/// The same of an integer, which double has room for up to 2^53.
template <class I>
double double_to_odd(I i) {
  if constexpr (sizeof(I) == 8) {
    constexpr I room = I{1} << 53, low = 2047;
    const bool has_room = i < room && (static_cast<I>(-1) > 0 || i > -room);
    if (!has_room) return static_cast<double>((i & ~low) | ((i & low) != 0 ? low + 1 : 0));
  }
  return static_cast<double>(i);
}

enum class rounding { to_nearest, to_zero, up, down };

/// `rounded` are the nearest bits to `exact`, and `value` is theirs: the bits next to them where the
/// direction asks for those. The bits of a sign are those of a magnitude and a sign.
inline unsigned short directed(unsigned short rounded, float value, float exact, rounding direction) {
  if (direction == rounding::to_zero) direction = exact < 0 ? rounding::up : rounding::down;
  if (exact != exact || value == exact || direction == rounding::to_nearest) return rounded;
  const bool goes_up = direction == rounding::up;
  if (goes_up ? value > exact : value < exact) return rounded;
  // Zero is between the smallest numbers of both signs.
  if ((rounded & 0x7fff) == 0) return goes_up ? 1 : 0x8001;
  const bool is_larger = goes_up == (rounded < 0x8000);
  return static_cast<unsigned short>(is_larger ? rounded + 1 : rounded - 1);
}

}  // namespace heddle_device
