#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/any.hpp>
#include <heddle/reduce.hpp>
#include <heddle/statistics.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class statistics : public on_targets {};
HD_ON_ALL_TARGETS(statistics);

using wide_complex = std::complex<long double>;

template <class T>
wide_complex wide(T x) {
  if constexpr (hd::is_complex<T>) {
    return {x.real(), x.imag()};
  } else {
    return {static_cast<long double>(x), 0};
  }
}

/// The mean and the variance of elements by plain loops in long double.
struct plain_statistics {
  wide_complex mean;
  long double mean_of_magnitudes = 0, variance = 0;
};
template <class T>
plain_statistics plainly_of(const std::vector<T>& x, std::size_t ddof = 0) {
  plain_statistics of;
  const auto n = static_cast<long double>(x.size());
  for (const T& element : x) {
    of.mean += wide(element) / n;
    of.mean_of_magnitudes += std::abs(wide(element)) / n;
  }
  for (const T& element : x) of.variance += std::norm(wide(element) - of.mean);
  of.variance /= n - static_cast<long double>(ddof);
  return of;
}

template <class R>
constexpr long double rounding_of = static_cast<long double>(std::numeric_limits<R>::epsilon()) / 2;
template <class R>
constexpr long double rounding_of<std::complex<R>> = rounding_of<R>;

/// Of sums in double in the order of reduce: their additions, from the contract, and a few operations more.
long double error_of_sum(std::size_t n) {
  const double levels = std::ceil(std::log(std::max<double>(static_cast<double>(n), 2)) / std::log(1024.0));
  return static_cast<long double>((22 * levels + 4) * 0x1p-53);
}

template <class T>
void check_mean(typename hd::impl::statistics_of<T>::mean have, const plain_statistics& want, std::size_t n,
                const std::string& note) {
  using R = typename hd::impl::statistics_of<T>::mean;
  const long double bound =
      error_of_sum(n) * want.mean_of_magnitudes + 2 * rounding_of<R> * std::abs(want.mean);
  ASSERT_LE(std::abs(wide(have) - want.mean), bound) << note << ": " << have << " instead of " << want.mean;
}

template <class T>
void check_variance(typename hd::impl::statistics_of<T>::variance have, const plain_statistics& want,
                    std::size_t n, const std::string& note) {
  using R = typename hd::impl::statistics_of<T>::variance;
  const long double of_mean = error_of_sum(n) * want.mean_of_magnitudes;
  const long double bound = (2 * error_of_sum(n) + 2 * rounding_of<R>)*want.variance + of_mean * of_mean * 2;
  ASSERT_LE(std::abs(static_cast<long double>(have) - want.variance), bound)
      << note << ": " << have << " instead of " << want.variance;
}

template <class T>
hd::array<T> values(std::size_t n) {
  hd::array<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x.data()[i] = random_value<T>(i);
  return x;
}

template <class T>
std::vector<T> vector_of(const hd::array<T>& x) {
  std::vector<T> copy(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) copy[i] = x.data()[i];
  return copy;
}

/// The elements of segment (outer, inner) along an axis.
template <class T>
std::vector<T> line_of(const hd::array<T>& x, const hd::axis_lines& all, std::size_t line) {
  std::vector<T> elements(all.length);
  for (std::size_t k = 0; k < all.length; ++k)
    elements[k] = x.data()[(line / all.inner * all.length + k) * all.inner + line % all.inner];
  return elements;
}

/// Most are one value, so that both answers of any and all come up.
template <class T>
hd::array<T> mostly(std::size_t n, bool is_set, std::size_t other) {
  hd::array<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x.data()[i] = T(is_set != (i == other) ? 3 : 0);
  return x;
}

}  // namespace

TEST_P(statistics, mean_and_variance_of_every_type_and_size) {
  for_each_dtype([&]<class T>() {
    for (const std::size_t n : sizes_up_to(100'003)) {
      if (n == 0 || (n > 4100 && n < 100'000)) continue;
      const hd::array<T> x = values<T>(n);
      const std::string note = std::string(hd::impl::type_name<T>()) + " " + std::to_string(n);
      const plain_statistics want = plainly_of(vector_of(x));
      check_mean<T>(hd::mean(where, x), want, n, note);
      check_variance<T>(hd::variance(where, x), want, n, note);
      if (n > 1)
        check_variance<T>(hd::variance(where, x, 1), plainly_of(vector_of(x), 1), n, note + " ddof 1");
    }
  });
}

TEST_P(statistics, have_the_bits_of_one_core) {
  for_each_dtype([&]<class T>() {
    for (const std::size_t n : {1, 33, 1025, 100'003}) {
      const hd::array<T> x = values<T>(n);
      const hd::target serial;
      EXPECT_TRUE(same_bits(hd::mean(where, x), hd::mean(serial, x))) << hd::impl::type_name<T>() << n;
      EXPECT_TRUE(same_bits(hd::variance(where, x, 1), hd::variance(serial, x, 1)))
          << hd::impl::type_name<T>() << n;
    }
  });
}

TEST_P(statistics, along_an_axis_each_line_has_the_bits_that_it_has_alone) {
  for_each_dtype([&]<class T>() {
    for (const hd::shape& lengths :
         {hd::shape{7}, hd::shape{1, 1}, hd::shape{17, 33}, hd::shape{129, 3}, hd::shape{3, 1100},
          hd::shape{1100, 40}, hd::shape{700, 9}, hd::shape{3, 4, 5},
          hd::shape{21, 129}}) {  // after whole panels one column is left
      const hd::array<T> x = values<T>(lengths.elements()).reshaped(lengths);
      for (std::size_t axis = 0; axis < lengths.axes(); ++axis) {
        const hd::axis_lines all = hd::along(lengths, axis);
        const hd::axis along{static_cast<std::ptrdiff_t>(axis)};
        const auto means = hd::mean(where, x, along);
        const auto variances = hd::variance(where, x, along, 1);
        EXPECT_EQ(means.where(), where);
        EXPECT_EQ(means.shape(), lengths.without_axis(axis));
        EXPECT_EQ(variances.shape(), lengths.without_axis(axis));
        const auto mean = means.on(hd::target());
        const auto variance = variances.on(hd::target());
        for (std::size_t line = 0; line < all.count(); ++line) {
          if (line > 40 && line % 97 != 0 && line + 1 != all.count()) continue;
          const hd::array<T> alone = [&] {
            hd::array<T> elements(all.length);
            for (std::size_t k = 0; k < all.length; ++k)
              elements.data()[k] =
                  x.data()[(line / all.inner * all.length + k) * all.inner + line % all.inner];
            return elements;
          }();
          ASSERT_TRUE(same_bits(mean.data()[line], hd::mean(hd::target(), alone)))
              << hd::impl::type_name<T>() << lengths.text() << axis << ' ' << line;
          ASSERT_TRUE(same_bits(variance.data()[line], hd::variance(hd::target(), alone, 1)))
              << hd::impl::type_name<T>() << lengths.text() << axis << ' ' << line;
        }
      }
    }
  });
}

TEST_P(statistics, variance_of_small_noise_on_a_large_offset) {
  for (const double offset : {0.0, 1e9, -1e12}) {
    const std::size_t n = 100'003;
    hd::array<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x.data()[i] = offset + random_real(i);
    const plain_statistics want = plainly_of(vector_of(x));
    check_variance<double>(hd::variance(where, x), want, n, std::to_string(offset));
    // What a sum of squares, less the square of the sum, would not know.
    ASSERT_NEAR(hd::variance(where, x), static_cast<double>(want.variance),
                1e-6 * static_cast<double>(want.variance));
  }
}

TEST_P(statistics, of_integers_are_exact_rationals) {
  // 1 … n: the mean is (n + 1)/2 and the variance (n² − 1)/12, wherever they begin.
  for (const std::int64_t n : {1, 2, 5, 1001, 50'001}) {
    for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{1} << 30}) {
      hd::array<std::int64_t> x(static_cast<std::size_t>(n));
      for (std::int64_t i = 0; i < n; ++i) x.data()[i] = offset + i + 1;
      const auto variance = static_cast<double>(n * n - 1) / 12;
      EXPECT_EQ(hd::mean(where, x), static_cast<double>(offset) + static_cast<double>(n + 1) / 2);
      EXPECT_NEAR(hd::variance(where, x), variance, variance * 1e-14);
    }
  }
  // Beyond 32 and 64 bits when summed.
  EXPECT_EQ(hd::mean(where, std::vector<std::uint8_t>(3000, 255)), 255);
  EXPECT_EQ(hd::mean(where, std::vector<std::int32_t>(5, -(1 << 30) * 2)), -0x1p31);
  EXPECT_EQ(hd::mean(where, std::vector<std::uint64_t>(4, ~std::uint64_t{0})), 0x1p64);
  EXPECT_EQ(hd::variance(where, std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(),
                                                          std::numeric_limits<std::int64_t>::max()}),
            0x1p126);
}

TEST_P(statistics, of_floats_are_summed_in_double) {
  // In float the ones would be lost beside 2^24.
  std::vector<float> x(1 << 16, 1.0f);
  x[0] = 0x1p30f;
  EXPECT_EQ(hd::mean(where, x), static_cast<float>((0x1p30 + 65535) / 65536));
  EXPECT_EQ(hd::mean(where, std::vector<float>(100, 3e38f)), 3e38f);
  const std::vector<std::complex<float>> z(100, {3e38f, -3e38f});
  EXPECT_EQ(hd::mean(where, z), std::complex<float>(3e38f, -3e38f));
  EXPECT_EQ(hd::variance(where, z), 0);
}

TEST_P(statistics, nan_and_infinity_go_through) {
  constexpr double infinity = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::size_t n : {3, 3000}) {
    std::vector<double> x(n, 1);
    x[n / 2] = infinity;
    EXPECT_EQ(hd::mean(where, x), infinity);
    EXPECT_TRUE(same_bits(hd::variance(where, x), nan));
    EXPECT_EQ(hd::minmax(where, x).max, infinity);
    x[n - 1] = -nan;
    EXPECT_TRUE(same_bits(hd::mean(where, x), nan));
    EXPECT_TRUE(same_bits(hd::variance(where, x), nan));
    EXPECT_TRUE(same_bits(hd::minmax(where, x).min, nan));
    EXPECT_TRUE(same_bits(hd::minmax(where, x).max, nan));
    EXPECT_TRUE(hd::all(where, x));
  }
}

TEST_P(statistics, degrees_of_freedom) {
  const std::vector<double> x{1, 2, 4, 9};
  EXPECT_EQ(hd::variance(where, x), 9.5);
  EXPECT_EQ(hd::variance(where, x, 2), 19);
  EXPECT_EQ(hd::variance(where, x, 4), std::numeric_limits<double>::infinity());
  EXPECT_EQ(hd::variance(where, x, 9), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(
      same_bits(hd::variance(where, std::vector<float>{5}, 1), std::numeric_limits<float>::quiet_NaN()));
}

TEST_P(statistics, minmax_of_every_ordered_type_and_size) {
  for_each_dtype([&]<class T>() {
    if constexpr (!hd::is_complex<T>) {
      for (const std::size_t n : sizes_up_to(100'003)) {
        if (n == 0) continue;
        const hd::array<T> x = values<T>(n);
        T least = x.data()[0], greatest = x.data()[0];
        for (std::size_t i = 0; i < n; ++i) {
          if (x.data()[i] < least) least = x.data()[i];
          if (greatest < x.data()[i]) greatest = x.data()[i];
        }
        const auto [min, max] = hd::minmax(where, x);
        static_assert(std::is_same_v<decltype(hd::minmax(where, x)), hd::minmax_result<T>>);
        ASSERT_EQ(min, least) << hd::impl::type_name<T>() << n;
        ASSERT_EQ(max, greatest) << hd::impl::type_name<T>() << n;
      }
    }
  });
}

TEST_P(statistics, minmax_of_more_than_a_cache) {
  const std::size_t n = 8'388'608 + 4'194'304;
  if (n > largest_size() && !where.is_gpu()) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is less than " << n;
  for (const std::size_t size : {n, n - 1}) {
    hd::array<std::int32_t> x(size, where);
    x.fill(5);
    x.set(-7, size - 1);
    x.set(9, size / 2);
    const auto [min, max] = hd::minmax(where, x);
    EXPECT_EQ(min, -7);
    EXPECT_EQ(max, 9);
  }
}

TEST_P(statistics, minmax_along_an_axis) {
  for_each_type<bool, std::int8_t, std::uint16_t, std::int32_t, float, double>([&]<class T>() {
    for (const hd::shape& lengths :
         {hd::shape{7}, hd::shape{17, 33}, hd::shape{8200, 3}, hd::shape{3, 8200}, hd::shape{3, 4, 5}}) {
      const hd::array<T> x = values<T>(lengths.elements()).reshaped(lengths);
      for (std::size_t axis = 0; axis < lengths.axes(); ++axis) {
        const hd::axis along{static_cast<std::ptrdiff_t>(axis)};
        const auto both = hd::minmax(where, x, along);
        EXPECT_EQ(both.min.where(), where);
        EXPECT_TRUE(same_elements(both.min, hd::reduce(hd::target(), x, along, hd::minimum())));
        EXPECT_TRUE(same_elements(both.max, hd::reduce(hd::target(), x, along, hd::maximum())));
      }
    }
  });
}

TEST_P(statistics, any_and_all_of_every_type_and_size) {
  for_each_dtype([&]<class T>() {
    for (const std::size_t n : {1, 2, 33, 8193, 20'001}) {
      for (const bool is_set : {false, true}) {
        const hd::array<T> alike = mostly<T>(n, is_set, n), other = mostly<T>(n, is_set, n - n / 3 - 1);
        ASSERT_EQ(hd::any(where, alike), is_set) << hd::impl::type_name<T>() << n;
        ASSERT_EQ(hd::all(where, alike), is_set) << hd::impl::type_name<T>() << n;
        ASSERT_EQ(hd::any(where, other), !is_set || n > 1) << hd::impl::type_name<T>() << n;
        ASSERT_EQ(hd::all(where, other), !is_set && n == 1) << hd::impl::type_name<T>() << n;
      }
    }
  });
  EXPECT_FALSE(hd::any(where, std::vector{0.0, -0.0}));
  EXPECT_TRUE(hd::any(where, std::vector{0.0, std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_TRUE(hd::any(where, std::vector{0.0, 5e-324}));
  const std::complex<float> real(1, 0), imaginary(0, -1), zero(-0.0f, 0);
  EXPECT_TRUE(hd::all(where, std::vector{real, imaginary}));
  EXPECT_FALSE(hd::all(where, std::vector{real, zero, imaginary}));
  EXPECT_TRUE(hd::any(where, std::vector{zero, imaginary}));
}

TEST_P(statistics, any_and_all_along_an_axis) {
  for_each_dtype([&]<class T>() {
    for (const hd::shape& lengths : {hd::shape{7}, hd::shape{17, 33}, hd::shape{3, 4, 5}}) {
      hd::array<T> x = values<T>(lengths.elements()).reshaped(lengths);
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (random_bits(i) % 3 == 0) x.data()[i] = T(0);
      }
      for (std::size_t axis = 0; axis < lengths.axes(); ++axis) {
        const hd::axis_lines all = hd::along(lengths, axis);
        const hd::axis along{static_cast<std::ptrdiff_t>(axis) - static_cast<std::ptrdiff_t>(lengths.axes())};
        const hd::array<bool> have_any = hd::any(where, x, along), have_all = hd::all(where, x, along);
        EXPECT_EQ(have_any.where(), where);
        EXPECT_EQ(have_all.shape(), lengths.without_axis(axis));
        for (std::size_t line = 0; line < all.count(); ++line) {
          bool is_any = false, are_all = true;
          for (const T element : line_of(x, all, line)) {
            is_any |= element != T(0);
            are_all &= element != T(0);
          }
          ASSERT_EQ(have_any[line], is_any) << hd::impl::type_name<T>() << lengths.text() << axis;
          ASSERT_EQ(have_all[line], are_all) << hd::impl::type_name<T>() << lengths.text() << axis;
        }
      }
    }
  });
}

TEST_P(statistics, any_and_all_by_a_function) {
  if (where.is_gpu()) {
    const std::string message =
        message_of([&] { (void)hd::any(where, std::vector{1.0f}, [](float) { return true; }); });
    EXPECT_TRUE(message.starts_with("any: 1 float32 on gpu:0: ")) << message;
    EXPECT_NE(message.find("the function is known to a host compiler only"), std::string::npos) << message;
    GTEST_SKIP() << "functions of this file cannot run there: user_operators_test.cu has some that can";
  }
  const auto broken = [](const run& r) { return r.first > r.last; };
  for (const std::size_t n : {0, 1, 33, 10'001}) {
    hd::array<run> runs(hd::shape{n / 3, 3});
    runs.fill({1, 2});
    EXPECT_FALSE(hd::any(where, runs, broken));
    EXPECT_EQ(hd::all(where, runs, broken), runs.size() == 0);
    if (n < 33) continue;
    runs.set({3, 2}, 5, 1);
    EXPECT_TRUE(hd::any(where, runs, broken));
    EXPECT_FALSE(hd::all(where, runs, broken));
    EXPECT_EQ(hd::any(where, runs, hd::axis{0}, broken).to_vector(), (std::vector<bool>{false, true, false}));
    EXPECT_TRUE(hd::any(where, runs, hd::axis{1}, broken)[5]);
    EXPECT_FALSE(hd::all(where, runs, hd::axis{1}, broken)[5]);
  }
  // What the function returns need not be bool.
  EXPECT_TRUE(hd::any(where, std::vector{0, 256}, [](int a) { return a; }));
}

TEST_P(statistics, take_slices_and_arrays_that_are_elsewhere) {
  const hd::array<float> x = values<float>(5000);
  const hd::array<float> there = x.on(where);
  for (const std::size_t first : {1, 2, 3}) {
    const hd::array<float> part(x.slice(first, 5000).span());
    EXPECT_TRUE(same_bits(hd::mean(where, there.slice(first, 5000)), hd::mean(hd::target(), part)));
    EXPECT_TRUE(
        same_bits(hd::variance(hd::target(), there.slice(first, 5000)), hd::variance(hd::target(), part)));
    EXPECT_EQ(hd::minmax(hd::target(), there.slice(first, 5000)).min, hd::minmax(where, part).min);
  }
  EXPECT_EQ(hd::mean(hd::target::automatic(), std::vector{1, 2}), 1.5);
}

TEST_P(statistics, of_nothing) {
  const std::vector<float> nothing;
  EXPECT_EQ(message_of([&] { (void)hd::mean(where, nothing); }),
            "mean: 0 float32: there are no elements, and so no mean");
  EXPECT_EQ(message_of([&] { (void)hd::variance(where, nothing); }),
            "variance: 0 float32: there are no elements, and so no variance");
  EXPECT_EQ(message_of([&] { (void)hd::minmax(where, nothing); }),
            "minmax: 0 float32: there are no elements, and so no minmax");
  EXPECT_FALSE(hd::any(where, nothing));
  EXPECT_TRUE(hd::all(where, nothing));
  EXPECT_TRUE(hd::all(where, std::vector<std::complex<float>>()));
  const hd::array<std::complex<double>> x(hd::shape{2, 0, 3});
  EXPECT_EQ(message_of([&] { (void)hd::variance(where, x, hd::axis{1}); }),
            "variance: 0 complex128: there are no elements, and so no variance");
  EXPECT_EQ(hd::mean(where, x, hd::axis{0}).shape(), (hd::shape{0, 3}));
  EXPECT_EQ(hd::variance(where, x, hd::axis{2}).shape(), (hd::shape{2, 0}));
  EXPECT_EQ(hd::any(where, x, hd::axis{0}).shape(), (hd::shape{0, 3}));
  EXPECT_EQ(hd::all(where, hd::array<int>(hd::shape{3, 0}), hd::axis{0}).size(), 0u);
  EXPECT_EQ(hd::minmax(where, hd::array<int>(hd::shape{3, 0}), hd::axis{0}).min.size(), 0u);
  EXPECT_EQ(hd::all(where, x, hd::axis{1}).to_vector(), std::vector<bool>(6, true));
  EXPECT_EQ(hd::any(where, x, hd::axis{1}).to_vector(), std::vector<bool>(6, false));
}

TEST_P(statistics, an_axis_that_is_not_there_is_an_error) {
  const hd::array<int> x = values<int>(12).reshaped({3, 4});
  const std::string problem = ": 12 int32: axis 2 does not exist in shape (3, 4) (axes are -2 to 1)";
  EXPECT_EQ(message_of([&] { (void)hd::mean(where, x, hd::axis{2}); }), "mean" + problem);
  EXPECT_EQ(message_of([&] { (void)hd::minmax(where, x, hd::axis{2}); }), "minmax" + problem);
  EXPECT_EQ(message_of([&] { (void)hd::any(where, x, hd::axis{2}); }),
            "any: 12 int32: in reduce of 12 int32" + problem.substr(10));
}

TEST_P(statistics, of_more_than_32_bits_of_elements) {
  const std::size_t n = (std::size_t{1} << 32) + 3;
  if (n > largest_size()) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is less than " << n;
  hd::array<std::int8_t> x(n, where);
  x.fill(1);
  x.set(-2, n - 1);
  const auto count = static_cast<double>(n);
  EXPECT_EQ(hd::mean(where, x), (count - 3) / count);
  EXPECT_NEAR(hd::variance(where, x), 9 / count, 1e-12 / count);
  EXPECT_EQ(hd::minmax(where, x).min, -2);
  EXPECT_TRUE(hd::all(where, x));
}

namespace {

template <class X>
concept has_mean = requires(const X& x) { hd::mean(hd::target(), x); };
template <class X>
concept has_minmax = requires(const X& x) { hd::minmax(hd::target(), x); };

static_assert(has_mean<hd::array<bool>> && has_mean<std::vector<std::complex<float>>> &&
              !has_mean<hd::array<run>>);
static_assert(has_minmax<hd::array<float>> && !has_minmax<std::vector<std::complex<float>>>);
static_assert(std::is_same_v<decltype(hd::mean(hd::target(), hd::array<bool>())), double>);
static_assert(std::is_same_v<decltype(hd::mean(hd::target(), hd::array<float>())), float>);
static_assert(std::is_same_v<decltype(hd::variance(hd::target(), hd::array<std::complex<float>>())), float>);

}  // namespace
