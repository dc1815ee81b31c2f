#include "tests/elements.hpp"
#include "tests/grouped_reduce.hpp"
#include "tests/on_targets.hpp"
#include "tests/operator_on.hpp"
#include "tests/sizes.hpp"
#include <heddle/machine.hpp>
#include <heddle/reduce.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class reduce_along_axis : public on_targets {};
HD_ON_ALL_TARGETS(reduce_along_axis);

template <class T>
void check_axis(const operator_on<T>& op, const hd::shape& lengths, std::size_t axis) {
  const hd::array<T> x = op.operands(lengths);
  const hd::array<T> want =
      hd::tests::reduced_lines(x, axis, [&](std::span<const T> line) { return op.grouped(line); });
  for (const hd::target& where : hd::tests::targets_at_hand()) {
    const hd::array<T> have = op.reduce_along(where, x, hd::axis{static_cast<std::ptrdiff_t>(axis)});
    ASSERT_EQ(have.where(), where);
    ASSERT_EQ(have.shape(), want.shape());
    ASSERT_TRUE(same_elements(have, want)) << op.named(x.size()) << " of shape " << lengths.text()
                                           << " along axis " << axis << " on " << where.text();
  }
}

/// Lengths of an axis and elements beside one another, around rows, lanes and tiles of columns and of
/// neighbours.
template <class F>
void for_each_length_and_width(std::size_t tile, std::size_t most_elements, const F& f) {
  std::vector<std::size_t> lengths{1,  2,  3,  4,   5,   7,   8,        9,    15,       16,
                                   17, 32, 33, 127, 128, 129, tile - 1, tile, tile + 1, 2 * tile + 1};
  if (seeks_races) lengths = {2, 33, 129, 2 * tile + 1};
  for (const std::size_t length : lengths) {
    for (const std::size_t width : {1, 2, 3, 31, 32, 33, 1000}) {
      if (length * width <= most_elements) f(length, width);
    }
  }
}

/// Columns of elements behind the begin of an array, by a loop over rows; and with an initial value, behind
/// which the columns' results stand where no vec16 begins.
template <class T, class Op>
void check_columns(const hd::target& where, const hd::shape& lengths) {
  constexpr std::size_t first = 3;
  const std::size_t n = lengths.elements(), axes = lengths.axes();
  const std::size_t inner = lengths[axes - 1], length = lengths[axes - 2], outer = n / (inner * length);
  const hd::array<T> x = make_operator_on<T, Op>().operands(hd::shape{n + first});
  const T init = 5;
  hd::array<T> want(outer * inner), after_init(outer * inner);
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t row = 0; row < length; ++row) {
      for (std::size_t column = 0; column < inner; ++column) {
        const T element = x.data()[first + (o * length + row) * inner + column];
        const std::size_t at = o * inner + column;
        want.data()[at] = row == 0 ? element : static_cast<T>(Op()(want.data()[at], element));
        after_init.data()[at] = static_cast<T>(Op()(row == 0 ? init : after_init.data()[at], element));
      }
    }
  }
  const hd::array<T> there = x.on(where), aligned = x.slice(first, first + n).on(where);
  for (const auto& columns : {there.slice(first, first + n).reshaped(lengths), aligned.reshaped(lengths)}) {
    const auto flat = [](const hd::array<T>& results) {
      return results.on(hd::target::serial()).to_vector();
    };
    ASSERT_EQ(flat(hd::reduce(where, columns, hd::axis{-2}, Op())), want.to_vector())
        << hd::impl::type_name<T>() << lengths.text();
    ASSERT_EQ(flat(hd::reduce(where, columns, hd::axis{-2}, Op(), init)), after_init.to_vector())
        << hd::impl::type_name<T>() << lengths.text() << " with an initial value";
  }
}

}  // namespace

TEST(reduce_along_axis_on_cpu_and_gpu, along_an_axis_each_line_is_reduced_as_if_alone) {
  for_each_dtype([&]<class T>() {
    const operator_on<T> op = make_operator_on<T, hd::plus>();
    const auto check = [&](std::size_t length, std::size_t width) {
      check_axis<T>(op, {length, width}, 0);
      check_axis<T>(op, {width, length}, 1);
    };
    for_each_length_and_width(tile_of(sizeof(T), true), std::min<std::size_t>(140'000, largest_size()),
                              check);
  });
}

TEST_P(reduce_along_axis, along_an_axis_of_a_slice_that_begins_anywhere) {
  for_each_dtype([&]<class T>() {
    for (const hd::shape& lengths : {hd::shape{40, 36}, hd::shape{5, 9, 8}, hd::shape{2, 5001}}) {
      const std::size_t n = lengths.elements();
      const hd::array<T> whole = make_operator_on<T, hd::plus>().operands(hd::shape{n + 4}).on(where);
      for (std::size_t begin = 0; begin < 5; ++begin) {
        const auto part = whole.slice(begin, begin + n).reshaped(lengths);
        hd::array<T> alone(lengths);
        alone.copy_from(part);
        for (std::ptrdiff_t axis = 0; axis < static_cast<std::ptrdiff_t>(lengths.axes()); ++axis) {
          ASSERT_TRUE(same_elements(hd::reduce(where, part, hd::axis{axis}),
                                    hd::reduce(hd::target::serial(), alone, hd::axis{axis})))
              << lengths.text() << " from " << begin << " along " << axis;
        }
      }
    }
  });
}

TEST_P(reduce_along_axis, of_columns_of_one_and_two_bytes_is_what_a_loop_computes) {
  // Rows that are whole vec16s, that begin anywhere, and that are so short that many are taken as one, with a
  // rest.
  for (const hd::shape& lengths :
       {hd::shape{1, 4096}, hd::shape{33, 1031}, hd::shape{2, 40, 2051}, hd::shape{700, 1024},
        hd::shape{3, 5, 64}, hd::shape{2, 13, 2051}, hd::shape{5, 72, 4}, hd::shape{3, 72, 131},
        hd::shape{5, 640, 4}, hd::shape{20'011, 30}, hd::shape{17, 20'001}, hd::shape{9000, 1031},
        hd::shape{150'001, 64}}) {
    if (lengths.elements() > largest_size()) continue;
    check_columns<std::uint8_t, hd::plus>(where, lengths);
    check_columns<std::int8_t, hd::maximum>(where, lengths);
    check_columns<std::uint16_t, hd::multiplies>(where, lengths);
    check_columns<std::uint16_t, hd::bit_xor>(where, lengths);
  }
}

TEST(reduce_along_axis_on_cpu_and_gpu, along_every_axis_of_1_to_4_axes_by_every_operator) {
  for_each_dtype([&]<class T>() {
    for (const operator_on<T>& op : operators_on<T>()) {
      for (const hd::shape& lengths :
           {hd::shape{1}, hd::shape{700}, hd::shape{40, 35}, hd::shape{3, 150, 5}, hd::shape{2, 3, 4, 5},
            hd::shape{2, 40, 3, 33}, hd::shape{1, 1, 1, 1}, hd::shape{1, 9, 1}}) {
        for (std::size_t axis = 0; axis < lengths.axes(); ++axis) check_axis<T>(op, lengths, axis);
      }
    }
  });
}

TEST(reduce_along_axisGpu, along_an_axis_of_many_lines_has_the_bits_of_one_core) {
  if (hd::gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
  // A thread takes a column there, and a warp several rows.
  const std::vector<std::pair<hd::shape, std::ptrdiff_t>> by_every_operator{{{9, 131'075}, 0},
                                                                            {{20'000, 33}, 1}};
  const std::vector<std::pair<hd::shape, std::ptrdiff_t>> sums{
      {{16, 131'075}, 0},  {{33, 131'075}, 0},   {{64, 131'075}, 0}, {{100, 131'075}, 0},
      {{300, 131'075}, 0}, {{2, 70, 70'000}, 1}, {{70'000, 3}, 1},   {{40'000, 16}, 1},
      {{20'000, 100}, 1},  {{9'000, 500}, 1},    {{16'500, 131}, 1}};
  for_each_dtype([&]<class T>() {
    const auto check = [&](const operator_on<T>& op, const hd::shape& lengths, std::ptrdiff_t axis) {
      if (lengths.elements() > largest_size()) return;
      const hd::array<T> x = op.operands(lengths);
      ASSERT_TRUE(same_elements(op.reduce_along(hd::target::gpu(), x, hd::axis{axis}),
                                op.reduce_along(hd::target::serial(), x, hd::axis{axis})))
          << op.named(x.size()) << " of shape " << lengths.text() << " along axis " << axis;
    };
    for (const auto& [lengths, axis] : sums) check(make_operator_on<T, hd::plus>(), lengths, axis);
    for (const operator_on<T>& op : operators_on<T>()) {
      for (const auto& [lengths, axis] : by_every_operator) check(op, lengths, axis);
    }
  });
}

TEST_P(reduce_along_axis, axes_of_no_elements_give_identities_or_nothing) {
  const hd::array<float> x(hd::shape{0, 3});
  EXPECT_TRUE(same_elements(hd::reduce(where, x, hd::axis{0}), hd::array(std::vector{0.f, 0.f, 0.f})));
  EXPECT_TRUE(same_elements(hd::reduce(where, x, hd::axis{0}, hd::multiplies{}),
                            hd::array(std::vector{1.f, 1.f, 1.f})));
  EXPECT_EQ(hd::reduce(where, x, hd::axis{1}).shape(), hd::shape{0});
  EXPECT_EQ(hd::reduce(where, x, hd::axis{1}, hd::minimum{}).shape(), hd::shape{0});
  EXPECT_EQ(hd::reduce(where, hd::array<float>(hd::shape{2, 0, 5}), hd::axis{-2}).shape(), (hd::shape{2, 5}));
  EXPECT_EQ(hd::reduce(where, hd::array<float>(hd::shape{2, 0, 5}), hd::axis{-1}).shape(), (hd::shape{2, 0}));
  EXPECT_NE(message_of([&] { (void)hd::reduce(where, x, hd::axis{0}, hd::maximum{}); }).find("no elements"),
            std::string::npos);
}

TEST_P(reduce_along_axis, a_negative_axis_counts_from_the_last) {
  const hd::array<int> x = operands<int, hd::plus>(60).reshaped({3, 4, 5});
  for (std::ptrdiff_t axis = 0; axis < 3; ++axis) {
    EXPECT_TRUE(
        same_elements(hd::reduce(where, x, hd::axis{axis - 3}), hd::reduce(where, x, hd::axis{axis})));
  }
}

TEST_P(reduce_along_axis, a_nan_anywhere_gives_the_one_quiet_nan) {
  const float odd = std::bit_cast<float>(0xffc12345u), nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t rows : {1, 3, 40, 700}) {
    for (const std::size_t columns : {1, 5, 70}) {
      for (const std::size_t axis : {0, 1}) {
        hd::array<float> x({rows, columns});
        x.fill(1);
        for (std::size_t i = 0; i < (axis == 0 ? columns : rows); ++i)
          x.data()[axis == 0 ? i * i % rows * columns + i : i * columns + i * i % columns] = odd;
        const hd::axis along{static_cast<std::ptrdiff_t>(axis)};
        for_each_type<hd::plus, hd::multiplies, hd::minimum, hd::maximum>([&]<class Op>() {
          for (const float have : hd::reduce(where, x, along, Op{}).to_vector())
            ASSERT_TRUE(same_bits(have, nan)) << rows << " x " << columns << " along axis " << axis;
        });
      }
    }
  }
}

TEST_P(reduce_along_axis, transform_reduce_along_an_axis_maps_and_reduces_each_line) {
  for (const hd::shape& lengths :
       {hd::shape{40, 33}, hd::shape{3000, 3}, hd::shape{3, 5000}, hd::shape{2, 17, 5}}) {
    const std::size_t n = lengths.elements();
    const hd::array<float> x = operands<float, hd::plus>(n).reshaped(lengths);
    hd::array<float> y(lengths), products(lengths);
    for (std::size_t i = 0; i < n; ++i) {
      y.data()[i] = random_value<float>(i + n);
      products.data()[i] = x.data()[i] * y.data()[i];
    }
    for (std::size_t axis = 0; axis < lengths.axes(); ++axis) {
      const hd::array<float> have = hd::transform_reduce(where, hd::axis{static_cast<std::ptrdiff_t>(axis)},
                                                         x, y, hd::multiplies{}, hd::plus{});
      EXPECT_TRUE(
          reduces_lines(have, products, axis,
                        [](std::span<const float> line) { return grouped_reduce_by<hd::plus>(line); }))
          << lengths.text() << " along axis " << axis;
    }
  }
  const hd::array<float> nothing(hd::shape{0, 2});
  EXPECT_TRUE(
      same_elements(hd::transform_reduce(where, hd::axis{0}, nothing, nothing, hd::plus{}, hd::multiplies{}),
                    hd::array(std::vector{1.f, 1.f})));
}

TEST_P(reduce_along_axis, an_initial_value_comes_before_every_line) {
  const hd::array<std::int64_t> x =
      hd::array(std::vector<std::int64_t>{1, -7, 3, 40, 5, -2}).reshaped(hd::shape{2, 3});
  std::int64_t doubled[3], rows[2];
  for (std::size_t c = 0; c < 3; ++c) doubled[c] = 100 + 2 * x(0, c) + 2 * x(1, c);
  for (std::size_t r = 0; r < 2; ++r) rows[r] = std::min<std::int64_t>({-5, x(r, 0), x(r, 1), x(r, 2)});
  EXPECT_TRUE(same_elements(hd::reduce(where, x, hd::axis{1}, hd::minimum{}, -5),
                            hd::array(std::vector<std::int64_t>(rows, rows + 2))));
  EXPECT_TRUE(same_elements(hd::transform_reduce(where, hd::axis{0}, x, x, hd::plus{}, hd::plus{}, 100),
                            hd::array(std::vector<std::int64_t>(doubled, doubled + 3))));
  const hd::array<std::int64_t> nothing(hd::shape{0, 2});
  EXPECT_TRUE(same_elements(hd::reduce(where, nothing, hd::axis{0}, hd::minimum{}, 7),
                            hd::array(std::vector<std::int64_t>{7, 7})));
}

TEST_P(reduce_along_axis, into_an_output_has_the_bits_of_a_new_array) {
  for_each_type<std::int8_t, std::int64_t, float, double>([&]<class T>() {
    for (const hd::shape& lengths :
         {hd::shape{7}, hd::shape{40, 33}, hd::shape{3000, 3}, hd::shape{3, 5000}, hd::shape{2, 17, 5}}) {
      const hd::array<T> x = operands<T, hd::plus>(lengths.elements()).reshaped(lengths), there = x.on(where);
      for (std::size_t k = 0; k < lengths.axes(); ++k) {
        const hd::axis axis{static_cast<std::ptrdiff_t>(k)};
        const hd::array<T> want = hd::reduce(hd::target::serial(), x, axis);
        hd::array<T> out(want.shape(), where);
        hd::reduce_into(where, out, there, axis);
        ASSERT_TRUE(same_elements(out, want)) << lengths.text() << " along axis " << k;
        std::vector<T> flat(want.size());
        hd::reduce_into(where, flat, there, axis, hd::plus{}, 3);
        ASSERT_TRUE(same_elements(hd::array<T>(flat).reshaped(want.shape()),
                                  hd::reduce(hd::target::serial(), x, axis, hd::plus{}, 3)));
        hd::transform_reduce_into(where, out, axis, there, x, hd::multiplies{}, hd::maximum{});
        ASSERT_TRUE(same_elements(
            out, hd::transform_reduce(hd::target::serial(), axis, x, x, hd::multiplies{}, hd::maximum{})));
      }
    }
  });
}

TEST_P(reduce_along_axis, into_an_output_of_no_elements_or_another_shape) {
  const hd::array<float> nothing(hd::shape{0, 3}, where),
      x = operands<float, hd::plus>(12).reshaped({2, 3, 2});
  hd::array<float> out(3, where), none(0, where), turned(hd::shape{2, 3}, where);
  hd::reduce_into(where, out, nothing, hd::axis{0}, hd::multiplies{});
  EXPECT_EQ(out.to_vector(), (std::vector<float>{1, 1, 1}));
  hd::reduce_into(where, none, nothing, hd::axis{1}, hd::minimum{});
  EXPECT_EQ(message_of([&] { hd::reduce_into(where, out, nothing, hd::axis{0}, hd::minimum{}); }),
            "reduce: 0 float32 on " + where.text() +
                ": there are no elements, and the operator has no identity to return: give an initial value");
  EXPECT_EQ(out.to_vector(), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(message_of([&] { hd::reduce_into(where, out, x, hd::axis{0}); }),
            "reduce: 12 float32 on " + where.text() + ": the output: 3 elements do not fit 6");
  EXPECT_EQ(
      message_of([&] { hd::reduce_into(where, turned, x, hd::axis{0}); }),
      "reduce: 12 float32 on " + where.text() + ": the output has shape (2, 3), where the result has (3, 2)");
  EXPECT_EQ(message_of([&] { hd::reduce_into(where, out, x, hd::axis{3}); }),
            "reduce: 12 float32: axis 3 does not exist in shape (2, 3, 2) (axes are -3 to 2)");
}

TEST_P(reduce_along_axis, errors_name_the_axis_and_the_shapes) {
  const hd::array<float> x = operands<float, hd::plus>(12).reshaped({3, 4});
  EXPECT_EQ(message_of([&] { (void)hd::reduce(where, x, hd::axis{2}); }),
            "reduce: 12 float32: axis 2 does not exist in shape (3, 4) (axes are -2 to 1)");
  EXPECT_EQ(message_of([&] { (void)hd::reduce(where, x, hd::axis{-3}); }),
            "reduce: 12 float32: axis -3 does not exist in shape (3, 4) (axes are -2 to 1)");
  EXPECT_EQ(
      message_of([&] { (void)hd::reduce(where, x.view().row(0).slice(0, 1).reshaped({}), hd::axis{0}); }),
      "reduce: 1 float32: axis 0: shape () has no axes");
  const hd::array<float> y = operands<float, hd::plus>(12).reshaped({4, 3});
  EXPECT_EQ(message_of([&] { (void)hd::transform_reduce(where, x, y, hd::multiplies{}, hd::plus{}); }),
            "transform_reduce: input 2 has shape (4, 3), where the first input has (3, 4)");
  EXPECT_EQ(message_of([&] { (void)hd::transform_reduce(where, x, y.slice(0, 2), hd::plus{}, hd::plus{}); }),
            "transform_reduce: input 2 has shape (2, 3), where the first input has (3, 4)");
}

TEST_P(reduce_along_axis, axes_of_an_array_beyond_32_bits) {
  constexpr std::size_t side = 65'536;
  if (side * side > largest_size()) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is less than " << side * side;
  hd::array<std::uint8_t> x(hd::shape{side, side}, where);
  std::vector<std::uint8_t> row_sums(side, 0);
  std::uint8_t column_sum = 0;
  x.fill(1);
  for (const std::size_t row : {std::size_t{0}, std::size_t{1}, std::size_t{32'768}, side - 2, side - 1}) {
    x.row(row).fill(static_cast<std::uint8_t>(row % 7 + 2));
    x.set(9, row, std::size_t{5});
    row_sums[row] = static_cast<std::uint8_t>(7 - row % 7);
    column_sum = static_cast<std::uint8_t>(column_sum + row % 7 + 1);
  }
  std::vector<std::uint8_t> column_sums(side, column_sum);
  column_sums[5] = 5 * 8;
  EXPECT_TRUE(same_elements(hd::reduce(where, x, hd::axis{1}), hd::array(row_sums)));
  EXPECT_TRUE(same_elements(hd::reduce(where, x, hd::axis{0}), hd::array(column_sums)));
}
