#pragma once

/// Of the CUDA driver API: arrays, texture and surface objects, which are the runtime's.

#include "boxes.hpp"

using CUtexObject = cudaTextureObject_t;
using CUsurfObject = cudaSurfaceObject_t;

enum CUarray_format {
  CU_AD_FORMAT_UNSIGNED_INT8 = 0x01,
  CU_AD_FORMAT_UNSIGNED_INT16 = 0x02,
  CU_AD_FORMAT_UNSIGNED_INT32 = 0x03,
  CU_AD_FORMAT_SIGNED_INT8 = 0x08,
  CU_AD_FORMAT_SIGNED_INT16 = 0x09,
  CU_AD_FORMAT_SIGNED_INT32 = 0x0a,
  CU_AD_FORMAT_HALF = 0x10,
  CU_AD_FORMAT_FLOAT = 0x20
};
struct CUDA_ARRAY_DESCRIPTOR {
  size_t Width, Height;
  CUarray_format Format;
  unsigned NumChannels;
};
struct CUDA_ARRAY3D_DESCRIPTOR {
  size_t Width, Height, Depth;
  CUarray_format Format;
  unsigned NumChannels, Flags;
};
#define CUDA_ARRAY3D_LAYERED 0x01
#define CUDA_ARRAY3D_2DARRAY 0x01
#define CUDA_ARRAY3D_SURFACE_LDST 0x02
#define CUDA_ARRAY3D_CUBEMAP 0x04
#define CUDA_ARRAY3D_TEXTURE_GATHER 0x08

enum CUresourcetype {
  CU_RESOURCE_TYPE_ARRAY,
  CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
  CU_RESOURCE_TYPE_LINEAR,
  CU_RESOURCE_TYPE_PITCH2D
};
struct CUDA_RESOURCE_DESC {
  CUresourcetype resType;
  union {
    struct {
      CUarray hArray;
    } array;
    struct {
      CUmipmappedArray hMipmappedArray;
    } mipmap;
    struct {
      CUdeviceptr devPtr;
      CUarray_format format;
      unsigned numChannels;
      size_t sizeInBytes;
    } linear;
    struct {
      CUdeviceptr devPtr;
      CUarray_format format;
      unsigned numChannels;
      size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
  unsigned flags;
};
enum CUaddress_mode {
  CU_TR_ADDRESS_MODE_WRAP,
  CU_TR_ADDRESS_MODE_CLAMP,
  CU_TR_ADDRESS_MODE_MIRROR,
  CU_TR_ADDRESS_MODE_BORDER
};
enum CUfilter_mode { CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR };
#define CU_TRSF_READ_AS_INTEGER 0x01
#define CU_TRSF_NORMALIZED_COORDINATES 0x02
#define CU_TRSF_SRGB 0x10
#define CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION 0x20
#define CU_TRSF_SEAMLESS_CUBEMAP 0x40
struct CUDA_TEXTURE_DESC {
  CUaddress_mode addressMode[3];
  CUfilter_mode filterMode;
  unsigned flags, maxAnisotropy;
  CUfilter_mode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
  int reserved[12];
};
struct CUDA_RESOURCE_VIEW_DESC;  // which only null stands for

namespace heddle_device {

/// False where there is no such format.
inline bool channels_of(CUarray_format format, unsigned count, cudaChannelFormatDesc& c) {
  if (count != 1 && count != 2 && count != 4) return false;
  int bits = 0;
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      bits = 8;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      bits = 16;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      bits = 32;
      break;
    default:
      return false;
  }
  c = {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 2 ? bits : 0,
       format >= CU_AD_FORMAT_HALF          ? cudaChannelFormatKindFloat
       : format >= CU_AD_FORMAT_SIGNED_INT8 ? cudaChannelFormatKindSigned
                                            : cudaChannelFormatKindUnsigned};
  return true;
}
inline CUarray_format format_of(const cudaChannelFormatDesc& c) {
  if (c.f == cudaChannelFormatKindFloat) return c.x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
  const int size = c.x == 8 ? 1 : c.x == 16 ? 2 : 3;
  return static_cast<CUarray_format>(c.f == cudaChannelFormatKindSigned ? size + 7 : size);
}
inline unsigned channels_in(const cudaChannelFormatDesc& c) {
  return c.y == 0 ? 1 : c.z == 0 ? 2 : 4;
}
HEDDLE_DRIVER make_array_for_driver(allocation_name name, CUarray* where, const CUDA_ARRAY3D_DESCRIPTOR& d) {
  cudaChannelFormatDesc channels{};
  if (!channels_of(d.Format, d.NumChannels, channels)) return CUDA_ERROR_INVALID_VALUE;
  return driver_result(make_array(name, where, &channels, {d.Width, d.Height, d.Depth}, d.Flags));
}
/// What the runtime calls a resource; false where it has no such format.
inline bool resource_of(const CUDA_RESOURCE_DESC& d, cudaResourceDesc& r) {
  switch (d.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      r.resType = cudaResourceTypeArray;
      r.res.array.array = d.res.array.hArray;
      return true;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      r.resType = cudaResourceTypeMipmappedArray;
      r.res.mipmap.mipmap = d.res.mipmap.hMipmappedArray;
      return true;
    case CU_RESOURCE_TYPE_LINEAR:
      r.resType = cudaResourceTypeLinear;
      r.res.linear.devPtr = pointer_of(d.res.linear.devPtr);
      r.res.linear.sizeInBytes = d.res.linear.sizeInBytes;
      return channels_of(d.res.linear.format, d.res.linear.numChannels, r.res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
      r.resType = cudaResourceTypePitch2D;
      r.res.pitch2D.devPtr = pointer_of(d.res.pitch2D.devPtr);
      r.res.pitch2D.width = d.res.pitch2D.width;
      r.res.pitch2D.height = d.res.pitch2D.height;
      r.res.pitch2D.pitchInBytes = d.res.pitch2D.pitchInBytes;
      return channels_of(d.res.pitch2D.format, d.res.pitch2D.numChannels, r.res.pitch2D.desc);
  }
  return false;
}
inline bool is_of_floats(const cudaResourceDesc& r) {
  switch (r.resType) {
    case cudaResourceTypeArray:
      return r.res.array.array != nullptr && r.res.array.array->channels.f == cudaChannelFormatKindFloat;
    case cudaResourceTypeMipmappedArray:
      return r.res.mipmap.mipmap != nullptr && r.res.mipmap.mipmap->channels.f == cudaChannelFormatKindFloat;
    case cudaResourceTypeLinear:
      return r.res.linear.desc.f == cudaChannelFormatKindFloat;
    case cudaResourceTypePitch2D:
      return r.res.pitch2D.desc.f == cudaChannelFormatKindFloat;
  }
  return false;
}
inline int bits_of_elements(const cudaResourceDesc& r) {
  switch (r.resType) {
    case cudaResourceTypeArray:
      return r.res.array.array == nullptr ? 0 : r.res.array.array->channels.x;
    case cudaResourceTypeMipmappedArray:
      return r.res.mipmap.mipmap == nullptr ? 0 : r.res.mipmap.mipmap->channels.x;
    case cudaResourceTypeLinear:
      return r.res.linear.desc.x;
    case cudaResourceTypePitch2D:
      return r.res.pitch2D.desc.x;
  }
  return 0;
}
/// Integers of 8 and 16 bits become numbers up to 1, unless a flag says that they stay; those of 32 bits
/// stay.
inline cudaTextureDesc texture_of(const CUDA_TEXTURE_DESC& d, const cudaResourceDesc& r) {
  cudaTextureDesc t{};
  for (int i = 0; i < 3; ++i) t.addressMode[i] = static_cast<cudaTextureAddressMode>(d.addressMode[i]);
  t.filterMode = static_cast<cudaTextureFilterMode>(d.filterMode);
  const bool stays = (d.flags & CU_TRSF_READ_AS_INTEGER) != 0 || is_of_floats(r) || bits_of_elements(r) == 32;
  t.readMode = stays ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  t.sRGB = (d.flags & CU_TRSF_SRGB) != 0;
  t.normalizedCoords = (d.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  t.maxAnisotropy = d.maxAnisotropy;
  t.mipmapFilterMode = static_cast<cudaTextureFilterMode>(d.mipmapFilterMode);
  t.mipmapLevelBias = d.mipmapLevelBias;
  t.minMipmapLevelClamp = d.minMipmapLevelClamp;
  t.maxMipmapLevelClamp = d.maxMipmapLevelClamp;
  for (int i = 0; i < 4; ++i) t.borderColor[i] = d.borderColor[i];
  t.disableTrilinearOptimization = (d.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0;
  t.seamlessCubemap = (d.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
  return t;
}

}  // namespace heddle_device

HEDDLE_DRIVER cuArrayCreate(heddle_device::allocation_name name, CUarray* where,
                            const CUDA_ARRAY_DESCRIPTOR* d) {
  if (where == nullptr || d == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return heddle_device::make_array_for_driver(name, where,
                                              {d->Width, d->Height, 0, d->Format, d->NumChannels, 0});
}
HEDDLE_DRIVER cuArrayCreate(CUarray* where, const CUDA_ARRAY_DESCRIPTOR* d) {
  return cuArrayCreate(heddle_device::of_unknown_type(nullptr), where, d);
}
HEDDLE_DRIVER cuArray3DCreate(heddle_device::allocation_name name, CUarray* where,
                              const CUDA_ARRAY3D_DESCRIPTOR* d) {
  if (where == nullptr || d == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return heddle_device::make_array_for_driver(name, where, *d);
}
HEDDLE_DRIVER cuArray3DCreate(CUarray* where, const CUDA_ARRAY3D_DESCRIPTOR* d) {
  return cuArray3DCreate(heddle_device::of_unknown_type(nullptr), where, d);
}
HEDDLE_DRIVER cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* d, CUarray array) {
  if (d == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *d = {array->extent.width,
        array->extent.height,
        array->extent.depth,
        heddle_device::format_of(array->channels),
        heddle_device::channels_in(array->channels),
        array->flags};
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* d, CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR all{};
  if (d == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = cuArray3DGetDescriptor(&all, array);
  if (result == CUDA_SUCCESS) *d = {all.Width, all.Height, all.Format, all.NumChannels};
  return result;
}
HEDDLE_DRIVER cuArrayDestroy(CUarray array) {
  return array == nullptr ? CUDA_ERROR_INVALID_HANDLE : heddle_device::driver_result(cudaFreeArray(array));
}
HEDDLE_DRIVER cuMipmappedArrayCreate(heddle_device::allocation_name name, CUmipmappedArray* where,
                                     const CUDA_ARRAY3D_DESCRIPTOR* d, unsigned levels) {
  cudaChannelFormatDesc channels{};
  if (where == nullptr || d == nullptr || !heddle_device::channels_of(d->Format, d->NumChannels, channels))
    return CUDA_ERROR_INVALID_VALUE;
  return heddle_device::driver_result(
      cudaMallocMipmappedArray(name, where, &channels, {d->Width, d->Height, d->Depth}, levels, d->Flags));
}
HEDDLE_DRIVER cuMipmappedArrayCreate(CUmipmappedArray* where, const CUDA_ARRAY3D_DESCRIPTOR* d,
                                     unsigned levels) {
  return cuMipmappedArrayCreate(heddle_device::of_unknown_type(nullptr), where, d, levels);
}
HEDDLE_DRIVER cuMipmappedArrayGetLevel(CUarray* level, CUmipmappedArray array, unsigned i) {
  return heddle_device::driver_result(cudaGetMipmappedArrayLevel(level, array, i));
}
HEDDLE_DRIVER cuMipmappedArrayDestroy(CUmipmappedArray array) {
  return array == nullptr ? CUDA_ERROR_INVALID_HANDLE
                          : heddle_device::driver_result(cudaFreeMipmappedArray(array));
}

HEDDLE_DRIVER cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* what,
                                const CUDA_TEXTURE_DESC* how, const CUDA_RESOURCE_VIEW_DESC* view) {
  cudaResourceDesc resource{};
  if (object == nullptr || what == nullptr || how == nullptr || view != nullptr ||
      !heddle_device::resource_of(*what, resource))
    return CUDA_ERROR_INVALID_VALUE;
  const cudaTextureDesc texture = heddle_device::texture_of(*how, resource);
  return heddle_device::driver_result(cudaCreateTextureObject(object, &resource, &texture, nullptr));
}
HEDDLE_DRIVER cuTexObjectDestroy(CUtexObject object) {
  return heddle_device::driver_result(cudaDestroyTextureObject(object));
}
HEDDLE_DRIVER cuSurfObjectCreate(CUsurfObject* object, const CUDA_RESOURCE_DESC* what) {
  cudaResourceDesc resource{};
  if (object == nullptr || what == nullptr || !heddle_device::resource_of(*what, resource))
    return CUDA_ERROR_INVALID_VALUE;
  return heddle_device::driver_result(cudaCreateSurfaceObject(object, &resource));
}
HEDDLE_DRIVER cuSurfObjectDestroy(CUsurfObject object) {
  return heddle_device::driver_result(cudaDestroySurfaceObject(object));
}
