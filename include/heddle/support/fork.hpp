#pragma once

#include <heddle/compiler.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

/// State that threads share, in a process that may be forked while one of them uses the state.
namespace heddle {

/// How many forks lie between this process and the process that loaded the library.
std::uint32_t forks() noexcept;

/// Notes when a library was first used that does not work after a fork, such as a pool of threads.
class first_use {
 public:
  constexpr first_use() noexcept = default;

  /// To call before each use of the library.
  void note() noexcept {
    std::int64_t unused = forks_before_.load(std::memory_order_relaxed);
    if (unused < 0) forks_before_.compare_exchange_strong(unused, forks());
  }

  /// Whether a process that this one was forked from has used the library. Then this process must not call
  /// it, because any of its locks may be held for ever.
  bool was_before_fork() const noexcept {
    const std::int64_t then = forks_before_.load(std::memory_order_relaxed);
    return then >= 0 && then != static_cast<std::int64_t>(forks());
  }

 private:
  std::atomic<std::int64_t> forks_before_{-1};  // the forks before the first use; −1 before that
};

/// A mutex that a forked child can lock. A child of fork() has one thread. If another thread of the parent
/// holds the mutex at the fork, the mutex is *abandoned* in the child: no thread of the child can unlock it.
class fork_aware_mutex {
 public:
  constexpr fork_aware_mutex() noexcept = default;
  fork_aware_mutex(const fork_aware_mutex&) = delete;
  fork_aware_mutex& operator=(const fork_aware_mutex&) = delete;

  /// Waits for the mutex.
  /// \throws heddle::error if the mutex is abandoned. It stays abandoned.
  void lock();

  /// Waits for the mutex, or takes it over if it is abandoned. Returns false if it was abandoned: what the
  /// mutex guards may then be half changed.
  [[nodiscard]] bool lock_or_take_over() noexcept;

  void unlock() noexcept;

  bool is_abandoned() const noexcept;

 private:
  std::atomic<std::uint32_t> word_{0};  // 0, or who holds it: 1 + twice the forks of the holder's process
};

/// State behind a mutex, which is made when it is first locked. If the mutex is abandoned, the child gets a
/// new State. The state is never freed, because threads may outlive static objects.
template <class State>
class fork_aware {
 public:
  constexpr fork_aware() noexcept = default;

  /// Holds the mutex while it lives.
  class access {
   public:
    explicit access(fork_aware& of) : of_(of) {
      if (of.mutex_.lock_or_take_over() && of.state_ != nullptr) return;
      try {
        of.state_ = new State();
      } catch (...) {
        of.state_ = nullptr;
        of.mutex_.unlock();
        throw;
      }
    }
    ~access() { of_.mutex_.unlock(); }
    access(const access&) = delete;
    access& operator=(const access&) = delete;

    State* operator->() const noexcept { return of_.state_; }
    State& operator*() const noexcept { return *of_.state_; }

   private:
    fork_aware& of_;
  };

  access lock() { return access(*this); }

 protected:
  fork_aware_mutex mutex_;
  State* state_ = nullptr;
};

/// The same as a member of an object, with which the state is freed. A state that may be half changed is not
/// freed.
template <class State>
class fork_aware_member : public fork_aware<State> {
 public:
  fork_aware_member() noexcept = default;
  ~fork_aware_member() {
    if (!this->mutex_.is_abandoned()) delete this->state_;
  }
  fork_aware_member(const fork_aware_member&) = delete;
  fork_aware_member& operator=(const fork_aware_member&) = delete;
};

/// A value that is made when it is first used, without a lock. Threads that make it at the same time all call
/// the function, and the first value is kept.
template <class T>
class made_once {
 public:
  constexpr made_once() noexcept = default;

  template <class Make>
  const T& get(const Make& make) {
    const T* made = made_.load(std::memory_order_acquire);
    if (made != nullptr) return *made;
    auto fresh = std::make_unique<const T>(make());
    if (made_.compare_exchange_strong(made, fresh.get(), std::memory_order_acq_rel)) made = fresh.release();
    return *made;
  }

 private:
  std::atomic<const T*> made_{nullptr};
};

}  // namespace heddle
