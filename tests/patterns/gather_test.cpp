#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/gather.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class gather : public on_targets {};
HD_ON_ALL_TARGETS(gather);

class scatter : public on_targets {};
HD_ON_ALL_TARGETS(scatter);

template <class T>
hd::array<T> elements_from(std::size_t n, std::uint64_t first = 0) {
  hd::array<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (hd::has_dtype<T>) {
      x.data()[i] = random_value<T>(first + i);
    } else {
      x.data()[i] = random_element<T>(first + i);
    }
  }
  return x;
}

/// Indices into `size` elements, as far as the type reaches.
template <class Index>
hd::array<Index> indices_into(std::size_t size, std::size_t n) {
  const std::uint64_t most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
  const std::uint64_t reached = std::min<std::uint64_t>(size, most + (most == ~std::uint64_t{0} ? 0 : 1));
  hd::array<Index> indices(n);
  for (std::size_t i = 0; i < n; ++i) indices.data()[i] = static_cast<Index>(random_bits(~i) % reached);
  if (n > 0) indices.data()[n - 1] = static_cast<Index>(reached - 1);
  return indices;
}

template <class T, class Index>
void check_flat(const hd::target& where, std::size_t size, std::size_t n) {
  const hd::array<T> x = elements_from<T>(size);
  const hd::array<Index> indices = indices_into<Index>(size, n);
  hd::array<T> want(n);
  for (std::size_t i = 0; i < n; ++i) want.data()[i] = x.data()[static_cast<std::size_t>(indices.data()[i])];
  ASSERT_TRUE(same_elements(hd::gather(where, x, indices), want)) << size << ' ' << n;

  const hd::array<T> values = elements_from<T>(n, 1'000'000);
  hd::array<T> written = x.on(hd::target());
  for (std::size_t i = 0; i < n; ++i)
    written.data()[static_cast<std::size_t>(indices.data()[i])] = values.data()[i];
  hd::array<T> there = x.on(where), here = x.on(hd::target());
  hd::scatter(where, there, indices.on(where), values.on(where));
  ASSERT_TRUE(same_elements(there, written)) << size << ' ' << n;
  hd::scatter(where, here, indices, values);
  ASSERT_TRUE(same_elements(here, written)) << size << ' ' << n;
}

constexpr auto for_each_index_type = [](const auto& f) {
  for_each_integer_type([&]<class Index>() {
    if constexpr (!std::is_same_v<Index, bool>) f.template operator()<Index>();
  });
};

}  // namespace

TEST_P(gather, and_scatter_with_indices_of_every_type) {
  for_each_index_type([&]<class Index>() {
    for (const std::size_t n : {0, 1, 2, 33, 4097, 50'021}) {
      check_flat<float, Index>(where, 10'007, n);
      check_flat<float, Index>(where, 1, n);
    }
  });
}

TEST_P(gather, and_scatter_elements_of_every_type) {
  for_each_dtype([&]<class T>() { check_flat<T, std::int64_t>(where, 30'011, 70'001); });
  for_each_type<triangular, matrix5>([&]<class T>() {
    for (const std::size_t n : {1, 31, 4097}) check_flat<T, std::uint32_t>(where, 3001, n);
  });
}

TEST_P(gather, of_more_elements_than_a_few_threads_share) {
  const std::size_t n = std::min<std::size_t>(1'000'003, largest_size());
  check_flat<std::int32_t, std::size_t>(where, n, n);
}

TEST_P(gather, has_the_shape_of_the_indices) {
  const std::vector<double> x{10, 11, 12, 13, 14, 15};
  const hd::array<int> indices(std::vector<int>{5, 0, 5, 2, 1, 1});
  const hd::array<double> y = hd::gather(where, x, indices.reshaped({3, 1, 2}));
  EXPECT_EQ(y.shape(), (hd::shape{3, 1, 2}));
  EXPECT_EQ(y.where(), where);
  EXPECT_EQ(y.to_vector(), (std::vector<double>{15, 10, 15, 12, 11, 11}));
  // The elements of a matrix are counted in C order.
  EXPECT_EQ(hd::gather(where, hd::array<double>(x).reshaped({2, 3}), std::vector<char>{3})[0], 13);
}

TEST_P(gather, from_and_to_slices) {
  // What begins at no multiple of 16 bytes.
  const hd::array<std::int16_t> x = elements_from<std::int16_t>(1000);
  const hd::array<std::uint8_t> indices = indices_into<std::uint8_t>(256, 503);
  const hd::array<std::int16_t> x_there = x.on(where);
  const hd::array<std::uint8_t> indices_there = indices.on(where);
  hd::array<std::int16_t> out(600, where);
  out.fill(-1);
  hd::gather_into(where, out.slice(3, 503), x_there.slice(5, 900), indices_there.slice(3, 503));
  const std::vector<std::int16_t> have = out.to_vector();
  for (std::size_t i = 0; i < 600; ++i)
    ASSERT_EQ(have[i], i < 3 || i >= 503 ? -1 : x.data()[5 + indices.data()[i]]) << i;
  std::vector<std::int16_t> on_the_cpu(500);
  hd::gather_into(where, on_the_cpu, x_there.slice(5, 900), indices_there.slice(3, 503));
  EXPECT_TRUE(std::equal(on_the_cpu.begin(), on_the_cpu.end(), have.begin() + 3));
}

TEST_P(gather, and_scatter_along_an_axis) {
  const auto check = [&]<class T>(const hd::shape& lengths, std::size_t axis, std::size_t n) {
    const hd::axis along_axis{static_cast<std::ptrdiff_t>(axis) -
                              static_cast<std::ptrdiff_t>(lengths.axes())};
    const hd::axis_lines lines = along(lengths, axis);
    const hd::array<T> x = elements_from<T>(lengths.elements()).reshaped(lengths);
    const hd::array<std::int32_t> indices = indices_into<std::int32_t>(lines.length, n);
    const hd::shape result = lengths.with_length(axis, n);
    hd::array<T> want(result), written = x.on(hd::target());
    const hd::array<T> values = elements_from<T>(result.elements(), 77'777).reshaped(result);
    for (std::size_t o = 0; o < lines.outer; ++o) {
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = 0; i < lines.inner; ++i) {
          const std::size_t at =
              (o * lines.length + static_cast<std::size_t>(indices.data()[k])) * lines.inner + i;
          const std::size_t result_at = (o * n + k) * lines.inner + i;
          want.data()[result_at] = x.data()[at];
          written.data()[at] = values.data()[result_at];
        }
      }
    }
    const hd::array<T> have = hd::gather(where, x, indices, along_axis);
    ASSERT_EQ(have.shape(), result);
    ASSERT_TRUE(same_elements(have, want)) << lengths.text() << ' ' << axis;
    hd::array<T> there = x.on(where);
    hd::scatter(where, there, indices, values, along_axis);
    ASSERT_TRUE(same_elements(there, written)) << lengths.text() << ' ' << axis;
  };
  for (const hd::shape& lengths : {hd::shape{1, 1}, hd::shape{300, 7}, hd::shape{7, 300}, hd::shape{5, 90, 6},
                                   hd::shape{2, 3, 4, 50}, hd::shape{3, 0}, hd::shape{2000, 3}}) {
    for (std::size_t axis = 0; axis < lengths.axes(); ++axis) {
      if (lengths[axis] == 0) continue;
      for (const std::size_t n : {0, 1, 150}) {
        check.template operator()<float>(lengths, axis, n);
        check.template operator()<triangular>(lengths, axis, n);
      }
    }
  }
}

TEST_P(gather, puts_the_axes_of_the_indices_in_the_place_of_one) {
  const hd::array<float> x = elements_from<float>(24).reshaped({2, 3, 4});
  const hd::array<std::uint16_t> indices =
      hd::array<std::uint16_t>(std::vector<std::uint16_t>{2, 0, 1, 1, 2, 2}).reshaped({3, 2});
  const hd::array<float> y = hd::gather(where, x, indices, hd::axis{1});
  ASSERT_EQ(y.shape(), (hd::shape{2, 3, 2, 4}));
  EXPECT_EQ(y(1, 2, 0, 3), x(1, 2, 3));
  EXPECT_EQ(y(0, 1, 1, 0), x(0, 1, 0));
}

TEST_P(gather, names_the_first_index_outside) {
  const std::size_t n = 100'003;
  const std::vector<float> x(500);
  std::vector<float> out(n, 3.0f);
  std::vector<std::int32_t> indices(n, 499);
  const auto message = [&] { return message_of([&] { hd::gather_into(where, out, x, indices); }); };
  indices[99'999] = -7;
  EXPECT_NE(message().find("gather: 100003 float32 on " + where.text() +
                           ": index 99999 of 100003 is -7: it "
                           "must be from 0 to 499"),
            std::string::npos)
      << message();
  indices[70'001] = 500;
  EXPECT_NE(message().find("index 70001 of 100003 is 500"), std::string::npos) << message();
  indices[0] = std::numeric_limits<std::int32_t>::min();
  EXPECT_NE(message().find("index 0 of 100003 is -2147483648"), std::string::npos) << message();
  EXPECT_EQ(out, std::vector<float>(n, 3.0f));
  // The largest of a type, which reaches beyond no array, and what lies beyond an empty one.
  EXPECT_NE(message_of([&] {
              hd::gather(where, x, std::vector<std::uint64_t>{~std::uint64_t{0}});
            }).find("18446744073709551615"),
            std::string::npos);
  // Negative ones of few bits, as integers without a sign elements that there are.
  EXPECT_NE(
      message_of([&] { hd::gather(where, x, std::vector<std::int8_t>{127, -1}); }).find("index 1 of 2 is -1"),
      std::string::npos);
  EXPECT_NE(
      message_of([&] { hd::gather(where, x, std::vector<std::int8_t>{-128}); }).find("index 0 of 1 is -128"),
      std::string::npos);
  EXPECT_NE(message_of([&] { hd::gather(where, std::vector<float>(), indices); }).find("no elements"),
            std::string::npos);
  EXPECT_EQ(hd::gather(where, std::vector<float>(), std::vector<int>()).size(), 0u);
  EXPECT_NE(message_of([&] {
              hd::gather(where, hd::array<float>(x).reshaped({50, 10}), std::vector<int>{9, 10}, hd::axis{1});
            }).find("index 1 of 2 is 10: it must be from 0 to 9; negative indices do not count from the end"),
            std::string::npos);
}

TEST_P(gather, refuses_what_does_not_fit) {
  std::vector<int> x(10);
  const std::vector<int> indices(3);
  std::vector<int> out(4);
  EXPECT_NE(message_of([&] { hd::gather_into(where, out, x, indices); }).find("the output: 4 elements"),
            std::string::npos);
  const hd::array_view<int> all(x);
  EXPECT_NE(message_of([&] { hd::gather_into(where, all.slice(2, 5), x, indices); }).find("overlaps"),
            std::string::npos);
  EXPECT_NE(message_of([&] { hd::gather(where, x, indices, hd::axis{1}); }).find("axis 1"),
            std::string::npos);
}

TEST_P(scatter, leaves_the_last_of_equal_indices) {
  for (const std::size_t n : {3, 4096, 300'001}) {
    if (n > largest_size()) continue;
    std::vector<std::size_t> indices(n);
    std::vector<std::int64_t> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      indices[i] = random_bits(i) % 3;
      values[i] = static_cast<std::int64_t>(i);
    }
    std::vector<std::int64_t> out{-1, -2, -3, -4}, want = out;
    for (std::size_t i = 0; i < n; ++i) want[indices[i]] = values[i];
    hd::scatter(where, out, indices, values);
    EXPECT_EQ(out, want);
  }
}

TEST_P(scatter, writes_nothing_where_an_index_is_outside) {
  hd::array<float> out(100, where);
  out.fill(5);
  std::vector<std::int8_t> indices(1000, 7);
  const std::vector<float> values(1000, 1.0f);
  indices[999] = -1;
  const std::string message = message_of([&] { hd::scatter(where, out, indices, values); });
  EXPECT_NE(message.find("scatter: 1000 float32 on " + where.text() + ": index 999 of 1000 is -1"),
            std::string::npos)
      << message;
  EXPECT_EQ(out.to_vector(), std::vector<float>(100, 5.0f));
  hd::array<float> empty(0, where);
  EXPECT_NE(message_of([&] { hd::scatter(where, empty, indices, values); }).find("there are no elements"),
            std::string::npos);
}

TEST_P(scatter, refuses_what_does_not_fit) {
  std::vector<int> out(10);
  const std::vector<int> indices(3), values(4);
  EXPECT_NE(message_of([&] { hd::scatter(where, out, indices, values); }).find("the values: 4 elements"),
            std::string::npos);
  EXPECT_NE(
      message_of([&] { hd::scatter(where, out, indices, std::span<int>(out).first(3)); }).find("overlaps"),
      std::string::npos);
}
