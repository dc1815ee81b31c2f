#include "target/dynamic_loader.hpp"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/fft.hpp>
#include <heddle/interruption.hpp>
#include <heddle/kernel.hpp>
#include <heddle/linear_algebra.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>
#include <heddle/sort.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

// Processes that are forked while threads of the parent are inside the library.

namespace hd = heddle;

namespace {

/// How a child ended that runs f: its exit status, which is 0 if f returned true. A child that hangs is ended
/// by a signal, which is given as −1.
template <class F>
int status_of_child(F f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    bool is_right = false;
    try {
      is_right = f();
    } catch (const std::exception& wrong) {
      std::fputs(wrong.what(), stderr);
    }
    _exit(is_right ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A thread that is inside a parallel call, each of whose slices waits for the end of this object's life.
class busy_pool {
 public:
  explicit busy_pool(int threads)
      : caller_([this, threads] {
          hd::cpu::for_slices(threads, static_cast<std::size_t>(threads), 1,
                              [this](std::size_t, std::size_t) {
                                is_inside_.test_and_set();
                                is_inside_.notify_all();
                                may_end_.wait(false);
                              });
        }) {
    is_inside_.wait(false);
  }
  ~busy_pool() {
    may_end_.test_and_set();
    may_end_.notify_all();
    caller_.join();
  }

 private:
  std::atomic_flag is_inside_, may_end_;
  std::thread caller_;
};

/// Threads each of which calls a function again and again until the end of this object's life.
class repeated_calls {
 public:
  void add(std::function<void()> f) {
    threads_.emplace_back([this, f = std::move(f)] {
      while (!is_over_) f();
    });
  }
  ~repeated_calls() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> is_over_ = false;
  std::vector<std::thread> threads_;
};

/// How many of so many children, forked one after another, do not end with true from f. Ends at the first
/// three.
template <class F>
int children_that_fail(int children, F f) {
  int failed = 0;
  for (int child = 0; child < children && failed < 3; ++child) failed += status_of_child(f) != 0;
  return failed;
}

/// Whether patterns on several threads give what std and formulas give.
bool patterns_are_right(int threads) {
  const hd::target where = hd::target::parallel(threads);
  constexpr std::size_t n = 300'001;
  std::vector<double> counted(n), sums(n);
  std::iota(counted.begin(), counted.end(), 1.0);
  std::partial_sum(counted.begin(), counted.end(), sums.begin());
  const std::vector<double> reversed(counted.rbegin(), counted.rend());
  const auto is = [](const hd::array<double>& made, const std::vector<double>& wanted) {
    return std::equal(wanted.begin(), wanted.end(), made.data(), made.data() + made.size());
  };
  return hd::reduce(where, counted) == sums.back() && is(hd::sort(where, reversed), counted) &&
         is(hd::inclusive_scan(where, counted), sums);
}

/// How many threads meet inside on_threads(). Calls one after another would wait for each other until a time
/// is over.
std::size_t threads_that_meet(std::size_t wanted) {
  std::atomic<std::size_t> there = 0, met = 0;
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  hd::cpu::on_threads(static_cast<int>(wanted), wanted, [&] {
    ++there;
    while (there < wanted && std::chrono::steady_clock::now() < last) std::this_thread::yield();
    if (there == wanted) ++met;
  });
  return met;
}

}  // namespace

TEST(fork, a_child_of_a_busy_pool_computes) {
  for (const int threads : {2, 3, 8}) {
    const busy_pool busy(threads);
    EXPECT_EQ(status_of_child([&] { return patterns_are_right(threads) && patterns_are_right(4); }), 0);
  }
}

TEST(fork, a_child_of_a_pool_without_work_computes) {
  EXPECT_TRUE(patterns_are_right(3));
  EXPECT_EQ(status_of_child([] { return patterns_are_right(3); }), 0);
  EXPECT_TRUE(patterns_are_right(3));
}

TEST(fork, a_child_has_threads_of_its_own) {
  const busy_pool busy(2);
  EXPECT_EQ(status_of_child([] { return threads_that_meet(3) == 3; }), 0);
}

TEST(fork, children_fork_while_they_compute) {
  const busy_pool busy(3);
  EXPECT_EQ(status_of_child([] {
              const busy_pool of_child(3);
              return status_of_child([] {
                       const busy_pool of_grandchild(2);
                       return patterns_are_right(3) &&
                              status_of_child([] { return patterns_are_right(2); }) == 0;
                     }) == 0 &&
                     patterns_are_right(2);
            }),
            0);
  EXPECT_TRUE(patterns_are_right(2));
}

TEST(fork, slices_of_a_child_cover_each_index_once) {
  const busy_pool busy(2);
  EXPECT_EQ(status_of_child([] {
              for (const std::size_t count : {1, 2, 7, 1000, 100'000}) {
                std::vector<std::atomic<int>> calls(count);
                hd::cpu::for_slices(4, count, 1, [&](std::size_t first, std::size_t last) {
                  // A call inside a slice.
                  hd::cpu::for_slices(4, last - first, 1, [&](std::size_t from, std::size_t to) {
                    for (; from < to; ++from) ++calls[first + from];
                  });
                });
                if (!std::all_of(calls.begin(), calls.end(), [](const auto& times) { return times == 1; }))
                  return false;
              }
              return true;
            }),
            0);
}

TEST(fork, exceptions_of_a_child_are_rethrown) {
  const busy_pool busy(2);
  EXPECT_EQ(status_of_child([] {
              int caught = 0;
              for (std::size_t index = 0; index < 100; index += 33) {
                try {
                  hd::cpu::for_slices(4, 100, 1, [&](std::size_t first, std::size_t last) {
                    if (first <= index && index < last) throw std::runtime_error("this one");
                  });
                } catch (const std::runtime_error& thrown) {
                  caught += std::string(thrown.what()) == "this one";
                }
              }
              struct ended {};
              std::size_t asked = 0;
              const auto end = [&] {
                if (++asked == 2) throw ended();
              };
              try {
                hd::interruptible interrupted(end);
                const hd::interruptible::shared by(&interrupted);
                for (;;) hd::cpu::for_slices(4, 1000, 1, [](std::size_t, std::size_t) {});
              } catch (const ended&) {
                ++caught;
              }
              return caught == 5;
            }),
            0);
}

TEST(fork, products_and_transforms_of_a_child) {
  constexpr std::size_t n = 96;
  std::vector<double> a(n * n), by_hand(n * n, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 7);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) by_hand[i * n + j] += a[i * n + k] * a[k * n + j];
    }
  }
  const auto is_right = [&] {
    const hd::target where = hd::target::parallel(2);
    hd::array<double> matrix(hd::shape{n, n});
    std::copy(a.begin(), a.end(), matrix.data());
    const hd::array<double> product = hd::matmul(where, matrix, matrix);
    if (!std::equal(by_hand.begin(), by_hand.end(), product.data())) return false;
    // The transform of 1, 0, 0, … is 1 everywhere.
    std::vector<std::complex<double>> one(1009);
    one[0] = 1;
    const hd::array<std::complex<double>> transformed = hd::fft(where, one);
    return std::all_of(transformed.data(), transformed.data() + transformed.size(),
                       [](const std::complex<double>& x) { return std::abs(x - 1.0) < 1e-12; });
  };
  EXPECT_TRUE(is_right());
  {
    const busy_pool busy(2);
    EXPECT_EQ(status_of_child(is_right), 0);
  }  // the next call needs the threads of this pool
  EXPECT_TRUE(is_right());
}

TEST(fork, a_process_that_is_forked_inside_a_slice) {
  for (const bool returns : {false, true}) {
    std::atomic<bool> is_first = true;
    std::atomic<int> status = -2;
    testing::internal::CaptureStderr();
    hd::cpu::for_slices(2, 100, 1, [&](std::size_t, std::size_t) {
      if (!is_first.exchange(false)) return;
      const pid_t child = fork();
      if (child == 0) {
        alarm(60);
        if (!returns) _exit(patterns_are_right(2) ? 0 : 1);
        return;
      }
      int ended = 0;
      waitpid(child, &ended, 0);
      status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    });
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(status, returns ? 1 : 0);
    EXPECT_EQ(said.find("forked inside a parallel call") != said.npos, returns) << said;
  }
}

// glibc leaves a lock of its loader held in a child if a thread of the parent was loading.
TEST(fork, a_child_loads_libraries_while_threads_load) {
  // Libraries of glibc's that this program does not need.
  const auto loads = [](const char* name) {
    void* const library = hd::impl::load_library(name, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) return false;
    hd::impl::unload_library(library);
    return true;
  };
  for (const char* const name : {"libanl.so.1", "libBrokenLocale.so.1", "libthread_db.so.1"}) {
    if (!loads(name)) GTEST_SKIP() << dlerror();
  }
  repeated_calls threads;
  threads.add([&] { loads("libanl.so.1"); });
  threads.add([&] { loads("libBrokenLocale.so.1"); });
  EXPECT_EQ(children_that_fail(200, [&] { return loads("libthread_db.so.1"); }), 0);
}

TEST(fork, a_child_looks_for_gpus_while_a_thread_looks) {
  // From here on this process has used CUDA.
  hd::target::best();
  repeated_calls threads;
  threads.add([] { hd::can_compile_for_gpu(); });
  threads.add([] { hd::target::best(); });
  // CUDA cannot be used in a child of a process that has used it.
  EXPECT_EQ(children_that_fail(40, [] { return !hd::can_compile_for_gpu() && !hd::target::best().is_gpu(); }),
            0);
}

TEST(fork_aware_mutex, is_abandoned_in_a_child) {
  hd::fork_aware_mutex mutex;
  std::latch is_held(1), may_end(1);
  std::thread holder([&] {
    const std::lock_guard lock(mutex);
    is_held.count_down();
    may_end.wait();
  });
  is_held.wait();
  EXPECT_FALSE(mutex.is_abandoned());
  EXPECT_EQ(status_of_child([&] {
              if (!mutex.is_abandoned()) return false;
              for (int times = 0; times < 2; ++times) {
                try {
                  mutex.lock();
                  return false;
                } catch (const hd::error& said) {
                  if (std::string(said.what()).find("the parent process") == std::string::npos) return false;
                }
              }
              const bool was_whole = mutex.lock_or_take_over();
              mutex.unlock();
              mutex.lock();
              mutex.unlock();
              return !was_whole && !mutex.is_abandoned() && mutex.lock_or_take_over();
            }),
            0);
  may_end.count_down();
  holder.join();
  EXPECT_EQ(status_of_child([&] {
              mutex.lock();
              mutex.unlock();
              return mutex.lock_or_take_over();
            }),
            0);
  // Threads of one process wait for each other.
  int count = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&] {
      for (int times = 0; times < 10'000; ++times) {
        const std::lock_guard lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 40'000);
}

TEST(fork_aware, state_is_made_anew_if_a_thread_held_it) {
  static hd::fork_aware<std::vector<int>> state;
  state.lock()->push_back(1);
  EXPECT_EQ(status_of_child([] { return state.lock()->size() == 1; }), 0);
  std::latch is_held(1), may_end(1);
  std::thread holder([&] {
    const auto held = state.lock();
    held->push_back(2);
    is_held.count_down();
    may_end.wait();
  });
  is_held.wait();
  EXPECT_EQ(status_of_child([] {
              if (!state.lock()->empty()) return false;
              state.lock()->push_back(3);
              return state.lock()->size() == 1;
            }),
            0);
  may_end.count_down();
  holder.join();
  EXPECT_EQ(state.lock()->size(), 2u);
}

TEST(fork_aware, state_that_cannot_be_made_is_made_by_the_next_call) {
  struct state {
    static int& tries() {
      static int count = 0;
      return count;
    }
    state() {
      if (++tries() == 1) throw std::runtime_error("no state");
    }
    int value = 7;
  };
  static hd::fork_aware<state> made;
  EXPECT_THROW(made.lock(), std::runtime_error);
  EXPECT_EQ(made.lock()->value, 7);
  EXPECT_EQ(state::tries(), 2);
}

TEST(fork_aware_member, is_freed_unless_a_thread_of_the_parent_held_it) {
  struct state {
    static int& ends() {
      static int count = 0;
      return count;
    }
    ~state() { ++ends(); }
  };
  auto member = std::make_unique<hd::fork_aware_member<state>>();
  std::latch is_held(1), may_end(1);
  std::thread holder([&] {
    const auto held = member->lock();
    is_held.count_down();
    may_end.wait();
  });
  is_held.wait();
  EXPECT_EQ(status_of_child([&] {
              member.reset();
              return state::ends() == 0;
            }),
            0);
  may_end.count_down();
  holder.join();
  member.reset();
  EXPECT_EQ(state::ends(), 1);
}
