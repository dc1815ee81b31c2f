#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/patterns/any_arrays/array_lines.hpp"
#include <heddle/any_array.hpp>
#include <heddle/any_patterns.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

// Sorts, extremes and distinct elements of arrays of any type, compared with the standard library's.

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class any_patterns : public on_targets {};
HD_ON_ALL_TARGETS(any_patterns);

/// The elements of each line in order, and the places in the line that they had.
template <class T>
struct ordered_lines {
  std::vector<T> elements;
  std::vector<std::size_t> places;
};
template <class T>
ordered_lines<T> in_order(const hd::array<T>& x, const lines& of, hd::sort_order order) {
  ordered_lines<T> result{std::vector<T>(x.size()), std::vector<std::size_t>(x.size())};
  for (std::size_t line = 0; line < of.count(); ++line) {
    const auto element = [&](std::size_t k) { return static_cast<T>(x.data()[of.at(line, k)]); };
    std::vector<std::size_t> places(of.length);
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      return order == hd::sort_order::ascending ? element(a) < element(b) : element(b) < element(a);
    });
    for (std::size_t k = 0; k < of.length; ++k) {
      result.elements[of.at(line, k)] = element(places[k]);
      result.places[of.at(line, k)] = places[k];
    }
  }
  return result;
}

/// One array on a target, and what the standard library makes of its lines and of all its elements.
template <class T>
struct sorted_case {
  const hd::target& where;
  const hd::any_array& given;
  const lines& l;
  hd::sort_order order;
  ordered_lines<T> along_axis, all;
};

template <class T>
void check_sorts(const sorted_case<T>& c) {
  ASSERT_TRUE(holds<T>(hd::sort(c.where, c.given, hd::axis{1}, c.order), c.along_axis.elements));
  ASSERT_TRUE(holds(hd::argsort(c.where, c.given, hd::axis{1}, c.order), c.along_axis.places));
  ASSERT_TRUE(holds<T>(hd::sort(c.where, c.given, c.order), c.all.elements));
  ASSERT_TRUE(holds(hd::argsort(c.where, c.given, c.order), c.all.places));
  hd::any_array out(hd::dtype_of<T>, c.l.whole(), c.where);
  hd::sort_into(c.where, out, c.given, c.order);
  ASSERT_TRUE(holds<T>(out, c.all.elements));
  hd::sort_into(c.where, out, c.given, hd::axis{-2}, c.order);
  ASSERT_TRUE(holds<T>(out, c.along_axis.elements));
}

template <class T>
void check_top_k(const sorted_case<T>& c) {
  const std::size_t k = std::min<std::size_t>(c.l.length, 3);
  const hd::any_top_elements top = hd::top_k(c.where, c.given, k, hd::axis{1}, c.order);
  const lines best{c.l.outer, k, c.l.inner};
  ASSERT_EQ(top.values.shape(), best.whole());
  std::vector<T> values(best.size());
  std::vector<std::size_t> indices(best.size());
  for (std::size_t line = 0; line < c.l.count(); ++line) {
    for (std::size_t i = 0; i < k; ++i) {
      values[best.at(line, i)] = c.along_axis.elements[c.l.at(line, i)];
      indices[best.at(line, i)] = c.along_axis.places[c.l.at(line, i)];
    }
  }
  ASSERT_TRUE(holds<T>(top.values, values));
  ASSERT_TRUE(holds(top.indices, indices));
  const std::size_t half = c.given.size() / 2;
  const auto first_of = [&](const auto& x) {
    return std::vector(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(half));
  };
  const hd::any_top_elements first_half = hd::top_k(c.where, c.given, half, c.order);
  ASSERT_TRUE(holds<T>(first_half.values, first_of(c.all.elements)));
  ASSERT_TRUE(holds(first_half.indices, first_of(c.all.places)));
}

/// The first of the smallest elements, or of the largest.
template <class T>
void check_extremes(const sorted_case<T>& c) {
  const bool up = c.order == hd::sort_order::ascending;
  ASSERT_EQ(up ? hd::argmin(c.where, c.given) : hd::argmax(c.where, c.given), c.all.places[0]);
  std::vector<std::size_t> first(c.l.count());
  std::vector<T> extremes(c.l.count());
  for (std::size_t line = 0; line < c.l.count(); ++line) {
    first[line] = c.along_axis.places[c.l.at(line, 0)];
    extremes[line] = c.along_axis.elements[c.l.at(line, 0)];
  }
  ASSERT_TRUE(holds(
      up ? hd::argmin(c.where, c.given, hd::axis{1}) : hd::argmax(c.where, c.given, hd::axis{1}), first));
  const hd::minmax_result<hd::any_array> both = hd::minmax(c.where, c.given, hd::axis{1});
  ASSERT_TRUE(holds<T>(up ? both.min : both.max, extremes));
  const hd::minmax_result<hd::any_value> of_all = hd::minmax(c.where, c.given);
  ASSERT_EQ((up ? of_all.min : of_all.max).template as<T>(), c.all.elements[0]);
}

}  // namespace

TEST_P(any_patterns, put_lines_in_order) {
  for_each_dtype([&]<class T>() {
    if constexpr (!hd::is_complex<T>) {
      for (const lines& l : shapes) {
        for (const bool few : {true, false}) {
          const hd::array<T> x = few ? levels<T>(l.whole()) : any_values<T>(l.whole());
          const hd::any_array given(hd::any_const_view(x).on(where));
          for (const hd::sort_order order : {hd::sort_order::ascending, hd::sort_order::descending}) {
            const sorted_case<T> c{
                where, given, l, order, in_order(x, l, order), in_order(x, {1, x.size(), 1}, order)};
            check_sorts(c);
            check_top_k(c);
            if (x.size() > 0) check_extremes(c);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  });
}

TEST_P(any_patterns, keep_one_of_equal_elements) {
  for_each_dtype([&]<class T>() {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{4'097}}) {
      // Runs of one to four elements.
      const hd::array<T> x = made_by<T>(hd::shape{n}, [](std::size_t i) {
        return static_cast<int>(random_bits(i / (1 + i % 4)) % 11) - 5;
      });
      const hd::any_array given(hd::any_const_view(x).on(where));
      std::vector<T> firsts;
      for (const T& element : x) {
        if (firsts.empty() || firsts.back() != element) firsts.push_back(element);
      }
      ASSERT_TRUE(holds<T>(hd::unique_consecutive(where, given), firsts)) << n;
      if constexpr (!hd::is_complex<T>) {
        const std::set<T> different(x.begin(), x.end());
        ASSERT_TRUE(holds<T>(hd::unique(where, given), std::vector<T>(different.begin(), different.end())))
            << n;
        const hd::array<T> all_kinds = any_values<T>(hd::shape{n});
        const std::set<T> others(all_kinds.begin(), all_kinds.end());
        ASSERT_TRUE(holds<T>(hd::unique(where, hd::any_const_view(all_kinds)),
                             std::vector<T>(others.begin(), others.end())))
            << n;
      }
    }
  });
}
