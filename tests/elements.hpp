#pragma once

#include <heddle/array.hpp>
#include <heddle/operators.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

/// Elements to feed to patterns, what plain C++ makes of them, and comparisons of whole arrays.
namespace heddle::tests {

/// A floating-point number of 113 bits. GCC has no __float128 where a long double has as many.
#if __LDBL_MANT_DIG__ == 113
using quad = long double;
#else
using quad = __float128;
#endif

/// 64 bits that look random and depend on i alone (SplitMix64, Steele et al. 2014).
inline std::uint64_t random_bits(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
/// From −1 to 1.
inline double random_real(std::uint64_t i) {
  return static_cast<double>(random_bits(i) >> 11) * 0x1p-52 - 1;
}

/// Any value of a type: all bits of an integer, −1 to 1 for the rest.
template <class T>
T random_value(std::uint64_t i) {
  if constexpr (is_complex<T>) {
    using part = typename T::value_type;
    return T(static_cast<part>(random_real(2 * i)), static_cast<part>(random_real(2 * i + 1)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(random_real(i));
  } else {
    return static_cast<T>(random_bits(i));
  }
}

template <class Op, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<Op, Others> || ...);

/// Element i of n for an operator to combine, such that what comes of it changes from the first to the last.
template <class T, class Op>
T operand(std::size_t i, std::size_t n) {
  const std::uint64_t bits = random_bits(i);
  constexpr bool is_bool = std::is_same_v<T, bool>;
  constexpr bool falls =
      is_one_of<Op, logical_and, bit_and> || (is_bool && is_one_of<Op, multiplies, minimum>);
  constexpr bool rises = is_one_of<Op, logical_or, bit_or> || (is_bool && is_one_of<Op, plus, maximum>);
  const bool rare = 3 * i > n && bits % 16 == 0;
  if constexpr (falls || rises) {
    if constexpr (is_one_of<Op, bit_and, bit_or> && !is_bool) {
      const T one_bit = static_cast<T>(rare ? std::uint64_t{1} << (bits >> 8) % (8 * sizeof(T)) : 0);
      return falls ? static_cast<T>(~one_bit) : one_bit;
    } else {
      return static_cast<T>(falls != rare ? 1 + (is_bool ? 0 : bits % 5) : 0);
    }
  } else if constexpr (is_bool) {
    return bits % 2 != 0;
  } else if constexpr (std::is_same_v<Op, logical_xor>) {
    return static_cast<T>(bits % 3);
  } else if constexpr (is_one_of<Op, minimum, maximum>) {
    const int level = static_cast<int>(100 * i / n + bits % 8);
    return static_cast<T>(std::is_same_v<Op, maximum> ? level - (std::is_unsigned_v<T> ? 0 : 60)
                                                      : 110 - level);
  } else if constexpr (std::is_same_v<Op, multiplies>) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(bits | 1);  // odd factors lose no bits modulo a power of two
    } else {
      // All the products from one place to another are near 1.
      const double size = (1 + 0.3 * random_real(i)) / (1 + 0.3 * random_real(i - 1));
      if constexpr (is_complex<T>) return static_cast<T>(std::polar(size, 3.0 * random_real(~i)));
      return static_cast<T>(bits % 2 != 0 ? size : -size);
    }
  } else {
    return random_value<T>(i);
  }
}

/// n such elements.
template <class T, class Op>
array<T> operands(std::size_t n) {
  array<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x.data()[i] = operand<T, Op>(i, n);
  return x;
}

/// op(a, b) in plain C++: integers modulo 2^bits by way of 64 bits, real numbers in the arithmetic of T.
template <class Op, class T>
T plainly(T a, T b) {
  if constexpr (is_one_of<Op, logical_and, logical_or, logical_xor>) {
    const bool p = a != T(0), q = b != T(0);
    return T(std::is_same_v<Op, logical_and> ? p && q : std::is_same_v<Op, logical_or> ? p || q : p != q);
  } else if constexpr (std::is_same_v<Op, minimum>) {
    return a < b ? a : b;
  } else if constexpr (std::is_same_v<Op, maximum>) {
    return a < b ? b : a;
  } else if constexpr (std::is_same_v<T, bool>) {
    if constexpr (is_one_of<Op, plus, bit_or>) return a || b;
    if constexpr (is_one_of<Op, multiplies, bit_and>) return a && b;
    return a != b;
  } else if constexpr (std::is_integral_v<T>) {
    const auto p = static_cast<std::uint64_t>(a), q = static_cast<std::uint64_t>(b);
    if constexpr (std::is_same_v<Op, plus>) return static_cast<T>(p + q);
    if constexpr (std::is_same_v<Op, minus>) return static_cast<T>(p - q);
    if constexpr (std::is_same_v<Op, multiplies>) return static_cast<T>(p * q);
    if constexpr (std::is_same_v<Op, bit_and>) return static_cast<T>(p & q);
    if constexpr (std::is_same_v<Op, bit_or>) return static_cast<T>(p | q);
    if constexpr (std::is_same_v<Op, bit_xor>) return static_cast<T>(p ^ q);
  } else if constexpr (std::is_same_v<Op, plus>) {
    return a + b;
  } else if constexpr (std::is_same_v<Op, minus>) {
    return a - b;
  } else if constexpr (is_complex<T>) {
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else {
    return a * b;
  }
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Whether two arrays hold the same bits; says where they first differ.
template <class T>
testing::AssertionResult same_elements(std::span<const T> have, std::span<const T> want) {
  if (have.size() != want.size()) {
    return testing::AssertionFailure() << have.size() << " elements instead of " << want.size();
  }
  if (have.empty() || std::memcmp(have.data(), want.data(), have.size_bytes()) == 0)
    return testing::AssertionSuccess();
  for (std::size_t i = 0; i < have.size(); ++i) {
    if (same_bits(have[i], want[i])) continue;
    auto failure = testing::AssertionFailure() << "element " << i << " of " << have.size() << " differs: ";
    return failure << testing::PrintToString(have[i]) << " instead of " << testing::PrintToString(want[i]);
  }
  return testing::AssertionSuccess();
}
template <class T>
testing::AssertionResult same_elements(const array<T>& have, const array<T>& want) {
  const array<T> on_cpu = have.on(target::serial()), wanted = want.on(target::serial());
  return same_elements<T>(on_cpu.span(), wanted.span());
}

/// Calls f.operator()<T>() for each type.
template <class... T, class F>
void for_each_type(F&& f) {
  (f.template operator()<T>(), ...);
}
// The element types of tests that go through all of them. Each type is compiled with each operator, so that a
// test for 13 types takes half a minute to compile: `.ci/run --all` and scripts/on-gpu compile all of them,
// by HEDDLE_TEST_ALL_TYPES. Otherwise each width and kind has one type.
#if defined(HEDDLE_TEST_ALL_TYPES)
template <class F>
void for_each_integer_type(F&& f) {
  for_each_type<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                std::uint32_t, std::uint64_t>(f);
}
template <class F>
void for_each_rounded_type(F&& f) {
  for_each_type<float, double, std::complex<float>, std::complex<double>>(f);
}
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Sanitizers compile slowly.
template <class F>
void for_each_integer_type(F&& f) {
  for_each_type<bool, std::int16_t, std::uint64_t>(f);
}
template <class F>
void for_each_rounded_type(F&& f) {
  for_each_type<float, std::complex<double>>(f);
}
#else
template <class F>
void for_each_integer_type(F&& f) {
  for_each_type<bool, std::int8_t, std::uint16_t, std::int32_t, std::uint64_t>(f);
}
template <class F>
void for_each_rounded_type(F&& f) {
  for_each_type<float, double, std::complex<float>>(f);
}
#endif
template <class F>
void for_each_dtype(F&& f) {
  for_each_integer_type(f);
  for_each_rounded_type(f);
}

/// Calls f.operator()<Op>() for each built-in operator that the library has on elements of T.
template <class T, class F>
void for_each_operator(F&& f) {
  auto with = [&]<class Op>() {
    if constexpr (impl::library_has<T, Op>()) f.template operator()<Op>();
  };
  for_each_type<plus, multiplies, minimum, maximum, logical_and, logical_or, logical_xor, bit_and, bit_or,
                bit_xor>(with);
}

// Elements of a user's own, of sizes that no processor has.

/// Upper triangular 2×2 matrices of integers modulo 2^32, in 12 bytes. Their product is associative and does
/// not commute.
struct triangular {
  std::uint32_t a, b, d;
  friend HD_FN triangular operator*(const triangular& x, const triangular& y) {
    return {x.a * y.a, x.a * y.b + x.b * y.d, x.d * y.d};
  }
};
/// 5×5 matrices of integers modulo 2^32, in 100 bytes.
struct matrix5 {
  std::uint32_t at[5][5];
  friend HD_FN matrix5 operator*(const matrix5& x, const matrix5& y) {
    matrix5 product{};
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 5; ++j) {
        for (int k = 0; k < 5; ++k) product.at[i][j] += x.at[i][k] * y.at[k][j];
      }
    }
    return product;
  }
};
static_assert(sizeof(triangular) == 12 && sizeof(matrix5) == 100);

/// 2×2 matrices of floats near the identity, in 16 bytes. Their product is rounded and does not commute.
struct matrix2 {
  float a, b, c, d;
  friend HD_FN matrix2 operator*(const matrix2& x, const matrix2& y) {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};
/// x ↦ a·x + b on some numbers each.
template <int Numbers>
struct affine_maps {
  float a[Numbers], b[Numbers];
  friend HD_FN affine_maps operator*(const affine_maps& x, const affine_maps& y) {
    affine_maps both{};
    for (int i = 0; i < Numbers; ++i) {
      both.a[i] = x.a[i] * y.a[i];
      both.b[i] = x.b[i] * y.a[i] + y.b[i];
    }
    return both;
  }
};
using affine3 = affine_maps<3>;
using affine5 = affine_maps<5>;
static_assert(sizeof(matrix2) == 16 && sizeof(affine3) == 24 && sizeof(affine5) == 40);

/// Neighbours first … last of a row. Combining two that do not follow on one another gives the broken run.
struct run {
  std::int64_t first, last;
  HD_FN static constexpr run broken() { return {-1000, -1000}; }
  friend bool operator==(const run&, const run&) = default;
};
struct join {
  HD_FN run operator()(const run& a, const run& b) const {
    return a.last + 1 == b.first ? run{a.first, b.last} : run::broken();
  }
};

template <class T>
T random_element(std::uint64_t i);
template <>
inline triangular random_element(std::uint64_t i) {
  const auto at = [&](int k) {
    return static_cast<std::uint32_t>(random_bits(3 * i + static_cast<std::uint64_t>(k)));
  };
  return {at(0) | 1, at(1), at(2) | 1};
}
template <>
inline matrix2 random_element(std::uint64_t i) {
  const auto at = [&](std::uint64_t k) { return static_cast<float>(random_real(4 * i + k)); };
  return {0.7f + 0.2f * at(0), 0.3f * at(1), 0.3f * at(2), 0.7f + 0.2f * at(3)};
}
template <int Numbers>
affine_maps<Numbers> random_maps(std::uint64_t i) {
  affine_maps<Numbers> each;
  for (int k = 0; k < Numbers; ++k) {
    const auto place = 10 * i + static_cast<std::uint64_t>(k);
    each.a[k] = 0.8f + 0.2f * static_cast<float>(random_real(place));
    each.b[k] = static_cast<float>(random_real(place + 5));
  }
  return each;
}
template <>
inline affine3 random_element(std::uint64_t i) {
  return random_maps<3>(i);
}
template <>
inline affine5 random_element(std::uint64_t i) {
  return random_maps<5>(i);
}
template <>
inline matrix5 random_element(std::uint64_t i) {
  matrix5 m;
  for (int r = 0; r < 5; ++r) {
    for (int c = 0; c < 5; ++c) {
      m.at[r][c] = static_cast<std::uint32_t>(random_bits(25 * i + static_cast<std::uint64_t>(5 * r + c)));
    }
  }
  return m;
}

}  // namespace heddle::tests
