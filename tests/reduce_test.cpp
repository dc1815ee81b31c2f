#include "elements.hpp"
#include "grouped_reduce.hpp"
#include "on_targets.hpp"
#include "sizes.hpp"
#include <heddle/for_each_index.hpp>
#include <heddle/machine.hpp>
#include <heddle/reduce.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;
using hd::detail::is_complex;

namespace {

class reduce : public on_targets {};
HD_ON_ALL_TARGETS(reduce);

/// Functions that a host compiler compiled: a GPU does not have them. user_operators_test.cu runs them there.
class reduce_by_users_operator : public on_targets {};
HD_ON_CPU_TARGETS(reduce_by_users_operator);

template <class T, class Op = hd::plus>
std::string named(std::size_t n) {
  return std::string(hd::detail::name(hd::detail::function_of<Op>)) + " of " + std::to_string(n) + " " +
         hd::detail::type_name<T>();
}

/// An element that `Op` takes no notice of beside others of its like, and one that changes the result.
template <class T, class Op>
std::pair<T, T> quiet_and_loud() {
  if constexpr (is_one_of<Op, hd::minimum>) return {T(1), T(0)};
  if constexpr (is_one_of<Op, hd::maximum, hd::logical_or, hd::logical_xor, hd::bit_or, hd::bit_xor,
                          hd::plus>)
    return {T(0), T(1)};
  if constexpr (is_one_of<Op, hd::bit_and> && !std::is_same_v<T, bool>) return {static_cast<T>(~T(0)), T(1)};
  if constexpr (is_one_of<Op, hd::multiplies> && !std::is_same_v<T, bool>) return {T(1), T(3)};
  return {T(1), T(0)};
}

/// A built-in operator on elements of T as a value, so that what a test does is compiled once for each type.
template <class T>
struct operator_on {
  hd::detail::function which;
  bool logical;
  bool exact;  ///< whatever the order: sums and products of real and complex numbers are rounded
  std::pair<T, T> (*quiet_and_loud)();
  T (*operand)(std::size_t i, std::size_t n);
  T (*combine)(T, T);
  T (*reduce)(const hd::target&, const hd::array_view<const T>&);
  T (*reduce_from)(const hd::target&, const hd::array_view<const T>&, const T& init);
  hd::array<T> (*reduce_along)(const hd::target&, const hd::array_view<const T>&, hd::axis);

  std::string named(std::size_t n) const {
    return std::string(hd::detail::name(which)) + " of " + std::to_string(n) + " " +
           hd::detail::type_name<T>();
  }
  hd::array<T> operands(const hd::shape& lengths) const {
    hd::array<T> x(lengths);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = operand(i, x.size());
    return x;
  }
  T seen(const T& x) const { return logical ? T(x != T(0)) : x; }
  T grouped(std::span<const T> x) const {
    hd::array<T> lifted(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) lifted.data()[i] = seen(x[i]);
    return grouped_reduce<T>(lifted.span(), true, combine);
  }
  /// The elements combined from left to right.
  T looped(std::span<const T> x) const {
    T total = seen(x[0]);
    for (std::size_t i = 1; i < x.size(); ++i) total = combine(total, seen(x[i]));
    return total;
  }
};

template <class T, class Op>
operator_on<T> make_operator_on() {
  constexpr bool rounded =
      (std::is_floating_point_v<T> || is_complex<T>)&&is_one_of<Op, hd::plus, hd::multiplies>;
  return {
      hd::detail::function_of<Op>,
      hd::detail::is_logical<Op>,
      !rounded,
      quiet_and_loud<T, Op>,
      operand<T, Op>,
      plainly<Op, T>,
      [](const hd::target& where, const hd::array_view<const T>& x) { return hd::reduce(where, x, Op{}); },
      [](const hd::target& where, const hd::array_view<const T>& x, const T& init) {
        return hd::reduce(where, x, Op{}, init);
      },
      [](const hd::target& where, const hd::array_view<const T>& x, hd::axis along) {
        return hd::reduce(where, x, along, Op{});
      }};
}

template <class T>
std::vector<operator_on<T>> operators_on() {
  std::vector<operator_on<T>> all;
  for_each_operator<T>([&]<class Op>() { all.push_back(make_operator_on<T, Op>()); });
  return all;
}

}  // namespace

TEST_P(reduce, is_a_plain_loop_for_every_type_operator_and_size) {
  for_each_dtype([&]<class T>() {
    for (const operator_on<T>& op : operators_on<T>()) {
      for (const std::size_t n : sizes_up_to(100'003)) {
        if (n == 0) continue;
        const hd::array<T> x = op.operands({n});
        const T have = op.reduce(where, x);
        ASSERT_TRUE(same_bits(have, op.grouped(x.span()))) << op.named(n) << ": " << have;
        if (op.exact) {
          ASSERT_EQ(have, op.looped(x.span())) << op.named(n);
        }
      }
    }
  });
}

TEST_P(reduce, hears_one_element_wherever_it_stands) {
  for_each_dtype([&]<class T>() {
    for (const operator_on<T>& op : operators_on<T>()) {
      const auto [quiet, loud] = op.quiet_and_loud();
      constexpr std::size_t tile = tile_of(sizeof(T), true);
      for (const std::size_t n : {std::size_t{2}, std::size_t{33}, tile - 1, tile, tile + 1, 5 * tile + 77}) {
        hd::array<T> x(n);
        x.fill(quiet);
        ASSERT_EQ(op.reduce(where, x), quiet) << op.named(n);
        for (const std::size_t place : {std::size_t{0}, n / 2, n - 2, n - 1, random_bits(n) % n}) {
          x.set(loud, place);
          ASSERT_EQ(op.reduce(where, x), loud) << op.named(n) << " with one at " << place;
          x.set(quiet, place);
        }
      }
    }
  });
}

TEST(reduce_on_cpu_and_gpu, of_many_elements_has_the_bits_of_the_documented_order) {
  for_each_dtype([&]<class T>() {
    const operator_on<T> op = make_operator_on<T, hd::plus>();
    for (const std::size_t n : {std::size_t{1'000'003}, std::size_t{10'000'000}}) {
      if (n > largest_size()) continue;
      const hd::array<T> x = op.operands({n});
      const T want = op.grouped(x.span());
      if (op.exact) {
        ASSERT_EQ(want, op.looped(x.span())) << op.named(n);
      }
      for (const hd::target& where : hd::tests::targets_at_hand()) {
        const T have = op.reduce(where, x);
        ASSERT_TRUE(same_bits(have, want)) << op.named(n) << " on " << where.text() << ": " << have;
      }
    }
  });
}

namespace {

/// The most additions between an element and the total of n: each may round by half an eps.
template <class T>
double additions(std::size_t n) {
  constexpr std::size_t lanes = lanes_of(sizeof(T), true), tile = tile_of(sizeof(T), true);
  std::size_t most = 0;
  for (;; n = (n + tile - 1) / tile) {
    most += std::min<std::size_t>(15, (n - 1) / lanes) + std::bit_width(std::min(n, lanes) - 1);
    if (n <= tile) return static_cast<double>(most);
  }
}

/// Relative error of that many roundings to the nearest (Higham 2002, lemma 3.1).
template <class Real>
double gamma(double roundings) {
  const double u = std::numeric_limits<Real>::epsilon() / 2;
  return roundings * u / (1 - roundings * u);
}

}  // namespace

TEST_P(reduce, sums_stay_within_the_bound_of_pairwise_summation) {
  for_each_type<float, double, std::complex<float>, std::complex<double>>([&]<class T>() {
    using real = decltype(std::abs(T()));
    constexpr std::size_t parts = sizeof(T) / sizeof(real);
    for (const std::size_t n : sizes_up_to(1'000'003)) {
      if (n == 0) continue;
      const hd::array<T> x = operands<T, hd::plus>(n);
      const T have = hd::reduce(where, x);
      for (std::size_t which = 0; which < parts; ++which) {
        __float128 sum = 0, magnitude = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const real value = reinterpret_cast<const real*>(x.data() + i)[which];
          sum += value;
          magnitude += std::abs(value);
        }
        const double error = static_cast<double>(reinterpret_cast<const real*>(&have)[which] - sum);
        const double allowed = gamma<real>(additions<T>(n)) * static_cast<double>(magnitude);
        ASSERT_LE(std::abs(error), allowed) << named<T>(n);
        // As a user would have it: eps·(log₂ n + 2)·Σ|x|.
        ASSERT_LE(allowed,
                  std::numeric_limits<real>::epsilon() * (std::log2(n) + 2) * static_cast<double>(magnitude))
            << named<T>(n);
      }
    }
  });
}

TEST_P(reduce, products_stay_within_their_bound) {
  for_each_type<float, double>([&]<class T>() {
    for (const std::size_t n : sizes_up_to(100'003)) {
      if (n == 0) continue;
      const hd::array<T> x = operands<T, hd::multiplies>(n);
      __float128 product = 1;
      for (const T factor : x.span()) product *= factor;
      const double error = static_cast<double>((hd::reduce(where, x, hd::multiplies{}) - product) / product);
      ASSERT_LE(std::abs(error), gamma<T>(static_cast<double>(n - 1))) << named<T, hd::multiplies>(n);
    }
  });
  for_each_type<float, double>([&]<class T>() {
    for (const std::size_t n : sizes_up_to(100'003)) {
      if (n == 0) continue;
      const hd::array<std::complex<T>> x = operands<std::complex<T>, hd::multiplies>(n);
      __float128 re = 1, im = 0;
      for (const std::complex<T> z : x.span()) {
        const __float128 next = re * z.real() - im * z.imag();
        im = re * z.imag() + im * z.real();
        re = next;
      }
      const std::complex<T> have = hd::reduce(where, x, hd::multiplies{});
      const double error =
          std::hypot(static_cast<double>(have.real() - re), static_cast<double>(have.imag() - im)) /
          std::hypot(static_cast<double>(re), static_cast<double>(im));
      // √5 roundings a complex product (Brent, Percival and Zimmermann 2007).
      ASSERT_LE(error, gamma<T>(std::sqrt(5.0) * static_cast<double>(n - 1))) << named<std::complex<T>>(n);
    }
  });
}

TEST_P(reduce, slices_have_the_bits_of_their_elements_wherever_they_start) {
  for_each_dtype([&]<class T>() {
    for (const operator_on<T>& op : operators_on<T>()) {
      const std::size_t n = 3 * tile_of(sizeof(T), true) + 40;
      const hd::array<T> x = op.operands({n});
      const hd::array<T> there = x.on(where);
      for (const std::size_t first : {1, 2, 3, 4, 7, 16, 31}) {
        for (const std::size_t last : {n, n - 30}) {
          const T want = op.grouped(x.span().subspan(first, last - first));
          ASSERT_TRUE(same_bits(op.reduce(where, there.slice(first, last)), want))
              << op.named(n) << " from " << first << " to " << last;
          ASSERT_TRUE(same_bits(op.reduce(where, x.slice(first, last)), want));
        }
      }
    }
  });
}

namespace {

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
  std::vector<std::size_t> lengths{1,  2,   7,   8,   9,        15,   16,       17,          32,
                                   33, 127, 128, 129, tile - 1, tile, tile + 1, 2 * tile + 1};
  if (seeks_races) lengths = {2, 33, 129, 2 * tile + 1};
  for (const std::size_t length : lengths) {
    for (const std::size_t width : {1, 2, 3, 31, 32, 33, 1000}) {
      if (length * width <= most_elements) f(length, width);
    }
  }
}

}  // namespace

TEST(reduce_on_cpu_and_gpu, along_an_axis_each_line_is_reduced_as_if_alone) {
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

TEST_P(reduce, along_an_axis_of_a_slice_that_begins_anywhere) {
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

/// Columns of elements behind the begin of an array, by a loop over rows; and with an initial value, behind
/// which the columns' results stand where no granule begins.
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
  const hd::array<T> there = x.on(where), at_a_granule = x.slice(first, first + n).on(where);
  for (const auto& columns :
       {there.slice(first, first + n).reshaped(lengths), at_a_granule.reshaped(lengths)}) {
    const auto flat = [](const hd::array<T>& results) {
      return results.on(hd::target::serial()).to_vector();
    };
    ASSERT_EQ(flat(hd::reduce(where, columns, hd::axis{-2}, Op())), want.to_vector())
        << hd::detail::type_name<T>() << lengths.text();
    ASSERT_EQ(flat(hd::reduce(where, columns, hd::axis{-2}, Op(), init)), after_init.to_vector())
        << hd::detail::type_name<T>() << lengths.text() << " with an initial value";
  }
}

TEST_P(reduce, of_columns_of_one_and_two_bytes_is_what_a_loop_computes) {
  // Rows that are granules, that begin anywhere, and that are so short that many are taken as one, with a
  // rest.
  for (const hd::shape& lengths :
       {hd::shape{1, 4096}, hd::shape{33, 1031}, hd::shape{2, 40, 2051}, hd::shape{700, 1024},
        hd::shape{3, 5, 64}, hd::shape{5, 72, 4}, hd::shape{3, 72, 131}, hd::shape{5, 640, 4},
        hd::shape{20'011, 30}, hd::shape{17, 20'001}, hd::shape{9000, 1031}, hd::shape{150'001, 64}}) {
    if (lengths.elements() > largest_size()) continue;
    check_columns<std::uint8_t, hd::plus>(where, lengths);
    check_columns<std::int8_t, hd::maximum>(where, lengths);
    check_columns<std::uint16_t, hd::multiplies>(where, lengths);
    check_columns<std::uint16_t, hd::bit_xor>(where, lengths);
  }
}

TEST(reduce_on_cpu_and_gpu, along_every_axis_of_1_to_4_axes_by_every_operator) {
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

TEST(reduceGpu, along_an_axis_of_many_lines_has_the_bits_of_one_core) {
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

TEST_P(reduce, axes_of_no_elements_give_identities_or_nothing) {
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

TEST_P(reduce, a_negative_axis_counts_from_the_last) {
  const hd::array<int> x = operands<int, hd::plus>(60).reshaped({3, 4, 5});
  for (std::ptrdiff_t axis = 0; axis < 3; ++axis) {
    EXPECT_TRUE(
        same_elements(hd::reduce(where, x, hd::axis{axis - 3}), hd::reduce(where, x, hd::axis{axis})));
  }
}

namespace {

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// A NaN with a sign and bits of its own.
template <class T>
T odd_nan(std::uint64_t seed) {
  const auto nan = std::bit_cast<bits_of<T>>(std::numeric_limits<T>::quiet_NaN());
  return std::bit_cast<T>(static_cast<bits_of<T>>(nan | (random_bits(seed) & 0xffff) |
                                                  static_cast<bits_of<T>>(seed % 2) << (8 * sizeof(T) - 1)));
}

}  // namespace

TEST_P(reduce, a_nan_anywhere_gives_the_one_quiet_nan) {
  for_each_type<float, double>([&]<class T>() {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    for (const std::size_t n : {1, 2, 33, 5000}) {
      for (const std::size_t place : {std::size_t{0}, n / 2, n - 1}) {
        hd::array<T> x = operands<T, hd::plus>(n);
        x.set(odd_nan<T>(place), place);
        x.set(odd_nan<T>(place + 1), n - 1);
        for_each_type<hd::plus, hd::multiplies, hd::minimum, hd::maximum>([&]<class Op>() {
          EXPECT_TRUE(same_bits(hd::reduce(where, x, Op{}), nan))
              << named<T, Op>(n) << " with a NaN at " << place;
          EXPECT_TRUE(same_elements(hd::reduce(where, x, hd::axis{0}, Op{}),
                                    hd::array<T>(std::vector{nan}).reshaped(hd::shape())));
          EXPECT_TRUE(same_bits(hd::reduce(where, x, Op{}, T(2)), nan));
        });
        EXPECT_EQ(hd::reduce(where, x, hd::logical_and{}), T(1)) << "a NaN is not zero";
      }
    }
    const T infinity = std::numeric_limits<T>::infinity();
    for (const std::size_t n : {2, 40, 5000}) {
      hd::array<T> x = operands<T, hd::plus>(n);
      x.set(infinity, 0);
      EXPECT_EQ(hd::reduce(where, x), infinity);
      EXPECT_EQ(hd::reduce(where, x, hd::maximum{}), infinity);
      x.set(-infinity, n - 1);
      EXPECT_TRUE(same_bits(hd::reduce(where, x), nan)) << named<T>(n) << " with infinities of both signs";
      EXPECT_EQ(hd::reduce(where, x, hd::minimum{}), -infinity);
      EXPECT_EQ(hd::reduce(where, x, hd::maximum{}), infinity);
    }
    EXPECT_TRUE(same_bits(hd::reduce(where, std::vector<T>{T(1)}, hd::plus{}, odd_nan<T>(1)), nan));
  });
}

TEST_P(reduce, a_nan_in_one_part_of_a_complex_sum_stays_there) {
  for (const std::size_t n : {1, 3, 100, 3000}) {
    hd::array<std::complex<float>> x(n);
    x.fill({1, 2});
    x.set({odd_nan<float>(3), 2}, n / 2);
    const std::complex<float> sum = hd::reduce(where, x);
    EXPECT_TRUE(same_bits(sum.real(), std::numeric_limits<float>::quiet_NaN()));
    EXPECT_EQ(sum.imag(), 2 * static_cast<float>(n));
  }
}

TEST_P(reduce, negative_zero_lies_below_zero_and_sums_of_it_keep_it) {
  for_each_type<float, double>([&]<class T>() {
    for (const std::size_t n : {1, 2, 31, 5000}) {
      hd::array<T> x(n);
      x.fill(T(-0.0));
      EXPECT_TRUE(same_bits(hd::reduce(where, x), T(-0.0)));
      EXPECT_TRUE(same_bits(hd::reduce(where, x, hd::maximum{}), T(-0.0)));
      EXPECT_EQ(hd::reduce(where, x, hd::logical_or{}), T(0));
      for (const std::size_t place : {std::size_t{0}, n / 2, n - 1}) {
        x.fill(T(-0.0));
        x.set(T(0), place);
        EXPECT_TRUE(same_bits(hd::reduce(where, x, hd::maximum{}), T(0))) << named<T>(n) << " at " << place;
        EXPECT_TRUE(same_bits(hd::reduce(where, x), T(0)));
        x.fill(T(0));
        x.set(T(-0.0), place);
        EXPECT_TRUE(same_bits(hd::reduce(where, x, hd::minimum{}), T(-0.0)))
            << named<T>(n) << " at " << place;
      }
    }
  });
}

TEST_P(reduce, overflow_wraps_integers_and_makes_floats_infinite) {
  for_each_type<std::int8_t, std::int16_t, std::int32_t, std::int64_t>([&]<class T>() {
    const T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
    EXPECT_EQ(hd::reduce(where, std::vector<T>{most, 1}), least);
    EXPECT_EQ(hd::reduce(where, std::vector<T>{least, -1}), most);
    EXPECT_EQ(hd::reduce(where, std::vector<T>{least, -1}, hd::multiplies{}), least);
    EXPECT_EQ(hd::reduce(where, std::vector<T>{least, most}, hd::minimum{}), least);
    EXPECT_EQ(hd::reduce(where, std::vector<T>{least, most}, hd::maximum{}), most);
  });
  const float most = std::numeric_limits<float>::max();
  EXPECT_EQ(hd::reduce(where, std::vector<float>{most, most}), std::numeric_limits<float>::infinity());
  EXPECT_EQ(hd::reduce(where, std::vector<float>{-most, most}, hd::multiplies{}),
            -std::numeric_limits<float>::infinity());
}

TEST_P(reduce, no_elements_give_the_identity_or_an_error) {
  for_each_dtype([&]<class T>() {
    const hd::array<T> nothing(0, where);
    for (const operator_on<T>& op : operators_on<T>()) {
      using hd::detail::function;
      if (op.which == function::minimum || op.which == function::maximum) {
        EXPECT_EQ(
            message_of([&] { (void)op.reduce(where, nothing); }),
            std::string("reduce: 0 ") + hd::detail::type_name<T>() +
                ": there are no elements, and the operator has no identity to return: give an initial value");
      } else {
        const T identity = op.reduce(where, nothing), some = op.seen(op.operand(5, 10));
        EXPECT_EQ(op.combine(identity, some), some) << op.named(0);
        EXPECT_EQ(op.combine(some, identity), some) << op.named(0);
      }
      EXPECT_EQ(op.reduce_from(where, nothing, T(1)), T(1));
    }
  });
}

TEST_P(reduce, an_initial_value_comes_first_and_once) {
  for_each_dtype([&]<class T>() {
    for (const operator_on<T>& op : operators_on<T>()) {
      for (const std::size_t n : {1, 2, 33, 9000}) {
        const hd::array<T> x = op.operands({n});
        const T init = op.operand(n / 2, n);
        EXPECT_TRUE(
            same_bits(op.reduce_from(where, x, init), op.combine(op.seen(init), op.grouped(x.span()))))
            << op.named(n);
      }
    }
  });
}

TEST_P(reduce, takes_vectors_spans_views_and_arrays_that_are_elsewhere) {
  std::vector<int> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i);
  EXPECT_EQ(hd::reduce(where, x), 499500);
  EXPECT_EQ(hd::reduce(where, std::span(x)), 499500);
  EXPECT_EQ(hd::reduce(where, std::span<const int>(x).first(10)), 45);
  const hd::array<int> there(x, where);
  EXPECT_EQ(hd::reduce(where, there), 499500);
  EXPECT_EQ(hd::reduce(where, there.view()), 499500);
  EXPECT_EQ(hd::reduce(hd::target::serial(), there), 499500);
  EXPECT_EQ(hd::reduce(hd::target::parallel(2), there), 499500);
  EXPECT_EQ(hd::reduce(hd::target::automatic(), there), 499500);
  EXPECT_EQ(hd::reduce(where, hd::array<int>(x).reshaped({10, 4, 25})), 499500);
  const hd::array<int> one(std::vector{7});
  EXPECT_EQ(hd::reduce(where, one.view().reshaped(hd::shape())), 7);
}

TEST_P(reduce, transform_reduce_by_built_in_functions_is_a_dot_product) {
  for_each_type<std::int32_t, std::uint8_t, float, double, std::complex<float>>([&]<class T>() {
    for (const std::size_t n : sizes_up_to(100'003)) {
      if (n == 0) continue;
      hd::array<T> x = operands<T, hd::plus>(n), y(n), products(n), scaled(n);
      for (std::size_t i = 0; i < n; ++i) {
        y.data()[i] = random_value<T>(i + 1'000'000);
        products.data()[i] = plainly<hd::multiplies>(x.data()[i], y.data()[i]);
        scaled.data()[i] = plainly<hd::multiplies>(x.data()[i], T(3));
      }
      const T dot = grouped_reduce_by<hd::plus, T>(products.span());
      const hd::array<T> there = x.on(where);
      ASSERT_TRUE(same_bits(hd::transform_reduce(where, x, y, hd::multiplies{}, hd::plus{}), dot))
          << named<T>(n);
      ASSERT_TRUE(same_bits(hd::transform_reduce(where, there, y, hd::multiplies{}, hd::plus{}), dot));
      const T multiple = grouped_reduce_by<hd::plus, T>(scaled.span());
      ASSERT_TRUE(same_bits(hd::transform_reduce(where, x, T(3), hd::multiplies{}, hd::plus{}), multiple));
      ASSERT_TRUE(same_bits(hd::transform_reduce(where, T(3), x, hd::multiplies{}, hd::plus{}), multiple));
    }
  });
}

TEST_P(reduce, transform_reduce_by_logical_functions_counts_zeros_as_false) {
  const std::vector<int> x{2, 4, 6, 8}, y{1, 0, 0, 4};
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::multiplies{}, hd::logical_and{}), 0);
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::plus{}, hd::logical_and{}), 1);
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::multiplies{}, hd::logical_or{}), 1);
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::multiplies{}, hd::logical_xor{}), 0);
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::logical_and{}, hd::plus{}), 2);
  EXPECT_EQ(hd::transform_reduce(where, std::vector{5}, std::vector{1}, hd::multiplies{}, hd::logical_or{}),
            1);
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::minus{}, hd::maximum{}), 6);
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::minimum{}, hd::bit_xor{}), 5);
}

TEST_P(reduce, transform_reduce_begins_with_an_initial_value) {
  const std::vector<float> x{2, 3}, y{5, 7};
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::multiplies{}, hd::plus{}, 100.f), 131.f);
  EXPECT_EQ(hd::transform_reduce(where, x, 10.f, hd::plus{}, hd::minimum{}, 1.f), 1.f);
  EXPECT_EQ(hd::transform_reduce(where, std::vector<float>(), 10.f, hd::plus{}, hd::minimum{}, 1.f), 1.f);
  EXPECT_EQ(hd::transform_reduce(where, x, y, hd::multiplies{}, hd::logical_and{}, 9.f), 1.f);
}

TEST_P(reduce, transform_reduce_along_an_axis_maps_and_reduces_each_line) {
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

TEST_P(reduce, an_initial_value_comes_before_every_line) {
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

TEST_P(reduce, an_initial_value_of_a_line_has_the_bits_that_it_has_of_an_array) {
  const std::vector<float> x{1, 2, 3};
  const hd::array_view<const float> line(x.data(), hd::shape{3, 1});
  for (const float init : {odd_nan<float>(5), 0.1f, -0.f, std::numeric_limits<float>::infinity()}) {
    for_each_type<hd::plus, hd::multiplies, hd::minimum, hd::maximum>([&]<class Op>() {
      EXPECT_TRUE(
          same_bits(hd::reduce(where, line, hd::axis{0}, Op{}, init)[0], hd::reduce(where, x, Op{}, init)));
    });
    EXPECT_EQ(hd::reduce(where, line, hd::axis{0}, hd::logical_and{}, init)[0], init == 0 ? 0.f : 1.f);
  }
}

TEST_P(reduce, transform_reduce_of_nothing_is_the_identity_or_an_error) {
  const std::vector<float> nothing;
  EXPECT_EQ(hd::transform_reduce(where, nothing, nothing, hd::multiplies{}, hd::plus{}), 0.f);
  EXPECT_EQ(hd::transform_reduce(where, nothing, 2.f, hd::multiplies{}, hd::multiplies{}), 1.f);
  EXPECT_EQ(
      message_of([&] { (void)hd::transform_reduce(where, nothing, nothing, hd::plus{}, hd::minimum{}); }),
      "transform_reduce: 0 float32: there are no elements, and the operator has no identity to return: "
      "give an initial value");
}

TEST_P(reduce, errors_name_the_axis_and_the_shapes) {
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

TEST(reduce_without_a_gpu, says_that_there_is_none) {
  if (!hd::gpus().empty()) GTEST_SKIP() << "this machine has a GPU";
  const std::vector<float> x{1, 2, 3};
  const std::string message = message_of([&] { (void)hd::reduce(hd::target::gpu(), x); });
  EXPECT_TRUE(message.starts_with("reduce: 3 float32 on gpu:0: ")) << message;
  EXPECT_NE(message.find("GPU", 28), std::string::npos) << message;
}

TEST(reduceGpu, a_function_that_a_host_compiler_compiled_cannot_run_there) {
  if (hd::gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
  const std::vector<float> x{1, 2, 3};
  const auto larger = [](float a, float b) { return a < b ? b : a; };
  const auto twice = [](float a) { return 2 * a; };
  const std::string reason =
      "the function is known to a host compiler only and cannot run on a GPU: compile this file with nvcc "
      "and mark the "
      "function HD_FN, or use a built-in operator on a built-in type";
  EXPECT_EQ(message_of([&] { (void)hd::reduce(hd::target::gpu(), x, larger); }),
            "reduce: 3 float32 on gpu:0: " + reason);
  EXPECT_EQ(message_of([&] { (void)hd::reduce(hd::target::gpu(), x, hd::axis{0}, larger); }),
            "reduce: 3 float32 on gpu:0: " + reason);
  EXPECT_EQ(message_of([&] { (void)hd::transform_reduce(hd::target::gpu(), x, twice, hd::plus{}); }),
            "transform_reduce: 3 float32 on gpu:0: " + reason);
}

// Functions and types of a user's own.

namespace {

/// Checks flat and along both axes, where each line must have the bits that it has alone.
template <class T, class Op, class Element>
void check_users_operator(const hd::target& where, bool commutative, const Op& op, const Element& element) {
  const std::size_t tile = tile_of(sizeof(T), commutative);
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{2}, std::size_t{15}, std::size_t{16}, std::size_t{17}, tile - 1, tile,
        tile + 1, 3 * tile + 18, std::size_t{50'001}}) {
    hd::array<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x.data()[i] = element(i);
    const T want = grouped_reduce<T>(x.span(), commutative, op);
    ASSERT_TRUE(same_bits(hd::reduce(where, x, op), want)) << n;
    ASSERT_TRUE(same_bits(hd::reduce(where, x, op, element(n)), op(element(n), want))) << n;
  }
  for (const hd::shape& lengths : {hd::shape{40, 33}, hd::shape{33, 40}, hd::shape{tile + 1, 3},
                                   hd::shape{3, tile + 1}, hd::shape{2, 17, 5}, hd::shape{2, 1, 3}}) {
    hd::array<T> x(lengths);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = element(i);
    for (std::size_t axis = 0; axis < lengths.axes(); ++axis) {
      ASSERT_TRUE(
          reduces_lines(hd::reduce(where, x, hd::axis{static_cast<std::ptrdiff_t>(axis)}, op), x, axis,
                        [&](std::span<const T> line) { return grouped_reduce<T>(line, commutative, op); }))
          << lengths.text() << " along axis " << axis;
    }
  }
}

}  // namespace

TEST_P(reduce_by_users_operator, keeps_the_order_of_operands) {
  const auto product = [](const auto& a, const auto& b) { return a * b; };
  check_users_operator<triangular>(where, false, product, random_element<triangular>);
  check_users_operator<matrix5>(where, false, product, random_element<matrix5>);
  check_users_operator<run>(where, false, join{}, [](std::size_t i) {
    return run{static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)};
  });
  check_users_operator<int>(
      where, false, [](int a, int) { return a; }, random_value<int>);
  check_users_operator<int>(
      where, false, [](int, int b) { return b; }, random_value<int>);
  check_users_operator<float>(
      where, false, [](float a, float b) { return a + b; }, random_value<float>);
  check_users_operator<double>(where, false, hd::monoid{[](double a, double b) { return a + b; }, 0.0},
                               random_value<double>);
}

TEST_P(reduce_by_users_operator, joins_runs_and_first_and_last_are_the_ends) {
  for (const std::int64_t n : {1, 2, 512, 513, 100'000}) {
    hd::array<run> x(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) x.set({i, i}, i);
    EXPECT_EQ(hd::reduce(where, x, join{}), (run{0, n - 1}));
    EXPECT_EQ(hd::reduce(where, x, join{}, run{-5, -1}), (run{-5, n - 1}));
    EXPECT_EQ(hd::reduce(where, x, [](run a, run) { return a; }), (run{0, 0}));
    EXPECT_EQ(hd::reduce(where, x, [](run, run b) { return b; }), (run{n - 1, n - 1}));
  }
}

TEST_P(reduce_by_users_operator, a_commutative_one_goes_by_lanes_side_by_side) {
  const auto sum = [](auto a, auto b) { return a + b; };
  check_users_operator<float>(where, true, hd::commutative_monoid{sum, 0.f}, random_value<float>);
  check_users_operator<std::complex<double>>(where, true, hd::commutative_monoid{sum, std::complex<double>()},
                                             random_value<std::complex<double>>);
  struct vector3 {
    float x, y, z;
    vector3 operator+(const vector3& other) const { return {x + other.x, y + other.y, z + other.z}; }
  };
  const auto vector_at = [](std::size_t i) {
    return vector3{random_value<float>(3 * i), random_value<float>(3 * i + 1),
                   random_value<float>(3 * i + 2)};
  };
  check_users_operator<vector3>(where, true, hd::commutative_monoid{sum, vector3{}}, vector_at);
  // A type's own + may depend on the order.
  check_users_operator<vector3>(where, false, hd::plus{}, vector_at);
}

TEST_P(reduce_by_users_operator, built_in_operators_keep_the_order_on_a_users_type) {
  struct matrix2 {
    std::uint32_t a, b, c, d;
    matrix2 operator*(const matrix2& y) const {
      return {a * y.a + b * y.c, a * y.b + b * y.d, c * y.a + d * y.c, c * y.b + d * y.d};
    }
  };
  std::vector<matrix2> x;
  matrix2 product{1, 0, 0, 1};
  for (std::uint32_t i = 0; i < 1000; ++i) {
    x.push_back({i, 1, 2 * i + 1, 3});
    product = product * x.back();
  }
  const matrix2 have = hd::reduce(where, x, hd::multiplies{}),
                rows = hd::reduce(where, x, hd::axis{0}, hd::multiplies{})[0];
  for (const matrix2& y : {have, rows}) {
    EXPECT_EQ(std::tie(y.a, y.b, y.c, y.d), std::tie(product.a, product.b, product.c, product.d));
  }
}

TEST_P(reduce_by_users_operator, takes_long_doubles) {
  const std::vector<long double> x(1000, 0.1L);
  EXPECT_NEAR(static_cast<double>(hd::reduce(where, x) - 100.L), 0., 1e-15);
  EXPECT_EQ(hd::reduce(where, x, hd::minimum{}), 0.1L);
}

TEST_P(reduce_by_users_operator, no_elements_give_the_identity_that_it_has) {
  const std::vector<int> nothing;
  const auto first = [](int a, int) { return a; };
  EXPECT_EQ(hd::reduce(where, nothing, hd::monoid{first, 17}), 17);
  EXPECT_EQ(hd::reduce(where, nothing, first, 18), 18);
  EXPECT_EQ(message_of([&] { (void)hd::reduce(where, nothing, first); }),
            "reduce: 0 int32: there are no elements, and the operator has no identity to return: give an "
            "initial value");
  EXPECT_EQ(message_of([&] { (void)hd::reduce(where, hd::array<run>(0), join{}); }),
            "reduce: 0 elements of a user's type: there are no elements, and the operator has no identity to "
            "return: give "
            "an initial value");
  EXPECT_TRUE(
      same_elements(hd::reduce(where, hd::array<int>(hd::shape{0, 2}), hd::axis{0}, hd::monoid{first, 3}),
                    hd::array(std::vector{3, 3})));
}

TEST_P(reduce_by_users_operator, transform_reduce_takes_any_number_of_inputs) {
  for (const std::size_t n : {1, 33, 8193, 100'003}) {
    hd::array<float> x = operands<float, hd::plus>(n), y(n), z(n), want(n);
    hd::array<double> squares(n);
    for (std::size_t i = 0; i < n; ++i) {
      y.data()[i] = random_value<float>(i + n);
      z.data()[i] = random_value<float>(i + 2 * n);
      want.data()[i] = x.data()[i] * y.data()[i] + z.data()[i] * 0.5f;
      squares.data()[i] = double{x.data()[i]} * x.data()[i];
    }
    const float have = hd::transform_reduce(
        where, x, y, z, 0.5f, [](float a, float b, float c, float d) { return a * b + c * d; }, hd::plus{});
    EXPECT_TRUE(same_bits(have, (grouped_reduce_by<hd::plus, float>(want.span())))) << n;
    const double square_sum = hd::transform_reduce(
        where, x, [](float a) { return double{a} * a; }, hd::plus{});
    EXPECT_TRUE(same_bits(square_sum, (grouped_reduce_by<hd::plus, double>(squares.span())))) << n;
    const std::int64_t positive = hd::transform_reduce(
        where, x, [](float a) { return std::int64_t{a > 0}; }, hd::plus{});
    EXPECT_EQ(positive, std::count_if(x.span().begin(), x.span().end(), [](float a) { return a > 0; }));
    EXPECT_TRUE(hd::transform_reduce(
        where, x, [](float a) { return a <= 1; }, hd::logical_and{}));
    EXPECT_FALSE(hd::transform_reduce(
        where, x, [](float a) { return a > 1; }, hd::logical_or{}));
    EXPECT_EQ(hd::transform_reduce(
                  where, x, [](float) { return 1; }, hd::plus{}, 5),
              static_cast<int>(n) + 5);
    const run ends = hd::transform_reduce(
        where, hd::array<std::int64_t>(std::vector<std::int64_t>{4, 5, 6, 7}),
        [](std::int64_t i) {
          return run{i, i};
        },
        join{});
    EXPECT_EQ(ends, (run{4, 7}));
  }
}

// Sizes that do not fit 31 and 32 bits; they run where HEDDLE_TEST_LARGEST allows.

TEST_P(reduce, bytes_beyond_31_and_32_bits) {
  for (const std::size_t n : {(std::size_t{1} << 31) + 1, (std::size_t{1} << 32) + 3}) {
    if (n > largest_size()) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is less than " << n;
    hd::array<std::int8_t> x(n, where);
    std::size_t first = 0;
    std::uint8_t sum = 0;
    for (std::size_t part = 0; first < n; ++part) {
      const std::size_t last = std::min(n, first + (std::size_t{1} << 29) + 12'345 * part + 1);
      x.slice(first, last).fill(static_cast<std::int8_t>(2 * part + 1));
      sum = static_cast<std::uint8_t>(sum + (last - first) * (2 * part + 1));
      first = last;
    }
    EXPECT_EQ(static_cast<std::uint8_t>(hd::reduce(where, x)), sum) << n;
    for (const std::size_t place : {std::size_t{1}, n / 2, n - 1}) {
      const std::int8_t before = x[place];
      x.set(-100, place);
      EXPECT_EQ(hd::reduce(where, x, hd::minimum{}), -100) << n << " with the least at " << place;
      x.set(before, place);
    }
    EXPECT_EQ(hd::reduce(where, x, hd::minimum{}), 1);
  }
}

TEST_P(reduce, floats_beyond_32_bits_of_bytes) {
  constexpr std::size_t n = std::size_t{1} << 30;
  if (n > largest_size()) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is less than " << n;
  hd::array<float> x(n);
  hd::for_each_index(hd::target::parallel(), hd::extent{n}, [values = x.data()](std::size_t i) {
    values[i] = static_cast<float>(random_bits(i) >> 40) * 0x1p-24f;
  });
  EXPECT_TRUE(same_bits(hd::reduce(where, x), (grouped_reduce_by<hd::plus, float>(x.span()))));
}

TEST_P(reduce, axes_of_an_array_beyond_32_bits) {
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
