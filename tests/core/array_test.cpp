#include "tests/core/numbered_elements.hpp"
#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/array.hpp>
#include <heddle/machine.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>
#include <heddle/transform.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <iterator>
#include <list>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class array : public on_targets {};
HD_ON_ALL_TARGETS(array);

template <std::size_t Bytes>
struct bytes_of {
  std::uint8_t at[Bytes];
};

template <class T>
void check_fill(const hd::target& where, const T& value) {
  for (const std::size_t n : {0, 1, 2, 3, 7, 33, 201, 65537}) {
    if (n * sizeof(T) > 10'000'000) break;
    hd::array<T> x(n + 2, where);
    const T other{};
    x.fill(other);
    x.slice(1, n + 1).fill(value);
    hd::array<T> expected(n + 2);
    for (std::size_t i = 0; i < n + 2; ++i) expected.data()[i] = i == 0 || i == n + 1 ? other : value;
    ASSERT_TRUE(same_elements(x, expected)) << sizeof(T) << " bytes, n = " << n;
  }
}

static_assert(!std::is_copy_constructible_v<hd::array<int>> && !std::is_copy_assignable_v<hd::array<int>>);
static_assert(std::is_nothrow_move_constructible_v<hd::array<int>> &&
              std::is_nothrow_move_assignable_v<hd::array<int>>);
static_assert(std::is_convertible_v<hd::array<int>&, hd::array_view<int>>);
static_assert(std::is_convertible_v<const hd::array<int>&, hd::array_view<const int>>);
static_assert(!std::is_convertible_v<const hd::array<int>&, hd::array_view<int>>);
static_assert(std::is_convertible_v<hd::array_view<int>, hd::array_view<const int>>);
static_assert(!std::is_convertible_v<std::vector<int>, hd::array<int>>, "copies are asked for by name");
static_assert(hd::array_like<hd::array<int>> && hd::array_like<hd::array_view<const int>> &&
              hd::array_like<std::vector<int>> && hd::array_like<std::span<const int>> &&
              hd::array_like<int[3]> && hd::array_like<std::string> && !hd::array_like<std::vector<bool>> &&
              !hd::array_like<int> && !hd::array_like<int*> && !hd::array_like<int[2][3]> &&
              !hd::array_like<std::list<int>>);
static_assert(std::contiguous_iterator<decltype(std::declval<hd::array<int>&>().begin())>);
static_assert(std::ranges::contiguous_range<hd::array<int>&> &&
              std::ranges::contiguous_range<hd::array_view<const float>> &&
              std::ranges::borrowed_range<hd::array_view<int>>);

}  // namespace

TEST_P(array, is_made_from_a_vector_a_span_and_an_array_of_the_language) {
  const std::vector<int> values{3, 1, 4, 1, 5};
  const int plain[] = {2, 7, 1};
  EXPECT_EQ(hd::array<int>(values, where).to_vector(), values);
  EXPECT_EQ(hd::array(values, where).to_vector(), values);
  EXPECT_EQ(hd::array(std::span(values).subspan(1, 3), where).to_vector(), (std::vector<int>{1, 4, 1}));
  EXPECT_EQ(hd::array<int>(plain, where).to_vector(), (std::vector<int>{2, 7, 1}));
  EXPECT_EQ(hd::array(std::array<double, 2>{1.5, 2.5}, where).to_vector(), (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(hd::array(std::vector<float>(), where).size(), 0u);
  const hd::array<int> x(values, where);
  EXPECT_EQ(x.where(), where);
  EXPECT_EQ(x.shape(), hd::shape{5});
}

TEST_P(array, is_made_from_a_list_a_range_and_a_value) {
  EXPECT_EQ((hd::array<int>{1, 2, 3}.on(where).to_vector()), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(hd::array<int>{5}.size(), 1u);
  EXPECT_EQ(hd::array<int>(5).size(), 5u);
  EXPECT_EQ(hd::array<std::size_t>{5}[0], 5u);
  EXPECT_EQ(hd::array<int>{}.size(), 0u);
  EXPECT_EQ(hd::array<int>({2, 3}, where).shape(), (hd::shape{2, 3})) << "a list in parentheses is a shape";
  EXPECT_EQ(hd::array<int>({2, 3}).shape(), (hd::shape{2, 3}));
  static_assert(std::is_same_v<decltype(hd::array{1.5, 2.5}), hd::array<double>>);
  hd::array<float> reals{1, 2.5, 3};
  EXPECT_EQ(reals.to_vector(), (std::vector<float>{1, 2.5, 3}));
  reals = {4, 5};
  EXPECT_EQ(reals.to_vector(), (std::vector<float>{4, 5}));
  const hd::array<bool> flags{true, false, 1};
  EXPECT_EQ(flags.to_vector(), (std::vector<bool>{true, false, true}));
  const hd::array<std::complex<double>> z{{1, 2}, 3};
  EXPECT_EQ(z.to_vector(), (std::vector<std::complex<double>>{{1, 2}, {3, 0}}));
  const hd::array<named> pairs{{1, 'a'}, {2, 'b'}};
  EXPECT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[1].name, 'b');
  EXPECT_EQ(message_of([] { hd::array<std::int8_t>{1, 128}; }),
            "128 is no int8: give a value that the elements can hold");

  const hd::array<float> sevens({2, 2}, 7, where);
  EXPECT_EQ(sevens.shape(), (hd::shape{2, 2}));
  EXPECT_EQ(sevens.to_vector(), (std::vector<float>{7, 7, 7, 7}));
  EXPECT_EQ(hd::array<int>(3, 9, where).to_vector(), (std::vector<int>{9, 9, 9}));
  EXPECT_EQ(hd::array<float>(0, 1.5, where).size(), 0u);

  const std::vector<int> values{3, 1, 4, 1, 5};
  EXPECT_EQ(hd::array<int>(values.begin() + 1, values.end(), where).to_vector(),
            (std::vector<int>{1, 4, 1, 5}));
  const std::list<int> scattered(values.begin(), values.end());
  EXPECT_EQ(hd::array(scattered, where).to_vector(), values);
  EXPECT_EQ(hd::array<double>(scattered, where).to_vector(), (std::vector<double>{3, 1, 4, 1, 5}));
  EXPECT_EQ(hd::array(std::vector<bool>{true, false}, where).to_vector(), (std::vector<bool>{true, false}));
  EXPECT_EQ(hd::array(std::list<float>(), where).size(), 0u);
  EXPECT_EQ(message_of([&] { hd::array<int>(values.end(), values.begin(), where); }),
            "array: the last of two iterators comes 5 elements before the first: were they swapped?");
}

TEST_P(array, is_a_range_of_its_elements_on_the_cpu) {
  hd::array<int> x = counting({2, 3}, where);
  const hd::array<int>& constant = x;
  if (where.is_gpu()) {
    const std::string message = "begin: the elements are on gpu:0; copy them with on(target::serial()) first";
    EXPECT_EQ(message_of([&] {
                for ([[maybe_unused]] int& element : x) {
                }
              }),
              message);
    EXPECT_EQ(message_of([&] { (void)constant.view().end(); }), message);
    return;
  }
  for (int& element : x) element *= 10;
  EXPECT_EQ(std::accumulate(constant.begin(), constant.end(), 0), 150);
  EXPECT_EQ(*std::max_element(constant.row(0).begin(), constant.row(0).end()), 20);
  int last = 0;
  for (const int element : x.on(where)) last = element;
  EXPECT_EQ(last, 50);
  const hd::array<int> nothing(0, where);
  EXPECT_EQ(nothing.begin(), nothing.end());
}

TEST_P(array, has_a_shape_and_a_place) {
  const hd::array<float> nothing;
  EXPECT_EQ(nothing.size(), 0u);
  EXPECT_EQ(nothing.shape(), hd::shape{0});
  EXPECT_EQ(nothing.to_vector(), std::vector<float>());
  const hd::array<float> row(7, where);
  EXPECT_EQ(row.shape(), hd::shape{7});
  const hd::array<double> block({2, 3, 4}, where);
  EXPECT_EQ(block.size(), 24u);
  EXPECT_EQ(block.shape(), (hd::shape{2, 3, 4}));
  EXPECT_EQ(block.where(), where);
  const hd::array<int> hollow({3, 0, 4}, where);
  EXPECT_EQ(hollow.size(), 0u);
  hd::array<int> one_number(hd::shape{}, where);
  EXPECT_EQ(one_number.size(), 1u);
  one_number.fill(9);
  EXPECT_EQ(one_number[0], 9);
}

TEST_P(array, moves_without_copying) {
  hd::array<int> x = counting({2, 3}, where);
  const int* const data = x.data();
  hd::array<int> y = std::move(x);
  EXPECT_EQ(y.data(), data);
  EXPECT_EQ(y.shape(), (hd::shape{2, 3}));
  EXPECT_EQ(x.size(), 0u);
  EXPECT_EQ(x.shape(), hd::shape{0});
  hd::array<int> z(100, where);
  z = std::move(y);
  EXPECT_EQ(z.data(), data);
  EXPECT_EQ(z.to_vector(), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  x = hd::array<int>(3, where);
  x.fill(8);
  EXPECT_EQ(x.to_vector(), (std::vector<int>{8, 8, 8}));
}

TEST_P(array, empty_like_has_the_shape_the_type_and_the_place) {
  const hd::array<double> x({4, 5}, where);
  const auto like = hd::empty_like(x);
  static_assert(std::is_same_v<decltype(like), const hd::array<double>>);
  EXPECT_EQ(like.shape(), (hd::shape{4, 5}));
  EXPECT_EQ(like.where(), where);
  EXPECT_NE(like.data(), x.data());
  const auto like_row = hd::empty_like(x.row(1));
  static_assert(std::is_same_v<decltype(like_row), const hd::array<double>>);
  EXPECT_EQ(like_row.shape(), hd::shape{5});
  EXPECT_EQ(like_row.where(), where);
}

TEST_P(array, fills_elements_of_any_size) {
  for_each_dtype([&]<class T>() { check_fill<T>(where, random_value<T>(11)); });
  auto each = [&]<std::size_t Bytes>() {
    bytes_of<Bytes> value;
    for (std::size_t k = 0; k < Bytes; ++k) value.at[k] = static_cast<std::uint8_t>(200 + k);
    check_fill(where, value);
  };
  [&]<std::size_t... Bytes>(std::index_sequence<Bytes...>) {
    (each.template operator()<Bytes>(), ...);
  }(std::index_sequence<1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65,
                        100>());
  check_fill(where, bytes_of<40000>{{1, 2, 3}});
}

TEST_P(array, slices_and_rows_are_views_of_its_elements) {
  hd::array<int> x = counting({4, 3, 2}, where);
  const auto middle = x.slice(1, 3);
  EXPECT_EQ(middle.shape(), (hd::shape{2, 3, 2}));
  EXPECT_EQ(middle.data(), x.data() + 6);
  EXPECT_EQ(middle.where(), where);
  EXPECT_EQ(middle(1, 2, 1), 17);
  EXPECT_EQ(x.slice(2, 2).size(), 0u);
  EXPECT_EQ(x.slice(0, 4).size(), 24u);
  EXPECT_EQ(x.slice(4, 4).shape(), (hd::shape{0, 3, 2}));
  const auto plane = x.row(2);
  EXPECT_EQ(plane.shape(), (hd::shape{3, 2}));
  EXPECT_EQ(plane.to_vector(), (std::vector<int>{12, 13, 14, 15, 16, 17}));
  EXPECT_EQ(plane.row(1).to_vector(), (std::vector<int>{14, 15}));
  EXPECT_EQ(plane.row(1).row(0).shape(), hd::shape());
  EXPECT_EQ(plane.row(1).row(1)[0], 15);
  plane.row(0).fill(-1);
  middle.set(99, 0, 1, 0);
  EXPECT_EQ(x(2, 0, 1), -1);
  EXPECT_EQ(x(1, 1, 0), 99);
  const hd::array<int>& constant = x;
  static_assert(std::is_same_v<decltype(constant.slice(0, 1)), hd::array_view<const int>>);
  static_assert(std::is_same_v<decltype(constant.row(0).data()), const int*>);
  EXPECT_EQ(constant.row(0).back(), 5);
}

TEST(array_view, can_be_copied_moved_and_kept) {
  hd::array<float> x(hd::shape{2, 3});
  x.fill(1);
  const hd::array_view<float> view = x;
  static_assert(std::is_copy_assignable_v<hd::array_view<float>>);
  static_assert(!std::is_constructible_v<hd::array_view<float>, hd::array_view<const float>>);
  const std::vector<hd::array_view<float>> kept{view, view.row(1)};
  [copy = view] { copy.fill(2); }();
  EXPECT_EQ(kept[1][2], 2);
  const hd::array_view<const float> constant = kept[0];
  EXPECT_EQ(constant.shape(), (hd::shape{2, 3}));
}

TEST(array_view, is_made_of_two_iterators) {
  std::vector<int> x{1, 2, 3, 4};
  const hd::array_view inner(x.begin() + 1, x.end());
  static_assert(std::is_same_v<decltype(inner), const hd::array_view<int>>);
  EXPECT_EQ(inner.to_vector(), (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(hd::reduce(hd::target(), hd::array_view(x.cbegin(), x.cend())), 10);
  EXPECT_EQ(hd::array_view<const int>(x.data(), x.data()).size(), 0u);
  inner[0] = 20;
  EXPECT_EQ(x[1], 20);
  EXPECT_EQ(message_of([&] { hd::array_view(x.end(), x.begin()); }),
            "array_view: the last of two iterators comes 4 elements before the first: were they swapped?");
  static_assert(!std::is_constructible_v<hd::array_view<int>, const int*, const int*>);
}

TEST(array_view, is_made_of_what_is_contiguous) {
  std::vector<int> x{1, 2, 3};
  const std::array<int, 3> y{4, 5, 6};
  hd::array_view<int>(x).copy_from(y);
  EXPECT_EQ(x, (std::vector<int>{4, 5, 6}));
  hd::array<int> z(3);
  z.copy_from(x);
  EXPECT_EQ(z.reshaped({3, 1})(2, 0), 6);
  EXPECT_EQ(hd::reduce(hd::target(), y), 15);
  int plain[] = {7, 8};
  EXPECT_EQ(hd::reduce(hd::target(), plain), 15);
  hd::inclusive_scan_into(hd::target(), plain, plain);
  EXPECT_EQ(plain[1], 15);
}

TEST(array_assigned, a_move_frees_what_was_there) {
  hd::array<int> x(100), y(50);
  x = std::move(y);
  EXPECT_EQ(x.size(), 50u);
  EXPECT_EQ(y.size(), 0u);
  EXPECT_EQ(y.data(), nullptr);
}

TEST_P(array, of_a_type_that_asks_for_alignment_has_it) {
  struct alignas(256) wide {
    int x;
  };
  const hd::array<wide> x(3, where);
  EXPECT_EQ(reinterpret_cast<std::size_t>(x.data()) % 256, 0u);
}

TEST_P(array, goes_from_target_to_target_and_back) {
  for_each_dtype([&]<class T>() {
    for (const std::size_t n : sizes_up_to(9000)) {
      hd::array<T> x(n);
      for (std::size_t i = 0; i < n; ++i) x.data()[i] = random_value<T>(i);
      const hd::array<T> there = x.on(where);
      EXPECT_EQ(there.where(), where);
      const hd::array<T> again = there.on(where);
      ASSERT_TRUE(n == 0 || again.data() != there.data());
      hd::array<T> back(n);
      back.copy_from(again);
      ASSERT_TRUE(same_elements(back, x)) << hd::impl::type_name<T>() << ", n = " << n;
    }
  });
  hd::array<int> x = counting({6, 5}, where);
  const hd::array<int> part = x.slice(2, 4).on(hd::target::parallel(2));
  EXPECT_EQ(part.shape(), (hd::shape{2, 5}));
  EXPECT_EQ(part.where(), hd::target::parallel(2));
  x.slice(0, 2).copy_from(part);
  EXPECT_EQ(x(1, 4), 19);
  std::vector<int> out(10);
  x.slice(4, 6).copy_to(out);
  EXPECT_EQ(out.back(), 29);
}

TEST_P(array, becomes_a_vector_of_bool) {
  hd::array<bool> x(70, where);
  x.fill(false);
  x.set(true, 3);
  x.set(true, 69);
  const std::vector<bool> values = x.to_vector();
  for (std::size_t i = 0; i < 70; ++i) EXPECT_EQ(values[i], i == 3 || i == 69) << i;
  EXPECT_TRUE(x[69]);
}

TEST_P(array, takes_another_shape_of_as_many_elements) {
  hd::array<int> x = counting({12}, where);
  const int* const data = x.data();
  EXPECT_EQ(x.view().reshaped({2, 6})(1, 5), 11);
  hd::array<int> table = std::move(x).reshaped({3, 4});
  EXPECT_EQ(table.data(), data);
  EXPECT_EQ(table.shape(), (hd::shape{3, 4}));
  EXPECT_EQ(table(2, 3), 11);
}

TEST_P(array, gives_its_elements_to_code_on_the_cpu_only) {
  hd::array<int> x = counting({2, 3}, where);
  if (where.is_gpu()) {
    EXPECT_EQ(message_of([&] { (void)x.span(); }),
              "span: the elements are on gpu:0; copy them with on(target::serial()) first");
    return;
  }
  x.span()[4] = 44;
  x.access<2>()(1, 2) = 55;
  EXPECT_EQ(x.to_vector(), (std::vector<int>{0, 1, 2, 3, 44, 55}));
  const hd::array<int>& constant = x;
  EXPECT_EQ(constant.access<2>()(1, 1), 44);
  EXPECT_EQ(constant.span().back(), 55);
  const auto block = counting({2, 3, 4}, where);
  EXPECT_EQ(block.access<3>()(1, 2, 3), 23);
}

TEST_P(array, says_that_there_is_no_memory) {
  const std::size_t many = std::size_t{1} << 60;
  const std::string message = message_of([&] { hd::array<std::int8_t> x(many, where); });
  const std::string start =
      "array: 1152921504606846976 int8 on " + where.text() + ": out of memory (needs 1073741824.0 GiB";
  EXPECT_TRUE(message.starts_with(start)) << message;
  EXPECT_TRUE(message.ends_with(where.is_gpu() ? " GiB free)" : " GiB)")) << message;
  EXPECT_EQ(message_of([&] { hd::array<double> x(many * 4, where); }),
            "array: 4611686018427387904 float64 on " + where.text() + ": more bytes than 64 bits can count");
  EXPECT_EQ(
      message_of([&] { hd::array<double> x({many, many}, where); }),
      "the number of elements of shape (1152921504606846976, 1152921504606846976) does not fit 64 bits");
  hd::array<int> x(1000, where);
  x.fill(3);
  EXPECT_EQ(x.back(), 3);
}

TEST(array_automatic, does_not_live_on_a_target_that_is_yet_to_be_chosen) {
  EXPECT_EQ(message_of([] { hd::array<int> x(5, hd::target::automatic()); }),
            "array: 5 int32 on auto: an array cannot live on `auto`: name a target");
}

TEST(array_two_Gpus, moves_between_them_and_each_works_on_its_own) {
  if (hd::gpus().size() < 2) GTEST_SKIP() << "this machine has no two GPUs";
  const hd::target first = hd::target::gpu(0), second = hd::target::gpu(1);
  constexpr std::size_t n = 3'000'001;
  for (int round = 0; round < 3; ++round) {
    hd::array<std::int64_t> x(n, second);
    x.fill(1);
    EXPECT_EQ(hd::reduce(second, x), static_cast<std::int64_t>(n));
    hd::inclusive_scan_into(second, x, x);
    const hd::array<std::int64_t> there = x.on(first);
    x.fill(0);  // after the copy has read it
    EXPECT_EQ(there.back(), static_cast<std::int64_t>(n));
    EXPECT_EQ(hd::reduce(first, there, hd::maximum{}), static_cast<std::int64_t>(n));
    // Elements that are on another GPU, or on the CPU, are brought to the one that works.
    const std::vector<std::int64_t> here = there.to_vector();
    const std::int64_t sum = static_cast<std::int64_t>(n) * (static_cast<std::int64_t>(n) + 1) / 2;
    EXPECT_EQ(hd::reduce(second, there), sum);
    EXPECT_EQ(hd::reduce(second, here), sum);
    const hd::array<std::int64_t> twice = hd::transform(second, there, there, hd::plus{});
    EXPECT_EQ(twice.where(), second);
    EXPECT_EQ(hd::reduce(first, twice), 2 * sum);
    hd::release_cached_memory(second);
  }
}
