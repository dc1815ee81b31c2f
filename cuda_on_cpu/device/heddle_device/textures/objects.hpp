#pragma once

/// What texture and surface objects stand for: made by the host, read by the device without being watched.

#include "../host/host.hpp"

/// Functions of the device that do what hardware does there: nobody is seen to access anything.
#define HEDDLE_HARDWARE inline __attribute__((noinline, no_sanitize("thread"), no_sanitize("undefined")))

namespace heddle_device {

/// What a function of textures or surfaces takes its elements from.
enum class texture_shape : u8 { fetch, line, plane, box, lines, planes, cube, cubes };

struct texture_level {
  char* data;
  size_t width, height, depth, pitch, slice;  // in elements, and in bytes
};

struct texture_object {
  bool is_alive, is_surface;
  texture_shape shape;
  cudaChannelFormatDesc channels;
  u32 channel_count, channel_bytes;
  bool gives_float;  ///< and not elements as they are
  u32 levels;
  texture_level level[cudaMipmappedArray::most_levels];
  cudaTextureDesc how;
  cudaResourceDesc resource;

  /// An error of CUDA's where there is no such texture.
  cudaError_t take(const cudaResourceDesc& what, const cudaTextureDesc& wanted) {
    resource = what;
    how = wanted;
    is_alive = true;
    const cudaError_t error = take_memory();
    if (error != cudaSuccess) return error;
    channel_bytes = static_cast<u32>(channels.x) / 8;
    channel_count = channels.x == 0 ? 0 : static_cast<u32>(bytes_of_channels(channels)) / channel_bytes;
    const bool is_float = channels.f == cudaChannelFormatKindFloat;
    const bool is_normalised = how.readMode == cudaReadModeNormalizedFloat && !is_float;
    // Integers of 32 bits stay what they are.
    if (is_normalised && channels.x == 32) return cudaErrorInvalidNormSetting;
    gives_float = is_float || is_normalised;
    if (how.filterMode == cudaFilterModeLinear && !gives_float) return cudaErrorInvalidFilterSetting;
    return levels > 1 && how.normalizedCoords == 0 ? cudaErrorInvalidValue : cudaSuccess;
  }

 private:
  void take_array(const cudaArray& a) {
    const unsigned cube = a.flags & cudaArrayCubemap, layers = a.flags & cudaArrayLayered;
    shape = cube != 0              ? layers != 0 ? texture_shape::cubes : texture_shape::cube
            : layers != 0          ? a.extent.height != 0 ? texture_shape::planes : texture_shape::lines
            : a.extent.depth != 0  ? texture_shape::box
            : a.extent.height != 0 ? texture_shape::plane
                                   : texture_shape::line;
    channels = a.channels;
    level[levels++] = {
        a.data,      a.extent.width, at_least_one(a.extent.height), at_least_one(a.extent.depth),
        pitch_of(a), slice_of(a)};
  }
  cudaError_t take_memory() {
    const auto is_aligned = [](const void* p) { return reinterpret_cast<uintptr_t>(p) % 512 == 0; };
    switch (resource.resType) {
      case cudaResourceTypeArray:
        if (resource.res.array.array == nullptr) return cudaErrorInvalidResourceHandle;
        take_array(*resource.res.array.array);
        return cudaSuccess;
      case cudaResourceTypeMipmappedArray: {
        const cudaMipmappedArray_const_t all = resource.res.mipmap.mipmap;
        if (all == nullptr) return cudaErrorInvalidResourceHandle;
        for (unsigned i = 0; i < all->count; ++i) take_array(*all->levels[i]);
        return cudaSuccess;
      }
      case cudaResourceTypeLinear: {
        const auto& linear = resource.res.linear;
        const size_t bytes = bytes_of_channels(linear.desc);
        if (bytes == 0) return cudaErrorInvalidChannelDescriptor;
        if (linear.devPtr == nullptr || !is_aligned(linear.devPtr)) return cudaErrorInvalidValue;
        shape = texture_shape::fetch;
        channels = linear.desc;
        levels = 1;
        level[0] = {static_cast<char*>(linear.devPtr), linear.sizeInBytes / bytes, 1, 1, 0, 0};
        return cudaSuccess;
      }
      case cudaResourceTypePitch2D: {
        const auto& rows = resource.res.pitch2D;
        const size_t bytes = bytes_of_channels(rows.desc);
        if (bytes == 0) return cudaErrorInvalidChannelDescriptor;
        if (rows.devPtr == nullptr || !is_aligned(rows.devPtr) || rows.pitchInBytes % 32 != 0 ||
            rows.width * bytes > rows.pitchInBytes)
          return cudaErrorInvalidValue;
        shape = texture_shape::plane;
        channels = rows.desc;
        levels = 1;
        level[0] = {static_cast<char*>(rows.devPtr), rows.width, rows.height, 1, rows.pitchInBytes,
                    rows.pitchInBytes * rows.height};
        return cudaSuccess;
      }
    }
    return cudaErrorInvalidValue;
  }
};

/// All objects that the program has made, by their numbers from 1 on.
class texture_table {
 public:
  u64 add(const texture_object& made) {
    if (count_ == room_) {
      room_ = room_ == 0 ? 16 : 2 * room_;
      auto** const moved = new texture_object*[room_];
      for (u64 i = 0; i < count_; ++i) moved[i] = all_[i];
      delete[] all_;
      all_ = moved;
    }
    all_[count_] = new texture_object(made);
    return ++count_;
  }
  HEDDLE_HARDWARE texture_object* find(u64 number) const {
    if (number == 0 || number > count_) return nullptr;
    texture_object* const found = all_[number - 1];
    return found->is_alive ? found : nullptr;
  }

 private:
  texture_object** all_ = nullptr;
  u64 count_ = 0, room_ = 0;
};
inline texture_table known_textures;

/// Copies a few bytes.
HEDDLE_HARDWARE void copy_unseen(void* to, const void* from, u32 bytes) {
  for (u32 i = 0; i < bytes; ++i)
    static_cast<volatile char*>(to)[i] = static_cast<const volatile char*>(from)[i];
}

}  // namespace heddle_device
