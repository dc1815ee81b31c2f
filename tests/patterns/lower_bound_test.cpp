#include "tests/on_targets.hpp"
#include "tests/ordered.hpp"
#include "tests/users_order_checks.hpp"
#include <heddle/lower_bound.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class bounds : public on_targets {};
HD_ON_ALL_TARGETS(bounds);

/// Functions that a host compiler compiled: a GPU does not have them.
class bounds_by_users_function : public on_targets {};
HD_ON_CPU_TARGETS(bounds_by_users_function);

template <class T>
void check(const hd::target& where, const hd::array<T>& x, const hd::array<T>& values, hd::sort_order order) {
  const auto before = [&](const T& a, const T& b) {
    return order == falling ? comes_before(b, a) : comes_before(a, b);
  };
  std::vector<std::size_t> lower, upper;
  for (const T& value : values.span()) {
    const auto all = x.span();
    lower.push_back(
        static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), value, before) - all.begin()));
    upper.push_back(
        static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), value, before) - all.begin()));
  }
  const auto note = [&] { return std::string(hd::impl::type_name<T>()) + ' ' + std::to_string(x.size()); };
  ASSERT_EQ(hd::lower_bound(where, x, values, order).to_vector(), lower) << note();
  ASSERT_EQ(hd::upper_bound(where, x, values, order).to_vector(), upper) << note();
}

}  // namespace

TEST_P(bounds, are_those_of_the_standard_library) {
  for_each_ordered_type([&]<class T>() {
    for (const std::size_t n : {0, 1, 2, 31, 5000}) {
      hd::array<T> x = sorted_by_loops(mixed<T>(n));
      // Values that are there, and others, special ones among both.
      // From 16,386 values on threads share them.
      hd::array<T> values(n == 31 ? 17'003 : 1001);
      const hd::array<T> others = mixed<T>(2 * values.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        values.data()[i] =
            i % 2 == 0 && n > 0 ? x.data()[random_bits(i) % n] : others.data()[i + values.size()];
      check(where, x, values, hd::sort_order::ascending);
      std::reverse(x.data(), x.data() + n);
      check(where, x, values, falling);
    }
  });
}

/// Searches begin at the bound of the value before, while values ascend.
TEST_P(bounds, of_values_that_ascend_for_a_while) {
  for_each_type<std::uint16_t, float, std::uint32_t, double, std::int64_t>([&]<class T>() {
    const hd::array<T> x = sorted_by_loops(mixed<T>(3000));
    for (const std::size_t run : {1, 15, 16, 17, 64, 100, 1000}) {
      hd::array<T> values = mixed<T>(1000 + run % 3);
      for (std::size_t first = 0; first < values.size(); first += run) {
        T* const begin = values.data() + first;
        std::sort(begin, values.data() + std::min(first + run, values.size()), comes_before<T>);
      }
      check(where, x, values, hd::sort_order::ascending);
    }
  });
}

TEST_P(bounds, of_one_value_and_of_none) {
  const std::vector<float> x{1, 2, 2, 3};
  EXPECT_EQ(hd::lower_bound(where, x, std::vector<float>{2}).to_vector(), std::vector<std::size_t>{1});
  EXPECT_EQ(hd::upper_bound(where, x, std::vector<float>{2}).to_vector(), std::vector<std::size_t>{3});
  EXPECT_EQ(hd::upper_bound(where, x, std::vector<float>()).size(), 0u);
}

TEST_P(bounds, have_the_shape_of_the_values) {
  const hd::array<int> x(std::vector<int>{9, 7, 7, 1}, where);
  const hd::array<int> values(std::vector<int>{8, 7, 10, 0});
  const auto places = hd::lower_bound(where, x, values.reshaped({2, 1, 2}), std::greater<>{});
  EXPECT_EQ(places.shape(), (hd::shape{2, 1, 2}));
  EXPECT_EQ(places.where(), where);
  EXPECT_EQ(places.to_vector(), (std::vector<std::size_t>{1, 1, 0, 4}));
}

TEST_P(bounds, put_nans_last_and_zeros_together) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> x{-1, -0.0, 0.0, 2, nan, -nan};
  const std::vector<double> values{0.0, -0.0, nan, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(hd::lower_bound(where, x, values).to_vector(), (std::vector<std::size_t>{1, 1, 4, 4}));
  EXPECT_EQ(hd::upper_bound(where, x, values).to_vector(), (std::vector<std::size_t>{3, 3, 6, 4}));
}

TEST_P(bounds_by_users_function, are_those_of_the_standard_library) {
  check_users_bounds(where);
}

TEST_P(bounds, by_a_host_compilers_function_are_refused_on_a_gpu) {
  const std::string message =
      message_of([&] { hd::lower_bound(where, people(100), std::vector<std::int32_t>{3}, younger_than{}); });
  if (where.is_gpu()) {
    EXPECT_NE(message.find("nvcc"), std::string::npos) << message;
  } else {
    EXPECT_EQ(message, "no error");
  }
}
