#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/operator_on.hpp"
#include <heddle/array.hpp>
#include <heddle/reduce.hpp>

#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

// Reductions of NaN, infinities, zeros of both signs and numbers that overflow.

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class reduce : public on_targets {};
HD_ON_ALL_TARGETS(reduce);

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// A NaN with its own sign and payload.
template <class T>
T odd_nan(std::uint64_t seed) {
  const auto nan = std::bit_cast<bits_of<T>>(std::numeric_limits<T>::quiet_NaN());
  return std::bit_cast<T>(static_cast<bits_of<T>>(nan | (random_bits(seed) & 0xffff) |
                                                  static_cast<bits_of<T>>(seed % 2) << (8 * sizeof(T) - 1)));
}

/// A CPU combines few elements in the calling thread: one by one, in registers or in parts of registers.
/// Larger numbers follow.
constexpr std::array<std::size_t, 18> sizes_of_every_way() {
  return {1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 63, 65, 100, 300, 5000};
}

}  // namespace

TEST_P(reduce, extremes_do_not_mind_that_a_sum_of_their_elements_is_none) {
  for_each_type<float, double>([&]<class T>() {
    constexpr T most = std::numeric_limits<T>::max();
    for (const std::size_t n : sizes_of_every_way()) {
      if (n < 7) continue;
      hd::array<T> x(n);
      // Sums of any four or more of a kind are infinite.
      for (std::size_t i = 0; i < n; ++i) x.set(i < n / 2 ? most : -most, i);
      EXPECT_EQ(hd::reduce(where, x, hd::maximum{}), most) << named<T>(n);
      EXPECT_EQ(hd::reduce(where, x, hd::minimum{}), -most) << named<T>(n);
    }
  });
}

TEST_P(reduce, a_nan_anywhere_gives_the_one_quiet_nan) {
  for_each_type<float, double>([&]<class T>() {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    for (const std::size_t n : sizes_of_every_way()) {
      for (const std::size_t place : {std::size_t{0}, n / 2, n - 1}) {
        hd::array<T> x = operands<T, hd::plus>(n);
        x.set(odd_nan<T>(place), place);
        EXPECT_TRUE(same_bits(hd::reduce(where, x, hd::minimum{}), nan)) << named<T>(n) << ", " << place;
        EXPECT_TRUE(same_bits(hd::reduce(where, x, hd::maximum{}), nan)) << named<T>(n) << ", " << place;
        x.set(odd_nan<T>(place + 1), n - 1);
        for_each_type<hd::plus, hd::multiplies, hd::minimum, hd::maximum>([&]<class Op>() {
          EXPECT_TRUE(same_bits(hd::reduce(where, x, Op{}), nan))
              << named<T, Op>(n) << " with a NaN at " << place;
          EXPECT_TRUE(same_elements(hd::reduce(where, x, hd::axis{0}, Op{}),
                                    hd::array<T>(std::vector{nan}).reshaped(hd::shape())));
          EXPECT_TRUE(same_bits(hd::reduce(where, x, Op{}, T(2)), nan));
        });
        EXPECT_EQ(hd::reduce(where, x, hd::logical_and{}), T(1)) << "a NaN is not zero";
      }
    }
    const T infinity = std::numeric_limits<T>::infinity();
    for (const std::size_t n : sizes_of_every_way()) {
      if (n == 1) continue;
      hd::array<T> x = operands<T, hd::plus>(n);
      x.set(infinity, 0);
      EXPECT_EQ(hd::reduce(where, x), infinity);
      EXPECT_EQ(hd::reduce(where, x, hd::maximum{}), infinity);
      x.set(-infinity, n - 1);
      EXPECT_TRUE(same_bits(hd::reduce(where, x), nan)) << named<T>(n) << " with infinities of both signs";
      EXPECT_EQ(hd::reduce(where, x, hd::minimum{}), -infinity);
      EXPECT_EQ(hd::reduce(where, x, hd::maximum{}), infinity);
    }
    EXPECT_TRUE(same_bits(hd::reduce(where, std::vector<T>{T(1)}, hd::plus{}, odd_nan<T>(1)), nan));
  });
}

TEST_P(reduce, a_nan_in_one_part_of_a_complex_sum_stays_there) {
  for (const std::size_t n : {1, 3, 100, 3000}) {
    hd::array<std::complex<float>> x(n);
    x.fill({1, 2});
    x.set({odd_nan<float>(3), 2}, n / 2);
    const std::complex<float> sum = hd::reduce(where, x);
    EXPECT_TRUE(same_bits(sum.real(), std::numeric_limits<float>::quiet_NaN()));
    EXPECT_EQ(sum.imag(), 2 * static_cast<float>(n));
  }
}

TEST_P(reduce, negative_zero_lies_below_zero_and_sums_of_it_keep_it) {
  for_each_type<float, double>([&]<class T>() {
    for (const std::size_t n : sizes_of_every_way()) {
      hd::array<T> x(n);
      x.fill(T(-0.0));
      EXPECT_TRUE(same_bits(hd::reduce(where, x), T(-0.0)));
      EXPECT_TRUE(same_bits(hd::reduce(where, x, hd::maximum{}), T(-0.0)));
      EXPECT_EQ(hd::reduce(where, x, hd::logical_or{}), T(0));
      for (const std::size_t place : {std::size_t{0}, n / 2, n - 1}) {
        x.fill(T(-0.0));
        x.set(T(0), place);
        EXPECT_TRUE(same_bits(hd::reduce(where, x, hd::maximum{}), T(0))) << named<T>(n) << " at " << place;
        EXPECT_TRUE(same_bits(hd::reduce(where, x), T(0)));
        x.fill(T(0));
        x.set(T(-0.0), place);
        EXPECT_TRUE(same_bits(hd::reduce(where, x, hd::minimum{}), T(-0.0)))
            << named<T>(n) << " at " << place;
      }
    }
  });
}

TEST_P(reduce, overflow_wraps_integers_and_makes_floats_infinite) {
  for_each_type<std::int8_t, std::int16_t, std::int32_t, std::int64_t>([&]<class T>() {
    const T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
    EXPECT_EQ(hd::reduce(where, std::vector<T>{most, 1}), least);
    EXPECT_EQ(hd::reduce(where, std::vector<T>{least, -1}), most);
    EXPECT_EQ(hd::reduce(where, std::vector<T>{least, -1}, hd::multiplies{}), least);
    EXPECT_EQ(hd::reduce(where, std::vector<T>{least, most}, hd::minimum{}), least);
    EXPECT_EQ(hd::reduce(where, std::vector<T>{least, most}, hd::maximum{}), most);
  });
  const float most = std::numeric_limits<float>::max();
  EXPECT_EQ(hd::reduce(where, std::vector<float>{most, most}), std::numeric_limits<float>::infinity());
  EXPECT_EQ(hd::reduce(where, std::vector<float>{-most, most}, hd::multiplies{}),
            -std::numeric_limits<float>::infinity());
}

TEST_P(reduce, an_initial_value_of_a_line_has_the_bits_that_it_has_of_an_array) {
  const std::vector<float> x{1, 2, 3};
  const hd::array_view<const float> line(x.data(), hd::shape{3, 1});
  for (const float init : {odd_nan<float>(5), 0.1f, -0.f, std::numeric_limits<float>::infinity()}) {
    for_each_type<hd::plus, hd::multiplies, hd::minimum, hd::maximum>([&]<class Op>() {
      EXPECT_TRUE(
          same_bits(hd::reduce(where, line, hd::axis{0}, Op{}, init)[0], hd::reduce(where, x, Op{}, init)));
    });
    EXPECT_EQ(hd::reduce(where, line, hd::axis{0}, hd::logical_and{}, init)[0], init == 0 ? 0.f : 1.f);
  }
}
