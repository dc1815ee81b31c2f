#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

/// Numbers of 16 bits, as bits, to floats and back by rounding to the nearest, to even where two are as near.
namespace heddle::cpu {

/// IEEE 754's binary16.
struct half {
  std::uint16_t bits;

  half() = default;
  explicit half(float x) {
    const auto as_bits = std::bit_cast<std::uint32_t>(x);
    const auto magnitude_bits = as_bits & 0x7fffffffu;
    const float magnitude = std::fabs(x);
    std::uint32_t rounded;
    if (x != x) {
      rounded = 0x7e00;
    } else if (magnitude >= 65520) {  // halfway from the largest to 2^16
      rounded = 0x7c00;
    } else if (magnitude < 0x1p-14f) {
      // The last bit of what is near 1/2 is that of a subnormal half.
      rounded = std::bit_cast<std::uint32_t>(magnitude + 0.5f) - std::bit_cast<std::uint32_t>(0.5f);
    } else {
      rounded = ((magnitude_bits + 0xfff + (magnitude_bits >> 13 & 1)) >> 13) - (112u << 10);
    }
    bits = static_cast<std::uint16_t>((as_bits >> 16 & 0x8000) | rounded);
  }
  explicit operator float() const {
    const std::uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    float magnitude = std::bit_cast<float>((exponent + 112) << 23 | fraction << 13);
    if (exponent == 0) magnitude = static_cast<float>(fraction) * 0x1p-24f;
    if (exponent == 31) {
      using limits = std::numeric_limits<float>;
      magnitude = fraction == 0 ? limits::infinity() : limits::quiet_NaN();
    }
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
  }
};

/// The upper half of a float.
struct bfloat16 {
  std::uint16_t bits;

  bfloat16() = default;
  explicit bfloat16(float x) {
    const auto as_bits = std::bit_cast<std::uint32_t>(x);
    bits = static_cast<std::uint16_t>(x != x ? as_bits >> 16 | 0x40
                                             : (as_bits + 0x7fff + (as_bits >> 16 & 1)) >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

}  // namespace heddle::cpu
