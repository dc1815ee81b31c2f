#include "tests/on_targets.hpp"
#include "tests/ordered.hpp"
#include <heddle/top_k.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class top_k : public on_targets {};
HD_ON_ALL_TARGETS(top_k);

constexpr hd::sort_order rising = hd::sort_order::ascending;

template <class T>
void check(const hd::target& where, const hd::array<T>& x, std::size_t k, hd::sort_order order,
           const std::vector<std::size_t>& in_order) {
  const auto note = [&] {
    return std::string(hd::impl::type_name<T>()) + ' ' + std::to_string(k) + " of " +
           std::to_string(x.size());
  };
  const auto [values, indices] = hd::top_k(where, x, k, order);
  const std::vector<std::size_t> want(in_order.begin(), in_order.begin() + static_cast<std::ptrdiff_t>(k));
  ASSERT_EQ(indices.to_vector(), want) << note();
  hd::array<T> want_values(k);
  for (std::size_t i = 0; i < k; ++i) want_values.data()[i] = x.data()[want[i]];
  ASSERT_TRUE(same_elements(values, want_values)) << note();
}

template <class T>
void check(const hd::target& where, const hd::array<T>& x, const std::set<std::size_t>& numbers) {
  for (const hd::sort_order order : {rising, falling}) {
    const std::vector<std::size_t> in_order = argsorted_by_loops(x, order);
    for (const std::size_t k : numbers) {
      if (k <= x.size()) check(where, x, k, order, in_order);
    }
  }
}

}  // namespace

TEST_P(top_k, are_the_first_of_a_stable_sort) {
  for_each_ordered_type([&]<class T>() {
    for (const std::size_t n : {0, 1, 2, 33, 1024, 1025, 5000})
      check(where, mixed<T>(n), {0, 1, 7, 200, n / 20, n / 2, n});
  });
  // From 32,768 elements on threads share them.
  for_each_type<std::int8_t, float, std::uint64_t>(
      [&]<class T>() { check(where, mixed<T>(40'001), {1, 7, 2000, 20'000}); });
}

TEST_P(top_k, of_equal_elements_are_those_of_the_lowest_indices) {
  const std::size_t n = 40'000;
  hd::array<std::int16_t> x(n);
  x.fill(-3);
  check(where, x, {1, 300, 2400});
  // Few that differ, and the last that is chosen among equal ones in the middle of the array.
  for (std::size_t i = 0; i < n; i += 1000) x.data()[i] = static_cast<std::int16_t>(i % 7000 == 0 ? -4 : -2);
  check(where, x, {1, 6, 33, 90, 2400});
}

TEST_P(top_k, of_what_rises_or_falls) {
  // All the kept ones are replaced over and over, or never.
  std::vector<std::int32_t> x(40'000);
  std::iota(x.begin(), x.end(), -20'000);
  check(where, hd::array<std::int32_t>(x), {1, 65, 1000});
}

TEST_P(top_k, count_nans_as_the_largest) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x{1, nan, -0.0f, 5, 0.0f, -nan};
  EXPECT_EQ(hd::top_k(where, x, 3).indices.to_vector(), (std::vector<std::size_t>{1, 5, 3}));
  EXPECT_EQ(hd::top_k(where, x, 5, rising).indices.to_vector(), (std::vector<std::size_t>{2, 4, 0, 3, 1}));
  EXPECT_TRUE(std::signbit(hd::top_k(where, x, 1, rising).values[0]));
}

TEST_P(top_k, along_an_axis) {
  const auto check_type = [&]<class T>() {
    for (const hd::shape& lengths : {hd::shape{0, 3}, hd::shape{1, 1}, hd::shape{2, 40'000},
                                     hd::shape{2000, 2}, hd::shape{300, 33}, hd::shape{3, 40, 7}}) {
      const hd::array<T> x = mixed<T>(lengths.elements()).reshaped(lengths);
      for (std::size_t a = 0; a < lengths.axes(); ++a) {
        for (const std::size_t k : {std::size_t{0}, std::size_t{1}, lengths[a] / 30, lengths[a]}) {
          if (k > lengths[a]) continue;
          const hd::axis along_axis{static_cast<std::ptrdiff_t>(a)};
          const auto note = lengths.text() + " axis " + std::to_string(a) + ", " + std::to_string(k);
          const auto top = hd::top_k(where, x, k, along_axis);
          ASSERT_EQ(top.values.shape(), lengths.with_length(a, k)) << note;
          ASSERT_EQ(top.indices.shape(), lengths.with_length(a, k)) << note;
          if (k == 0) continue;
          const std::vector<std::size_t> indices = top.indices.to_vector();
          const hd::array<T> values = top.values.on(hd::target());
          for_each_line(x, a, [&](const hd::array<T>& line, std::size_t begin, std::size_t step) {
            const std::vector<std::size_t> want = argsorted_by_loops(line, falling);
            const std::size_t outer = begin / (lengths[a] * step);
            for (std::size_t i = 0; i < k; ++i) {
              const std::size_t at = (outer * k + i) * step + begin % step;
              ASSERT_EQ(indices[at], want[i]) << note;
              ASSERT_TRUE(same_bits(values.data()[at], line.data()[want[i]])) << note;
            }
          });
        }
      }
    }
  };
  for_each_type<std::uint8_t, double>(check_type);
}

TEST_P(top_k, of_more_than_there_are) {
  const hd::array<int> x = mixed<int>(12).reshaped({3, 4});
  EXPECT_NE(message_of([&] { hd::top_k(where, x, 13); })
                .find("top_k: 12 int32 on " + where.text() +
                      ": k is 13, and there are 12 elements: k can be 12 at most"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              hd::top_k(where, x, 4, hd::axis{0});
            }).find("k is 4, and there are 3 elements: k can be 3 at most"),
            std::string::npos);
}
