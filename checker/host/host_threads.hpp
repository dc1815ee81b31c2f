#pragma once

namespace heddle::checker {

/// What the threads of a program's host may do while one of them waits.
enum class other_threads {
  absent,
  blocked,  ///< each waits for another
  waiting,  ///< for time to pass, or for something from outside
  running
};

/// Of all threads of this process but the calling one and the checker's own.
other_threads look_at_other_threads();

}  // namespace heddle::checker
