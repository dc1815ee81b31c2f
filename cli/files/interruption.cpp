#include "interruption.hpp"

#include "checker/engine/signal_context.hpp"
#include "cli/simulations/live_view.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <initializer_list>
#include <limits>
#include <string_view>

#include <fmt/core.h>
#include <unistd.h>

namespace heddle::cli {
namespace {

volatile std::sig_atomic_t received = 0, states_to_keep = 0;

// A call that cannot look for the signal in time, such as the opening of a pipe without a writer, is ended.
constexpr unsigned seconds_to_stop = 2;

// timeout and some shells signal a process and then its group, to which it belongs: what follows so soon is
// the same request.
constexpr std::int64_t nanoseconds_of_a_request = 500'000'000;
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
std::atomic<std::int64_t> asked_at{never};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "for handlers of signals");

void ask_to_stop(int signal) {
  timespec time = {};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  std::int64_t first = never;
  if (!asked_at.compare_exchange_strong(first, now)) {
    if (now - first < nanoseconds_of_a_request) return;
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  received = signal;
  if (states_to_keep == 0) ::alarm(seconds_to_stop);
  // Now, because a second request leaves no time for it.
  give_terminal_back();
}

/// Of a handler of signals, which may do little and which no other interrupts. Of several threads the first
/// speaks.
[[noreturn]] void end_with(std::string_view message, int status) {
  static std::atomic_flag ends = ATOMIC_FLAG_INIT;
  while (ends.test_and_set()) ::pause();
  give_terminal_back();
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(status);
}

void end(int) {
  end_with("heddle: interrupted\n", 128 + received);
}

void fail_mapped_read(int) {
  end_with("heddle: the input file was shortened while it was read, or its disk failed\n", 1);
}

// A handler makes no text: what it says of each signal is there before.
std::array<std::string, std::size(kernel_faults::signals)> fault_messages;

void fail_kernel(int signal) {
  const auto* const at =
      std::find(std::begin(kernel_faults::signals), std::end(kernel_faults::signals), signal);
  end_with(fault_messages[static_cast<std::size_t>(at - std::begin(kernel_faults::signals))], 1);
}

}  // namespace

void watch_signals() {
  struct sigaction asked = {};
  asked.sa_handler = ask_to_stop;
  asked.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction present;
    // A background job or nohup has these ignored.
    if (::sigaction(signal, nullptr, &present) == 0 && present.sa_handler != SIG_IGN) {
      ::sigaction(signal, &asked, nullptr);
    }
  }
  // A write beyond the largest file that is allowed is then an error, which says so.
  ::signal(SIGXFSZ, SIG_IGN);
  struct sigaction alarm = {};
  alarm.sa_handler = end;
  sigfillset(&alarm.sa_mask);
  ::sigaction(SIGALRM, &alarm, nullptr);
  struct sigaction bus = {};
  bus.sa_handler = fail_mapped_read;
  sigfillset(&bus.sa_mask);
  ::sigaction(SIGBUS, &bus, nullptr);
}

state_to_keep::state_to_keep() noexcept {
  states_to_keep = states_to_keep + 1;
}
state_to_keep::~state_to_keep() {
  states_to_keep = states_to_keep - 1;
}

kernel_faults::kernel_faults(const std::string& kernel) {
  struct sigaction action = {};
  action.sa_handler = fail_kernel;
  action.sa_flags = SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(signals); ++i) {
    fault_messages[i] = fmt::format("heddle run: {}: {}: heddle check names the place\n", kernel,
                                    checker::fault_text(signals[i]));
    ::sigaction(signals[i], &action, &before_[i]);
  }
}
kernel_faults::~kernel_faults() {
  for (std::size_t i = 0; i < std::size(signals); ++i) ::sigaction(signals[i], &before_[i], nullptr);
}

int signal_received() noexcept {
  return received;
}

void stop_if_interrupted() {
  if (received == 0) return;
  ::alarm(0);  // what was reached may take longer to write
  throw interrupted(received);
}

}  // namespace heddle::cli
