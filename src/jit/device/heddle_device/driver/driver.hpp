#pragma once

/// The CUDA driver API, over what programs have of the runtime: the device and contexts, streams and events.

#include "memory.hpp"
#include "modules.hpp"

/// Contexts of a thread are a stack; all of them are of the one device.
struct CUctx_st {
  unsigned flags = 0;
  CUcontext below = nullptr;
};

namespace heddle_device {

inline thread_local CUcontext present_context = nullptr;
inline CUctx_st primary_context;

}  // namespace heddle_device

HEDDLE_DRIVER cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return heddle_device::program_runtime() == nullptr ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}
HEDDLE_DRIVER cuDriverGetVersion(int* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuDeviceGetCount(int* count) {
  return heddle_device::driver_result(cudaGetDeviceCount(count));
}
HEDDLE_DRIVER cuDeviceGet(CUdevice* device, int number) {
  *device = number;
  return number == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
HEDDLE_DRIVER cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  const CUresult result = heddle_device::driver_result(
      cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
  constexpr int last = CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED;
  if (result != CUDA_ERROR_INVALID_VALUE || attribute < 1 || attribute > last) return result;
  // What the driver alone has a name for says that something is supported.
  *value = 0;
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuDeviceGetName(char* text, int length, CUdevice device) {
  cudaDeviceProp known;
  const int error = cudaGetDeviceProperties(&known, device);
  if (error != cudaSuccess) return heddle_device::driver_result(error);
  for (int i = 0; i < length; ++i) {
    text[i] = i + 1 < length ? known.name[i] : '\0';
    if (known.name[i] == '\0') break;
  }
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  *bytes = heddle_device::device_facts::memory;
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
HEDDLE_DRIVER cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  *major = 9;
  *minor = 0;
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
HEDDLE_DRIVER cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  *uuid = {};
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
HEDDLE_DRIVER cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  return heddle_device::driver_result(cudaDeviceGetPCIBusId(text, length, device));
}
HEDDLE_DRIVER cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) {
  *can = 0;
  return CUDA_SUCCESS;
}

// ---------------------------------------------------------------------------------------------- contexts

HEDDLE_DRIVER cuCtxPushCurrent(CUcontext context) {
  context->below = heddle_device::present_context;
  heddle_device::present_context = context;
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuCtxPopCurrent(CUcontext* context) {
  if (heddle_device::present_context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = heddle_device::present_context;
  heddle_device::present_context = heddle_device::present_context->below;
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *context = new CUctx_st();
  (*context)->flags = flags;
  return cuCtxPushCurrent(*context);
}
HEDDLE_DRIVER cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned flags, CUdevice device) {
  return cuCtxCreate(context, flags, device);
}
HEDDLE_DRIVER cuCtxDestroy(CUcontext context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (heddle_device::present_context == context) heddle_device::present_context = context->below;
  if (context != &heddle_device::primary_context) delete context;
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuCtxDetach(CUcontext context) {
  return cuCtxDestroy(context);
}
HEDDLE_DRIVER cuCtxGetCurrent(CUcontext* context) {
  *context = heddle_device::present_context;
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuCtxSetCurrent(CUcontext context) {
  if (context != nullptr && heddle_device::present_context != nullptr)
    context->below = heddle_device::present_context->below;
  heddle_device::present_context = context;
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return heddle_device::present_context == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}
HEDDLE_DRIVER cuCtxGetFlags(unsigned* flags) {
  if (heddle_device::present_context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *flags = heddle_device::present_context->flags;
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuCtxGetApiVersion(CUcontext, unsigned* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuCtxSynchronize() {
  return heddle_device::driver_result(cudaDeviceSynchronize());
}
HEDDLE_DRIVER cuCtxSetLimit(CUlimit limit, size_t value) {
  return heddle_device::driver_result(cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value));
}
HEDDLE_DRIVER cuCtxGetLimit(size_t* value, CUlimit limit) {
  return heddle_device::driver_result(cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)));
}
HEDDLE_DRIVER cuCtxSetCacheConfig(CUfunc_cache) {
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return heddle_device::driver_result(cudaDeviceGetStreamPriorityRange(least, greatest));
}
HEDDLE_DRIVER cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  *context = &heddle_device::primary_context;
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
HEDDLE_DRIVER cuDevicePrimaryCtxRelease(CUdevice device) {
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
HEDDLE_DRIVER cuDevicePrimaryCtxSetFlags(CUdevice, unsigned) {
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuDevicePrimaryCtxReset(CUdevice device) {
  return device == 0 ? heddle_device::driver_result(cudaDeviceReset()) : CUDA_ERROR_INVALID_DEVICE;
}
HEDDLE_DRIVER cuProfilerStart() {
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuProfilerStop() {
  return CUDA_SUCCESS;
}

// ------------------------------------------------------------------------------------- streams and events

HEDDLE_DRIVER cuStreamCreate(CUstream* stream, unsigned flags) {
  return heddle_device::driver_result(cudaStreamCreateWithFlags(stream, flags));
}
HEDDLE_DRIVER cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int) {
  return cuStreamCreate(stream, flags);
}
HEDDLE_DRIVER cuStreamDestroy(CUstream stream) {
  return heddle_device::driver_result(cudaStreamDestroy(stream));
}
HEDDLE_DRIVER cuStreamSynchronize(CUstream stream) {
  return heddle_device::driver_result(cudaStreamSynchronize(stream));
}
HEDDLE_DRIVER cuStreamQuery(CUstream stream) {
  return heddle_device::driver_result(cudaStreamQuery(stream));
}
HEDDLE_DRIVER cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return heddle_device::driver_result(cudaStreamWaitEvent(stream, event, flags));
}
HEDDLE_DRIVER cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return heddle_device::driver_result(cudaStreamGetFlags(stream, flags));
}
HEDDLE_DRIVER cuEventCreate(CUevent* event, unsigned flags) {
  return heddle_device::driver_result(cudaEventCreateWithFlags(event, flags));
}
HEDDLE_DRIVER cuEventDestroy(CUevent event) {
  return heddle_device::driver_result(cudaEventDestroy(event));
}
HEDDLE_DRIVER cuEventRecord(CUevent event, CUstream stream) {
  return heddle_device::driver_result(cudaEventRecord(event, stream));
}
HEDDLE_DRIVER cuEventSynchronize(CUevent event) {
  return heddle_device::driver_result(cudaEventSynchronize(event));
}
HEDDLE_DRIVER cuEventQuery(CUevent event) {
  return heddle_device::driver_result(cudaEventQuery(event));
}
HEDDLE_DRIVER cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
  return heddle_device::driver_result(cudaEventElapsedTime(milliseconds, from, to));
}

// Names with the number of their version, which those above stand for.
#define cuCtxCreate_v2 cuCtxCreate
#define cuCtxCreate_v4 cuCtxCreate
#define cuCtxDestroy_v2 cuCtxDestroy
#define cuCtxPopCurrent_v2 cuCtxPopCurrent
#define cuCtxPushCurrent_v2 cuCtxPushCurrent
#define cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxRelease
#define cuDeviceTotalMem_v2 cuDeviceTotalMem
#define cuEventDestroy_v2 cuEventDestroy
#define cuMemAllocHost_v2 cuMemAllocHost
#define cuMemAllocPitch_v2 cuMemAllocPitch
#define cuMemAlloc_v2 cuMemAlloc
#define cuMemFree_v2 cuMemFree
#define cuMemGetInfo_v2 cuMemGetInfo
#define cuMemcpyDtoD_v2 cuMemcpyDtoD
#define cuMemcpyDtoH_v2 cuMemcpyDtoH
#define cuMemcpyDtoHAsync_v2 cuMemcpyDtoHAsync
#define cuMemcpyHtoD_v2 cuMemcpyHtoD
#define cuMemcpyHtoDAsync_v2 cuMemcpyHtoDAsync
#define cuModuleGetGlobal_v2 cuModuleGetGlobal
#define cuStreamDestroy_v2 cuStreamDestroy
