#pragma once

#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/target.hpp>

#include <cuda_runtime.h>

namespace heddle::gpu {

/// Whether what is launched on the stream goes into a graph.
inline bool is_captured(const target& where) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(where.stream(), &capture), "cudaStreamIsCapturing");
  return capture != cudaStreamCaptureStatusNone;
}

/// While it lives, this thread may call what a capture of its own forbids, such as taking memory.
class beside_capture {
 public:
  beside_capture() {
    check(cudaThreadExchangeStreamCaptureMode(&mode_), "cudaThreadExchangeStreamCaptureMode");
  }
  ~beside_capture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  beside_capture(const beside_capture&) = delete;
  beside_capture& operator=(const beside_capture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace heddle::gpu
