#pragma once

/// Textures and surfaces, for what a source names of them (optional_headers.cpp).

#include "../host/arrays.hpp"
#include "sampling.hpp"
#include "surfaces.hpp"

// Each with its result returned, and stored.
#define HEDDLE_UNPACKED(...) __VA_ARGS__
#define HEDDLE_TEXTURE(NAME, SHAPE, PARAMETERS, ARGUMENTS, ...)                                              \
  template <class T>                                                                                         \
  HEDDLE_DEVICE T NAME(cudaTextureObject_t object, HEDDLE_UNPACKED PARAMETERS) {                             \
    return heddle_device::fetch_texture<T>(#NAME, heddle_device::texture_shape::SHAPE, object, __VA_ARGS__); \
  }                                                                                                          \
  template <class T>                                                                                         \
  HEDDLE_DEVICE void NAME(T* result, cudaTextureObject_t object, HEDDLE_UNPACKED PARAMETERS) {               \
    *result = NAME<T>(object, HEDDLE_UNPACKED ARGUMENTS);                                                    \
  }
#define HEDDLE_NO_LEVEL heddle_device::no_level
HEDDLE_TEXTURE(tex1Dfetch, fetch, (int x), (x), 0, 0, 0, x, HEDDLE_NO_LEVEL)
HEDDLE_TEXTURE(tex1D, line, (float x), (x), x, 0, 0, 0, HEDDLE_NO_LEVEL)
HEDDLE_TEXTURE(tex2D, plane, (float x, float y), (x, y), x, y, 0, 0, HEDDLE_NO_LEVEL)
HEDDLE_TEXTURE(tex3D, box, (float x, float y, float z), (x, y, z), x, y, z, 0, HEDDLE_NO_LEVEL)
HEDDLE_TEXTURE(tex1DLayered, lines, (float x, int layer), (x, layer), x, 0, 0, layer, HEDDLE_NO_LEVEL)
HEDDLE_TEXTURE(tex2DLayered, planes, (float x, float y, int layer), (x, y, layer), x, y, 0, layer,
               HEDDLE_NO_LEVEL)
HEDDLE_TEXTURE(texCubemap, cube, (float x, float y, float z), (x, y, z), x, y, z, 0, HEDDLE_NO_LEVEL)
HEDDLE_TEXTURE(texCubemapLayered, cubes, (float x, float y, float z, int layer), (x, y, z, layer), x, y, z,
               layer, HEDDLE_NO_LEVEL)
#undef HEDDLE_NO_LEVEL

HEDDLE_TEXTURE(tex1DLod, line, (float x, float level), (x, level), x, 0, 0, 0, level)
HEDDLE_TEXTURE(tex2DLod, plane, (float x, float y, float level), (x, y, level), x, y, 0, 0, level)
HEDDLE_TEXTURE(tex3DLod, box, (float x, float y, float z, float level), (x, y, z, level), x, y, z, 0, level)
HEDDLE_TEXTURE(tex1DLayeredLod, lines, (float x, int layer, float level), (x, layer, level), x, 0, 0, layer,
               level)
HEDDLE_TEXTURE(tex2DLayeredLod, planes, (float x, float y, int layer, float level), (x, y, layer, level), x,
               y, 0, layer, level)
HEDDLE_TEXTURE(texCubemapLod, cube, (float x, float y, float z, float level), (x, y, z, level), x, y, z, 0,
               level)
HEDDLE_TEXTURE(texCubemapLayeredLod, cubes, (float x, float y, float z, int layer, float level),
               (x, y, z, layer, level), x, y, z, layer, level)

namespace heddle_device {

HEDDLE_DEVICE double level_of(u64 object, float dx, float dy) {
  return level_of_gradients(object, dx, 0, 0, dy, 0, 0);
}
HEDDLE_DEVICE double level_of(u64 object, float2 dx, float2 dy) {
  return level_of_gradients(object, dx.x, dx.y, 0, dy.x, dy.y, 0);
}
HEDDLE_DEVICE double level_of(u64 object, float4 dx, float4 dy) {
  return level_of_gradients(object, dx.x, dx.y, dx.z, dy.x, dy.y, dy.z);
}

}  // namespace heddle_device

HEDDLE_TEXTURE(tex1DGrad, line, (float x, float dx, float dy), (x, dx, dy), x, 0, 0, 0,
               heddle_device::level_of(object, dx, dy))
HEDDLE_TEXTURE(tex2DGrad, plane, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy), x, y, 0, 0,
               heddle_device::level_of(object, dx, dy))
HEDDLE_TEXTURE(tex3DGrad, box, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy), x, y, z,
               0, heddle_device::level_of(object, dx, dy))
HEDDLE_TEXTURE(tex1DLayeredGrad, lines, (float x, int layer, float dx, float dy), (x, layer, dx, dy), x, 0, 0,
               layer, heddle_device::level_of(object, dx, dy))
HEDDLE_TEXTURE(tex2DLayeredGrad, planes, (float x, float y, int layer, float2 dx, float2 dy),
               (x, y, layer, dx, dy), x, y, 0, layer, heddle_device::level_of(object, dx, dy))
// Changes of a direction are lengths on a face of half its size.
HEDDLE_TEXTURE(texCubemapGrad, cube, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy), x,
               y, z, 0, heddle_device::level_of(object, dx, dy) - 1)
HEDDLE_TEXTURE(texCubemapLayeredGrad, cubes, (float x, float y, float z, int layer, float4 dx, float4 dy),
               (x, y, z, layer, dx, dy), x, y, z, layer, heddle_device::level_of(object, dx, dy) - 1)
#undef HEDDLE_TEXTURE
#undef HEDDLE_UNPACKED

/// One component of each of the four elements that a linear filter would use.
template <class T>
HEDDLE_DEVICE T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0) {
  return heddle_device::fetch_texture<T>("tex2Dgather", heddle_device::texture_shape::plane, object, x, y, 0,
                                         0, heddle_device::no_level, component & 3);
}
template <class T>
HEDDLE_DEVICE void tex2Dgather(T* result, cudaTextureObject_t object, float x, float y, int component = 0) {
  *result = tex2Dgather<T>(object, x, y, component);
}
