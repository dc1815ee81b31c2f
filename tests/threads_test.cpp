#include <heddle/impl/part_begin.hpp>
#include <heddle/threads.hpp>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

// Indices that are shared out to threads, under what patterns do and callers may do.

namespace hd = heddle;

namespace {

/// How often f was called for each of `count` indices.
std::vector<int> calls_of_indices(int threads, std::size_t count, std::size_t grain) {
  std::vector<std::atomic<int>> calls(count);
  hd::cpu::for_slices(threads, count, grain, [&](std::size_t first, std::size_t last) {
    for (; first < last; ++first) calls[first].fetch_add(1, std::memory_order_relaxed);
  });
  return {calls.begin(), calls.end()};
}

/// What is thrown out of slices; "" for nothing.
std::string thrown_at(int threads, std::size_t count, std::size_t index) {
  try {
    hd::cpu::for_slices(threads, count, 1, [&](std::size_t first, std::size_t last) {
      if (first <= index && index < last) throw std::runtime_error("index " + std::to_string(index));
    });
  } catch (const std::runtime_error& thrown) {
    return thrown.what();
  }
  return "";
}

}  // namespace

TEST(part_begin, gives_the_first_parts_one_element_more) {
  for (const std::size_t parts : {1, 2, 3, 7}) {
    for (std::size_t n = 0; n < 50; ++n) {
      EXPECT_EQ(hd::impl::part_begin(n, parts, 0), 0u);
      EXPECT_EQ(hd::impl::part_begin(n, parts, parts), n);
      for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t length =
            hd::impl::part_begin(n, parts, part + 1) - hd::impl::part_begin(n, parts, part);
        EXPECT_EQ(length, n / parts + (part < n % parts ? 1 : 0)) << n << " in " << parts;
      }
    }
  }
  // n·part would wrap.
  EXPECT_EQ(hd::impl::part_begin(std::size_t{1} << 63, 4, 3), std::size_t{3} << 61);
}

TEST(for_slices, covers_each_index_once) {
  for (const int threads : {1, 2, 3, 8, 40}) {
    for (const std::size_t count : {0, 1, 2, 7, 64, 65, 1000}) {
      for (const std::size_t grain : {0, 1, 3, 100, 5000})
        ASSERT_EQ(calls_of_indices(threads, count, grain), std::vector<int>(count, 1))
            << threads << " threads, " << count << " indices, grain " << grain;
    }
  }
}

TEST(for_slices, holds_a_grain_in_each_slice) {
  std::atomic<std::size_t> shortest{1000};
  hd::cpu::for_slices(8, 1000, 90, [&](std::size_t first, std::size_t last) {
    for (std::size_t seen = shortest;
         last - first < seen && !shortest.compare_exchange_weak(seen, last - first);) {
    }
  });
  EXPECT_GE(shortest, 90u);
  const std::thread::id caller = std::this_thread::get_id();
  hd::cpu::for_slices(8, 179, 90, [&](std::size_t first, std::size_t last) {
    EXPECT_EQ(first, 0u);
    EXPECT_EQ(last, 179u);
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

TEST(for_slices, throws_again_what_a_slice_throws) {
  for (const int threads : {1, 2, 8}) {
    for (const std::size_t index : {0, 1, 500, 999})
      ASSERT_EQ(thrown_at(threads, 1000, index), "index " + std::to_string(index)) << threads;
    // What was thrown is over.
    ASSERT_EQ(calls_of_indices(threads, 1000, 1), std::vector<int>(1000, 1));
  }
}

TEST(for_slices, may_be_called_by_slices_and_by_several_threads) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong = 0;
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 20; ++round) {
        const int threads = 1 + (caller * 7 + round) % 9;
        std::atomic<std::size_t> indices = 0;
        hd::cpu::for_slices(threads, 30, 1, [&](std::size_t first, std::size_t last) {
          for (; first < last; ++first) {
            hd::cpu::for_slices(3, 50, 1, [&](std::size_t from, std::size_t to) { indices += to - from; });
          }
        });
        if (indices != 30 * 50) ++wrong;
        const auto index = static_cast<std::size_t>(round);
        if (thrown_at(threads, 1000, index) != "index " + std::to_string(index)) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(on_threads, calls_as_often_as_it_is_told) {
  for (const int threads : {1, 2, 8}) {
    for (const std::size_t calls : {0, 1, 2, 8, 100}) {
      std::atomic<std::size_t> made = 0;
      hd::cpu::on_threads(threads, calls, [&] { ++made; });
      EXPECT_EQ(made, calls) << threads;
    }
  }
}
