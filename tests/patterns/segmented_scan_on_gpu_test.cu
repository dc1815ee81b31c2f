#include "segmented_looped_scan.hpp"
#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/segments.hpp"
#include <heddle/segmented_scan.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

// Operators and types of a user's own, compiled by nvcc, on every target.

namespace hd = heddle;
using namespace heddle::tests;

namespace heddle::tests {

/// x ↦ factor · x + offset, in words of any width.
template <class Word>
struct affine {
  Word factor, offset;
};
struct composed {
  template <class Word>
  HD_FN affine<Word> operator()(const affine<Word>& f, const affine<Word>& g) const {
    return {static_cast<Word>(1u * g.factor * f.factor),
            static_cast<Word>(1u * g.factor * f.offset + g.offset)};
  }
};

/// Maps that share a factor, the first of 150 words: one warp of a block holds elements so large.
struct maps150 {
  std::uint32_t word[150];
  friend HD_FN maps150 operator*(maps150 f, const maps150& g) {
    f.word[0] *= g.word[0];
    for (int i = 1; i < 150; ++i) f.word[i] = f.word[i] * g.word[0] + g.word[i];
    return f;
  }
};
template <>
inline maps150 random_element(std::uint64_t i) {
  maps150 f;
  for (std::uint64_t k = 0; k < 150; ++k) f.word[k] = static_cast<std::uint32_t>(random_bits(150 * i + k));
  return f;
}
struct product {
  template <class T>
  HD_FN T operator()(const T& a, const T& b) const {
    return a * b;
  }
};

}  // namespace heddle::tests

namespace {

class segmented_scan_on_gpu : public on_targets {};
HD_ON_ALL_TARGETS(segmented_scan_on_gpu);

template <class T, class Op>
void check(const hd::target& where, std::size_t n, const hd::array<T>& x, const Op& op, const T& init) {
  offsets_of_segments singles(n + 1);
  std::iota(singles.begin(), singles.end(), std::size_t{0});
  unsigned v = 0;
  for (const offsets_of_segments& offsets : {offsets_of_segments{},
                                             {n / 2},
                                             singles,
                                             segments_of(0, n, 5),
                                             segments_of(n / 4, n, 300),
                                             segments_of(0, n, 20'000)}) {
    for (const unsigned way : {v, v + 3, v + 6})
      ASSERT_TRUE(scans_as_a_loop(where, x, offsets, variant(way % variants), op, init));
    ++v;
  }
}

/// Affine maps, which do not commute.
template <class Word>
void check_maps(const hd::target& where, std::size_t n) {
  hd::array<affine<Word>> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x.data()[i] = {static_cast<Word>(random_bits(2 * i) | 1), static_cast<Word>(random_bits(2 * i + 1))};
  check(where, n, x, hd::monoid{composed{}, affine<Word>{1, 0}}, affine<Word>{3, 4});
}

}  // namespace

TEST_P(segmented_scan_on_gpu, keeps_the_order) {
  for (const std::size_t n : {1, 33, 5631, 5632, 5633, 100'003}) {
    check_maps<std::uint8_t>(where, n);
    check_maps<std::uint16_t>(where, n);
    check_maps<std::uint32_t>(where, n);
    check_maps<std::uint64_t>(where, n);
  }
}

TEST_P(segmented_scan_on_gpu, of_elements_of_any_size) {
  const auto check_matrices = [&]<class T>(std::size_t n, const T& identity) {
    hd::array<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x.data()[i] = random_element<T>(i);
    check(where, n, x, hd::monoid{product{}, identity}, random_element<T>(n));
  };
  matrix5 one{};
  for (int i = 0; i < 5; ++i) one.at[i][i] = 1;
  check_matrices(40'000, triangular{1, 0, 1});
  check_matrices(3000, one);
  check_matrices(400, maps150{{1}});
}

TEST_P(segmented_scan_on_gpu, by_key) {
  const std::size_t n = 50'001;
  hd::array<affine<std::uint32_t>> x(n);
  std::vector<std::int32_t> keys(n);
  offsets_of_segments offsets;
  for (std::size_t i = 0; i < n; ++i) {
    x.data()[i] = {static_cast<std::uint32_t>(random_bits(i) | 1), static_cast<std::uint32_t>(i)};
    keys[i] = static_cast<std::int32_t>(random_bits(i / 37) % 2);
    if (i > 0 && keys[i] != keys[i - 1]) offsets.push_back(i);
  }
  const hd::monoid op{composed{}, affine<std::uint32_t>{1, 0}};
  EXPECT_TRUE(same_elements(hd::exclusive_scan_by_key(where, keys, x, op),
                            hd::segmented_exclusive_scan(hd::target::serial(), x, offsets, op)));
  EXPECT_TRUE(same_elements(hd::inclusive_scan_by_key(where, keys, x, op),
                            hd::segmented_inclusive_scan(hd::target::serial(), x, offsets, op)));
}
