#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/segments.hpp"
#include "tests/sizes.hpp"
#include <heddle/segmented_reduce.hpp>
#include <heddle/sort.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class segmented_reduce : public on_targets {};
HD_ON_ALL_TARGETS(segmented_reduce);

/// Operators that a host compiler compiled: a GPU does not have them.
class segmented_reduce_by_users_operator : public on_targets {};
HD_ON_CPU_TARGETS(segmented_reduce_by_users_operator);

/// Lengths below a warp, about a tile, of many tiles, and of all together.
std::vector<offsets_of_segments> all_segments(std::size_t n) {
  std::vector<offsets_of_segments> all{{0}, {0, 0}, {3, 3}, {0, n}, {1, n}, {0, n / 3, n}};
  for (const std::size_t longest : {1, 5, 40, 700, 9000, 20'000}) all.push_back(segments_of(2, n, longest));
  return all;
}

/// What `reduce` of each segment alone gives.
template <class T, class Op>
void check_segments(const hd::target& where, const hd::array<T>& x, const offsets_of_segments& offsets,
                    const Op& op) {
  const std::vector<T> have = hd::segmented_reduce(where, x, offsets, op).to_vector();
  ASSERT_EQ(have.size(), offsets.size() - 1);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const T want = offsets[s] == offsets[s + 1]
                       ? hd::impl::identity_of<Op, T>(op)
                       : hd::reduce(hd::target::serial(), x.slice(offsets[s], offsets[s + 1]), op);
    ASSERT_TRUE(same_bits(have[s], want)) << hd::impl::type_name<T>() << ", segment " << s << " from "
                                          << offsets[s] << " to " << offsets[s + 1];
  }
}

}  // namespace

TEST_P(segmented_reduce, gives_the_bits_of_reduce) {
  const std::size_t n = 30'001;
  const auto all = all_segments(n);
  for_each_dtype([&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      unsigned turn = 0;
      for_each_operator<T>([&]<class Op>() {
        const hd::array<T> x = operands<T, Op>(n);
        // Every operator with some lengths, and plus with all.
        for (std::size_t k = 0; k < all.size(); ++k) {
          if (std::is_same_v<Op, hd::plus> || k % 4 == turn % 4) check_segments<T>(where, x, all[k], Op{});
        }
        ++turn;
      });
    }
  });
}

TEST_P(segmented_reduce, of_long_segments) {
  const std::size_t n = std::min<std::size_t>(9'000'001, largest_size());
  const hd::array<float> x = operands<float, hd::plus>(n);
  check_segments<float>(where, x, {0, n / 2, n / 2 + 5, n}, hd::plus{});
}

TEST_P(segmented_reduce, of_segments_about_as_long_as_threads_share) {
  constexpr std::size_t shared = hd::cpu::long_segment;
  for (const std::size_t length : {shared - 1, shared, shared + 1, 2 * shared + 1}) {
    if (length + 8 > largest_size()) continue;
    const hd::array<std::int64_t> x = operands<std::int64_t, hd::plus>(length + 8);
    for (const offsets_of_segments& offsets :
         {offsets_of_segments{0, length}, {3, length + 3}, {3, 5, length + 5, length + 8}})
      check_segments<std::int64_t>(where, x, offsets, hd::plus{});
  }
}

TEST_P(segmented_reduce, offsets_may_be_on_the_target) {
  const hd::array<float> x = operands<float, hd::plus>(1000);
  const hd::array<float> there = x.on(where);
  const hd::array<std::size_t> offsets(offsets_of_segments{0, 10, 500, 1000}, where);
  EXPECT_TRUE(same_elements(hd::segmented_reduce(where, there, offsets),
                            hd::segmented_reduce(hd::target::serial(), x, offsets.to_vector())));
}

TEST_P(segmented_reduce, writes_into_an_output) {
  const hd::array<float> x = operands<float, hd::plus>(1000);
  const offsets_of_segments offsets{0, 10, 10, 1000};
  const std::vector<float> want = hd::segmented_reduce(hd::target::serial(), x, offsets).to_vector();
  std::vector<float> out(3, -1);
  hd::segmented_reduce_into(where, out, x, offsets);
  EXPECT_EQ(out, want);
  hd::array<float> there(3, where);
  hd::segmented_reduce_into(where, there, x, offsets);
  EXPECT_EQ(there.to_vector(), want);
}

TEST_P(segmented_reduce, refuses_an_output_that_does_not_fit) {
  hd::array<float> x(std::vector<float>(5, 1));
  const offsets_of_segments offsets{0, 2, 5};
  std::vector<float> out(3);
  const std::string call = "segmented_reduce: 5 float32 on " + where.text() + ": ";
  EXPECT_EQ(message_of([&] { hd::segmented_reduce_into(where, out, x, offsets); }),
            call + "the output: 3 elements do not fit 2");
  auto part = x.slice(0, 2);
  EXPECT_EQ(message_of([&] { hd::segmented_reduce_into(where, part, x, offsets); }),
            call + "the output overlaps an input: write into another array");
  EXPECT_EQ(x.to_vector(), std::vector<float>(5, 1));
  hd::array<std::size_t> bounds(offsets);
  auto inside = bounds.slice(0, 2);
  EXPECT_NE(message_of([&] {
              hd::segmented_reduce_into(where, inside, std::vector<std::size_t>(5, 1), bounds);
            }).find("the output overlaps an input"),
            std::string::npos);
  EXPECT_EQ(bounds.to_vector(), offsets);
}

TEST_P(segmented_reduce, offsets_must_not_fall) {
  const std::vector<int> x(5);
  const auto message = [&](const offsets_of_segments& offsets) {
    return message_of([&] { hd::segmented_reduce(where, x, offsets); });
  };
  EXPECT_NE(message({0, 3, 2}).find("segment 1 goes from element 3 to 2 of 5"), std::string::npos);
  EXPECT_NE(message({0, 6}).find("segment 0 goes from element 0 to 6 of 5"), std::string::npos);
  // Offsets on a GPU are checked on the CPU that uses them.
  const hd::array<std::size_t> there(offsets_of_segments{0, 6}, where);
  EXPECT_NE(message_of([&] {
              hd::segmented_reduce(hd::target::serial(), x, there);
            }).find("segment 0 goes from element 0 to 6 of 5"),
            std::string::npos);
}

TEST_P(segmented_reduce, by_key_combines_runs) {
  for (const std::size_t n : {0, 1, 2, 1000, 100'003}) {
    for (const std::size_t longest : {1, 7, 5000}) {
      std::vector<std::int16_t> keys(n);
      for (std::size_t i = 0; i < n; ++i)
        keys[i] = static_cast<std::int16_t>(random_bits(random_bits(i / longest) % (n / 3 + 1)));
      const hd::array<double> values = operands<double, hd::plus>(n);
      std::vector<std::int16_t> want_keys;
      offsets_of_segments offsets;
      for (std::size_t i = 0; i < n; ++i) {
        if (i > 0 && keys[i] == keys[i - 1]) continue;
        want_keys.push_back(keys[i]);
        offsets.push_back(i);
      }
      offsets.push_back(n);
      const auto [have_keys, sums] = hd::reduce_by_key(where, keys, values);
      EXPECT_EQ(have_keys.to_vector(), want_keys);
      const std::vector<double> have = sums.to_vector();
      ASSERT_EQ(have.size(), want_keys.size());
      for (std::size_t s = 0; s < have.size(); ++s) {
        ASSERT_EQ(have[s], hd::reduce(hd::target::serial(), values.slice(offsets[s], offsets[s + 1])));
      }
    }
  }
}

TEST_P(segmented_reduce, by_key_after_a_sort_counts) {
  std::vector<std::int32_t> x(10'000);
  std::map<std::int32_t, std::int64_t> want;
  for (std::size_t i = 0; i < x.size(); ++i) ++want[x[i] = static_cast<std::int32_t>(random_bits(i) % 100)];
  const std::vector<std::int64_t> ones(x.size(), 1);
  const auto [keys, counts] = hd::reduce_by_key(where, hd::sort(where, x), ones);
  const std::vector<std::int32_t> k = keys.to_vector();
  const std::vector<std::int64_t> c = counts.to_vector();
  ASSERT_EQ(k.size(), want.size());
  for (std::size_t i = 0; i < k.size(); ++i) EXPECT_EQ(c[i], want.at(k[i]));
}

TEST_P(segmented_reduce_by_users_operator, keeps_the_order) {
  const std::size_t n = 300'000;
  hd::array<triangular> x(n);
  for (std::size_t i = 0; i < n; ++i) x.data()[i] = random_element<triangular>(i);
  const auto product = [](const triangular& a, const triangular& b) { return a * b; };
  const hd::monoid by{product, triangular{1, 0, 1}};
  for (const std::size_t longest : {5, 700, 60'000})
    check_segments<triangular>(where, x, segments_of(0, n, longest), by);
  check_segments<triangular>(where, x, {0, n}, by);
}
