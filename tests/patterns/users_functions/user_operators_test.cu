#include "tests/elements.hpp"
#include "tests/grouped_reduce.hpp"
#include "tests/on_targets.hpp"
#include "tests/patterns/users_functions/user_elements.hpp"
#include "tests/sizes.hpp"
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

// Reductions and scans by a user's own operators and types, compiled by nvcc. Results have the same bits on
// every target.

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class user_operators : public on_targets {};
HD_ON_ALL_TARGETS(user_operators);

struct product {
  template <class T>
  HD_FN T operator()(const T& a, const T& b) const {
    return a * b;
  }
};
struct first_of_two {
  HD_FN int operator()(int a, int) const { return a; }
};
struct last_of_two {
  HD_FN int operator()(int, int b) const { return b; }
};
struct sum {
  template <class T>
  HD_FN T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

/// Twelve bytes, exactly combined in order.
struct tally {
  std::uint32_t sum, last, product;
};
struct tallied {
  HD_FN tally operator()(const tally& a, const tally& b) const {
    return {a.sum + b.sum, b.last, a.product * b.product};
  }
};

/// Flat, on slices, with an initial value and along each axis of some shapes.
template <class T, class Op>
void check_reduce(const hd::target& where, const Op& op) {
  constexpr bool commutative = hd::is_commutative<Op, T>;
  const std::size_t tile = tile_of(sizeof(T), commutative);
  std::vector<std::size_t> sizes = sizes_up_to(3000);
  for (const std::size_t n : {tile - 1, tile, tile + 1, 3 * tile + 18, std::size_t{50'001}})
    sizes.push_back(n);
  for (const std::size_t n : sizes) {
    if (n == 0) continue;
    const hd::array<T> x = made<T>({n});
    const hd::array<T> there = x.on(where);
    const T want = grouped_reduce<T>(x.span(), commutative, op);
    ASSERT_TRUE(same_bits(hd::reduce(where, there, op), want)) << n;
    ASSERT_TRUE(same_bits(hd::reduce(where, x, op, x[0]), op(x[0], want))) << n;
    for (const std::size_t first : {1, 3}) {
      if (first >= n) continue;
      const T part = grouped_reduce<T>(x.span().subspan(first), commutative, op);
      ASSERT_TRUE(same_bits(hd::reduce(where, there.slice(first, n), op), part)) << n << " from " << first;
    }
  }
  for (const hd::shape& lengths :
       {hd::shape{1, 1}, hd::shape{2, 33}, hd::shape{15, 31}, hd::shape{129, 32}, hd::shape{16, 65},
        hd::shape{tile - 1, 2}, hd::shape{tile, 3}, hd::shape{tile + 1, 33}, hd::shape{3, tile + 1},
        hd::shape{2, 17, 5}, hd::shape{3, 2, 40, 2}}) {
    const hd::array<T> x = made<T>(lengths);
    for (std::size_t axis = 0; axis < lengths.axes(); ++axis) {
      const hd::array<T> have = hd::reduce(where, x, hd::axis{static_cast<std::ptrdiff_t>(axis)}, op);
      ASSERT_TRUE(reduces_lines(
          have, x, axis, [&](std::span<const T> line) { return grouped_reduce<T>(line, commutative, op); }))
          << lengths.text() << " along axis " << axis;
    }
  }
}

/// Elements of line after line combined from left to right.
template <class T, class Op>
hd::array<T> scanned(const hd::array<T>& x, std::size_t along_axis, bool exclusive, std::optional<T> init,
                     const Op& op) {
  hd::array<T> out(x.shape());
  const hd::axis_lines all = hd::along(x.shape(), along_axis);
  for (std::size_t line = 0; line < all.count(); ++line) {
    const std::size_t start = line / all.inner * all.length * all.inner + line % all.inner;
    std::optional<T> before = init;
    for (std::size_t k = 0; k < all.length; ++k) {
      const std::size_t i = start + k * all.inner;
      if (exclusive) out.data()[i] = *before;
      const T next = before ? op(*before, x.data()[i]) : x.data()[i];
      before.emplace(next);
      if (!exclusive) out.data()[i] = next;
    }
  }
  return out;
}

/// For operators whose results are exact, whatever the grouping.
template <class T, class Op>
void check_scan(const hd::target& where, const Op& op) {
  const T init = element<T>(7);
  for (const std::size_t n : sizes_up_to(20'000)) {
    if (n == 0) continue;
    const hd::array<T> x = made<T>({n});
    ASSERT_TRUE(same_elements(hd::inclusive_scan(where, x, op), scanned<T>(x, 0, false, std::nullopt, op)))
        << n;
    ASSERT_TRUE(same_elements(hd::inclusive_scan(where, x, op, init), scanned<T>(x, 0, false, init, op)))
        << n;
    hd::array<T> in_place = x.on(where);
    hd::exclusive_scan_into(where, in_place, in_place, op, init);
    ASSERT_TRUE(same_elements(in_place, scanned<T>(x, 0, true, init, op))) << n;
  }
  for (const hd::shape& lengths :
       {hd::shape{5, 33}, hd::shape{600, 3}, hd::shape{3, 1100}, hd::shape{2, 20, 5}, hd::shape{2501, 37}}) {
    const hd::array<T> x = made<T>(lengths);
    for (std::size_t axis = 0; axis < lengths.axes(); ++axis) {
      const hd::axis along{static_cast<std::ptrdiff_t>(axis)};
      ASSERT_TRUE(same_elements(hd::inclusive_scan(where, x, along, op),
                                scanned<T>(x, axis, false, std::nullopt, op)))
          << lengths.text() << " along axis " << axis;
      ASSERT_TRUE(
          same_elements(hd::exclusive_scan(where, x, along, op, init), scanned<T>(x, axis, true, init, op)))
          << lengths.text() << " along axis " << axis;
    }
  }
}

}  // namespace

TEST_P(user_operators, products_of_triangular_matrices_keep_their_order) {
  check_reduce<triangular>(where, product{});
  check_scan<triangular>(where, product{});
}

TEST_P(user_operators, products_of_100_bytes_keep_their_order) {
  check_reduce<matrix5>(where, product{});
  check_scan<matrix5>(where, product{});
}

TEST_P(user_operators, runs_are_joined_in_order) {
  check_reduce<run>(where, join{});
  for (const std::int64_t n : {1, 2, 512, 513, 100'000}) {
    hd::array<run> x = made<run>({static_cast<std::size_t>(n)});
    EXPECT_EQ(hd::reduce(where, x, join{}), (run{0, n - 1}));
    EXPECT_EQ(hd::reduce(where, x, join{}, run{-9, -1}), (run{-9, n - 1}));
  }
}

TEST_P(user_operators, first_and_last_are_the_ends) {
  for (const std::size_t n : sizes_up_to(20'000)) {
    if (n == 0) continue;
    const hd::array<int> x = made<int>({n});
    EXPECT_EQ(hd::reduce(where, x, first_of_two{}), x[0]);
    EXPECT_EQ(hd::reduce(where, x, last_of_two{}), x[n - 1]);
    EXPECT_EQ(hd::reduce(where, x, first_of_two{}, 5), 5);
    EXPECT_TRUE(same_elements(hd::inclusive_scan(where, x, last_of_two{}), x));
  }
}

TEST_P(user_operators, rounded_sums_have_the_same_bits_everywhere) {
  check_reduce<float>(where, sum{});
  check_reduce<double>(where, hd::monoid{sum{}, 0.0});
  check_reduce<float>(where, hd::commutative_monoid{sum{}, 0.f});
  check_reduce<vector3>(where, sum{});
  check_reduce<vector3>(where, hd::commutative_monoid{sum{}, vector3{}});
}

TEST_P(user_operators, types_of_3_and_of_6_bytes) {
  check_reduce<colour<std::uint8_t>>(where, hd::commutative_monoid{sum{}, colour<std::uint8_t>{}});
  check_reduce<colour<std::uint16_t>>(where, hd::commutative_monoid{sum{}, colour<std::uint16_t>{}});
}

TEST_P(user_operators, types_of_16_and_of_160_bytes) {
  check_reduce<pair16>(where, hd::commutative_monoid{sum{}, pair16{}});
  check_reduce<vector40>(where, hd::commutative_monoid{sum{}, vector40{}});
  check_reduce<vector3>(where, hd::plus{});
}

TEST_P(user_operators, many_rows_of_a_size_that_fill_no_vec16) {
  for (const hd::shape& lengths : {hd::shape{200, 700}, hd::shape{150, 2100}, hd::shape{130, 2730}}) {
    if (lengths.elements() > largest_size()) continue;
    hd::array<tally> x(lengths);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto bits = static_cast<std::uint32_t>(random_bits(i));
      x.data()[i] = {bits, bits >> 7, bits | 1};
    }
    EXPECT_TRUE(same_elements(hd::inclusive_scan(where, x, hd::axis{1}, tallied{}),
                              scanned<tally>(x, 1, false, std::nullopt, tallied{})))
        << lengths.text();
  }
}

TEST_P(user_operators, a_lambda_is_an_operator) {
  const auto modular_sum = [] HD_FN(std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>((a + b) % 251);
  };
  hd::array<std::uint8_t> x(100'003);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<std::uint8_t>(random_bits(i) % 251);
  const hd::array<std::uint8_t> want = scanned<std::uint8_t>(
      x, 0, false, std::nullopt,
      [](std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>((a + b) % 251); });
  const hd::commutative_monoid op{modular_sum, std::uint8_t{0}};
  EXPECT_EQ(hd::reduce(where, x, op), want[x.size() - 1]);
  EXPECT_EQ(hd::reduce(where, x, modular_sum), want[x.size() - 1]);
  EXPECT_TRUE(same_elements(hd::inclusive_scan(where, x, op), want));
  EXPECT_EQ(hd::reduce(where, hd::array<std::uint8_t>(0), op), 0);
  EXPECT_TRUE(same_elements(hd::reduce(where, hd::array<std::uint8_t>(hd::shape{0, 2}), hd::axis{0}, op),
                            hd::array(std::vector<std::uint8_t>{0, 0})));
}

TEST_P(user_operators, take_neighbours_in_every_line) {
  for (const hd::shape& lengths : {hd::shape{1}, hd::shape{5000}, hd::shape{600, 3}, hd::shape{3, 1100},
                                   hd::shape{40, 70}, hd::shape{50, 6, 5}, hd::shape{2, 130, 33}}) {
    const hd::array<triangular> x = made<triangular>(lengths);
    for (std::size_t axis = 0; axis < lengths.axes(); ++axis) {
      const hd::axis_lines all = hd::along(lengths, axis);
      hd::array<triangular> want(lengths);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const bool is_first = i / all.inner % all.length == 0;
        want.data()[i] = is_first ? x.data()[i] : x.data()[i] * x.data()[i - all.inner];
      }
      const hd::axis along{static_cast<std::ptrdiff_t>(axis)};
      ASSERT_TRUE(same_elements(hd::adjacent_difference(where, x, along, product{}), want))
          << lengths.text() << " along axis " << axis;
      hd::array<triangular> in_place = x.on(where);
      hd::adjacent_difference_into(where, in_place, in_place, along, product{});
      ASSERT_TRUE(same_elements(in_place, want)) << lengths.text() << " in place along axis " << axis;
    }
  }
}

TEST_P(user_operators, transform_reduce_by_lambdas) {
  const float factor = 0.75f;
  for (const std::size_t n : {1, 33, 2049, 8193, 100'003}) {
    const hd::array<float> x = made<float>({n}), y = made<float>({n});
    const hd::array<std::int32_t> z = made<std::int32_t>({n});
    hd::array<float> terms(n), differences(n);
    hd::array<double> squares(n);
    for (std::size_t i = 0; i < n; ++i) {
      const float a = x.data()[i], b = y.data()[i];
      terms.data()[i] = a * b + static_cast<float>(z.data()[i] % 100) * factor;
      squares.data()[i] = double{a} * a;
      differences.data()[i] = a - b * factor;
    }
    const float one = hd::transform_reduce(
        where, x, y, z,
        [factor] HD_FN(float a, float b, std::int32_t c) {
          return a * b + static_cast<float>(c % 100) * factor;
        },
        hd::plus{});
    EXPECT_TRUE(same_bits(one, (grouped_reduce_by<hd::plus, float>(terms.span())))) << n;
    const double two =
        hd::transform_reduce(where, x, [] HD_FN(float a) { return static_cast<double>(a) * a; }, hd::plus{});
    EXPECT_TRUE(same_bits(two, (grouped_reduce_by<hd::plus, double>(squares.span())))) << n;
    const bool is_any_low = hd::transform_reduce(where, x, [] HD_FN(float a) { return a < -1; }, hd::plus{});
    EXPECT_EQ(is_any_low, std::any_of(x.data(), x.data() + n, [](float a) { return a < -1; })) << n;
    const float three = hd::transform_reduce(
        where, x, y, factor, [] HD_FN(float a, float b, float c) { return a - b * c; }, hd::maximum{});
    EXPECT_TRUE(same_bits(three, (grouped_reduce_by<hd::maximum, float>(differences.span())))) << n;
    EXPECT_TRUE(hd::transform_reduce(where, x, [] HD_FN(float a) { return a <= 1; }, hd::logical_and{}));
    EXPECT_FALSE(hd::transform_reduce(where, x, [] HD_FN(float a) { return a > 1; }, hd::logical_or{}));
    EXPECT_EQ(hd::transform_reduce(where, x, [] HD_FN(float) { return 5; }, hd::logical_or{}), 1);
    const float dot = hd::transform_reduce(where, x, y, hd::multiplies{}, hd::plus{});
    for (std::size_t i = 0; i < n; ++i) terms.data()[i] = x.data()[i] * y.data()[i];
    EXPECT_TRUE(same_bits(dot, (grouped_reduce_by<hd::plus, float>(terms.span())))) << n;
  }
}

TEST_P(user_operators, transform_reduce_by_an_operator_that_keeps_order) {
  for (const std::size_t n : {1, 16, 513, 20'000}) {
    hd::array<std::int64_t> places(n);
    for (std::size_t i = 0; i < n; ++i) places.data()[i] = static_cast<std::int64_t>(i);
    const run ends =
        hd::transform_reduce(where, places, [] HD_FN(std::int64_t i) { return run{i, i}; }, join{});
    EXPECT_EQ(ends, (run{0, static_cast<std::int64_t>(n) - 1}));
  }
}

TEST_P(user_operators, transform_reduce_along_an_axis) {
  for (const hd::shape& lengths :
       {hd::shape{40, 33}, hd::shape{3000, 3}, hd::shape{3, 5000}, hd::shape{2, 17, 5}}) {
    const hd::array<float> x = made<float>(lengths);
    hd::array<double> squares(lengths);
    for (std::size_t i = 0; i < x.size(); ++i)
      squares.data()[i] = static_cast<double>(x.data()[i]) * x.data()[i];
    for (std::size_t axis = 0; axis < lengths.axes(); ++axis) {
      const hd::array<double> have = hd::transform_reduce(
          where, hd::axis{static_cast<std::ptrdiff_t>(axis)}, x,
          [] HD_FN(float a) { return static_cast<double>(a) * a; }, hd::plus{});
      EXPECT_TRUE(
          reduces_lines(have, squares, axis,
                        [](std::span<const double> line) { return grouped_reduce_by<hd::plus>(line); }))
          << lengths.text() << " along axis " << axis;
    }
  }
}

TEST_P(user_operators, reduces_into_an_output_anywhere) {
  const hd::shape lengths{300, 70};
  const hd::array<float> x = made<float>(lengths), there = x.on(where);
  hd::array<float> total(1, where), rows(300, where), factors(1);
  const auto larger = [] HD_FN(float a, float b) { return a < b ? b : a; };
  hd::reduce_into(where, total, there, larger);
  EXPECT_EQ(total[0], hd::reduce(hd::target::serial(), x, hd::maximum{}));
  hd::reduce_into(where, total, there, larger, 1e9f);
  EXPECT_EQ(total[0], 1e9f);
  hd::reduce_into(where, rows, there, hd::axis{1}, larger, -1e9f);
  EXPECT_TRUE(same_elements(rows, hd::reduce(hd::target::serial(), x, hd::axis{1}, hd::maximum{})));
  hd::transform_reduce_into(
      where, rows, hd::axis{1}, there, x, [] HD_FN(float a, float b) { return a - 2 * b; }, hd::minimum{});
  EXPECT_TRUE(same_elements(rows, hd::transform_reduce(
                                      hd::target::serial(), hd::axis{1}, x, x,
                                      [] HD_FN(float a, float b) { return a - 2 * b; }, hd::minimum{})));
  hd::transform_reduce_into(where, factors, there, [] HD_FN(float) { return 1.0f; }, hd::plus{}, 5);
  EXPECT_EQ(factors[0], 21'005.f);
}

TEST_P(user_operators, truth_values_are_added_as_truth_values) {
  // So many rows that what parts of columns came to is added again, by bytes.
  hd::array<float> x(hd::shape{20'000, 16});
  x.fill(1);
  const hd::array<bool> have =
      hd::transform_reduce(where, hd::axis{0}, x, [] HD_FN(float a) { return a > 0; }, hd::plus{});
  const hd::array<bool> here = have.on(hd::target::serial());
  std::vector<std::uint8_t> bytes(here.size());
  std::memcpy(bytes.data(), here.data(), bytes.size());
  EXPECT_EQ(bytes, std::vector<std::uint8_t>(16, 1));
}

TEST_P(user_operators, built_in_operators_are_there_too) {
  const hd::array<std::complex<float>> z = made<std::complex<float>>({5000});
  EXPECT_TRUE(same_bits(hd::reduce(where, z), (grouped_reduce_by<hd::plus, std::complex<float>>(z.span()))));
  const hd::array<int> x = made<int>({5000});
  EXPECT_EQ(hd::reduce(where, x, hd::minimum{}), *std::min_element(x.span().begin(), x.span().end()));
}
