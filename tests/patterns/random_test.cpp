#include "patterns/random/cpu_kernels.hpp"
#include "random_by_definition.hpp"
#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;
using hd::random::distribution;

namespace {

class random_numbers : public on_targets {};
HD_ON_ALL_TARGETS(random_numbers);

// The known answers of Random123 (kat_vectors) for philox4x32 with 10 rounds.
TEST(philox, gives_known_answers) {
  static_assert(hd::philox4x32({{0, 0, 0, 0}}, 0, 0) ==
                hd::philox_block{{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(hd::philox4x32({{ones, ones, ones, ones}}, ones, ones),
            (hd::philox_block{{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}));
  EXPECT_EQ(hd::philox4x32({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
            (hd::philox_block{{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}));
}

TEST(philox, is_random123s) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t seed = random_bits(i), block = random_bits(i + 1000);
    const auto word2 = static_cast<std::uint32_t>(random_bits(i + 2000)),
               word3 = static_cast<std::uint32_t>(random_bits(i + 3000));
    ASSERT_EQ(hd::philox4x32({{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                               word2, word3}},
                             static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)),
              by_random123(seed, block, word2, word3));
  }
}

constexpr std::uint64_t seed = 0x0123456789abcdef;
/// Offsets that begin a block, that do not, and beyond 32 bits.
constexpr std::uint64_t offsets[] = {0, 1, 2, 7, 64, (std::uint64_t{1} << 36) - 3};
const std::vector<std::size_t> lengths{0, 1, 2, 3, 4, 5, 15, 16, 17, 100, 1023, 1024, 1025, 20001};

/// Checks each element of arrays of every length and offset by `want(index)`.
template <class T, class Make, class Want>
void check_elements(const Make& make, const Want& want) {
  for (const std::uint64_t offset : offsets) {
    for (const std::size_t n : lengths) {
      const std::vector<T> have = make(n, hd::random::stream{seed, offset}).to_vector();
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_TRUE(want(have[i], offset + i)) << "element " << i << " of " << n << " from " << offset;
      }
    }
  }
}

TEST_P(random_numbers, bits_are_the_words_of_philox) {
  for_each_type<std::uint32_t, std::uint64_t>([&]<class T>() {
    check_elements<T>(
        [&](std::size_t n, hd::random::stream from) { return hd::random::bits<T>(where, {n}, from); },
        [](T x, std::uint64_t index) { return x == drawn_word<T>(seed, distribution::bits, index); });
  });
}

TEST_P(random_numbers, uniform_ones_are_fractions_of_the_words) {
  for_each_type<float, double>([&]<class T>() {
    check_elements<T>(
        [&](std::size_t n, hd::random::stream from) { return hd::random::uniform<T>(where, {n}, from); },
        [](T x, std::uint64_t index) { return x == uniform_by_definition<T>(seed, index); });
  });
}

TEST_P(random_numbers, exponential_ones_are_logarithms) {
  for_each_type<float, double>([&]<class T>() {
    check_elements<T>(
        [&](std::size_t n, hd::random::stream from) { return hd::random::exponential<T>(where, {n}, from); },
        [](T x, std::uint64_t index) {
          const auto [want, bound] = exponential_by_definition<T>(seed, index);
          return std::abs(x - want) <= bound;
        });
  });
}

TEST_P(random_numbers, normal_ones_are_pairs_of_box_and_muller) {
  for_each_type<float, double>([&]<class T>() {
    check_elements<T>(
        [&](std::size_t n, hd::random::stream from) { return hd::random::normal<T>(where, {n}, from); },
        [](T x, std::uint64_t index) {
          const auto [want, bound] = normal_by_definition<T>(seed, index);
          return std::abs(x - want) <= bound;
        });
  });
}

TEST_P(random_numbers, are_stretched_and_moved) {
  for_each_type<float, double>([&]<class T>() {
    const hd::random::stream from{7, 5};
    const std::vector<T> u = hd::random::uniform<T>(where, {1000}, from).to_vector();
    const std::vector<T> v = hd::random::uniform<T>(where, {1000}, from, T(-3), T(5)).to_vector();
    const std::vector<T> z = hd::random::normal<T>(where, {1000}, from).to_vector();
    const std::vector<T> w = hd::random::normal<T>(where, {1000}, from, T(2), T(0.3)).to_vector();
    const std::vector<T> e = hd::random::exponential<T>(where, {1000}, from).to_vector();
    const std::vector<T> f = hd::random::exponential<T>(where, {1000}, from, T(0.1)).to_vector();
    for (std::size_t i = 0; i < u.size(); ++i) {
      ASSERT_EQ(v[i], std::fma(u[i], T(8), T(-3)));
      ASSERT_EQ(w[i], std::fma(z[i], T(0.3), T(2)));
      ASSERT_EQ(f[i], e[i] * T(0.1));
    }
    // What rounding would take to the upper bound stays below it.
    const T low = 1, high = std::nextafter(T(1), T(2));
    for (const T x : hd::random::uniform<T>(where, {1000}, from, low, high).to_vector()) ASSERT_EQ(x, low);
    for (const T end : {T(-1), T(0)}) {
      const T before = std::nextafter(end, T(-2));
      for (const T x : hd::random::uniform<T>(where, {1000}, from, before, end).to_vector())
        ASSERT_EQ(x, before);
    }
    for (const T x : hd::random::uniform<T>(where, {1000}, from, T(-1), T(0)).to_vector()) ASSERT_LT(x, 0);
    for (const T x : hd::random::uniform<T>(where, {10}, from, T(4), T(4)).to_vector()) ASSERT_EQ(x, 4);
  });
}

TEST_P(random_numbers, integers_are_multiples_of_the_words) {
  // Ranges of which nearly every second draw is drawn again are among them.
  for_each_type<std::int64_t, std::uint64_t>([&]<class T>() {
    for (const std::uint64_t range :
         {std::uint64_t{1}, std::uint64_t{6}, (std::uint64_t{1} << 31) + 1, (std::uint64_t{1} << 32) - 1,
          std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1, (std::uint64_t{1} << 62) * 2 - 5}) {
      const T low = std::is_signed_v<T> ? static_cast<T>(-7) : T(3);
      check_elements<T>(
          [&](std::size_t n, hd::random::stream from) {
            return hd::random::integers<T>(where, {n}, from, low,
                                           static_cast<T>(static_cast<std::uint64_t>(low) + range));
          },
          [&](T x, std::uint64_t index) {
            return static_cast<std::uint64_t>(x) ==
                   static_cast<std::uint64_t>(low) + integer_by_definition(seed, range, index);
          });
    }
    check_elements<T>(
        [&](std::size_t n, hd::random::stream from) { return hd::random::integers<T>(where, {n}, from); },
        [](T x, std::uint64_t index) {
          return x == static_cast<T>(static_cast<std::uint64_t>(std::numeric_limits<T>::min()) +
                                     integer_by_definition(seed, 0, index));
        });
  });
  for_each_integer_type([&]<class T>() {
    const T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    check_elements<T>(
        [&](std::size_t n, hd::random::stream from) {
          return hd::random::integers<T>(where, {n}, from, low, high);
        },
        [&](T x, std::uint64_t index) {
          const auto range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
          return x ==
                 static_cast<T>(static_cast<std::uint64_t>(low) + integer_by_definition(seed, range, index));
        });
  });
}

TEST_P(random_numbers, have_the_same_bits_as_one_core_makes) {
  const std::size_t n = std::min<std::size_t>(2'000'003, largest_size());
  const hd::target serial = hd::target::serial();
  for (const std::uint64_t offset : {0, 3}) {
    const hd::random::stream from{11, offset};
    for_each_type<float, double>([&]<class T>() {
      EXPECT_TRUE(same_elements(hd::random::uniform<T>(where, {n}, from, T(-1), T(2)),
                                hd::random::uniform<T>(serial, {n}, from, T(-1), T(2))));
      EXPECT_TRUE(same_elements(hd::random::normal<T>(where, {n}, from, T(1), T(2)),
                                hd::random::normal<T>(serial, {n}, from, T(1), T(2))));
      EXPECT_TRUE(same_elements(hd::random::exponential<T>(where, {n}, from, T(3)),
                                hd::random::exponential<T>(serial, {n}, from, T(3))));
    });
    for_each_integer_type([&]<class T>() {
      EXPECT_TRUE(same_elements(hd::random::integers<T>(where, {n}, from),
                                hd::random::integers<T>(serial, {n}, from)));
    });
  }
}

TEST_P(random_numbers, fill_what_there_is) {
  const hd::random::stream from{3, 9};
  for (const hd::target& place : {hd::target::serial(), where}) {
    hd::array<float> x({3, 401}, place);
    x.fill(-1);
    // A part that begins at no multiple of 16 bytes.
    const auto part = x.reshaped({3 * 401}).slice(1, 1000);
    hd::random::normal_into(where, part, from, 0.5f, 2.0f);
    const std::vector<float> have = x.to_vector();
    const std::vector<float> want =
        hd::random::normal<float>(hd::target::serial(), {999}, from, 0.5f, 2.0f).to_vector();
    EXPECT_TRUE(same_elements<float>(std::span(have).subspan(1, 999), want));
    EXPECT_EQ(have[0], -1);
    EXPECT_EQ(have[1000], -1);
  }
  std::vector<double> u(77), e(77);
  hd::random::uniform_into(where, u, from, 2, 3);
  hd::random::exponential_into(where, e, from);
  EXPECT_EQ(u, hd::random::uniform<double>(hd::target::serial(), {77}, from, 2, 3).to_vector());
  EXPECT_EQ(e, hd::random::exponential<double>(hd::target::serial(), {77}, from).to_vector());
  std::vector<short> dice(77);
  hd::random::integers_into(where, dice, from, 1, 7);
  EXPECT_EQ(dice, hd::random::integers<short>(hd::target::serial(), {77}, from, 1, 7).to_vector());
  EXPECT_EQ(hd::random::uniform(where, {2, 3}, from).shape(), (hd::shape{2, 3}));
}

// Statistics, of streams that were not chosen: a threshold is passed by one good generator in a million.

const std::size_t many = std::min<std::size_t>(1'000'000, largest_size());
constexpr double sigmas = 5;

/// Kolmogorov's statistic √n·sup|F_n − F|, which exceeds 2.7 once in a million times.
template <class F>
double kolmogorov(std::vector<double> x, const F& cumulative) {
  std::sort(x.begin(), x.end());
  const double n = static_cast<double>(x.size());
  double furthest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = cumulative(x[i]);
    furthest = std::max({furthest, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return furthest * std::sqrt(n);
}

/// χ² of counts that should be alike, as a standard normal number (Wilson and Hilferty).
double chi_square(const std::vector<std::size_t>& counts) {
  double total = 0, sum = 0;
  for (const std::size_t c : counts) total += static_cast<double>(c);
  const double expected = total / static_cast<double>(counts.size()),
               k = static_cast<double>(counts.size() - 1);
  for (const std::size_t c : counts) {
    const double off = static_cast<double>(c) - expected;
    sum += off * off / expected;
  }
  return (std::cbrt(sum / k) - (1 - 2 / (9 * k))) / std::sqrt(2 / (9 * k));
}

/// Checks the mean and the next three central moments, given with the variances of their estimates.
void check_moments(const std::vector<double>& x, double mean, const double (&moments)[3],
                   const double (&variances)[4]) {
  double sums[4] = {};
  for (const double value : x) {
    const double d = value - mean;
    double power = 1;
    for (double& sum : sums) sum += power *= d;
  }
  const double n = static_cast<double>(x.size());
  EXPECT_LE(std::abs(sums[0] / n), sigmas * std::sqrt(variances[0] / n));
  for (int k = 0; k < 3; ++k)
    EXPECT_LE(std::abs(sums[k + 1] / n - moments[k]), sigmas * std::sqrt(variances[k + 1] / n)) << k + 2;
}

template <class T>
std::vector<double> as_doubles(const hd::array<T>& x) {
  const std::vector<T> values = x.to_vector();
  return {values.begin(), values.end()};
}

/// The correlation of neighbours, times √n: a standard normal number.
double correlation_of_neighbours(const std::vector<double>& x, std::size_t distance, double mean,
                                 double variance) {
  double sum = 0;
  for (std::size_t i = distance; i < x.size(); ++i) sum += (x[i] - mean) * (x[i - distance] - mean);
  return sum / variance / std::sqrt(static_cast<double>(x.size() - distance));
}

TEST(statistics, of_uniform_numbers) {
  for_each_type<float, double>([&]<class T>() {
    for (const std::uint64_t s : {0, 1, 2}) {
      const auto x = as_doubles(hd::random::uniform<T>(hd::target::parallel(), {many}, {s}));
      // E d^2k = 2^-2k/(2k + 1) for d = u − ½.
      check_moments(x, 0.5, {1 / 12.0, 0, 1 / 80.0},
                    {1 / 12.0, 1 / 80.0 - 1 / 144.0, 1 / 448.0, 1 / 2304.0 - 1 / 6400.0});
      EXPECT_LT(kolmogorov(x, [](double value) { return value; }), 2.7);
      std::vector<std::size_t> cells(100 * 100);
      for (std::size_t i = 0; i + 1 < x.size(); i += 2)
        ++cells[static_cast<std::size_t>(100 * x[i]) * 100 + static_cast<std::size_t>(100 * x[i + 1])];
      EXPECT_LT(std::abs(chi_square(cells)), sigmas);
      for (const std::size_t distance : {1, 2, 4, 1024})
        EXPECT_LT(std::abs(correlation_of_neighbours(x, distance, 0.5, 1 / 12.0)), sigmas);
    }
  });
}

TEST(statistics, of_normal_numbers) {
  for_each_type<float, double>([&]<class T>() {
    for (const std::uint64_t s : {0, 1, 2}) {
      const auto x = as_doubles(hd::random::normal<T>(hd::target::parallel(), {many}, {s}));
      check_moments(x, 0, {1, 0, 3}, {1, 2, 15, 96});
      const auto cumulative = [](double value) { return std::erfc(-value / std::numbers::sqrt2) / 2; };
      EXPECT_LT(kolmogorov(x, cumulative), 2.7);
      std::vector<std::size_t> cells(64 * 64);
      const auto cell = [&](double value) {
        return std::min<std::size_t>(63, static_cast<std::size_t>(64 * cumulative(value)));
      };
      for (std::size_t i = 0; i + 1 < x.size(); i += 2) ++cells[cell(x[i]) * 64 + cell(x[i + 1])];
      EXPECT_LT(std::abs(chi_square(cells)), sigmas);
      for (const std::size_t distance : {1, 2, 3, 4, 1024})
        EXPECT_LT(std::abs(correlation_of_neighbours(x, distance, 0, 1)), sigmas);
      // The tails: beyond three deviations there are 2,700 in a million.
      const auto beyond = static_cast<double>(
          std::count_if(x.begin(), x.end(), [](double value) { return std::abs(value) > 3; }));
      const double expected = static_cast<double>(many) * std::erfc(3 / std::numbers::sqrt2);
      EXPECT_NEAR(beyond, expected, sigmas * std::sqrt(expected));
    }
  });
}

TEST(statistics, of_exponential_numbers) {
  for_each_type<float, double>([&]<class T>() {
    for (const std::uint64_t s : {0, 1, 2}) {
      const auto x = as_doubles(hd::random::exponential<T>(hd::target::parallel(), {many}, {s}));
      // Central moments of an exponential number: !k, the subfactorials 1, 2, 9, …, 265, …, 14833.
      check_moments(x, 1, {1, 2, 9}, {1, 9 - 1, 265 - 4, 14833 - 81});
      EXPECT_LT(kolmogorov(x, [](double value) { return -std::expm1(-value); }), 2.7);
    }
  });
}

TEST(statistics, of_integers) {
  for (const std::uint64_t s : {0, 1, 2}) {
    for (const std::int64_t range : {2, 6, 100, 1000, 1024}) {
      std::vector<std::size_t> counts(static_cast<std::size_t>(range));
      const auto x = hd::random::integers<std::int64_t>(hd::target::parallel(), {many}, {s}, 10, 10 + range);
      for (const std::int64_t value : x.to_vector()) ++counts.at(static_cast<std::size_t>(value - 10));
      EXPECT_LT(std::abs(chi_square(counts)), sigmas) << range;
    }
    // Without drawing again a third of these would be half as likely as the others.
    constexpr std::uint64_t three_quarters = std::uint64_t{3} << 30;
    std::vector<std::size_t> thirds(3);
    const auto y =
        hd::random::integers<std::uint64_t>(hd::target::parallel(), {many}, {s}, 0, three_quarters);
    for (const std::uint64_t value : y.to_vector()) ++thirds.at(static_cast<std::size_t>(value % 3));
    EXPECT_LT(std::abs(chi_square(thirds)), sigmas);
  }
}

TEST(random_numbers_errors, say_what_cannot_be) {
  const hd::target where = hd::target::serial();
  using hd::random::uniform, hd::random::normal, hd::random::exponential, hd::random::integers;
  const auto fails = [](const std::string& part, const auto& call) {
    const std::string message = message_of(call);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  constexpr float inf = std::numeric_limits<float>::infinity(), largest = std::numeric_limits<float>::max();
  fails("from 2 to 1", [&] { uniform(where, {1}, {}, 2, 1); });
  fails("inf", [&] { uniform(where, {1}, {}, 0, inf); });
  fails("uniform float32", [&] { uniform(where, {1}, {}, -largest, largest); });
  fails("deviation -1", [&] { normal(where, {1}, {}, 0, -1); });
  fails("mean inf", [&] { normal(where, {1}, {}, inf, 1); });
  fails("mean -2", [&] { exponential(where, {1}, {}, -2); });
  fails("from 5 to below 5: low must be less", [&] { integers<int>(where, {1}, {}, 5, 5); });
  fails("offset 18446744073709551615",
        [&] { uniform(where, {2}, {0, std::numeric_limits<std::uint64_t>::max()}); });
  EXPECT_EQ(uniform(where, {1}, {0, std::numeric_limits<std::uint64_t>::max() - 1}).size(), 1u);
}

TEST(random_kernels, of_all_instruction_sets_agree) {
  for_each_type<float, double>([&]<class T>() {
    for (const auto& numbers : {hd::impl::uniform_numbers(hd::dtype_of<T>, {5}, -1, 1),
                                hd::impl::normal_numbers(hd::dtype_of<T>, {5}, 0, 1),
                                hd::impl::exponential_numbers(hd::dtype_of<T>, {5}, 1)}) {
      std::vector<T> want(5000), have(5000);
      hd::cpu::baseline_random(numbers, 101, want.size(), false, want.data());
      const auto check = [&](hd::cpu::random_kernel kernel, bool non_temporal) {
        std::fill(have.begin(), have.end(), T(-9));
        kernel(numbers, 101, have.size(), non_temporal, have.data());
        EXPECT_TRUE(same_elements<T>(have, want));
      };
      check(hd::cpu::baseline_random, true);
#if defined(HEDDLE_X86_KERNELS)
      __builtin_cpu_init();
      for (const bool non_temporal : {false, true}) {
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
          check(hd::cpu::avx2_random, non_temporal);
        if (__builtin_cpu_supports("avx512dq")) check(hd::cpu::avx512_random, non_temporal);
      }
#endif
    }
  });
}

}  // namespace
