#include "elements.hpp"
#include "on_targets.hpp"
#include "sizes.hpp"
#include <heddle/grouping.hpp>
#include <heddle/random.hpp>
#include <heddle/sort.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class sort : public on_targets {};
HD_ON_ALL_TARGETS(sort);

/// NumPy's order: NaNs last and alike.
template <class T>
bool comes_before(T a, T b) {
  return a < b || (b != b && a == a);
}
/// The order of the elements alone, in which −0 comes before +0.
template <class T>
bool sorts_before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == 0 && b == 0) return std::signbit(a) && !std::signbit(b);
  }
  return comes_before(a, b);
}

/// Elements among which there are equal ones, and what is special in the type.
template <class T>
hd::array<T> mixed(std::size_t n) {
  hd::array<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    T& value = x.data()[i];
    value = random_value<T>(i);
    if constexpr (std::is_floating_point_v<T>) {
      using limits = std::numeric_limits<T>;
      const std::uint64_t which = random_bits(~i) % 32;
      const T special[] = {T(0),
                           -T(0),
                           limits::infinity(),
                           -limits::infinity(),
                           limits::max(),
                           limits::lowest(),
                           limits::denorm_min(),
                           -limits::denorm_min(),
                           limits::quiet_NaN(),
                           -limits::quiet_NaN(),
                           T(1),
                           T(-1)};
      if (which < std::size(special)) value = special[which];
    } else if constexpr (!std::is_same_v<T, bool>) {
      if (i % 3 == 0) value = static_cast<T>(value % 5);
      if (i % 97 == 0) value = std::numeric_limits<T>::min();
      if (i % 89 == 0) value = std::numeric_limits<T>::max();
    }
  }
  return x;
}

template <class T>
hd::array<T> sorted_by_loops(const hd::array<T>& x) {
  hd::array<T> y = x.on(hd::target::serial());
  std::stable_sort(y.data(), y.data() + y.size(), sorts_before<T>);
  for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] = hd::grouping::canonical(y.data()[i]);
  return y;
}

constexpr hd::sort_order falling = hd::sort_order::descending;

template <class T>
std::vector<std::size_t> argsorted_by_loops(const hd::array<T>& x,
                                            hd::sort_order order = hd::sort_order::ascending) {
  std::vector<std::size_t> places(x.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    const T first = x.data()[a], second = x.data()[b];
    return order == falling ? comes_before(second, first) : comes_before(first, second);
  });
  return places;
}

constexpr auto for_each_ordered_type = [](const auto& f) {
  if constexpr (seeks_races) {
    for_each_type<std::uint64_t, float>(f);
  } else {
    for_each_integer_type(f);
    for_each_type<float, double>(f);
  }
};

/// From 32,768 elements on threads share them.
std::vector<std::size_t> sizes_to_sort() {
  return seeks_races ? std::vector<std::size_t>{0, 33, 50'021} : sizes_up_to(100'003);
}

}  // namespace

TEST_P(sort, puts_elements_in_order) {
  for_each_ordered_type([&]<class T>() {
    for (const std::size_t n : sizes_to_sort()) {
      const hd::array<T> x = mixed<T>(n), want = sorted_by_loops(x);
      ASSERT_TRUE(same_elements(hd::sort(where, x), want)) << hd::detail::type_name<T>() << ' ' << n;
      hd::array<T> in_place = x.on(where);
      hd::sort_into(where, in_place, in_place);
      ASSERT_TRUE(same_elements(in_place, want)) << hd::detail::type_name<T>() << ' ' << n;
    }
  });
}

TEST_P(sort, of_a_million_and_more) {
  const std::size_t n = std::min<std::size_t>(1'000'003, largest_size());
  for_each_type<std::int32_t, double>([&]<class T>() {
    const hd::array<T> x = mixed<T>(n);
    EXPECT_TRUE(same_elements(hd::sort(where, x), sorted_by_loops(x)));
  });
}

TEST_P(sort, of_what_is_sorted_or_alike_or_falls) {
  const std::size_t n = 50'000;
  std::vector<std::int32_t> rising(n), alike(n, -5), fallen(n);
  std::iota(rising.begin(), rising.end(), -20'000);
  std::copy(rising.rbegin(), rising.rend(), fallen.begin());
  EXPECT_EQ(hd::sort(where, rising).to_vector(), rising);
  EXPECT_EQ(hd::sort(where, alike).to_vector(), alike);
  EXPECT_EQ(hd::sort(where, fallen).to_vector(), rising);
  // Two sorted runs, which threads that take one each may each find sorted.
  for (const std::size_t parts : {2, 3, 4}) {
    for (const std::size_t at : {n / parts - 1, n / parts, n / parts + 1, n - n / parts}) {
      std::vector<std::int32_t> runs = rising;
      std::rotate(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(n - at), runs.end());
      EXPECT_EQ(hd::sort(where, runs).to_vector(), rising) << at;
      EXPECT_EQ(hd::argsort(where, runs)[0], at);
    }
  }
}

TEST_P(sort, of_sorted_floats_in_place_makes_each_nan_the_one) {
  for_each_type<float, double>([&]<class T>() {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    std::vector<T> rising(40'000);
    std::iota(rising.begin(), rising.end(), T(-20'000));
    rising.insert(rising.end(), {nan, -nan});
    const std::vector<T> fallen(rising.rbegin(), rising.rend());
    for (const std::vector<T>& x : {rising, fallen}) {
      hd::array<T> y = hd::array<T>(x).on(where);
      hd::sort_into(where, y, y, x[0] != x[0] ? falling : hd::sort_order::ascending);
      hd::array<T> want(x);
      for (T& value : want.span()) value = hd::grouping::canonical(value);
      EXPECT_TRUE(same_elements(y, want)) << hd::detail::type_name<T>() << " from " << x[0];
    }
  });
}

TEST_P(sort, argsort_keeps_the_order_of_equal_elements) {
  for_each_ordered_type([&]<class T>() {
    for (const std::size_t n : sizes_to_sort()) {
      const hd::array<T> x = mixed<T>(n);
      ASSERT_EQ(hd::argsort(where, x).to_vector(), argsorted_by_loops(x))
          << hd::detail::type_name<T>() << ' ' << n;
    }
  });
}

/// Each line by itself, through the flat order of a copy of it.
template <class T, class Sorted>
void for_each_line(const hd::array<T>& x, std::size_t axis, const Sorted& check) {
  const hd::segments lines = along(x.shape(), axis);
  for (std::size_t line = 0; line < lines.count(); ++line) {
    const std::size_t begin = line / lines.inner * lines.length * lines.inner + line % lines.inner;
    hd::array<T> one(lines.length);
    for (std::size_t i = 0; i < lines.length; ++i) one.data()[i] = x.data()[begin + i * lines.inner];
    check(one, begin, lines.inner);
  }
}

TEST_P(sort, goes_the_other_way_round) {
  for_each_ordered_type([&]<class T>() {
    for (const std::size_t n : {0, 1, 2, 255, 256, 4097, 70'001}) {
      const hd::array<T> x = mixed<T>(n);
      hd::array<T> want = sorted_by_loops(x);
      std::reverse(want.data(), want.data() + n);
      ASSERT_TRUE(same_elements(hd::sort(where, x, falling), want)) << hd::detail::type_name<T>() << ' ' << n;
      hd::array<T> in_place = x.on(where);
      hd::sort_into(where, in_place, in_place, falling);
      ASSERT_TRUE(same_elements(in_place, want)) << hd::detail::type_name<T>() << ' ' << n;
      ASSERT_EQ(hd::argsort(where, x, falling).to_vector(), argsorted_by_loops(x, falling))
          << hd::detail::type_name<T>() << ' ' << n;
    }
  });
}

TEST_P(sort, along_an_axis_sorts_each_line_by_itself) {
  // No lines and none of any length, few long ones and many short ones, columns beyond a cache line of them.
  const std::vector<hd::shape> shapes{{0, 3},     {3, 0},     {1, 1},      {2, 5000},    {5000, 2},
                                      {1200, 33}, {3, 40, 7}, {40, 3, 70}, {2, 3, 4, 5}, {20'000}};
  const auto check_type = [&]<class T>() {
    for (const hd::shape& lengths : shapes) {
      if (seeks_races && lengths.elements() < 20'000) continue;
      const hd::array<T> x = mixed<T>(lengths.elements()).reshaped(lengths);
      for (std::size_t axis = 0; axis < lengths.axes(); ++axis) {
        const hd::axis along_axis{static_cast<std::ptrdiff_t>(axis)};
        for (const hd::sort_order order : {hd::sort_order::ascending, falling}) {
          const auto note = lengths.text() + " axis " + std::to_string(axis);
          const hd::array<T> sorted = hd::sort(where, x, along_axis, order).on(hd::target());
          const hd::array<std::size_t> places = hd::argsort(where, x, along_axis, order).on(hd::target());
          ASSERT_EQ(sorted.shape(), lengths);
          ASSERT_EQ(places.shape(), lengths);
          for_each_line(x, axis, [&](const hd::array<T>& line, std::size_t begin, std::size_t step) {
            hd::array<T> want = sorted_by_loops(line);
            if (order == falling) std::reverse(want.data(), want.data() + want.size());
            const std::vector<std::size_t> want_places = argsorted_by_loops(line, order);
            for (std::size_t i = 0; i < line.size(); ++i) {
              ASSERT_TRUE(same_bits(sorted.data()[begin + i * step], want.data()[i])) << note << ' ' << i;
              ASSERT_EQ(places.data()[begin + i * step], want_places[i]) << note << ' ' << i;
            }
          });
          hd::array<T> in_place = x.on(where);
          hd::sort_into(where, in_place, in_place, along_axis, order);
          ASSERT_TRUE(same_elements(in_place, sorted)) << note;
        }
      }
    }
  };
  for_each_type<std::int16_t, double>(check_type);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  for_each_type<bool, std::uint32_t, float>(check_type);
#endif
}

TEST_P(sort, by_key_takes_values_along) {
  const std::size_t n = 10'007;
  const auto check = [&]<class V>(const hd::array<float>& keys, const std::vector<V>& values) {
    const auto places = argsorted_by_loops(keys);
    const auto [sorted_keys, sorted_values] = hd::sort_by_key(where, keys, values);
    const std::vector<float> k = sorted_keys.to_vector();
    const std::vector<V> v = sorted_values.to_vector();
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(same_bits(k[i], keys.data()[places[i]])) << i;
      ASSERT_TRUE(same_bits(v[i], values[places[i]])) << i;
    }
  };
  const hd::array<float> keys = mixed<float>(n);
  for_each_type<std::uint8_t, std::int16_t, float, std::uint64_t, std::complex<double>>([&]<class V>() {
    std::vector<V> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = random_value<V>(i);
    check(keys, values);
  });
  std::vector<triangular> small(n);
  std::vector<matrix5> large(n);
  for (std::size_t i = 0; i < n; ++i) {
    small[i] = random_element<triangular>(i);
    large[i] = random_element<matrix5>(i);
  }
  check(keys, small);
  check(keys, large);
}

TEST_P(sort, by_key_the_other_way_round) {
  const std::vector<std::int8_t> keys{1, 3, 1, 3, -2};
  const auto [k, v] = hd::sort_by_key(where, keys, std::vector<char>{'a', 'b', 'c', 'd', 'e'}, falling);
  EXPECT_EQ(k.to_vector(), (std::vector<std::int8_t>{3, 3, 1, 1, -2}));
  EXPECT_EQ(v.to_vector(), (std::vector<char>{'b', 'd', 'a', 'c', 'e'}));
}

TEST_P(sort, errors_name_the_sizes) {
  const std::vector<int> keys(5);
  const std::vector<float> values(4);
  std::vector<int> out(6);
  EXPECT_NE(message_of([&] { hd::sort_by_key(where, keys, values); }).find("sort_by_key: 5 int32 on"),
            std::string::npos);
  EXPECT_NE(message_of([&] { hd::sort_into(where, out, keys); }).find("sort: 5 int32 on"), std::string::npos);
  EXPECT_NE(message_of([&] { hd::sort(where, keys, hd::axis{1}); }).find("axis 1"), std::string::npos);
}

TEST_P(sort, permutation_is_the_order_of_random_words) {
  using hd::random::distribution;
  for (const std::size_t n : {0, 1, 2, 5, 1000, 100'003}) {
    const hd::random::stream from{12, 7};
    const std::vector<std::size_t> have = hd::random::permutation(where, n, from).to_vector();
    hd::array<std::uint64_t> words(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t at = from.offset + i;
      const hd::philox_block block = hd::random::words_of(from.seed, distribution::permutation, at / 2);
      words.data()[i] = hd::random::joined(block.word[at % 2 * 2], block.word[at % 2 * 2 + 1]);
    }
    EXPECT_EQ(have, argsorted_by_loops(words));
  }
}

TEST(permutations, of_few_elements_are_all_as_likely) {
  std::vector<std::size_t> counts(24);
  constexpr std::size_t draws = 24'000;
  for (std::uint64_t s = 0; s < draws; ++s) {
    const auto p = hd::random::permutation(hd::target::serial(), 4, {s}).to_vector();
    // The place among all permutations in the order of their texts.
    std::size_t rank = 0, factor[] = {6, 2, 1};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = i + 1; j < 4; ++j) rank += p[j] < p[i] ? factor[i] : 0;
    }
    ++counts.at(rank);
  }
  double chi = 0;
  for (const std::size_t c : counts) chi += std::pow(static_cast<double>(c) - 1000.0, 2) / 1000;
  EXPECT_LT(chi, 66);  // 23 degrees of freedom: once in 200,000
  EXPECT_GT(chi, 5);
}
