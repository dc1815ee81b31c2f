#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/ranks_as_threads.hpp"
#include "tests/sizes.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/distributed.hpp>
#include <heddle/scan.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class adjacent_difference : public on_targets {};
HD_ON_ALL_TARGETS(adjacent_difference);

/// Functions that a host compiler compiled: a GPU does not have them.
class adjacent_difference_by_users_function : public on_targets {};
HD_ON_CPU_TARGETS(adjacent_difference_by_users_function);

/// The difference in plain C++; bools differ or do not.
template <class T>
T subtracted(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, bool>) return a != b;
  return plainly<hd::minus>(a, b);
}

/// op(element, the one before it in its line) by a loop over all elements in C order.
template <class T, class Op>
hd::array<T> looped(const hd::array<T>& x, const hd::axis_lines& all, const Op& op) {
  hd::array<T> out(x.shape());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_first = i / all.inner % all.length == 0;
    out.data()[i] = is_first ? x.data()[i] : op(x.data()[i], x.data()[i - all.inner]);
  }
  return out;
}

template <class T>
hd::array<T> random_array(const hd::shape& lengths) {
  hd::array<T> x(lengths);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = operand<T, hd::minus>(i, x.size());
  return x;
}

/// A new array, another one, in place, and an array on the CPU.
template <class T>
void check_every_output(const hd::target& where, const hd::array<T>& x, const hd::array<T>& want,
                        const std::function<hd::array<T>(const hd::array<T>&)>& result,
                        const std::function<void(hd::array<T>&, const hd::array<T>&)>& fill) {
  const std::string what = hd::impl::type_name<T>() + x.shape().text();
  hd::array<T> there = x.on(where), elsewhere(x.shape(), where), on_cpu(x.shape());
  const hd::array<T> made = result(there);
  ASSERT_TRUE(same_elements(made, want)) << what;
  ASSERT_EQ(made.shape(), x.shape());
  fill(elsewhere, there);
  ASSERT_TRUE(same_elements(elsewhere, want)) << what;
  fill(on_cpu, there);
  ASSERT_TRUE(same_elements(on_cpu, want)) << what << " to the CPU";
  ASSERT_TRUE(same_elements(there, x)) << what << ": the input has changed";
  fill(there, there);
  ASSERT_TRUE(same_elements(there, want)) << what << " in place";
}

template <class T>
void check_flat(const hd::target& where, std::size_t n) {
  const hd::array<T> x = random_array<T>({n});
  check_every_output<T>(
      where, x, looped(x, {1, n, 1}, subtracted<T>),
      [&](const auto& y) { return hd::adjacent_difference(where, y); },
      [&](auto& out, const auto& y) { hd::adjacent_difference_into(where, out, y); });
}

template <class T>
void check_along(const hd::target& where, const hd::shape& lengths) {
  const hd::array<T> x = random_array<T>(lengths);
  for (std::size_t a = 0; a < lengths.axes(); ++a) {
    const hd::axis along{static_cast<std::ptrdiff_t>(a)};
    check_every_output<T>(
        where, x, looped(x, hd::along(lengths, a), subtracted<T>),
        [&](const auto& y) { return hd::adjacent_difference(where, y, along); },
        [&](auto& out, const auto& y) { hd::adjacent_difference_into(where, out, y, along); });
  }
}

/// Neither associative nor commutative.
struct twice_less {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a * b * b;
  }
};

}  // namespace

TEST_P(adjacent_difference, of_every_type_and_size_is_that_of_a_loop) {
  for_each_dtype([&]<class T>() {
    const bool is_slow = sizeof(T) > 8;
    for (const std::size_t n : sizes_up_to(is_slow ? 10'000 : 100'003)) check_flat<T>(where, n);
  });
  // More than is written through the cache.
  check_flat<float>(where, std::min<std::size_t>(2'000'003, largest_size()));
}

TEST_P(adjacent_difference, of_elements_that_begin_anywhere) {
  const std::size_t n = 5000;
  const hd::array<std::int32_t> x = random_array<std::int32_t>({n + 3});
  hd::array<std::int32_t> part({n}), want({n + 5});
  want.fill(99);
  part.copy_from(x.slice(3, n + 3));
  const hd::array<std::int32_t> differences = looped(part, {1, n, 1}, subtracted<std::int32_t>);
  want.slice(1, n + 1).copy_from(differences.view());
  const hd::array<std::int32_t> there = x.on(where);
  hd::array<std::int32_t> out({n + 5}, where);
  out.fill(99);
  hd::adjacent_difference_into(where, out.slice(1, n + 1), there.slice(3, n + 3));
  EXPECT_TRUE(same_elements(out, want));
}

TEST_P(adjacent_difference, along_every_axis_is_that_of_a_loop) {
  const std::vector<hd::shape> shapes{{3, 4},      {1, 5000},   {5000, 1},    {700, 3},       {3, 700, 5},
                                      {2, 33, 64}, {4, 40'000}, {40'000, 3},  {2, 65, 2'000}, {300, 300},
                                      {700, 6, 3}, {1, 1, 1},   {2, 31, 2, 5}};
  for (const hd::shape& lengths : shapes) {
    if (lengths.elements() > largest_size()) continue;
    check_along<std::int8_t>(where, lengths);
    check_along<float>(where, lengths);
    if (!seeks_races) check_along<std::complex<double>>(where, lengths);
  }
}

TEST_P(adjacent_difference, of_no_elements_is_empty) {
  EXPECT_EQ(hd::adjacent_difference(where, hd::array<float>(0)).size(), 0u);
  for (const std::ptrdiff_t a : {0, 1, 2}) {
    const hd::array<float> empty({2, 0, 3});
    EXPECT_EQ(hd::adjacent_difference(where, empty, hd::axis{a}).shape(), empty.shape());
  }
}

TEST_P(adjacent_difference, undoes_a_running_sum) {
  const hd::array<std::uint64_t> x = random_array<std::uint64_t>({70, 900});
  EXPECT_TRUE(same_elements(hd::adjacent_difference(where, hd::inclusive_scan(where, x)), x));
  EXPECT_TRUE(same_elements(
      hd::adjacent_difference(where, hd::inclusive_scan(where, x, hd::axis{0}), hd::axis{0}), x));
}

TEST_P(adjacent_difference, of_a_type_known_at_run_time_has_the_same_bits) {
  for_each_dtype([&]<class T>() {
    const hd::array<T> x = random_array<T>({60, 70});
    const hd::any_array any(x.on(where));
    const auto check = [&](const hd::any_array& have, const hd::axis_lines& all) {
      EXPECT_TRUE(
          same_elements(have.template as<T>().on(hd::target::serial()), looped(x, all, subtracted<T>)));
    };
    check(hd::adjacent_difference(where, any), {1, 4200, 1});
    check(hd::adjacent_difference(where, any, hd::axis{0}), {1, 60, 70});
    hd::any_array out = any.on(where);
    hd::adjacent_difference_into(where, out, out);
    check(out, {1, 4200, 1});
    hd::adjacent_difference_into(where, out, any, hd::axis{-1});
    check(out, {60, 70, 1});
  });
}

TEST_P(adjacent_difference_by_users_function, calls_it_for_neighbours_alone) {
  const hd::array<float> x{8, 2, 4, 1};
  EXPECT_EQ(hd::adjacent_difference(where, x, std::divides<float>()).to_vector(),
            (std::vector<float>{8, 0.25f, 2, 0.25f}));
  // A division across the end of a row would be one by 0.
  hd::array<int> rows({2, 2}, 7);
  rows.set(0, 0, 1);
  EXPECT_EQ(hd::adjacent_difference(where, rows, hd::axis{1}, std::divides<int>()).to_vector(),
            (std::vector<int>{7, 0, 7, 1}));
  EXPECT_EQ(hd::adjacent_difference(where, x, hd::plus{}).to_vector(), (std::vector<float>{8, 10, 6, 5}));
}

TEST_P(adjacent_difference_by_users_function, takes_elements_of_any_size) {
  const auto check = [&]<class T>(T, const hd::shape& lengths) {
    hd::array<T> x(lengths);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = random_element<T>(i);
    check_every_output<T>(
        where, x, looped(x, {1, x.size(), 1}, twice_less()),
        [&](const auto& y) { return hd::adjacent_difference(where, y, twice_less()); },
        [&](auto& out, const auto& y) { hd::adjacent_difference_into(where, out, y, twice_less()); });
    for (std::size_t a = 0; a < lengths.axes(); ++a) {
      const hd::axis along{static_cast<std::ptrdiff_t>(a)};
      check_every_output<T>(
          where, x, looped(x, hd::along(lengths, a), twice_less()),
          [&](const auto& y) { return hd::adjacent_difference(where, y, along, twice_less()); },
          [&](auto& out, const auto& y) {
            hd::adjacent_difference_into(where, out, y, along, twice_less());
          });
    }
  };
  check(triangular{}, {100, 101});
  check(triangular{}, {301, 7});
  check(triangular{}, {50, 3, 4});
  check(matrix5{}, {200, 31});
  check(matrix5{}, {9, 1});
}

TEST(adjacent_difference_errors, name_the_sizes_and_what_to_do) {
  const hd::target here = hd::target::serial();
  hd::array<float> x(4);
  x.fill(1);
  EXPECT_EQ(
      message_of([&] { hd::adjacent_difference_into(here, x.slice(1, 4), x.slice(0, 3)); }),
      "adjacent_difference: 3 float32 on serial: the output overlaps an input but does not begin with it: "
      "write into the input itself, or into another array");
  EXPECT_EQ(message_of([&] { hd::adjacent_difference_into(here, x, hd::array<float>(3)); }),
            "adjacent_difference: 3 float32 on serial: the output: 4 elements do not fit 3");
  EXPECT_EQ(message_of([&] { hd::adjacent_difference(here, x, hd::axis{1}); }),
            "adjacent_difference: 4 float32: axis 1 does not exist in shape (4,) (axes are -1 to 0)");
  hd::any_array doubles(hd::dtype::float64, {4});
  EXPECT_EQ(message_of([&] { hd::adjacent_difference_into(here, doubles, hd::any_const_view(x)); }),
            "adjacent_difference: 4 float32 on serial: the output is float64, where the input is float32");
}

TEST(adjacent_difference_over_ranks, has_the_bits_of_one_array) {
  for (const int size : {1, 2, 3, 5}) {
    for (const hd::shape& lengths :
         {hd::shape{40}, hd::shape{40, 7}, hd::shape{40, 3, 2}, hd::shape{40, 0}}) {
      // Ranks without rows at the beginning, in the middle and at the end.
      const std::vector<std::size_t> all_begins{0, 0, 11, 11, 40, 40};
      std::vector<std::size_t> begins(all_begins.end() - size - 1, all_begins.end());
      begins.front() = 0;
      const hd::array<float> x = random_array<float>(lengths);
      ranks_as_threads::run(size, [&](const hd::ranks& all) {
        all.run([&] {
          hd::distributed_array<float> spread(all, lengths, begins);
          const auto own = x.slice(spread.first_row(), spread.first_row() + spread.rows());
          if (own.size() > 0) spread.local().copy_from(own);
          const auto check = [&](const hd::distributed_array<float>& have, const hd::axis_lines& lines,
                                 float (*op)(const float&, const float&)) {
            const hd::array<float> want = looped(x, lines, op);
            if (!same_elements(have.gather(), want))
              hd::fail("another result over ranks of " + lengths.text());
          };
          check(hd::adjacent_difference(all, spread), {1, x.size(), 1}, subtracted<float>);
          const auto ratio = [](const float& a, const float& b) { return a / b; };
          check(hd::adjacent_difference(all, spread, ratio), {1, x.size(), 1}, ratio);
          for (std::size_t a = 0; a < lengths.axes(); ++a) {
            const hd::axis along{static_cast<std::ptrdiff_t>(a)};
            check(hd::adjacent_difference(all, spread, along), hd::along(lengths, a), subtracted<float>);
          }
          check(hd::adjacent_difference(all, spread, hd::axis{0}, ratio), hd::along(lengths, 0), ratio);
          // In place, and into another array.
          hd::distributed_array<float> out(all, lengths, begins);
          hd::adjacent_difference_into(all, out, spread, hd::axis{-1}, ratio);
          check(out, hd::along(lengths, lengths.axes() - 1), ratio);
          hd::adjacent_difference_into(all, out, spread);
          check(out, {1, x.size(), 1}, subtracted<float>);
          hd::adjacent_difference_into(all, spread, spread, hd::axis{0});
          check(spread, hd::along(lengths, 0), subtracted<float>);
        });
      });
    }
  }
}
