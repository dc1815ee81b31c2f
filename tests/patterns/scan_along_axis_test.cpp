#include "tests/elements.hpp"
#include "tests/grouped_scan.hpp"
#include "tests/looped_scan.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/impl/patterns/transform/cpu.hpp>
#include <heddle/scan.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class scan_along_axis : public on_targets {};
HD_ON_ALL_TARGETS(scan_along_axis);

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
      << hd::impl::type_name<T>() << lengths.text() << (exclusive ? " exclusive" : " inclusive");
}

/// Columns of `lengths`, the last axis but one, from one element on and to another, or in place, each against
/// a loop.
template <class T, class Op>
void check_columns(const hd::target& where, const hd::shape& lengths, std::size_t first, std::size_t to,
                   const variant& how) {
  const std::size_t n = lengths.elements(), axis = lengths.axes() - 2;
  hd::array<T> x = operands<T, Op>(n + first).on(where);
  const T init = operand<T, Op>(n / 3 + 7, n + 50);
  const std::optional<T> start = how.has_init ? std::optional<T>(init) : std::nullopt;
  hd::array<T> elsewhere(n + to, where);
  const auto in = x.slice(first, first + n).reshaped(lengths);
  const hd::array<T> before = x.on(hd::target::serial());
  const auto out = (how.in_place ? x.slice(first, first + n) : elsewhere.slice(to, to + n)).reshaped(lengths);
  const hd::axis along{static_cast<std::ptrdiff_t>(axis)};
  if (how.exclusive) {
    hd::exclusive_scan_into(where, out, in, along, Op{}, start);
  } else {
    hd::inclusive_scan_into(where, out, in, along, Op{}, start);
  }
  hd::array<T> have(lengths), want(lengths);
  have.copy_from(out);
  const hd::axis_lines all = hd::along(lengths, axis);
  for (std::size_t segment = 0; segment < all.count(); ++segment) {
    const std::size_t at = segment / all.inner * all.length * all.inner + segment % all.inner;
    hd::array<T> column(all.length);
    for (std::size_t k = 0; k < all.length; ++k) column.data()[k] = before.data()[first + at + k * all.inner];
    const hd::array<T> scanned = looped_by<T, Op>(column, how, init);
    for (std::size_t k = 0; k < all.length; ++k) want.data()[at + k * all.inner] = scanned.data()[k];
  }
  ASSERT_TRUE(same_elements(have, want)) << hd::impl::type_name<T>() << lengths.text() << " from " << first
                                         << " to " << to << ", " << how.text();
}

/// Columns side by side in rows of up to 63 bytes, in more bytes than are written through the cache.
template <class T>
void check_narrow_rows(const hd::target& where) {
  constexpr std::size_t widest = 63 / sizeof(T), fewest = 32 / sizeof(T) + 1;
  for (std::size_t columns = widest; columns >= 2; --columns) {
    // Every width takes little time where the limit is low.
    const bool is_low = hd::cpu::stream_from_bytes < 10'000;
    if (!is_low && columns != widest && columns != fewest) continue;
    const std::size_t rows = 2 * hd::cpu::stream_from_bytes / (columns * sizeof(T)) + 77;
    if (rows * columns > largest_size()) continue;
    for (const bool exclusive : {false, true})
      check_columns_of_rows_that_begin_anywhere<T, hd::plus>(where, {rows, columns}, exclusive);
  }
}

}  // namespace

TEST_P(scan_along_axis, of_narrow_rows_that_are_not_written_through_the_cache) {
  check_narrow_rows<std::int8_t>(where);
  check_narrow_rows<std::uint16_t>(where);
  check_narrow_rows<std::int32_t>(where);
  check_narrow_rows<std::int64_t>(where);
}

TEST_P(scan_along_axis, goes_along_every_axis_as_along_one_row_by_itself) {
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

      const hd::axis_lines all = hd::along(lengths, lengths.resolve_axis(index));
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
        if (all.count() > 200) continue;
        const hd::array<float> alone =
            exclusive ? hd::exclusive_scan(where, row) : hd::inclusive_scan(where, row, hd::plus{}, 0.25f);
        ASSERT_TRUE(same_elements(row_sums, alone.on(hd::target::serial())))
            << lengths.text() << " axis " << index;
      }
    }
  }
}

TEST_P(scan_along_axis, of_floats_along_an_axis_is_within_the_bound) {
  for (const hd::shape& lengths :
       {hd::shape{3, 5000, 4}, hd::shape{1, 1'200'000, 3}, hd::shape{1, 70'000, 50}}) {
    if (lengths.elements() > largest_size()) continue;
    const std::size_t length = lengths[1], columns = lengths[2];
    const hd::array<float> x = operands<float, hd::plus>(lengths.elements()).reshaped(lengths);
    const hd::array<float> have = hd::inclusive_scan(where, x, hd::axis{1}).on(hd::target::serial());
    for (std::size_t column = 0; column < lengths[0] * columns; ++column) {
      double sum = 0, magnitude = 0;
      for (std::size_t k = 0; k < length; ++k) {
        const std::size_t at = (column / columns * length + k) * columns + column % columns;
        sum += x.data()[at];
        magnitude += std::abs(x.data()[at]);
        const double allowed = pairwise_bound(k) * std::numeric_limits<float>::epsilon() * magnitude;
        ASSERT_NEAR(have.data()[at], sum, allowed) << lengths.text() << " column " << column << ", " << k;
      }
    }
  }
}

TEST_P(scan_along_axis, of_rows_is_what_a_loop_computes) {
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
                                  {9'000, 33},
                                  // of whole lines and not, together larger than a cache
                                  {4'200, 1024},
                                  {4'200, 1039}};
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
      ASSERT_EQ(static_cast<std::size_t>(differs), want.size()) << hd::impl::type_name<T>() << lengths.text();
    }
  });
}

TEST_P(scan_along_axis, of_columns_is_what_a_loop_computes) {
  some_of_each_width([&]<class T, class Op>() {
    unsigned turn = 0;
    for (const hd::shape& lengths :
         {hd::shape{1, 3000}, hd::shape{2, 4096}, hd::shape{3, 5001}, hd::shape{7, 4, 1300},
          hd::shape{5, 2, 7}, hd::shape{8, 4096}, hd::shape{9, 5000}, hd::shape{100, 3008},
          hd::shape{300, 1600}, hd::shape{257, 2049}, hd::shape{2100, 96}, hd::shape{3, 520, 304},
          hd::shape{70, 4099}, hd::shape{9000, 3}, hd::shape{9000, 16}}) {
      const std::size_t first = turn % 3, to = turn % 4;
      const variant how(turn++ % variants);
      if (lengths.elements() + 3 <= largest_size()) check_columns<T, Op>(where, lengths, first, to, how);
    }
  });
}

TEST_P(scan_along_axis, of_few_long_columns_is_what_a_loop_computes) {
  some_of_each_width([&]<class T, class Op>() {
    unsigned turn = 0;
    // Fewer tiles than a GPU takes at once and more, of several arrays side by side, and of columns up to
    // which it has tiles of whole rows; to a CPU long ones are nothing new.
    const std::size_t most =
        where.is_gpu() ? largest_size() : std::min<std::size_t>(largest_size(), 1'000'000);
    for (const hd::shape& lengths :
         {hd::shape{20'000, 2}, hd::shape{3, 30'001, 5}, hd::shape{40'003, 31}, hd::shape{2000, 33},
          hd::shape{140, 1100, 9}, hd::shape{9000, 40}, hd::shape{2, 9000, 41}, hd::shape{5003, 64},
          hd::shape{4099, 128}, hd::shape{1500, 129}, hd::shape{2047, 160}, hd::shape{2048, 161},
          hd::shape{4'000'001, 2}, hd::shape{700'001, 17}, hd::shape{90'001, 100}, hd::shape{300'000, 100}}) {
      const std::size_t first = turn % 4, to = turn % 3;
      const variant how(turn++ % variants);
      if (lengths.elements() + 3 <= most) check_columns<T, Op>(where, lengths, first, to, how);
    }
  });
}

TEST_P(scan_along_axis, of_columns_whose_rows_begin_anywhere_is_what_a_loop_computes) {
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

namespace {

/// Rows or columns, each against the documented order of one by itself.
template <class T, class Op, class F, class Element>
void check_order(const hd::target& where, const hd::shape& lengths, const Op& op, const F& combine,
                 const Element& element) {
  hd::array<T> x(lengths), want(lengths);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = element(i);
  const hd::axis_lines all = hd::along(lengths, 1);
  for (const bool exclusive : {false, true}) {
    const std::optional<T> init = exclusive ? std::optional<T>(element(x.size())) : std::nullopt;
    for (std::size_t segment = 0; segment < all.count(); ++segment) {
      const std::size_t at = segment / all.inner * all.length * all.inner + segment % all.inner;
      hd::array<T> alone(all.length);
      for (std::size_t k = 0; k < all.length; ++k) alone.data()[k] = x.data()[at + k * all.inner];
      const hd::array<T> scanned = grouped_scan<T>(alone.span(), exclusive, init ? &*init : nullptr, combine);
      for (std::size_t k = 0; k < all.length; ++k) want.data()[at + k * all.inner] = scanned.data()[k];
    }
    hd::array<T> have = x.on(where);
    if (exclusive) {
      hd::exclusive_scan_into(where, have, have, hd::axis{1}, op, init);
    } else {
      hd::inclusive_scan_into(where, have, have, hd::axis{1}, op);
    }
    ASSERT_TRUE(same_elements(have, want))
        << hd::impl::type_name<T>() << lengths.text() << (exclusive ? " exclusive" : " inclusive");
  }
}

/// Short and long rows, wide and narrow columns, longer than a row of the order and shorter.
std::vector<hd::shape> shapes_of_segments() {
  std::vector<hd::shape> shapes{{9, 2, 1},   {70, 64, 1},  {40, 65, 1},   {40, 1300, 1},
                                {3, 7, 40},  {2, 300, 17}, {1, 900, 33},  {1, 100, 600},
                                {2, 900, 3}, {1, 1, 100},  {1, 40'000, 2}};
  if (seeks_races) shapes = {{40, 1300, 1}, {1, 40'000, 2}, {1, 100, 600}};
  return shapes;
}

}  // namespace

TEST_P(scan_along_axis, of_rounded_numbers_has_the_bits_of_the_documented_order) {
  for (const hd::shape& lengths : shapes_of_segments()) {
    for_each_type<float, double, std::complex<float>, std::complex<double>>([&]<class T>() {
      check_order<T>(where, lengths, hd::plus(), plainly<hd::plus, T>,
                     [](std::size_t i) { return operand<T, hd::plus>(i, 1); });
      check_order<T>(where, lengths, hd::multiplies(), plainly<hd::multiplies, T>,
                     [](std::size_t i) { return operand<T, hd::multiplies>(i, 1); });
    });
    if (where.is_gpu()) continue;
    const auto product = [](const matrix2& a, const matrix2& b) { return a * b; };
    check_order<matrix2>(where, lengths, product, product, random_element<matrix2>);
    const auto affine_product = [](const affine5& a, const affine5& b) { return a * b; };
    check_order<affine5>(where, lengths, affine_product, affine_product, random_element<affine5>);
  }
}

TEST(scan_along_axis_shapes, the_output_has_the_shape_of_the_input) {
  const hd::array<int> x(hd::shape{2, 3});
  hd::array<int> out(hd::shape{3, 2});
  EXPECT_EQ(message_of([&] { hd::inclusive_scan_into(hd::target(), out, x, hd::axis{0}); }),
            "inclusive_scan: the output has shape (3, 2), where the first input has (2, 3)");
}
