#include "tests/on_targets.hpp"
#include <heddle/any_array.hpp>
#include <heddle/array.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class print : public on_targets {};
HD_ON_ALL_TARGETS(print);

/// The elements of a type of its own.
struct point {
  int x, y;
  friend std::ostream& operator<<(std::ostream& out, const point& p) { return out << p.x << '/' << p.y; }
};
struct alignas(64) wide_point {
  point p;
  friend std::ostream& operator<<(std::ostream& out, const wide_point& w) { return out << w.p; }
};

template <class X>
std::string text(const X& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

template <class T>
hd::array<T> counting(const hd::shape& lengths) {
  hd::array<T> x(lengths);
  std::iota(x.begin(), x.end(), T(0));
  return x;
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr float nan_float = std::numeric_limits<float>::quiet_NaN();

// The expected texts are what str() of NumPy 1.24 returns.

TEST_P(print, integers_and_bools) {
  EXPECT_EQ(text(hd::array<int>{1, 20, -300}.on(where)), "[   1   20 -300]");
  EXPECT_EQ(text(hd::array<std::int8_t>{65, 66}.on(where)), "[65 66]");
  EXPECT_EQ(text(hd::array<std::uint64_t>{18446744073709551615u, 0}.on(where)),
            "[18446744073709551615                    0]");
  EXPECT_EQ(text(hd::array<bool>{true, false}.on(where)), "[ True False]");
  EXPECT_EQ(text(hd::array<bool>{true}.on(where)), "[ True]");
}

TEST_P(print, shapes) {
  EXPECT_EQ(text(counting<int>({2, 3}).on(where)), "[[0 1 2]\n [3 4 5]]");
  EXPECT_EQ(text(counting<int>({2, 2, 2}).on(where)), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
  EXPECT_EQ(text(counting<int>({1, 1, 1, 1}).on(where)), "[[[[0]]]]");
  EXPECT_EQ(text(hd::array<int>(0, where)), "[]");
  EXPECT_EQ(text(hd::array<float>({3, 0, 2}, where)), "[]");
}

TEST_P(print, real_numbers) {
  EXPECT_EQ(text(hd::array<double>{1, 2.5, -3}.on(where)), "[ 1.   2.5 -3. ]");
  EXPECT_EQ(text(hd::array<float>{0.1f, 100.0f / 3}.on(where)), "[ 0.1      33.333332]");
  EXPECT_EQ(text(hd::array<double>{1.0 / 3, 2}.on(where)), "[0.33333333 2.        ]");
  EXPECT_EQ(text(hd::array<double>{1e-9, 1}.on(where)), "[1.e-09 1.e+00]");
  EXPECT_EQ(text(hd::array<double>{1.5e300, 2}.on(where)), "[1.5e+300 2.0e+000]");
  EXPECT_EQ(text(hd::array<float>{0.00651459955f, 0.115044147f, 4363.63012f}.on(where)),
            "[6.5145995e-03 1.1504415e-01 4.3636299e+03]");
  EXPECT_EQ(text(hd::array<double>{1, 1000}.on(where)), "[   1. 1000.]");
  EXPECT_EQ(text(hd::array<double>{1, 1001}.on(where)), "[1.000e+00 1.001e+03]");
  EXPECT_EQ(text(hd::array<double>{-0.0, 0}.on(where)), "[-0.  0.]");
}

TEST_P(print, what_is_not_finite) {
  EXPECT_EQ(text(hd::array<double>{nan, infinity, 1}.on(where)), "[nan inf  1.]");
  EXPECT_EQ(text(hd::array<double>{-infinity, 1.25}.on(where)), "[-inf 1.25]");
  EXPECT_EQ(text(hd::array<float>{nan_float}.on(where)), "[nan]");
  EXPECT_EQ(text(hd::array<double>{-infinity, nan}.on(where)), "[-inf  nan]");
}

TEST_P(print, complex_numbers) {
  using complex = std::complex<double>;
  EXPECT_EQ(text(hd::array<complex>{complex(1, 2), complex(-0.5, 30)}.on(where)), "[ 1.  +2.j -0.5+30.j]");
  EXPECT_EQ(text(hd::array<complex>{complex(1, nan), complex(0, -1)}.on(where)), "[1.+nanj 0. -1.j]");
}

TEST_P(print, long_rows_are_broken) {
  std::string expected = "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n";
  expected += " 24 25 26 27 28 29]";
  EXPECT_EQ(text(counting<int>({30}).on(where)), expected);
}

TEST_P(print, large_arrays_are_cut) {
  EXPECT_EQ(text(counting<int>({1001}).on(where)), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(
      text(counting<int>({200, 6}).on(where)),
      "[[   0    1    2    3    4    5]\n [   6    7    8    9   10   11]\n [  12   13   14   15   16   "
      "17]\n "
      "...\n [1182 1183 1184 1185 1186 1187]\n [1188 1189 1190 1191 1192 1193]\n [1194 1195 1196 1197 1198 "
      "1199]]");
  EXPECT_EQ(
      text(counting<float>({2, 1000}).on(where)),
      "[[0.000e+00 1.000e+00 2.000e+00 ... 9.970e+02 9.980e+02 9.990e+02]\n [1.000e+03 1.001e+03 1.002e+03 "
      "... 1.997e+03 1.998e+03 1.999e+03]]");
}

TEST_P(print, views_and_types_known_at_run_time) {
  const hd::array<int> x = counting<int>({3, 2}).on(where);
  EXPECT_EQ(text(x.row(1)), "[2 3]");
  EXPECT_EQ(text(x.slice(1, 3)), "[[2 3]\n [4 5]]");
  EXPECT_EQ(text(hd::any_const_view(x)), "[[0 1]\n [2 3]\n [4 5]]");
  EXPECT_EQ(text(hd::any_array(x.on(where))), "[[0 1]\n [2 3]\n [4 5]]");
}

TEST_P(print, elements_of_own_types) {
  const std::vector<point> points{{1, 2}, {10, 20}};
  EXPECT_EQ(text(hd::array(points, where)), "[  1/2 10/20]");
  const std::vector<wide_point> wide{{{1, 2}}, {{3, 4}}};
  EXPECT_EQ(text(hd::array(wide, where)), "[1/2 3/4]");
}

TEST(print_scalars, as_numpy_writes_them) {
  EXPECT_EQ(text(hd::any_value(1.0)), "1.0");
  EXPECT_EQ(text(hd::any_value(0.1f)), "0.1");
  EXPECT_EQ(text(hd::any_value(1e16)), "1e+16");
  EXPECT_EQ(text(hd::any_value(1.5e-5)), "1.5e-05");
  EXPECT_EQ(text(hd::any_value(67108872.0f)), "67108870.0");
  EXPECT_EQ(text(hd::any_value(true)), "True");
  EXPECT_EQ(text(hd::any_value(-7)), "-7");
  EXPECT_EQ(text(hd::any_value(std::complex<double>(1, -2))), "(1-2j)");
  EXPECT_EQ(text(hd::any_value(std::complex<float>(0, 2))), "2j");
  EXPECT_EQ(text(hd::any_value(nan)), "nan");
  EXPECT_EQ(text(hd::array<float>(hd::shape{}, 2.5f)), "2.5");
}

}  // namespace
