#include "tests/elements.hpp"
#include "tests/grouped_reduce.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/reduce.hpp>

#include <bit>
#include <complex>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

/// Functions and types of a user's own, which a host compiler compiled: a GPU does not have them.
/// user_operators_test.cu runs them there.
class reduce_by_users_operator : public on_targets {};
HD_ON_CPU_TARGETS(reduce_by_users_operator);

/// Checks flat and along both axes, where each line must have the bits that it has alone.
template <class T, class Op, class Element>
void check_users_operator(const hd::target& where, bool commutative, const Op& op, const Element& element) {
  const std::size_t tile = tile_of(sizeof(T), commutative);
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{2}, std::size_t{15}, std::size_t{16}, std::size_t{17}, tile - 1, tile,
        tile + 1, 3 * tile + 18, std::size_t{50'001}}) {
    hd::array<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x.data()[i] = element(i);
    const T want = grouped_reduce<T>(x.span(), commutative, op);
    ASSERT_TRUE(same_bits(hd::reduce(where, x, op), want)) << n;
    ASSERT_TRUE(same_bits(hd::reduce(where, x, op, element(n)), op(element(n), want))) << n;
  }
  for (const hd::shape& lengths : {hd::shape{40, 33}, hd::shape{33, 40}, hd::shape{tile + 1, 3},
                                   hd::shape{3, tile + 1}, hd::shape{2, 17, 5}, hd::shape{2, 1, 3}}) {
    hd::array<T> x(lengths);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = element(i);
    for (std::size_t axis = 0; axis < lengths.axes(); ++axis) {
      ASSERT_TRUE(
          reduces_lines(hd::reduce(where, x, hd::axis{static_cast<std::ptrdiff_t>(axis)}, op), x, axis,
                        [&](std::span<const T> line) { return grouped_reduce<T>(line, commutative, op); }))
          << lengths.text() << " along axis " << axis;
    }
  }
}

}  // namespace

TEST_P(reduce_by_users_operator, keeps_the_order_of_operands) {
  const auto product = [](const auto& a, const auto& b) { return a * b; };
  check_users_operator<triangular>(where, false, product, random_element<triangular>);
  check_users_operator<matrix5>(where, false, product, random_element<matrix5>);
  check_users_operator<run>(where, false, join{}, [](std::size_t i) {
    return run{static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)};
  });
  check_users_operator<int>(where, false, [](int a, int) { return a; }, random_value<int>);
  check_users_operator<int>(where, false, [](int, int b) { return b; }, random_value<int>);
  check_users_operator<float>(where, false, [](float a, float b) { return a + b; }, random_value<float>);
  check_users_operator<double>(where, false, hd::monoid{[](double a, double b) { return a + b; }, 0.0},
                               random_value<double>);
}

TEST_P(reduce_by_users_operator, gives_the_one_quiet_nan) {
  const float odd = std::bit_cast<float>(0xffc12345u), nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t n : {1, 2, 40, 5000}) {
    hd::array<float> x(n);
    x.fill(1);
    x.set(odd, n / 2);
    EXPECT_TRUE(same_bits(hd::reduce(where, x, [](float a, float b) { return a + b; }), nan)) << n;
  }
}

TEST_P(reduce_by_users_operator, joins_runs_and_first_and_last_are_the_ends) {
  for (const std::int64_t n : {1, 2, 512, 513, 100'000}) {
    hd::array<run> x(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) x.set({i, i}, i);
    EXPECT_EQ(hd::reduce(where, x, join{}), (run{0, n - 1}));
    EXPECT_EQ(hd::reduce(where, x, join{}, run{-5, -1}), (run{-5, n - 1}));
    EXPECT_EQ(hd::reduce(where, x, [](run a, run) { return a; }), (run{0, 0}));
    EXPECT_EQ(hd::reduce(where, x, [](run, run b) { return b; }), (run{n - 1, n - 1}));
  }
}

TEST_P(reduce_by_users_operator, a_commutative_one_goes_by_lanes_side_by_side) {
  const auto sum = [](auto a, auto b) { return a + b; };
  check_users_operator<float>(where, true, hd::commutative_monoid{sum, 0.f}, random_value<float>);
  check_users_operator<std::complex<double>>(where, true, hd::commutative_monoid{sum, std::complex<double>()},
                                             random_value<std::complex<double>>);
  struct vector3 {
    float x, y, z;
    vector3 operator+(const vector3& other) const { return {x + other.x, y + other.y, z + other.z}; }
  };
  const auto vector_at = [](std::size_t i) {
    return vector3{random_value<float>(3 * i), random_value<float>(3 * i + 1),
                   random_value<float>(3 * i + 2)};
  };
  check_users_operator<vector3>(where, true, hd::commutative_monoid{sum, vector3{}}, vector_at);
  // A type's own + may depend on the order.
  check_users_operator<vector3>(where, false, hd::plus{}, vector_at);
}

TEST_P(reduce_by_users_operator, built_in_operators_keep_the_order_on_a_users_type) {
  struct matrix2 {
    std::uint32_t a, b, c, d;
    matrix2 operator*(const matrix2& y) const {
      return {a * y.a + b * y.c, a * y.b + b * y.d, c * y.a + d * y.c, c * y.b + d * y.d};
    }
  };
  std::vector<matrix2> x;
  matrix2 product{1, 0, 0, 1};
  for (std::uint32_t i = 0; i < 1000; ++i) {
    x.push_back({i, 1, 2 * i + 1, 3});
    product = product * x.back();
  }
  const matrix2 have = hd::reduce(where, x, hd::multiplies{}),
                rows = hd::reduce(where, x, hd::axis{0}, hd::multiplies{})[0];
  for (const matrix2& y : {have, rows}) {
    EXPECT_EQ(std::tie(y.a, y.b, y.c, y.d), std::tie(product.a, product.b, product.c, product.d));
  }
}

TEST_P(reduce_by_users_operator, takes_long_doubles) {
  const std::vector<long double> x(1000, 0.1L);
  EXPECT_NEAR(static_cast<double>(hd::reduce(where, x) - 100.L), 0., 1e-15);
  EXPECT_EQ(hd::reduce(where, x, hd::minimum{}), 0.1L);
}

TEST_P(reduce_by_users_operator, no_elements_give_the_identity_that_it_has) {
  const std::vector<int> nothing;
  const auto first = [](int a, int) { return a; };
  EXPECT_EQ(hd::reduce(where, nothing, hd::monoid{first, 17}), 17);
  EXPECT_EQ(hd::reduce(where, nothing, first, 18), 18);
  EXPECT_EQ(message_of([&] { (void)hd::reduce(where, nothing, first); }),
            "reduce: 0 int32: there are no elements, and the operator has no identity to return: give an "
            "initial value");
  EXPECT_EQ(message_of([&] { (void)hd::reduce(where, hd::array<run>(0), join{}); }),
            "reduce: 0 elements of a user's type: there are no elements, and the operator has no identity to "
            "return: give "
            "an initial value");
  EXPECT_TRUE(
      same_elements(hd::reduce(where, hd::array<int>(hd::shape{0, 2}), hd::axis{0}, hd::monoid{first, 3}),
                    hd::array(std::vector{3, 3})));
}

namespace {

/// So large that the accumulators of a tile do not fit a stack.
struct page {
  std::uint32_t first, last, sums[1022];
};

}  // namespace

TEST_P(reduce_by_users_operator, combines_elements_of_a_page) {
  const auto combine = [](const page& a, const page& b) {
    page both = a;
    both.last = b.last;
    for (std::size_t i = 0; i < std::size(both.sums); ++i) both.sums[i] += b.sums[i];
    return both;
  };
  // A tile has 512 of them.
  for (const std::uint32_t n : {1, 2, 33, 511, 512, 513, 1100}) {
    hd::array<page> x(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      x.data()[i] = {i, i, {}};
      for (std::uint32_t k = 0; k < 1022; ++k) x.data()[i].sums[k] = i + k;
    }
    const page have = hd::reduce(where, x, combine);
    EXPECT_EQ(have.first, 0u);
    EXPECT_EQ(have.last, n - 1);
    for (std::uint32_t k = 0; k < 1022; ++k) ASSERT_EQ(have.sums[k], n * (n - 1) / 2 + n * k) << n;
  }
}

TEST_P(reduce_by_users_operator, transform_reduce_takes_any_number_of_inputs) {
  for (const std::size_t n : {1, 33, 8193, 100'003}) {
    hd::array<float> x = operands<float, hd::plus>(n), y(n), z(n), want(n);
    hd::array<double> squares(n);
    for (std::size_t i = 0; i < n; ++i) {
      y.data()[i] = random_value<float>(i + n);
      z.data()[i] = random_value<float>(i + 2 * n);
      want.data()[i] = x.data()[i] * y.data()[i] + z.data()[i] * 0.5f;
      squares.data()[i] = double{x.data()[i]} * x.data()[i];
    }
    const float have = hd::transform_reduce(
        where, x, y, z, 0.5f, [](float a, float b, float c, float d) { return a * b + c * d; }, hd::plus{});
    EXPECT_TRUE(same_bits(have, (grouped_reduce_by<hd::plus, float>(want.span())))) << n;
    const double square_sum =
        hd::transform_reduce(where, x, [](float a) { return double{a} * a; }, hd::plus{});
    EXPECT_TRUE(same_bits(square_sum, (grouped_reduce_by<hd::plus, double>(squares.span())))) << n;
    const std::int64_t positive =
        hd::transform_reduce(where, x, [](float a) { return std::int64_t{a > 0}; }, hd::plus{});
    EXPECT_EQ(positive, std::count_if(x.span().begin(), x.span().end(), [](float a) { return a > 0; }));
    EXPECT_TRUE(hd::transform_reduce(where, x, [](float a) { return a <= 1; }, hd::logical_and{}));
    EXPECT_FALSE(hd::transform_reduce(where, x, [](float a) { return a > 1; }, hd::logical_or{}));
    EXPECT_EQ(
        hd::transform_reduce(where, x, [](float) { return 1; }, hd::plus{}, 5), static_cast<int>(n) + 5);
    const run ends = hd::transform_reduce(
        where, hd::array<std::int64_t>(std::vector<std::int64_t>{4, 5, 6, 7}),
        [](std::int64_t i) { return run{i, i}; }, join{});
    EXPECT_EQ(ends, (run{4, 7}));
  }
}
