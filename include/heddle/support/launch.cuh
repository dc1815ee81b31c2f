#pragma once

#include <heddle/target.hpp>

#include <cstddef>

#include <cuda_runtime.h>

/// For launching your own kernels, in files that nvcc compiles.
///
///     const hd::gpu::current_device device(where);
///     mine<<<hd::gpu::grid_for(n, 256), 256, 0, where.stream()>>>(x.data(), n);
///     hd::gpu::check(cudaGetLastError(), "mine");
namespace heddle::gpu {

/// Throws heddle::error with the call and CUDA's reason unless `status` is success.
void check(cudaError_t status, const char* call);

/// The number of multiprocessors of a GPU.
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

/// Threads of a warp.
inline constexpr unsigned warp_size = 32;

/// Blocks for `work` pieces at `pieces_a_block` each, at most what a grid can have: kernels loop in strides
/// of the whole grid.
inline unsigned grid_for(std::size_t work, std::size_t pieces_a_block) {
  constexpr std::size_t most = 0x7fffffff;
  const std::size_t blocks = (work + pieces_a_block - 1) / pieces_a_block;
  return static_cast<unsigned>(blocks < most ? blocks : most);
}

}  // namespace heddle::gpu
