#pragma once

#include <heddle/function_ref.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

namespace heddle {

/// While one lives, work on the CPU that its thread starts can be ended between two pieces: `ask` is called
/// on this thread, at most twenty times a second, and may throw. The call that was running then throws the
/// same, and what it was writing to holds anything. `ask` must outlive this.
///
/// Patterns ask between their passes, and between the slices of a pass, of which there are many. Work on a
/// GPU is not interrupted, nor are a kernel from source on a CPU, and a product of matrices by OpenBLAS.
class interruptible {
 public:
  explicit interruptible(function_ref<void()> ask) noexcept;
  ~interruptible();
  interruptible(const interruptible&) = delete;
  interruptible& operator=(const interruptible&) = delete;

  /// The innermost one of the calling thread, or of the thread that it works for; null where there is none.
  static interruptible* current() noexcept;

  /// Asks, where this is the thread that may; on others throws once `ask` has.
  void check();

  /// Whether `ask` has thrown.
  bool is_ended() const noexcept { return is_ended_; }

  /// Makes it the calling thread's, which works for another.
  class shared {
   public:
    explicit shared(interruptible* of) noexcept;
    ~shared();
    shared(const shared&) = delete;
    shared& operator=(const shared&) = delete;

   private:
    interruptible* before_;
  };

 private:
  function_ref<void()> ask_;
  std::thread::id asked_on_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
  std::exception_ptr thrown_;
  std::atomic<bool> is_ended_ = false;
  shared mine_{this};
};

/// For loops between whose pieces work may be ended: throws where it is.
inline void check_interruption() {
  if (interruptible* const now = interruptible::current()) now->check();
}

}  // namespace heddle
