#pragma once

#include <pthread.h>

namespace heddle::checker {

/// The name of the checker's own threads.
inline constexpr const char* name_of_own_thread = "heddle-checker";

/// The calling thread is the checker's own, and does nothing for the program.
inline void become_own_thread() {
  pthread_setname_np(pthread_self(), name_of_own_thread);
}

}  // namespace heddle::checker
