#include "tests/core/small_numbers.hpp"
#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include <heddle/algorithm.hpp>
#include <heddle/any_array.hpp>
#include <heddle/any_patterns.hpp>
#include <heddle/argmin.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>
#include <heddle/top_k.hpp>
#include <heddle/transform.hpp>
#include <heddle/unique.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class any_array : public on_targets {};
HD_ON_ALL_TARGETS(any_array);

constexpr hd::runtime_op all_ops[] = {
    hd::runtime_op::plus,        hd::runtime_op::multiplies,  hd::runtime_op::minimum,
    hd::runtime_op::maximum,     hd::runtime_op::logical_and, hd::runtime_op::logical_or,
    hd::runtime_op::logical_xor, hd::runtime_op::bit_and,     hd::runtime_op::bit_or,
    hd::runtime_op::bit_xor,     hd::runtime_op::minus};

/// op(a, b) by name, in plain C++.
template <class T>
T by_name(hd::runtime_op op, T a, T b) {
  T result{};
  const auto take = [&]<class Op>() {
    if constexpr (hd::impl::library_has<T, Op>()) {
      if (hd::impl::function_of<Op> == op) result = plainly<Op>(a, b);
    }
  };
  for_each_type<hd::plus, hd::multiplies, hd::minimum, hd::maximum, hd::logical_and, hd::logical_or,
                hd::logical_xor, hd::bit_and, hd::bit_or, hd::bit_xor, hd::minus>(take);
  return result;
}

template <class T>
T as_operand(hd::runtime_op op, T x) {
  const bool logical = op == hd::runtime_op::logical_and || op == hd::runtime_op::logical_or ||
                       op == hd::runtime_op::logical_xor;
  return logical ? T(x != T(0)) : x;
}

/// Whether an any_array holds these elements.
template <class T>
testing::AssertionResult holds(const hd::any_array& have, const std::vector<T>& want) {
  if (have.dtype() != hd::dtype_of<T>) return testing::AssertionFailure() << hd::name(have.dtype());
  const hd::any_array on_cpu = have.on(hd::target());
  if (have.size() != want.size()) return testing::AssertionFailure() << have.size() << " elements";
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (on_cpu.as<T>()[i] != static_cast<T>(want[i]))
      return testing::AssertionFailure() << "element " << i << " of " << hd::name(have.dtype());
  }
  return testing::AssertionSuccess();
}

}  // namespace

TEST_P(any_array, reduces_as_a_loop_does) {
  for_each_dtype([&]<class T>() {
    for (const hd::runtime_op op : all_ops) {
      if (!hd::is_defined(op, hd::dtype_of<T>) || op == hd::runtime_op::minus) continue;
      const bool grows = op == hd::runtime_op::multiplies;
      for (const std::size_t n : {std::size_t{1}, std::size_t{37}, std::size_t{5'001}}) {
        hd::array<T> x = numbers<T>({n});
        if (grows) x.fill(T(1));
        T want = as_operand(op, static_cast<T>(x.data()[0]));
        for (std::size_t i = 1; i < n; ++i)
          want = by_name(op, want, as_operand(op, static_cast<T>(x.data()[i])));
        const hd::any_array given(hd::any_const_view(x).on(where));
        const std::string what =
            std::string(hd::name(op)) + " of " + std::to_string(n) + " " + hd::name(hd::dtype_of<T>);
        ASSERT_EQ(hd::reduce(where, given, op).template as<T>(), want) << what;
        ASSERT_EQ(hd::reduce(where, given, op, T(1)).template as<T>(), by_name(op, T(1), want)) << what;
        hd::any_array out(hd::dtype_of<T>, {}, where);
        hd::reduce_into(where, out, given, op);
        ASSERT_EQ(out.front().template as<T>(), want) << what;
      }
    }
  });
}

TEST_P(any_array, reduces_along_an_axis_as_loops_do) {
  constexpr std::size_t outer = 3, length = 65, inner = 7;
  for_each_dtype([&]<class T>() {
    const hd::array<T> x = numbers<T>({outer, length, inner});
    std::vector<T> want;
    want.reserve(outer * inner);
    for (std::size_t i = 0; i < outer; ++i) {
      for (std::size_t j = 0; j < inner; ++j) {
        T sum{};
        for (std::size_t k = 0; k < length; ++k)
          sum = plainly<hd::plus>(sum, static_cast<T>(x.data()[(i * length + k) * inner + j]));
        want.push_back(sum);
      }
    }
    const hd::any_array given(hd::any_const_view(x).on(where));
    const hd::any_array sums = hd::reduce(where, given, hd::axis{1});
    ASSERT_EQ(sums.shape(), (hd::shape{outer, inner}));
    ASSERT_TRUE(holds<T>(sums, want));
    hd::any_array out(hd::dtype_of<T>, {outer, inner}, where);
    hd::reduce_into(where, out, given, hd::axis{-2});
    ASSERT_TRUE(holds<T>(out, want));
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = plainly<hd::plus>(T(1), static_cast<T>(want[i]));
    ASSERT_TRUE(holds<T>(hd::reduce(where, given, hd::axis{1}, hd::runtime_op::plus, 1), want));
  });
}

TEST_P(any_array, sums_in_a_wider_type) {
  for_each_dtype([&]<class T>() {
    using wide = std::conditional_t<hd::is_complex<T>, std::complex<double>, double>;
    const hd::array<T> x = numbers<T>({40, 50});
    wide want{};
    for (std::size_t i = 0; i < x.size(); ++i) want += static_cast<wide>(x.data()[i]);
    hd::any_array out(hd::dtype_of<wide>, {}, where);
    hd::reduce_into(where, out, hd::any_const_view(x));
    ASSERT_EQ(out.front().as<wide>(), want) << hd::name(hd::dtype_of<T>);
    hd::any_array rows(hd::dtype_of<wide>, {40}, where);
    hd::reduce_into(where, rows, hd::any_const_view(x), hd::axis{1}, hd::runtime_op::plus, 5);
    wide row = 5;
    for (std::size_t i = 0; i < 50; ++i) row += static_cast<wide>(x.data()[i]);
    ASSERT_EQ(rows.front().as<wide>(), row);
  });
}

TEST_P(any_array, scans_as_a_loop_does) {
  for_each_dtype([&]<class T>() {
    for (const hd::runtime_op op : all_ops) {
      if (!hd::is_defined(op, hd::dtype_of<T>) || op == hd::runtime_op::minus) continue;
      for (const std::size_t n : {std::size_t{1}, std::size_t{700}}) {
        hd::array<T> x = numbers<T>({n});
        if (op == hd::runtime_op::multiplies) x.fill(T(1));
        std::vector<T> inclusive, exclusive;
        T so_far{};
        for (std::size_t i = 0; i < n; ++i) {
          const T element = as_operand(op, static_cast<T>(x.data()[i]));
          so_far = i == 0 ? element : by_name(op, so_far, element);
          inclusive.push_back(so_far);
          exclusive.push_back(i == 0 ? T(1) : by_name(op, T(1), static_cast<T>(inclusive[i - 1])));
        }
        hd::any_array given(hd::any_const_view(x).on(where));
        const std::string what = std::string(hd::name(op)) + " of " + hd::name(hd::dtype_of<T>);
        ASSERT_TRUE(holds<T>(hd::inclusive_scan(where, given, op), inclusive)) << what;
        ASSERT_TRUE(holds<T>(hd::exclusive_scan(where, given, op, T(1)), exclusive)) << what;
        ASSERT_TRUE(hd::exclusive_scan(where, given, op).front().template as<T>() ==
                    hd::identity(op, hd::dtype_of<T>).template as<T>())
            << what;
        hd::inclusive_scan_into(where, given, given, op);
        ASSERT_TRUE(holds<T>(given, inclusive)) << what;
      }
    }
  });
}

TEST_P(any_array, transforms_as_a_loop_does) {
  for_each_dtype([&]<class T>() {
    for (const hd::runtime_op op : all_ops) {
      if (!hd::is_defined(op, hd::dtype_of<T>)) continue;
      const hd::array<T> x = numbers<T>({3, 50});
      hd::array<T> y({3, 50});
      for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] = x.data()[y.size() - 1 - i];
      std::vector<T> both, right, left;
      for (std::size_t i = 0; i < y.size(); ++i) {
        both.push_back(by_name(op, static_cast<T>(x.data()[i]), static_cast<T>(y.data()[i])));
        right.push_back(by_name(op, static_cast<T>(x.data()[i]), T(1)));
        left.push_back(by_name(op, T(1), static_cast<T>(x.data()[i])));
      }
      hd::any_array a(hd::any_const_view(x).on(where));
      const std::string what = std::string(hd::name(op)) + " of " + hd::name(hd::dtype_of<T>);
      ASSERT_TRUE(holds<T>(hd::transform(where, a, hd::any_const_view(y), op), both)) << what;
      ASSERT_TRUE(holds<T>(hd::transform(where, a, 1, op), right)) << what;
      ASSERT_TRUE(holds<T>(hd::transform(where, 1, a, op), left)) << what;
      hd::transform_into(where, a, a, 1, op);
      ASSERT_TRUE(holds<T>(a, right)) << what;
    }
  });
}

TEST_P(any_array, sorts_as_the_standard_library_does) {
  for_each_dtype([&]<class T>() {
    if constexpr (!hd::is_complex<T>) {
      const hd::array<T> x = numbers<T>({1'003});
      const hd::any_array given(hd::any_const_view(x).on(where));
      hd::array<T> want(hd::shape{1'003});
      std::copy(x.begin(), x.end(), want.begin());
      std::sort(want.begin(), want.end());
      ASSERT_TRUE(same_elements(hd::sort(where, given).as<T>(), want));
      const hd::array<std::size_t> places = hd::argsort(where, given).on(hd::target());
      for (std::size_t i = 0; i < want.size(); ++i) ASSERT_EQ(x[places[i]], want[i]);
      const hd::any_top_elements top = hd::top_k(where, given, 5);
      ASSERT_TRUE(holds<T>(top.values, std::vector<T>(5, want.back())));
      ASSERT_EQ(hd::argmax(where, given), top.indices.front());
      ASSERT_EQ(hd::argmin(where, given), places[0]);
      hd::any_array out(hd::dtype_of<T>, {1'003}, where);
      hd::sort_into(where, out, given, hd::axis{0}, hd::sort_order::descending);
      ASSERT_EQ(out.front().as<T>(), want.back());
      ASSERT_EQ(out.back().as<T>(), want.front());
    }
  });
}

TEST_P(any_array, tells_whether_any_and_all_are_not_zero) {
  for_each_dtype([&]<class T>() {
    const hd::array<T> x = numbers<T>({30, 40});
    const hd::any_array given(hd::any_const_view(x).on(where));
    std::vector<bool> any_of_row(30, false), all_of_column(40, true);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x.data()[i] != T(0)) any_of_row[i / 40] = true;
      if (x.data()[i] == T(0)) all_of_column[i % 40] = false;
    }
    const hd::array<bool> rows = hd::any(where, given, hd::axis{-1}).on(hd::target()),
                          columns = hd::all(where, given, hd::axis{0}).on(hd::target());
    for (std::size_t i = 0; i < 30; ++i) ASSERT_EQ(rows[i], any_of_row[i]) << hd::name(hd::dtype_of<T>);
    for (std::size_t i = 0; i < 40; ++i) ASSERT_EQ(columns[i], all_of_column[i]);
    ASSERT_TRUE(hd::any(where, given));
    ASSERT_FALSE(hd::all(where, given));
    hd::any_array same(hd::dtype_of<T>, {1'003}, where);
    same.fill(1);
    ASSERT_TRUE(hd::all(where, same));
    same.fill(0);
    ASSERT_FALSE(hd::any(where, same));
    if constexpr (hd::is_complex<T>) {
      same.set(T(0, 1), 1'002);
      ASSERT_TRUE(hd::any(where, same));
    }
  });
}

TEST_P(any_array, reduces_segments_and_runs_of_keys) {
  for_each_dtype([&]<class T>() {
    const hd::array<T> x = numbers<T>({1'000});
    const hd::any_array given(hd::any_const_view(x).on(where));
    const hd::array<std::size_t> offsets{0, 7, 7, 500, 1'000};
    std::vector<T> sums;
    for (std::size_t s = 0; s < 4; ++s)
      sums.push_back(std::accumulate(x.begin() + offsets[s], x.begin() + offsets[s + 1], T(0),
                                     [](T a, T b) { return plainly<hd::plus>(a, b); }));
    ASSERT_TRUE(holds<T>(hd::segmented_reduce(where, given, offsets), sums)) << hd::name(hd::dtype_of<T>);
    const auto offsets_there = offsets.on(where);
    ASSERT_TRUE(holds<T>(hd::segmented_reduce(where, given, offsets_there), sums));

    const hd::array<T> keys = numbers<T>({1'000});
    std::vector<T> runs;
    std::vector<std::int32_t> lengths;
    for (const T key : keys) {
      if (runs.empty() || runs.back() != key) {
        runs.push_back(key);
        lengths.push_back(0);
      }
      ++lengths.back();
    }
    hd::any_array ones(hd::dtype::int32, {1'000}, where);
    ones.fill(1);
    const auto [found, counts] = hd::reduce_by_key(where, hd::any_const_view(keys), ones);
    ASSERT_TRUE(holds<T>(found, runs));
    ASSERT_TRUE(holds<std::int32_t>(counts, lengths));
  });
}

TEST_P(any_array, scans_segments_and_runs_of_keys) {
  for_each_dtype([&]<class T>() {
    const hd::array<T> x = numbers<T>({1'000}), keys = numbers<T>({1'000});
    const hd::array<std::size_t> offsets{7, 7, 500, 900};
    const hd::array<std::size_t> offsets_there = offsets.on(where);
    const hd::any_array given(hd::any_const_view(x).on(where)),
        keys_there(hd::any_const_view(keys).on(where));
    // The result of element i, which `begins` a segment or not.
    const auto scanned = [&](bool exclusive, T init, const auto& begins) {
      std::vector<T> result;
      T sum = init;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (i == 0 || begins(i)) sum = init;
        if (exclusive) result.push_back(sum);
        sum = plainly<hd::plus>(sum, x.data()[i]);
        if (!exclusive) result.push_back(sum);
      }
      return result;
    };
    const auto at_offset = [&](std::size_t i) {
      return std::find(offsets.begin(), offsets.end(), i) != offsets.end();
    };
    const auto at_key = [&](std::size_t i) { return keys.data()[i] != keys.data()[i - 1]; };
    using hd::runtime_op;
    ASSERT_TRUE(
        holds<T>(hd::segmented_inclusive_scan(where, given, offsets), scanned(false, T(0), at_offset)))
        << hd::name(hd::dtype_of<T>);
    ASSERT_TRUE(holds<T>(hd::segmented_exclusive_scan(where, given, offsets_there, runtime_op::plus, 1),
                         scanned(true, T(1), at_offset)));
    ASSERT_TRUE(holds<T>(hd::inclusive_scan_by_key(where, keys_there, given, runtime_op::plus, 1),
                         scanned(false, T(1), at_key)));
    ASSERT_TRUE(holds<T>(hd::exclusive_scan_by_key(where, hd::any_const_view(keys), given),
                         scanned(true, T(0), at_key)));

    hd::any_array own(hd::any_const_view(x).on(where));
    hd::segmented_exclusive_scan_into(where, own, own, offsets);
    ASSERT_TRUE(holds<T>(own, scanned(true, T(0), at_offset)));
    hd::inclusive_scan_by_key_into(where, own, keys_there, given);
    ASSERT_TRUE(holds<T>(own, scanned(false, T(0), at_key)));
  });
}

TEST_P(any_array, finds_places_and_chooses_elements) {
  for_each_dtype([&]<class T>() {
    const hd::array<T> x = numbers<T>({1'003});
    const hd::any_array given(hd::any_const_view(x).on(where));
    std::vector<T> chosen, others;
    hd::array<bool> flags(hd::shape{1'003});
    for (std::size_t i = 0; i < x.size(); ++i) {
      flags.data()[i] = i % 3 == 0;
      (i % 3 == 0 ? chosen : others).push_back(x.data()[i]);
    }
    ASSERT_TRUE(holds<T>(hd::copy_if(where, given, flags), chosen)) << hd::name(hd::dtype_of<T>);
    const hd::any_partitioned parts = hd::partition(where, given, flags);
    ASSERT_EQ(parts.chosen, chosen.size());
    chosen.insert(chosen.end(), others.begin(), others.end());
    ASSERT_TRUE(holds<T>(parts.elements, chosen));
    if constexpr (!hd::is_complex<T>) {
      const hd::any_array sorted = hd::sort(where, given);
      const hd::array<T> in_order = sorted.on(hd::target()).template as<T>();
      const hd::array<T> values{T(0), T(1)};
      const auto first = hd::lower_bound(where, sorted, hd::any_const_view(values)).on(hd::target()),
                 last = hd::upper_bound(where, sorted, hd::any_const_view(values)).on(hd::target());
      for (std::size_t i = 0; i < 2; ++i) {
        const auto [low, high] = std::equal_range(in_order.begin(), in_order.end(), values[i]);
        ASSERT_EQ(first[i], static_cast<std::size_t>(low - in_order.begin()));
        ASSERT_EQ(last[i], static_cast<std::size_t>(high - in_order.begin()));
      }
    }
  });
}

TEST_P(any_array, has_the_statistics_of_a_loop) {
  for_each_dtype([&]<class T>() {
    using mean_type = typename hd::impl::statistics_of<T>::mean;
    const hd::array<T> x = numbers<T>({8, 16});
    const hd::any_array given(hd::any_const_view(x).on(where));
    mean_type sum{}, column{};
    for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<mean_type>(x.data()[i]);
    for (std::size_t i = 0; i < x.size(); i += 16) column += static_cast<mean_type>(x.data()[i]);
    const mean_type mean = sum / mean_type(128);
    EXPECT_EQ(hd::mean(where, given).as<mean_type>(), mean);
    EXPECT_EQ(hd::mean(where, given, hd::axis{0}).front().as<mean_type>(), column / mean_type(8));
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto apart = static_cast<std::complex<double>>(static_cast<mean_type>(x.data()[i])) -
                         static_cast<std::complex<double>>(mean);
      squares += std::norm(apart);
    }
    using variance_type = typename hd::impl::statistics_of<T>::variance;
    EXPECT_NEAR(hd::variance(where, given).to<double>(), squares / 128,
                32 * double{std::numeric_limits<variance_type>::epsilon()} * squares / 128);
    EXPECT_EQ(hd::variance(where, given, hd::axis{1}, 1).shape(), (hd::shape{8}));
    if constexpr (!hd::is_complex<T>) {
      const auto both = hd::minmax(where, given);
      EXPECT_EQ(both.min.as<T>(), *std::min_element(x.begin(), x.end()));
      EXPECT_EQ(both.max.as<T>(), *std::max_element(x.begin(), x.end()));
      EXPECT_EQ(hd::minmax(where, given, hd::axis{0}).max.size(), 16u);

      std::vector<std::uint64_t> counts(3);
      for (const T e : x) ++counts[static_cast<std::size_t>(e)];
      const hd::even_bins bins{3, -0.5, 2.5};
      EXPECT_EQ(hd::histogram(where, given, bins).to_vector(), counts);
      EXPECT_EQ(hd::histogram(where, given, hd::edges_of(hd::dtype_of<T>, bins)).to_vector(), counts);
      hd::any_array weights(hd::dtype::float64, x.shape(), where);
      weights.fill(0.5);
      const hd::any_array weighed = hd::histogram(where, given, bins, weights);
      EXPECT_TRUE(
          holds<double>(weighed, {0.5 * static_cast<double>(counts[0]), 0.5 * static_cast<double>(counts[1]),
                                  0.5 * static_cast<double>(counts[2])}));
    }
  });
}

TEST_P(any_array, multiplies_matrices_and_transforms_as_typed_arrays_do) {
  for_each_type<float, double, std::complex<float>, std::complex<double>>([&]<class T>() {
    const hd::array<T> a = numbers<T>({4, 6}), b = numbers<T>({6, 3});
    const hd::any_array x(hd::any_const_view(a).on(where)), y(hd::any_const_view(b).on(where));
    std::vector<T> product(12);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t k = 0; k < 6; ++k) product[i * 3 + j] += a.data()[i * 6 + k] * b.data()[k * 3 + j];
      }
    }
    EXPECT_TRUE(holds<T>(hd::matmul(where, x, y), product));
    hd::any_array c(hd::dtype_of<T>, hd::matmul_shape(x.shape(), y.shape()), where);
    hd::matmul_into(where, c, x, y);
    EXPECT_TRUE(holds<T>(c, product));

    using complex = hd::impl::complex_for<hd::array<T>>;
    const hd::any_array spectrum = hd::fft(where, x, {0, 1});
    EXPECT_EQ(spectrum.as<complex>().to_vector(), hd::fft(where, a, {0, 1}).to_vector());
    const hd::any_array back = hd::ifft(where, spectrum, {0, 1});
    constexpr auto rounding = 8 * std::numeric_limits<typename complex::value_type>::epsilon();
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(std::abs(back.as<complex>()[i] - complex(a.data()[i])), 0, rounding);
    if constexpr (!hd::is_complex<T>) {
      const hd::any_array half = hd::rfft(where, x);
      EXPECT_EQ(half.shape(), hd::rfft_shape(x.shape()));
      EXPECT_EQ(half.as<complex>().to_vector(), hd::rfft(where, a).to_vector());
      hd::any_array real(hd::dtype_of<T>, hd::irfft_shape(half.shape()), where);
      hd::irfft_into(where, real, half);
      EXPECT_NEAR(real.back().as<T>(), a.data()[23], rounding);
    }
  });
}

TEST_P(any_array, takes_the_textbooks_methods) {
  const hd::array<std::int32_t> x = numbers<std::int32_t>({5'003});
  const hd::any_array given(hd::any_const_view(x).on(where));
  const std::int32_t total = std::accumulate(x.begin(), x.end(), 0);
  const auto plus = hd::runtime_op::plus;
  for (const hd::reduce_algorithm algorithm : hd::reduce_algorithms)
    EXPECT_EQ(hd::reduce(where, given, plus, algorithm).as<std::int32_t>(), total);
  for (const hd::scan_algorithm algorithm : hd::scan_algorithms) {
    EXPECT_EQ(hd::inclusive_scan(where, given, plus, algorithm).back().as<std::int32_t>(), total);
    EXPECT_EQ(hd::exclusive_scan(where, given, plus, 2, algorithm).front().as<std::int32_t>(), 2);
    EXPECT_EQ(hd::exclusive_scan(where, given, plus, algorithm).back().as<std::int32_t>(), total - x.back());
  }
}

TEST(runtime_op, has_names) {
  for (const hd::runtime_op op : all_ops) EXPECT_EQ(hd::parse_runtime_op(hd::name(op)), op);
  EXPECT_EQ(hd::parse_runtime_op("add"), hd::runtime_op::plus);
  EXPECT_EQ(hd::parse_runtime_op("prod"), hd::runtime_op::multiplies);
  EXPECT_EQ(hd::parse_runtime_op("min"), hd::runtime_op::minimum);
  EXPECT_EQ(hd::parse_runtime_op("subtract"), hd::runtime_op::minus);
  EXPECT_EQ(hd::parse_runtime_op("bitwise_xor"), hd::runtime_op::bit_xor);
  EXPECT_EQ(message_of([] { hd::parse_runtime_op("none"); }),
            "there is no operator 'none' (the operators are plus, multiplies, minimum, maximum, logical_and, "
            "logical_or, logical_xor, bit_and, bit_or, bit_xor, minus)");
}
