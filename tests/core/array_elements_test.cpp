#include "tests/core/numbered_elements.hpp"
#include "tests/on_targets.hpp"
#include <heddle/array.hpp>
#include <heddle/reduce.hpp>
#include <heddle/transform.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

// Reading, setting, changing and swapping single elements of arrays.

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class array : public on_targets {};
HD_ON_ALL_TARGETS(array);

/// A class with member operators, free ones, and a function that changes it.
struct point {
  int x, y;
  point& operator+=(const point& other) {
    x += other.x;
    y += other.y;
    return *this;
  }
  point& operator++() {
    ++x;
    return *this;
  }
  friend point& operator*=(point& a, int factor) {
    a.x *= factor;
    a.y *= factor;
    return a;
  }
  void turn() { std::swap(x, y); }
  int sum() const { return x + y; }
};

template <class A>
concept turns_an_element = requires(A& a) { a[0].turn(); };
template <class A>
concept adds_to_a_named_element = requires(hd::element_reference<typename A::value_type>& named, A& a) {
  named += typename A::value_type(a[0]);
};
template <class A, class V>
concept adds_to_an_element = requires(A& a, const V& value) { a[0] += value; };
template <class A>
concept divides_with_remainder = requires(A& a) { a[0] %= 2; };
template <class A>
concept counts_up = requires(A& a) { a[0]++; };

}  // namespace

TEST_P(array, is_set_element_by_element) {
  hd::array<int> x = counting({2, 3}, where);
  x[1] = 10;
  x(1, 2) = 50;
  x[0] = x[5];
  x.row(1)[0] = 30;
  EXPECT_EQ(x.to_vector(), (std::vector<int>{50, 10, 2, 30, 4, 50}));
  hd::array<float> reals({2}, 0.5, where);
  reals[0] = x[1];
  reals[1] = 3;
  EXPECT_EQ(reals.to_vector(), (std::vector<float>{10, 3}));
  hd::array<std::complex<float>> z({2}, 0, where);
  z[0] = {1, 2};
  z[1] = z[0];
  EXPECT_EQ(z[1], (std::complex<float>{1, 2}));
  hd::array<named> pairs({2}, {1, 'a'}, where);
  pairs[1] = named{2, 'b'};
  EXPECT_EQ(pairs[0].name, 'a');
  EXPECT_EQ(pairs[1].number + pairs[1].name, 2 + 'b');
  hd::array<std::int8_t> small(1, where);
  EXPECT_EQ(message_of([&] { small[0] = 200; }), "200 is no int8: give a value that the elements can hold");
  EXPECT_EQ(message_of([&] { x[6] = 0; }), "element: index 6 is outside an axis of length 6");
  // A scalar among the arguments of a pattern is the element's value.
  if (where.is_cpu()) {
    EXPECT_EQ(hd::transform(where, reals, reals[0], hd::multiplies{}).to_vector(),
              (std::vector<float>{100, 30}));
  }
  EXPECT_EQ(hd::reduce(where, x, hd::plus{}, x[1]), 156);
  static_assert(std::is_same_v<decltype(std::as_const(x)[0]), int>);
  static_assert(!std::is_assignable_v<hd::element_reference<int>&, int>, "a named one is no variable");
  static_assert(std::is_assignable_v<hd::element_reference<int>, int>);
}

TEST_P(array, is_changed_element_by_element) {
  hd::array<int> x = counting({2, 3}, where);
  EXPECT_EQ(x[0] += 10, 10);
  x[1] -= 3;
  x(0, 2) *= x[2];
  x.row(1)[0] /= 2;
  x.view()[4] %= 3;
  x[5] <<= 2;
  EXPECT_EQ(x.to_vector(), (std::vector<int>{10, -2, 4, 1, 1, 20}));
  EXPECT_EQ(++x[0], 11);
  EXPECT_EQ(x[0]++, 11);
  EXPECT_EQ(--x[1], -3);
  EXPECT_EQ(x[1]--, -3);
  x[2] |= 3;
  x[3] &= 2;
  x[4] ^= 5;
  x[5] >>= 3;
  EXPECT_EQ(x.to_vector(), (std::vector<int>{12, -4, 7, 0, 4, 2}));
  hd::array<float> reals({2}, 0.5, where);
  reals[0] += 1;
  reals[1] *= x[0];
  EXPECT_EQ(reals.to_vector(), (std::vector<float>{1.5, 6}));
  hd::array<std::complex<float>> z({1}, 1, where);
  z[0] *= std::complex<float>(0, 2);
  z[0] += 3.0f;
  EXPECT_EQ(z[0], (std::complex<float>{3, 2}));
  hd::array<bool> flags(2, false, where);
  flags[1] |= true;
  EXPECT_EQ(flags.to_vector(), (std::vector<bool>{false, true}));
  hd::array<std::int8_t> small(1, 100, where);
  EXPECT_EQ(message_of([&] { small[0] += 200; }), "200 is no int8: give a value that the elements can hold");
  EXPECT_EQ(message_of([&] { ++x[6]; }), "element: index 6 is outside an axis of length 6");
  hd::array<point> points({2}, {1, 2}, where);
  points[0] += point{10, 20};
  points[0] += points[1];
  points[1] *= 3;
  ++points[1];
  EXPECT_EQ(points[0].x * 100 + points[0].y, 1224);
  EXPECT_EQ(points[1].sum(), 10);
  static_assert(!turns_an_element<hd::array<point>> && !turns_an_element<hd::array_view<point>>,
                "a copy of the element would be turned");
  static_assert(adds_to_an_element<hd::array<int>, int> && adds_to_an_element<hd::array<point>, point>);
  static_assert(!adds_to_an_element<hd::array<int>, std::string> &&
                !adds_to_an_element<hd::array<point>, int>);
  static_assert(!adds_to_an_element<const hd::array<int>, int> &&
                !adds_to_an_element<hd::array_view<const int>, int>);
  static_assert(!adds_to_a_named_element<hd::array<int>> && !adds_to_a_named_element<hd::array<point>>,
                "a named one is no variable");
  static_assert(divides_with_remainder<hd::array<int>> && !divides_with_remainder<hd::array<float>>);
  static_assert(counts_up<hd::array<float>> && !counts_up<hd::array<bool>> && !counts_up<hd::array<point>>);
}

TEST_P(array, swaps_elements) {
  using std::swap;
  hd::array<int> x = counting({2, 3}, where), other = counting({2}, hd::target());
  swap(x[0], x[5]);
  std::ranges::swap(x(0, 1), x(1, 0));
  EXPECT_EQ(x.to_vector(), (std::vector<int>{5, 3, 2, 1, 4, 0}));
  swap(x[0], other[1]);
  swap(x[2], x[2]);
  EXPECT_EQ(x[0] * 100 + x[2] * 10 + other[1], 125);
  int variable = 7;
  swap(x[0], variable);
  swap(variable, x[1]);
  EXPECT_EQ(x.to_vector(), (std::vector<int>{7, 1, 2, 1, 4, 0}));
  EXPECT_EQ(variable, 3);
  hd::array<point> points({2}, {1, 2}, where);
  points[1] = {3, 4};
  swap(points[0], points[1]);
  EXPECT_EQ(points[0].sum() * 10 + points[1].sum(), 73);
}

TEST_P(array, reads_and_sets_single_elements) {
  hd::array<int> x = counting({3, 4}, where);
  EXPECT_EQ(x(1, 2), 6);
  EXPECT_EQ(x[7], 7);
  EXPECT_EQ(x.front(), 0);
  EXPECT_EQ(x.back(), 11);
  x.set(-6, 1, 2);
  EXPECT_EQ(x[6], -6);
  x.view().set(-9, std::size_t{2}, 1);
  EXPECT_EQ(x.to_vector(), (std::vector<int>{0, 1, 2, 3, 4, 5, -6, 7, 8, -9, 10, 11}));
}

TEST_P(array, says_which_index_is_outside) {
  hd::array<int> x = counting({3, 4}, where);
  EXPECT_EQ(message_of([&] { (void)x(3, 0); }), "element: index 3 is outside an axis of length 3");
  EXPECT_EQ(message_of([&] { (void)x(0, 4); }), "element: index 4 is outside an axis of length 4");
  EXPECT_EQ(message_of([&] { x.set(1, 0, -1); }), "element: index -1 is outside an axis of length 4");
  EXPECT_EQ(message_of([&] { (void)x(5); }), "element: 1 index for an array of shape (3, 4)");
  EXPECT_EQ(message_of([&] { (void)x(0, 0, 0); }), "element: 3 indices for an array of shape (3, 4)");
  EXPECT_EQ(message_of([&] { (void)x[12]; }), "element: index 12 is outside an axis of length 12");
  EXPECT_EQ(message_of([&] { (void)x.row(3); }), "row: index 3 is outside an axis of length 3");
  EXPECT_EQ(message_of([&] { (void)x.slice(1, 4); }), "slice: index 4 is outside an axis of length 3");
  EXPECT_EQ(message_of([&] { (void)x.slice(2, 1); }), "slice: 2 to 1 is no range: it ends before it begins");
  EXPECT_EQ(message_of([&] { (void)x.row(0).row(0).row(0); }), "row: 1 index for an array of shape ()");
  EXPECT_EQ(message_of([&] { (void)x.row(0).row(0).slice(0, 0); }),
            "slice: 1 index for an array of shape ()");
  EXPECT_EQ(message_of([&] { (void)x.access<3>(); }), "access: 3 indices for an array of shape (3, 4)");
  EXPECT_EQ(message_of([&] { (void)x.view().reshaped({3, 5}); }), "reshaped: 15 elements do not fit 12");
  EXPECT_EQ(message_of([&] { (void)std::move(x).reshaped({5, 3}); }), "reshaped: 15 elements do not fit 12");
  EXPECT_EQ(x.shape(), (hd::shape{3, 4}));
  const std::vector<int> five(5);
  EXPECT_EQ(message_of([&] { x.copy_from(std::span(five)); }), "copy_from: 5 elements do not fit 12");
  std::vector<int> out(5);
  EXPECT_EQ(message_of([&] { x.copy_to(out); }), "copy_to: 12 elements do not fit 5");
  const hd::array<int> nothing(0, where);
  EXPECT_EQ(message_of([&] { (void)nothing.front(); }), "element: index 0 is outside an axis of length 0");
  EXPECT_NE(message_of([&] { (void)nothing.back(); }), "no error");
}
