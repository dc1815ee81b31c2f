#pragma once

/// Words of 32 bits as two or four numbers (__vadd2, __vmaxs4, …), and the sums, minima and maxima that
/// dynamic programming takes (__viaddmax_s32, …).

#include "entries.hpp"

namespace heddle_device {

/// The part of a word that begins at a bit.
template <class T>
HEDDLE_DEVICE int part(unsigned word, unsigned at) {
  using bits = decltype(sizeof(T) == 1 ? static_cast<unsigned char>(0) : static_cast<unsigned short>(0));
  return static_cast<T>(static_cast<bits>(word >> at));
}
template <class T>
HEDDLE_DEVICE unsigned placed(int value, unsigned at) {
  return (static_cast<unsigned>(value) & ((1u << (8 * sizeof(T))) - 1)) << at;
}
template <class T>
HEDDLE_DEVICE int saturated(int x) {
  constexpr int most = static_cast<T>(-1) > 0 ? (1 << (8 * sizeof(T))) - 1 : (1 << (8 * sizeof(T) - 1)) - 1,
                least = static_cast<T>(-1) > 0 ? 0 : -most - 1;
  return x < least ? least : x > most ? most : x;
}
HEDDLE_DEVICE constexpr int distance(int a, int b) {
  return a < b ? b - a : a - b;
}

}  // namespace heddle_device

// An expression of the same-numbered parts a, b and c of words, for each of them.
#define HEDDLE_PARTS1(NAME, T, EXPRESSION)                \
  HEDDLE_DEVICE unsigned NAME(unsigned x) {               \
    unsigned result = 0;                                  \
    for (unsigned at = 0; at < 32; at += 8 * sizeof(T)) { \
      const int a = heddle_device::part<T>(x, at);        \
      result |= heddle_device::placed<T>(EXPRESSION, at); \
    }                                                     \
    return result;                                        \
  }
#define HEDDLE_PARTS2(NAME, T, EXPRESSION)                                            \
  HEDDLE_DEVICE unsigned NAME(unsigned x, unsigned y) {                               \
    unsigned result = 0;                                                              \
    for (unsigned at = 0; at < 32; at += 8 * sizeof(T)) {                             \
      const int a = heddle_device::part<T>(x, at), b = heddle_device::part<T>(y, at); \
      result |= heddle_device::placed<T>(EXPRESSION, at);                             \
    }                                                                                 \
    return result;                                                                    \
  }
#define HEDDLE_PARTS3(NAME, T, EXPRESSION)                                            \
  HEDDLE_DEVICE unsigned NAME(unsigned x, unsigned y, unsigned z) {                   \
    unsigned result = 0;                                                              \
    for (unsigned at = 0; at < 32; at += 8 * sizeof(T)) {                             \
      const int a = heddle_device::part<T>(x, at), b = heddle_device::part<T>(y, at), \
                c = heddle_device::part<T>(z, at);                                    \
      result |= heddle_device::placed<T>(EXPRESSION, at);                             \
    }                                                                                 \
    return result;                                                                    \
  }
#define HEDDLE_SUM(NAME, T)                                                           \
  HEDDLE_DEVICE unsigned NAME(unsigned x, unsigned y) {                               \
    unsigned sum = 0;                                                                 \
    for (unsigned at = 0; at < 32; at += 8 * sizeof(T)) {                             \
      const int a = heddle_device::part<T>(x, at), b = heddle_device::part<T>(y, at); \
      sum += static_cast<unsigned>(heddle_device::distance(a, b));                    \
    }                                                                                 \
    return sum;                                                                       \
  }
// A comparison sets all bits of a part, or its lowest.
#define HEDDLE_COMPARISON(NAME, SIZE, T, SIGN)            \
  HEDDLE_PARTS2(__vcmp##NAME##SIZE, T, a SIGN b ? -1 : 0) \
  HEDDLE_PARTS2(__vset##NAME##SIZE, T, a SIGN b ? 1 : 0)
#define HEDDLE_WORDS(SIZE, SIGNED, UNSIGNED)                                              \
  HEDDLE_PARTS1(__vabs##SIZE, SIGNED, a < 0 ? -a : a)                                     \
  HEDDLE_PARTS1(__vabsss##SIZE, SIGNED, heddle_device::saturated<SIGNED>(a < 0 ? -a : a)) \
  HEDDLE_PARTS1(__vneg##SIZE, SIGNED, -a)                                                 \
  HEDDLE_PARTS1(__vnegss##SIZE, SIGNED, heddle_device::saturated<SIGNED>(-a))             \
  HEDDLE_PARTS2(__vadd##SIZE, UNSIGNED, a + b)                                            \
  HEDDLE_PARTS2(__vaddss##SIZE, SIGNED, heddle_device::saturated<SIGNED>(a + b))          \
  HEDDLE_PARTS2(__vaddus##SIZE, UNSIGNED, heddle_device::saturated<UNSIGNED>(a + b))      \
  HEDDLE_PARTS2(__vsub##SIZE, UNSIGNED, a - b)                                            \
  HEDDLE_PARTS2(__vsubss##SIZE, SIGNED, heddle_device::saturated<SIGNED>(a - b))          \
  HEDDLE_PARTS2(__vsubus##SIZE, UNSIGNED, heddle_device::saturated<UNSIGNED>(a - b))      \
  HEDDLE_PARTS2(__vavgs##SIZE, SIGNED, (a + b + (a + b >= 0)) >> 1)                       \
  HEDDLE_PARTS2(__vavgu##SIZE, UNSIGNED, (a + b + 1) >> 1)                                \
  HEDDLE_PARTS2(__vhaddu##SIZE, UNSIGNED, (a + b) >> 1)                                   \
  HEDDLE_PARTS2(__vabsdiffs##SIZE, SIGNED, heddle_device::distance(a, b))                 \
  HEDDLE_PARTS2(__vabsdiffu##SIZE, UNSIGNED, heddle_device::distance(a, b))               \
  HEDDLE_PARTS2(__vmaxs##SIZE, SIGNED, a > b ? a : b)                                     \
  HEDDLE_PARTS2(__vmaxu##SIZE, UNSIGNED, a > b ? a : b)                                   \
  HEDDLE_PARTS2(__vmins##SIZE, SIGNED, a < b ? a : b)                                     \
  HEDDLE_PARTS2(__vminu##SIZE, UNSIGNED, a < b ? a : b)                                   \
  HEDDLE_SUM(__vsads##SIZE, SIGNED)                                                       \
  HEDDLE_SUM(__vsadu##SIZE, UNSIGNED)                                                     \
  HEDDLE_COMPARISON(eq, SIZE, UNSIGNED, ==)                                               \
  HEDDLE_COMPARISON(ne, SIZE, UNSIGNED, !=)                                               \
  HEDDLE_COMPARISON(lts, SIZE, SIGNED, <)                                                 \
  HEDDLE_COMPARISON(ltu, SIZE, UNSIGNED, <)                                               \
  HEDDLE_COMPARISON(les, SIZE, SIGNED, <=)                                                \
  HEDDLE_COMPARISON(leu, SIZE, UNSIGNED, <=)                                              \
  HEDDLE_COMPARISON(gts, SIZE, SIGNED, >)                                                 \
  HEDDLE_COMPARISON(gtu, SIZE, UNSIGNED, >)                                               \
  HEDDLE_COMPARISON(ges, SIZE, SIGNED, >=)                                                \
  HEDDLE_COMPARISON(geu, SIZE, UNSIGNED, >=)
HEDDLE_WORDS(2, short, unsigned short)
HEDDLE_WORDS(4, signed char, unsigned char)
#undef HEDDLE_WORDS
#undef HEDDLE_COMPARISON
#undef HEDDLE_SUM
#undef HEDDLE_PARTS1

// Sums wrap around. What ends in relu is 0 at least.
#define HEDDLE_EXTREME(NAME, SIGN)                                                                        \
  HEDDLE_WHOLE2(__vi##NAME##_s32_relu, int, heddle_device::at_least_0(a SIGN b ? a : b))                  \
  HEDDLE_PARTS2(__vi##NAME##_s16x2_relu, short, heddle_device::at_least_0(a SIGN b ? a : b))              \
  HEDDLE_WHOLE3(__vi##NAME##3_s32, int, heddle_device::NAME##_of(a, heddle_device::NAME##_of(b, c)))      \
  HEDDLE_WHOLE3(__vi##NAME##3_u32, unsigned, heddle_device::NAME##_of(a, heddle_device::NAME##_of(b, c))) \
  HEDDLE_WHOLE3(__vi##NAME##3_s32_relu, int,                                                              \
                heddle_device::at_least_0(heddle_device::NAME##_of(a, heddle_device::NAME##_of(b, c))))   \
  HEDDLE_PARTS3(__vi##NAME##3_s16x2, short, heddle_device::NAME##_of(a, heddle_device::NAME##_of(b, c)))  \
  HEDDLE_PARTS3(__vi##NAME##3_u16x2, unsigned short,                                                      \
                heddle_device::NAME##_of(a, heddle_device::NAME##_of(b, c)))                              \
  HEDDLE_PARTS3(__vi##NAME##3_s16x2_relu, short,                                                          \
                heddle_device::at_least_0(heddle_device::NAME##_of(a, heddle_device::NAME##_of(b, c))))   \
  HEDDLE_WHOLE3(__viadd##NAME##_s32, int,                                                                 \
                heddle_device::NAME##_of(heddle_device::wrapped<int>(unsigned(a) + unsigned(b)), c))      \
  HEDDLE_WHOLE3(__viadd##NAME##_u32, unsigned, heddle_device::NAME##_of(a + b, c))                        \
  HEDDLE_WHOLE3(__viadd##NAME##_s32_relu, int,                                                            \
                heddle_device::at_least_0(                                                                \
                    heddle_device::NAME##_of(heddle_device::wrapped<int>(unsigned(a) + unsigned(b)), c))) \
  HEDDLE_PARTS3(__viadd##NAME##_s16x2, short,                                                             \
                heddle_device::NAME##_of(heddle_device::wrapped<short>(a + b), c))                        \
  HEDDLE_PARTS3(__viadd##NAME##_u16x2, unsigned short,                                                    \
                heddle_device::NAME##_of(heddle_device::wrapped<unsigned short>(a + b), c))               \
  HEDDLE_PARTS3(                                                                                          \
      __viadd##NAME##_s16x2_relu, short,                                                                  \
      heddle_device::at_least_0(heddle_device::NAME##_of(heddle_device::wrapped<short>(a + b), c)))       \
  HEDDLE_DEVICE int __vib##NAME##_s32(int a, int b, bool* is_first) {                                     \
    *is_first = a SIGN## = b;                                                                             \
    return a SIGN b ? a : b;                                                                              \
  }                                                                                                       \
  HEDDLE_DEVICE unsigned __vib##NAME##_u32(unsigned a, unsigned b, bool* is_first) {                      \
    *is_first = a SIGN## = b;                                                                             \
    return a SIGN b ? a : b;                                                                              \
  }                                                                                                       \
  HEDDLE_DEVICE unsigned __vib##NAME##_s16x2(unsigned a, unsigned b, bool* high_is_first,                 \
                                             bool* low_is_first) {                                        \
    *high_is_first = static_cast<short>(a >> 16) SIGN## = static_cast<short>(b >> 16);                    \
    *low_is_first = static_cast<short>(a) SIGN## = static_cast<short>(b);                                 \
    return __v##NAME##s2(a, b);                                                                           \
  }                                                                                                       \
  HEDDLE_DEVICE unsigned __vib##NAME##_u16x2(unsigned a, unsigned b, bool* high_is_first,                 \
                                             bool* low_is_first) {                                        \
    *high_is_first = (a >> 16) SIGN## = (b >> 16);                                                        \
    *low_is_first = (a & 0xffff) SIGN## = (b & 0xffff);                                                   \
    return __v##NAME##u2(a, b);                                                                           \
  }
#define HEDDLE_WHOLE2(NAME, T, EXPRESSION) \
  HEDDLE_DEVICE T NAME(T a, T b) {         \
    return EXPRESSION;                     \
  }
#define HEDDLE_WHOLE3(NAME, T, EXPRESSION) \
  HEDDLE_DEVICE T NAME(T a, T b, T c) {    \
    return EXPRESSION;                     \
  }
namespace heddle_device {

template <class T>
HEDDLE_DEVICE constexpr T max_of(T a, T b) {
  return a > b ? a : b;
}
template <class T>
HEDDLE_DEVICE constexpr T min_of(T a, T b) {
  return a < b ? a : b;
}
HEDDLE_DEVICE constexpr int at_least_0(int a) {
  return a < 0 ? 0 : a;
}
template <class T>
HEDDLE_DEVICE constexpr auto wrapped(long long sum) {
  if constexpr (sizeof(T) == 4) {
    return static_cast<T>(sum);
  } else {
    return static_cast<int>(static_cast<T>(sum));
  }
}

}  // namespace heddle_device
HEDDLE_EXTREME(max, >)
HEDDLE_EXTREME(min, <)
#undef HEDDLE_EXTREME
#undef HEDDLE_PARTS2
#undef HEDDLE_PARTS3
#undef HEDDLE_WHOLE2
#undef HEDDLE_WHOLE3
