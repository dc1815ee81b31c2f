#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/stencil_checks.hpp"
#include <heddle/machine.hpp>
#include <heddle/stencil.hpp>

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class stencil : public on_targets {};
HD_ON_CPU_TARGETS(stencil);

}  // namespace

TEST_P(stencil, of_rows_is_what_a_plain_loop_computes) {
  check_rows(where);
}
TEST_P(stencil, of_tables_is_what_a_plain_loop_computes) {
  check_tables(where);
}
TEST_P(stencil, of_tables_of_several_tiles_is_what_a_plain_loop_computes) {
  check_large_tables(where);
}
TEST_P(stencil, of_blocks_is_what_a_plain_loop_computes) {
  check_blocks(where);
}

TEST_P(stencil, damps_each_wave_by_its_amplification_factor) {
  // cos(k·2πx/n)·cos(l·2πy/m) is an eigenvector of the mean of the four neighbours.
  constexpr std::size_t rows = 60, columns = 84, steps = 25;
  for (const auto& [k, l] : {std::pair{1, 0}, {3, 2}, {0, 7}, {42, 30}}) {
    const double across = 2 * std::numbers::pi * k / columns, down = 2 * std::numbers::pi * l / rows;
    hd::array<double> wave({rows, columns}), after({rows, columns});
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        wave.data()[r * columns + c] =
            std::cos(across * static_cast<double>(c)) * std::cos(down * static_cast<double>(r));
      }
    }
    hd::stencil(
        where, wave, after, hd::periodic{},
        [](auto u) { return 0.25 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1)); }, steps);
    const double factor = std::pow((std::cos(across) + std::cos(down)) / 2, steps);
    for (std::size_t i = 0; i < wave.size(); ++i) {
      ASSERT_NEAR(after.data()[i], factor * wave.data()[i], 1e-13) << k << " " << l;
    }
  }
}

TEST_P(stencil, works_on_vectors_and_slices) {
  std::vector<int> x{1, 2, 3, 4}, y(4);
  hd::stencil(where, x, y, hd::fixed{10}, [](auto u) { return u(-1) + u(1); });
  EXPECT_EQ(y, (std::vector{12, 4, 6, 13}));
  hd::array<int> table({3, 4});
  table.fill(1);
  hd::array_view<int> lower = table.slice(1, 3);
  hd::stencil(where, lower, lower, hd::clamp{}, [](auto u) { return u(-1, 0) + u(0, 0); });
  EXPECT_EQ(table.to_vector(), (std::vector{1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2}));
}

TEST_P(stencil, says_what_is_wrong) {
  std::vector<int> x(6), y(5);
  const auto keep = [](auto u) { return u(0); };
  const std::string place = " on " + where.text() + ": ";
  EXPECT_EQ(message_of([&] { hd::stencil(where, x, y, hd::periodic{}, keep); }),
            "stencil: the output has shape (5,), where the input has (6,)");
  EXPECT_EQ(
      message_of(
          [&] { hd::stencil(where, std::span(x).first(5), std::span(x).last(5), hd::periodic{}, keep); }),
      "stencil: 5 int32" + place +
          "the output overlaps an input but does not begin with it: write into the input itself, or into "
          "another array");
  hd::array<float> deep({2, 2, 2, 2}), same({2, 2, 2, 2});
  EXPECT_EQ(message_of([&] { hd::stencil(where, deep, same, hd::periodic{}, keep); }),
            "stencil: 16 float32" + place + "the array has 4 axes, where 1, 2 or 3 are possible");
  hd::array<float> table({2, 2}), other({2, 2});
  EXPECT_EQ(message_of([&] {
              hd::stencil(where, table, other, hd::periodic{}, [](auto u, std::size_t) { return u(0); });
            }),
            "stencil: 4 float32" + place +
                "the function takes an index, but not one of 2 numbers, as the array has axes");
}

TEST(stencil_automatic, takes_a_target) {
  hd::array<float> x({5, 5}), y({5, 5});
  x.fill(1);
  hd::stencil(hd::target::automatic(), x, y, hd::periodic{}, [](auto u) { return u(0, 1) + u(1, 0); }, 3);
  EXPECT_EQ(y.back(), 8);
}

TEST(stencil_Gpu, by_a_function_of_a_host_compiler_says_what_to_do) {
  if (hd::gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
  std::vector<int> x(6), y(6);
  EXPECT_NE(message_of([&] {
              hd::stencil(hd::target::gpu(), x, y, hd::periodic{}, [](auto u) { return u(0); });
            }).find("compile this file with nvcc"),
            std::string::npos);
}
