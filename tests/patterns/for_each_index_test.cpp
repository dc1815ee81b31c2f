#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/for_each_index.hpp>
#include <heddle/machine.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

/// The functions are compiled by a host compiler: a GPU does not have them.
class for_each_index : public on_targets {};
HD_ON_CPU_TARGETS(for_each_index);

/// Calls over a grid whose every cell counts how often it is visited.
struct visits {
  std::vector<std::atomic<int>> of;
  std::atomic<std::size_t> outside = 0;
  explicit visits(std::size_t cells) : of(cells) {}
  void add(bool is_inside, std::size_t cell) {
    if (is_inside) {
      of[cell].fetch_add(1, std::memory_order_relaxed);
    } else {
      outside.fetch_add(1, std::memory_order_relaxed);
    }
  }
  testing::AssertionResult once_each() const {
    if (outside != 0) return testing::AssertionFailure() << outside << " visits outside the extent";
    for (std::size_t cell = 0; cell < of.size(); ++cell) {
      if (of[cell] != 1)
        return testing::AssertionFailure() << "cell " << cell << " is visited " << of[cell] << " times";
    }
    return testing::AssertionSuccess();
  }
};

}  // namespace

TEST_P(for_each_index, visits_each_index_of_a_row_once) {
  for (const std::size_t n : sizes_up_to(100003)) {
    visits seen(n);
    hd::for_each_index(where, hd::extent{n}, [&](std::size_t i) { seen.add(i < n, i); });
    ASSERT_TRUE(seen.once_each()) << n;
  }
}

TEST_P(for_each_index, visits_each_index_of_a_table_once) {
  const std::size_t sizes[][2] = {{0, 0}, {0, 7},   {7, 0},     {1, 1},     {1, 40001}, {40001, 1},
                                  {3, 5}, {31, 33}, {257, 129}, {2, 30011}, {30011, 2}, {4095, 17}};
  for (const auto& [rows, columns] : sizes) {
    visits seen(rows * columns);
    hd::for_each_index(where, hd::extent{rows, columns},
                       [&, rows = rows, columns = columns](std::size_t r, std::size_t c) {
                         seen.add(r < rows && c < columns, r * columns + c);
                       });
    ASSERT_TRUE(seen.once_each()) << rows << " x " << columns;
  }
}

TEST_P(for_each_index, visits_each_index_of_a_block_once) {
  const std::size_t sizes[][3] = {{0, 3, 4},     {3, 0, 4},     {3, 4, 0},    {0, 0, 0},
                                  {1, 1, 1},     {2, 3, 4},     {7, 11, 13},  {1, 1, 30001},
                                  {1, 30001, 1}, {30001, 1, 1}, {33, 31, 29}, {2, 4099, 5}};
  for (const auto& [planes, rows, columns] : sizes) {
    visits seen(planes * rows * columns);
    const auto visit = [&, planes = planes, rows = rows, columns = columns](std::size_t p, std::size_t r,
                                                                            std::size_t c) {
      seen.add(p < planes && r < rows && c < columns, (p * rows + r) * columns + c);
    };
    hd::for_each_index(where, hd::extent{planes, rows, columns}, visit);
    ASSERT_TRUE(seen.once_each()) << planes << " x " << rows << " x " << columns;
  }
}

TEST_P(for_each_index, takes_a_launch_shape_that_only_a_gpu_needs) {
  for (const hd::launch_shape& launch :
       {hd::launch_shape{}, hd::launch_shape{7, 3, 2, 5}, hd::launch_shape{.blocks = 1}}) {
    visits seen(100 * 101);
    const auto visit = [&](std::size_t r, std::size_t c) { seen.add(r < 100 && c < 101, r * 101 + c); };
    hd::for_each_index(where, hd::extent{100, 101}, visit, launch);
    EXPECT_TRUE(seen.once_each());
  }
}

TEST_P(for_each_index, fills_an_array_through_an_accessor) {
  constexpr std::size_t rows = 300, columns = 77;
  hd::array<std::int64_t> table({rows, columns}, where);
  const auto at = table.access<2>();
  hd::for_each_index(where, hd::extent{rows, columns}, [=](std::size_t r, std::size_t c) {
    at(r, c) = static_cast<std::int64_t>(1000 * r + c);
  });
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) ASSERT_EQ(table(r, c), static_cast<std::int64_t>(1000 * r + c));
  }
  hd::array<float> block({3, 4, 5}, where);
  const auto in_block = block.access<3>();
  hd::for_each_index(where, hd::extent{3, 4, 5}, [=](std::size_t p, std::size_t r, std::size_t c) {
    in_block(p, r, c) = static_cast<float>(100 * p + 10 * r + c);
  });
  EXPECT_EQ(block(2, 1, 3), 213.0f);
  EXPECT_EQ(block.back(), 234.0f);
}

TEST_P(for_each_index, visits_more_rows_than_32_bits_count_when_they_are_empty) {
  bool called = false;
  hd::for_each_index(where, hd::extent{std::size_t{1} << 40, std::size_t{0}},
                     [&](std::size_t, std::size_t) { called = true; });
  hd::for_each_index(where, hd::extent{std::size_t{1} << 40, std::size_t{1} << 40, std::size_t{0}},
                     [&](std::size_t, std::size_t, std::size_t) { called = true; });
  EXPECT_FALSE(called);
}

TEST_P(for_each_index, says_that_there_are_more_indices_than_64_bits_count) {
  const std::size_t many = std::size_t{1} << 32;
  EXPECT_EQ(
      message_of([&] { hd::for_each_index(where, hd::extent{many, many}, [](std::size_t, std::size_t) {}); }),
      "the number of elements of shape (4294967296, 4294967296) does not fit 64 bits");
}

TEST(for_each_index_automatic, takes_a_target_of_the_cpu) {
  visits seen(1000);
  hd::for_each_index(hd::target::automatic(), hd::extent{1000},
                     [&](std::size_t i) { seen.add(i < 1000, i); });
  EXPECT_TRUE(seen.once_each());
}

TEST(for_each_index_Gpu, by_a_function_of_a_host_compiler_says_what_to_do) {
  if (hd::gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
  EXPECT_EQ(message_of([] { hd::for_each_index(hd::target::gpu(), hd::extent{5}, [](std::size_t) {}); }),
            "for_each_index: 5 indices on gpu:0: the function is known to a host compiler only and cannot "
            "run on a GPU: "
            "compile this file with nvcc and mark the function HD_FN, or use a built-in operator on a "
            "built-in type");
}
