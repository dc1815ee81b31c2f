#pragma once

#include "engine.hpp"

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>
#include <vector>

#include <pthread.h>

namespace heddle::checker {

/// While it lives, a kernel that the calling thread runs is stopped where it harms (SIGSEGV and its like),
/// and when it has gone on for so long that it will not end.
class watchdog {
 public:
  explicit watchdog(engine& watched);
  ~watchdog();
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  void watch();
  double processor_seconds() const;

  engine& watched_;
  pthread_t thread_;
  std::vector<std::byte> signal_stack_;
  stack_t stack_before_{};
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread watcher_;
};

}  // namespace heddle::checker
