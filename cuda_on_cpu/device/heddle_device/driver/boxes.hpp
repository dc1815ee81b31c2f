#pragma once

/// Of the CUDA driver API: copies of rows and slices, between the host, the device and arrays.

#include "memory.hpp"

using CUarray = cudaArray_t;
using CUmipmappedArray = cudaMipmappedArray_t;

struct CUDA_MEMCPY2D {
  size_t srcXInBytes, srcY;
  CUmemorytype srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  size_t srcPitch, dstXInBytes, dstY;
  CUmemorytype dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  size_t dstPitch, WidthInBytes, Height;
};
struct CUDA_MEMCPY3D {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  CUmemorytype srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void* reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  CUmemorytype dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void* reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
};

namespace heddle_device {

/// One side of a copy, in bytes.
struct driver_side {
  char* begin;
  size_t pitch, slice;
  bool is_right;

  driver_side(CUmemorytype type, const void* host, CUdeviceptr device, cudaArray_const_t array, size_t x,
              size_t y, size_t z, size_t given_pitch, size_t given_height, const CUDA_MEMCPY3D& p) {
    if (type == CU_MEMORYTYPE_ARRAY) {
      begin = array == nullptr ? nullptr : array->data;
      pitch = array == nullptr ? 0 : pitch_of(*array);
      slice = array == nullptr ? 0 : slice_of(*array);
      is_right = array != nullptr && x + p.WidthInBytes <= pitch &&
                 y + p.Height <= at_least_one(array->extent.height) &&
                 z + p.Depth <= at_least_one(array->extent.depth);
    } else {
      begin = static_cast<char*>(type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : pointer_of(device));
      // Rows lie one behind another where nothing else is said.
      pitch = given_pitch != 0 ? given_pitch : p.WidthInBytes;
      slice = pitch * (given_height != 0 ? given_height : p.Height);
      is_right = true;
    }
    if (is_right) begin += z * slice + y * pitch + x;
  }
};
HEDDLE_DRIVER copy_box_for_driver(const char* function, const CUDA_MEMCPY3D& p, CUstream stream,
                                  bool is_async) {
  const driver_side from(p.srcMemoryType, p.srcHost, p.srcDevice, p.srcArray, p.srcXInBytes, p.srcY, p.srcZ,
                         p.srcPitch, p.srcHeight, p);
  const driver_side to(p.dstMemoryType, p.dstHost, p.dstDevice, p.dstArray, p.dstXInBytes, p.dstY, p.dstZ,
                       p.dstPitch, p.dstHeight, p);
  if (!from.is_right || !to.is_right)
    return driver_result(HEDDLE_RUNTIME(refuse_copy(function, from.is_right ? to.begin : from.begin)));
  const bool from_host = p.srcMemoryType == CU_MEMORYTYPE_HOST,
             to_host = p.dstMemoryType == CU_MEMORYTYPE_HOST;
  const bool is_unified =
      p.srcMemoryType == CU_MEMORYTYPE_UNIFIED || p.dstMemoryType == CU_MEMORYTYPE_UNIFIED;
  const cudaMemcpyKind kind = is_unified             ? cudaMemcpyDefault
                              : from_host && to_host ? cudaMemcpyHostToHost
                              : from_host            ? cudaMemcpyHostToDevice
                              : to_host              ? cudaMemcpyDeviceToHost
                                                     : cudaMemcpyDeviceToDevice;
  const copy_request what{function, to.begin,   from.begin, p.WidthInBytes, p.Height, p.Depth, to.pitch,
                          to.slice, from.pitch, from.slice, kind,           stream,   is_async};
  return driver_result(HEDDLE_RUNTIME(copy(what)));
}
inline CUDA_MEMCPY3D as_box(const CUDA_MEMCPY2D& p) {
  CUDA_MEMCPY3D box{};
  box.srcXInBytes = p.srcXInBytes;
  box.srcY = p.srcY;
  box.srcMemoryType = p.srcMemoryType;
  box.srcHost = p.srcHost;
  box.srcDevice = p.srcDevice;
  box.srcArray = p.srcArray;
  box.srcPitch = p.srcPitch;
  box.dstXInBytes = p.dstXInBytes;
  box.dstY = p.dstY;
  box.dstMemoryType = p.dstMemoryType;
  box.dstHost = p.dstHost;
  box.dstDevice = p.dstDevice;
  box.dstArray = p.dstArray;
  box.dstPitch = p.dstPitch;
  box.WidthInBytes = p.WidthInBytes;
  box.Height = p.Height;
  box.Depth = 1;
  return box;
}
/// These calls are for arrays of one axis.
inline bool is_line(CUarray array) {
  return array != nullptr && array->extent.height <= 1 && array->extent.depth == 0;
}
/// Bytes of an array of one axis.
HEDDLE_DRIVER copy_array_bytes(const char* function, CUarray array, size_t offset, void* memory, size_t bytes,
                               cudaMemcpyKind kind, bool to_array, CUstream stream, bool is_async) {
  if (!is_line(array)) return CUDA_ERROR_INVALID_VALUE;
  const array_rows rows = bytes_of_array(array, offset, 0, bytes);
  if (!rows.is_inside) return driver_result(HEDDLE_RUNTIME(refuse_copy(function, rows.begin)));
  return driver_result(to_array ? copy_bytes(function, rows.begin, memory, bytes, kind, stream, is_async)
                                : copy_bytes(function, memory, rows.begin, bytes, kind, stream, is_async));
}

}  // namespace heddle_device

HEDDLE_DRIVER cuMemcpy2D(const CUDA_MEMCPY2D* what) {
  return heddle_device::copy_box_for_driver("cuMemcpy2D", heddle_device::as_box(*what), nullptr, false);
}
HEDDLE_DRIVER cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* what) {
  return heddle_device::copy_box_for_driver("cuMemcpy2DUnaligned", heddle_device::as_box(*what), nullptr,
                                            false);
}
HEDDLE_DRIVER cuMemcpy2DAsync(const CUDA_MEMCPY2D* what, CUstream stream) {
  return heddle_device::copy_box_for_driver("cuMemcpy2DAsync", heddle_device::as_box(*what), stream, true);
}
HEDDLE_DRIVER cuMemcpy3D(const CUDA_MEMCPY3D* what) {
  return heddle_device::copy_box_for_driver("cuMemcpy3D", *what, nullptr, false);
}
HEDDLE_DRIVER cuMemcpy3DAsync(const CUDA_MEMCPY3D* what, CUstream stream) {
  return heddle_device::copy_box_for_driver("cuMemcpy3DAsync", *what, stream, true);
}
HEDDLE_DRIVER cuMemcpyHtoA(CUarray to, size_t offset, const void* from, size_t bytes) {
  return heddle_device::copy_array_bytes("cuMemcpyHtoA", to, offset, const_cast<void*>(from), bytes,
                                         cudaMemcpyHostToDevice, true, nullptr, false);
}
HEDDLE_DRIVER cuMemcpyHtoAAsync(CUarray to, size_t offset, const void* from, size_t bytes, CUstream stream) {
  return heddle_device::copy_array_bytes("cuMemcpyHtoAAsync", to, offset, const_cast<void*>(from), bytes,
                                         cudaMemcpyHostToDevice, true, stream, true);
}
HEDDLE_DRIVER cuMemcpyAtoH(void* to, CUarray from, size_t offset, size_t bytes) {
  return heddle_device::copy_array_bytes("cuMemcpyAtoH", from, offset, to, bytes, cudaMemcpyDeviceToHost,
                                         false, nullptr, false);
}
HEDDLE_DRIVER cuMemcpyAtoHAsync(void* to, CUarray from, size_t offset, size_t bytes, CUstream stream) {
  return heddle_device::copy_array_bytes("cuMemcpyAtoHAsync", from, offset, to, bytes, cudaMemcpyDeviceToHost,
                                         false, stream, true);
}
HEDDLE_DRIVER cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t bytes) {
  return heddle_device::copy_array_bytes("cuMemcpyDtoA", to, offset, heddle_device::pointer_of(from), bytes,
                                         cudaMemcpyDeviceToDevice, true, nullptr, false);
}
HEDDLE_DRIVER cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t bytes) {
  return heddle_device::copy_array_bytes("cuMemcpyAtoD", from, offset, heddle_device::pointer_of(to), bytes,
                                         cudaMemcpyDeviceToDevice, false, nullptr, false);
}
HEDDLE_DRIVER cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes) {
  if (!heddle_device::is_line(from)) return CUDA_ERROR_INVALID_VALUE;
  const heddle_device::array_rows rows = heddle_device::bytes_of_array(from, from_offset, 0, bytes);
  if (!rows.is_inside)
    return heddle_device::driver_result(HEDDLE_RUNTIME(refuse_copy("cuMemcpyAtoA", rows.begin)));
  return heddle_device::copy_array_bytes("cuMemcpyAtoA", to, to_offset, rows.begin, bytes,
                                         cudaMemcpyDeviceToDevice, true, nullptr, false);
}
