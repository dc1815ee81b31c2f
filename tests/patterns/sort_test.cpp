#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/ordered.hpp"
#include "tests/sizes.hpp"
#include "tests/users_order_checks.hpp"
#include <heddle/impl/core/order.hpp>
#include <heddle/random.hpp>
#include <heddle/sort.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class sort : public on_targets {};
HD_ON_ALL_TARGETS(sort);

/// Functions that a host compiler compiled: a GPU does not have them.
class sort_by_users_function : public on_targets {};
HD_ON_CPU_TARGETS(sort_by_users_function);

/// From 32,768 elements on threads share them.
std::vector<std::size_t> sizes_to_sort() {
  return seeks_races ? std::vector<std::size_t>{0, 33, 50'021} : sizes_up_to(100'003);
}

}  // namespace

TEST_P(sort, puts_elements_in_order) {
  for_each_ordered_type([&]<class T>() {
    for (const std::size_t n : sizes_to_sort()) {
      const hd::array<T> x = mixed<T>(n), want = sorted_by_loops(x);
      ASSERT_TRUE(same_elements(hd::sort(where, x), want)) << hd::impl::type_name<T>() << ' ' << n;
      hd::array<T> in_place = x.on(where);
      hd::sort_into(where, in_place, in_place);
      ASSERT_TRUE(same_elements(in_place, want)) << hd::impl::type_name<T>() << ' ' << n;
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

/// From 16 MiB on a CPU gathers whole cache lines before it writes them.
TEST_P(sort, of_what_is_larger_than_a_cache) {
  const std::size_t n =
      seeks_races ? 50'021 : std::min<std::size_t>((std::size_t{1} << 22) + 5, largest_size());
  for_each_type<float, std::int64_t, std::uint16_t>([&]<class T>() {
    const hd::array<T> x = mixed<T>(n);
    const hd::array<T> sorted = hd::sort(where, x).on({});
    const std::vector<std::size_t> places = hd::argsort(where, x).to_vector();
    std::vector<bool> is_taken(n);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = places[i];
      ASSERT_TRUE(at < n && !is_taken[at]) << i;
      is_taken[at] = true;
      const T here = x.data()[at];
      wrong += comes_before(sorted.data()[i], here) || comes_before(here, sorted.data()[i]);
      if (i == 0) continue;
      const T before = x.data()[places[i - 1]];
      wrong += comes_before(here, before) || (!comes_before(before, here) && places[i - 1] > at);
      wrong += sorts_before(sorted.data()[i], sorted.data()[i - 1]);
    }
    EXPECT_EQ(wrong, 0u) << hd::impl::type_name<T>();
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
      for (T& value : want.span()) value = hd::order::canonical(value);
      EXPECT_TRUE(same_elements(y, want)) << hd::impl::type_name<T>() << " from " << x[0];
    }
  });
}

TEST_P(sort, of_few_different_values) {
  for_each_type<std::int32_t, std::uint64_t, float>([&]<class T>() {
    for (const std::size_t values : {2, 3, 100}) {
      for (const std::size_t n : {100, 700, 5000, 70'001}) {
        hd::array<T> x(n);
        for (std::size_t i = 0; i < n; ++i) x.data()[i] = static_cast<T>(random_bits(i) % values);
        ASSERT_TRUE(same_elements(hd::sort(where, x), sorted_by_loops(x))) << values << " in " << n;
        ASSERT_EQ(hd::argsort(where, x).to_vector(), argsorted_by_loops(x)) << values << " in " << n;
      }
    }
  });
}

/// argsort shortens keys of 8 bytes. Two values far apart leave little of the others.
TEST_P(sort, argsort_of_what_differs_in_the_last_bits_alone) {
  const std::size_t n = 40'000;
  for (const std::uint64_t different :
       {std::uint64_t{1} << 40, std::uint64_t{1} << 22, std::uint64_t{1000}}) {
    hd::array<double> x(n);
    hd::array<std::uint64_t> y(n);
    for (std::size_t i = 0; i < n; ++i) {
      y.data()[i] = random_bits(i) % different;
      x.data()[i] = 1 + static_cast<double>(y.data()[i]) * std::numeric_limits<double>::epsilon();
    }
    x.data()[17] = std::numeric_limits<double>::infinity();
    x.data()[300] = std::numeric_limits<double>::lowest();
    y.data()[40] = std::numeric_limits<std::uint64_t>::max();
    for (const hd::sort_order order : {hd::sort_order::ascending, falling}) {
      EXPECT_EQ(hd::argsort(where, x, order).to_vector(), argsorted_by_loops(x, order)) << different;
      EXPECT_EQ(hd::argsort(where, y, order).to_vector(), argsorted_by_loops(y, order)) << different;
    }
  }
}

TEST_P(sort, of_rows_of_every_short_length) {
  for_each_type<float, std::uint32_t, std::int64_t>([&]<class T>() {
    for (std::size_t length = 1; length < 70; ++length) {
      const std::size_t rows = 5;
      const hd::array<T> x = mixed<T>(rows * length).reshaped({rows, length});
      for (const hd::sort_order order : {hd::sort_order::ascending, falling}) {
        const hd::array<T> sorted = hd::sort(where, x, hd::axis{1}, order).on({});
        for (std::size_t row = 0; row < rows; ++row) {
          const auto* const from = x.data() + row * length;
          hd::array<T> want = sorted_by_loops(hd::array<T>(std::vector<T>(from, from + length)));
          if (order == falling) std::reverse(want.data(), want.data() + length);
          for (std::size_t i = 0; i < length; ++i)
            ASSERT_TRUE(same_bits(sorted.data()[row * length + i], want.data()[i])) << length << ' ' << i;
        }
      }
    }
  });
}

TEST_P(sort, argsort_keeps_the_order_of_equal_elements) {
  for_each_ordered_type([&]<class T>() {
    for (const std::size_t n : sizes_to_sort()) {
      const hd::array<T> x = mixed<T>(n);
      ASSERT_EQ(hd::argsort(where, x).to_vector(), argsorted_by_loops(x))
          << hd::impl::type_name<T>() << ' ' << n;
    }
  });
}

TEST_P(sort, goes_the_other_way_round) {
  for_each_ordered_type([&]<class T>() {
    for (const std::size_t n : {0, 1, 2, 255, 256, 4097, 70'001}) {
      const hd::array<T> x = mixed<T>(n);
      hd::array<T> want = sorted_by_loops(x);
      std::reverse(want.data(), want.data() + n);
      ASSERT_TRUE(same_elements(hd::sort(where, x, falling), want)) << hd::impl::type_name<T>() << ' ' << n;
      hd::array<T> in_place = x.on(where);
      hd::sort_into(where, in_place, in_place, falling);
      ASSERT_TRUE(same_elements(in_place, want)) << hd::impl::type_name<T>() << ' ' << n;
      ASSERT_EQ(hd::argsort(where, x, falling).to_vector(), argsorted_by_loops(x, falling))
          << hd::impl::type_name<T>() << ' ' << n;
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

TEST_P(sort_by_users_function, is_stable) {
  check_users_orders(where);
}

TEST_P(sort_by_users_function, passes_on_what_it_throws) {
  std::vector<int> x(50'000);
  std::iota(x.begin(), x.end(), 0);
  const auto throws = [](int a, int b) {
    return a == 40'000 ? throw std::runtime_error("unordered") : a < b;
  };
  EXPECT_THROW(hd::sort(where, x, throws), std::runtime_error);
}

TEST_P(sort, by_the_standard_librarys_names_of_orders) {
  for_each_ordered_type([&]<class T>() {
    for (const std::size_t n : {0, 1, 3000}) {
      const hd::array<T> x = mixed<T>(n);
      ASSERT_TRUE(same_elements(hd::sort(where, x, std::greater<>{}), hd::sort(where, x, falling))) << n;
      ASSERT_TRUE(same_elements(hd::sort(where, x, std::less<T>{}), hd::sort(where, x))) << n;
      ASSERT_EQ(hd::argsort(where, x, std::greater<T>{}).to_vector(), argsorted_by_loops(x, falling)) << n;
    }
  });
  const std::vector<std::int8_t> keys{1, 3, 1, 3, -2};
  const auto sorted =
      hd::sort_by_key(where, keys, std::vector<char>{'a', 'b', 'c', 'd', 'e'}, std::greater<>{});
  EXPECT_EQ(sorted.second.to_vector(), (std::vector<char>{'b', 'd', 'a', 'c', 'e'}));
}

TEST_P(sort, by_a_host_compilers_function_is_refused_on_a_gpu) {
  const std::vector<person> x = people(100);
  const std::string message = message_of([&] { hd::sort(where, x, younger{}); });
  if (where.is_gpu()) {
    EXPECT_NE(message.find("nvcc"), std::string::npos) << message;
  } else {
    EXPECT_EQ(message, "no error");
  }
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

TEST_P(sort, refuses_an_output_that_overlaps_its_input) {
  hd::array<int> x(std::vector<int>{5, 3, 4, 1, 2, 0});
  hd::array<int> there = x.on(where);
  const auto first = there.slice(0, 5);
  EXPECT_NE(message_of([&] {
              hd::sort_into(where, there.slice(1, 6), first);
            }).find("the output overlaps an input but does not begin with it"),
            std::string::npos);
  EXPECT_EQ(there.to_vector(), x.to_vector());
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
