#pragma once

#include <heddle/support/function_ref.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

namespace heddle {

/// Why interrupted work ended: a base for what `ask` of an interruptible throws. It is no heddle::error,
/// because nothing failed. A handler of std::exception that continues the work rethrows an interruption.
class interruption : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// While it lives, CPU work that its thread starts can be interrupted: patterns call `ask` on this thread,
/// and it may throw. After a call the next one follows not before the time `between`. When `ask` throws, the
/// running pattern rethrows, and its output is unspecified. `ask` must outlive this.
///
/// Patterns call it between their passes, and between the slices of a pass. They do not interrupt work on a
/// GPU, a kernel from source on a CPU, or a product of matrices by OpenBLAS.
class interruptible {
 public:
  explicit interruptible(function_ref<void()> ask,
                         std::chrono::nanoseconds between = std::chrono::milliseconds(50)) noexcept;
  ~interruptible();
  interruptible(const interruptible&) = delete;
  interruptible& operator=(const interruptible&) = delete;

  /// The innermost one of the calling thread, or of the thread that it works for; null where there is none.
  static interruptible* current() noexcept;

  /// Calls `ask` if it is due and this is its thread; on other threads throws once `ask` has thrown.
  void check();

  /// Whether `ask` has thrown.
  bool is_ended() const noexcept { return is_ended_; }

  /// Makes it current on the calling thread, which works for another thread.
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
  std::chrono::nanoseconds between_;
  std::thread::id asked_on_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
  std::exception_ptr thrown_;
  std::atomic<bool> is_ended_ = false;
  shared mine_{this};
};

/// For loops of your own: call it between pieces of work. Throws when the work is interrupted.
inline void check_interruption() {
  if (interruptible* const now = interruptible::current()) now->check();
}

}  // namespace heddle
