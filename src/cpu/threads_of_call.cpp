#include "cpu/threads_of_call.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <vector>

#include <pthread.h>

namespace heddle::cpu {
namespace {

thread_local bool is_inside_call = false;

/// Slices that threads take one after another.
class sliced_call {
 public:
  sliced_call(std::size_t slices, function_ref<void(std::size_t)> work) : work_(work), slices_(slices) {}

  /// Runs one slice, or returns false if none is left.
  bool run_one() noexcept {
    if (is_failing_.load(std::memory_order_relaxed)) return false;
    const std::size_t slice = next_.fetch_add(1, std::memory_order_relaxed);
    if (slice >= slices_) return false;
    try {
      work_(slice);
    } catch (...) {
      if (!is_failing_.exchange(true)) thrown_ = std::current_exception();
    }
    return true;
  }
  void run_all() noexcept {
    is_inside_call = true;
    while (run_one()) {
    }
    is_inside_call = false;
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  function_ref<void(std::size_t)> work_;
  const std::size_t slices_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> is_failing_{false};
  std::exception_ptr thrown_;  // written by the thread that set is_failing_, read when all threads have ended
};

/// Threads that help with a call until it ends.
class helpers {
 public:
  helpers(sliced_call& call, std::size_t most) : call_(call), most_(most) { threads_.reserve(most); }
  ~helpers() {
    for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
  }
  helpers(const helpers&) = delete;
  helpers& operator=(const helpers&) = delete;

  void start_up_to(std::size_t wanted) noexcept {
    wanted = std::min(wanted, most_);
    if (threads_.size() >= wanted) return;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setstacksize(&attributes, stack_bytes);
    const auto help = [](void* call) -> void* {
      static_cast<sliced_call*>(call)->run_all();
      return nullptr;
    };
    while (threads_.size() < wanted) {
      pthread_t thread;
      if (pthread_create(&thread, &attributes, help, &call_) != 0) {
        most_ = threads_.size();
        break;
      }
      threads_.push_back(thread);
    }
    pthread_attr_destroy(&attributes);
  }

 private:
  sliced_call& call_;
  std::size_t most_;
  std::vector<pthread_t> threads_;
};

}  // namespace

void share_out_to_new_threads(int threads, std::size_t slices, threads_start start,
                              function_ref<void(std::size_t)> work) {
  sliced_call call(slices, work);
  if (is_inside_call) {
    while (call.run_one()) {
    }
    return call.rethrow();
  }
  {
    // A thread costs about 20 µs, so a short call starts few of them.
    constexpr std::chrono::microseconds worth_a_thread(50);
    helpers others(call, std::min(static_cast<std::size_t>(std::max(threads, 1)), slices) - 1);
    if (start == threads_start::at_once) others.start_up_to(slices);
    const auto begin = std::chrono::steady_clock::now();
    is_inside_call = true;
    while (call.run_one()) {
      others.start_up_to(
          static_cast<std::size_t>((std::chrono::steady_clock::now() - begin) / worth_a_thread));
    }
    is_inside_call = false;
  }
  call.rethrow();
}

}  // namespace heddle::cpu
