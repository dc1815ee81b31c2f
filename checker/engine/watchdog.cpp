#include "checker/engine/watchdog.hpp"

#include "checker/engine/own_thread.hpp"
#include "checker/engine/signal_context.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <time.h>

namespace heddle::checker {
namespace {

constexpr int watched_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGUSR1};

// What a signal leaves for the kernel's thread, which goes on in `landing`.
struct {
  std::uintptr_t pc, address;
  const char* what;
} thread_local stopped;

[[noreturn]] void landing() {
  now.by->crash(*now.thread, stopped.pc, stopped.what, stopped.address);
}

/// The instruction that called what does not belong to the module: the innermost address on the thread's
/// stack that the module's code would return to; 0 for none.
std::uintptr_t caller_in_module(std::uintptr_t stack) {
  const std::uintptr_t low = now.thread->stack_low, high = low + stack_pool::stack_bytes;
  if (stack == 0 || stack >= high) return 0;
  for (std::uintptr_t at = (std::max(stack, low) + 7) / 8 * 8; at < high; at += 8) {
    const std::uintptr_t word = *reinterpret_cast<const std::uintptr_t*>(at);
    if (now.by->compiled().is_code(word)) return word - 1;
  }
  return 0;
}

void on_signal(int signal, siginfo_t* information, void* context_of_signal) {
  auto& context = *static_cast<ucontext_t*>(context_of_signal);
  const std::uintptr_t pc = instruction_of(context);
  const bool in_kernel = now.by != nullptr && now.thread != nullptr;
  if (signal == SIGUSR1) {
    // Only a kernel's own code can be left at any instruction.
    if (!in_kernel || !now.by->is_in_module(pc)) return;
  } else if (!in_kernel) {
    std::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  stopped.pc = now.by->is_in_module(pc) ? pc : caller_in_module(stack_of(context));
  stopped.address = signal == SIGUSR1 ? engine::hang_address
                                      : reinterpret_cast<std::uintptr_t>(information->si_addr) >> 1 << 1;
  const std::uintptr_t low = now.thread->stack_low;
  const bool overflow = signal == SIGSEGV && stopped.address < low && stopped.address + 65536 > low;
  static_assert(stack_pool::stack_bytes == 256 * 1024);
  stopped.what =
      overflow ? "the thread's stack is full: 256 KiB of local variables and calls" : fault_text(signal);
  // Nothing on the stack is used again.
  const std::uintptr_t top = (low + stack_pool::stack_bytes - 256) / 16 * 16;
  if (!go_on_in(context, &landing, top)) landing();
}

// The actions are the process's: the first that watches sets them, the last puts back what was there.
std::mutex actions_mutex;
int watching = 0;
struct sigaction actions_before[std::size(watched_signals)];

/// One thread looks after all that run: a launch may take less time than a thread takes to begin. It ends
/// with the process.
class watchdogs {
 public:
  void start() {
    const std::lock_guard lock(mutex_);
    if (is_running_) return;
    try {
      std::thread([this] {
        try {
          become_own_thread();
          look();
        } catch (...) {
          // Kernels then run unwatched; an exception that left this thread would end the process.
        }
      }).detach();
    } catch (const std::system_error&) {
      throw error("the system gives no thread that watches how long kernels take");
    }
    is_running_ = true;
  }
  void add(watchdog* w) {
    const std::lock_guard lock(mutex_);
    all_.push_back(w);
  }
  void stop_all() {
    const std::lock_guard lock(mutex_);
    for (watchdog* const w : all_) w->stop(engine::hang::time_is_over, true);
  }
  void remove(watchdog* w) {
    const std::lock_guard lock(mutex_);
    all_.erase(std::find(all_.begin(), all_.end(), w));
  }

 private:
  [[noreturn]] void look() {
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const std::lock_guard lock(mutex_);
      for (watchdog* const w : all_) w->look();
    }
  }

  std::mutex mutex_;
  std::vector<watchdog*> all_;
  bool is_running_ = false;
};

watchdogs*& all_watchdogs() {
  static auto* all = new watchdogs;
  return all;
}

}  // namespace

void watchdog::start() {
  all_watchdogs()->start();
}

void watchdog::stop_all() {
  all_watchdogs()->stop_all();
}

void watchdog::begin_process() {
  // Whatever the other process's thread held when this one was made, it holds here.
  all_watchdogs() = new watchdogs;
}

watchdog::watchdog(engine& watched) : watched_(watched), thread_(pthread_self()) {
  start();
  const std::lock_guard lock(actions_mutex);
  if (watching++ == 0) {
    struct sigaction action{};
    action.sa_sigaction = &on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < std::size(watched_signals); ++i) {
      sigaction(watched_signals[i], &action, &actions_before[i]);
    }
  }
  last_end_ = last_change_ = processor_seconds();
  all_watchdogs()->add(this);
}

watchdog::~watchdog() {
  all_watchdogs()->remove(this);
  {
    const std::lock_guard lock(actions_mutex);
    if (--watching == 0) {
      for (std::size_t i = 0; i < std::size(watched_signals); ++i) {
        sigaction(watched_signals[i], &actions_before[i], nullptr);
      }
    }
  }
}

/// What the watched thread has had of a processor, in seconds; a machine that is busy with something else
/// ends no kernel.
double watchdog::processor_seconds() const {
  clockid_t clock{};
  timespec t{};
  if (pthread_getcpuclockid(thread_, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void watchdog::look() {
  const double limit = watched_.options().seconds_without_end;
  const double seconds = processor_seconds();
  if (std::exchange(changes_, watched_.changes()) != changes_) last_change_ = seconds;
  if (std::exchange(ended_, watched_.ended()) != ended_) last_end_ = seconds;
  if (seconds - last_end_ < limit) return;
  // What changed when it went on alone has not changed since.
  const bool changes_still = seconds - last_change_ < limit / 2;
  stop(changes_still ? engine::hang::nothing_ends : engine::hang::nothing_changes,
       seconds - last_end_ > limit + 0.5);
}

void watchdog::stop(engine::hang why, bool at_once) {
  watched_.end_hang(why);
  // What accesses no memory is stopped wherever it is.
  if (at_once) pthread_kill(thread_, SIGUSR1);
}

}  // namespace heddle::checker
