#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/argmin.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class argmin : public on_targets {};
HD_ON_ALL_TARGETS(argmin);

template <class T>
constexpr bool is_ordered = !hd::is_complex<T>;

/// The first place of a NaN, or else of the least or the greatest element.
template <class T>
std::size_t first_place(std::span<const T> x, bool greatest) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] != x[i]) return i;
    if (greatest ? x[place] < x[i] : x[i] < x[place]) place = i;
  }
  return place;
}

/// Elements of a few values only, so that each is found more than once.
template <class T>
hd::array<T> with_ties(std::size_t n, std::uint64_t values = 9) {
  hd::array<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const int value = static_cast<int>(random_bits(i) % values) - (std::is_signed_v<T> ? 4 : 0);
    x.data()[i] = std::is_same_v<T, bool> ? value % 2 != 0 : static_cast<T>(value);
  }
  return x;
}

template <class T>
void check_flat(const hd::target& where, const hd::array<T>& x) {
  ASSERT_EQ(hd::argmin(where, x), first_place<T>(x.span(), false))
      << hd::impl::type_name<T>() << ' ' << x.size();
  ASSERT_EQ(hd::argmax(where, x), first_place<T>(x.span(), true))
      << hd::impl::type_name<T>() << ' ' << x.size();
}

template <class T>
void check_axis(const hd::target& where, const hd::array<T>& x, std::size_t axis) {
  const hd::axis_lines all = hd::along(x.shape(), axis);
  hd::array<std::size_t> least(x.shape().without_axis(axis)), greatest(x.shape().without_axis(axis));
  std::vector<std::int64_t> places;
  for (std::size_t line = 0; line < least.size(); ++line) {
    hd::array<T> alone(all.length);
    for (std::size_t k = 0; k < all.length; ++k) {
      alone.data()[k] = x.data()[(line / all.inner * all.length + k) * all.inner + line % all.inner];
    }
    least.data()[line] = first_place<T>(alone.span(), false);
    greatest.data()[line] = first_place<T>(alone.span(), true);
  }
  const hd::axis along{static_cast<std::ptrdiff_t>(axis)};
  const hd::array<std::size_t> have_least = hd::argmin(where, x, along),
                               have_greatest = hd::argmax(where, x, along);
  EXPECT_EQ(have_least.where(), where);
  ASSERT_EQ(have_least.shape(), least.shape());
  ASSERT_EQ(have_greatest.shape(), greatest.shape());
  ASSERT_TRUE(same_elements(have_least, least)) << hd::impl::type_name<T>() << x.shape().text() << axis;
  ASSERT_TRUE(same_elements(have_greatest, greatest)) << hd::impl::type_name<T>() << x.shape().text() << axis;
}

}  // namespace

TEST_P(argmin, is_the_first_of_several_for_every_ordered_type_and_size) {
  for_each_dtype([&]<class T>() {
    if constexpr (is_ordered<T>) {
      for (const std::size_t n : sizes_up_to(100'003)) {
        if (n == 0) continue;
        check_flat(where, with_ties<T>(n));
        hd::array<T> equal(n);
        equal.fill(T(1));
        check_flat(where, equal);
        hd::array<T> any(n);
        for (std::size_t i = 0; i < n; ++i) any.data()[i] = random_value<T>(i);
        check_flat(where, any);
      }
    }
  });
}

TEST_P(argmin, finds_one_extremum_wherever_it_stands) {
  for_each_type<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float, double>([&]<class T>() {
    for (const std::size_t n : {std::size_t{2}, std::size_t{33}, std::size_t{8193}, std::size_t{1'000'003}}) {
      if (n > largest_size()) continue;
      hd::array<T> x(n);
      x.fill(T(50));
      for (const std::size_t place : {std::size_t{0}, std::size_t{1}, n / 2, n - 1, random_bits(n) % n}) {
        x.set(T(49), place);
        ASSERT_EQ(hd::argmin(where, x), place) << n;
        x.set(T(51), place);
        ASSERT_EQ(hd::argmax(where, x), place) << n;
        x.set(T(50), place);
      }
    }
  });
}

TEST_P(argmin, of_several_among_the_pieces_of_a_large_array_the_first_is_found) {
  const std::size_t n = (std::size_t{1} << 23) + 77;  // above 32 MiB
  hd::array<float> x(n, where);
  x.fill(50);
  EXPECT_EQ(hd::argmax(where, x), 0u);
  const float least = 0, nan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {least, nan}) {
    for (const std::size_t place :
         {n - 1, n - 78, std::size_t{40'000}, std::size_t{16'384}, std::size_t{16'383}}) {
      x.set(value, place);
      EXPECT_EQ(hd::argmin(where, x), place) << value;
    }
  }
}

TEST_P(argmin, long_lines_are_searched_by_themselves) {
  // Of whole pieces, and not; above 16 MiB.
  for (const std::size_t length : {std::size_t{1} << 21, (std::size_t{1} << 21) + 1}) {
    hd::array<float> x({3, length}, where);
    x.fill(50);
    x.set(51, 0, length - 1);
    x.set(51, 1, 70'000);
    x.set(51, 1, 70'001);
    x.set(std::numeric_limits<float>::quiet_NaN(), 2, length - 1);
    const hd::array<std::size_t> places = hd::argmax(where, x, hd::axis{1});
    EXPECT_EQ(places[0], length - 1);
    EXPECT_EQ(places[1], 70'000u);
    EXPECT_EQ(places[2], length - 1);
  }
}

TEST_P(argmin, a_nan_comes_before_everything) {
  for_each_type<float, double>([&]<class T>() {
    for (const std::size_t n : {1, 2, 40, 5000, 100'003}) {
      hd::array<T> x = with_ties<T>(n);
      x.set(-std::numeric_limits<T>::infinity(), n / 3);
      x.set(std::numeric_limits<T>::infinity(), n / 2);
      check_flat(where, x);
      x.set(std::numeric_limits<T>::quiet_NaN(), n - 1);
      check_flat(where, x);
      x.set(-std::numeric_limits<T>::quiet_NaN(), n / 2);
      check_flat(where, x);
    }
  });
}

TEST_P(argmin, zeros_of_both_signs_are_equal) {
  EXPECT_EQ(hd::argmin(where, std::vector{0.f, -0.f, 0.f}), 0u);
  EXPECT_EQ(hd::argmax(where, std::vector{-0.f, 0.f, -0.f}), 0u);
  EXPECT_EQ(hd::argmin(where, std::vector{1.0, 0.0, -0.0}), 1u);
}

TEST_P(argmin, takes_slices_and_arrays_that_are_elsewhere) {
  const hd::array<float> x = with_ties<float>(20'000, 1000);
  const hd::array<float> there = x.on(where);
  for (const std::size_t first : {1, 2, 3, 5}) {
    EXPECT_EQ(hd::argmin(where, there.slice(first, 20'000)),
              first_place<float>(x.span().subspan(first), false));
    EXPECT_EQ(hd::argmax(hd::target::serial(), there.slice(first, 20'000)),
              first_place<float>(x.span().subspan(first), true));
  }
}

TEST_P(argmin, along_an_axis_each_line_has_a_place_of_its_own) {
  for_each_dtype([&]<class T>() {
    if constexpr (is_ordered<T>) {
      for (const hd::shape& lengths : {hd::shape{1}, hd::shape{7}, hd::shape{1, 1}, hd::shape{17, 33},
                                       hd::shape{129, 3}, hd::shape{2, 8193}, hd::shape{8193, 2},
                                       hd::shape{3, 4, 5}, hd::shape{2, 40, 3, 9}, hd::shape{600, 150}}) {
        hd::array<T> x = with_ties<T>(lengths.elements()).reshaped(lengths);
        for (std::size_t axis = 0; axis < lengths.axes(); ++axis) check_axis(where, x, axis);
        if constexpr (std::is_floating_point_v<T>) {
          for (std::size_t i = 3; i < x.size(); i += 17) x.data()[i] = std::numeric_limits<T>::quiet_NaN();
          for (std::size_t axis = 0; axis < lengths.axes(); ++axis) check_axis(where, x, axis);
        }
      }
    }
  });
}

TEST_P(argmin, a_negative_axis_counts_from_the_last) {
  const hd::array<int> x = with_ties<int>(60).reshaped({3, 4, 5});
  EXPECT_TRUE(same_elements(hd::argmin(where, x, hd::axis{-1}), hd::argmin(where, x, hd::axis{2})));
  EXPECT_TRUE(same_elements(hd::argmax(where, x, hd::axis{-3}), hd::argmax(where, x, hd::axis{0})));
}

TEST_P(argmin, of_nothing_is_an_error) {
  const std::vector<double> nothing;
  EXPECT_EQ(message_of([&] { (void)hd::argmin(where, nothing); }),
            "argmin: 0 float64: there are no elements, and so no index to return");
  EXPECT_EQ(message_of([&] { (void)hd::argmax(where, nothing); }),
            "argmax: 0 float64: there are no elements, and so no index to return");
  const hd::array<int> x(hd::shape{0, 3});
  EXPECT_EQ(message_of([&] { (void)hd::argmin(where, x, hd::axis{0}); }),
            "argmin: 0 int32 on " + where.text() + ": there are no elements, and so no index to return");
  EXPECT_EQ(hd::argmin(where, x, hd::axis{1}).shape(), hd::shape{0});
  // A line without elements has no place even where there is no line, as in NumPy.
  EXPECT_EQ(message_of([&] { (void)hd::argmax(where, hd::array<int>(hd::shape{0, 0}), hd::axis{1}); }),
            "argmax: 0 int32 on " + where.text() + ": there are no elements, and so no index to return");
}

TEST_P(argmin, an_axis_that_is_not_there_is_an_error) {
  const hd::array<int> x = with_ties<int>(12).reshaped({3, 4});
  EXPECT_EQ(message_of([&] { (void)hd::argmax(where, x, hd::axis{2}); }),
            "argmax: 12 int32: axis 2 does not exist in shape (3, 4) (axes are -2 to 1)");
}

TEST_P(argmin, of_pieces_is_that_of_the_whole) {
  for_each_dtype([&]<class T>() {
    if constexpr (is_ordered<T>) {
      const auto check = [&](const hd::array<T>& x, std::size_t piece) {
        const std::size_t rows = x.shape()[0], columns = x.shape()[1];
        hd::streamed_arg least(where, hd::runtime_op::minimum, hd::dtype_of<T>, columns);
        hd::streamed_arg greatest(where, hd::runtime_op::maximum, hd::dtype_of<T>, columns);
        for (std::size_t first = 0; first < rows; first += piece) {
          const std::size_t count = std::min(piece, rows - first);
          least.append(x.data() + first * columns, count);
          greatest.append(x.data() + first * columns, count);
        }
        hd::array<T> column(rows);
        for (std::size_t c = 0; c < columns; ++c) {
          for (std::size_t r = 0; r < rows; ++r) column.data()[r] = x.data()[r * columns + c];
          EXPECT_EQ(least.result()[c], first_place<T>(column.span(), false))
              << hd::impl::type_name<T>() << ' ' << c;
          EXPECT_EQ(greatest.result()[c], first_place<T>(column.span(), true))
              << hd::impl::type_name<T>() << ' ' << c;
        }
      };
      for (const std::size_t piece : {1, 100, 5000}) {
        check(with_ties<T>(3000).reshaped({3000, 1}), piece);
        hd::array<T> x = with_ties<T>(3000, 200).reshaped({300, 10});
        if constexpr (std::is_floating_point_v<T>) {
          for (const std::size_t row : {7, 150}) x(row, 3) = std::numeric_limits<T>::quiet_NaN();
          x(299, 5) = std::numeric_limits<T>::quiet_NaN();
        }
        check(x, piece);
      }
    }
  });
  EXPECT_EQ(
      message_of([&] { (void)hd::streamed_arg(where, hd::runtime_op::maximum, hd::dtype::int8).result(); }),
      "argmax: there are no elements, and so no index to return");
  EXPECT_EQ(message_of([&] { (void)hd::streamed_arg(where, hd::runtime_op::minimum, hd::dtype::complex64); }),
            "argmin of complex64: complex numbers have no order");
  EXPECT_EQ(message_of([&] { (void)hd::streamed_arg(where, hd::runtime_op::plus, hd::dtype::int8); }),
            "streamed_arg: plus has no index: use minimum or maximum");
}

TEST_P(argmin, places_beyond_31_and_32_bits) {
  for (const std::size_t n : {(std::size_t{1} << 31) + 1, (std::size_t{1} << 32) + 3}) {
    if (n > largest_size()) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is less than " << n;
    hd::array<std::int8_t> x(n, where);
    x.fill(1);
    EXPECT_EQ(hd::argmin(where, x), 0u);
    x.set(0, n - 1);
    x.set(7, n - 2);
    EXPECT_EQ(hd::argmin(where, x), n - 1);
    EXPECT_EQ(hd::argmax(where, x), n - 2);
  }
}

namespace {

template <class X>
concept has_argmin = requires(const X& x) { hd::argmin(hd::target(), x); };

// Complex numbers and a user's own types have no order.
static_assert(has_argmin<hd::array<float>> && has_argmin<std::vector<long long>> &&
              has_argmin<hd::array<bool>>);
static_assert(!has_argmin<std::vector<std::complex<float>>> && !has_argmin<hd::array<run>>);

}  // namespace
