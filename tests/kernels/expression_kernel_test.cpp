#include "tests/on_targets.hpp"
#include <heddle/any_kernel.hpp>
#include <heddle/kernel.hpp>
#include <heddle/reduce.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using heddle::tests::message_of;

namespace {

// Tiles of reductions have 512 elements and more, and those of scans 1024.
constexpr std::size_t sizes[] = {1, 2, 15, 16, 17, 511, 512, 513, 1023, 1024, 1025, 2049, 100'003, 1'100'000};

class ExpressionKernels : public heddle::tests::on_targets {};
HD_ON_ALL_TARGETS(ExpressionKernels);

std::vector<float> waves(std::size_t n) {
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(std::sin(0.37 * static_cast<double>(i)) * 3);
  return x;
}

TEST_P(ExpressionKernels, write_what_they_assign_to) {
  static const hd::elementwise_kernel saxpy("float x, float y, float a", "y = a * x + y");
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{300'001}}) {
    const std::vector<float> x = waves(n);
    const hd::array<float> there(x, where);
    hd::array<float> y(n, where);
    y.fill(1);
    saxpy(where, there, y, 2.0f);
    std::vector<float> here(n, 1);
    saxpy(where, x, here, 2.0f);  // brought there and back
    const std::vector<float> got = y.to_vector();
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(got[i], 2 * x[i] + 1) << i;
    EXPECT_EQ(here, got);
    // In place, and an array for what was a number.
    saxpy(where, here, here, here);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(here[i], got[i] * got[i] + got[i]) << i;
  }
}

TEST_P(ExpressionKernels, take_statements_places_and_functions) {
  hd::expression_options options;
  options.preamble = "__device__ double half_of(double x) { return x / 2; }\n";
  const hd::elementwise_kernel kernel("const uint8_t k, double& y, long long place, unsigned long long all",
                                      "if (k % 2) y = half_of(k);\nelse { y = -1; }\nplace = i; all = n;",
                                      options);
  const std::vector<std::uint8_t> k{1, 2, 3, 255};
  std::vector<double> y(4);
  std::vector<std::int64_t> place(4);
  std::vector<std::uint64_t> all(4);
  kernel(where, k, y, place, all);
  EXPECT_EQ(y, (std::vector<double>{0.5, -1, 1.5, 127.5}));
  EXPECT_EQ(place, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(all, std::vector<std::uint64_t>(4, 4));
}

hd::untyped_argument array_argument(const hd::array<float>& x, std::size_t first) {
  return {x.data() + first, sizeof(float), true, false, x.where()};
}
template <class T>
hd::untyped_argument written_argument(hd::array<T>& x, std::size_t first) {
  return {x.data() + first, sizeof(T), true, true, x.where()};
}
template <class T>
hd::untyped_argument number_argument(const T& x) {
  return {&x, sizeof(T), false};
}

TEST_P(ExpressionKernels, run_a_piece_at_a_time) {
  static const hd::elementwise_kernel kernel(
      "float x, double a, double& y, long long& place, unsigned long long& all",
      "y = a * x + 1; place = i; all = n;");
  const std::size_t n = 70'001;
  const std::vector<float> values = waves(n);
  const double a = -0.5;
  for (const hd::target& at : {where, hd::target()}) {
    const hd::array<float> x(values, at);
    hd::array<double> y(n, at);
    hd::array<std::int64_t> place(n, at);
    hd::array<std::uint64_t> all(n, at);
    y.fill(7);
    place.fill(-1);
    // The last piece is missing.
    std::size_t first = 0;
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{0}, std::size_t{4'095}, std::size_t{65'536}}) {
      kernel.on_piece(where,
                      {array_argument(x, first), number_argument(a), written_argument(y, first),
                       written_argument(place, first), written_argument(all, first)},
                      count, first, n);
      first += count;
    }
    const std::vector<double> results = y.to_vector();
    const std::vector<std::int64_t> places = place.to_vector();
    const std::vector<std::uint64_t> lengths = all.to_vector();
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(results[i], i < first ? -0.5 * static_cast<double>(values[i]) + 1 : 7) << i;
      ASSERT_EQ(places[i], i < first ? static_cast<std::int64_t>(i) : -1) << i;
      if (i < first) {
        ASSERT_EQ(lengths[i], n) << i;
      }
    }
    EXPECT_EQ(x.to_vector(), values);
  }
}

TEST_P(ExpressionKernels, count_places_beyond_32_bits) {
  static const hd::elementwise_kernel kernel("long long& place, unsigned long long& all",
                                             "place = i; all = n;");
  const std::size_t first = (std::size_t{1} << 33) - 2, n = std::size_t{1} << 40;
  hd::array<std::int64_t> place(5, where);
  hd::array<std::uint64_t> all(5, where);
  kernel.on_piece(where, {written_argument(place, 0), written_argument(all, 0)}, 5, first, n);
  std::vector<std::int64_t> places(5);
  std::iota(places.begin(), places.end(), std::int64_t{8'589'934'590});
  EXPECT_EQ(place.to_vector(), places);
  EXPECT_EQ(all.to_vector(), std::vector<std::uint64_t>(5, 1'099'511'627'776u));
}

TEST_P(ExpressionKernels, reductions_have_the_bits_of_reduce) {
  static const hd::reduction_kernel<float> sum("float x", "x", "a + b", "0");
  static const hd::reduction_kernel<double> squares("double x, double scale", "scale * x * x", "a + b", "0");
  static const hd::reduction_kernel<std::int8_t> bytes("signed char x", "x", "a + b", "0");
  for (const std::size_t n : sizes) {
    const std::vector<float> x = waves(n);
    const float got = sum(where, x), expected = hd::reduce(hd::target::serial(), x);
    EXPECT_EQ(std::memcmp(&got, &expected, sizeof got), 0) << n << ": " << got << ", " << expected;
    const std::vector<double> wide(x.begin(), x.end());
    std::vector<double> scaled(n);
    for (std::size_t i = 0; i < n; ++i) scaled[i] = 0.5 * wide[i] * wide[i];
    EXPECT_EQ(squares(where, wide, 0.5), hd::reduce(hd::target::serial(), scaled)) << n;
    std::vector<std::int8_t> k(n);
    std::iota(k.begin(), k.end(), std::int8_t{});
    EXPECT_EQ(bytes(where, k), hd::reduce(hd::target::serial(), k)) << n;
  }
  EXPECT_EQ(sum(where, std::vector<float>()), 0);
  std::vector<float> with_nan = waves(1000);
  with_nan[700] = -std::numeric_limits<float>::quiet_NaN();
  const float nan = sum(where, with_nan);
  EXPECT_TRUE(std::isnan(nan) && !std::signbit(nan));
}

// x ↦ m x + c modulo 2^32, one after another: associative, and not commutative.
const char* const compose =
    "((unsigned long long)((unsigned)(a >> 32) * (unsigned)(b >> 32)) << 32) | "
    "(unsigned)((unsigned)(b >> 32) * (unsigned)a + (unsigned)b)";
std::uint64_t composed(std::uint64_t a, std::uint64_t b) {
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  return std::uint64_t{static_cast<std::uint32_t>(high(a) * high(b))} << 32 |
         static_cast<std::uint32_t>(high(b) * low(a) + low(b));
}
std::vector<std::uint64_t> maps(std::size_t n) {
  std::vector<std::uint64_t> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = (i * 2654435761u | 1) << 32 | (i * 40503u & 0xffffffffu);
  return x;
}

TEST_P(ExpressionKernels, operands_keep_their_order) {
  static const hd::reduction_kernel<std::uint64_t> all("uint64_t x", "x", compose);
  static const hd::scan_kernel<std::uint64_t> running("uint64_t x", "x", compose, "1ull << 32");
  for (const std::size_t n : sizes) {
    const std::vector<std::uint64_t> x = maps(n);
    std::vector<std::uint64_t> expected(n);
    std::uint64_t so_far = std::uint64_t{1} << 32;
    for (std::size_t i = 0; i < n; ++i) expected[i] = so_far = composed(so_far, x[i]);
    EXPECT_EQ(all(where, x), so_far) << n;
    const hd::array<std::uint64_t> scanned = running(where, x);
    EXPECT_TRUE(hd::impl::same_memory(scanned.where(), where));
    ASSERT_EQ(scanned.to_vector(), expected) << n;
    expected.insert(expected.begin(), std::uint64_t{1} << 32);
    expected.pop_back();
    ASSERT_EQ(running.exclusive(where, x).to_vector(), expected) << n;
  }
  EXPECT_EQ(running(where, std::vector<std::uint64_t>()).size(), 0u);
}

TEST_P(ExpressionKernels, scans_round_alike_everywhere) {
  static const hd::scan_kernel<float> sums("float x, float y", "x * y", "a + b", "0");
  for (const std::size_t n : sizes) {
    const std::vector<float> x = waves(n);
    const std::vector<float> got = sums(where, x, x).to_vector();
    EXPECT_EQ(got, sums(hd::target::serial(), x, x).to_vector()) << n;
    double exact = 0;
    for (std::size_t i = 0; i < n; ++i) {
      exact += static_cast<double>(x[i] * x[i]);
      // A sum passes through a dozen roundings a level of 1024.
      ASSERT_NEAR(got[i], exact, 2e-6 * (1 + exact)) << i << " of " << n;
    }
  }
}

TEST_P(ExpressionKernels, arguments_are_checked) {
  const hd::elementwise_kernel saxpy("float x, float y, float a", "y = a * x + y");
  const hd::array<float> x(10, where);
  hd::array<float> y(10, where), shorter(9, where);
  hd::array<double> wide(10, where);
  const auto message = [&](auto&&... arguments) { return message_of([&] { saxpy(where, arguments...); }); };
  const auto says = [](const std::string& text, const char* what) {
    return text.find(what) != std::string::npos ? testing::AssertionSuccess()
                                                : testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(says(message(x, y), "it takes 3 arguments, and 2 were given"));
  EXPECT_TRUE(says(message(x, y, 2.0), "argument 3 (a) is of float, and a value of double was given"));
  EXPECT_TRUE(says(message(wide, y, 2.0f), "argument 1 (x) is of float, and an array of double was given"));
  EXPECT_TRUE(says(message(x, x, 2.0f), "argument 2 (y) is written, and the array is const"));
  EXPECT_TRUE(says(message(x, 1.0f, 2.0f), "argument 2 (y) is written: it takes an array"));
  EXPECT_TRUE(
      says(message(x, shorter, 2.0f), "argument 2 (y) has shape (9,), where the first array has (10,)"));
  EXPECT_TRUE(says(message_of([&] { saxpy(where, y.slice(0, 9), y.slice(1, 10), 1.0f); }), "overlap"));
  EXPECT_TRUE(
      says(message_of([&] { hd::elementwise_kernel("float* x", "x = 1"); }), "'float* x' is not TYPE NAME"));
  EXPECT_TRUE(
      says(message_of([&] { hd::elementwise_kernel("float x, int x", "x = 1"); }), "two are called x"));
  const hd::reduction_kernel<int> product("int x", "x", "a * b");
  EXPECT_TRUE(says(message_of([&] { product(where, std::vector<int>()); }), "no identity was given"));
  const hd::scan_kernel<int> products("int x", "x", "a * b");
  EXPECT_TRUE(
      says(message_of([&] { products.exclusive(where, std::vector<int>(3)); }), "begins with the identity"));
}

TEST(Expressions, there_must_be_some) {
  EXPECT_EQ(message_of([] { hd::elementwise_kernel("float x, float y", " "); }),
            "elementwise_kernel: there are no statements, such as y = 2 * x");
  EXPECT_EQ(message_of([] { hd::elementwise_kernel("float x, float y", "x + y "); }),
            "elementwise_kernel: 'x + y' writes nothing: assign to a parameter, such as y = 2 * x");
  EXPECT_EQ(message_of([] { hd::reduction_kernel<float>("float x", "", "a + b", "0"); }),
            "reduction_kernel: there is no expression to map elements by, such as x * x");
  EXPECT_EQ(message_of([] { hd::scan_kernel<float>("float x", "x", "", "0"); }),
            "scan_kernel: there is no expression to combine a and b by, such as a + b");
  EXPECT_EQ(message_of([] { hd::reduction_kernel<float>("float& x", "x", "a + b", "0"); }),
            "reduction_kernel: x is read, and cannot be a reference");
}

TEST_P(ExpressionKernels, errors_name_the_lines_of_the_operation) {
  hd::expression_options options;
  options.name = "halving";
  const hd::elementwise_kernel wrong("float x, float y", "y = x;\ny  /=   too;", options);
  std::vector<float> x(3), y(3);
  const std::string message = message_of([&] { wrong(where, x, y); });
  EXPECT_TRUE(message.find("halving:2") != std::string::npos ||
              message.find("halving(2)") != std::string::npos)
      << message;
  EXPECT_NE(message.find("too"), std::string::npos) << message;
  // NVRTC tells no columns.
  if (!where.is_gpu()) {
    EXPECT_NE(message.find("halving:2:9: error"), std::string::npos) << message;
  }
}

TEST_P(ExpressionKernels, what_is_missing_at_the_end_is_missed_there) {
  std::vector<float> x(3), y(3);
  const auto expect_place = [&](const std::string& message, const std::string& name) {
    EXPECT_NE(message.find(name + (where.is_gpu() ? "(1): error" : ":1:")), std::string::npos) << message;
    EXPECT_EQ(message.find("heddle_size;"), std::string::npos) << message;
  };
  const hd::elementwise_kernel half("float x, float y", "y = x +");
  expect_place(message_of([&] { half(where, x, y); }), "expression");
  const hd::reduction_kernel<float> open("float x", "(x", "a + b", "0");
  expect_place(message_of([&] { open(where, x); }), "expression: map");
  const hd::reduction_kernel<float> commented("float x", "x // and no more", "a + b", "0");
  EXPECT_EQ(commented(where, x), 0);
}

/// All of an array, of a type known at run time.
template <class X>
hd::untyped_argument all_of(X& x, bool is_written = false) {
  using T = std::remove_cvref_t<decltype(*x.data())>;
  return {x.data(), sizeof(T), true, is_written, x.where(), hd::kernel_number_of<T>, x.shape()};
}

TEST_P(ExpressionKernels, types_may_be_known_at_run_time) {
  const hd::elementwise_kernel saxpy("float x, float y, float a", "y = a * x + y");
  ASSERT_EQ(saxpy.parameters().size(), 3u);
  EXPECT_EQ(saxpy.parameters()[1].name, "y");
  EXPECT_TRUE(saxpy.parameters()[1].is_written && !saxpy.parameters()[0].is_written);
  const hd::any_reduction_kernel dot(hd::dtype::float32, "float x, float y", "x * y", "a + b", "0");
  const hd::any_scan_kernel running(hd::dtype::float32, "float x", "x", "a + b", "0");
  const hd::reduction_kernel<float> typed("float x, float y", "x * y", "a + b", "0");
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{5'000}}) {
    const hd::array<float> x(waves(n), where);
    hd::array<float> y(n, where);
    y.fill(1);
    const float a = 2;
    const hd::untyped_argument number{&a, sizeof a, false, false, {}, hd::kernel_number::f32};
    saxpy.call(where, std::vector{all_of(x), all_of(y, true), number});
    const std::vector<float> in = x.to_vector(), out = y.to_vector();
    for (std::size_t i = 0; i < n; ++i) ASSERT_FLOAT_EQ(out[i], 2 * in[i] + 1) << i;
    EXPECT_EQ(dot(where, std::vector{all_of(x), all_of(y)}).as<float>(), typed(where, x, y)) << n;
    // Whole numbers, of which every sum is exact.
    y.fill(3);
    const hd::any_array sums = running(where, std::vector{all_of(y)});
    const hd::any_array before = running.exclusive(where, std::vector{all_of(y)});
    for (const std::size_t i : {std::size_t{0}, n / 2, n - 1}) {
      if (n == 0) break;
      EXPECT_EQ(sums[i].as<float>(), 3 * static_cast<float>(i + 1));
      EXPECT_EQ(before[i].as<float>(), 3 * static_cast<float>(i));
    }
  }
  EXPECT_NE(message_of([&] {
              std::vector<float> x(3);
              saxpy.call(where, std::vector<hd::untyped_argument>{{x.data(), 4, true, true}});
            }).find("it takes 3 arguments, and 1 was given"),
            std::string::npos);
}

TEST_P(ExpressionKernels, pointers_are_passed_as_numbers_are) {
  hd::expression_options options;
  options.preamble = "typedef int* all_elements;";
  const hd::elementwise_kernel squares("const all_elements x", "x[n - 1 - i] = (int)(i * i); (void)0",
                                       options);
  hd::array<int> x(100, where);
  int* const address = x.data();
  squares.call(where, std::vector<hd::untyped_argument>{{&address, sizeof address, false}}, 100);
  const std::vector<int> values = x.to_vector();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(values[static_cast<std::size_t>(99 - i)], i * i);
  EXPECT_NE(message_of([&] {
              squares.call(where, std::vector<hd::untyped_argument>{{&address, sizeof address, false}});
            }).find("at least one array"),
            std::string::npos);
}

}  // namespace
