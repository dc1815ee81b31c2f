#include <heddle/error.hpp>
#include <heddle/support/fork.hpp>

#include <pthread.h>

namespace heddle {
namespace {

constinit std::atomic<std::uint32_t> forks_so_far{0};

// A child has one thread until its handlers return.
[[maybe_unused]] const int is_registered =
    pthread_atfork(nullptr, nullptr, [] { forks_so_far.fetch_add(1, std::memory_order_relaxed); });

std::uint32_t word_of_this_process() noexcept {
  return 2 * forks() + 1;
}

}  // namespace

std::uint32_t forks() noexcept {
  return forks_so_far.load(std::memory_order_relaxed);
}

void fork_aware_mutex::lock() {
  const std::uint32_t mine = word_of_this_process();
  for (;;) {
    std::uint32_t held = 0;
    if (word_.compare_exchange_strong(held, mine, std::memory_order_acquire, std::memory_order_relaxed))
      return;
    if (held != mine)
      fail("a thread of the parent process was using this at the fork: make it anew in the child");
    word_.wait(held, std::memory_order_relaxed);
  }
}

bool fork_aware_mutex::lock_or_take_over() noexcept {
  const std::uint32_t mine = word_of_this_process();
  for (;;) {
    std::uint32_t held = 0;
    if (word_.compare_exchange_strong(held, mine, std::memory_order_acquire, std::memory_order_relaxed))
      return true;
    if (held == mine)
      word_.wait(held, std::memory_order_relaxed);
    else if (word_.compare_exchange_strong(held, mine, std::memory_order_acquire, std::memory_order_relaxed))
      return false;
  }
}

void fork_aware_mutex::unlock() noexcept {
  word_.store(0, std::memory_order_release);
  word_.notify_one();
}

bool fork_aware_mutex::is_abandoned() const noexcept {
  const std::uint32_t held = word_.load(std::memory_order_relaxed);
  return held != 0 && held != word_of_this_process();
}

}  // namespace heddle
