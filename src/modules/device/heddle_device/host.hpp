#pragma once

/// What the host's part of a source calls, so that it compiles beside the kernels that are run. It is not
/// run: every function says that there is no device.

#include "vector_types.hpp"

#include <stddef.h>

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorNoDevice = 100,
  cudaErrorNotReady = 600
};
using cudaError = cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock;
  int major, minor, multiProcessorCount, warpSize, maxThreadsPerBlock, clockRate, memoryClockRate,
      memoryBusWidth, maxThreadsPerMultiProcessor, maxThreadsDim[3], maxGridSize[3], concurrentKernels,
      regsPerBlock, l2CacheSize;
};
constexpr unsigned cudaMemAttachGlobal = 1, cudaHostAllocDefault = 0, cudaHostAllocMapped = 2,
                   cudaStreamNonBlocking = 1, cudaEventDefault = 0, cudaEventDisableTiming = 2;

#define HEDDLE_HOST_FUNCTION(NAME)               \
  template <class... Arguments>                  \
  inline cudaError_t NAME(const Arguments&...) { \
    return cudaErrorNoDevice;                    \
  }
HEDDLE_HOST_FUNCTION(cudaMalloc)
HEDDLE_HOST_FUNCTION(cudaMallocManaged)
HEDDLE_HOST_FUNCTION(cudaMallocHost)
HEDDLE_HOST_FUNCTION(cudaMallocAsync)
HEDDLE_HOST_FUNCTION(cudaMallocPitch)
HEDDLE_HOST_FUNCTION(cudaHostAlloc)
HEDDLE_HOST_FUNCTION(cudaHostGetDevicePointer)
HEDDLE_HOST_FUNCTION(cudaFree)
HEDDLE_HOST_FUNCTION(cudaFreeHost)
HEDDLE_HOST_FUNCTION(cudaFreeAsync)
HEDDLE_HOST_FUNCTION(cudaMemcpy)
HEDDLE_HOST_FUNCTION(cudaMemcpyAsync)
HEDDLE_HOST_FUNCTION(cudaMemcpy2D)
HEDDLE_HOST_FUNCTION(cudaMemcpyToSymbol)
HEDDLE_HOST_FUNCTION(cudaMemcpyToSymbolAsync)
HEDDLE_HOST_FUNCTION(cudaMemcpyFromSymbol)
HEDDLE_HOST_FUNCTION(cudaGetSymbolAddress)
HEDDLE_HOST_FUNCTION(cudaMemset)
HEDDLE_HOST_FUNCTION(cudaMemsetAsync)
HEDDLE_HOST_FUNCTION(cudaMemPrefetchAsync)
HEDDLE_HOST_FUNCTION(cudaMemGetInfo)
HEDDLE_HOST_FUNCTION(cudaDeviceSynchronize)
HEDDLE_HOST_FUNCTION(cudaDeviceReset)
HEDDLE_HOST_FUNCTION(cudaGetLastError)
HEDDLE_HOST_FUNCTION(cudaPeekAtLastError)
HEDDLE_HOST_FUNCTION(cudaGetDevice)
HEDDLE_HOST_FUNCTION(cudaSetDevice)
HEDDLE_HOST_FUNCTION(cudaGetDeviceCount)
HEDDLE_HOST_FUNCTION(cudaGetDeviceProperties)
HEDDLE_HOST_FUNCTION(cudaDeviceGetAttribute)
HEDDLE_HOST_FUNCTION(cudaFuncSetAttribute)
HEDDLE_HOST_FUNCTION(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
HEDDLE_HOST_FUNCTION(cudaOccupancyMaxPotentialBlockSize)
HEDDLE_HOST_FUNCTION(cudaLaunchKernel)
HEDDLE_HOST_FUNCTION(cudaLaunchCooperativeKernel)
HEDDLE_HOST_FUNCTION(cudaStreamCreate)
HEDDLE_HOST_FUNCTION(cudaStreamCreateWithFlags)
HEDDLE_HOST_FUNCTION(cudaStreamDestroy)
HEDDLE_HOST_FUNCTION(cudaStreamSynchronize)
HEDDLE_HOST_FUNCTION(cudaStreamWaitEvent)
HEDDLE_HOST_FUNCTION(cudaEventCreate)
HEDDLE_HOST_FUNCTION(cudaEventCreateWithFlags)
HEDDLE_HOST_FUNCTION(cudaEventDestroy)
HEDDLE_HOST_FUNCTION(cudaEventRecord)
HEDDLE_HOST_FUNCTION(cudaEventSynchronize)
HEDDLE_HOST_FUNCTION(cudaEventElapsedTime)
#undef HEDDLE_HOST_FUNCTION
inline const char* cudaGetErrorString(cudaError_t) {
  return "no device";
}
inline const char* cudaGetErrorName(cudaError_t) {
  return "cudaErrorNoDevice";
}

namespace heddle_device {

/// What k<<<grid, block, shared, stream>>> becomes: its arguments are checked against the kernel's
/// parameters.
template <class Call>
auto launching(Call call, dim3, dim3, size_t = 0, cudaStream_t = nullptr) {
  return [call](auto... arguments) {
    if (false) call(arguments...);
  };
}

}  // namespace heddle_device
