#pragma once

#include "checker/program/program_runtime.hpp"
#include "checker/report/work_origin.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace heddle::checker {

/// A launch of the host's, from its call to its end.
struct program_runtime::unfinished_launch {
  stream_order::operation when;
  int device = 0;
  heddle_device::launch_request request;
  kept_arguments kept;
  kernel_call kernel;
  launch_options options;
  std::vector<std::uintptr_t> at;
  std::string written;
  std::uint32_t first_serial = 0;
  std::unique_ptr<engine> runs;  // null before it begins
  bool was_noted = false;        // among what is pending

  launch_call call() const { return {written, at, 0}; }
  /// Work that nothing orders with it.
  void add_beside(const pending_operation& p);
  /// Before it begins: what `is_over` says is no longer beside it.
  template <class F>
  void forget_beside(F is_over) {
    for (std::size_t i = beside_.size(); i-- > 0;) {
      if (!is_over(beside_[i])) continue;
      beside_.erase(beside_.begin() + static_cast<std::ptrdiff_t>(i));
      kernel.beside.erase(kernel.beside.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

 private:
  std::vector<stream_order::operation> beside_;  // kernel.beside's
};

/// What is on a stream and not done: a launch whose threads wait, or anything that waits behind one.
struct program_runtime::unfinished_work {
  stream_order::operation when;
  std::uint64_t number = 0;          // of all that was unfinished
  std::vector<std::uint64_t> after;  // that end before it begins
  int device = 0;                    // that is present to it
  work_origin origin;
  std::unique_ptr<unfinished_launch> launch;  // or
  std::function<void()> effect;               // of anything else
  std::thread::id by;                         // that does it now: a function of the host's may take long

  bool is_at_work() const { return by != std::thread::id(); }
  bool is_of_this_thread() const { return by == std::this_thread::get_id(); }
};

}  // namespace heddle::checker
