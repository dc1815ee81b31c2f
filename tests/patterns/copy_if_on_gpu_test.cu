#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/copy_if.hpp>
#include <heddle/segmented_reduce.hpp>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class users_functions : public on_targets {};
HD_ON_ALL_TARGETS(users_functions);

struct is_small {
  HD_FN bool operator()(const std::int64_t& a) const { return a % 10 < 3; }
};

}  // namespace

TEST_P(users_functions, choose_elements) {
  for (const std::size_t n : sizes_up_to(100'003)) {
    std::vector<std::int64_t> x(n), want, others;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = random_value<std::int64_t>(i);
      (is_small{}(x[i]) ? want : others).push_back(x[i]);
    }
    ASSERT_EQ(hd::copy_if(where, x, is_small{}).to_vector(), want);
    const auto both = hd::partition(where, x, is_small{});
    ASSERT_EQ(both.chosen, want.size());
    want.insert(want.end(), others.begin(), others.end());
    ASSERT_EQ(both.elements.to_vector(), want);
  }
}

struct product_in_order {
  HD_FN triangular operator()(const triangular& a, const triangular& b) const { return a * b; }
};

TEST_P(users_functions, reduce_segments_in_order) {
  const std::size_t n = 200'000;
  std::vector<triangular> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = random_element<triangular>(i);
  std::vector<std::size_t> offsets{0};
  for (std::size_t k = 0; offsets.back() < n; ++k)
    offsets.push_back(std::min(n, offsets.back() + random_bits(k) % (k % 7 == 0 ? 30'000 : 40)));
  const hd::monoid by{product_in_order{}, triangular{1, 0, 1}};
  const std::vector<triangular> have = hd::segmented_reduce(where, x, offsets, by).to_vector();
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    triangular want{1, 0, 1};
    for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) want = want * x[i];
    ASSERT_TRUE(same_bits(have[s], want)) << s;
  }
}
