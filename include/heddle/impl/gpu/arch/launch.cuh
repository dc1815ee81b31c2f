#pragma once

#include <heddle/compiler.hpp>
#include <heddle/target.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

/// Launching kernels and checking CUDA's answers. For files that nvcc compiles.
namespace heddle::gpu {

/// Throws heddle::error with the call and CUDA's reason unless `status` is success.
void check(cudaError_t status, const char* call);

/// Multiprocessors of a device.
unsigned multiprocessors(const target& where);

/// Makes a target's device the calling thread's current one while it lives.
class current_device {
 public:
  explicit current_device(const target& where);
  ~current_device();
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;

 private:
  int before_;
};

inline constexpr unsigned warp_size = 32;

/// A kernel whose blocks come up while the kernels before it on the stream end, on GPUs that can do that
/// (programmatic dependent launch, from compute capability 9.0 on). It calls grid_dependency_sync() before
/// it touches global memory. One object serves all devices and threads.
class pdl_kernel {
 public:
  /// Each launch has `bulk_bytes` of dynamic shared memory where has_bulk_copies (bulk_copy.cuh), else none.
  template <class... Parameters>
  pdl_kernel(void (*function)(Parameters...), const char* name, unsigned bulk_bytes = 0)
      : function_(reinterpret_cast<const void*>(function)), name_(name), bulk_bytes_(bulk_bytes) {}

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
  unsigned bulk_bytes_;
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

/// Blocks for `work` pieces at `pieces_a_block` each; kernels go on in strides of the whole grid when that is
/// more than a grid can have.
inline unsigned grid_for(std::size_t work, std::size_t pieces_a_block) {
  constexpr std::size_t most = 0x7fffffff;
  const std::size_t blocks = (work + pieces_a_block - 1) / pieces_a_block;
  return static_cast<unsigned>(blocks < most ? blocks : most);
}

}  // namespace heddle::gpu
