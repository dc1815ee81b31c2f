#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/histogram.hpp>
#include <heddle/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class histogram : public on_targets {};
HD_ON_ALL_TARGETS(histogram);

/// Calls f(place, bin) for each element that is in one, by its edges.
template <class T, class F>
void for_each_in_a_bin(const hd::array<T>& x, const std::vector<double>& edges, const F& f) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto value = static_cast<double>(x.data()[i]);
    const auto above = std::upper_bound(edges.begin(), edges.end(), value);
    if (!(value >= edges.front() && value <= edges.back())) continue;
    const auto bin = static_cast<std::size_t>(above - edges.begin()) - 1;
    f(i, std::min(bin, edges.size() - 2));
  }
}

template <class T>
std::vector<std::uint64_t> counted(const hd::array<T>& x, const std::vector<double>& edges) {
  std::vector<std::uint64_t> counts(edges.size() - 1);
  for_each_in_a_bin(x, edges, [&](std::size_t, std::size_t bin) { ++counts[bin]; });
  return counts;
}

/// Elements of −3 to 3, or of all integers of a type, with edges, infinities and NaNs among them.
template <class T>
hd::array<T> mixed(std::size_t n, const std::vector<double>& edges) {
  hd::array<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = random_bits(i);
    if constexpr (std::is_floating_point_v<T>) {
      const T special[] = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                           -std::numeric_limits<T>::infinity(), T(0)};
      x.data()[i] = bits % 16 < std::size(special) ? special[bits % 16]
                    : bits % 16 < 8                ? static_cast<T>(edges[bits / 16 % edges.size()])
                                                   : static_cast<T>(3 * random_real(i));
    } else {
      x.data()[i] = static_cast<T>(bits % 3 == 0 ? bits / 3 % 7 : bits);
    }
  }
  return x;
}

template <class T>
hd::even_bins even_for(std::size_t count) {
  if constexpr (std::is_floating_point_v<T>) {
    return {count, -2.1, 1.7};
  } else {
    return {count, -1, std::min(100.0, static_cast<double>(std::numeric_limits<T>::max()) + 1)};
  }
}

}  // namespace

TEST_P(histogram, of_even_bins_is_what_their_edges_say) {
  const auto check = [&]<class T>() {
    // One bin, several copies in shared memory, one, and none.
    for (const std::size_t bins : {1, 2, 7, 100, 3000, 10'240, 10'241, 100'000}) {
      const hd::even_bins even = even_for<T>(bins);
      const std::vector<double> edges = hd::edges_of<T>(even);
      for (const std::size_t n : {0, 1, 31, 4095, 4097, 50'001}) {
        const hd::array<T> x = mixed<T>(n, edges);
        ASSERT_EQ(hd::histogram(where, x, even).to_vector(), counted(x, edges))
            << hd::impl::type_name<T>() << ' ' << bins << ' ' << n;
      }
    }
  };
  for_each_integer_type(check);
  for_each_type<float, double>(check);
}

TEST_P(histogram, of_given_edges) {
  const auto check = [&]<class T>() {
    for (const std::vector<double>& edges :
         {std::vector<double>{0, 1},
          {-2.5, -1, -1, 0, 0.125, 2},
          {0, 1, 2, 2},
          {3, 3},
          {-std::numeric_limits<double>::infinity(), 0, std::numeric_limits<double>::infinity()}}) {
      const hd::array<T> x = mixed<T>(20'003, {0, 1, 2, -1});
      ASSERT_EQ(hd::histogram(where, x, edges).to_vector(), counted(x, edges)) << hd::impl::type_name<T>();
    }
  };
  for_each_integer_type(check);
  for_each_type<float, double>(check);
}

/// Edges near those of bins of equal width, some of which meet, and edges that are far from them.
TEST_P(histogram, of_given_edges_that_are_nearly_even) {
  const auto check = [&]<class T>() {
    for (const std::size_t bins : {1, 2, 7, 100, 3000}) {
      for (const double strength : {0.0, 0.3, 0.5, 0.9, 3.0}) {
        std::vector<double> edges = hd::edges_of<double>(even_for<T>(bins));
        const double width = (edges.back() - edges.front()) / static_cast<double>(bins);
        for (std::size_t k = 1; k < bins; ++k) edges[k] += strength * width * random_real(k);
        std::sort(edges.begin(), edges.end());
        const hd::array<T> x = mixed<T>(5'003, edges);
        ASSERT_EQ(hd::histogram(where, x, edges).to_vector(), counted(x, edges))
            << hd::impl::type_name<T>() << ' ' << bins << ' ' << strength;
      }
    }
  };
  for_each_integer_type(check);
  for_each_type<float, double>(check);
}

TEST_P(histogram, of_subnormal_bins_whose_number_a_unit_overflows) {
  const double least = std::numeric_limits<double>::denorm_min();
  const std::vector<double> x{0, least, 2 * least, 2 * least, 4 * least, 5 * least};
  EXPECT_EQ(hd::histogram(where, x, hd::even_bins{4, 0, 4 * least}).to_vector(),
            (std::vector<std::uint64_t>{1, 1, 2, 1}));
  EXPECT_EQ(hd::histogram(where, x, std::vector<double>{0, least, 2 * least, 3 * least}).to_vector(),
            (std::vector<std::uint64_t>{1, 1, 2}));
}

TEST_P(histogram, between_elements_counts_by_its_edges) {
  const auto check = [&]<class T>() {
    for (std::size_t seed = 0; seed < 300; ++seed) {
      hd::array<T> x(5);
      for (std::size_t i = 0; i < x.size(); ++i) {
        if constexpr (std::is_floating_point_v<T>) {
          x.data()[i] = static_cast<T>(random_real(7 * seed + i) * std::pow(10, seed % 9));
        } else {
          x.data()[i] = static_cast<T>(random_bits(7 * seed + i));
        }
      }
      const auto [low, high] = hd::minmax(where, x);
      if (low == high) continue;
      const hd::even_bins bins{.count = 1 + seed % 150,
                               .low = static_cast<double>(low),
                               .high = static_cast<double>(high),
                               .ends_are_elements = true};
      const std::vector<double> edges = hd::edges_of<T>(bins);
      ASSERT_EQ(hd::histogram(where, x, bins).to_vector(), counted(x, edges))
          << hd::impl::type_name<T>() << ' ' << seed;
      ASSERT_EQ(hd::histogram(where, x, edges).to_vector(), counted(x, edges))
          << hd::impl::type_name<T>() << ' ' << seed;
    }
  };
  for_each_integer_type(check);
  for_each_type<float, double>(check);
}

TEST_P(histogram, with_weights_of_every_type) {
  // Whole numbers, so that a plain loop has the very sums, modulo 2^bits.
  const hd::even_bins even = even_for<float>(37);
  const std::vector<double> edges = hd::edges_of<float>(even), given{-2, -0.5, 0, 0, 1.25};
  for_each_dtype([&]<class W>() {
    for (const std::size_t n : {0, 1, 300, 20'003}) {
      const hd::array<float> x = mixed<float>(n, edges);
      hd::array<W> weights(n);
      for (std::size_t i = 0; i < n; ++i) weights.data()[i] = static_cast<W>(random_bits(~i) % 8);
      const auto summed = [&](const std::vector<double>& between) {
        hd::array<W> sums(between.size() - 1);
        sums.fill(W(0));
        for_each_in_a_bin(x, between, [&](std::size_t i, std::size_t bin) {
          sums.data()[bin] = plainly<hd::plus>(sums.data()[bin], weights.data()[i]);
        });
        return sums;
      };
      ASSERT_TRUE(same_elements(hd::histogram(where, x, even, weights), summed(edges))) << n;
      ASSERT_TRUE(same_elements(hd::histogram(where, x, given, weights), summed(given))) << n;
    }
  });
}

TEST_P(histogram, with_weights_rounds_alike_on_every_target) {
  const std::size_t n = std::min<std::size_t>(200'003, largest_size());
  const hd::even_bins even{10, -3, 3};
  const std::vector<double> edges = hd::edges_of<double>(even);
  for_each_type<float, double>([&]<class W>() {
    const hd::array<double> x = mixed<double>(n, edges);
    hd::array<W> weights(n);
    std::vector<long double> sums(even.count), magnitudes(even.count);
    for (std::size_t i = 0; i < n; ++i) weights.data()[i] = random_value<W>(~i);
    for_each_in_a_bin(x, edges, [&](std::size_t i, std::size_t bin) {
      sums[bin] += weights.data()[i];
      magnitudes[bin] += std::abs(weights.data()[i]);
    });
    const hd::array<W> got = hd::histogram(where, x, even, weights);
    EXPECT_TRUE(same_elements(got, hd::histogram(hd::target::serial(), x, even, weights)));
    const std::vector<W> values = got.to_vector();
    for (std::size_t bin = 0; bin < even.count; ++bin) {
      // float is rounded once; sums of doubles are off by some roundings of what has been added up.
      const long double once = std::numeric_limits<W>::epsilon() / 2 * std::abs(sums[bin]);
      const long double in_double = 0x1p-48L * magnitudes[bin];
      EXPECT_LE(std::abs(values[bin] - sums[bin]), once + in_double) << bin;
    }
  });
}

TEST_P(histogram, of_elements_that_are_all_alike) {
  const std::size_t n = std::min<std::size_t>(1'000'003, largest_size());
  hd::array<float> x(n);
  x.fill(0.25f);
  EXPECT_EQ(hd::histogram(where, x, hd::even_bins{4, 0, 1}).to_vector(),
            (std::vector<std::uint64_t>{0, n, 0, 0}));
  x.fill(1.0f);
  EXPECT_EQ(hd::histogram(where, x, hd::even_bins{4, 0, 1}).to_vector(),
            (std::vector<std::uint64_t>{0, 0, 0, n}));
}

TEST(histogram_edges, are_numpys) {
  // numpy.linspace(0.1, 0.7, 4), in float64 and as float32.
  const std::vector<double> edges = hd::edges_of<double>(hd::even_bins{3, 0.1, 0.7});
  EXPECT_EQ(edges, (std::vector<double>{0.1, 0.3, 0.5, 0.7}));
  EXPECT_EQ(hd::edges_of<float>(hd::even_bins{3, 0.1, 0.7})[3], double{0.7f});
}

TEST(histogram_edges, between_elements_are_those_of_numpy_2_without_a_range) {
  // numpy.histogram_bin_edges(numpy.array([0.1, 0.7], "float32"), 7), and with range=(0.1, 0.7) as floats.
  const double low = double{0.1f}, high = double{0.7f};
  std::vector<double> of_elements, of_range;
  for (const float edge :
       {0.1f, 0.18571427f, 0.27142856f, 0.35714284f, 0.44285712f, 0.5285714f, 0.6142857f, 0.7f})
    of_elements.push_back(double{edge});
  for (const float edge :
       {0.1f, 0.18571429f, 0.27142856f, 0.35714287f, 0.44285715f, 0.5285714f, 0.6142857f, 0.7f})
    of_range.push_back(double{edge});
  EXPECT_EQ(hd::edges_of<float>({7, low, high, true}), of_elements);
  EXPECT_EQ(hd::edges_of<float>({7, low, high}), of_range);
  EXPECT_EQ(hd::edges_of<double>({7, low, high, true}), hd::edges_of<double>({7, low, high}));
  // The difference of the ends is beyond float.
  EXPECT_EQ(hd::edges_of<float>({2, -3e38, 3e38, true}), hd::edges_of<float>({2, -3e38, 3e38}));
  // Around one value, which 1/2 does not change in float.
  EXPECT_EQ(hd::edges_of<float>({2, 2, 2, true}), (std::vector<double>{1.5, 2, 2.5}));
  EXPECT_THROW(hd::edges_of<float>({2, 1e8, 1e8, true}), hd::error);
}

TEST(histogram_errors, name_bins_that_rounding_leaves_no_width) {
  const std::vector<float> singles{1};
  const std::vector<double> doubles{1e16};
  const auto message = [](const auto& x, const hd::even_bins& bins) {
    return message_of([&] { hd::histogram(hd::target::serial(), x, bins); });
  };
  const std::string of_floats = message(singles, {10, 1, 1 + 1e-9});
  EXPECT_NE(of_floats.find("10 bins from 1 to 1.000000001 "), std::string::npos) << of_floats;
  const std::string of_doubles = message(doubles, {1'000'000, 1e16, 1e16 + 2});
  EXPECT_NE(of_doubles.find("1000000 bins from 1e+16 to 1.0000000000000002e+16 "), std::string::npos)
      << of_doubles;
  // The widest that are too narrow, and the narrowest that are not.
  EXPECT_NE(message(doubles, {2, 1e16, 1e16 + 2}), "no error");
  EXPECT_EQ(hd::histogram(hd::target::serial(), doubles, hd::even_bins{2, 1e16, 1e16 + 4}).to_vector(),
            (std::vector<std::uint64_t>{1, 0}));
}

TEST(histogram_errors, say_what_is_wrong) {
  const std::vector<float> x{1, 2};
  const auto message = [&](const auto& bins) {
    return message_of([&] { hd::histogram(hd::target::serial(), x, bins); });
  };
  EXPECT_NE(message_of([&] {
              hd::histogram(hd::target::serial(), x, hd::even_bins{3, 0, 1}, std::vector<double>(3));
            }).find("the weights have shape (3,), where the elements have (2,)"),
            std::string::npos);
  EXPECT_NE(message(hd::even_bins{3, 2, 1}).find("from 2 to 1"), std::string::npos);
  EXPECT_NE(message(hd::even_bins{3, 0, std::nan("")}).find("nan"), std::string::npos);
  EXPECT_NE(message(hd::even_bins{0, 0, 1}).find("0 bins"), std::string::npos);
  EXPECT_NE(message(hd::even_bins{std::numeric_limits<std::size_t>::max(), 0, 1})
                .find("18446744073709551615 bins are more than memory can hold"),
            std::string::npos);
  EXPECT_NE(message(hd::even_bins{std::size_t{1} << 50, 0, 1})
                .find("the edges of 1125899906842624 bins: out of memory (needs 8388608.0 GiB"),
            std::string::npos);
  EXPECT_NE(message(std::vector<double>{1}).find("1 edges"), std::string::npos);
  EXPECT_NE(message(std::vector<double>{0, 2, 1}).find("edge 1 is 2"), std::string::npos);
  EXPECT_NE(message(std::vector<double>{0, std::nan(""), 1}).find("edges must rise"), std::string::npos);
}
