#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include <heddle/any.hpp>
#include <heddle/statistics.hpp>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

// any and all by functions of a user's own, compiled by nvcc, and mean beside them: the same on every target.

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class any_on_gpu : public on_targets {};
HD_ON_ALL_TARGETS(any_on_gpu);

struct is_above {
  float limit;
  HD_FN bool operator()(float x) const { return x > limit; }
};
struct falls {
  HD_FN bool operator()(const run& r) const { return r.first > r.last; }
};

}  // namespace

TEST_P(any_on_gpu, of_floats) {
  for (const std::size_t n : {0, 1, 33, 2049, 100'003}) {
    hd::array<float> x(n);
    x.fill(1);
    EXPECT_FALSE(hd::any(where, x, is_above{1}));
    EXPECT_TRUE(hd::all(where, x, is_above{0}));
    if (n == 0) continue;
    x.set(2, n - 1);
    EXPECT_TRUE(hd::any(where, x, is_above{1}));
    EXPECT_EQ(hd::all(where, x, is_above{1}), n == 1);
    EXPECT_TRUE(hd::any(where, x.on(where), [] HD_FN(float a) { return a == 2; }));
    EXPECT_TRUE(hd::all(where, x));
  }
}

TEST_P(any_on_gpu, of_a_type_of_ones_own_along_an_axis) {
  hd::array<run> runs(hd::shape{500, 3});
  runs.fill({1, 2});
  runs.set({3, 2}, 5, 1);
  EXPECT_TRUE(hd::any(where, runs, falls()));
  EXPECT_EQ(hd::any(where, runs, hd::axis{0}, falls()).to_vector(), (std::vector<bool>{false, true, false}));
  const hd::array<bool> rows = hd::all(where, runs, hd::axis{1}, falls());
  EXPECT_EQ(rows.where(), where);
  EXPECT_EQ(rows.shape(), hd::shape{500});
  EXPECT_FALSE(rows[5]);
}

TEST_P(any_on_gpu, built_in_ones_are_the_library_s) {
  const std::vector<std::int16_t> x{1, -2, 0, 7};
  EXPECT_TRUE(hd::any(where, x));
  EXPECT_FALSE(hd::all(where, x));
  EXPECT_EQ(hd::mean(where, x), 1.5);
  EXPECT_EQ(hd::variance(where, x), 11.25);
  EXPECT_EQ(hd::minmax(where, x).min, -2);
}
