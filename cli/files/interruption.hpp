#pragma once

#include <heddle/interruption.hpp>

#include <csignal>
#include <iterator>
#include <string>

namespace heddle::cli {

/// Thrown where the command stops because of a signal.
struct interrupted final : interruption {
  explicit interrupted(int by) noexcept : signal(by) {}
  int signal;
};

/// From here on the first Ctrl-C, hang-up or request to terminate asks the command to stop, and ends it when
/// it has not begun to stop two seconds later, unless it has a state to keep; another one kills it, unless it
/// comes within half a second. Bytes of a mapped file that are gone when they are read end the command with a
/// line that says so, and files beyond the largest that is allowed cannot be written to.
void watch_signals();

/// While one of these lives, what is asked to stop may take as long as the next state takes, which is then
/// written. A second Ctrl-C still kills it.
class state_to_keep {
 public:
  state_to_keep() noexcept;
  ~state_to_keep();
  state_to_keep(const state_to_keep&) = delete;
  state_to_keep& operator=(const state_to_keep&) = delete;
};

/// While one of these lives, what a kernel does that the system ends processes for — memory that belongs to
/// nobody, a division of an integer by 0 — ends the command with status 1 and a line on standard error that
/// names the kernel and says what it was. There is one at a time.
class kernel_faults {
 public:
  explicit kernel_faults(const std::string& kernel);
  ~kernel_faults();
  kernel_faults(const kernel_faults&) = delete;
  kernel_faults& operator=(const kernel_faults&) = delete;

  static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

 private:
  struct sigaction before_[std::size(signals)] = {};
};

/// The signal by which the command has been asked to stop; 0 where it has not. Of several processes one may
/// be asked alone: what it is doing with the others it ends with them.
int signal_received() noexcept;

/// Throws `interrupted` once the command has been asked to stop: called between two pieces of work.
void stop_if_interrupted();

}  // namespace heddle::cli
