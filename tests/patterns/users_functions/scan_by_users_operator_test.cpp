#include "tests/elements.hpp"
#include "tests/grouped_scan.hpp"
#include "tests/looped_scan.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/scan.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

/// Operators that a host compiler compiled: a GPU does not have them. user_operators_test.cu runs them there.
class scan_by_users_operator : public on_targets {};
HD_ON_CPU_TARGETS(scan_by_users_operator);

}  // namespace

TEST_P(scan_by_users_operator, keeps_operand_order) {
  const auto product = [](const auto& a, const auto& b) { return a * b; };
  auto check = [&]<class T>(std::vector<std::size_t> sizes, const T& identity) {
    for (const std::size_t n : sizes) {
      hd::array<T> x(n);
      for (std::size_t i = 0; i < n; ++i) x.data()[i] = random_element<T>(i);
      for (unsigned v = 0; v < variants; ++v) {
        const variant how(v);
        const T init = random_element<T>(n + 1);
        std::optional<T> before;
        if (how.exclusive) before = identity;
        if (how.has_init) before = init;
        ASSERT_TRUE(same_elements(scanned(where, x, how, hd::monoid{product, identity}, init),
                                  looped<T>(x, how.exclusive, before ? &*before : nullptr, product)))
            << sizeof(T) << " bytes, n = " << n << ", " << how.text();
      }
    }
  };
  std::vector<std::size_t> sizes = small_sizes();
  sizes.push_back(std::min<std::size_t>(40000, largest_size()));
  matrix5 one{};
  for (int i = 0; i < 5; ++i) one.at[i][i] = 1;
  check(sizes, triangular{1, 0, 1});
  check({0, 1, 2, 511, 512, 513, 1025, std::min<std::size_t>(33000, largest_size())}, one);
}

TEST_P(scan_by_users_operator, combines_neighbours_only) {
  for (const std::size_t n : {1, 512, 513, 8193, 262143, 262144, 262145, 600000}) {
    if (n > largest_size()) break;
    hd::array<run> x(n);
    for (std::size_t i = 0; i < n; ++i)
      x.data()[i] = {static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)};
    const hd::array<run> inclusive = hd::inclusive_scan(where, x, join{});
    const hd::array<run> with_init = hd::inclusive_scan(where, x, join{}, run{-5, -1});
    const hd::array<run> exclusive = hd::exclusive_scan(where, x, hd::monoid{join{}, run{0, -1}});
    const hd::array<run> exclusive_with_init =
        hd::exclusive_scan(where, x, hd::monoid{join{}, run{0, -1}}, run{-5, -1});
    for (std::size_t i = 0; i < n; ++i) {
      const auto last = static_cast<std::int64_t>(i);
      ASSERT_EQ(inclusive.data()[i], (run{0, last})) << i << " of " << n;
      ASSERT_EQ(with_init.data()[i], (run{-5, last})) << i << " of " << n;
      ASSERT_EQ(exclusive.data()[i], (run{0, last - 1})) << i << " of " << n;
      ASSERT_EQ(exclusive_with_init.data()[i], (run{-5, last - 1})) << i << " of " << n;
    }
  }
}

TEST_P(scan_by_users_operator, needs_no_identity_where_there_is_an_initial_value) {
  const std::size_t n = std::min<std::size_t>(70000, largest_size());
  std::vector<int> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(random_bits(i) % 1000);
  const auto first = [](int a, int) { return a; };
  EXPECT_EQ(hd::inclusive_scan(where, x, first).to_vector(), std::vector<int>(n, x[0]));
  EXPECT_EQ(hd::inclusive_scan(where, x, first, -1).to_vector(), std::vector<int>(n, -1));
  const auto last = [](int, int b) { return b; };
  EXPECT_EQ(hd::inclusive_scan(where, x, last).to_vector(), x);
  const std::vector<int> shifted = hd::exclusive_scan(where, x, last, -1).to_vector();
  EXPECT_EQ(shifted[0], -1);
  EXPECT_TRUE(std::equal(shifted.begin() + 1, shifted.end(), x.begin()));
  EXPECT_EQ(message_of([&] { (void)hd::exclusive_scan(where, x, last); }),
            "exclusive_scan: " + std::to_string(n) + " int32 on " + where.text() +
                ": the operator has no identity to begin with: give an initial value, or "
                "hd::monoid{function, identity}");
}

TEST_P(scan_by_users_operator, has_the_bits_of_the_built_in_one) {
  const auto sum = [](auto a, auto b) { return a + b; };
  for_each_type<float, double>([&]<class T>() {
    std::vector<std::size_t> sizes{1,   3,    4,    5,    15,   16,    17,    40,    41,
                                   63,  64,   65,   68,   127,  128,   129,   255,   256,
                                   257, 1023, 1024, 1025, 4097, 16383, 16384, 16385, 70001};
    sizes.push_back(std::min<std::size_t>(300'007, largest_size()));
    for (const std::size_t n : sizes) {
      const hd::array<T> x = operands<T, hd::plus>(n);
      for (unsigned v = 0; v < variants; ++v) {
        const variant how(v | (v & 1) << 1);  // the lambda has no identity
        const T init(0.3f);
        ASSERT_TRUE(
            same_elements(scanned(where, x, how, sum, init), scanned(where, x, how, hd::plus{}, init)))
            << sizeof(T) << " bytes, n = " << n << ", " << how.text();
      }
    }
  });
}

TEST_P(scan_by_users_operator, on_rounded_members_has_the_bits_of_the_documented_order) {
  const auto product = [](const auto& a, const auto& b) { return a * b; };
  for_each_type<matrix2, affine3, affine5>([&]<class T>() {
    std::vector<std::size_t> sizes{0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 1023, 1025, 33'000};
    if (seeks_races) sizes = {33, 33'000};
    for (const std::size_t n : sizes) {
      hd::array<T> x(n);
      for (std::size_t i = 0; i < n; ++i) x.data()[i] = random_element<T>(i);
      for (unsigned v = 0; v < variants; ++v) {
        const variant how(v | (v & 1) << 1);  // the product has no identity
        const T init = random_element<T>(n + 1);
        ASSERT_TRUE(
            same_elements(scanned(where, x, how, product, init),
                          grouped_scan<T>(x.span(), how.exclusive, how.has_init ? &init : nullptr, product)))
            << sizeof(T) << " bytes, n = " << n << ", " << how.text();
      }
    }
  });
}

TEST_P(scan_by_users_operator, may_throw) {
  const std::size_t n = std::min<std::size_t>(400'000, largest_size());
  for (const std::size_t bad : {std::size_t{0}, std::size_t{17}, n / 3, n - 2, n - 1}) {
    hd::array<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x.data()[i] = i == bad ? -1 : 1;
    const auto picky = [](double a, double b) {
      if (a < 0 || b < 0) throw std::runtime_error("negative");
      return a + b;
    };
    EXPECT_THROW((void)hd::inclusive_scan(where, x, picky), std::runtime_error) << bad;
    EXPECT_THROW((void)hd::exclusive_scan(where, x, picky, 0), std::runtime_error) << bad;
  }
}

TEST_P(scan_by_users_operator, may_scan_on_threads_itself) {
  const std::vector<int> few(70'000, 1);
  std::vector<int> x(3, 1);
  const auto busy = [&](int a, int b) {
    return a + b + hd::inclusive_scan(where, few, [](int c, int d) { return c + d; }).back() - 70'000;
  };
  EXPECT_EQ(hd::inclusive_scan(where, x, busy).to_vector(), (std::vector<int>{1, 2, 3}));
}

TEST_P(scan_by_users_operator, goes_along_an_axis) {
  const hd::shape lengths{2, 1100, 3};
  hd::array<triangular> x(lengths);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = random_element<triangular>(i);
  const hd::monoid product{[](const triangular& a, const triangular& b) { return a * b; },
                           triangular{1, 0, 1}};
  const hd::array<triangular> inclusive = hd::inclusive_scan(where, x, hd::axis{1}, product);
  hd::array<triangular> exclusive = x.on(where);
  hd::exclusive_scan_into(where, exclusive, exclusive, hd::axis{-2}, product);
  for (std::size_t plane = 0; plane < 2; ++plane) {
    for (std::size_t column = 0; column < 3; ++column) {
      triangular before{1, 0, 1};
      for (std::size_t k = 0; k < 1100; ++k) {
        ASSERT_TRUE(same_bits<triangular>(exclusive(plane, k, column), before))
            << plane << ", " << k << ", " << column;
        before = before * x(plane, k, column);
        ASSERT_TRUE(same_bits(inclusive(plane, k, column), before)) << plane << ", " << k << ", " << column;
      }
    }
  }
}

// The cost that docs/reference/scan.md states.
TEST_P(scan_by_users_operator, combines_no_more_than_documented) {
  struct large {
    double values[5];
  };
  const auto combinations = [&]<class T>(std::size_t n, T) {
    const hd::array<T> x(hd::shape{n}, T());
    std::atomic<std::size_t> calls = 0;
    hd::inclusive_scan(where, x, [&](const T& a, const T&) {
      calls.fetch_add(1, std::memory_order_relaxed);
      return a;
    });
    return static_cast<double>(calls) / static_cast<double>(n);
  };
  const double shared = where.threads() > 1 ? 1 : 0;
  for (const std::size_t n : {std::size_t{100'000}, std::size_t{1} << 18}) {
    EXPECT_LE(combinations(n, float()), 2.65 + shared) << n;
    EXPECT_LE(combinations(n, double()), 2.65 + shared) << n;
    EXPECT_LE(combinations(n, std::uint8_t()), 2.65 + shared) << n;
    EXPECT_LE(combinations(n, large()), 3.6 + shared) << n;
    EXPECT_GE(combinations(n, float()), 2.3) << n;
  }
}
