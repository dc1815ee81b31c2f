#include "segmented_looped_scan.hpp"
#include "tests/elements.hpp"
#include "tests/looped_scan.hpp"
#include "tests/on_targets.hpp"
#include "tests/segments.hpp"
#include "tests/sizes.hpp"
#include <heddle/scan.hpp>
#include <heddle/segmented_scan.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;
using hd::is_complex;

namespace {

class segmented_scan : public on_targets {};
HD_ON_ALL_TARGETS(segmented_scan);

/// Operators that a host compiler compiled: a GPU does not have them.
class segmented_scan_by_users_operator : public on_targets {};
HD_ON_CPU_TARGETS(segmented_scan_by_users_operator);

/// No segment, one, one that leaves elements before it and behind it, one-element ones, empty ones, and
/// lengths below a warp, about a tile and above.
std::vector<offsets_of_segments> all_segments(std::size_t n) {
  offsets_of_segments singles(n + 1), nothing(500, n / 2);
  std::iota(singles.begin(), singles.end(), std::size_t{0});
  std::vector<offsets_of_segments> all{{}, {n / 2}, {0, n}, {n / 3, n - n / 3}, singles, nothing};
  for (const std::size_t longest : {5, 40, 700, 9000})
    all.push_back(segments_of(std::min<std::size_t>(n, 2), n, longest));
  return all;
}

template <class T, class Op>
void check_exactly(const hd::target& where, std::size_t n, const offsets_of_segments& offsets,
                   const variant& how) {
  const hd::array<T> x = operands<T, Op>(n);
  const T init = operand<T, Op>(n / 3 + 7, n + 50);
  const hd::array<T> want = segments_looped_by<T, Op>(x, offsets, how, init);
  ASSERT_TRUE(same_elements(segments_scanned<T, Op>(where, x, offsets, how, Op{}, init), want))
      << hd::impl::type_name<T>() << ", " << hd::name(hd::impl::function_of<Op>) << ", n = " << n << ", "
      << offsets.size() << " offsets, " << how.text();
}

/// Checks sums and products against those in long double: each is off by no more than `combinations` times
/// half an eps of the sum of magnitudes, or of the product.
template <class T, class Op>
void check_rounded(const hd::target& where, std::size_t n, const offsets_of_segments& offsets,
                   const variant& how) {
  using wide = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;
  constexpr bool sums = std::is_same_v<Op, hd::plus>;
  constexpr long double eps = std::numeric_limits<decltype(std::abs(T()))>::epsilon();
  const hd::array<T> x = operands<T, Op>(n);
  const T init = operand<T, Op>(n / 3 + 7, n + 50);
  const hd::array<T> have = segments_scanned<T, Op>(where, x, offsets, how, Op{}, init);
  for_each_segment(n, offsets, [&](std::size_t first, std::size_t end) {
    wide total = how.has_init ? wide(init) : wide(sums ? 0 : 1);
    long double magnitude = std::abs(total);
    for (std::size_t i = first; i < end; ++i) {
      const wide before = total, element = wide(x.data()[i]);
      const long double magnitude_before = magnitude;
      total = sums ? total + element : total * element;
      magnitude = sums ? magnitude + std::abs(element) : std::abs(total);
      const long double combinations = sums ? 60 : 8 + 2 * std::sqrt(static_cast<long double>(i - first));
      ASSERT_LE(std::abs(wide(have.data()[i]) - (how.exclusive ? before : total)),
                combinations * eps / 2 * (how.exclusive ? magnitude_before : magnitude))
          << hd::impl::type_name<T>() << ", n = " << n << ", element " << i << " of a segment from " << first
          << " to " << end << ", " << how.text();
    }
  });
}

template <class T, class Op>
void check_against_a_loop(const hd::target& where, std::size_t n, const offsets_of_segments& offsets,
                          const variant& how) {
  if constexpr (is_exact<T, Op>) {
    check_exactly<T, Op>(where, n, offsets, how);
  } else {
    check_rounded<T, Op>(where, n, offsets, how);
  }
}

}  // namespace

TEST_P(segmented_scan, of_every_type_by_every_operator) {
  const std::size_t n = 20'001;
  const auto all = all_segments(n);
  unsigned turn = 0;
  for_each_dtype([&]<class T>() {
    for_each_operator<T>([&]<class Op>() {
      // Every operator with some segments in some ways.
      for (std::size_t k = turn % 3; k < all.size() && !HasFailure(); k += 3)
        check_against_a_loop<T, Op>(where, n, all[k], variant((turn + k) % variants));
      ++turn;
    });
  });
}

TEST_P(segmented_scan, of_every_size_in_every_way) {
  // Of a tile on a GPU there are 11 times as many.
  std::vector<std::size_t> sizes = sizes_up_to(1100);
  for (const std::size_t of_warp : {128, 256, 512, 768, 1024}) {
    for (const std::size_t n : {11 * of_warp - 1, 11 * of_warp, 11 * of_warp + 1}) sizes.push_back(n);
  }
  if (seeks_races) sizes = {33, 20'001};
  for (const std::size_t n : sizes) {
    unsigned turn = 0;
    for (const offsets_of_segments& offsets : all_segments(n)) {
      for (unsigned v = 0; v < variants && !HasFailure(); ++v) {
        if (n > 33 && v % 4 != turn % 4) continue;
        some_of_each_width([&]<class T, class Op>() { check_exactly<T, Op>(where, n, offsets, variant(v)); });
        check_rounded<float, hd::plus>(where, n, offsets, variant(v));
      }
      ++turn;
    }
  }
}

TEST_P(segmented_scan, has_the_bits_of_a_scan_of_each_segment_on_a_cpu) {
  if (where.is_gpu()) GTEST_SKIP() << "on a GPU they depend on the segment's place";
  const std::size_t n = std::min<std::size_t>(700'001, largest_size());
  const auto check = [&]<class T>(const offsets_of_segments& offsets, T init) {
    const hd::array<T> x = operands<T, hd::plus>(offsets.back());
    for (unsigned v = 0; v < 4; ++v) {
      const variant how(v);
      const hd::array<T> have = segments_scanned(where, x, offsets, how, hd::plus{}, init);
      for_each_segment(x.size(), offsets, [&](std::size_t first, std::size_t end) {
        hd::array<T> segment(end - first);
        std::copy(x.data() + first, x.data() + end, segment.data());
        const hd::array<T> want = scanned(hd::target::serial(), segment, how, hd::plus{}, init);
        ASSERT_TRUE(same_elements<T>(have.span().subspan(first, end - first), want.span()))
            << "from " << first << " to " << end << ", " << how.text();
      });
    }
  };
  check({0, n / 3, n / 3 + 5, n}, 0.1f);
  check({n}, -0.7);
  check(segments_of(1, 20'001, 3), -0.7f);
  check(segments_of(0, 20'001, 900), 0.1);
  // About as long as those that are scanned without a call into the library.
  check(segments_of(0, 20'001, 40), 0.1f);
  check(segments_of(2, 20'001, 40), -0.7);
}

TEST_P(segmented_scan, of_millions_of_segments) {
  const std::size_t n = std::min<std::size_t>(2'000'003, largest_size());
  const hd::array<std::int32_t> x = operands<std::int32_t, hd::plus>(n);
  offsets_of_segments singles(n + 1);
  std::iota(singles.begin(), singles.end(), std::size_t{0});
  EXPECT_TRUE(same_elements(hd::segmented_inclusive_scan(where, x, singles), x));
  // As many empty ones, where a tile of a GPU begins.
  const offsets_of_segments nothing(n, 5632);
  check_exactly<std::int32_t, hd::plus>(where, n, nothing, variant(0));
}

TEST_P(segmented_scan, of_long_segments) {
  const std::size_t n = std::min<std::size_t>(3'000'001, largest_size());
  for (const offsets_of_segments& offsets : {offsets_of_segments{0, n}, {0, 5, n - 1, n}}) {
    check_exactly<std::uint16_t, hd::plus>(where, n, offsets, variant(0));
    check_exactly<std::int64_t, hd::maximum>(where, n, offsets, variant(1));
  }
}

TEST_P(segmented_scan, in_place_of_segments_that_threads_share) {
  constexpr std::size_t shared = hd::cpu::long_segment;
  for (const std::size_t length : {shared, 2 * shared + 1}) {
    if (length + 9 > largest_size()) continue;
    const hd::array<std::int32_t> x = operands<std::int32_t, hd::plus>(length + 9);
    for (const offsets_of_segments& offsets :
         {offsets_of_segments{0, length}, {4, length + 4}, {4, 9, length + 9}}) {
      hd::array<std::int32_t> have = x.on(where);
      hd::segmented_inclusive_scan_into(where, have, have, offsets);
      ASSERT_TRUE(same_elements(
          have, segments_looped_by<std::int32_t, hd::plus>(x, offsets, variant(0), std::int32_t{0})))
          << length << " elements from " << offsets.front();
    }
  }
}

TEST_P(segmented_scan, of_what_is_on_the_target) {
  const std::size_t n = 30'000;
  const hd::array<float> x = operands<float, hd::plus>(n);
  const hd::array<float> there = x.on(where);
  const offsets_of_segments offsets = segments_of(0, n, 300);
  const hd::array<std::size_t> offsets_there(offsets, where);
  const hd::array<float> result = hd::segmented_inclusive_scan(where, there, offsets_there);
  EXPECT_TRUE(hd::impl::same_memory(result.where(), where));
  EXPECT_TRUE(same_elements(result, hd::segmented_inclusive_scan(where, x, offsets)));
  // Elements that begin anywhere, into others that begin elsewhere.
  const hd::array<std::uint8_t> bytes = operands<std::uint8_t, hd::plus>(n), bytes_there = bytes.on(where);
  hd::array<std::uint8_t> out(n, where);
  hd::segmented_exclusive_scan_into(where, out.slice(3, n - 2), bytes_there.slice(5, n),
                                    offsets_of_segments{0, n - 5});
  const hd::array<std::uint8_t> have = out.on(hd::target::serial()),
                                want = hd::exclusive_scan(hd::target::serial(), bytes.slice(5, n));
  EXPECT_TRUE(same_elements<std::uint8_t>(have.span().subspan(3, n - 5), want.span()));
}

TEST_P(segmented_scan, has_the_shape_of_its_input) {
  hd::array<int> x({3, 4});
  x.fill(1);
  const hd::array<int> have = hd::segmented_inclusive_scan(where, x, offsets_of_segments{0, 5, 12});
  EXPECT_EQ(have.shape(), x.shape());
  EXPECT_EQ(have.to_vector(), (std::vector<int>{1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_P(segmented_scan, elements_outside_of_the_offsets_are_segments) {
  const std::vector<int> ones(7, 1);
  EXPECT_EQ(hd::segmented_inclusive_scan(where, ones, offsets_of_segments{2, 5}).to_vector(),
            (std::vector<int>{1, 2, 1, 2, 3, 1, 2}));
  EXPECT_EQ(hd::segmented_exclusive_scan(where, ones, offsets_of_segments{}, hd::plus{}, 10).to_vector(),
            (std::vector<int>{10, 11, 12, 13, 14, 15, 16}));
  EXPECT_EQ(hd::segmented_inclusive_scan(where, ones, offsets_of_segments{7}).to_vector().back(), 7);
}

TEST_P(segmented_scan, nan_stays_in_its_segment) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::size_t n = 10'000;
  std::vector<float> x(n, 1);
  x[5000] = nan;
  const offsets_of_segments offsets{0, 4000, 6000, n};
  const auto check = [&](const hd::array<float>& scanned, std::size_t first_nan) {
    const std::vector<float> have = scanned.to_vector();
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(std::isnan(have[i]), i >= first_nan && i < 6000) << i;
  };
  check(hd::segmented_inclusive_scan(where, x, offsets), 5000);
  check(hd::segmented_exclusive_scan(where, x, offsets), 5001);
  check(hd::segmented_inclusive_scan(where, x, offsets, hd::maximum{}), 5000);
  check(hd::segmented_exclusive_scan(where, x, offsets, hd::minimum{}), 5001);
}

TEST_P(segmented_scan, by_key_scans_runs) {
  const auto check = [&]<class K>(std::size_t n, std::size_t longest, const auto& key_of) {
    std::vector<K> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = key_of(random_bits(i / longest));
    offsets_of_segments offsets;
    for (std::size_t i = 1; i < n; ++i) {
      if (keys[i] != keys[i - 1]) offsets.push_back(i);
    }
    const hd::array<std::int64_t> x = operands<std::int64_t, hd::plus>(n);
    for (unsigned v = 0; v < 4; ++v) {
      const variant how(v);
      const std::optional<std::int64_t> init = how.has_init ? std::optional<std::int64_t>(7) : std::nullopt;
      const hd::array<std::int64_t> want = segments_looped_by<std::int64_t, hd::plus>(x, offsets, how, 7);
      hd::array<std::int64_t> into = x.on(where);
      if (how.exclusive) {
        ASSERT_TRUE(same_elements(hd::exclusive_scan_by_key(where, keys, x, hd::plus{}, init), want)) << n;
        hd::exclusive_scan_by_key_into(where, into, keys, into, hd::plus{}, init);
      } else {
        ASSERT_TRUE(same_elements(hd::inclusive_scan_by_key(where, keys, x, hd::plus{}, init), want)) << n;
        hd::inclusive_scan_by_key_into(where, into, keys, into, hd::plus{}, init);
      }
      ASSERT_TRUE(same_elements(into, want)) << n;
    }
  };
  for (const std::size_t n : {0, 1, 2, 1000, 70'003}) {
    for (const std::size_t longest : {1, 7, 5000}) {
      check.operator()<std::int16_t>(n, longest,
                                     [](std::uint64_t bits) { return static_cast<std::int16_t>(bits); });
      check.operator()<std::complex<float>>(n, longest, [](std::uint64_t bits) {
        return std::complex<float>(static_cast<float>(bits % 3), static_cast<float>(bits / 3 % 3));
      });
    }
  }
}

TEST_P(segmented_scan, by_key_takes_nans_for_alike_and_zeros) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> keys{nan, -nan, 0.0, -0.0, 1.0};
  const std::vector<int> ones(5, 1);
  EXPECT_EQ(hd::inclusive_scan_by_key(where, keys, ones).to_vector(), (std::vector<int>{1, 2, 1, 2, 1}));
  EXPECT_EQ(hd::exclusive_scan_by_key(where, keys, ones).to_vector(), (std::vector<int>{0, 1, 0, 1, 0}));
}

TEST_P(segmented_scan, says_what_is_wrong) {
  const std::vector<int> x(5);
  const auto message = [&](const offsets_of_segments& offsets) {
    return message_of([&] { hd::segmented_inclusive_scan(where, x, offsets); });
  };
  EXPECT_NE(message({0, 3, 2}).find("segmented_inclusive_scan: 5 int32 on "), std::string::npos);
  EXPECT_NE(message({0, 3, 2}).find("segment 1 goes from element 3 to 2 of 5"), std::string::npos);
  EXPECT_NE(message({0, 6}).find("segment 0 goes from element 0 to 6 of 5"), std::string::npos);
  EXPECT_NE(message({6}).find("the first offset: 6 elements do not fit 5"), std::string::npos);
  // Offsets on a GPU are checked on the CPU that uses them.
  for (const auto& wrong : std::vector<offsets_of_segments>{{0, 3, 2}, {0, 6}, {6}}) {
    const hd::array<std::size_t> there(wrong, where);
    EXPECT_EQ(message_of([&] { hd::segmented_inclusive_scan(hd::target::serial(), x, there); }),
              message_of([&] { hd::segmented_inclusive_scan(hd::target::serial(), x, wrong); }));
    EXPECT_THROW(hd::segmented_inclusive_scan(hd::target::serial(), x, there), hd::error);
  }
  EXPECT_NE(message_of([&] {
              hd::exclusive_scan_by_key(where, std::vector<int>(4), x);
            }).find("the keys: 4 elements do not fit 5"),
            std::string::npos);
  std::vector<int> small(4);
  EXPECT_NE(message_of([&] {
              hd::segmented_exclusive_scan_into(where, small, x, offsets_of_segments{0, 5});
            }).find("segmented_exclusive_scan: 5 int32"),
            std::string::npos);
  std::vector<std::size_t> places{0, 1, 2};
  EXPECT_NE(message_of([&] {
              hd::segmented_inclusive_scan_into(where, places, std::vector<std::size_t>(3), places);
            }).find("the output overlaps an input: write into another array"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              const std::span<int> all(small);
              hd::inclusive_scan_by_key_into(where, all.subspan(1), std::vector<int>(3), all.first(3));
            }).find("the output overlaps an input but does not begin with it"),
            std::string::npos);
}

TEST_P(segmented_scan_by_users_operator, keeps_the_order) {
  const auto product = [](const auto& a, const auto& b) { return a * b; };
  const auto check = [&]<class T>(std::size_t n, const T& identity) {
    hd::array<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x.data()[i] = random_element<T>(i);
    unsigned v = 0;
    for (const offsets_of_segments& offsets : all_segments(n)) {
      for (const unsigned way : {v, v + 3}) {
        ASSERT_TRUE(scans_as_a_loop(where, x, offsets, variant(way % variants), hd::monoid{product, identity},
                                    random_element<T>(n + 1)));
      }
      ++v;
    }
  };
  matrix5 one{};
  for (int i = 0; i < 5; ++i) one.at[i][i] = 1;
  for (const std::size_t n : {1, 513, 20'001}) check(n, triangular{1, 0, 1});
  check(2000, one);
}

TEST_P(segmented_scan_by_users_operator, needs_no_identity_where_nothing_comes_first) {
  const auto last = [](int, int b) { return b; };
  const std::vector<int> x{1, 2, 3, 4};
  const offsets_of_segments offsets{0, 1, 1, 4};
  EXPECT_EQ(hd::segmented_inclusive_scan(where, x, offsets, last).to_vector(), x);
  EXPECT_EQ(hd::segmented_exclusive_scan(where, x, offsets, last, 9).to_vector(),
            (std::vector<int>{9, 9, 2, 3}));
  EXPECT_NE(message_of([&] {
              hd::segmented_exclusive_scan(where, x, offsets, last);
            }).find("the operator has no identity to begin with: give an initial value"),
            std::string::npos);
}
