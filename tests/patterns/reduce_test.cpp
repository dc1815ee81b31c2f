#include "tests/elements.hpp"
#include "tests/grouped_reduce.hpp"
#include "tests/on_targets.hpp"
#include "tests/operator_on.hpp"
#include "tests/sizes.hpp"
#include <heddle/for_each_index.hpp>
#include <heddle/machine.hpp>
#include <heddle/reduce.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class reduce : public on_targets {};
HD_ON_ALL_TARGETS(reduce);

}  // namespace

TEST_P(reduce, is_a_plain_loop_for_every_type_operator_and_size) {
  for_each_dtype([&]<class T>() {
    for (const operator_on<T>& op : operators_on<T>()) {
      for (const std::size_t n : sizes_up_to(100'003)) {
        if (n == 0) continue;
        const hd::array<T> x = op.operands({n});
        const T have = op.reduce(where, x);
        ASSERT_TRUE(same_bits(have, op.grouped(x.span()))) << op.named(n) << ": " << have;
        if (op.exact) {
          ASSERT_EQ(have, op.looped(x.span())) << op.named(n);
        }
      }
    }
  });
}

// A CPU has other ways for them, which change where their number fills registers, rows and tiles.
TEST_P(reduce, few_elements_have_the_bits_of_the_documented_order) {
  for_each_dtype([&]<class T>() {
    constexpr std::size_t lanes = lanes_of(sizeof(T), true), tile = tile_of(sizeof(T), true);
    std::vector<std::size_t> sizes;
    for (std::size_t n = 1; n <= 140; ++n) sizes.push_back(n);
    for (std::size_t rows = 1; rows <= 16; ++rows) {
      for (const std::size_t rest : {std::size_t{0}, std::size_t{1}, lanes / 2 + 3, lanes - 1})
        sizes.push_back(rows * lanes + rest);
    }
    for (const std::size_t tiles : {1, 2, 15, 16}) {
      for (const std::size_t n : {tiles * tile - 1, tiles * tile + 1, tiles * tile + lanes + 5})
        sizes.push_back(n);
    }
    for (const operator_on<T>& op : operators_on<T>()) {
      const hd::array<T> x = op.operands({17 * tile});
      for (const std::size_t n : sizes) {
        const auto some = x.slice(n % 5, n % 5 + n);
        const T have = op.reduce(where, some);
        ASSERT_TRUE(same_bits(have, op.grouped(some.span()))) << op.named(n) << ": " << have;
      }
    }
  });
}

TEST_P(reduce, hears_one_element_wherever_it_stands) {
  for_each_dtype([&]<class T>() {
    for (const operator_on<T>& op : operators_on<T>()) {
      const auto [quiet, loud] = op.quiet_and_loud();
      constexpr std::size_t tile = tile_of(sizeof(T), true);
      for (const std::size_t n : {std::size_t{2}, std::size_t{33}, tile - 1, tile, tile + 1, 5 * tile + 77}) {
        hd::array<T> x(n);
        x.fill(quiet);
        ASSERT_EQ(op.reduce(where, x), quiet) << op.named(n);
        for (const std::size_t place : {std::size_t{0}, n / 2, n - 2, n - 1, random_bits(n) % n}) {
          x.set(loud, place);
          ASSERT_EQ(op.reduce(where, x), loud) << op.named(n) << " with one at " << place;
          x.set(quiet, place);
        }
      }
    }
  });
}

TEST(reduce_on_cpu_and_gpu, of_many_elements_has_the_bits_of_the_documented_order) {
  for_each_dtype([&]<class T>() {
    const operator_on<T> op = make_operator_on<T, hd::plus>();
    for (const std::size_t n : {std::size_t{1'000'003}, std::size_t{10'000'000}}) {
      if (n > largest_size()) continue;
      const hd::array<T> x = op.operands({n});
      const T want = op.grouped(x.span());
      if (op.exact) {
        ASSERT_EQ(want, op.looped(x.span())) << op.named(n);
      }
      for (const hd::target& where : hd::tests::targets_at_hand()) {
        const T have = op.reduce(where, x);
        ASSERT_TRUE(same_bits(have, want)) << op.named(n) << " on " << where.text() << ": " << have;
      }
    }
  });
}

namespace {

/// The most additions between an element and the total of n: each may round by half an eps.
template <class T>
double additions(std::size_t n) {
  constexpr std::size_t lanes = lanes_of(sizeof(T), true), tile = tile_of(sizeof(T), true);
  std::size_t most = 0;
  for (;; n = (n + tile - 1) / tile) {
    most += std::min<std::size_t>(15, (n - 1) / lanes) + std::bit_width(std::min(n, lanes) - 1);
    if (n <= tile) return static_cast<double>(most);
  }
}

/// Relative error of that many roundings to the nearest (Higham 2002, lemma 3.1).
template <class Real>
double gamma(double roundings) {
  const double u = std::numeric_limits<Real>::epsilon() / 2;
  return roundings * u / (1 - roundings * u);
}

}  // namespace

TEST_P(reduce, sums_stay_within_the_bound_of_pairwise_summation) {
  for_each_type<float, double, std::complex<float>, std::complex<double>>([&]<class T>() {
    using real = decltype(std::abs(T()));
    constexpr std::size_t parts = sizeof(T) / sizeof(real);
    for (const std::size_t n : sizes_up_to(1'000'003)) {
      if (n == 0) continue;
      const hd::array<T> x = operands<T, hd::plus>(n);
      const T have = hd::reduce(where, x);
      for (std::size_t which = 0; which < parts; ++which) {
        quad sum = 0, magnitude = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const real value = reinterpret_cast<const real*>(x.data() + i)[which];
          sum += value;
          magnitude += std::abs(value);
        }
        const double error = static_cast<double>(reinterpret_cast<const real*>(&have)[which] - sum);
        const double allowed = gamma<real>(additions<T>(n)) * static_cast<double>(magnitude);
        ASSERT_LE(std::abs(error), allowed) << named<T>(n);
        // As a user would have it: eps·(log₂ n + 2)·Σ|x|.
        ASSERT_LE(allowed,
                  std::numeric_limits<real>::epsilon() * (std::log2(n) + 2) * static_cast<double>(magnitude))
            << named<T>(n);
      }
    }
  });
}

TEST_P(reduce, products_stay_within_their_bound) {
  for_each_type<float, double>([&]<class T>() {
    for (const std::size_t n : sizes_up_to(100'003)) {
      if (n == 0) continue;
      const hd::array<T> x = operands<T, hd::multiplies>(n);
      quad product = 1;
      for (const T factor : x.span()) product *= factor;
      const double error = static_cast<double>((hd::reduce(where, x, hd::multiplies{}) - product) / product);
      ASSERT_LE(std::abs(error), gamma<T>(static_cast<double>(n - 1))) << named<T, hd::multiplies>(n);
    }
  });
  for_each_type<float, double>([&]<class T>() {
    for (const std::size_t n : sizes_up_to(100'003)) {
      if (n == 0) continue;
      const hd::array<std::complex<T>> x = operands<std::complex<T>, hd::multiplies>(n);
      quad re = 1, im = 0;
      for (const std::complex<T> z : x.span()) {
        const quad next = re * z.real() - im * z.imag();
        im = re * z.imag() + im * z.real();
        re = next;
      }
      const std::complex<T> have = hd::reduce(where, x, hd::multiplies{});
      const double error =
          std::hypot(static_cast<double>(have.real() - re), static_cast<double>(have.imag() - im)) /
          std::hypot(static_cast<double>(re), static_cast<double>(im));
      // √5 roundings a complex product (Brent, Percival and Zimmermann 2007).
      ASSERT_LE(error, gamma<T>(std::sqrt(5.0) * static_cast<double>(n - 1))) << named<std::complex<T>>(n);
    }
  });
}

TEST_P(reduce, slices_have_the_bits_of_their_elements_wherever_they_start) {
  for_each_dtype([&]<class T>() {
    for (const operator_on<T>& op : operators_on<T>()) {
      const std::size_t n = 3 * tile_of(sizeof(T), true) + 40;
      const hd::array<T> x = op.operands({n});
      const hd::array<T> there = x.on(where);
      for (const std::size_t first : {1, 2, 3, 4, 7, 16, 31}) {
        for (const std::size_t last : {n, n - 30}) {
          const T want = op.grouped(x.span().subspan(first, last - first));
          ASSERT_TRUE(same_bits(op.reduce(where, there.slice(first, last)), want))
              << op.named(n) << " from " << first << " to " << last;
          ASSERT_TRUE(same_bits(op.reduce(where, x.slice(first, last)), want));
        }
      }
    }
  });
}

TEST_P(reduce, no_elements_give_the_identity_or_an_error) {
  for_each_dtype([&]<class T>() {
    const hd::array<T> nothing(0, where);
    for (const operator_on<T>& op : operators_on<T>()) {
      if (op.which == hd::runtime_op::minimum || op.which == hd::runtime_op::maximum) {
        EXPECT_EQ(
            message_of([&] { (void)op.reduce(where, nothing); }),
            std::string("reduce: 0 ") + hd::impl::type_name<T>() +
                ": there are no elements, and the operator has no identity to return: give an initial value");
      } else {
        const T identity = op.reduce(where, nothing), some = op.seen(op.operand(5, 10));
        EXPECT_EQ(op.combine(identity, some), some) << op.named(0);
        EXPECT_EQ(op.combine(some, identity), some) << op.named(0);
      }
      EXPECT_EQ(op.reduce_from(where, nothing, T(1)), T(1));
    }
  });
  EXPECT_EQ(hd::reduce(where, hd::array<int>(0, where), hd::logical_and{}, 2), 1) << "a truth value";
}

TEST_P(reduce, an_initial_value_may_be_none) {
  const hd::array<double> x({2, 3}, 2.0);
  std::optional<double> init;
  EXPECT_EQ(hd::reduce(where, x, hd::plus{}, init), 12);
  EXPECT_EQ(hd::reduce(where, x, hd::axis{1}, hd::plus{}, init).to_vector(), std::vector<double>(2, 6));
  init = 0.5;
  EXPECT_EQ(hd::reduce(where, x, hd::plus{}, init), 12.5);
  EXPECT_EQ(hd::reduce(where, x, hd::axis{0}, hd::plus{}, init).to_vector(), std::vector<double>(3, 4.5));
  std::vector<double> total(1);
  hd::reduce_into(where, total, x, hd::plus{}, init);
  EXPECT_EQ(total[0], 12.5);
}

TEST_P(reduce, an_initial_value_comes_first_and_once) {
  for_each_dtype([&]<class T>() {
    for (const operator_on<T>& op : operators_on<T>()) {
      for (const std::size_t n : {1, 2, 33, 9000}) {
        const hd::array<T> x = op.operands({n});
        const T init = op.operand(n / 2, n);
        EXPECT_TRUE(
            same_bits(op.reduce_from(where, x, init), op.combine(op.seen(init), op.grouped(x.span()))))
            << op.named(n);
      }
    }
  });
}

TEST_P(reduce, takes_vectors_spans_views_and_arrays_that_are_elsewhere) {
  std::vector<int> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i);
  EXPECT_EQ(hd::reduce(where, x), 499500);
  EXPECT_EQ(hd::reduce(where, std::span(x)), 499500);
  EXPECT_EQ(hd::reduce(where, std::span<const int>(x).first(10)), 45);
  const hd::array<int> there(x, where);
  EXPECT_EQ(hd::reduce(where, there), 499500);
  EXPECT_EQ(hd::reduce(where, there.view()), 499500);
  EXPECT_EQ(hd::reduce(hd::target::serial(), there), 499500);
  EXPECT_EQ(hd::reduce(hd::target::parallel(2), there), 499500);
  EXPECT_EQ(hd::reduce(hd::target::automatic(), there), 499500);
  EXPECT_EQ(hd::reduce(where, hd::array<int>(x).reshaped({10, 4, 25})), 499500);
  const hd::array<int> one(std::vector{7});
  EXPECT_EQ(hd::reduce(where, one.view().reshaped(hd::shape())), 7);
}

TEST_P(reduce, transform_reduce_by_built_in_functions_is_a_dot_product) {
  for_each_type<std::int32_t, std::uint8_t, float, double, std::complex<float>>([&]<class T>() {
    for (const std::size_t n : sizes_up_to(100'003)) {
      if (n == 0) continue;
      hd::array<T> x = operands<T, hd::plus>(n), y(n), products(n), scaled(n);
      for (std::size_t i = 0; i < n; ++i) {
        y.data()[i] = random_value<T>(i + 1'000'000);
        products.data()[i] = plainly<hd::multiplies>(x.data()[i], y.data()[i]);
        scaled.data()[i] = plainly<hd::multiplies>(x.data()[i], T(3));
      }
      const T dot = grouped_reduce_by<hd::plus, T>(products.span());
      const hd::array<T> there = x.on(where);
      ASSERT_TRUE(same_bits(hd::transform_reduce(where, x, y, hd::multiplies{}, hd::plus{}), dot))
          << named<T>(n);
      ASSERT_TRUE(same_bits(hd::transform_reduce(where, there, y, hd::multiplies{}, hd::plus{}), dot));
      const T multiple = grouped_reduce_by<hd::plus, T>(scaled.span());
      ASSERT_TRUE(same_bits(hd::transform_reduce(where, x, T(3), hd::multiplies{}, hd::plus{}), multiple));
      ASSERT_TRUE(same_bits(hd::transform_reduce(where, T(3), x, hd::multiplies{}, hd::plus{}), multiple));
    }
  });
}

TEST_P(reduce, transform_reduce_by_logical_functions_counts_zeros_as_false) {
  const std::vector<int> x{2, 4, 6, 8}, y{1, 0, 0, 4};
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::multiplies{}, hd::logical_and{}), 0);
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::plus{}, hd::logical_and{}), 1);
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::multiplies{}, hd::logical_or{}), 1);
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::multiplies{}, hd::logical_xor{}), 0);
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::logical_and{}, hd::plus{}), 2);
  EXPECT_EQ(hd::transform_reduce(where, std::vector{5}, std::vector{1}, hd::multiplies{}, hd::logical_or{}),
            1);
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::minus{}, hd::maximum{}), 6);
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::minimum{}, hd::bit_xor{}), 5);
}

TEST_P(reduce, transform_reduce_begins_with_an_initial_value) {
  const std::vector<float> x{2, 3}, y{5, 7};
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::multiplies{}, hd::plus{}, 100.f), 131.f);
  EXPECT_EQ(hd::transform_reduce(where, x, 10.f, hd::plus{}, hd::minimum{}, 1.f), 1.f);
  EXPECT_EQ(hd::transform_reduce(where, std::vector<float>(), 10.f, hd::plus{}, hd::minimum{}, 1.f), 1.f);
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::multiplies{}, hd::logical_and{}, 9.f), 1.f);
}

TEST_P(reduce, transform_reduce_of_nothing_is_the_identity_or_an_error) {
  const std::vector<float> nothing;
  EXPECT_EQ(hd::transform_reduce(where, nothing, nothing, hd::multiplies{}, hd::plus{}), 0.f);
  EXPECT_EQ(hd::transform_reduce(where, nothing, 2.f, hd::multiplies{}, hd::multiplies{}), 1.f);
  EXPECT_EQ(
      message_of([&] { (void)hd::transform_reduce(where, nothing, nothing, hd::plus{}, hd::minimum{}); }),
      "transform_reduce: 0 float32: there are no elements, and the operator has no identity to return: "
      "give an initial value");
}

TEST_P(reduce, into_an_output_has_the_bits_of_the_value) {
  for_each_dtype([&]<class T>() {
    for (const std::size_t n : {1, 2, 33, 9000, 100'003}) {
      const hd::array<T> x = operands<T, hd::plus>(n), there = x.on(where);
      hd::array<T> out(3, where);
      out.fill(T(1));
      // One of several elements, which lies at an odd place; its neighbours keep theirs.
      hd::reduce_into(where, out.slice(1, 2), there);
      const T want = grouped_reduce_by<hd::plus, T>(x.span());
      const std::vector<T> have = out.to_vector();
      ASSERT_TRUE(same_bits(T(have[1]), want)) << named<T>(n);
      ASSERT_TRUE(have[0] == T(1) && have[2] == T(1)) << named<T>(n);
      T here[1];
      hd::reduce_into(where, here, x, hd::plus{}, x.data()[0]);
      ASSERT_TRUE(same_bits(here[0], hd::reduce(hd::target(), x, hd::plus{}, x.data()[0]))) << named<T>(n);
    }
  });
}

TEST_P(reduce, into_an_output_that_is_elsewhere) {
  std::vector<int> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i);
  for (const hd::target& other : targets_at_hand()) {
    hd::array<int> out(1, other);
    hd::reduce_into(where, out, x);
    EXPECT_EQ(out[0], 499500) << other.text();
    hd::reduce_into(where, out, hd::array<int>(x, other), hd::maximum{}, 2000);
    EXPECT_EQ(out[0], 2000) << other.text();
    hd::transform_reduce_into(where, out, x, 2, hd::multiplies{}, hd::plus{});
    EXPECT_EQ(out[0], 999000) << other.text();
  }
  hd::array<int> out(hd::shape{1, 1}, where);
  hd::reduce_into(hd::target::automatic(), out, x, hd::minimum{});
  EXPECT_EQ(out(0, 0), 0);
}

TEST_P(reduce, into_an_output_of_an_own_function_on_a_cpu) {
  if (where.is_gpu()) GTEST_SKIP() << "a host compiler compiled the function";
  const std::vector<double> x{1, 2, 3};
  double out[1];
  hd::reduce_into(where, out, x, [](double a, double b) { return a + 2 * b - b; });
  EXPECT_EQ(out[0], 6);
  hd::transform_reduce_into(where, out, x, [](double a) { return a * a; }, hd::plus{}, 100);
  EXPECT_EQ(out[0], 114);
}

TEST_P(reduce, into_an_output_refuses_sizes_overlaps_and_nothing) {
  hd::array<float> x(std::vector<float>{1, 2, 3, 4}, where), two(2, where);
  const std::string pattern = "reduce: 4 float32 on " + where.text() + ": ";
  EXPECT_EQ(message_of([&] { hd::reduce_into(where, two, x); }),
            pattern + "the output: 2 elements do not fit 1");
  EXPECT_EQ(message_of([&] { hd::reduce_into(where, two.slice(0, 0), x); }),
            pattern + "the output: 0 elements do not fit 1");
  EXPECT_EQ(message_of([&] { hd::reduce_into(where, x.slice(1, 2), x); }),
            "reduce: 4 float32: the output overlaps an input: write into another array");
  EXPECT_EQ(message_of([&] {
              hd::transform_reduce_into(where, x.slice(3, 4), two, x.slice(2, 4), hd::plus{}, hd::plus{});
            }),
            "transform_reduce: 2 float32: the output overlaps an input: write into another array");
  const hd::array<float> nothing(0, where);
  two.fill(5);
  EXPECT_EQ(message_of([&] { hd::reduce_into(where, two.slice(0, 1), nothing, hd::maximum{}); }),
            "reduce: 0 float32 on " + where.text() +
                ": there are no elements, and the operator has no identity to return: give an initial value");
  EXPECT_EQ(two.to_vector(), (std::vector<float>{5, 5}));
  hd::reduce_into(where, two.slice(0, 1), nothing, hd::maximum{}, 7);
  hd::transform_reduce_into(where, two.slice(1, 2), nothing, 2.f, hd::plus{}, hd::multiplies{});
  EXPECT_EQ(two.to_vector(), (std::vector<float>{7, 1}));
}

TEST(reduce_without_a_gpu, says_that_there_is_none) {
  if (!hd::gpus().empty()) GTEST_SKIP() << "this machine has a GPU";
  const std::vector<float> x{1, 2, 3};
  const std::string message = message_of([&] { (void)hd::reduce(hd::target::gpu(), x); });
  EXPECT_TRUE(message.starts_with("reduce: 3 float32 on gpu:0: ")) << message;
  EXPECT_NE(message.find("GPU", 28), std::string::npos) << message;
}

TEST(reduceGpu, a_function_that_a_host_compiler_compiled_cannot_run_there) {
  if (hd::gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
  const std::vector<float> x{1, 2, 3};
  const auto larger = [](float a, float b) { return a < b ? b : a; };
  const auto twice = [](float a) { return 2 * a; };
  const std::string reason =
      "the function is known to a host compiler only and cannot run on a GPU: compile this file with nvcc "
      "and mark the "
      "function HD_FN, or use a built-in operator on a built-in type";
  EXPECT_EQ(message_of([&] { (void)hd::reduce(hd::target::gpu(), x, larger); }),
            "reduce: 3 float32 on gpu:0: " + reason);
  EXPECT_EQ(message_of([&] { (void)hd::reduce(hd::target::gpu(), x, hd::axis{0}, larger); }),
            "reduce: 3 float32 on gpu:0: " + reason);
  EXPECT_EQ(message_of([&] { (void)hd::transform_reduce(hd::target::gpu(), x, twice, hd::plus{}); }),
            "transform_reduce: 3 float32 on gpu:0: " + reason);
}

// Sizes that do not fit 31 and 32 bits; they run where HEDDLE_TEST_LARGEST allows.

TEST_P(reduce, bytes_beyond_31_and_32_bits) {
  for (const std::size_t n : {(std::size_t{1} << 31) + 1, (std::size_t{1} << 32) + 3}) {
    if (n > largest_size()) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is less than " << n;
    hd::array<std::int8_t> x(n, where);
    std::size_t first = 0;
    std::uint8_t sum = 0;
    for (std::size_t part = 0; first < n; ++part) {
      const std::size_t last = std::min(n, first + (std::size_t{1} << 29) + 12'345 * part + 1);
      x.slice(first, last).fill(static_cast<std::int8_t>(2 * part + 1));
      sum = static_cast<std::uint8_t>(sum + (last - first) * (2 * part + 1));
      first = last;
    }
    EXPECT_EQ(static_cast<std::uint8_t>(hd::reduce(where, x)), sum) << n;
    for (const std::size_t place : {std::size_t{1}, n / 2, n - 1}) {
      const std::int8_t before = x[place];
      x.set(-100, place);
      EXPECT_EQ(hd::reduce(where, x, hd::minimum{}), -100) << n << " with the least at " << place;
      x.set(before, place);
    }
    EXPECT_EQ(hd::reduce(where, x, hd::minimum{}), 1);
  }
}

TEST_P(reduce, floats_beyond_32_bits_of_bytes) {
  constexpr std::size_t n = std::size_t{1} << 30;
  if (n > largest_size()) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is less than " << n;
  hd::array<float> x(n);
  hd::for_each_index(hd::target::parallel(), hd::extent{n}, [values = x.data()](std::size_t i) {
    values[i] = static_cast<float>(random_bits(i) >> 40) * 0x1p-24f;
  });
  EXPECT_TRUE(same_bits(hd::reduce(where, x), (grouped_reduce_by<hd::plus, float>(x.span()))));
}
