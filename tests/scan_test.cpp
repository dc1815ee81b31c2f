#include "elements.hpp"
#include "looped_scan.hpp"
#include "on_targets.hpp"
#include "sizes.hpp"
#include <heddle/machine.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>
#include <heddle/transform.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;
using hd::detail::is_complex;

namespace {

class scan : public on_targets {};
HD_ON_ALL_TARGETS(scan);

/// Operators that a host compiler compiled: a GPU does not have them.
class scan_by_users_operator : public on_targets {};
HD_ON_CPU_TARGETS(scan_by_users_operator);

template <class T, class Op>
hd::array<T> scanned(const hd::target& where, const hd::array<T>& x, const variant& how, const Op& op,
                     const T& init) {
  const std::optional<T> start = how.has_init ? std::optional<T>(init) : std::nullopt;
  hd::array<T> held = how.in_place ? x.on(where) : hd::array<T>(x.size());
  const hd::array_view<T> out = held.view();
  const hd::array_view<const T> in = how.in_place ? hd::array_view<const T>(out) : x.view();
  if (how.exclusive) {
    hd::exclusive_scan_into(where, out, in, op, start);
  } else {
    hd::inclusive_scan_into(where, out, in, op, start);
  }
  return held.on(hd::target::serial());
}

/// Says what was scanned where the elements differ.
template <class T>
void expect_scanned(const hd::array<T>& have, const hd::array<T>& want, hd::detail::function op,
                    const variant& how) {
  EXPECT_TRUE(same_elements(have, want)) << hd::detail::type_name<T>() << ", " << hd::detail::name(op)
                                         << ", n = " << want.size() << ", " << how.text();
}

template <class T, class Op>
void check_exactly(const hd::target& where, std::size_t n, unsigned first_variant, unsigned last_variant) {
  const hd::array<T> x = operands<T, Op>(n);
  const T init = operand<T, Op>(n / 3 + 7, n + 50);
  for (unsigned v = first_variant; v < last_variant && !testing::Test::HasFailure(); ++v) {
    const variant how(v % variants);
    expect_scanned<T>(scanned<T, Op>(where, x, how, Op{}, init), looped_by<T, Op>(x, how, init),
                      hd::detail::function_of<Op>, how);
  }
}

/// Checks sums against sums in long double: |error of element i| ≤ bound(i) · eps · (|init| + Σ|x|).
template <class T, class Bound>
void check_sums(const hd::target& where, const hd::array<T>& x, const variant& how, T init,
                const Bound& bound) {
  const hd::array<T> have = scanned(where, x, how, hd::plus{}, init);
  constexpr int parts = is_complex<T> ? 2 : 1;
  using part = std::conditional_t<is_complex<T>, decltype(std::abs(T())), T>;
  constexpr part eps = std::numeric_limits<part>::epsilon();
  for (int which = 0; which < parts; ++which) {
    const auto at = [&](const T* values, std::size_t i) {
      return static_cast<long double>(
          reinterpret_cast<const part*>(values)[i * parts + static_cast<std::size_t>(which)]);
    };
    long double sum = how.has_init ? at(&init, 0) : 0, magnitude = std::abs(sum);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double before = sum, magnitude_before = magnitude;
      sum += at(x.data(), i);
      magnitude += std::abs(at(x.data(), i));
      const long double want = how.exclusive ? before : sum;
      const long double allowed = bound(i) * eps * (how.exclusive ? magnitude_before : magnitude);
      ASSERT_LE(std::abs(at(have.data(), i) - want), allowed)
          << hd::detail::type_name<T>() << ", n = " << x.size() << ", element " << i << ", " << how.text();
    }
  }
}

/// Rounding errors that look random partly cancel, and stay below the bound of pairwise summation and a few
/// more.
constexpr auto pairwise_bound = [](std::size_t i) { return std::log2(static_cast<double>(i + 2)) + 10; };

/// The most additions, at half an eps each, that lie between an element and the results that hold it: on the
/// CPU those of a strip of 4, of the tree of 16 strips, of 16 tiles, of 16 groups of these …, and one to join
/// each; on a GPU what docs/scan.md promises.
double worst_bound(bool on_gpu, std::size_t i) {
  std::size_t additions = 1;
  if (on_gpu) {
    additions = std::min<std::size_t>(i + 1, 256);
  } else {
    additions += std::min<std::size_t>(i, 3) + 1 + 4 + 1;
    for (std::size_t rest = i / 64; rest > 0; rest /= 16) additions += std::min<std::size_t>(rest, 15) + 1;
  }
  return static_cast<double>(additions) / 2;
}

/// n factors have n − 1 rounded products, each of which is off by half an eps (a complex one by √5 times as
/// much).
template <class T>
void check_products(const hd::target& where, const hd::array<T>& x, const variant& how, T init) {
  using wide = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;
  const hd::array<T> have = scanned(where, x, how, hd::multiplies{}, init);
  constexpr long double eps = std::numeric_limits<decltype(std::abs(T()))>::epsilon();
  wide product = how.has_init ? wide(init) : wide(1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const wide before = product;
    product *= wide(x.data()[i]);
    const wide want = how.exclusive ? before : product;
    const long double random_walk = 4 + std::sqrt(static_cast<long double>(i));
    ASSERT_LE(std::abs(wide(have.data()[i]) - want), random_walk * eps * std::abs(want))
        << hd::detail::type_name<T>() << ", n = " << x.size() << ", element " << i << ", " << how.text();
  }
}

/// Sizes at which code on the CPU and on a GPU turns to another path: strips, rows of a strip, pieces for
/// threads.
std::vector<std::size_t> small_sizes() {
  return sizes_up_to(4100);
}
/// Strips end at multiples of 64 on the CPU, groups of them at powers of 16.
std::vector<std::size_t> large_sizes() {
  std::vector<std::size_t> sizes{32767, 32768, 100003, 262143, 262144, 262145};
  std::erase_if(sizes, [](std::size_t n) { return n > largest_size(); });
  return sizes;
}

constexpr auto scan_type_by_operators = [](const auto& check) {
  for_each_dtype([&]<class T>() {
    for_each_operator<T>([&]<class Op>() {
      if constexpr (is_exact<T, Op>) check.template operator()<T, Op>();
    });
  });
};

}  // namespace

TEST_P(scan, of_exact_operators_is_what_a_loop_computes) {
  scan_type_by_operators([&]<class T, class Op>() {
    for (const std::size_t n : small_sizes()) check_exactly<T, Op>(where, n, 0, variants);
  });
}

// A CPU has other ways for them, which change where their number fills strips and registers.
TEST_P(scan, of_few_elements_by_exact_operators_is_what_a_loop_computes) {
  unsigned turn = 0;
  scan_type_by_operators([&]<class T, class Op>() {
    for (std::size_t n = 1; n <= 140; ++n) check_exactly<T, Op>(where, n, turn, turn + 1), turn += 5;
  });
}

TEST_P(scan, of_few_sums_on_a_cpu_has_the_bits_of_the_first_of_many) {
  if (where.is_gpu()) GTEST_SKIP() << "tiles of a GPU depend on the number of elements";
  for_each_type<float, double, std::complex<float>>([&]<class T>() {
    constexpr std::size_t many = 40'000;
    const hd::array<T> x = operands<T, hd::plus>(many);
    for (unsigned v = 0; v < variants; ++v) {
      const variant how(v);
      const hd::array<T> sums = scanned(where, x, how, hd::plus{}, T(0.1f));
      for (std::size_t n = 1; n <= 200; ++n) {
        hd::array<T> few(n);
        std::copy_n(x.data(), n, few.data());
        const hd::array<T> have = scanned(where, few, how, hd::plus{}, T(0.1f));
        ASSERT_TRUE(same_elements<T>(have.span(), sums.span().first(n)))
            << hd::detail::type_name<T>() << ", n = " << n << ", " << how.text();
      }
    }
  });
}

TEST_P(scan, of_many_elements_by_exact_operators_is_what_a_loop_computes) {
  const std::vector<std::size_t> sizes = large_sizes();
  if (sizes.empty()) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is small";
  unsigned turn = 0;
  scan_type_by_operators([&]<class T, class Op>() {
    check_exactly<T, Op>(where, sizes[turn % sizes.size()], turn, turn + 1);
    turn += 7;
  });
  for (const std::size_t n : sizes) check_exactly<std::int32_t, hd::plus>(where, n, 0, variants);
}

TEST_P(scan, of_ten_million_elements_is_what_a_loop_computes) {
  const std::size_t n = std::min<std::size_t>(10'000'000, largest_size());
  check_exactly<std::uint32_t, hd::plus>(where, n, 4, 5);
  check_sums<double>(where, operands<double, hd::plus>(n), variant(0), 0, pairwise_bound);
}

TEST_P(scan, of_rounded_sums_is_within_the_bound) {
  for_each_type<float, double, std::complex<float>, std::complex<double>>([&]<class T>() {
    for (unsigned v = 0; v < variants; ++v) {
      for (const std::size_t n : small_sizes()) {
        check_sums<T>(where, operands<T, hd::plus>(n), variant(v), T(0.3f), pairwise_bound);
      }
    }
    unsigned turn = 0;
    for (const std::size_t n : large_sizes()) {
      check_sums<T>(where, operands<T, hd::plus>(n), variant(turn++), T(0.3f), pairwise_bound);
    }
  });
}

TEST_P(scan, of_sums_that_all_round_one_way_is_within_the_bound_of_its_strips) {
  for (const std::size_t n : {127, 128, 129, 511, 512, 513, 8193, 16383, 16385, 262143, 262144, 262145}) {
    if (n > largest_size()) break;
    hd::array<float> x(n);
    x.fill(0.1f);
    for (unsigned v = 0; v < 4; ++v) {
      check_sums<float>(where, x, variant(v), 0.1f,
                        [&](std::size_t i) { return worst_bound(where.is_gpu(), i); });
    }
  }
}

TEST_P(scan, of_rounded_products_is_within_the_bound) {
  for_each_type<float, double, std::complex<float>, std::complex<double>>([&]<class T>() {
    for (unsigned v = 0; v < variants; ++v) {
      for (const std::size_t n : small_sizes()) {
        check_products<T>(where, operands<T, hd::multiplies>(n), variant(v), T(0.75f));
      }
    }
    for (const std::size_t n : large_sizes()) {
      check_products<T>(where, operands<T, hd::multiplies>(n), variant(1), T(1));
    }
  });
}

TEST_P(scan, has_the_same_bits_again_and_on_any_number_of_threads) {
  for_each_type<float, std::complex<double>>([&]<class T>() {
    std::set<std::size_t> sizes{40000, std::min<std::size_t>(262145, largest_size())};
    if (seeks_races) sizes = {(std::size_t{1} << 19) / sizeof(T) + 9};  // threads share half a MiB
    for (const std::size_t n : sizes) {
      const hd::array<T> x = operands<T, hd::plus>(n);
      for (unsigned v = 0; v < variants; v += seeks_races ? 3 : 1) {
        const variant how(v);
        const hd::array<T> first = scanned(where, x, how, hd::plus{}, T(0.1f));
        ASSERT_TRUE(same_elements(scanned(where, x, how, hd::plus{}, T(0.1f)), first)) << how.text();
        if (where.is_gpu()) continue;
        ASSERT_TRUE(same_elements(scanned(hd::target::serial(), x, how, hd::plus{}, T(0.1f)), first));
        ASSERT_TRUE(same_elements(scanned(hd::target::parallel(7), x, how, hd::plus{}, T(0.1f)), first));
      }
    }
  });
}

TEST_P(scan, exclusive_is_inclusive_shifted_by_one) {
  for_each_integer_type([&]<class T>() {
    for (const std::size_t n : {1, 2, 600, 40000}) {
      const hd::array<T> x = operands<T, hd::plus>(n);
      const hd::array<T> inclusive = hd::inclusive_scan(where, x).on(hd::target::serial());
      const hd::array<T> exclusive = hd::exclusive_scan(where, x).on(hd::target::serial());
      ASSERT_EQ(exclusive[0], T(0));
      ASSERT_TRUE(same_elements<T>(exclusive.span().subspan(1), inclusive.span().first(n - 1)));
    }
  });
}

template <class T>
void expect_extremes_with_nan_and_zeros_of_both_signs(const hd::target& where) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  const std::vector<T> x{1, T(0), -T(0), -inf, 5, nan, -7};
  const auto low = hd::inclusive_scan(where, x, hd::minimum{}).to_vector();
  const std::vector<T> lows{1, T(0), -T(0), -inf, -inf};
  EXPECT_TRUE(same_elements<T>(std::span(low).first(5), lows));
  EXPECT_TRUE(std::isnan(low[5]) && std::isnan(low[6]));

  const std::vector<T> y{-inf, -2, -T(0), T(0), -T(0), inf, 3, nan, inf};
  const auto high = hd::inclusive_scan(where, y, hd::maximum{}).to_vector();
  const std::vector<T> highs{-inf, -2, -T(0), T(0), T(0), inf, inf};
  EXPECT_TRUE(same_elements<T>(std::span(high).first(7), highs));
  EXPECT_TRUE(std::isnan(high[7]) && std::isnan(high[8]));

  std::vector<T> many(100000, T(1));
  many[70000] = nan;
  const auto sums = hd::inclusive_scan(where, many).to_vector();
  for (std::size_t i = 0; i < many.size(); ++i) ASSERT_EQ(std::isnan(sums[i]), i >= 70000) << i;
  const auto lowest = hd::exclusive_scan(where, many, hd::minimum{}).to_vector();
  EXPECT_EQ(lowest[0], inf);
  for (std::size_t i = 0; i < many.size(); ++i) ASSERT_EQ(std::isnan(lowest[i]), i > 70000) << i;
}

TEST_P(scan, of_extremes_goes_on_with_nan_and_tells_zeros_apart) {
  expect_extremes_with_nan_and_zeros_of_both_signs<float>(where);
  expect_extremes_with_nan_and_zeros_of_both_signs<double>(where);
}

TEST_P(scan, goes_along_every_axis_as_along_one_row_by_itself) {
  const std::vector<hd::shape> shapes{{0},
                                      {1},
                                      {700},
                                      {0, 5},
                                      {5, 0},
                                      {1, 1},
                                      {3, 4},
                                      {1, 1300},
                                      {1300, 1},
                                      {33, 65},
                                      {40000, 2},
                                      {2, 40000},
                                      {5000, 7},
                                      {7, 5000},
                                      {513, 100},
                                      {2, 3, 4},
                                      {0, 3, 2},
                                      {3, 0, 2},
                                      {2, 1, 9},
                                      {3, 1500, 2},
                                      {2, 9000, 3},
                                      {1, 50000, 1},
                                      {600, 1, 70},
                                      {2, 3, 4, 5},
                                      {3, 2, 0, 1},
                                      {2, 513, 2, 33},
                                      {1, 2, 1025, 1},
                                      {77, 20'000},
                                      {601, 3003},
                                      {2, 260, 2100}};
  for (const hd::shape& lengths : shapes) {
    if (lengths.elements() > largest_size() || (seeks_races && lengths.elements() < 50'000)) continue;
    hd::array<std::int64_t> x(lengths);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = random_value<std::int64_t>(i);
    hd::array<float> y(lengths);
    for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] = random_value<float>(i);
    const auto axes = static_cast<std::ptrdiff_t>(lengths.axes());
    for (std::ptrdiff_t index = -axes; index < axes; ++index) {
      const bool exclusive = index % 2 == 0;
      const hd::axis axis{index};
      const hd::array<std::int64_t> sums =
          exclusive ? hd::exclusive_scan(where, x, axis, hd::plus{}, 7) : hd::inclusive_scan(where, x, axis);
      ASSERT_EQ(sums.shape(), lengths);
      const hd::array<std::int64_t> have = sums.on(hd::target::serial());
      hd::array<float> float_sums = y.on(where);
      if (exclusive) {
        hd::exclusive_scan_into(where, float_sums, float_sums, axis);
      } else {
        hd::inclusive_scan_into(where, float_sums, float_sums, axis, hd::plus{}, 0.25f);
      }
      const hd::array<float> float_have = float_sums.on(hd::target::serial());

      const hd::segments all = hd::along(lengths, lengths.resolve_axis(index));
      for (std::size_t segment = 0; segment < all.count() && all.length > 0; ++segment) {
        const std::size_t start = segment / all.inner * all.length * all.inner + segment % all.inner;
        std::int64_t sum = exclusive ? 7 : 0;
        hd::array<float> row(all.length), row_sums(all.length);
        for (std::size_t k = 0; k < all.length; ++k) {
          const std::size_t i = start + k * all.inner;
          const std::int64_t before = sum;
          sum = plainly<hd::plus>(sum, x.data()[i]);
          ASSERT_EQ(have.data()[i], exclusive ? before : sum)
              << lengths.text() << " axis " << index << " at " << i;
          row.data()[k] = y.data()[i];
          row_sums.data()[k] = float_have.data()[i];
        }
        if (where.is_gpu() || all.count() > 200) continue;
        const hd::array<float> alone =
            exclusive ? hd::exclusive_scan(where, row) : hd::inclusive_scan(where, row, hd::plus{}, 0.25f);
        ASSERT_TRUE(same_elements(row_sums, alone)) << lengths.text() << " axis " << index;
      }
    }
  }
}

TEST_P(scan, of_floats_along_an_axis_is_within_the_bound) {
  const hd::shape lengths{3, 5000, 4};
  const hd::array<float> x = operands<float, hd::plus>(lengths.elements()).reshaped(lengths);
  const hd::array<float> have = hd::inclusive_scan(where, x, hd::axis{1}).on(hd::target::serial());
  for (std::size_t plane = 0; plane < 3; ++plane) {
    for (std::size_t column = 0; column < 4; ++column) {
      double sum = 0, magnitude = 0;
      for (std::size_t k = 0; k < 5000; ++k) {
        sum += x(plane, k, column);
        magnitude += std::abs(x(plane, k, column));
        const double allowed = pairwise_bound(k) * std::numeric_limits<float>::epsilon() * magnitude;
        ASSERT_NEAR(have(plane, k, column), sum, allowed) << plane << ", " << k << ", " << column;
      }
    }
  }
}

namespace {

/// Scans of elements that stand `first` places behind the start of an array, between others that must stay.
template <class T, class Op>
void check_slice(const hd::target& where, std::size_t n, std::size_t first, const variant& how) {
  const hd::array<T> x = operands<T, Op>(n);
  const T init = operand<T, Op>(n / 3 + 7, n + 50);
  hd::array<T> between(n + 2 * first);
  between.fill(operand<T, Op>(1, n));
  std::copy_n(x.data(), n, between.data() + first);
  hd::array<T> in = between.on(where), elsewhere = between.on(where);
  hd::array<T>& out = how.in_place ? in : elsewhere;
  auto result = out.slice(first, first + n);
  const std::optional<T> start = how.has_init ? std::optional(init) : std::nullopt;
  if (how.exclusive) {
    hd::exclusive_scan_into(where, result, in.slice(first, first + n), Op{}, start);
  } else {
    hd::inclusive_scan_into(where, result, in.slice(first, first + n), Op{}, start);
  }
  hd::array<T> want = between.on(hd::target::serial());
  std::copy_n(looped_by<T, Op>(x, how, init).data(), n, want.data() + first);
  ASSERT_TRUE(same_elements(out.on(hd::target::serial()), want))
      << hd::detail::type_name<T>() << ", n = " << n << " from " << first << " on, " << how.text();
}

/// Calls f with an element type of each width and operators on it.
constexpr auto some_of_each_width = [](const auto& f) {
  f.template operator()<std::uint8_t, hd::plus>();
  f.template operator()<std::int16_t, hd::maximum>();
  f.template operator()<std::uint32_t, hd::plus>();
  f.template operator()<float, hd::minimum>();
  f.template operator()<std::int64_t, hd::plus>();
  f.template operator()<double, hd::maximum>();
};

}  // namespace

TEST_P(scan, of_slices_is_what_a_loop_computes_and_touches_nothing_else) {
  some_of_each_width([&]<class T, class Op>() {
    unsigned turn = 0;
    for (const std::size_t n : {5, 1000, 8193, 70'001, 300'000}) {
      if (n > largest_size()) continue;
      for (const std::size_t first : {1, 3, 16 / static_cast<int>(sizeof(T)) - 1})
        check_slice<T, Op>(where, n, first, variant(turn++ % variants));
    }
  });
}

TEST_P(scan, of_rows_is_what_a_loop_computes) {
  some_of_each_width([&]<class T, class Op>() {
    std::vector<hd::shape> shapes{{50, 2047},
                                  {50, 2049},
                                  {33, 4099},
                                  {3, 65'537},
                                  {130, 2049},
                                  {140, 1031},
                                  {150, 2064},
                                  {130, 8191},
                                  {2, 300'001},
                                  // and several to a warp
                                  {20'000, 3},
                                  {12'300, 16},
                                  {9'000, 33}};
    for (const std::size_t length : {1, 2, 3, 5, 8, 9, 16, 31, 33, 64, 100, 129, 500, 513, 1025})
      shapes.push_back({1 + 5000 / length, length});
    for (const hd::shape& lengths : shapes) {
      if (lengths.elements() > largest_size()) continue;
      const hd::array<T> x = operands<T, Op>(lengths.elements()).reshaped(lengths);
      const hd::array<T> have = hd::inclusive_scan(where, x, hd::axis{1}, Op{}).on(hd::target::serial());
      std::vector<T> want(x.data(), x.data() + x.size());
      for (std::size_t i = 0; i < want.size(); ++i) {
        if (i % lengths[1] > 0) want[i] = plainly<Op, T>(want[i - 1], want[i]);
      }
      const auto differs = std::mismatch(want.begin(), want.end(), have.data()).first - want.begin();
      ASSERT_EQ(static_cast<std::size_t>(differs), want.size())
          << hd::detail::type_name<T>() << lengths.text();
    }
  });
}

TEST_P(scan, of_columns_is_what_a_loop_computes) {
  some_of_each_width([&]<class T, class Op>() {
    unsigned turn = 0;
    for (const hd::shape& lengths :
         {hd::shape{1, 3000}, hd::shape{2, 4096}, hd::shape{3, 5001}, hd::shape{7, 4, 1300},
          hd::shape{5, 2, 7}, hd::shape{8, 4096}, hd::shape{9, 5000}, hd::shape{100, 3008},
          hd::shape{300, 1600}, hd::shape{257, 2049}, hd::shape{2100, 96}, hd::shape{3, 520, 304},
          hd::shape{70, 4099}, hd::shape{9000, 3}, hd::shape{9000, 16}}) {
      const std::size_t n = lengths.elements(), first = turn % 3;
      if (n + first > largest_size()) continue;
      const variant how(turn++ % variants);
      const std::size_t axis = lengths.axes() - 2;
      hd::array<T> x = operands<T, Op>(n + first).on(where);
      const T init = operand<T, Op>(n / 3 + 7, n + 50);
      const std::optional<T> start = how.has_init ? std::optional<T>(init) : std::nullopt;
      hd::array<T> elsewhere(n + first, where);
      const auto in = x.slice(first, first + n).reshaped(lengths);
      const hd::array<T> before = x.on(hd::target::serial());
      const auto out = (how.in_place ? x : elsewhere).slice(first, first + n).reshaped(lengths);
      const hd::axis along{static_cast<std::ptrdiff_t>(axis)};
      if (how.exclusive) {
        hd::exclusive_scan_into(where, out, in, along, Op{}, start);
      } else {
        hd::inclusive_scan_into(where, out, in, along, Op{}, start);
      }
      hd::array<T> have(lengths), want(lengths);
      have.copy_from(out);
      const hd::segments all = hd::along(lengths, axis);
      for (std::size_t segment = 0; segment < all.count(); ++segment) {
        const std::size_t at = segment / all.inner * all.length * all.inner + segment % all.inner;
        hd::array<T> column(all.length);
        for (std::size_t k = 0; k < all.length; ++k)
          column.data()[k] = before.data()[first + at + k * all.inner];
        const hd::array<T> scanned = looped_by<T, Op>(column, how, init);
        for (std::size_t k = 0; k < all.length; ++k) want.data()[at + k * all.inner] = scanned.data()[k];
      }
      ASSERT_TRUE(same_elements(have, want))
          << hd::detail::type_name<T>() << lengths.text() << " from " << first << " on, " << how.text();
    }
  });
}

template <class T, class Op>
void check_columns_of_rows_that_begin_anywhere(const hd::target& where, const hd::shape& lengths,
                                               bool exclusive) {
  // Each begins at a place of its own in memory.
  constexpr std::size_t first = 3, to = 5, beyond = 7;
  const std::size_t n = lengths.elements(), inner = lengths[lengths.axes() - 1];
  const std::size_t length = lengths[lengths.axes() - 2];
  const hd::array<T> x = operands<T, Op>(n + first);
  hd::array<T> want(n + to + beyond);
  want.fill(T(99));
  hd::array<T> out = want.on(where);
  const T init = 7;
  for (std::size_t i = 0; i < n; ++i) {
    const bool opens = i / inner % length == 0;
    const T before = opens ? init : want.data()[to + i - inner];
    const T above = exclusive ? (opens ? init : x.data()[first + i - inner]) : x.data()[first + i];
    want.data()[to + i] = exclusive && opens ? init : static_cast<T>(Op()(before, above));
  }
  const hd::array<T> there = x.on(where);
  const auto in = there.slice(first, first + n).reshaped(lengths);
  const auto result = out.slice(to, to + n).reshaped(lengths);
  if (exclusive) {
    hd::exclusive_scan_into(where, result, in, hd::axis{-2}, Op{}, init);
  } else {
    hd::inclusive_scan_into(where, result, in, hd::axis{-2}, Op{}, init);
  }
  ASSERT_TRUE(same_elements(out.on(hd::target::serial()), want))
      << hd::detail::type_name<T>() << lengths.text() << (exclusive ? " exclusive" : " inclusive");
}

TEST_P(scan, of_columns_whose_rows_begin_anywhere_is_what_a_loop_computes) {
  for (const hd::shape& lengths : {hd::shape{3, 2051}, hd::shape{33, 1031}, hd::shape{2, 40, 2051},
                                   hd::shape{700, 1031}, hd::shape{17, 20'001}, hd::shape{9000, 1031}}) {
    if (lengths.elements() > largest_size()) continue;
    for (const bool exclusive : {false, true}) {
      check_columns_of_rows_that_begin_anywhere<std::uint8_t, hd::plus>(where, lengths, exclusive);
      check_columns_of_rows_that_begin_anywhere<std::int8_t, hd::maximum>(where, lengths, exclusive);
      check_columns_of_rows_that_begin_anywhere<std::uint16_t, hd::multiplies>(where, lengths, exclusive);
      check_columns_of_rows_that_begin_anywhere<std::uint16_t, hd::bit_xor>(where, lengths, exclusive);
    }
  }
}

TEST_P(scan, keeps_the_shape_and_lives_on_the_target) {
  hd::array<int> x({3, 4});
  x.fill(1);
  const hd::array<int> sums = hd::inclusive_scan(where, x);
  EXPECT_EQ(sums.shape(), (hd::shape{3, 4}));
  EXPECT_EQ(sums.where(), where);
  EXPECT_EQ(sums(2, 3), 12);
  const hd::array<int> nothing = hd::exclusive_scan(where, hd::array<int>({5, 0, 2}));
  EXPECT_EQ(nothing.shape(), (hd::shape{5, 0, 2}));
}

TEST_P(scan, reads_and_writes_ranges_wherever_they_are) {
  const std::vector<int> x{3, 1, 4, 1, 5};
  std::vector<int> out(5, -1);
  hd::inclusive_scan_into(where, out, x);
  EXPECT_EQ(out, (std::vector<int>{3, 4, 8, 9, 14}));
  hd::exclusive_scan_into(where, std::span(out), std::span(x), hd::plus{}, 10);
  EXPECT_EQ(out, (std::vector<int>{10, 13, 14, 18, 19}));
  hd::array<int> there = hd::array(x).on(where);
  hd::inclusive_scan_into(where, std::span(out).first(4), there.slice(1, 5));
  EXPECT_EQ(out, (std::vector<int>{1, 5, 6, 11, 19}));
}

TEST_P(scan, says_what_does_not_fit) {
  const std::vector<int> x{1, 2, 3, 4, 5};
  std::vector<int> out(4);
  const std::string inclusive = "inclusive_scan: 5 int32 on " + where.text() + ": ";
  const std::string exclusive = "exclusive_scan: 5 int32 on " + where.text() + ": ";
  EXPECT_EQ(message_of([&] { hd::inclusive_scan_into(where, out, x); }),
            inclusive + "the output: 4 elements do not fit 5");
  EXPECT_EQ(message_of([&] { hd::exclusive_scan_into(where, out, x, hd::axis{0}); }),
            exclusive + "the output: 4 elements do not fit 5");
  EXPECT_EQ(message_of([&] { (void)hd::inclusive_scan(where, x, hd::axis{1}); }),
            inclusive + "axis 1 does not exist in shape (5,) (axes are -1 to 0)");
}

TEST_P(scan, refuses_an_output_that_overlaps_its_input) {
  hd::array<int> x = hd::array(std::vector<int>{1, 2, 3, 4, 5}).on(where);
  const std::string message =
      "inclusive_scan: 4 int32 on " + where.text() +
      ": the output overlaps an input but does not begin with it: write into the input itself, "
      "or into another array";
  auto first = x.slice(0, 4), last = x.slice(1, 5);
  EXPECT_EQ(message_of([&] { hd::inclusive_scan_into(where, first, last); }), message);
  EXPECT_EQ(message_of([&] { hd::inclusive_scan_into(where, last, first); }), message);
  EXPECT_EQ(x.to_vector(), (std::vector<int>{1, 2, 3, 4, 5}));
  hd::inclusive_scan_into(where, first, first);
  EXPECT_EQ(x.to_vector(), (std::vector<int>{1, 3, 6, 10, 5}));
  auto left = x.slice(0, 2), right = x.slice(2, 4);
  hd::inclusive_scan_into(where, right, left);
  EXPECT_EQ(x.to_vector(), (std::vector<int>{1, 3, 1, 4, 5}));
}

TEST_P(scan_by_users_operator, keeps_operand_order) {
  const auto product = [](const auto& a, const auto& b) { return a * b; };
  auto check = [&]<class T>(std::vector<std::size_t> sizes, const T& identity) {
    for (const std::size_t n : sizes) {
      hd::array<T> x(n);
      for (std::size_t i = 0; i < n; ++i) x.data()[i] = random_element<T>(i);
      for (unsigned v = 0; v < variants; ++v) {
        const variant how(v);
        const T init = random_element<T>(n + 1);
        std::optional<T> before;
        if (how.exclusive) before = identity;
        if (how.has_init) before = init;
        ASSERT_TRUE(same_elements(scanned(where, x, how, hd::monoid{product, identity}, init),
                                  looped<T>(x, how.exclusive, before ? &*before : nullptr, product)))
            << sizeof(T) << " bytes, n = " << n << ", " << how.text();
      }
    }
  };
  std::vector<std::size_t> sizes = small_sizes();
  sizes.push_back(std::min<std::size_t>(40000, largest_size()));
  matrix5 one{};
  for (int i = 0; i < 5; ++i) one.at[i][i] = 1;
  check(sizes, triangular{1, 0, 1});
  check({0, 1, 2, 511, 512, 513, 1025, std::min<std::size_t>(33000, largest_size())}, one);
}

TEST_P(scan_by_users_operator, combines_neighbours_only) {
  for (const std::size_t n : {1, 512, 513, 8193, 262143, 262144, 262145, 600000}) {
    if (n > largest_size()) break;
    hd::array<run> x(n);
    for (std::size_t i = 0; i < n; ++i)
      x.data()[i] = {static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)};
    const hd::array<run> inclusive = hd::inclusive_scan(where, x, join{});
    const hd::array<run> with_init = hd::inclusive_scan(where, x, join{}, run{-5, -1});
    const hd::array<run> exclusive = hd::exclusive_scan(where, x, hd::monoid{join{}, run{0, -1}});
    const hd::array<run> exclusive_with_init =
        hd::exclusive_scan(where, x, hd::monoid{join{}, run{0, -1}}, run{-5, -1});
    for (std::size_t i = 0; i < n; ++i) {
      const auto last = static_cast<std::int64_t>(i);
      ASSERT_EQ(inclusive.data()[i], (run{0, last})) << i << " of " << n;
      ASSERT_EQ(with_init.data()[i], (run{-5, last})) << i << " of " << n;
      ASSERT_EQ(exclusive.data()[i], (run{0, last - 1})) << i << " of " << n;
      ASSERT_EQ(exclusive_with_init.data()[i], (run{-5, last - 1})) << i << " of " << n;
    }
  }
}

TEST_P(scan_by_users_operator, needs_no_identity_where_there_is_an_initial_value) {
  const std::size_t n = std::min<std::size_t>(70000, largest_size());
  std::vector<int> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(random_bits(i) % 1000);
  const auto first = [](int a, int) { return a; };
  EXPECT_EQ(hd::inclusive_scan(where, x, first).to_vector(), std::vector<int>(n, x[0]));
  EXPECT_EQ(hd::inclusive_scan(where, x, first, -1).to_vector(), std::vector<int>(n, -1));
  const auto last = [](int, int b) { return b; };
  EXPECT_EQ(hd::inclusive_scan(where, x, last).to_vector(), x);
  const std::vector<int> shifted = hd::exclusive_scan(where, x, last, -1).to_vector();
  EXPECT_EQ(shifted[0], -1);
  EXPECT_TRUE(std::equal(shifted.begin() + 1, shifted.end(), x.begin()));
  EXPECT_EQ(message_of([&] { (void)hd::exclusive_scan(where, x, last); }),
            "exclusive_scan: " + std::to_string(n) + " int32 on " + where.text() +
                ": the operator has no identity to begin with: give an initial value, or "
                "hd::monoid{function, identity}");
}

TEST_P(scan_by_users_operator, has_the_bits_of_the_built_in_one) {
  const auto sum = [](auto a, auto b) { return a + b; };
  for_each_type<float, double>([&]<class T>() {
    std::vector<std::size_t> sizes{1,   3,    4,    5,    15,   16,    17,    40,    41,
                                   63,  64,   65,   68,   127,  128,   129,   255,   256,
                                   257, 1023, 1024, 1025, 4097, 16383, 16384, 16385, 70001};
    sizes.push_back(std::min<std::size_t>(300'007, largest_size()));
    for (const std::size_t n : sizes) {
      const hd::array<T> x = operands<T, hd::plus>(n);
      for (unsigned v = 0; v < variants; ++v) {
        const variant how(v | (v & 1) << 1);  // the lambda has no identity
        const T init(0.3f);
        ASSERT_TRUE(
            same_elements(scanned(where, x, how, sum, init), scanned(where, x, how, hd::plus{}, init)))
            << sizeof(T) << " bytes, n = " << n << ", " << how.text();
      }
    }
  });
}

TEST_P(scan_by_users_operator, may_throw) {
  const std::size_t n = std::min<std::size_t>(400'000, largest_size());
  for (const std::size_t bad : {std::size_t{0}, std::size_t{17}, n / 3, n - 2, n - 1}) {
    hd::array<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x.data()[i] = i == bad ? -1 : 1;
    const auto picky = [](double a, double b) {
      if (a < 0 || b < 0) throw std::runtime_error("negative");
      return a + b;
    };
    EXPECT_THROW((void)hd::inclusive_scan(where, x, picky), std::runtime_error) << bad;
    EXPECT_THROW((void)hd::exclusive_scan(where, x, picky, 0), std::runtime_error) << bad;
  }
}

TEST_P(scan_by_users_operator, may_scan_on_threads_itself) {
  const std::vector<int> few(70'000, 1);
  std::vector<int> x(3, 1);
  const auto busy = [&](int a, int b) {
    return a + b + hd::inclusive_scan(where, few, [](int c, int d) { return c + d; }).back() - 70'000;
  };
  EXPECT_EQ(hd::inclusive_scan(where, x, busy).to_vector(), (std::vector<int>{1, 2, 3}));
}

TEST_P(scan_by_users_operator, goes_along_an_axis) {
  const hd::shape lengths{2, 1100, 3};
  hd::array<triangular> x(lengths);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = random_element<triangular>(i);
  const hd::monoid product{[](const triangular& a, const triangular& b) { return a * b; },
                           triangular{1, 0, 1}};
  const hd::array<triangular> inclusive = hd::inclusive_scan(where, x, hd::axis{1}, product);
  hd::array<triangular> exclusive = x.on(where);
  hd::exclusive_scan_into(where, exclusive, exclusive, hd::axis{-2}, product);
  for (std::size_t plane = 0; plane < 2; ++plane) {
    for (std::size_t column = 0; column < 3; ++column) {
      triangular before{1, 0, 1};
      for (std::size_t k = 0; k < 1100; ++k) {
        ASSERT_TRUE(same_bits(exclusive(plane, k, column), before)) << plane << ", " << k << ", " << column;
        before = before * x(plane, k, column);
        ASSERT_TRUE(same_bits(inclusive(plane, k, column), before)) << plane << ", " << k << ", " << column;
      }
    }
  }
}

namespace {

void need_gpu_and_elements(std::size_t n) {
  if (hd::gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
  if (n > largest_size()) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is less than " << n;
}

class scan_on_Gpu : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override { need_gpu_and_elements(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(huge, scan_on_Gpu, testing::Values(2147483649, 4294967299));

}  // namespace

/// A GPU scans tiles in turn from 2^24 bytes on, of elements of up to 8 bytes.
TEST(scan_Gpu, of_tiles_in_turn_is_what_a_loop_computes) {
  if (hd::gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
  if (largest_size() < 10'000'000) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is small";
  const hd::target gpu = hd::target::gpu();
  some_of_each_width([&]<class T, class Op>() {
    const std::size_t edge = (std::size_t{1} << 24) / sizeof(T);
    for (unsigned v = 0; v < variants; ++v) check_exactly<T, Op>(gpu, edge + 1 + v, v, v + 1);
    check_exactly<T, Op>(gpu, edge, 0, 1);
    check_exactly<T, Op>(gpu, edge + 300'001, 1, 2);
    unsigned turn = 0;
    for (const std::size_t first : {1, 2, 3, 5, 7})
      check_slice<T, Op>(gpu, edge + 100 * first, first, variant(turn++));
  });
  hd::array<float> x((std::size_t{1} << 22) + 100'000);
  x.fill(0.1f);
  check_sums<float>(gpu, x, variant(3), 0.1f, [](std::size_t i) { return worst_bound(true, i); });
}

// Elements of 32 bits, so that no sum of a tile or of a row is a multiple of the range of the type.
TEST_P(scan_on_Gpu, of_more_elements_than_32_bits_count) {
  const std::size_t n = GetParam();
  const hd::target gpu = hd::target::gpu();
  hd::array<std::uint32_t> x(n, gpu);
  x.fill(1);
  hd::inclusive_scan_into(gpu, x, x);
  EXPECT_EQ(x.front(), 1u);
  EXPECT_EQ(x.back(), static_cast<std::uint32_t>(n));
  // Each element is one more than the one before it, modulo 2^32.
  const hd::array<std::uint32_t> steps = hd::transform(gpu, x.slice(1, n), x.slice(0, n - 1), hd::minus{});
  EXPECT_EQ(hd::reduce(gpu, steps, hd::minimum{}), 1u);
  EXPECT_EQ(hd::reduce(gpu, steps, hd::maximum{}), 1u);
}

TEST_P(scan_on_Gpu, of_more_elements_than_32_bits_count_exclusive_and_elsewhere) {
  const std::size_t n = GetParam();
  const hd::target gpu = hd::target::gpu();
  hd::array<std::uint32_t> x(n, gpu);
  x.fill(1);
  const hd::array<std::uint32_t> sums = hd::exclusive_scan(gpu, x);
  EXPECT_EQ(sums.front(), 0u);
  EXPECT_EQ(sums.back(), static_cast<std::uint32_t>(n - 1));
  const hd::array<std::uint32_t> steps =
      hd::transform(gpu, sums.slice(1, n), sums.slice(0, n - 1), hd::minus{});
  EXPECT_EQ(hd::reduce(gpu, steps, hd::minimum{}), 1u);
  EXPECT_EQ(hd::reduce(gpu, steps, hd::maximum{}), 1u);
}

TEST_P(scan_on_Gpu, along_an_axis_of_an_array_of_more_elements_than_32_bits_count) {
  const hd::target gpu = hd::target::gpu();
  const std::size_t rows = GetParam() / 65537 + 1, columns = 65537;
  for (const std::ptrdiff_t axis : {0, 1}) {
    hd::array<std::uint32_t> x({rows, columns}, gpu);
    x.fill(1);
    hd::inclusive_scan_into(gpu, x, x, hd::axis{axis});
    EXPECT_EQ(x(0, 0), 1u);
    EXPECT_EQ(x(rows - 1, columns - 1), static_cast<std::uint32_t>(axis == 0 ? rows : columns));
    // Every line is the same, and each of its elements one more than the one before it.
    const hd::array<std::uint32_t> least = hd::reduce(gpu, x, hd::axis{1 - axis}, hd::minimum{});
    const hd::array<std::uint32_t> most = hd::reduce(gpu, x, hd::axis{1 - axis}, hd::maximum{});
    EXPECT_EQ(least.to_vector(), most.to_vector());
    for (std::size_t i = 0; i < least.size(); i += 1009)
      ASSERT_EQ(least[i], static_cast<std::uint32_t>(i + 1)) << i;
  }
}

TEST(scan_shapes, along_an_axis_the_output_has_the_shape_of_the_input) {
  const hd::array<int> x(hd::shape{2, 3});
  hd::array<int> out(hd::shape{3, 2});
  EXPECT_EQ(message_of([&] { hd::inclusive_scan_into(hd::target(), out, x, hd::axis{0}); }),
            "inclusive_scan: the output has shape (3, 2), where the first input has (2, 3)");
}

TEST(scan_Gpu, by_a_function_of_a_host_compiler_says_what_to_do) {
  if (hd::gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
  const std::vector<int> x{1, 2, 3};
  EXPECT_EQ(
      message_of([&] { (void)hd::inclusive_scan(hd::target::gpu(), x, [](int a, int b) { return a + b; }); }),
      "inclusive_scan: 3 int32 on gpu:0: the function is known to a host compiler only and cannot run on a "
      "GPU: "
      "compile this file with nvcc and mark the function HD_FN, or use a built-in operator on a built-in "
      "type");
}
