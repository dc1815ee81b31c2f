#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <signal.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

namespace heddle::cuda_on_cpu {

/// Stacks of one size, each between pages that cannot be touched, kept for those that come after.
class stack_pool {
 public:
  static constexpr std::size_t stack_bytes = 256 * 1024;

  stack_pool() = default;
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;
  ~stack_pool();

  /// The lowest address of a stack.
  std::byte* take();
  void give(std::byte* stack) { free_.push_back(stack); }

 private:
  struct chunk {
    void* begin;
    std::size_t bytes;
  };
  void grow();

  std::vector<std::byte*> free_;
  std::vector<chunk> chunks_;
};

/// While it lives, signals of the thread that made it are handled on a stack of its own: a fiber's may be
/// full.
class signal_stack {
 public:
  signal_stack();
  signal_stack(const signal_stack&) = delete;
  signal_stack& operator=(const signal_stack&) = delete;
  ~signal_stack();

 private:
  std::unique_ptr<std::byte[]> bytes_;
  stack_t before_{};
};

/// A point of execution that can be left and come back to: callee-saved registers on a stack of its own.
/// A switch takes a few nanoseconds.
class fiber {
 public:
  /// The fiber that runs now, to come back to.
  fiber() = default;

  /// Makes this one that calls `function(argument)` on the stack when it is first switched to. The function
  /// does not return: it ends by a switch.
  void begin(std::byte* stack, void (*function)(void*), void* argument);

  /// Leaves `from`, which is running, and goes on with `to`.
  static void change(fiber& from, fiber& to);

 private:
#if defined(__x86_64__) || defined(__aarch64__)
  void* stack_pointer_ = nullptr;
#else
  ucontext_t context_{};
#endif
};

}  // namespace heddle::cuda_on_cpu
