#pragma once

#include "ordered.hpp"
#include <heddle/lower_bound.hpp>
#include <heddle/sort.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

/// Sorts and searches by functions of a user's own, on a target that can run them, against the standard
/// library.
namespace heddle::tests {

template <class T>
std::vector<T> at_places(const std::vector<T>& x, const std::vector<std::size_t>& places) {
  std::vector<T> result;
  for (const std::size_t place : places) result.push_back(x[place]);
  return result;
}

template <class T, class Compare>
void check_sorts_by(const target& where, const std::vector<T>& x, const Compare& compare) {
  const std::vector<std::size_t> places = argsorted_by(x, compare);
  const std::vector<T> want = at_places(x, places);
  const std::size_t n = x.size();
  ASSERT_TRUE(sort(where, x, compare).to_vector() == want) << n;
  ASSERT_EQ(argsort(where, x, compare).to_vector(), places) << n;
  array<T> in_place = array<T>(x).on(where);
  sort_into(where, in_place, in_place, compare);
  ASSERT_TRUE(in_place.to_vector() == want) << n;
  std::vector<std::int16_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::int16_t>(i);
  const auto [keys, taken_along] = sort_by_key(where, x, values, compare);
  ASSERT_TRUE(keys.to_vector() == want) << n;
  ASSERT_EQ(taken_along.to_vector(), at_places(values, places)) << n;
}

template <class T, class Compare>
void check_lines_by(const target& where, const shape& lengths, const std::vector<T>& x,
                    const Compare& compare) {
  const array<T> whole = array<T>(x).reshaped(lengths);
  for (std::size_t a = 0; a < lengths.axes(); ++a) {
    const axis along_axis{static_cast<std::ptrdiff_t>(a)};
    const std::vector<T> sorted = sort(where, whole, along_axis, compare).to_vector();
    const std::vector<std::size_t> places = argsort(where, whole, along_axis, compare).to_vector();
    array<T> in_place = whole.on(where);
    sort_into(where, in_place, in_place, along_axis, compare);
    ASSERT_TRUE(in_place.to_vector() == sorted) << lengths.text() << ' ' << a;
    for_each_line(whole, a, [&](const array<T>& line, std::size_t begin, std::size_t step) {
      const std::vector<T> one = line.to_vector();
      const std::vector<std::size_t> want = argsorted_by(one, compare);
      for (std::size_t i = 0; i < one.size(); ++i) {
        ASSERT_EQ(places[begin + i * step], want[i]) << lengths.text() << ' ' << a << ' ' << i;
        ASSERT_TRUE(sorted[begin + i * step] == one[want[i]]) << lengths.text() << ' ' << a << ' ' << i;
      }
    });
  }
}

/// The order of the last decimal digit, which no radix sort knows.
struct last_digit_falls {
  HD_FN bool operator()(std::uint64_t a, std::uint64_t b) const { return a % 10 > b % 10; }
};

inline void check_users_orders(const target& where) {
  for (std::size_t n : seeks_races ? std::vector<std::size_t>{0, 1, 20'003} : sizes_up_to(20'000)) {
    check_sorts_by(where, people(n), younger{});
    if (n < 10'000) check_sorts_by(where, families(n), smaller{});
  }
  const std::size_t n = std::min<std::size_t>(100'003, largest_size());
  std::vector<std::uint64_t> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = random_bits(i);
  check_sorts_by(where, numbers, last_digit_falls{});
  for (const shape& lengths : {shape{0, 3}, shape{1, 1}, shape{2, 5000}, shape{500, 7}, shape{3, 40, 5}}) {
    check_lines_by(where, lengths, people(lengths.elements()), younger{});
    check_lines_by(where, lengths, families(lengths.elements()), smaller{});
  }
}

/// People against ages.
struct younger_than {
  HD_FN bool operator()(const person& a, std::int32_t age) const { return a.age < age; }
  HD_FN bool operator()(std::int32_t age, const person& a) const { return age < a.age; }
};

inline void check_users_bounds(const target& where) {
  for (const std::size_t n : {0, 1, 2, 33, 4097}) {
    std::vector<person> sorted = people(n);
    std::stable_sort(sorted.begin(), sorted.end(), younger{});
    std::vector<std::int32_t> ages(n == 33 ? 17'003 : 1001);
    for (std::size_t i = 0; i < ages.size(); ++i)
      ages[i] = static_cast<std::int32_t>(random_bits(i) % (n / 4 + 3)) - 51;
    std::vector<std::size_t> lower, upper;
    for (const std::int32_t age : ages) {
      const auto first = std::lower_bound(sorted.begin(), sorted.end(), age, younger_than{});
      const auto last = std::upper_bound(sorted.begin(), sorted.end(), age, younger_than{});
      lower.push_back(static_cast<std::size_t>(first - sorted.begin()));
      upper.push_back(static_cast<std::size_t>(last - sorted.begin()));
    }
    ASSERT_EQ(lower_bound(where, sorted, ages, younger_than{}).to_vector(), lower) << n;
    ASSERT_EQ(upper_bound(where, sorted, ages, younger_than{}).to_vector(), upper) << n;
  }
}

}  // namespace heddle::tests
