#pragma once

#include "tests/elements.hpp"
#include <heddle/array.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Types of a user's own, of several sizes, and arrays of them.
namespace heddle::tests {

/// Twelve bytes whose sums are rounded.
struct vector3 {
  float x, y, z;
  friend HD_FN vector3 operator+(const vector3& a, const vector3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
};
/// Sixteen bytes, which a GPU loads at once.
struct pair16 {
  double value;
  std::int64_t count;
  friend HD_FN pair16 operator+(const pair16& a, const pair16& b) {
    return {a.value + b.value, a.count + b.count};
  }
};
/// More than a row of 32 columns exchanges through shared memory.
struct vector40 {
  std::uint32_t at[40];
  friend HD_FN vector40 operator+(const vector40& a, const vector40& b) {
    vector40 total;
    for (int i = 0; i < 40; ++i) total.at[i] = a.at[i] + b.at[i];
    return total;
  }
};
/// Three and six bytes.
template <class Part>
struct colour {
  Part red, green, blue;
  friend HD_FN colour operator+(const colour& a, const colour& b) {
    return {static_cast<Part>(a.red + b.red), static_cast<Part>(a.green + b.green),
            static_cast<Part>(a.blue + b.blue)};
  }
};
static_assert(sizeof(colour<std::uint8_t>) == 3 && sizeof(colour<std::uint16_t>) == 6);
static_assert(sizeof(vector3) == 12 && sizeof(pair16) == 16 && sizeof(vector40) == 160);

template <class T>
T element(std::size_t i) {
  if constexpr (std::is_same_v<T, vector3>) {
    return {random_value<float>(3 * i), random_value<float>(3 * i + 1), random_value<float>(3 * i + 2)};
  } else if constexpr (std::is_same_v<T, pair16>) {
    return {random_value<double>(i), static_cast<std::int64_t>(i)};
  } else if constexpr (std::is_same_v<T, vector40>) {
    vector40 v;
    for (std::size_t k = 0; k < 40; ++k) v.at[k] = static_cast<std::uint32_t>(random_bits(40 * i + k));
    return v;
  } else if constexpr (requires(T x) { x.green; }) {
    using part = decltype(T::green);
    return {static_cast<part>(random_bits(3 * i)), static_cast<part>(random_bits(3 * i + 1)),
            static_cast<part>(random_bits(3 * i + 2))};
  } else if constexpr (std::is_same_v<T, run>) {
    return {static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)};
  } else if constexpr (std::is_arithmetic_v<T> || is_complex<T>) {
    return random_value<T>(i);
  } else {
    return random_element<T>(i);
  }
}

template <class T>
array<T> made(const shape& lengths) {
  array<T> x(lengths);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = element<T>(i);
  return x;
}

}  // namespace heddle::tests
