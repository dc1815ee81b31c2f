#pragma once

/// The CUDA driver API, over what programs have of the runtime: devices and contexts, streams and events.

#include "mappings.hpp"
#include "memory.hpp"
#include "modules.hpp"

// Taken out again where a source names nothing of it (optional_headers.cpp): all that it needs is above.
#include "arrays.hpp"

namespace heddle_device {

/// Contexts are the runtime's, to which a device's primary one belongs, too.
inline CUcontext present_context() {
  return program_runtime() == nullptr
             ? nullptr
             : static_cast<CUcontext>(program_runtime()->devices().present_context());
}
HEDDLE_DRIVER check_device(CUdevice device) {
  return driver_result(HEDDLE_RUNTIME(devices().check(device)));
}
HEDDLE_DRIVER describe_context(CUcontext context, context_facts* facts) {
  *facts = {};
  return driver_result(HEDDLE_RUNTIME(devices().describe_context(context, facts)));
}

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
  return heddle_device::check_device(number);
}
HEDDLE_DRIVER cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  const CUresult result = heddle_device::driver_result(
      cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
  constexpr int last = CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED;
  if (result != CUDA_ERROR_INVALID_VALUE || attribute < 1 || attribute > last) return result;
  // What the driver alone has a name for says that something is supported.
  *value = attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ? 1 : 0;
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
  return heddle_device::check_device(device);
}
HEDDLE_DRIVER cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  *major = 9;
  *minor = 0;
  return heddle_device::check_device(device);
}
HEDDLE_DRIVER cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  *uuid = {};
  uuid->bytes[0] = static_cast<char>(device);
  return heddle_device::check_device(device);
}
HEDDLE_DRIVER cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  return heddle_device::driver_result(cudaDeviceGetPCIBusId(text, length, device));
}
HEDDLE_DRIVER cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  return heddle_device::driver_result(cudaDeviceGetByPCIBusId(device, text));
}
HEDDLE_DRIVER cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return heddle_device::driver_result(cudaDeviceCanAccessPeer(can, device, peer));
}
HEDDLE_DRIVER cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice device,
                                      CUdevice peer) {
  return heddle_device::driver_result(
      cudaDeviceGetP2PAttribute(value, static_cast<cudaDeviceP2PAttr>(attribute), device, peer));
}

// ---------------------------------------------------------------------------------------------- contexts

HEDDLE_DRIVER cuCtxPushCurrent(CUcontext context) {
  return heddle_device::driver_result(HEDDLE_RUNTIME(devices().push_context(context)));
}
HEDDLE_DRIVER cuCtxPopCurrent(CUcontext* context) {
  void* popped = nullptr;
  const int error = HEDDLE_RUNTIME(devices().pop_context(&popped));
  if (error == cudaSuccess && context != nullptr) *context = static_cast<CUcontext>(popped);
  return heddle_device::driver_result(error);
}
HEDDLE_DRIVER cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
  void* made = nullptr;
  const int error = HEDDLE_RUNTIME(devices().make_context(&made, flags, device));
  if (error == cudaSuccess) *context = static_cast<CUcontext>(made);
  return heddle_device::driver_result(error);
}
HEDDLE_DRIVER cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned flags, CUdevice device) {
  return cuCtxCreate(context, flags, device);
}
HEDDLE_DRIVER cuCtxDestroy(CUcontext context) {
  return heddle_device::driver_result(HEDDLE_RUNTIME(devices().end_context(context)));
}
HEDDLE_DRIVER cuCtxDetach(CUcontext context) {
  return cuCtxDestroy(context);
}
HEDDLE_DRIVER cuCtxGetCurrent(CUcontext* context) {
  *context = heddle_device::present_context();
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuCtxSetCurrent(CUcontext context) {
  return heddle_device::driver_result(HEDDLE_RUNTIME(devices().set_context(context)));
}
HEDDLE_DRIVER cuCtxGetDevice(CUdevice* device) {
  heddle_device::context_facts facts;
  const CUresult result = heddle_device::describe_context(heddle_device::present_context(), &facts);
  *device = facts.device;
  return result;
}
HEDDLE_DRIVER cuCtxGetFlags(unsigned* flags) {
  heddle_device::context_facts facts;
  const CUresult result = heddle_device::describe_context(heddle_device::present_context(), &facts);
  *flags = facts.flags;
  return result;
}
HEDDLE_DRIVER cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  heddle_device::context_facts facts;
  const CUresult result = heddle_device::describe_context(peer, &facts);
  return result != CUDA_SUCCESS
             ? result
             : heddle_device::driver_result(cudaDeviceEnablePeerAccess(facts.device, flags));
}
HEDDLE_DRIVER cuCtxDisablePeerAccess(CUcontext peer) {
  heddle_device::context_facts facts;
  const CUresult result = heddle_device::describe_context(peer, &facts);
  return result != CUDA_SUCCESS ? result
                                : heddle_device::driver_result(cudaDeviceDisablePeerAccess(facts.device));
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
  const CUresult result = heddle_device::check_device(device);
  if (result == CUDA_SUCCESS)
    *context = static_cast<CUcontext>(heddle_device::program_runtime()->devices().primary_context(device));
  return result;
}
HEDDLE_DRIVER cuDevicePrimaryCtxRelease(CUdevice device) {
  return heddle_device::check_device(device);
}
HEDDLE_DRIVER cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned) {
  return heddle_device::check_device(device);
}
HEDDLE_DRIVER cuDevicePrimaryCtxReset(CUdevice device) {
  CUcontext primary = nullptr;
  const CUresult result = cuDevicePrimaryCtxRetain(&primary, device);
  if (result != CUDA_SUCCESS) return result;
  (void)cuCtxPushCurrent(primary);
  const int error = cudaDeviceReset();
  (void)cuCtxPopCurrent(nullptr);
  return heddle_device::driver_result(error);
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
HEDDLE_DRIVER cuStreamGetDevice(CUstream stream, CUdevice* device) {
  return heddle_device::driver_result(cudaStreamGetDevice(stream, device));
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
#define cuArrayCreate_v2 cuArrayCreate
#define cuArray3DCreate_v2 cuArray3DCreate
#define cuMemcpy2D_v2 cuMemcpy2D
#define cuMemcpy3D_v2 cuMemcpy3D
#define cuMemFree_v2 cuMemFree
#define cuMemGetInfo_v2 cuMemGetInfo
#define cuMemcpyDtoD_v2 cuMemcpyDtoD
#define cuMemcpyDtoH_v2 cuMemcpyDtoH
#define cuMemcpyDtoHAsync_v2 cuMemcpyDtoHAsync
#define cuMemcpyHtoD_v2 cuMemcpyHtoD
#define cuMemcpyHtoDAsync_v2 cuMemcpyHtoDAsync
#define cuModuleGetGlobal_v2 cuModuleGetGlobal
#define cuStreamDestroy_v2 cuStreamDestroy
