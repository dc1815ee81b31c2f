#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/reduce.hpp>
#include <heddle/streamed_reduce.hpp>

#include <algorithm>
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
