#pragma once

/// PTX's instructions for the 2 or 4 numbers in a word, *SIMD Video Instructions*.

#include "arithmetic.hpp"

namespace heddle_device::ptx {

/// Number `i` of a word of numbers of so many bits.
template <unsigned Bits, bool IsSigned>
HEDDLE_DEVICE int part_of(u32 word, unsigned i) {
  const u32 bits = word >> (i * Bits) & ((1u << Bits) - 1);
  return IsSigned && (bits >> (Bits - 1)) != 0 ? static_cast<int>(bits) - (1 << Bits)
                                               : static_cast<int>(bits);
}

struct vadd {
  static HEDDLE_DEVICE int of(int a, int b) { return a + b; }
};
struct vsub {
  static HEDDLE_DEVICE int of(int a, int b) { return a - b; }
};
/// Rounded to the nearest, a half away from zero.
struct vavrg {
  static HEDDLE_DEVICE int of(int a, int b) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; }
};
struct vabsdiff {
  static HEDDLE_DEVICE int of(int a, int b) { return a < b ? b - a : a - b; }
};
struct vmin {
  static HEDDLE_DEVICE int of(int a, int b) { return a < b ? a : b; }
};
struct vmax {
  static HEDDLE_DEVICE int of(int a, int b) { return a < b ? b : a; }
};
#define HEDDLE_VSET(NAME, COMPARISON)                                    \
  struct vset_##NAME {                                                   \
    static HEDDLE_DEVICE int of(int a, int b) { return a COMPARISON b; } \
  };
HEDDLE_VSET(eq, ==)
HEDDLE_VSET(ne, !=)
HEDDLE_VSET(lt, <)
HEDDLE_VSET(le, <=)
HEDDLE_VSET(gt, >)
HEDDLE_VSET(ge, >=)
#undef HEDDLE_VSET

template <class Op, unsigned Bits, bool SignedA, bool SignedB, bool SignedResult, bool Saturates>
HEDDLE_DEVICE u32 video(u32 a, u32 b) {
  constexpr int least = SignedResult ? -(1 << (Bits - 1)) : 0, most = least + (1 << Bits) - 1;
  u32 result = 0;
  for (unsigned i = 0; i < 32 / Bits; ++i) {
    int part = Op::of(part_of<Bits, SignedA>(a, i), part_of<Bits, SignedB>(b, i));
    if (Saturates) part = part < least ? least : part > most ? most : part;
    result |= (static_cast<u32>(part) & ((1u << Bits) - 1)) << (i * Bits);
  }
  return result;
}
/// c and the results.
template <class Op, unsigned Bits, bool SignedA, bool SignedB>
HEDDLE_DEVICE u32 video_sum(u32 a, u32 b, u32 c) {
  for (unsigned i = 0; i < 32 / Bits; ++i)
    c += static_cast<u32>(Op::of(part_of<Bits, SignedA>(a, i), part_of<Bits, SignedB>(b, i)));
  return c;
}

}  // namespace heddle_device::ptx
