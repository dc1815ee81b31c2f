/// A floating-point number of 16 bits and the pair of it, with their operators. It has no guard: half.hpp and
/// cuda_bf16.h read it, and functions_of_16_bits.hpp after it, for a type each, and say
///   HEDDLE_HALF, HEDDLE_HALF2             the type and its pair
///   HEDDLE_RAW, HEDDLE_RAW2               structures of their bits
///   HEDDLE_WORD                           what functions call it: half of __float2half_rn
///   HEDDLE_WIDE                           the type that it is computed in
///   HEDDLE_TO_FLOAT, HEDDLE_FROM_FLOAT    what its bits are as float, and the nearest bits to a float

struct HEDDLE_HALF;
struct HEDDLE_HALF2;
struct HEDDLE_RAW {
  unsigned short x;
  HEDDLE_DEVICE operator HEDDLE_HALF() const;
};
struct alignas(4) HEDDLE_RAW2 {
  unsigned short x, y;
  HEDDLE_DEVICE operator HEDDLE_HALF2() const;
};
struct HEDDLE_HALF {
  unsigned short bits;

  HEDDLE_HALF() = default;
  HEDDLE_DEVICE HEDDLE_HALF(float f) : bits(HEDDLE_FROM_FLOAT(f)) {}
  HEDDLE_DEVICE HEDDLE_HALF(double d) : HEDDLE_HALF(heddle_device::float_to_odd(d)) {}
#define HEDDLE_FROM(I) \
  HEDDLE_DEVICE HEDDLE_HALF(I i) : HEDDLE_HALF(heddle_device::double_to_odd(i)) {}
  HEDDLE_FROM(short)
  HEDDLE_FROM(unsigned short)
  HEDDLE_FROM(int)
  HEDDLE_FROM(unsigned)
  HEDDLE_FROM(long)
  HEDDLE_FROM(unsigned long)
  HEDDLE_FROM(long long)
  HEDDLE_FROM(unsigned long long)
#undef HEDDLE_FROM
  HEDDLE_DEVICE operator float() const { return HEDDLE_TO_FLOAT(bits); }
  HEDDLE_DEVICE operator HEDDLE_RAW() const { return {bits}; }
};
struct alignas(4) HEDDLE_HALF2 {
  HEDDLE_HALF x, y;

  HEDDLE_HALF2() = default;
  HEDDLE_DEVICE HEDDLE_HALF2(HEDDLE_HALF a, HEDDLE_HALF b) : x(a), y(b) {}
  HEDDLE_DEVICE operator HEDDLE_RAW2() const { return {x.bits, y.bits}; }
};
HEDDLE_DEVICE HEDDLE_RAW::operator HEDDLE_HALF() const {
  HEDDLE_HALF result;
  result.bits = x;
  return result;
}
HEDDLE_DEVICE HEDDLE_RAW2::operator HEDDLE_HALF2() const {
  return {HEDDLE_RAW{x}, HEDDLE_RAW{y}};
}

// ---------------------------------------------------------------------------------------- operators

#define HEDDLE_OPERATOR(SIGN)                                                        \
  HEDDLE_DEVICE HEDDLE_HALF operator SIGN(HEDDLE_HALF a, HEDDLE_HALF b) {            \
    return HEDDLE_HALF(static_cast<HEDDLE_WIDE>(float(a)) SIGN float(b));            \
  }                                                                                  \
  HEDDLE_DEVICE HEDDLE_HALF& operator SIGN## = (HEDDLE_HALF & a, HEDDLE_HALF b) {    \
    return a = a SIGN b;                                                             \
  }                                                                                  \
  HEDDLE_DEVICE HEDDLE_HALF2 operator SIGN(HEDDLE_HALF2 a, HEDDLE_HALF2 b) {         \
    return {a.x SIGN b.x, a.y SIGN b.y};                                             \
  }                                                                                  \
  HEDDLE_DEVICE HEDDLE_HALF2& operator SIGN## = (HEDDLE_HALF2 & a, HEDDLE_HALF2 b) { \
    return a = a SIGN b;                                                             \
  }
HEDDLE_OPERATOR(+)
HEDDLE_OPERATOR(-)
HEDDLE_OPERATOR(*)
HEDDLE_OPERATOR(/)
#undef HEDDLE_OPERATOR
#define HEDDLE_OPERATOR(SIGN)                                        \
  HEDDLE_DEVICE bool operator SIGN(HEDDLE_HALF a, HEDDLE_HALF b) {   \
    return float(a) SIGN float(b);                                   \
  }                                                                  \
  HEDDLE_DEVICE bool operator SIGN(HEDDLE_HALF2 a, HEDDLE_HALF2 b) { \
    return a.x SIGN b.x && a.y SIGN b.y;                             \
  }
HEDDLE_OPERATOR(==)
HEDDLE_OPERATOR(!=)
HEDDLE_OPERATOR(<)
HEDDLE_OPERATOR(<=)
HEDDLE_OPERATOR(>)
HEDDLE_OPERATOR(>=)
#undef HEDDLE_OPERATOR
HEDDLE_DEVICE HEDDLE_HALF operator+(HEDDLE_HALF a) {
  return a;
}
HEDDLE_DEVICE HEDDLE_HALF operator-(HEDDLE_HALF a) {
  a.bits ^= 0x8000;
  return a;
}
HEDDLE_DEVICE HEDDLE_HALF2 operator+(HEDDLE_HALF2 a) {
  return a;
}
HEDDLE_DEVICE HEDDLE_HALF2 operator-(HEDDLE_HALF2 a) {
  return {-a.x, -a.y};
}
HEDDLE_DEVICE HEDDLE_HALF& operator++(HEDDLE_HALF& a) {
  return a += HEDDLE_HALF(1.0f);
}
HEDDLE_DEVICE HEDDLE_HALF& operator--(HEDDLE_HALF& a) {
  return a -= HEDDLE_HALF(1.0f);
}
HEDDLE_DEVICE HEDDLE_HALF operator++(HEDDLE_HALF& a, int) {
  const HEDDLE_HALF before = a;
  ++a;
  return before;
}
HEDDLE_DEVICE HEDDLE_HALF operator--(HEDDLE_HALF& a, int) {
  const HEDDLE_HALF before = a;
  --a;
  return before;
}
