#include "dynamic_loader.hpp"

#include <heddle/error.hpp>

#include <cerrno>
#include <ctime>
#include <mutex>

#include <dlfcn.h>
#include <pthread.h>

namespace heddle::impl {
namespace {

/// Constant-initialised and never destroyed, because threads may outlive static objects.
struct loader_state {
  std::mutex mutex;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  int inside = 0, forking = 0;
  bool is_lost = false;  // this process was forked although another thread was inside

  void before_fork() noexcept;
  void in_parent() noexcept;
  void in_child() noexcept;
};
constinit loader_state state;

/// How many calls of the loader this thread is inside: a library that is loaded may load another.
thread_local int inside_on_this_thread = 0;

// The wait has an end, because a function that runs while its library is loaded may wait for the fork.
void loader_state::before_fork() noexcept {
  mutex.lock();
  ++forking;
  timespec end{};
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += 10;
  while (inside > inside_on_this_thread &&
         pthread_cond_clockwait(&changed, mutex.native_handle(), CLOCK_MONOTONIC, &end) != ETIMEDOUT) {
  }
}

void loader_state::in_parent() noexcept {
  --forking;
  pthread_cond_broadcast(&changed);
  mutex.unlock();
}

void loader_state::in_child() noexcept {
  // The waiting threads of the parent are not there.
  changed = PTHREAD_COND_INITIALIZER;
  forking = 0;
  is_lost = is_lost || inside > inside_on_this_thread;
  inside = inside_on_this_thread;
  mutex.unlock();
}

[[maybe_unused]] const int is_registered =
    pthread_atfork([] { state.before_fork(); }, [] { state.in_parent(); }, [] { state.in_child(); });

/// While it lives, the calling thread is inside the loader.
class loader_call {
 public:
  loader_call() {
    const std::lock_guard lock(state.mutex);
    if (state.is_lost)
      fail(
          "a thread of the parent process was loading a library at the fork: in this child no library can be "
          "loaded: start the process anew");
    // A fork waits for this thread if it is inside already.
    while (state.forking > 0 && inside_on_this_thread == 0)
      pthread_cond_wait(&state.changed, state.mutex.native_handle());
    ++state.inside;
    ++inside_on_this_thread;
  }
  ~loader_call() {
    const std::lock_guard lock(state.mutex);
    --state.inside;
    --inside_on_this_thread;
    pthread_cond_broadcast(&state.changed);
  }
  loader_call(const loader_call&) = delete;
  loader_call& operator=(const loader_call&) = delete;
};

}  // namespace

void* load_library(const char* name, int mode) {
  const loader_call inside;
  return dlopen(name, mode);
}

void unload_library(void* library) noexcept {
  try {
    const loader_call inside;
    dlclose(library);
  } catch (const error&) {
    // The process keeps the library.
  }
}

void* symbol_of_library(void* library, const char* name) {
  const loader_call inside;
  return dlsym(library, name);
}

}  // namespace heddle::impl
