#include "tests/on_targets.hpp"
#include "tests/ordered.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/statistics.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class quantile : public on_targets {};
HD_ON_ALL_TARGETS(quantile);

constexpr double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> fractions{0.5, 0, 1, 0.25, 1.0 / 3, 0.999, 1e-9, 0.5};

/// A quantile of sorted elements by the definition, in long double, and how far a double may be off.
struct plain_value {
  long double value, error;
};
template <class T>
plain_value plain_quantile(const hd::array<T>& sorted, double q) {
  const std::size_t last = sorted.size() - 1;
  const double index = static_cast<double>(last) * q;
  const auto below = static_cast<std::size_t>(index);
  const auto low = static_cast<long double>(sorted.data()[below]),
             high = static_cast<long double>(sorted.data()[std::min(below + 1, last)]);
  const long double fraction = static_cast<long double>(index) - static_cast<long double>(below);
  return {low + (high - low) * fraction, 4 * (std::fabs(low) + std::fabs(high)) * 0x1p-53L + 0x1p-1074L};
}

template <class T>
bool has_nan(const hd::array<T>& x) {
  for (const T element : x)
    if (element != element) return true;
  return false;
}

/// Elements of any value but NaN and infinity.
template <class T>
hd::array<T> finite(std::size_t n) {
  hd::array<T> x = mixed<T>(n);
  if constexpr (std::is_floating_point_v<T>) {
    for (T& element : x)
      if (!std::isfinite(element)) element = T(7);
  }
  return x;
}

template <class T>
void check_line(const hd::array<T>& line, std::span<const double> have, double median,
                const std::string& note) {
  if (has_nan(line)) {
    for (const double value : have) ASSERT_TRUE(std::isnan(value)) << note;
    ASSERT_TRUE(std::isnan(median)) << note;
    return;
  }
  const hd::array<T> sorted = sorted_by_loops(line);
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    const plain_value want = plain_quantile(sorted, fractions[i]);
    ASSERT_LE(std::fabs(static_cast<long double>(have[i]) - want.value), want.error)
        << note << " quantile " << fractions[i];
  }
  const std::size_t n = line.size();
  const long double middle = (static_cast<long double>(sorted.data()[(n - 1) / 2]) +
                              static_cast<long double>(sorted.data()[n / 2])) /
                             2;
  using M = typename hd::impl::statistics_of<T>::mean;
  const auto of_result = [](auto limit) { return static_cast<long double>(limit); };
  const long double size = std::fabs(static_cast<long double>(sorted.data()[n / 2])) +
                           std::fabs(static_cast<long double>(sorted.data()[(n - 1) / 2]));
  ASSERT_LE(
      std::fabs(static_cast<long double>(median) - middle),
      of_result(std::numeric_limits<M>::epsilon()) * size + of_result(std::numeric_limits<M>::denorm_min()))
      << note << " median";
}

}  // namespace

TEST_P(quantile, of_all_elements_lie_where_the_definition_says) {
  for_each_ordered_type([&]<class T>() {
    for (const std::size_t n : {1, 2, 3, 33, 1024, 5001}) {
      const hd::array<T> x = finite<T>(n);
      const hd::array<double> have = hd::quantile(where, x, fractions);
      ASSERT_EQ(have.shape(), hd::shape{fractions.size()});
      check_line<T>(x, have.to_vector(), static_cast<double>(hd::median(where, x)),
                    std::string(hd::impl::type_name<T>()) + ' ' + std::to_string(n));
      ASSERT_EQ(hd::quantile(where, x, 0.25), have[3]);
    }
  });
}

TEST_P(quantile, along_an_axis_are_those_of_each_line) {
  for (const hd::shape& lengths :
       {hd::shape{40, 30}, hd::shape{5, 7, 300}, hd::shape{300, 2}, hd::shape{1, 9}, hd::shape{9, 1}}) {
    for (std::size_t a = 0; a < lengths.axes(); ++a) {
      const hd::array<float> x = finite<float>(lengths.elements()).reshaped(lengths).on({});
      const hd::axis along{static_cast<std::ptrdiff_t>(a)};
      const auto all = hd::quantile(where, x, fractions, along);
      const auto one = hd::quantile(where, x, fractions[3], along);
      const auto medians = hd::median(where, x, along);
      static_assert(std::is_same_v<decltype(medians), const hd::array<float>>);
      const hd::shape rest = lengths.without_axis(a);
      ASSERT_EQ(one.shape(), rest);
      ASSERT_EQ(medians.shape(), rest);
      ASSERT_EQ(all.size(), fractions.size() * rest.elements());
      ASSERT_EQ(all.shape()[0], fractions.size());
      ASSERT_EQ(all.shape().without_axis(0), rest);
      const std::vector<double> values = all.to_vector(), singles = one.to_vector();
      const std::vector<float> middles = medians.to_vector();
      std::size_t line = 0;
      for_each_line(x, a, [&](const hd::array<float>& elements, std::size_t, std::size_t) {
        std::vector<double> have;
        for (std::size_t i = 0; i < fractions.size(); ++i) have.push_back(values[i * rest.elements() + line]);
        check_line<float>(elements, have, middles[line], lengths.text());
        ASSERT_EQ(singles[line], have[3]);
        ++line;
      });
    }
  }
}

TEST_P(quantile, of_special_values) {
  const auto of = [&](const std::vector<double>& x, double q) { return hd::quantile(where, x, q); };
  const std::vector<double> with_nan{1, not_a_number, 3};
  EXPECT_TRUE(std::isnan(of(with_nan, 0)) && std::isnan(hd::median(where, with_nan)));
  EXPECT_EQ(of({1, infinity}, 0.25), infinity);
  EXPECT_EQ(of({1, infinity}, 0), 1);
  EXPECT_EQ(of({-infinity, 1}, 0.75), -infinity);
  EXPECT_TRUE(std::isnan(of({-infinity, infinity}, 0.5)));
  EXPECT_EQ(of({infinity, infinity}, 0.5), infinity);
  // The difference of the ends is no double.
  constexpr double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(of({-largest, largest}, 0.5), 0);
  EXPECT_EQ(hd::median(where, std::vector<double>{-largest, largest}), 0);
  EXPECT_EQ(hd::median(where, std::vector<double>{largest, largest}), largest);
  // 2^63 − 1 and 2^63 − 3 are one double, and their difference is 2.
  const std::vector<std::int64_t> ends{std::numeric_limits<std::int64_t>::min(),
                                       std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(hd::quantile(where, ends, 0.5), 0);
  EXPECT_EQ(hd::quantile(where, ends, 1), 0x1p63);
  EXPECT_EQ(hd::median(where, std::vector<std::uint8_t>{255, 254}), 254.5);
  EXPECT_EQ(hd::quantile(where, hd::array<bool>{false, true, true}, 0.25), 0.5);
  EXPECT_EQ(hd::median(where, std::vector<float>{1, 2}), 1.5f);
}

TEST_P(quantile, has_the_same_bits_on_every_target_and_leaves_its_input) {
  for_each_type<float, double, std::int64_t>([&]<class T>() {
    const hd::array<T> x = finite<T>(70'000), before = x.on({});
    const auto have = hd::quantile(where, x.reshaped({70, 1000}), fractions, hd::axis{0}).to_vector();
    ASSERT_EQ(have,
              hd::quantile(hd::target::serial(), x.reshaped({70, 1000}), fractions, hd::axis{0}).to_vector());
    ASSERT_EQ(hd::quantile(where, x, fractions).to_vector(),
              hd::quantile(hd::target::serial(), x, fractions).to_vector());
    ASSERT_TRUE(same_elements(x, before));
  });
}

TEST_P(quantile, of_types_known_at_run_time_are_the_same) {
  for_each_type<std::int16_t, float>([&]<class T>() {
    const hd::array<T> x = finite<T>(3000).reshaped({30, 100}).on({});
    const auto elements = [&] { return hd::any_array(x.on(where)); };
    const hd::any_array kept = elements();
    const auto want = hd::quantile(where, x, fractions, hd::axis{1});
    const auto want_medians = hd::median(where, x, hd::axis{0});
    using M = hd::element_of<decltype(want_medians)>;
    ASSERT_EQ(hd::quantile(where, kept, fractions, hd::axis{1}).template as<double>().to_vector(),
              want.to_vector());
    ASSERT_EQ(hd::quantile(where, elements(), fractions, hd::axis{1}).template as<double>().to_vector(),
              want.to_vector());
    ASSERT_EQ(hd::quantile(where, kept, fractions).template as<double>().to_vector(),
              hd::quantile(where, x, fractions).to_vector());
    ASSERT_EQ(hd::quantile(where, elements(), fractions).template as<double>().to_vector(),
              hd::quantile(where, x, fractions).to_vector());
    ASSERT_EQ(hd::median(where, kept, hd::axis{0}).template as<M>().to_vector(), want_medians.to_vector());
    ASSERT_EQ(hd::median(where, elements(), hd::axis{0}).template as<M>().to_vector(),
              want_medians.to_vector());
    ASSERT_EQ(hd::median(where, kept).template as<M>(), hd::median(where, x));
    ASSERT_EQ(hd::median(where, elements()).template as<M>(), hd::median(where, x));
    ASSERT_TRUE(same_elements(kept.template as<T>().on({}), x));
  });
}

TEST_P(quantile, of_nothing_and_outside_0_to_1_are_refused) {
  const std::vector<float> none, some{1, 2};
  EXPECT_EQ(message_of([&] { hd::quantile(where, none, 0.5); }),
            "quantile: 0 float32: there are no elements, and so no quantile");
  EXPECT_EQ(message_of([&] { hd::median(where, none); }),
            "median: 0 float32: there are no elements, and so no median");
  for (const double wrong : {-0.1, 1.01, not_a_number}) {
    EXPECT_TRUE(
        message_of([&] { hd::quantile(where, some, wrong); }).ends_with(": fractions are from 0 to 1"));
  }
  EXPECT_NE(message_of([&] { hd::quantile(where, some, 0.5, hd::axis{1}); }), "no error");
  const hd::array<float> no_rows({0, 3}), no_columns({3, 0});
  EXPECT_NE(message_of([&] { hd::quantile(where, no_rows, 0.5, hd::axis{0}); }), "no error");
  EXPECT_EQ(hd::quantile(where, no_rows, 0.5, hd::axis{1}).shape(), hd::shape{0});
  EXPECT_EQ(hd::quantile(where, no_columns, {0.5, 0.6}, hd::axis{0}).shape(), (hd::shape{2, 0}));
  EXPECT_EQ(hd::median(where, no_columns, hd::axis{0}).shape(), hd::shape{0});
  EXPECT_EQ(hd::quantile(where, some, std::vector<double>{}).shape(), hd::shape{0});
  EXPECT_TRUE(message_of([&] {
                hd::median(where, hd::any_array(hd::dtype::complex64, {3}));
              }).ends_with("complex numbers have no order"));
}
