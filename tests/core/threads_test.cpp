#include "cpu/threads_of_call.hpp"
#include <heddle/impl/core/part_begin.hpp>
#include <heddle/interruption.hpp>
#include <heddle/scan.hpp>
#include <heddle/sort.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
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

TEST(for_slices, calls_nothing_for_no_indices) {
  for (const int threads : {1, 3}) {
    for (const std::size_t grain : {0, 1, 100}) {
      std::atomic<int> calls = 0;
      hd::cpu::for_slices(threads, 0, grain, [&](std::size_t, std::size_t) { ++calls; });
      EXPECT_EQ(calls, 0) << threads << " threads, grain " << grain;
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

namespace {

using hd::cpu::threads_start;

/// Calls share_out_to_new_threads for so many slices, each of which calls it again for some of its own.
std::vector<int> calls_of_nested_slices(threads_start start, std::size_t slices) {
  constexpr std::size_t inner = 5;
  std::vector<std::atomic<int>> calls(slices * inner);
  hd::cpu::share_out_to_new_threads(3, slices, start, [&](std::size_t slice) {
    const std::thread::id outer = std::this_thread::get_id();
    hd::cpu::share_out_to_new_threads(3, inner, start, [&](std::size_t i) {
      if (std::this_thread::get_id() == outer) ++calls[slice * inner + i];
    });
  });
  return {calls.begin(), calls.end()};
}

}  // namespace

TEST(share_out_to_new_threads, runs_each_slice_once_and_a_nested_call_on_its_own_thread) {
  for (const threads_start start : {threads_start::at_once, threads_start::as_it_lasts}) {
    for (const std::size_t slices : {1, 2, 7, 100})
      EXPECT_EQ(calls_of_nested_slices(start, slices), std::vector<int>(slices * 5, 1)) << slices;
  }
}

TEST(share_out_to_new_threads, throws_again_what_a_slice_throws) {
  for (const std::size_t at : {0, 3, 199}) {
    const auto work = [&](std::size_t slice) {
      if (slice == at) throw std::runtime_error("slice " + std::to_string(slice));
    };
    const auto thrown = [](const auto& call) {
      try {
        call();
      } catch (const std::runtime_error& e) {
        return std::string(e.what());
      }
      return std::string();
    };
    const std::string wanted = "slice " + std::to_string(at);
    EXPECT_EQ(thrown([&] { hd::cpu::share_out_to_new_threads(4, 200, threads_start::at_once, work); }),
              wanted);
    // A nested call begins no slice after it.
    std::size_t begun = 0;
    const auto counted = [&](std::size_t slice) {
      ++begun;
      work(slice);
    };
    const auto nested = [&](std::size_t) {
      hd::cpu::share_out_to_new_threads(4, 200, threads_start::at_once, counted);
    };
    EXPECT_EQ(thrown([&] { hd::cpu::share_out_to_new_threads(2, 1, threads_start::at_once, nested); }),
              wanted);
    EXPECT_EQ(begun, at + 1);
  }
}

namespace {

struct ended {};

/// Whether work is ended when it asks for the `asked`-th time on this thread, which it does at every check.
template <class F>
bool is_ended_after(int asked, const F& work) {
  int count = 0;
  const auto ask = [&] {
    if (++count >= asked) throw ended();
  };
  try {
    const hd::interruptible here(ask, std::chrono::nanoseconds(0));
    work();
  } catch (const ended&) {
    return true;
  }
  return false;
}

/// Slices that end on the thread `asked` alone, so that some are left for it until it is asked again.
void slices_for(std::thread::id asked, int threads, std::atomic<int>& slices) {
  hd::cpu::for_slices(threads, 1000, 1, [&](std::size_t first, std::size_t last) {
    slices += static_cast<int>(last - first);
    while (std::this_thread::get_id() != asked) hd::check_interruption();
  });
}

}  // namespace

TEST(interruptible, ends_slices_and_what_they_call) {
  const std::thread::id here = std::this_thread::get_id();
  for (const int threads : {1, 2, 8}) {
    std::atomic<int> slices = 0;
    EXPECT_TRUE(is_ended_after(1, [&] { slices_for(here, threads, slices); })) << threads;
    EXPECT_EQ(slices, 0) << threads;
    EXPECT_TRUE(is_ended_after(3, [&] { slices_for(here, threads, slices); })) << threads;
    EXPECT_GT(slices, 0) << threads;
    EXPECT_LT(slices, 1000) << threads;
    // Other threads see it inside a slice, and the caller gets what was thrown.
    const auto waits_for_the_end = [&] {
      hd::cpu::for_slices(threads, 8, 1, [&](std::size_t, std::size_t) {
        for (;;) hd::check_interruption();
      });
    };
    EXPECT_TRUE(is_ended_after(2, waits_for_the_end)) << threads;
    const auto nested = [&] {
      hd::cpu::for_slices(threads, 8, 1,
                          [&](std::size_t, std::size_t) { slices_for(here, threads, slices); });
    };
    EXPECT_TRUE(is_ended_after(2, nested)) << threads;
    EXPECT_EQ(calls_of_indices(threads, 1000, 1), std::vector<int>(1000, 1)) << threads;
  }
}

TEST(interruptible, ends_nothing_while_it_lets_go_on) {
  for (const int threads : {1, 3}) {
    const auto all = [&] { EXPECT_EQ(calls_of_indices(threads, 1000, 7), std::vector<int>(1000, 1)); };
    EXPECT_FALSE(is_ended_after(1 << 20, all));
  }
  EXPECT_EQ(hd::interruptible::current(), nullptr);
  EXPECT_STREQ(hd::interruption().what(), "interrupted");
}

TEST(interruptible, asks_on_its_own_thread_alone) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> elsewhere = 0, asked = 0;
  const auto ask = [&] {
    ++asked;
    if (std::this_thread::get_id() != caller) ++elsewhere;
  };
  const hd::interruptible here(ask, std::chrono::nanoseconds(0));
  hd::cpu::for_slices(4, 64, 1, [&](std::size_t, std::size_t) { hd::check_interruption(); });
  // A thread of one's own is interrupted by nobody.
  std::thread([] { EXPECT_EQ(hd::interruptible::current(), nullptr); }).join();
  EXPECT_GT(asked, 0);
  EXPECT_EQ(elsewhere, 0);
}

TEST(interruptible, leaves_scans_and_sorts_usable) {
  std::vector<std::uint64_t> x(std::size_t{1} << 20), sums(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i * 0x9e3779b97f4a7c15;
  for (const int threads : {1, 2, 5}) {
    const hd::target where = threads == 1 ? hd::target::serial() : hd::target::parallel(threads);
    const auto scans = [&] {
      for (;;) hd::inclusive_scan_into(where, sums, x, hd::plus{});
    };
    EXPECT_TRUE(is_ended_after(7, scans));
    std::vector<std::uint64_t> sorted(x.size());
    const auto sorts = [&] {
      for (;;) hd::sort_into(where, sorted, x);
    };
    EXPECT_TRUE(is_ended_after(7, sorts));
    hd::inclusive_scan_into(where, sums, x, hd::plus{});
    std::uint64_t sum = 0;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) wrong += (sum += x[i]) != sums[i] ? 1 : 0;
    EXPECT_EQ(wrong, 0u);
    hd::sort_into(where, sorted, x);
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  }
}
