#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/reduce.hpp>
#include <heddle/streamed_reduce.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class streamed_reduce : public on_targets {};
HD_ON_ALL_TARGETS(streamed_reduce);

/// Gives x in pieces of so many tiles each, over and over.
template <class T, class Op>
T streamed(const hd::target& where, const hd::array<T>& x, const std::vector<std::size_t>& tiles_a_piece) {
  hd::streamed_reduce total(where, hd::impl::function_of<Op>, hd::dtype_of<T>);
  std::size_t first = 0;
  for (std::size_t piece = 0; first < x.size(); ++piece) {
    const std::size_t count =
        std::min(tiles_a_piece[piece % tiles_a_piece.size()] * total.unit(), x.size() - first);
    total.append(x.data() + first, count);
    first += count;
    EXPECT_EQ(total.size(), first);
  }
  T value;
  total.result(&value);
  return value;
}

}  // namespace

TEST_P(streamed_reduce, has_the_bits_of_reduce_however_it_is_cut) {
  for_each_dtype([&]<class T>() {
    for_each_operator<T>([&]<class Op>() {
      const std::size_t tile = hd::streamed_reduce(where, hd::impl::function_of<Op>, hd::dtype_of<T>).unit();
      for (const std::size_t n :
           {std::size_t{1}, std::size_t{33}, tile - 1, tile, tile + 1, 7 * tile + 5, std::size_t{100'003}}) {
        const hd::array<T> x = operands<T, Op>(n);
        const T want = hd::reduce(hd::target::serial(), x, Op{});
        for (const std::vector<std::size_t>& cut :
             {std::vector<std::size_t>{1}, {3}, {2, 0, 1, 5}, {1'000'000}}) {
          ASSERT_TRUE(same_bits(streamed<T, Op>(where, x, cut), want))
              << hd::impl::type_name<T>() << ", operator " << hd::name(hd::impl::function_of<Op>)
              << ", n = " << n << ", cut by " << cut[0];
        }
      }
    });
  });
}

TEST_P(streamed_reduce, more_tiles_than_a_tile_has_elements) {
  const std::size_t n = std::min<std::size_t>(largest_size(), 2048 * 2048 + 2048 * 3 + 1);
  const hd::array<float> x = operands<float, hd::plus>(n);
  const float want = hd::reduce(hd::target::serial(), x);
  EXPECT_TRUE(same_bits((streamed<float, hd::plus>(where, x, {100})), want));
  EXPECT_TRUE(same_bits((streamed<float, hd::plus>(where, x, {1, 700})), want));
}

TEST_P(streamed_reduce, can_be_asked_on_the_way) {
  const hd::array<std::int64_t> x = operands<std::int64_t, hd::plus>(10'000);
  hd::streamed_reduce total(where, hd::runtime_op::plus, hd::dtype::int64);
  for (std::size_t first = 0; first < x.size(); first += total.unit()) {
    const std::size_t count = std::min(total.unit(), x.size() - first);
    total.append(x.data() + first, count);
    std::int64_t value;
    total.result(&value);
    EXPECT_EQ(value, hd::reduce(where, x.slice(0, first + count)));
  }
}

TEST_P(streamed_reduce, a_nan_gives_the_one_quiet_nan) {
  hd::array<float> x(10'000);
  x.fill(1);
  x.set(-std::numeric_limits<float>::quiet_NaN(), 5000);
  EXPECT_TRUE(same_bits((streamed<float, hd::plus>(where, x, {1})), std::numeric_limits<float>::quiet_NaN()));
  EXPECT_TRUE(
      same_bits((streamed<float, hd::maximum>(where, x, {2})), std::numeric_limits<float>::quiet_NaN()));
}

TEST_P(streamed_reduce, errors_say_what_is_wrong) {
  float value = 0;
  hd::streamed_reduce total(where, hd::runtime_op::maximum, hd::dtype::float32);
  EXPECT_EQ(message_of([&] { total.result(&value); }),
            "reduce: 0 float32: there are no elements, and the operator has no identity to return: give an "
            "initial value");
  total.append(&value, 0);
  total.append(&value, 1);
  EXPECT_EQ(message_of([&] { total.append(&value, 1); }),
            "reduce: 1 float32 on " + where.text() +
                ": a piece of 1 elements follows 1, which is no multiple of 2048");
  EXPECT_EQ(total.size(), 1u);
  EXPECT_EQ(message_of([&] { hd::streamed_reduce(where, hd::runtime_op::minimum, hd::dtype::complex64); }),
            "reduce: 0 complex64 on " + where.text() + ": minimum is not defined on complex64");
  EXPECT_EQ(message_of([&] { hd::streamed_reduce(where, hd::runtime_op::minus, hd::dtype::int32); }),
            "reduce: 0 int32 on " + where.text() + ": minus is not defined on int32");
  EXPECT_EQ(message_of([&] {
              hd::streamed_reduce(hd::target::automatic(), hd::runtime_op::plus, hd::dtype::int32);
            }),
            "reduce: 0 int32 on auto: a reduction of pieces needs the target serial, parallel or gpu");
  EXPECT_EQ(message_of([&] {
              hd::streamed_reduce(where, hd::runtime_op::maximum, hd::dtype::int32, {}, 1,
                                  hd::dtype::float64);
            }),
            "reduce: 0 int32 on " + where.text() + ": the results are float64, where the elements are int32");
  hd::streamed_reduce of_columns(where, hd::runtime_op::plus, hd::dtype::float32, {}, 3);
  EXPECT_EQ(message_of([&] { of_columns.append(hd::any_const_view(hd::array<float>(4))); }),
            "reduce: 4 elements are no rows of 3");
  EXPECT_EQ(message_of([&] { of_columns.result(); }), "reduce: the value: 1 elements do not fit 3");
}

TEST_P(streamed_reduce, of_columns_has_the_bits_of_reduce_along_the_slowest_axis) {
  const auto check = [&]<class T, class Op>(T, Op op, std::size_t rows, std::size_t columns) {
    const hd::array<T> x = operands<T, Op>(rows * columns).reshaped({rows, columns});
    hd::streamed_reduce total(where, hd::impl::function_of<Op>, hd::dtype_of<T>, {}, columns);
    hd::streamed_reduce from_one(where, hd::impl::function_of<Op>, hd::dtype_of<T>, hd::any_value(1),
                                 columns);
    for (std::size_t first = 0; first < rows; first += 2 * total.unit()) {
      const auto piece = x.slice(first, std::min(rows, first + 2 * total.unit()));
      total.append(hd::any_const_view(piece));
      from_one.append(piece.data(), piece.shape()[0]);
    }
    EXPECT_EQ(total.size(), rows);
    hd::array<T> have(columns);
    total.result(have.data());
    const hd::target here = hd::target::serial();
    EXPECT_TRUE(same_elements(have, hd::reduce(here, x, hd::axis{0}, op))) << rows << " × " << columns;
    from_one.result(have.data());
    EXPECT_TRUE(same_elements(have, hd::reduce(here, x, hd::axis{0}, op, T(1)))) << rows << " × " << columns;
  };
  for (const std::size_t columns : {1, 3, 70}) {
    for (const std::size_t rows : {1, 700, 10'007}) {
      check(float(), hd::plus{}, rows, columns);
      check(std::int16_t(), hd::maximum{}, rows, columns);
      check(std::complex<double>(), hd::multiplies{}, rows, columns);
    }
  }
}

TEST_P(streamed_reduce, sums_in_double) {
  const auto check = [&]<class T, class Sum>(T, Sum) {
    const std::size_t rows = 6000, columns = 5;
    const hd::array<T> x = operands<T, hd::plus>(rows * columns).reshaped({rows, columns});
    hd::array<Sum> converted({rows, columns}), have(columns);
    for (std::size_t i = 0; i < x.size(); ++i) converted.data()[i] = static_cast<Sum>(x.data()[i]);
    hd::streamed_reduce total(where, hd::runtime_op::plus, hd::dtype_of<T>, {}, columns, hd::dtype_of<Sum>);
    for (std::size_t first = 0; first < rows; first += total.unit())
      total.append(hd::any_const_view(x.slice(first, std::min(rows, first + total.unit()))));
    total.result(have.data());
    EXPECT_TRUE(same_elements(have, hd::reduce(hd::target::serial(), converted, hd::axis{0})));
  };
  check(float(), double());
  check(std::uint8_t(), double());
  check(double(), double());
  check(std::complex<float>(), std::complex<double>());
}

TEST_P(streamed_reduce, an_initial_value_comes_first) {
  const hd::array<float> x = operands<float, hd::plus>(5000);
  for (const std::size_t n : {0, 1, 5000}) {
    hd::streamed_reduce total(where, hd::runtime_op::plus, hd::dtype::float32, hd::any_value(0.1f));
    total.append(hd::any_const_view(x.slice(0, n)));
    float value;
    total.result(&value);
    EXPECT_TRUE(same_bits(value, hd::reduce(hd::target::serial(), x.slice(0, n), hd::plus{}, 0.1f))) << n;
  }
  hd::streamed_reduce all(where, hd::runtime_op::logical_and, hd::dtype::int32, hd::any_value(2));
  EXPECT_EQ(all.result().as<std::int32_t>(), 1);
}
