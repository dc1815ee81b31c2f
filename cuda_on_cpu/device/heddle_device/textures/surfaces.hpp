#pragma once

/// Reads and writes of surfaces. Columns are given in bytes.

#include "sampling.hpp"

namespace heddle_device {

HEDDLE_HARDWARE void plan_surface(texture_fetch& f, const char* function, texture_shape shape, u64 object,
                                  long long x, long long y, long long z, u32 bytes,
                                  cudaSurfaceBoundaryMode mode, bool writes) {
  begin_access(f, function, object, shape, true);
  f.writes = writes;
  f.bytes = bytes;
  if (f.problem != texture_problem::none) return;
  const texture_level& l = f.of->level[0];
  if (x % bytes != 0) {
    f.problem = texture_problem::misaligned;
    f.at[0] = x;
    return;
  }
  long long at[] = {x / bytes, y, z};
  const long long extent[] = {static_cast<long long>(l.pitch / bytes), static_cast<long long>(l.height),
                              static_cast<long long>(l.depth)};
  for (u32 axis = 0; axis < 3; ++axis) {
    f.at[axis] = at[axis];
    f.extent[axis] = extent[axis];
    if (at[axis] >= 0 && at[axis] < extent[axis]) continue;
    if (mode == cudaBoundaryModeZero) return;
    if (mode == cudaBoundaryModeTrap) f.problem = texture_problem::trap;
    at[axis] = at[axis] < 0 ? 0 : extent[axis] - 1;
  }
  f.axes = l.depth > 1 ? 3 : l.height > 1 ? 2 : 1;
  if (f.problem != texture_problem::none) return;
  f.address[f.count++] = l.data + static_cast<size_t>(at[2]) * l.slice +
                         static_cast<size_t>(at[1]) * l.pitch + static_cast<size_t>(at[0]) * bytes;
}

HEDDLE_HARDWARE void finish_surface(const texture_fetch& f, void* result) {
  static const char nothing[16] = {};
  copy_unseen(result, f.count != 0 ? f.address[0] : nothing, f.bytes);
}
HEDDLE_HARDWARE void store_surface(const texture_fetch& f, const void* value) {
  if (f.count != 0) copy_unseen(const_cast<char*>(f.address[0]), value, f.bytes);
}

template <class T>
HEDDLE_DEVICE T read_surface(const char* function, texture_shape shape, u64 object, long long x, long long y,
                             long long z, cudaSurfaceBoundaryMode mode) {
  static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "no type that a surface has");
  texture_fetch f;
  plan_surface(f, function, shape, object, x, y, z, sizeof(T), mode, false);
  heddle_texture(&f);
  T result;
  finish_surface(f, &result);
  return result;
}
template <class T>
HEDDLE_DEVICE void write_surface(const char* function, texture_shape shape, T value, u64 object, long long x,
                                 long long y, long long z, cudaSurfaceBoundaryMode mode) {
  static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "no type that a surface has");
  texture_fetch f;
  plan_surface(f, function, shape, object, x, y, z, sizeof(T), mode, true);
  heddle_texture(&f);
  store_surface(f, &value);
}

}  // namespace heddle_device

#define HEDDLE_UNPACKED(...) __VA_ARGS__
#define HEDDLE_SURFACE(NAME, SHAPE, PARAMETERS, ARGUMENTS, ...)                                      \
  template <class T>                                                                                 \
  HEDDLE_DEVICE T NAME##read(cudaSurfaceObject_t object, HEDDLE_UNPACKED PARAMETERS,                 \
                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
    return heddle_device::read_surface<T>(#NAME "read", heddle_device::texture_shape::SHAPE, object, \
                                          __VA_ARGS__, mode);                                        \
  }                                                                                                  \
  template <class T>                                                                                 \
  HEDDLE_DEVICE void NAME##read(T* result, cudaSurfaceObject_t object, HEDDLE_UNPACKED PARAMETERS,   \
                                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {               \
    *result = NAME##read<T>(object, HEDDLE_UNPACKED ARGUMENTS, mode);                                \
  }                                                                                                  \
  template <class T>                                                                                 \
  HEDDLE_DEVICE void NAME##write(T value, cudaSurfaceObject_t object, HEDDLE_UNPACKED PARAMETERS,    \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {              \
    heddle_device::write_surface(#NAME "write", heddle_device::texture_shape::SHAPE, value, object,  \
                                 __VA_ARGS__, mode);                                                 \
  }
HEDDLE_SURFACE(surf1D, line, (int x), (x), x, 0, 0)
HEDDLE_SURFACE(surf2D, plane, (int x, int y), (x, y), x, y, 0)
HEDDLE_SURFACE(surf3D, box, (int x, int y, int z), (x, y, z), x, y, z)
HEDDLE_SURFACE(surf1DLayered, lines, (int x, int layer), (x, layer), x, 0, layer)
HEDDLE_SURFACE(surf2DLayered, planes, (int x, int y, int layer), (x, y, layer), x, y, layer)
HEDDLE_SURFACE(surfCubemap, cube, (int x, int y, int face), (x, y, face), x, y, face)
HEDDLE_SURFACE(surfCubemapLayered, cubes, (int x, int y, int layer_and_face), (x, y, layer_and_face), x, y,
               layer_and_face)
#undef HEDDLE_SURFACE
#undef HEDDLE_UNPACKED
