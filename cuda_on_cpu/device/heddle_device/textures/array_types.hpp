#pragma once

/// CUDA arrays, textures and surfaces as the host's part of a source names them (CUDA Runtime API, toolkit
/// 13). Of host/types.hpp.

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned,
  cudaChannelFormatKindUnsigned,
  cudaChannelFormatKindFloat,
  cudaChannelFormatKindNone
};
struct cudaChannelFormatDesc {
  int x, y, z, w;
  cudaChannelFormatKind f;
};

/// An array of the device's: rows and slices without gaps. Lengths are 0 along axes that it does not have,
/// and `data` is memory of the device's.
struct cudaArray {
  cudaChannelFormatDesc channels;
  cudaExtent extent;
  unsigned flags;
  char* data;
  bool is_level;  ///< of an array with levels, which frees it
};
using cudaArray_t = cudaArray*;
using cudaArray_const_t = const cudaArray*;

struct cudaMipmappedArray {
  /// Larger arrays than have so many are none of a GPU.
  static constexpr unsigned most_levels = 32;
  cudaChannelFormatDesc channels;
  cudaExtent extent;
  unsigned flags, count;
  cudaArray_t levels[most_levels];
};
using cudaMipmappedArray_t = cudaMipmappedArray*;
using cudaMipmappedArray_const_t = const cudaMipmappedArray*;

#define cudaArrayDefault 0u
#define cudaArrayLayered 1u
#define cudaArraySurfaceLoadStore 2u
#define cudaArrayCubemap 4u
#define cudaArrayTextureGather 8u

enum cudaResourceType {
  cudaResourceTypeArray,
  cudaResourceTypeMipmappedArray,
  cudaResourceTypeLinear,
  cudaResourceTypePitch2D
};
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      cudaMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
};

enum cudaTextureAddressMode {
  cudaAddressModeWrap,
  cudaAddressModeClamp,
  cudaAddressModeMirror,
  cudaAddressModeBorder
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceViewDesc;  // which is refused by its name

using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum cudaSurfaceFormatMode { cudaFormatModeForced, cudaFormatModeAuto };

namespace heddle_device {

constexpr size_t bytes_of_channels(const cudaChannelFormatDesc& c) {
  return static_cast<size_t>(c.x + c.y + c.z + c.w) / 8;
}
constexpr size_t at_least_one(size_t n) {
  return n == 0 ? 1 : n;
}
constexpr size_t pitch_of(const cudaArray& a) {
  return a.extent.width * bytes_of_channels(a.channels);
}
constexpr size_t slice_of(const cudaArray& a) {
  return pitch_of(a) * at_least_one(a.extent.height);
}

}  // namespace heddle_device
