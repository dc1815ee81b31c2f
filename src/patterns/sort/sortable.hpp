#pragma once

#include <heddle/compiler.hpp>
#include <heddle/dtype.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Elements as unsigned integers in the same order: what a radix sort takes.
namespace heddle::impl {

template <std::size_t Bytes>
using unsigned_of_bytes =
    std::conditional_t<Bytes == 1, std::uint8_t,
                       std::conditional_t<Bytes == 2, std::uint16_t,
                                          std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// The integer of an element. NaNs of all kinds are the largest there is; −0 comes right before +0.
template <class T>
HD_INLINE unsigned_of_bytes<sizeof(T)> to_sortable(T x) {
  using bits = unsigned_of_bytes<sizeof(T)>;
  constexpr bits sign = static_cast<bits>(bits{1} << (8 * sizeof(T) - 1));
  const bits b = __builtin_bit_cast(bits, x);
  if constexpr (std::is_floating_point_v<T>) {
    if (x != x) return static_cast<bits>(~bits{0});
    return (b & sign) != 0 ? static_cast<bits>(~b) : static_cast<bits>(b | sign);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<bits>(b ^ sign);
  } else {
    return b;
  }
}

/// The element of an integer.
template <class T>
HD_INLINE T from_sortable(unsigned_of_bytes<sizeof(T)> key) {
  using bits = unsigned_of_bytes<sizeof(T)>;
  constexpr bits sign = static_cast<bits>(bits{1} << (8 * sizeof(T) - 1));
  if constexpr (std::is_floating_point_v<T>) {
    constexpr bits quiet_nan = static_cast<bits>(sizeof(T) == 4 ? 0x7fc00000u : 0x7ff8000000000000u);
    if (key == static_cast<bits>(~bits{0})) return __builtin_bit_cast(T, quiet_nan);
    return __builtin_bit_cast(T, (key & sign) != 0 ? static_cast<bits>(key ^ sign) : static_cast<bits>(~key));
  } else if constexpr (std::is_signed_v<T>) {
    return __builtin_bit_cast(T, static_cast<bits>(key ^ sign));
  } else {
    return static_cast<T>(key);
  }
}

/// The same with one integer for both zeros, so that equal elements have equal keys.
template <class T>
HD_INLINE unsigned_of_bytes<sizeof(T)> to_key(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return to_sortable(x == 0 ? T(0) : x);
  } else {
    return to_sortable(x);
  }
}

/// Calls f with an element of the type that has the order of `type`; a bool is a byte. Not called for complex
/// types, which have none.
template <class F>
void with_ordered_type(dtype type, F&& f) {
  with_type(type, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, bool>) {
      f(std::uint8_t{});
    } else if constexpr (!is_complex<T>) {
      f(T{});
    }
  });
}

}  // namespace heddle::impl
