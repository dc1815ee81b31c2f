#pragma once

#include "checker/engine/engine.hpp"

#include <csignal>
#include <cstdint>

#include <pthread.h>

namespace heddle::checker {

/// While it lives, a kernel that the calling thread runs is stopped where it harms (SIGSEGV and its like),
/// and when it has gone on for so long that it will not end.
class watchdog {
 public:
  /// Starts the thread that looks, while the system gives one. The first watchdog does so too.
  static void start();

  /// Has all kernels that run stop as soon as they can.
  static void stop_all();

  /// In a process that was just forked, which has not the thread that looks.
  static void begin_process();

  explicit watchdog(engine& watched);
  ~watchdog();
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

  /// Now and then, from another thread.
  void look();
  void stop(engine::hang why, bool at_once);

 private:
  double processor_seconds() const;

  engine& watched_;
  pthread_t thread_;
  cuda_on_cpu::signal_stack signals_;
  std::uint64_t ended_ = 0, changes_ = 0;
  double last_end_ = 0, last_change_ = 0;
};

}  // namespace heddle::checker
