#pragma once

namespace heddle::cli {

/// Thrown where the command stops because of a signal.
struct interrupted {
  int signal;
};

/// From here on the first Ctrl-C, hang-up or request to terminate asks the command to stop, and ends it when
/// it has not begun to stop two seconds later, unless it has a state to keep; the second one kills it. Bytes
/// of a mapped file that are gone when they are read end the command with a line that says so.
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

/// Throws `interrupted` once the command has been asked to stop: called between two pieces of work.
void stop_if_interrupted();

}  // namespace heddle::cli
