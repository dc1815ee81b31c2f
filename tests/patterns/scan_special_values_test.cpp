#include "tests/elements.hpp"
#include "tests/grouped_scan.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/scan.hpp>

#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

// Scans of NaN, infinities and zeros of both signs.

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class scan : public on_targets {};
HD_ON_ALL_TARGETS(scan);

template <class T>
void expect_extremes_with_nan_and_zeros_of_both_signs(const hd::target& where) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  const std::vector<T> x{1, T(0), -T(0), -inf, 5, nan, -7};
  const auto low = hd::inclusive_scan(where, x, hd::minimum{}).to_vector();
  const std::vector<T> lows{1, T(0), -T(0), -inf, -inf};
  EXPECT_TRUE(same_elements<T>(std::span(low).first(5), lows));
  EXPECT_TRUE(std::isnan(low[5]) && std::isnan(low[6]));

  const std::vector<T> y{-inf, -2, -T(0), T(0), -T(0), inf, 3, nan, inf};
  const auto high = hd::inclusive_scan(where, y, hd::maximum{}).to_vector();
  const std::vector<T> highs{-inf, -2, -T(0), T(0), T(0), inf, inf};
  EXPECT_TRUE(same_elements<T>(std::span(high).first(7), highs));
  EXPECT_TRUE(std::isnan(high[7]) && std::isnan(high[8]));

  for (const std::size_t n : {100'000, 1'100'000}) {
    if (n > largest_size()) continue;
    const std::size_t place = n / 10 * 7 + 5;
    std::vector<T> many(n, T(1));
    many[place] = nan;
    const auto sums = hd::inclusive_scan(where, many).to_vector();
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(std::isnan(sums[i]), i >= place) << i;
    const auto highest = hd::inclusive_scan(where, many, hd::maximum{}).to_vector();
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_TRUE(i < place ? highest[i] == 1 : std::isnan(highest[i])) << i;
    const auto lowest = hd::exclusive_scan(where, many, hd::minimum{}).to_vector();
    EXPECT_EQ(lowest[0], inf);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(std::isnan(lowest[i]), i > place) << i;
  }
}

/// Infinities of one sign, which change no extremum, among numbers without a NaN.
template <class T, class Op>
void expect_extremes_beside(const hd::target& where, T infinite) {
  for (const std::size_t n : {9, 100, 5000, 100'000}) {
    if (n > largest_size()) continue;
    std::vector<T> x(n), want(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = i % 5 == 0 ? infinite : static_cast<T>((infinite > 0 ? n - i : i) / 3);
      want[i] = i == 0 ? x[0] : Op()(want[i - 1], x[i]);
    }
    EXPECT_EQ(hd::inclusive_scan(where, x, Op{}).to_vector(), want) << n;
    want.insert(want.begin(), infinite);
    want.pop_back();
    EXPECT_EQ(hd::exclusive_scan(where, x, Op{}).to_vector(), want) << n;
  }
}

}  // namespace

TEST_P(scan, of_sums_of_negative_zeros_keeps_their_sign) {
  for_each_type<float, double>([&]<class T>() {
    for (const std::size_t n : {1, 17, 200, 5000}) {
      const std::vector<T> x(n, -T(0));
      for (const T sum : hd::inclusive_scan(where, x).to_vector()) ASSERT_TRUE(std::signbit(sum)) << n;
    }
  });
}

TEST_P(scan, of_extremes_takes_infinities_for_numbers) {
  for_each_type<float, double>([&]<class T>() {
    constexpr T inf = std::numeric_limits<T>::infinity();
    expect_extremes_beside<T, hd::minimum>(where, inf);
    expect_extremes_beside<T, hd::maximum>(where, -inf);
  });
}

TEST_P(scan, of_extremes_goes_on_with_nan_and_tells_zeros_apart) {
  expect_extremes_with_nan_and_zeros_of_both_signs<float>(where);
  expect_extremes_with_nan_and_zeros_of_both_signs<double>(where);
}

namespace {

/// A NaN with its own sign and payload, which no result may keep.
template <class T>
T nan_with_payload() {
  if constexpr (hd::is_complex<T>) {
    return T(nan_with_payload<typename T::value_type>(), 1);
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(std::uint32_t{0xffc12345});
  } else {
    return std::bit_cast<T>(std::uint64_t{0xfff8000012345678});
  }
}

/// Whether the first parts of all results from `from` on, and of no others, are NaN with the same bits.
template <class T>
testing::AssertionResult is_one_nan_from(std::span<const T> results, std::size_t from) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const T x = results[i];
    bool is_nan = x != x;
    if constexpr (hd::is_complex<T>) is_nan = x.real() != x.real();
    if (is_nan != (i >= from)) return testing::AssertionFailure() << i << " is " << testing::PrintToString(x);
    if (!same_bits(x, with_one_nan(x))) return testing::AssertionFailure() << i << " is another NaN";
  }
  return testing::AssertionSuccess();
}

template <class T, class Op>
void expect_one_nan(const hd::target& where, const Op& op) {
  const T nan = nan_with_payload<T>();
  for (const std::size_t n : {1, 2, 3, 7, 12, 33, 130, 1025, 5003, 150'001}) {
    if (n > largest_size()) break;
    for (const std::size_t place : {std::size_t{0}, n / 2, n - 1}) {
      hd::array<T> x(n);
      x.fill(T(1));
      x.data()[place] = nan;
      const hd::array<T> inclusive = hd::inclusive_scan(where, x, op).on(hd::target::serial());
      ASSERT_TRUE(is_one_nan_from<T>(inclusive.span(), place)) << n << ", " << place;
      const hd::array<T> exclusive = hd::exclusive_scan(where, x, op, T(1)).on(hd::target::serial());
      ASSERT_TRUE(is_one_nan_from<T>(exclusive.span(), place + 1)) << n << ", " << place;
      const hd::array<T> from_nan = hd::exclusive_scan(where, x, op, nan).on(hd::target::serial());
      ASSERT_TRUE(is_one_nan_from<T>(from_nan.span(), 0)) << n << ", " << place;
    }
  }
  // Short rows, long rows, columns.
  for (const hd::shape& lengths :
       {hd::shape{40, 1}, hd::shape{40, 7}, hd::shape{30, 700}, hd::shape{300, 3}}) {
    hd::array<T> x(lengths);
    x.fill(T(1));
    for (std::size_t c = 0; c < lengths[1]; ++c) x.data()[c] = nan;
    const hd::array<T> down = hd::inclusive_scan(where, x, hd::axis{0}, op).on(hd::target::serial());
    ASSERT_TRUE(is_one_nan_from<T>(down.span(), 0)) << lengths.text();
    for (std::size_t r = 0; r < lengths[0]; ++r) x.data()[r * lengths[1]] = nan;
    const hd::array<T> across = hd::inclusive_scan(where, x, hd::axis{1}, op).on(hd::target::serial());
    ASSERT_TRUE(is_one_nan_from<T>(across.span(), 0)) << lengths.text();
    const hd::array<T> exclusive =
        hd::exclusive_scan(where, x, hd::axis{0}, op, nan).on(hd::target::serial());
    ASSERT_TRUE(is_one_nan_from<T>(exclusive.span(), 0)) << lengths.text();
  }
}

}  // namespace

TEST_P(scan, makes_every_nan_the_one_quiet_nan) {
  for_each_type<float, double>([&]<class T>() {
    expect_one_nan<T>(where, hd::plus());
    expect_one_nan<T>(where, hd::multiplies());
    expect_one_nan<T>(where, hd::minimum());
    expect_one_nan<T>(where, hd::maximum());
    if (!where.is_gpu()) expect_one_nan<T>(where, [](T a, T b) { return a + b; });
  });
  for_each_type<std::complex<float>, std::complex<double>>([&]<class T>() {
    expect_one_nan<T>(where, hd::plus());
    expect_one_nan<T>(where, hd::multiplies());
  });
}

// The sum of two infinities is NaN although neither element is.
TEST_P(scan, of_infinities_of_both_signs_is_the_one_quiet_nan) {
  for_each_type<float, double>([&]<class T>() {
    constexpr T inf = std::numeric_limits<T>::infinity();
    for (const std::size_t n : {6, 128, 512, 5000}) {
      for (const std::size_t place : {std::size_t{1}, n / 2, n - 2}) {
        hd::array<T> x(n);
        x.fill(T(1));
        x.data()[place] = inf;
        x.data()[place + 1] = -inf;
        const hd::array<T> sums = hd::inclusive_scan(where, x).on(hd::target::serial());
        ASSERT_TRUE(is_one_nan_from<T>(sums.span(), place + 1)) << n << ", " << place;
      }
    }
  });
}
