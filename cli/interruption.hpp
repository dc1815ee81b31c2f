#pragma once

namespace heddle::cli {

/// Thrown where the command stops because of a signal.
struct interrupted {
  int signal;
};

/// From here on the first Ctrl-C, hang-up or request to terminate asks the command to stop, and ends it when
/// it has not begun to stop two seconds later; the second one kills it. Bytes of a mapped file that are gone
/// when they are read end the command with a line that says so.
void watch_signals();

/// Throws `interrupted` once the command has been asked to stop: called between two pieces of work.
void stop_if_interrupted();

}  // namespace heddle::cli
