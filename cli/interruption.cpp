#include "interruption.hpp"

#include "live_view.hpp"

#include <csignal>
#include <initializer_list>

#include <unistd.h>

namespace heddle::cli {
namespace {

volatile std::sig_atomic_t received = 0, states_to_keep = 0;

// What cannot look for the signal in time, such as the opening of a pipe that nobody writes to, is ended.
constexpr unsigned seconds_to_stop = 2;

void ask_to_stop(int signal) {
  received = signal;
  if (states_to_keep == 0) ::alarm(seconds_to_stop);
  // Now, because a second signal leaves no time for it.
  give_terminal_back();
}

void end(int) {
  give_terminal_back();
  constexpr char message[] = "heddle: interrupted\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message, sizeof message - 1);
  ::_exit(128 + received);
}

void fail_mapped_read(int) {
  give_terminal_back();
  constexpr char message[] = "heddle: the input file was shortened while it was read, or its disk failed\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message, sizeof message - 1);
  ::_exit(1);
}

}  // namespace

void watch_signals() {
  struct sigaction once = {};
  once.sa_handler = ask_to_stop;
  once.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction present;
    // A background job or nohup has these ignored.
    if (::sigaction(signal, nullptr, &present) == 0 && present.sa_handler != SIG_IGN) {
      ::sigaction(signal, &once, nullptr);
    }
  }
  struct sigaction alarm = {};
  alarm.sa_handler = end;
  ::sigaction(SIGALRM, &alarm, nullptr);
  struct sigaction bus = {};
  bus.sa_handler = fail_mapped_read;
  ::sigaction(SIGBUS, &bus, nullptr);
}

state_to_keep::state_to_keep() noexcept {
  states_to_keep = states_to_keep + 1;
}
state_to_keep::~state_to_keep() {
  states_to_keep = states_to_keep - 1;
}

void stop_if_interrupted() {
  if (received == 0) return;
  ::alarm(0);  // what was reached may take longer to write
  throw interrupted{received};
}

}  // namespace heddle::cli
