#include "watchdog.hpp"

#include <chrono>
#include <cstring>
#include <limits>

#include <ucontext.h>

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

void handle(int signal, siginfo_t* information, void* context_of_signal) {
  auto& context = *static_cast<ucontext_t*>(context_of_signal);
#if defined(__x86_64__)
  const auto pc = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  const std::uintptr_t pc = context.uc_mcontext.pc;
#else
  const std::uintptr_t pc = 0;
#endif
  const bool in_kernel = now.by != nullptr && now.thread != nullptr;
  if (signal == SIGUSR1) {
    // Only a kernel's own code can be left at any instruction.
    if (!in_kernel || !now.by->is_in_module(pc)) return;
  } else if (!in_kernel) {
    std::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  stopped.pc = pc;
  stopped.address =
      signal == SIGUSR1 ? engine::hang : reinterpret_cast<std::uintptr_t>(information->si_addr) >> 1 << 1;
  const std::uintptr_t low = now.thread->stack_low;
  const bool overflow = signal == SIGSEGV && stopped.address < low && stopped.address + 65536 > low;
  stopped.what = signal == SIGUSR1  ? engine::without_end
                 : overflow         ? "the thread's stack is full: 256 KiB of local variables and calls"
                 : signal == SIGFPE ? "an integer was divided by 0"
                 : signal == SIGILL ? "the compiler found that what is done here has no meaning"
                                    : "memory was accessed that belongs to nobody";
  // Nothing on the stack is used again.
  const std::uintptr_t top = (low + stack_pool::stack_bytes - 256) / 16 * 16;
#if defined(__x86_64__)
  context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(top - 8);
  context.uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(&landing);
#elif defined(__aarch64__)
  context.uc_mcontext.sp = top;
  context.uc_mcontext.pc = reinterpret_cast<std::uintptr_t>(&landing);
#else
  (void)top;
  landing();
#endif
}

// The actions are the process's: the first that watches sets them, the last puts back what was there.
std::mutex actions_mutex;
int watching = 0;
struct sigaction actions_before[std::size(watched_signals)];

}  // namespace

watchdog::watchdog(engine& watched) : watched_(watched), thread_(pthread_self()), signal_stack_(65536) {
  stack_t stack{};
  stack.ss_sp = signal_stack_.data();
  stack.ss_size = signal_stack_.size();
  sigaltstack(&stack, &stack_before_);
  const std::lock_guard lock(actions_mutex);
  if (watching++ == 0) {
    struct sigaction action {};
    action.sa_sigaction = &handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < std::size(watched_signals); ++i) {
      sigaction(watched_signals[i], &action, &actions_before[i]);
    }
  }
  watcher_ = std::thread([this] { watch(); });
}

watchdog::~watchdog() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_one();
  watcher_.join();
  {
    const std::lock_guard lock(actions_mutex);
    if (--watching == 0) {
      for (std::size_t i = 0; i < std::size(watched_signals); ++i) {
        sigaction(watched_signals[i], &actions_before[i], nullptr);
      }
    }
  }
  sigaltstack(&stack_before_, nullptr);
}

void watchdog::watch() {
  using clock = std::chrono::steady_clock;
  std::uint64_t seen = 0;
  auto since = clock::now();
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, std::chrono::milliseconds(100), [this] { return has_ended_; })) {
    const std::uint64_t heartbeat = watched_.heartbeat();
    if (heartbeat != seen) {
      seen = heartbeat;
      since = clock::now();
    } else {
      const double waited = std::chrono::duration<double>(clock::now() - since).count();
      if (waited > watched_.options().seconds_without_progress) watched_.end_hang();
      // What accesses no memory is stopped wherever it is.
      if (waited > watched_.options().seconds_without_progress + 0.5) pthread_kill(thread_, SIGUSR1);
    }
  }
}

}  // namespace heddle::checker
