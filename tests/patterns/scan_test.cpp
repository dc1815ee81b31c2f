#include "tests/elements.hpp"
#include "tests/grouped_scan.hpp"
#include "tests/looped_scan.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
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
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;
using hd::is_complex;

namespace {

class scan : public on_targets {};
HD_ON_ALL_TARGETS(scan);

/// Says what was scanned where the elements differ.
template <class T>
void expect_scanned(const hd::array<T>& have, const hd::array<T>& want, hd::runtime_op op,
                    const variant& how) {
  EXPECT_TRUE(same_elements(have, want))
      << hd::impl::type_name<T>() << ", " << hd::name(op) << ", n = " << want.size() << ", " << how.text();
}

template <class T, class Op>
void check_exactly(const hd::target& where, std::size_t n, unsigned first_variant, unsigned last_variant) {
  const hd::array<T> x = operands<T, Op>(n);
  const T init = operand<T, Op>(n / 3 + 7, n + 50);
  for (unsigned v = first_variant; v < last_variant && !testing::Test::HasFailure(); ++v) {
    const variant how(v % variants);
    expect_scanned<T>(scanned<T, Op>(where, x, how, Op{}, init), looped_by<T, Op>(x, how, init),
                      hd::impl::function_of<Op>, how);
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
          << hd::impl::type_name<T>() << ", n = " << x.size() << ", element " << i << ", " << how.text();
    }
  }
}

/// The most additions, at half an eps each, that lie between an element and the result i of a scan of floats:
/// as docs/reference/scan.md promises, and one of the initial value.
double worst_bound(std::size_t i, bool has_init) {
  constexpr std::size_t vector = 4, row = 32 * vector;
  return (vector + 5 + 2 * std::log2(static_cast<double>(i / row + 1)) + (has_init ? 1 : 0)) / 2;
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
        << hd::impl::type_name<T>() << ", n = " << x.size() << ", element " << i << ", " << how.text();
  }
}

/// Blocks of rows end at powers of two.
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

TEST_P(scan, of_rounded_numbers_has_the_bits_of_the_documented_order) {
  // Vectors, rows, blocks of a power of two of rows, and the blocks of threads.
  std::vector<std::size_t> sizes{0, 1, 2, 3, 4, 5, 7, 8, 9, 70'001, 100'003, 262'145, 300'007};
  for (std::size_t edge = 16; edge <= 16'384; edge *= 2) {
    for (const std::size_t n : {edge - 1, edge, edge + 1}) sizes.push_back(n);
  }
  if (seeks_races) sizes = {129, 4097, 70'001, 100'003};
  std::erase_if(sizes, [](std::size_t n) { return n > largest_size(); });
  for_each_type<float, double, std::complex<float>, std::complex<double>>([&]<class T>() {
    const auto check = [&]<class Op>(Op) {
      unsigned turn = 0;
      for (const std::size_t n : sizes) {
        const hd::array<T> x = operands<T, Op>(n);
        for (unsigned v = n < 2050 ? 0 : turn++ % variants, end = n < 2050 ? variants : v + 1; v < end; ++v) {
          const variant how(v);
          const T given = operand<T, Op>(n / 3 + 7, n + 50), none = hd::impl::identity_of<Op, T>(Op{});
          const T* const init = how.has_init ? &given : how.exclusive ? &none : nullptr;
          expect_scanned<T>(scanned<T, Op>(where, x, how, Op{}, given),
                            grouped_scan<T>(x.span(), how.exclusive, init, plainly<Op, T>),
                            hd::impl::function_of<Op>, how);
        }
      }
    };
    check(hd::plus());
    check(hd::multiplies());
  });
}

// A CPU has other ways for them, which change where their number fills runs and registers.
TEST_P(scan, of_few_elements_by_exact_operators_is_what_a_loop_computes) {
  unsigned turn = 0;
  scan_type_by_operators([&]<class T, class Op>() {
    for (std::size_t n = 1; n <= 140; ++n) check_exactly<T, Op>(where, n, turn, turn + 1), turn += 5;
  });
}

TEST_P(scan, of_few_sums_has_the_bits_of_the_first_of_many) {
  for_each_type<float, double, std::complex<float>, std::complex<double>>([&]<class T>() {
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
            << hd::impl::type_name<T>() << ", n = " << n << ", " << how.text();
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

TEST_P(scan, of_sums_that_all_round_one_way_is_within_the_bound_of_the_reference) {
  for (const std::size_t n : {127, 128, 129, 511, 512, 513, 8193, 16383, 16385, 262143, 262144, 262145}) {
    if (n > largest_size()) break;
    hd::array<float> x(n);
    x.fill(0.1f);
    for (unsigned v = 0; v < 4; ++v) {
      check_sums<float>(where, x, variant(v), 0.1f,
                        [&](std::size_t i) { return worst_bound(i, variant(v).has_init); });
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
  for_each_type<float, double, std::complex<double>>([&]<class T>() {
    std::set<std::size_t> sizes{40000, std::min<std::size_t>(262145, largest_size())};
    if (seeks_races) sizes = {(std::size_t{1} << 18) / sizeof(T) + 9};  // threads share 256 KiB
    for (const std::size_t n : sizes) {
      const hd::array<T> x = operands<T, hd::plus>(n);
      for (unsigned v = 0; v < variants; v += seeks_races ? 3 : 1) {
        const variant how(v);
        const hd::array<T> first = scanned(where, x, how, hd::plus{}, T(0.1f));
        ASSERT_TRUE(same_elements(scanned(where, x, how, hd::plus{}, T(0.1f)), first)) << how.text();
        for (int threads = 1; threads <= 8; threads += seeks_races ? 6 : 1) {
          ASSERT_TRUE(
              same_elements(scanned(hd::target::parallel(threads), x, how, hd::plus{}, T(0.1f)), first))
              << threads << " threads, " << how.text();
        }
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
      << hd::impl::type_name<T>() << ", n = " << n << " from " << first << " on, " << how.text();
}

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

TEST_P(scan, whose_output_is_larger_than_a_cache_is_what_a_loop_computes) {
  if (where.is_gpu()) GTEST_SKIP() << "non-temporal stores are a CPU's";
  if (largest_size() < 10'000'000) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is small";
  unsigned turn = 0;
  some_of_each_width([&]<class T, class Op>() {
    const std::size_t edge = hd::cpu::stream_from_bytes / sizeof(T), line = 64 / sizeof(T);
    for (const std::size_t n : {edge, edge + 1, edge + 70'000}) {
      check_exactly<T, Op>(where, n, turn, turn + 2);
      turn += 3;
    }
    for (const std::size_t first : {std::size_t{1}, line - 1, line, 5 * line + 2})
      check_slice<T, Op>(where, edge + 100 * first, first, variant(turn++ % variants));
  });
}

// The bits of few elements are compared with the documented order elsewhere; those of many begin with theirs.
TEST_P(scan, whose_output_is_larger_than_a_cache_begins_with_the_bits_of_one_that_is_not) {
  if (where.is_gpu()) GTEST_SKIP() << "non-temporal stores are a CPU's";
  if (largest_size() < 10'000'000) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is small";
  for_each_type<float, double>([&]<class T>() {
    const std::size_t small = hd::cpu::stream_from_bytes / sizeof(T), n = small + 70'001;
    const hd::array<T> x = operands<T, hd::plus>(n);
    for (const bool exclusive : {false, true}) {
      const auto scan_to = [&](const hd::target& on, std::size_t count, std::size_t place) {
        hd::array<T> out(count + place);
        auto to = out.slice(place, place + count);
        if (exclusive) {
          hd::exclusive_scan_into(on, to, x.slice(0, count));
        } else {
          hd::inclusive_scan_into(on, to, x.slice(0, count));
        }
        return std::vector<T>(out.data() + place, out.data() + place + count);
      };
      const std::vector<T> of_small = scan_to(hd::target::serial(), small, 0), of_all = scan_to(where, n, 0);
      ASSERT_TRUE(same_elements<T>(std::span(of_all).first(small), of_small)) << exclusive;
      ASSERT_TRUE(same_elements<T>(scan_to(where, n, 1), of_all)) << "off a line, " << exclusive;
      ASSERT_TRUE(same_elements<T>(scan_to(hd::target::parallel(7), n, 0), of_all)) << exclusive;
    }
  });
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
            "inclusive_scan: 5 int32: axis 1 does not exist in shape (5,) (axes are -1 to 0)");
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

/// A GPU takes the look-ahead scan from 2^24 bytes on, for elements of up to 8 bytes.
TEST(scan_Gpu, of_many_tiles_is_what_a_loop_computes) {
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
