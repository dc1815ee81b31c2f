#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace heddle {

class target;

/// A GPU of this machine.
struct gpu_properties {
  int device = 0;
  std::string name;
  int compute_capability_major = 0, compute_capability_minor = 0;
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  std::size_t free_bytes = 0;
};

/// The GPUs that `target::gpu` can name; none without a GPU, a driver, or a build with the CUDA toolkit.
std::vector<gpu_properties> gpus();

/// The version of the CUDA toolkit that the library was built with, such as "13.0"; empty without one.
std::string cuda_toolkit_version();

/// "avx512", "avx2" or "baseline": the instruction set that the built-in operators and the simulations use.
/// HEDDLE_SIMD in the environment names a narrower one than the widest of this processor. Throws if
/// HEDDLE_SIMD names one that this processor or this build lacks.
const char* cpu_instruction_set();

/// The processor's name as the system gives it.
std::string cpu_name();

/// Memory bandwidths in bytes a second.
struct bandwidths {
  struct gpu {
    double read = 0;    ///< one read of its own memory
    double to_gpu = 0;  ///< from this machine's memory
    double from_gpu = 0;
  };
  double one_core_read = 0;
  double all_cores_read = 0;
  std::vector<gpu> gpus;
};

/// The bandwidths of this machine, measured by the first call, which takes about a second, and then cached in
/// $XDG_CACHE_HOME/heddle or ~/.cache/heddle. They are measured again when the processor, the GPUs or the
/// library's version change, and by each process where the folder cannot be written.
const bandwidths& measured_bandwidths();

/// Bytes a second, read and written, of a copy on a target, in memory beyond the caches. The first call for a
/// target measures them in at most 0.1 s, with 16 to 128 MiB on a CPU and 512 MiB on a GPU, and keeps them in
/// the folder of measured_bandwidths(). May be called by any thread. Throws heddle::error for `auto`, and
/// where that memory is not free.
double measured_copy_bandwidth(const target& where);

}  // namespace heddle
