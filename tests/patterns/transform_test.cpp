#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/machine.hpp>
#include <heddle/reduce.hpp>
#include <heddle/transform.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class transform : public on_targets {};
HD_ON_ALL_TARGETS(transform);

/// Functions that a host compiler compiled: a GPU does not have them.
class transform_by_users_function : public on_targets {};
HD_ON_CPU_TARGETS(transform_by_users_function);

/// Counts of elements around the output size from which stores are non-temporal, and around whole pieces of
/// that.
template <class T>
std::vector<std::size_t> sizes_around_streaming() {
  constexpr std::size_t from = hd::cpu::stream_from_bytes / sizeof(T),
                        piece = 4096 / sizeof(T) + (4096 % sizeof(T) != 0);
  std::vector<std::size_t> sizes{from - 1,         from,        from + 1, from + piece - 1, from + piece,
                                 from + piece + 1, from + 12345};
  std::erase_if(sizes, [](std::size_t n) { return n > largest_size(); });
  return sizes;
}

template <class T>
hd::array<T> random_array(std::size_t n, std::uint64_t from) {
  hd::array<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x.data()[i] = random_value<T>(from + i);
  return x;
}

/// out[i] = f(x[i], y[i]) by a loop.
template <class T>
hd::array<T> looped(const hd::array<T>& x, const hd::array<T>& y, T (*f)(T, T)) {
  hd::array<T> out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out.data()[i] = f(x.data()[i], y.data()[i]);
  return out;
}

/// A built-in function on elements of T as a value, so that what a test does is compiled once for each type.
template <class T>
struct function_on {
  hd::runtime_op which;
  T (*plainly)(T, T);
  hd::array<T> (*transform)(const hd::target&, const hd::array<T>& x, const hd::array<T>& y);
  hd::array<T> (*with_right)(const hd::target&, const hd::array<T>& x, const T& y);
  hd::array<T> (*with_left)(const hd::target&, const T& x, const hd::array<T>& y);
  void (*into)(const hd::target&, const hd::array_view<T>& out, const hd::array_view<const T>& x,
               const hd::array_view<const T>& y);
};

template <class T, class Op>
function_on<T> make_function_on() {
  const auto transform_by = [](const hd::target& where, const auto& x, const auto& y) {
    return hd::transform(where, x, y, Op{});
  };
  function_on<T> by{
      hd::impl::function_of<Op>,
      plainly<Op, T>,
      transform_by,
      nullptr,
      nullptr,
      [](const hd::target& where, const hd::array_view<T>& out, const hd::array_view<const T>& x,
         const hd::array_view<const T>& y) { hd::transform_into(where, out, x, y, Op{}); }};
  // A scalar takes the same way for every type; fewer of them compile sooner.
  if constexpr (is_one_of<T, bool, std::int8_t, std::uint64_t, float, std::complex<double>>) {
    by.with_right = transform_by;
    by.with_left = transform_by;
  }
  return by;
}

/// On every combination of arrays, scalars and places for the result.
template <class T>
void check_function(const hd::target& where, const function_on<T>& by, std::size_t n) {
  const hd::array<T> x = random_array<T>(n, 0), y = random_array<T>(n, n);
  auto check = [&](const hd::array<T>& have, const hd::array<T>& want, const char* how) {
    ASSERT_TRUE(same_elements(have, want))
        << hd::impl::type_name<T>() << ", " << hd::name(by.which) << ", n = " << n << how;
  };
  const hd::array<T> expected = looped(x, y, by.plainly);
  check(by.transform(where, x, y), expected, "");
  if (by.with_right != nullptr) {
    const T scalar = random_value<T>(3 * n + 1);
    hd::array<T> scalars(n);
    scalars.fill(scalar);
    check(by.with_right(where, x, scalar), looped(x, scalars, by.plainly), ", scalar right");
    check(by.with_left(where, scalar, x), looped(scalars, x, by.plainly), ", scalar left");
  }
  hd::array<T> first = x.on(where), second = y.on(where), on_cpu(n);
  by.into(where, first.view(), first.view(), y.view());
  check(first, expected, ", in place of the first");
  by.into(where, second.view(), x.view(), second.view());
  check(second, expected, ", in place of the second");
  by.into(where, on_cpu.view(), x.view(), y.view());
  check(on_cpu, expected, ", into an array on the CPU");
}

template <class T, class F>
void for_each_function(F&& f) {
  for_each_operator<T>(f);
  if constexpr (hd::impl::library_has<T, hd::minus>()) f.template operator()<hd::minus>();
}

}  // namespace

TEST_P(transform, by_every_built_in_function_on_every_type_is_what_a_loop_computes) {
  for_each_dtype([&]<class T>() {
    for_each_function<T>([&]<class Op>() {
      const function_on<T> by = make_function_on<T, Op>();
      for (const std::size_t n : {0, 1, 2, 31, 32, 33, 511, 4097, 20011}) check_function(where, by, n);
    });
  });
}

TEST_P(transform, of_more_than_a_cache_holds_is_what_a_loop_computes) {
  for_each_type<std::int8_t, std::uint16_t, float, double, std::complex<double>>([&]<class T>() {
    for (const std::size_t n : sizes_around_streaming<T>()) {
      const hd::array<T> x = random_array<T>(n, 0), y = random_array<T>(n, n);
      const hd::array<T> sums = looped(x, y, plainly<hd::plus, T>);
      ASSERT_TRUE(same_elements(hd::transform(where, x, y, hd::plus{}), sums)) << n;
      hd::array<T> in_place = x.on(where);
      hd::transform_into(where, in_place, in_place, y, hd::plus{});
      ASSERT_TRUE(same_elements(in_place, sums)) << n;
    }
  });
}

TEST_P(transform, of_slices_that_begin_anywhere_writes_its_slice_and_no_more) {
  for_each_type<std::int8_t, std::int16_t, float, std::complex<double>>([&]<class T>() {
    // The third ends one element before non-temporal stores have written their pages once more.
    constexpr std::size_t from = hd::cpu::stream_from_bytes / sizeof(T), pages = 4 * 4096 / sizeof(T);
    for (const std::size_t n : {std::size_t{100}, from + 77, from + pages - 1}) {
      if (n > largest_size()) continue;
      const hd::array<T> x = random_array<T>(n + 8, 5), y = random_array<T>(n + 8, n);
      const hd::array<T> there = x.on(where), other = y.on(where);
      for (std::size_t shift = 0; shift < 5; shift += shift + 1) {
        hd::array<T> out({n + 8}, where);
        out.fill(T(7));
        hd::array<T> expected(n + 8);
        expected.fill(T(7));
        for (std::size_t i = 0; i < n; ++i) {
          expected.data()[shift + i] =
              plainly<hd::multiplies>(x.data()[shift / 2 + i], y.data()[8 - shift + i]);
        }
        hd::transform_into(where, out.slice(shift, shift + n), there.slice(shift / 2, shift / 2 + n),
                           other.slice(8 - shift, 8 - shift + n), hd::multiplies{});
        ASSERT_TRUE(same_elements(out, expected))
            << hd::impl::type_name<T>() << ", n = " << n << ", shift " << shift;
      }
    }
  });
}

TEST_P(transform, of_integers_wraps_around) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max(),
                         least = std::numeric_limits<std::int32_t>::min();
  const std::vector<std::int32_t> x{most, least, least, 65536, most}, y{1, -1, least, 65536, most};
  EXPECT_EQ(hd::transform(where, x, y, hd::plus{}).to_vector(),
            (std::vector<std::int32_t>{least, most, 0, 131072, -2}));
  EXPECT_EQ(hd::transform(where, x, y, hd::minus{}).to_vector(),
            (std::vector<std::int32_t>{most - 1, least + 1, 0, 0, 0}));
  EXPECT_EQ(hd::transform(where, x, y, hd::multiplies{}).to_vector(),
            (std::vector<std::int32_t>{most, least, 0, 0, 1}));
  const std::vector<std::int8_t> small{127, -128, 100}, other{1, -1, 3};
  EXPECT_EQ(hd::transform(where, small, other, hd::plus{}).to_vector(),
            (std::vector<std::int8_t>{-128, 127, 103}));
  EXPECT_EQ(hd::transform(where, small, other, hd::multiplies{}).to_vector(),
            (std::vector<std::int8_t>{127, -128, 44}));
  const std::vector<std::uint16_t> wide{65535, 50000};
  EXPECT_EQ(hd::transform(where, wide, wide, hd::multiplies{}).to_vector(),
            (std::vector<std::uint16_t>{1, 63744}));
}

TEST_P(transform, of_special_numbers_follows_numpy) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  const std::vector<double> x{nan, 1, nan, 0.0, -0.0, inf, -inf, inf}, y{1, nan, nan, -0.0, 0.0, 1, 1, -inf};
  const auto low = hd::transform(where, x, y, hd::minimum{}).to_vector();
  const auto high = hd::transform(where, x, y, hd::maximum{}).to_vector();
  const auto sums = hd::transform(where, x, y, hd::plus{}).to_vector();
  const std::vector<double> lows{nan, nan, nan, -0.0, -0.0, 1, -inf, -inf},
      highs{nan, nan, nan, 0.0, 0.0, inf, 1, inf};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(std::isnan(low[i]) && std::isnan(high[i]) && std::isnan(sums[i])) << i;
  EXPECT_TRUE(same_elements<double>(std::span(low).subspan(3), std::span(lows).subspan(3)));
  EXPECT_TRUE(same_elements<double>(std::span(high).subspan(3), std::span(highs).subspan(3)));
  EXPECT_EQ(sums[5], inf);
  EXPECT_TRUE(std::isnan(sums[7]));
}

TEST_P(transform, keeps_the_shape_and_lives_on_the_target) {
  hd::array<float> x({3, 4});
  x.fill(1.5f);
  const hd::array<float> y = hd::transform(where, x, x, hd::plus{});
  EXPECT_EQ(y.shape(), (hd::shape{3, 4}));
  EXPECT_EQ(y.where(), where);
  EXPECT_EQ(y(2, 3), 3.0f);
  const hd::array<float> nothing({2, 0, 3});
  EXPECT_EQ(hd::transform(where, nothing, 2.0f, hd::plus{}).shape(), (hd::shape{2, 0, 3}));
  hd::array<float> one_number(hd::shape{});
  one_number.fill(4);
  EXPECT_EQ(hd::transform(where, one_number, 2.0f, hd::plus{}).to_vector(), std::vector<float>{6});
}

TEST_P(transform, may_overwrite_the_element_that_goes_with_every_other) {
  std::vector<float> x(std::size_t{1} << 20, 3.f);
  hd::transform_into(where, x, x, x[0], hd::multiplies{});
  EXPECT_EQ(std::count(x.begin(), x.end(), 9.f), static_cast<std::ptrdiff_t>(x.size()));
}

TEST_P(transform, says_which_shapes_differ) {
  const std::vector<int> x(6), y(5);
  const hd::array<int> table({2, 3});
  EXPECT_EQ(message_of([&] { (void)hd::transform(where, x, y, hd::plus{}); }),
            "transform: input 2 has shape (5,), where the first input has (6,)");
  EXPECT_EQ(message_of([&] { (void)hd::transform(where, x, table, hd::plus{}); }),
            "transform: input 2 has shape (2, 3), where the first input has (6,)");
  std::vector<int> out(7);
  EXPECT_EQ(message_of([&] { hd::transform_into(where, out, x, 3, hd::plus{}); }),
            "transform: the output has shape (7,), where the first input has (6,)");
  hd::array<int> column({3, 2});
  EXPECT_EQ(message_of([&] { hd::transform_into(where, column, 3, table, hd::plus{}); }),
            "transform: the output has shape (3, 2), where the first input has (2, 3)");
}

TEST_P(transform, refuses_an_output_that_overlaps_an_input) {
  const hd::array<int> values = random_array<int>(6, 1);
  hd::array<int> x = values.on(where);
  auto first = x.slice(0, 5), last = x.slice(1, 6);
  const std::vector<int> y(5, 1);
  const std::string overlap = "the output overlaps an input but does not begin with it";
  EXPECT_NE(message_of([&] { hd::transform_into(where, first, last, y, hd::plus{}); }).find(overlap),
            std::string::npos);
  EXPECT_NE(message_of([&] { hd::transform_into(where, last, y, first, hd::plus{}); }).find(overlap),
            std::string::npos);
  EXPECT_TRUE(same_elements(x, values));
}

TEST_P(transform_by_users_function, takes_any_number_of_inputs) {
  for (const std::size_t n : sizes_up_to(100003)) {
    const hd::array<float> a = random_array<float>(n, 0);
    const hd::array<double> b = random_array<double>(n, 1);
    const hd::array<std::int16_t> c = random_array<std::int16_t>(n, 2);
    const hd::array<std::uint8_t> d = random_array<std::uint8_t>(n, 3);
    const hd::array<std::int64_t> e = random_array<std::int64_t>(n, 4);
    const auto one = hd::transform(where, a, [](float x) { return x * x; });
    const auto two = hd::transform(where, a, b, [](float x, double y) { return x - y; });
    const auto three =
        hd::transform(where, a, c, 0.5, [](float x, std::int16_t y, double z) { return x + y * z; });
    const auto four = hd::transform(where, 2, b, c, d, [](int s, double x, std::int16_t y, std::uint8_t z) {
      return x > 0 ? s * y : static_cast<int>(z);
    });
    const auto five = hd::transform(
        where, a, b, c, d, e, [](float p, double q, std::int16_t r, std::uint8_t s, std::int64_t t) {
          return std::complex<double>(p * q, static_cast<double>(r ^ s ^ (t & 0xffff)));
        });
    static_assert(std::is_same_v<decltype(one), const hd::array<float>>);
    static_assert(std::is_same_v<decltype(two), const hd::array<double>>);
    static_assert(std::is_same_v<decltype(three), const hd::array<double>>);
    static_assert(std::is_same_v<decltype(four), const hd::array<int>>);
    static_assert(std::is_same_v<decltype(five), const hd::array<std::complex<double>>>);
    for (std::size_t i = 0; i < n; ++i) {
      const float p = a.data()[i];
      const double q = b.data()[i];
      const std::int16_t r = c.data()[i];
      const std::uint8_t s = d.data()[i];
      ASSERT_EQ(one.data()[i], p * p) << i << " of " << n;
      ASSERT_EQ(two.data()[i], p - q) << i << " of " << n;
      ASSERT_EQ(three.data()[i], p + r * 0.5) << i << " of " << n;
      ASSERT_EQ(four.data()[i], q > 0 ? 2 * r : s) << i << " of " << n;
      ASSERT_EQ(five.data()[i],
                std::complex<double>(p * q, static_cast<double>(r ^ s ^ (e.data()[i] & 0xffff))));
    }
  }
}

TEST_P(transform_by_users_function, may_make_another_type_and_its_own_input_anew) {
  const std::size_t n = 70001;
  const hd::array<double> x = random_array<double>(n, 9);
  const hd::array<bool> positive = hd::transform(where, x, [](double value) { return value > 0; });
  hd::array<std::int8_t> rounded(n);
  hd::transform_into(where, rounded, x, [](double value) { return static_cast<int>(value * 100); });
  std::vector<double> in_place = x.to_vector();
  hd::transform_into(where, in_place, in_place, in_place, [](double a, double b) { return a + 2 * b; });
  for (std::size_t i = 0; i < n; ++i) {
    const double value = x.data()[i];
    ASSERT_EQ(positive.data()[i], value > 0) << i;
    ASSERT_EQ(rounded.data()[i], static_cast<int>(value * 100)) << i;
    ASSERT_EQ(in_place[i], value + 2 * value) << i;
  }
}

TEST_P(transform_by_users_function, may_take_nothing) {
  std::vector<int> out(50000);
  hd::transform_into(where, out, [] { return 42; });
  EXPECT_EQ(out, std::vector<int>(50000, 42));
  hd::transform_into(where, out, 5, [](int value) { return value; });
  EXPECT_EQ(out, std::vector<int>(50000, 5));
}

namespace {

/// As many bytes as its name says: some divide the 64 of a cache line and some do not.
template <std::size_t Bytes>
struct bytes_of {
  std::uint8_t at[Bytes];
};

template <std::size_t Bytes>
void check_bytes(const hd::target& where, std::size_t n, std::size_t shift) {
  using T = bytes_of<Bytes>;
  hd::array<T> x(n + shift), out(n + shift), expected(n + shift);
  const auto add_one = [](T value) {
    for (std::uint8_t& byte : value.at) ++byte;
    return value;
  };
  for (std::size_t i = 0; i < n + shift; ++i) {
    for (std::size_t k = 0; k < Bytes; ++k) x.data()[i].at[k] = static_cast<std::uint8_t>(i * 31 + k);
    expected.data()[i] = i < shift ? T{} : add_one(x.data()[i]);
  }
  out.fill(T{});
  hd::transform_into(where, out.slice(shift, n + shift), x.slice(shift, n + shift), add_one);
  ASSERT_TRUE(same_elements(out, expected)) << Bytes << " bytes, n = " << n << ", shift " << shift;
  auto from = x.slice(shift, n + shift);
  hd::transform_into(where, from, from, add_one);
  ASSERT_TRUE(std::equal(from.data(), from.data() + n, expected.data() + shift, same_bits<T>))
      << Bytes << " in place";
}

}  // namespace

TEST_P(transform_by_users_function, writes_elements_of_every_size_non_temporally) {
  auto check = [&]<std::size_t... Bytes>(std::index_sequence<Bytes...>) {
    auto each = [&]<std::size_t B>() {
      const std::size_t from = hd::cpu::stream_from_bytes / B;
      for (const std::size_t n : {from, from + 1, from + 1000}) {
        if (n <= largest_size() && (!seeks_races || n == from + 1))
          check_bytes<B>(where, n, n % 2 == 0 ? 0 : 3);
      }
      check_bytes<B>(where, 777, 1);
    };
    (each.template operator()<Bytes>(), ...);
  };
  check(std::index_sequence<3, 12, 16, 24, 64, 100>());
}

TEST(transform_Gpu, by_a_function_of_a_host_compiler_says_what_to_do) {
  if (hd::gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
  const std::vector<int> x{1, 2, 3};
  EXPECT_EQ(
      message_of([&] { (void)hd::transform(hd::target::gpu(), x, [](int a) { return a + 1; }); }),
      "transform: 3 int32 on gpu:0: the function is known to a host compiler only and cannot run on a GPU: "
      "compile this file with nvcc and mark the function HD_FN, or use a built-in operator on a built-in "
      "type");
}

namespace {

class transform_on_Gpu : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (hd::gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
    if (GetParam() > largest_size()) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is less than " << GetParam();
  }
};
INSTANTIATE_TEST_SUITE_P(huge, transform_on_Gpu, testing::Values(2147483649, 4294967299));

}  // namespace

TEST_P(transform_on_Gpu, of_more_elements_than_32_bits_count) {
  const std::size_t n = GetParam();
  const hd::target gpu = hd::target::gpu();
  hd::array<std::int8_t> x(n, gpu);
  x.fill(5);
  x.set(7, n - 1);
  hd::transform_into(gpu, x, x, std::int8_t{3}, hd::multiplies{});
  EXPECT_EQ(x.front(), 15);
  EXPECT_EQ(x[n - 2], 15);
  EXPECT_EQ(x.back(), 21);
  EXPECT_EQ(hd::reduce(gpu, x.slice(0, n - 1), hd::minimum{}), 15);
  EXPECT_EQ(hd::reduce(gpu, x.slice(0, n - 1), hd::maximum{}), 15);
  const hd::array<std::int8_t> sum = hd::transform(gpu, x, x, hd::plus{});
  EXPECT_EQ(sum[n - 2], 30);
  EXPECT_EQ(sum.back(), 42);
  EXPECT_EQ(hd::reduce(gpu, sum.slice(0, n - 1), hd::minimum{}), 30);
}
