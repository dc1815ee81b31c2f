#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/patterns/users_functions/user_elements.hpp"
#include "tests/sizes.hpp"
#include <heddle/for_each_index.hpp>
#include <heddle/transform.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

// A user's own functions of elements and of indices, compiled by nvcc, on every target.

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class user_operators : public on_targets {};
HD_ON_ALL_TARGETS(user_operators);

// nvcc takes no init-captures in an HD_FN lambda.
void visit(const hd::target& where, const hd::launch_shape& launch) {
  for (const std::size_t n : {0, 1, 33, 5000}) {
    hd::array<int> line(n, where);
    line.fill(0);
    int* const at = line.data();
    hd::for_each_index(
        where, hd::extent{n}, [=] HD_FN(std::size_t i) { at[i] += static_cast<int>(i) + 1; }, launch);
    hd::array<int> want(n);
    for (std::size_t i = 0; i < n; ++i) want.data()[i] = static_cast<int>(i) + 1;
    EXPECT_TRUE(same_elements(line, want));
  }
  hd::array<int> plane(hd::shape{37, 41}, where), box(hd::shape{5, 7, 33}, where);
  plane.fill(0);
  box.fill(0);
  const auto in_plane = plane.access<2>();
  const auto in_box = box.access<3>();
  hd::for_each_index(
      where, hd::extent{std::size_t{37}, std::size_t{41}},
      [=] HD_FN(std::size_t r, std::size_t c) { in_plane(r, c) += static_cast<int>(1000 * r + c); }, launch);
  hd::for_each_index(
      where, hd::extent{std::size_t{5}, std::size_t{7}, std::size_t{33}},
      [=] HD_FN(std::size_t p, std::size_t r, std::size_t c) {
        in_box(p, r, c) += static_cast<int>(10'000 * p + 100 * r + c);
      },
      launch);
  const hd::array<int> have_plane = plane.on(hd::target::serial()), have_box = box.on(hd::target::serial());
  for (std::size_t r = 0; r < 37; ++r) {
    for (std::size_t c = 0; c < 41; ++c) ASSERT_EQ(have_plane(r, c), static_cast<int>(1000 * r + c));
  }
  for (std::size_t p = 0; p < 5; ++p) {
    for (std::size_t r = 0; r < 7; ++r) {
      for (std::size_t c = 0; c < 33; ++c)
        ASSERT_EQ(have_box(p, r, c), static_cast<int>(10'000 * p + 100 * r + c));
    }
  }
}

/// IEEE 754-2019's minimum and maximum of every two of some numbers.
template <class T>
void expect_extremes_of_two(const hd::target& where) {
  using limits = std::numeric_limits<T>;
  const T some[] = {0,
                    -T(0),
                    1,
                    -1,
                    limits::denorm_min(),
                    -limits::denorm_min(),
                    limits::infinity(),
                    -limits::infinity(),
                    limits::quiet_NaN(),
                    -limits::quiet_NaN(),
                    limits::max(),
                    limits::lowest()};
  std::vector<T> a, b;
  for (const T x : some) {
    for (const T y : some) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  const hd::array<T> x(a), y(b);
  const auto low = hd::transform(where, x, y, hd::minimum{}).to_vector();
  const auto high = hd::transform(where, x, y, hd::maximum{}).to_vector();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) {
      EXPECT_TRUE(std::isnan(low[i]) && std::isnan(high[i])) << a[i] << " and " << b[i];
      continue;
    }
    const bool in_order = a[i] < b[i] || (a[i] == b[i] && std::signbit(a[i]));
    EXPECT_TRUE(same_bits(low[i], in_order ? a[i] : b[i])) << a[i] << " and " << b[i] << " gave " << low[i];
    EXPECT_TRUE(same_bits(high[i], in_order ? b[i] : a[i])) << a[i] << " and " << b[i] << " gave " << high[i];
  }
}

}  // namespace

TEST_P(user_operators, transform_takes_elements_of_several_sizes_wherever_they_begin) {
  const auto weigh = [] HD_FN(std::int8_t a, double b, colour<std::uint8_t> c, std::int16_t d) {
    return static_cast<float>(a + 2 * b + c.green + d);
  };
  const auto add = [] HD_FN(std::int8_t a, std::int16_t b) { return static_cast<float>(a + b); };
  for (const std::size_t n : {1, 3, 1024, 2051, 20011}) {
    hd::array<std::int8_t> a(n + 8);
    hd::array<double> b(n + 8);
    hd::array<std::int16_t> d(n + 8);
    hd::array<colour<std::uint8_t>> c(n + 8);
    for (std::size_t i = 0; i < n + 8; ++i) {
      a.data()[i] = static_cast<std::int8_t>(i % 251);
      b.data()[i] = static_cast<double>(i % 1000);
      c.data()[i] = {0, static_cast<std::uint8_t>(i % 13), 0};
      d.data()[i] = static_cast<std::int16_t>(i % 999);
    }
    const auto a_there = a.on(where);
    const auto b_there = b.on(where);
    const auto c_there = c.on(where);
    const auto d_there = d.on(where);
    for (const std::size_t first : {0, 1, 4, 8}) {
      hd::array<float> sums({n + 8}, where), weighed({n}, where);
      sums.fill(-1);
      hd::transform_into(where, sums.slice(first, first + n), a_there.slice(first, first + n),
                         d_there.slice(first, first + n), add);
      hd::transform_into(where, weighed, a_there.slice(first, first + n), b_there.slice(first, first + n),
                         c_there.slice(first, first + n), std::int16_t{5}, weigh);
      const std::vector<float> have = sums.to_vector(), other = weighed.to_vector();
      for (std::size_t i = 0; i < n + 8; ++i) {
        const bool is_written = i >= first && i < first + n;
        ASSERT_EQ(have[i], is_written ? add(a.data()[i], d.data()[i]) : -1)
            << n << ", " << first << ", " << i;
        if (is_written) {
          ASSERT_EQ(other[i - first], weigh(a.data()[i], b.data()[i], c.data()[i], 5))
              << n << ", " << first << ", " << i;
        }
      }
    }
  }
}

TEST_P(user_operators, transform_maps_types_to_types) {
  for (const std::size_t n : sizes_up_to(100'003)) {
    const hd::array<float> x = made<float>({n});
    const hd::array<triangular> m = made<triangular>({n});
    const hd::array<std::uint32_t> have = hd::transform(
        where, m, x, std::uint32_t{3},
        [] HD_FN(const triangular& t, float a, std::uint32_t c) { return a > 0 ? t.b * c : t.d; });
    hd::array<std::uint32_t> want(n);
    for (std::size_t i = 0; i < n; ++i) want.data()[i] = x.data()[i] > 0 ? m.data()[i].b * 3 : m.data()[i].d;
    ASSERT_TRUE(same_elements(have, want)) << n;
    hd::array<float> in_place = x.on(where);
    hd::transform_into(where, in_place, in_place, [] HD_FN(float a) { return 2 * a + 1; });
    hd::array<float> doubled(n);
    for (std::size_t i = 0; i < n; ++i) doubled.data()[i] = 2 * x.data()[i] + 1;
    ASSERT_TRUE(same_elements(in_place, doubled)) << n;
  }
}

TEST_P(user_operators, for_each_index_visits_every_index_once) {
  visit(where, {});
  visit(where, {.block_x = 64});
  visit(where, {.block_x = 8, .block_y = 4, .block_z = 2, .blocks = 3});
}

TEST_P(user_operators, extremes_of_two_numbers) {
  expect_extremes_of_two<float>(where);
  expect_extremes_of_two<double>(where);
}
