#pragma once

#include "cuda_on_cpu/compile/compilation.hpp"
#include "cuda_on_cpu/device/heddle_device/abi.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace heddle::cuda_on_cpu {

/// A compiled module that is not watched, loaded. It is unloaded with its lifetime.
class cpu_library {
 public:
  explicit cpu_library(const compilation& compiled);
  ~cpu_library();
  cpu_library(const cpu_library&) = delete;
  cpu_library& operator=(const cpu_library&) = delete;

  /// The kernel with this name of an entry; null when it was not compiled.
  const heddle_device::kernel* find(const std::string& entry) const;
  /// A function that the source exports.
  void* function(const char* name) const;

  /// Tells the module where the calling thread of the machine is in a grid.
  void (*enter)(const heddle_device::position* where) = nullptr;
  void (*enter_thread)(unsigned x, unsigned y, unsigned z) = nullptr;

 private:
  void* handle_ = nullptr;
  const heddle_device::kernel_entry* kernels_ = nullptr;
};

struct cpu_launch {
  const heddle_device::kernel* kernel = nullptr;
  const kernel_declaration* declaration = nullptr;
  void* const* arguments = nullptr;  ///< a pointer to each
  heddle_device::index3 grid{1, 1, 1}, block{1, 1, 1};
  std::size_t shared_bytes = 0;
  int threads = 1;  ///< of the machine
};

/// Runs all blocks of a grid and returns when they have ended. Threads of a block that may wait for one
/// another are fibers on one thread of the machine, and blocks are spread over threads of the machine; a
/// block that waits for others lets more of them begin. A failed assertion, a trap, and threads that all wait
/// for what none of them does, are a heddle::error.
void run_grid(const cpu_library& library, const cpu_launch& launch);

/// The functions that modules call, in the order of their slots.
std::span<void* const> unwatched_functions();

}  // namespace heddle::cuda_on_cpu
