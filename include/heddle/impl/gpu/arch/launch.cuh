#pragma once

#include <heddle/compiler.hpp>
#include <heddle/support/launch.cuh>
#include <heddle/target.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

/// Launches that overlap the kernel before them.
namespace heddle::gpu {

/// A kernel whose blocks start while the kernels before it on the stream end, on GPUs that can do that
/// (programmatic dependent launch, from compute capability 9.0 on). It calls grid_dependency_sync() before it
/// touches global memory. One object serves all devices and threads.
class pdl_kernel {
 public:
  /// Each launch has `shared_bytes` of dynamic shared memory, and `bulk_bytes` more where has_bulk_copies
  /// (bulk_copy.cuh).
  template <class... Parameters>
  pdl_kernel(void (*function)(Parameters...), const char* name, unsigned bulk_bytes = 0,
             unsigned shared_bytes = 0)
      : function_(reinterpret_cast<const void*>(function)),
        name_(name),
        bulk_bytes_(bulk_bytes),
        shared_bytes_(shared_bytes) {}

  /// Launches it with arguments of the very types of its parameters.
  template <class... Arguments>
  void launch(const target& where, unsigned grid, unsigned block, const Arguments&... arguments) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
    launch_with(where, grid, block, pointers);
  }

 private:
  void launch_with(const target& where, unsigned grid, unsigned block, void** arguments);
  void prepare(const target& where, std::uint64_t bit);

  const void* function_;
  const char* name_;
  unsigned bulk_bytes_, shared_bytes_;
  // A bit for each device.
  std::atomic<std::uint64_t> prepared_{0}, overlaps_{0}, copies_{0};
};

#ifdef __CUDACC__
__device__ inline void grid_dependency_sync() {
#if HD_PTX_ARCH >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
#endif

}  // namespace heddle::gpu
