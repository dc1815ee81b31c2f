#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include <heddle/operators.hpp>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;
using hd::runtime_op, hd::is_complex;

namespace {

/// Edges of the type's range, small values and a few random ones; no NaN and no infinity.
template <class T>
std::vector<T> samples() {
  std::vector<T> values;
  if constexpr (std::is_same_v<T, bool>) return {false, true};
  for (const int small : {0, 1, 2, 3, 100, -1, -2, -7}) {
    if (small >= 0 || !std::is_unsigned_v<T>) values.push_back(static_cast<T>(small));
  }
  for (std::uint64_t i = 0; i < 12; ++i) values.push_back(random_value<T>(i));
  if constexpr (!is_complex<T>) {
    for (const T edge : {std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()})
      values.push_back(edge);
  }
  return values;
}

template <class T>
constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

/// A type of a user's own that is no number.
struct point {
  int x, y;
  friend point operator+(point a, point b) { return {a.x + b.x, a.y + b.y}; }
  friend point operator*(point a, point b) { return {a.x * b.x, a.y * b.y}; }
  friend point operator-(point a, point b) { return {a.x - b.x, a.y - b.y}; }
  friend bool operator<(point a, point b) { return a.x < b.x; }
  friend bool operator==(point, point) = default;
};

struct declares_that_it_does_not {
  static constexpr bool commutative = false;
};

/// One that is made from a number as numbers are.
struct modulo7 {
  int value;
  modulo7(int v) : value(v % 7) {}
  friend modulo7 operator+(modulo7 a, modulo7 b) { return a.value + b.value; }
  friend modulo7 operator*(modulo7 a, modulo7 b) { return a.value * b.value; }
  friend bool operator==(modulo7, modulo7) = default;
};

}  // namespace

TEST(operators, agree_with_plain_arithmetic_on_every_type) {
  for_each_dtype([]<class T>() {
    auto check = []<class Op>() {
      for (const T a : samples<T>()) {
        for (const T b : samples<T>()) {
          EXPECT_TRUE(same_bits(Op{}(a, b), plainly<Op>(a, b)))
              << hd::name(hd::impl::function_of<Op>) << " of " << a << " and " << b << " of type "
              << hd::impl::type_name<T>() << ": " << Op{}(a, b);
        }
      }
    };
    for_each_operator<T>(check);
    if constexpr (!std::is_same_v<T, bool>) check.template operator()<hd::minus>();
  });
}

TEST(operators, wrap_modulo_two_to_the_bits) {
  EXPECT_EQ(hd::plus{}(std::int8_t{127}, std::int8_t{1}), std::int8_t{-128});
  EXPECT_EQ(hd::multiplies{}(std::int16_t{-32768}, std::int16_t{-1}), std::int16_t{-32768});
  EXPECT_EQ(hd::multiplies{}(std::uint16_t{65535}, std::uint16_t{65535}), std::uint16_t{1});
  EXPECT_EQ(hd::plus{}(INT32_MAX, 1), INT32_MIN);
  EXPECT_EQ(hd::minus{}(INT64_MIN, std::int64_t{1}), INT64_MAX);
  EXPECT_EQ(hd::minus{}(std::uint8_t{0}, std::uint8_t{1}), std::uint8_t{255});
  EXPECT_EQ(hd::multiplies{}(INT64_MIN, std::int64_t{-1}), INT64_MIN);
}

TEST(operators, identities_change_nothing) {
  for_each_dtype([]<class T>() {
    for_each_operator<T>([]<class Op>() {
      static_assert(hd::impl::has_identity<Op, T>);
      const T identity = hd::impl::identity_of<Op, T>(Op{});
      std::vector<T> values = samples<T>();
      if constexpr (std::is_floating_point_v<T>) {
        values.push_back(std::numeric_limits<T>::infinity());
        values.push_back(-std::numeric_limits<T>::infinity());
      }
      for (const T& value : values) {
        const T seen = hd::impl::lift<Op>(value);
        EXPECT_EQ(Op{}(identity, seen), seen) << hd::impl::type_name<T>();
        EXPECT_EQ(Op{}(seen, identity), seen) << hd::impl::type_name<T>();
      }
    });
  });
}

TEST(operators, order_of_zeros_and_nans) {
  for_each_type<float, double>([]<class T>() {
    const T zero = 0, negative_zero = -zero, infinity = std::numeric_limits<T>::infinity();
    EXPECT_TRUE(same_bits(hd::minimum{}(zero, negative_zero), negative_zero));
    EXPECT_TRUE(same_bits(hd::minimum{}(negative_zero, zero), negative_zero));
    EXPECT_TRUE(same_bits(hd::maximum{}(zero, negative_zero), zero));
    EXPECT_TRUE(same_bits(hd::maximum{}(negative_zero, zero), zero));
    EXPECT_TRUE(same_bits(hd::maximum{}(negative_zero, negative_zero), negative_zero));
    for (const T other : {zero, T(1), infinity, -infinity, not_a_number<T>}) {
      EXPECT_TRUE(std::isnan(hd::minimum{}(not_a_number<T>, other)));
      EXPECT_TRUE(std::isnan(hd::minimum{}(other, not_a_number<T>)));
      EXPECT_TRUE(std::isnan(hd::maximum{}(not_a_number<T>, other)));
      EXPECT_TRUE(std::isnan(hd::maximum{}(other, not_a_number<T>)));
    }
    EXPECT_EQ(hd::minimum{}(-infinity, T(1)), -infinity);
    EXPECT_EQ(hd::maximum{}(infinity, T(1)), infinity);
  });
}

TEST(operators, logical_ones_tell_zero_from_all_else) {
  EXPECT_EQ(hd::logical_and{}(2.5f, -1.f), 1.f);
  EXPECT_EQ(hd::logical_and{}(2.5f, -0.f), 0.f);
  EXPECT_EQ(hd::logical_and{}(not_a_number<double>, 1.0), 1.0);
  EXPECT_EQ(hd::logical_or{}(0, 256), 1);
  EXPECT_EQ(hd::logical_xor{}(3, 8), 0);
  EXPECT_EQ(hd::logical_xor{}(0, 8), 1);
}

TEST(operators, complex_products_follow_the_textbook) {
  using complex = std::complex<double>;
  EXPECT_EQ(hd::multiplies{}(complex(1, 2), complex(3, 4)), complex(-5, 10));
  EXPECT_EQ(hd::plus{}(complex(1, 2), complex(3, 4)), complex(4, 6));
  EXPECT_EQ(hd::minus{}(complex(1, 2), complex(3, 5)), complex(-2, -3));
  // (1 + 2⁻²⁹)² − 1 keeps its last bit only in a fused multiply and add.
  const double x = 1 + 0x1p-29;
  EXPECT_EQ(hd::multiplies{}(complex(x, 1), complex(x, 1)).real(), 0x1p-28);
}

TEST(operators, declare_whether_they_commute) {
  for_each_operator<int>([]<class Op>() { static_assert(hd::is_commutative<Op, int>); });
  const auto f = [](int a, int b) { return a + b; };
  static_assert(!hd::is_commutative<decltype(f), int>);
  static_assert(!hd::is_commutative<decltype(hd::monoid{f, 0}), int>);
  static_assert(hd::is_commutative<decltype(hd::commutative_monoid{f, 0}), int>);
  static_assert(!hd::is_commutative<hd::minus, int>);
  static_assert(!hd::is_commutative<declares_that_it_does_not, int>);
  // Of a user's own type nothing is known: its product may be one of matrices.
  static_assert(hd::is_commutative<hd::multiplies, std::complex<float>>);
  static_assert(!hd::is_commutative<hd::multiplies, std::pair<int, int>>);
  EXPECT_EQ((hd::monoid{f, 4}(3, 5)), 8);
  EXPECT_EQ((hd::commutative_monoid{f, 4}(3, 5)), 8);
}

TEST(operators, a_monoid_has_the_identity_that_it_is_given) {
  const auto f = [](long a, long b) { return a + b; };
  static_assert(!hd::impl::has_identity<decltype(f), long>);
  const hd::monoid ordered{f, 9L};
  const hd::commutative_monoid unordered{f, 8};
  EXPECT_EQ((hd::impl::identity_of<decltype(ordered), long>(ordered)), 9);
  EXPECT_EQ((hd::impl::identity_of<decltype(unordered), long>(unordered)), 8);
}

TEST(operators, a_users_type_has_an_identity_when_it_is_made_from_numbers) {
  static_assert(!hd::impl::has_identity<hd::plus, point> && !hd::impl::has_identity<hd::multiplies, point>);
  static_assert(!hd::impl::has_identity<hd::minimum, point> && !hd::impl::has_identity<hd::maximum, point>);
  static_assert(!hd::impl::has_identity<hd::minimum, modulo7>);
  EXPECT_EQ((hd::impl::identity_of<hd::plus, modulo7>(hd::plus{})), modulo7(0));
  EXPECT_EQ((hd::impl::identity_of<hd::multiplies, modulo7>(hd::multiplies{})), modulo7(1));
  EXPECT_EQ(hd::plus{}(modulo7(5), modulo7(4)), modulo7(2));
  EXPECT_EQ(hd::multiplies{}(modulo7(5), modulo7(4)), modulo7(6));
  EXPECT_EQ(hd::plus{}(point{1, 2}, point{3, 4}), (point{4, 6}));
  EXPECT_EQ(hd::multiplies{}(point{1, 2}, point{3, 4}), (point{3, 8}));
  EXPECT_EQ(hd::minus{}(point{1, 2}, point{3, 4}), (point{-2, -2}));
  EXPECT_EQ(hd::minimum{}(point{1, 2}, point{3, 4}), (point{1, 2}));
  EXPECT_EQ(hd::maximum{}(point{1, 2}, point{3, 4}), (point{3, 4}));
}

TEST(operators, are_defined_on_the_types_that_they_make_sense_for) {
  using hd::is_defined, hd::dtype;
  for_each_dtype([]<class T>() {
    constexpr dtype type = hd::dtype_of<T>;
    constexpr bool integer = std::is_integral_v<T>, ordered = !is_complex<T>;
    static_assert(is_defined(runtime_op::plus, type) && is_defined(runtime_op::multiplies, type));
    static_assert(is_defined(runtime_op::minus, type) == !std::is_same_v<T, bool>);
    static_assert(is_defined(runtime_op::minimum, type) == ordered &&
                  is_defined(runtime_op::maximum, type) == ordered);
    for (const runtime_op f : {runtime_op::logical_and, runtime_op::logical_or, runtime_op::logical_xor}) {
      EXPECT_EQ(is_defined(f, type), ordered);
    }
    for (const runtime_op f : {runtime_op::bit_and, runtime_op::bit_or, runtime_op::bit_xor}) {
      EXPECT_EQ(is_defined(f, type), integer);
    }
    static_assert(!is_defined(runtime_op::none, type));
  });
}

TEST(operators, refuse_types_that_do_not_define_them) {
  static_assert(!std::is_invocable_v<hd::bit_and, float, float>);
  static_assert(!std::is_invocable_v<hd::minimum, std::complex<float>, std::complex<float>>);
  static_assert(std::is_invocable_v<hd::bit_xor, int, int>);
}

#if defined(__SIZEOF_INT128__)
TEST(operators, take_wider_integers_for_types_of_their_own) {
  static_assert(!hd::has_dtype<__int128>);
}
#endif

TEST(operators, have_the_names_of_their_types) {
  EXPECT_STREQ(hd::name(runtime_op::plus), "plus");
  EXPECT_STREQ(hd::name(runtime_op::multiplies), "multiplies");
  EXPECT_STREQ(hd::name(runtime_op::minimum), "minimum");
  EXPECT_STREQ(hd::name(runtime_op::maximum), "maximum");
  EXPECT_STREQ(hd::name(runtime_op::logical_and), "logical_and");
  EXPECT_STREQ(hd::name(runtime_op::logical_or), "logical_or");
  EXPECT_STREQ(hd::name(runtime_op::logical_xor), "logical_xor");
  EXPECT_STREQ(hd::name(runtime_op::bit_and), "bit_and");
  EXPECT_STREQ(hd::name(runtime_op::bit_or), "bit_or");
  EXPECT_STREQ(hd::name(runtime_op::bit_xor), "bit_xor");
  EXPECT_STREQ(hd::name(runtime_op::minus), "minus");
}
