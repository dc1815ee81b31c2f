#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/copy_if.hpp>
#include <heddle/unique.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class copy_if : public on_targets {};
HD_ON_ALL_TARGETS(copy_if);

/// Functions that a host compiler compiled: a GPU does not have them.
class copy_if_by_users_function : public on_targets {};
HD_ON_CPU_TARGETS(copy_if_by_users_function);

class unique : public on_targets {};
HD_ON_ALL_TARGETS(unique);

/// Flags of which a share is set, those of some whole tiles and of none among them.
hd::array<bool> flags_of(std::size_t n, double share) {
  hd::array<bool> flags(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t stretch = random_bits(i / 9000) % 4;
    flags.data()[i] = stretch == 0 ? false : stretch == 1 ? true : (random_real(i) + 1) / 2 < share;
  }
  return flags;
}

template <class T>
T element_number(std::size_t i) {
  if constexpr (std::is_same_v<T, triangular> || std::is_same_v<T, matrix5>) {
    return random_element<T>(i);
  } else {
    return random_value<T>(i);
  }
}

template <class T>
void check_flags(const hd::target& where, std::size_t n, double share) {
  const hd::array<bool> flags = flags_of(n, share);
  hd::array<T> x(n);
  std::vector<T> chosen, others;
  for (std::size_t i = 0; i < n; ++i) {
    x.data()[i] = element_number<T>(i);
    (flags.data()[i] ? chosen : others).push_back(x.data()[i]);
  }
  const std::size_t count = chosen.size();
  const hd::array<T> have = hd::copy_if(where, x, flags);
  ASSERT_TRUE(same_elements(have, hd::array<T>(chosen))) << n;
  const hd::partitioned<T> both = hd::partition(where, x, flags);
  chosen.insert(chosen.end(), others.begin(), others.end());
  ASSERT_EQ(both.chosen, count);
  ASSERT_TRUE(same_elements(both.elements, hd::array<T>(chosen))) << n;
}

}  // namespace

TEST_P(copy_if, by_flags_keeps_the_order) {
  for_each_type<std::uint8_t, std::int16_t, float, std::int64_t, std::complex<double>, triangular, matrix5>(
      [&]<class T>() {
        for (const std::size_t n : sizes_up_to(sizeof(T) > 16 ? 10'000 : 100'003)) {
          for (const double share : {0.0, 0.03, 0.5, 1.0}) check_flags<T>(where, n, share);
        }
      });
}

TEST_P(copy_if, keeps_elements_at_any_address) {
  struct bytes4 {
    char value[4];
  };
  const std::size_t n = 3001;
  const hd::array<bool> flags = flags_of(n, 0.4);
  std::vector<char> memory(4 * n + 1);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<char>(random_bits(i));
  const auto* const first = reinterpret_cast<const bytes4*>(memory.data() + 1);
  const std::vector<bytes4> have =
      hd::copy_if(where, hd::array_view<const bytes4>(first, hd::shape{n}), flags).to_vector();
  std::size_t found = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!flags.data()[i]) continue;
    ASSERT_LT(found, have.size());
    ASSERT_EQ(std::memcmp(&have[found++], &first[i], sizeof(bytes4)), 0) << i;
  }
  EXPECT_EQ(found, have.size());
}

TEST_P(copy_if, of_slices) {
  // Elements and flags that begin at no multiple of 16 bytes.
  const std::size_t n = 20'000;
  hd::array<std::int32_t> x(n);
  for (std::size_t i = 0; i < n; ++i) x.data()[i] = random_value<std::int32_t>(i);
  const hd::array<bool> flags = flags_of(n, 0.5);
  const hd::array<std::int32_t> there = x.on(where);
  const hd::array<bool> flags_there = flags.on(where);
  std::vector<std::int32_t> want;
  for (std::size_t i = 0; i < n - 7; ++i) {
    if (flags.data()[i + 3]) want.push_back(x.data()[i + 5]);
  }
  EXPECT_EQ(hd::copy_if(where, there.slice(5, n - 2), flags_there.slice(3, n - 4)).to_vector(), want);
}

TEST_P(copy_if, says_how_many_flags_there_are) {
  const std::vector<int> x(5);
  const hd::array<bool> flags(4);
  EXPECT_NE(message_of([&] { hd::copy_if(where, x, flags); }).find("copy_if: 5 int32 on"), std::string::npos);
}

TEST_P(copy_if_by_users_function, keeps_the_order) {
  const auto is_small = [](const std::int64_t& a) { return a % 10 < 3; };
  for (const std::size_t n : sizes_up_to(100'003)) {
    std::vector<std::int64_t> x(n), want, others;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = random_value<std::int64_t>(i);
      (is_small(x[i]) ? want : others).push_back(x[i]);
    }
    ASSERT_EQ(hd::copy_if(where, x, is_small).to_vector(), want);
    const auto both = hd::partition(where, x, is_small);
    ASSERT_EQ(both.chosen, want.size());
    want.insert(want.end(), others.begin(), others.end());
    ASSERT_EQ(both.elements.to_vector(), want);
  }
}

TEST_P(unique, consecutive_ones_are_those_of_the_standard_library) {
  for_each_dtype([&]<class T>() {
    for (const std::size_t n : sizes_up_to(100'003)) {
      hd::array<T> x(n);
      for (std::size_t i = 0; i < n; ++i) x.data()[i] = random_value<T>(random_bits(i / 3) % 4);
      std::vector<T> want(x.data(), x.data() + n);
      want.erase(std::unique(want.begin(), want.end()), want.end());
      const auto have = hd::unique_consecutive(where, x).to_vector();
      ASSERT_EQ(have, want) << hd::impl::type_name<T>() << ' ' << n;
    }
  });
}

TEST_P(unique, are_in_order) {
  const auto check = [&]<class T>() {
    for (const std::size_t n : {0, 1, 2, 100, 70'001}) {
      std::vector<T> x(n);
      if constexpr (!std::is_same_v<T, bool>) {
        for (std::size_t i = 0; i < n; ++i)
          x[i] = static_cast<T>(random_value<T>(random_bits(i) % (n / 2 + 1)));
        const std::set<T> want(x.begin(), x.end());
        ASSERT_EQ(hd::unique(where, x).to_vector(), std::vector<T>(want.begin(), want.end()));
      }
    }
  };
  for_each_integer_type(check);
  for_each_type<float, double>(check);
}

TEST_P(unique, nans_are_one_and_zeros_too) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x{nan, 0.0f, 1, -0.0f, -nan, 1, -1, nan};
  const std::vector<float> have = hd::unique(where, x).to_vector();
  ASSERT_EQ(have.size(), 4u);
  EXPECT_EQ(std::vector<float>(have.begin(), have.begin() + 3), (std::vector<float>{-1, 0, 1}));
  EXPECT_TRUE(std::isnan(have[3]));
  using complex = std::complex<float>;
  const std::vector<complex> z{{nan, 1}, {2, nan}, {3, nan}, {1, 1}, {1, 1}, {1, -1}};
  EXPECT_EQ(hd::unique_consecutive(where, z).size(), 3u);
}
