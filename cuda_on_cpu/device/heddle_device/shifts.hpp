#pragma once

/// Shifts as a GPU does them: an amount that is as large as the number's bits, or larger, leaves nothing of
/// it but its sign. What is written `x << n` in code of the device becomes `x << shift_left << n`
/// (shifts.cpp), which binds in the same way.

#include "module.hpp"

namespace heddle_device {

template <class T>
constexpr bool is_integer = false;
#define HEDDLE_INTEGER(T) \
  template <>             \
  inline constexpr bool is_integer<T> = true;
HEDDLE_INTEGER(int)
HEDDLE_INTEGER(unsigned)
HEDDLE_INTEGER(long)
HEDDLE_INTEGER(unsigned long)
HEDDLE_INTEGER(long long)
HEDDLE_INTEGER(unsigned long long)
#undef HEDDLE_INTEGER

/// What an operand is promoted to; void for what is no integer.
template <class T, class = void>
struct promoted {
  using type = void;
};
template <bool, class T>
struct type_if {};
template <class T>
struct type_if<true, T> {
  using type = T;
};
template <class T>
struct promoted<T, typename type_if<is_integer<decltype(+value_of_type<const T&>())>, void>::type> {
  using type = typename without_qualifiers<decltype(+value_of_type<const T&>())>::type;
};

template <class P>
HEDDLE_DEVICE constexpr P shifted_left(P x, unsigned by) {
  constexpr unsigned bits = 8 * sizeof(P);
  if (by >= bits) {
    if (!__builtin_is_constant_evaluated()) heddle_wide_shift(by, bits);
    return 0;
  }
  return static_cast<P>(static_cast<unsigned long long>(x) << by);
}
template <class P>
HEDDLE_DEVICE constexpr P shifted_right(P x, unsigned by) {
  constexpr unsigned bits = 8 * sizeof(P);
  if (by >= bits) {
    if (!__builtin_is_constant_evaluated()) heddle_wide_shift(by, bits);
    return x < 0 ? static_cast<P>(-1) : 0;
  }
  return static_cast<P>(x >> by);
}

struct left_shift {};
struct right_shift {};
inline constexpr left_shift shift_left{};
inline constexpr right_shift shift_right{};

/// The left operand of a shift: an integer, as it is promoted, or something of which operators are its own.
template <class P, class Direction>
struct integer_operand {
  P value;
};
template <class T>
struct other_operand {
  T& value;
};
/// The right one of `x <<= n`.
template <class Direction>
struct shift_amount {
  unsigned by;
};
template <class N, class Direction>
struct other_amount {
  const N& by;
};

#define HEDDLE_SHIFT(SIGN, ASSIGNMENT, DIRECTION, FUNCTION)                                                  \
  template <class T, class P = typename promoted<T>::type, class = typename type_if<is_integer<P>, P>::type> \
  HEDDLE_DEVICE constexpr integer_operand<P, DIRECTION> operator SIGN(T x, DIRECTION) {                      \
    return {+x};                                                                                             \
  }                                                                                                          \
  template <class T, class = typename type_if<!is_integer<typename promoted<T>::type>, T>::type>             \
  HEDDLE_DEVICE constexpr other_operand<T> operator SIGN(T& x, DIRECTION) {                                  \
    return {x};                                                                                              \
  }                                                                                                          \
  template <class T, class = typename type_if<!is_integer<typename promoted<T>::type>, T>::type>             \
  HEDDLE_DEVICE constexpr other_operand<const T> operator SIGN(const T& x, DIRECTION) {                      \
    return {x};                                                                                              \
  }                                                                                                          \
  template <class P, class N>                                                                                \
  HEDDLE_DEVICE constexpr P operator SIGN(integer_operand<P, DIRECTION> x, N by) {                           \
    return FUNCTION(x.value, static_cast<unsigned>(+by));                                                    \
  }                                                                                                          \
  template <class N, class = typename type_if<is_integer<typename promoted<N>::type>, N>::type>              \
  HEDDLE_DEVICE constexpr shift_amount<DIRECTION> operator ASSIGNMENT(DIRECTION, N by) {                     \
    return {static_cast<unsigned>(+by)};                                                                     \
  }                                                                                                          \
  template <class N, class = typename type_if<!is_integer<typename promoted<N>::type>, N>::type>             \
  HEDDLE_DEVICE constexpr other_amount<N, DIRECTION> operator ASSIGNMENT(DIRECTION, const N& by) {           \
    return {by};                                                                                             \
  }                                                                                                          \
  template <class T, class P = typename promoted<T>::type, class = typename type_if<is_integer<P>, P>::type> \
  HEDDLE_DEVICE constexpr T& operator ASSIGNMENT(T& x, shift_amount<DIRECTION> by) {                         \
    x = static_cast<typename without_qualifiers<T>::type>(FUNCTION(static_cast<P>(+x), by.by));              \
    return x;                                                                                                \
  }                                                                                                          \
  template <class T, class = typename type_if<!is_integer<typename promoted<T>::type>, T>::type>             \
  HEDDLE_DEVICE constexpr decltype(auto) operator ASSIGNMENT(T& x, shift_amount<DIRECTION> by) {             \
    return x ASSIGNMENT by.by;                                                                               \
  }                                                                                                          \
  template <class T, class N>                                                                                \
  HEDDLE_DEVICE constexpr decltype(auto) operator ASSIGNMENT(T& x, other_amount<N, DIRECTION> by) {          \
    return x ASSIGNMENT by.by;                                                                               \
  }                                                                                                          \
  template <class T, class N>                                                                                \
  HEDDLE_DEVICE constexpr decltype(auto) operator SIGN(other_operand<T> x, const N& by) {                    \
    return x.value SIGN by;                                                                                  \
  }
HEDDLE_SHIFT(<<, <<=, left_shift, shifted_left)
HEDDLE_SHIFT(>>, >>=, right_shift, shifted_right)
#undef HEDDLE_SHIFT

}  // namespace heddle_device
