#include "process_limits.hpp"
#include <heddle/cpu/threads.hpp>
#include <heddle/error.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include <pthread.h>

namespace heddle::cpu {
namespace {

/// The slices of one call. Each thread begins with a share of them that lie side by side, the same in each
/// call, so that it finds in its cache what it left there; then it takes from the shares of others.
class shared_slices {
 public:
  shared_slices(std::size_t threads, std::size_t slices, detail::function_ref<void(std::size_t)> f)
      : f_(f), shares_(std::min(threads, slices)) {
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      shares_[i].next = slices * i / shares_.size();
      shares_[i].end = slices * (i + 1) / shares_.size();
    }
  }

  /// Takes slices until none is left.
  void work(std::size_t thread) noexcept {
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      share& from = shares_[(thread + i) % shares_.size()];
      while (!is_stopped_.load(std::memory_order_relaxed)) {
        const std::size_t slice = from.next.fetch_add(1, std::memory_order_relaxed);
        if (slice >= from.end) break;
        try {
          f_(slice);
        } catch (...) {
          if (!is_stopped_.exchange(true)) thrown_ = std::current_exception();
        }
      }
    }
  }

  std::size_t threads() const noexcept { return shares_.size(); }
  const std::exception_ptr& thrown() const noexcept { return thrown_; }

 private:
  struct alignas(64) share {
    std::atomic<std::size_t> next;
    std::size_t end;
  };
  detail::function_ref<void(std::size_t)> f_;
  std::vector<share> shares_;
  std::atomic<bool> is_stopped_ = false;
  std::exception_ptr thrown_;
};

/// Threads that wait for calls. They are our own: oneTBB and OpenMP end the process where the system refuses
/// them one.
class thread_pool {
 public:
  /// Never destroyed: its threads outlive the static objects of this library.
  static thread_pool& only() {
    static auto& pool = *new thread_pool;
    return pool;
  }

  /// Works on the slices with this thread and those that the system gives.
  void run(shared_slices& slices) {
    const std::size_t others = slices.threads() - 1;
    call here{slices, others, 0};
    {
      const std::lock_guard lock(mutex_);
      if (idle_ < others && threads_ < std::max(others, cores_ - 1)) start_threads(others);
      if (threads_ > 0) {
        calls_.push_back(&here);
        has_calls_.store(true, std::memory_order_relaxed);
      }
    }
    if (others == 1) {
      called_.notify_one();
    } else {
      called_.notify_all();
    }
    slices.work(0);
    std::unique_lock lock(mutex_);
    close(here);
    lock.unlock();
    // The last slices seldom take long.
    for (int i = 0; i < short_while && here.threads_inside.load() > 0; ++i) std::this_thread::yield();
    lock.lock();
    left_.wait(lock, [&] { return here.threads_inside.load() == 0; });
  }

 private:
  struct call {
    shared_slices& slices;
    std::size_t room;  ///< for threads that may still come
    std::atomic<std::size_t> threads_inside;
  };
  /// Yields of a thread before it sleeps: about as long as waking it takes.
  static constexpr int short_while = 64;
  static constexpr std::size_t stack_bytes = std::size_t{4} << 20;

  /// No more threads come to that call. Under the mutex, as are those below.
  void close(call& ended) {
    std::erase(calls_, &ended);
    has_calls_.store(!calls_.empty(), std::memory_order_relaxed);
  }

  /// Starts threads until so many are idle. Callers at once have as many as the cores together, and one
  /// caller as many as it wants.
  void start_threads(std::size_t wanted) {
    const std::size_t most =
        std::min(std::max(wanted, cores_ - 1), threads_ + detail::threads_with_room(threads_, stack_bytes));
    const auto now = std::chrono::steady_clock::now();
    if (now < next_try_) return;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    while (idle_ < wanted && threads_ < most) {
      pthread_t started;
      if (pthread_create(&started, &attributes, wait_for_calls, reinterpret_cast<void*>(threads_ + 1)) != 0) {
        // Some of the last are left to other processes.
        constexpr std::size_t spare = 2;
        surplus_ = std::min(spare, threads_);
        next_try_ = now + std::chrono::seconds(1);
        break;
      }
      ++threads_;
      ++idle_;
    }
    pthread_attr_destroy(&attributes);
  }

  static void* wait_for_calls(void* number) {
    only().serve(reinterpret_cast<std::uintptr_t>(number));
    return nullptr;
  }

  void serve(std::size_t number) {
    std::unique_lock lock(mutex_, std::defer_lock);
    for (;;) {
      for (int i = 0; i < short_while && !has_calls_.load(std::memory_order_relaxed); ++i)
        std::this_thread::yield();
      lock.lock();
      called_.wait(lock, [&] { return !calls_.empty() || surplus_ > 0; });
      if (surplus_ > 0) {
        --surplus_;
        --threads_;
        --idle_;
        return;
      }
      call& here = *calls_.front();
      --idle_;
      ++here.threads_inside;
      if (--here.room == 0) close(here);
      lock.unlock();
      here.slices.work(number);
      lock.lock();
      close(here);
      ++idle_;
      if (--here.threads_inside == 0) left_.notify_all();
      lock.unlock();
    }
  }

  const std::size_t cores_ = static_cast<std::size_t>(available_cores());
  std::mutex mutex_;
  std::condition_variable called_, left_;
  std::vector<call*> calls_;             ///< that have room, the oldest first
  std::atomic<bool> has_calls_ = false;  ///< whether there are any
  std::size_t threads_ = 0, idle_ = 0, surplus_ = 0;
  std::chrono::steady_clock::time_point next_try_;
};

}  // namespace

// Some of the last are left to others, and to the system until it has taken back those of this call.
std::size_t threads_given(std::size_t wanted) {
  std::latch all_are_there(1);
  constexpr std::size_t spare = 2;
  bool is_refused = false;
  std::vector<std::thread> others;
  others.reserve(wanted);
  try {
    while (others.size() + 1 < wanted) others.emplace_back([&] { all_are_there.wait(); });
  } catch (const std::exception&) {
    is_refused = true;
  }
  all_are_there.count_down();
  for (std::thread& other : others) other.join();
  const std::size_t given = others.size() + 1;
  return is_refused ? std::max(given, spare + 1) - spare : given;
}

void for_slices(int threads, std::size_t count, std::size_t grain,
                detail::function_ref<void(std::size_t, std::size_t)> f) {
  if (count == 0) return;
  // More slices than threads, so that a thread that the system held up does not hold up the rest.
  const std::size_t slices = threads <= 1 ? 1
                                          : std::min<std::size_t>(count / std::max<std::size_t>(grain, 1),
                                                                  static_cast<std::size_t>(threads) * 8);
  if (slices <= 1) {
    f(0, count);
    return;
  }
  const detail::operation* const caller = detail::operation::current();
  const auto work = [&](std::size_t slice) {
    const detail::on_behalf_of naming(caller);
    const std::size_t each = count / slices, rest = count % slices;
    const std::size_t first = slice * each + std::min(slice, rest);
    f(first, first + each + (slice < rest ? 1 : 0));
  };
  shared_slices all(static_cast<std::size_t>(threads), slices, work);
  thread_pool::only().run(all);
  if (all.thrown()) std::rethrow_exception(all.thrown());
}

void on_threads(int threads, std::size_t calls, detail::function_ref<void()> f) {
  for_slices(threads, calls, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t call = first; call < last; ++call) f();
  });
}

}  // namespace heddle::cpu
