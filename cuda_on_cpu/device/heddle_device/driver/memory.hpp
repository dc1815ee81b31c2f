#pragma once

/// Of the CUDA driver API: memory, and what is copied and filled.

#include "types.hpp"

namespace heddle_device {

HEDDLE_DRIVER allocate_for_driver(memory_kind kind, CUdeviceptr* where, size_t bytes, allocation_name name) {
  void* made = nullptr;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const int error = HEDDLE_RUNTIME(allocate(kind, &made, bytes, name));
  *where = reinterpret_cast<CUdeviceptr>(made);
  return driver_result(error);
}

}  // namespace heddle_device

// With the name of what is allocated, as a source is rewritten to give it, and without.
HEDDLE_DRIVER cuMemAlloc(heddle_device::allocation_name name, CUdeviceptr* where, size_t bytes) {
  return heddle_device::allocate_for_driver(heddle_device::memory_kind::device, where, bytes, name);
}
HEDDLE_DRIVER cuMemAlloc(CUdeviceptr* where, size_t bytes) {
  return cuMemAlloc(heddle_device::of_unknown_type(nullptr), where, bytes);
}
HEDDLE_DRIVER cuMemAllocManaged(heddle_device::allocation_name name, CUdeviceptr* where, size_t bytes,
                                unsigned) {
  return heddle_device::allocate_for_driver(heddle_device::memory_kind::managed, where, bytes, name);
}
HEDDLE_DRIVER cuMemAllocManaged(CUdeviceptr* where, size_t bytes, unsigned flags) {
  return cuMemAllocManaged(heddle_device::of_unknown_type(nullptr), where, bytes, flags);
}
HEDDLE_DRIVER cuMemAllocPitch(heddle_device::allocation_name name, CUdeviceptr* where, size_t* pitch,
                              size_t width, size_t height, unsigned) {
  *pitch = (width + 511) / 512 * 512;
  return cuMemAlloc(name, where, *pitch * height);
}
HEDDLE_DRIVER cuMemAllocPitch(CUdeviceptr* where, size_t* pitch, size_t width, size_t height,
                              unsigned bytes) {
  return cuMemAllocPitch(heddle_device::of_unknown_type(nullptr), where, pitch, width, height, bytes);
}
template <class T>
HEDDLE_DRIVER cuMemAllocHost(heddle_device::allocation_name name, T** where, size_t bytes) {
  return heddle_device::driver_result(
      heddle_device::allocate(heddle_device::memory_kind::pinned, where, bytes, name));
}
template <class T>
HEDDLE_DRIVER cuMemAllocHost(T** where, size_t bytes) {
  return cuMemAllocHost(heddle_device::of_unknown_type(nullptr), where, bytes);
}
template <class T>
HEDDLE_DRIVER cuMemHostAlloc(heddle_device::allocation_name name, T** where, size_t bytes, unsigned) {
  return cuMemAllocHost(name, where, bytes);
}
template <class T>
HEDDLE_DRIVER cuMemHostAlloc(T** where, size_t bytes, unsigned) {
  return cuMemAllocHost(where, bytes);
}
HEDDLE_DRIVER cuMemAllocAsync(heddle_device::allocation_name name, CUdeviceptr* where, size_t bytes,
                              CUstream stream) {
  void* made = nullptr;
  const int error = HEDDLE_POOLS(allocate(nullptr, &made, bytes, name, stream));
  *where = reinterpret_cast<CUdeviceptr>(made);
  return heddle_device::driver_result(error);
}
HEDDLE_DRIVER cuMemAllocAsync(CUdeviceptr* where, size_t bytes, CUstream stream) {
  return cuMemAllocAsync(heddle_device::of_unknown_type(nullptr), where, bytes, stream);
}
HEDDLE_DRIVER cuMemFreeAsync(CUdeviceptr what, CUstream stream) {
  return heddle_device::driver_result(cudaFreeAsync(heddle_device::pointer_of(what), stream));
}
HEDDLE_DRIVER cuMemFree(CUdeviceptr what) {
  return heddle_device::driver_result(cudaFree(heddle_device::pointer_of(what)));
}
HEDDLE_DRIVER cuMemFreeHost(void* what) {
  return heddle_device::driver_result(cudaFreeHost(what));
}
HEDDLE_DRIVER cuMemHostRegister(void* what, size_t bytes, unsigned flags) {
  return heddle_device::driver_result(cudaHostRegister(static_cast<char*>(what), bytes, flags));
}
HEDDLE_DRIVER cuMemHostUnregister(void* what) {
  return heddle_device::driver_result(cudaHostUnregister(what));
}
HEDDLE_DRIVER cuMemHostGetDevicePointer(CUdeviceptr* where, void* host, unsigned flags) {
  void* device = nullptr;
  const int error = cudaHostGetDevicePointer(&device, host, flags);
  *where = reinterpret_cast<CUdeviceptr>(device);
  return heddle_device::driver_result(error);
}
HEDDLE_DRIVER cuMemGetInfo(size_t* free, size_t* total) {
  return heddle_device::driver_result(cudaMemGetInfo(free, total));
}
HEDDLE_DRIVER cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  cudaPointerAttributes known{};
  const int error = cudaPointerGetAttributes(&known, heddle_device::pointer_of(pointer));
  if (error != cudaSuccess) return heddle_device::driver_result(error);
  if (known.type == cudaMemoryTypeUnregistered) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned*>(value) =
          known.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *static_cast<CUdeviceptr*>(value) = reinterpret_cast<CUdeviceptr>(known.devicePointer);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      *static_cast<void**>(value) = known.hostPointer;
      return known.hostPointer == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<unsigned*>(value) = known.type == cudaMemoryTypeManaged ? 1 : 0;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(value) = known.device;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

// A copy of bytes, at once and on a stream.
#define HEDDLE_COPY(NAME, TO, FROM, TO_POINTER, FROM_POINTER, KIND)                                         \
  HEDDLE_DRIVER NAME(TO to, FROM from, size_t bytes) {                                                      \
    return heddle_device::driver_result(                                                                    \
        heddle_device::copy_bytes(#NAME, TO_POINTER(to), FROM_POINTER(from), bytes, KIND, nullptr, false)); \
  }                                                                                                         \
  HEDDLE_DRIVER NAME##Async(TO to, FROM from, size_t bytes, CUstream stream) {                              \
    return heddle_device::driver_result(heddle_device::copy_bytes(                                          \
        #NAME "Async", TO_POINTER(to), FROM_POINTER(from), bytes, KIND, stream, true));                     \
  }
#define HEDDLE_AS_IT_IS
HEDDLE_COPY(cuMemcpyHtoD, CUdeviceptr, const void*, heddle_device::pointer_of, HEDDLE_AS_IT_IS,
            cudaMemcpyHostToDevice)
HEDDLE_COPY(cuMemcpyDtoH, void*, CUdeviceptr, HEDDLE_AS_IT_IS, heddle_device::pointer_of,
            cudaMemcpyDeviceToHost)
HEDDLE_COPY(cuMemcpyDtoD, CUdeviceptr, CUdeviceptr, heddle_device::pointer_of, heddle_device::pointer_of,
            cudaMemcpyDeviceToDevice)
HEDDLE_COPY(cuMemcpy, CUdeviceptr, CUdeviceptr, heddle_device::pointer_of, heddle_device::pointer_of,
            cudaMemcpyDefault)
#undef HEDDLE_COPY
#undef HEDDLE_AS_IT_IS

namespace heddle_device {

HEDDLE_DRIVER copy_between_contexts(const char* function, CUdeviceptr to, CUcontext to_context,
                                    CUdeviceptr from, CUcontext from_context, size_t bytes, CUstream stream,
                                    bool is_async) {
  context_facts of_to{}, of_from{};
  int error = HEDDLE_RUNTIME(devices().describe_context(to_context, &of_to));
  if (error == cudaSuccess) error = HEDDLE_RUNTIME(devices().describe_context(from_context, &of_from));
  return driver_result(error != cudaSuccess
                           ? error
                           : copy_bytes_between(function, pointer_of(to), of_to.device, pointer_of(from),
                                                of_from.device, bytes, stream, is_async));
}
HEDDLE_DRIVER fill_for_driver(const char* function, CUdeviceptr to, unsigned value, unsigned bytes_of_value,
                              size_t pitch, size_t width, size_t height, CUstream stream, bool is_async) {
  fill_request what{function,
                    pointer_of(to),
                    static_cast<int>(value),
                    width * bytes_of_value,
                    height,
                    1,
                    pitch,
                    pitch * height,
                    stream,
                    is_async,
                    bytes_of_value};
  return driver_result(HEDDLE_RUNTIME(fill(what)));
}

}  // namespace heddle_device

HEDDLE_DRIVER cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                           size_t bytes) {
  return heddle_device::copy_between_contexts("cuMemcpyPeer", to, to_context, from, from_context, bytes,
                                              nullptr, false);
}
HEDDLE_DRIVER cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                CUcontext from_context, size_t bytes, CUstream stream) {
  return heddle_device::copy_between_contexts("cuMemcpyPeerAsync", to, to_context, from, from_context, bytes,
                                              stream, true);
}
// Values of one, two or four bytes, in a row or in several.
#define HEDDLE_FILL(BITS, VALUE)                                                                             \
  HEDDLE_DRIVER cuMemsetD##BITS(CUdeviceptr to, VALUE value, size_t count) {                                 \
    return heddle_device::fill_for_driver("cuMemsetD" #BITS, to, value, BITS / 8, count * (BITS / 8), count, \
                                          1, nullptr, false);                                                \
  }                                                                                                          \
  HEDDLE_DRIVER cuMemsetD##BITS##Async(CUdeviceptr to, VALUE value, size_t count, CUstream stream) {         \
    return heddle_device::fill_for_driver("cuMemsetD" #BITS "Async", to, value, BITS / 8,                    \
                                          count * (BITS / 8), count, 1, stream, true);                       \
  }                                                                                                          \
  HEDDLE_DRIVER cuMemsetD2D##BITS(CUdeviceptr to, size_t pitch, VALUE value, size_t width, size_t height) {  \
    return heddle_device::fill_for_driver("cuMemsetD2D" #BITS, to, value, BITS / 8, pitch, width, height,    \
                                          nullptr, false);                                                   \
  }                                                                                                          \
  HEDDLE_DRIVER cuMemsetD2D##BITS##Async(CUdeviceptr to, size_t pitch, VALUE value, size_t width,            \
                                         size_t height, CUstream stream) {                                   \
    return heddle_device::fill_for_driver("cuMemsetD2D" #BITS "Async", to, value, BITS / 8, pitch, width,    \
                                          height, stream, true);                                             \
  }
HEDDLE_FILL(8, unsigned char)
HEDDLE_FILL(16, unsigned short)
HEDDLE_FILL(32, unsigned)
#undef HEDDLE_FILL

// Where managed memory lies is of no account here.
HEDDLE_DRIVER cuMemPrefetchAsync(CUdeviceptr, size_t, int, CUstream) {
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuMemPrefetchAsync(CUdeviceptr, size_t, cudaMemLocation, unsigned, CUstream) {
  return CUDA_SUCCESS;
}
