#pragma once

/// Of host.hpp: CUDA arrays and what copies them, texture objects and surface objects.

#include "../textures/objects.hpp"

// ---------------------------------------------------------------------------------------- descriptions

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}
/// Of T, which a texture can have as elements.
template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  if constexpr (__is_same(T, void)) {
    return {0, 0, 0, 0, cudaChannelFormatKindNone};
  } else {
    constexpr heddle_device::scalar type = heddle_device::scalar_of<T>;
    static_assert(type != heddle_device::scalar::other, "no elements of a texture");
    constexpr int bytes = static_cast<int>(heddle_device::bytes_of_scalar(type));
    constexpr int count = static_cast<int>(sizeof(T)) / bytes;
    constexpr bool is_float = type >= heddle_device::scalar::f16;
    constexpr bool is_signed = type >= heddle_device::scalar::i8 && type <= heddle_device::scalar::i64;
    constexpr int bits = 8 * bytes;
    return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
            is_float    ? cudaChannelFormatKindFloat
            : is_signed ? cudaChannelFormatKindSigned
                        : cudaChannelFormatKindUnsigned};
  }
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return {16, 0, 0, 0, cudaChannelFormatKindFloat};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() {
  return {16, 0, 0, 0, cudaChannelFormatKindFloat};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return {16, 16, 0, 0, cudaChannelFormatKindFloat};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return {16, 16, 16, 16, cudaChannelFormatKindFloat};
}

HEDDLE_HOST cudaGetChannelDesc(cudaChannelFormatDesc* channels, cudaArray_const_t array) {
  if (array == nullptr) return HEDDLE_RUNTIME(fail(cudaErrorInvalidResourceHandle));
  *channels = array->channels;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaArrayGetInfo(cudaChannelFormatDesc* channels, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  if (array == nullptr) return HEDDLE_RUNTIME(fail(cudaErrorInvalidResourceHandle));
  if (channels != nullptr) *channels = array->channels;
  if (extent != nullptr) *extent = array->extent;
  if (flags != nullptr) *flags = array->flags;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}

// ---------------------------------------------------------------------------------------------- arrays

namespace heddle_device {

/// The elements of an array in reports, such as float[64][64] of float4.
struct array_elements {
  u32 lengths[3] = {};
  element_type type;

  array_elements(const cudaChannelFormatDesc& c, const cudaExtent& e) {
    const u32 axes[] = {static_cast<u32>(e.height), static_cast<u32>(e.width)};
    u32* to = lengths;
    if (e.depth != 0) *to++ = static_cast<u32>(at_least_one(e.height));
    if (e.depth != 0 || e.height != 0) *to++ = axes[1];
    const int of = c.y == 0 ? 0 : c.z == 0 ? 1 : 2;
#define HEDDLE_SPELLED(NAME, T)                          \
  {                                                      \
    spelled<T>(), spelled<NAME##2>(), spelled<NAME##4>() \
  }
    static const char* const names[3][3][3] = {
        {HEDDLE_SPELLED(char, signed char), HEDDLE_SPELLED(short, short), HEDDLE_SPELLED(int, int)},
        {HEDDLE_SPELLED(uchar, unsigned char), HEDDLE_SPELLED(ushort, unsigned short),
         HEDDLE_SPELLED(uint, unsigned)},
        {HEDDLE_SPELLED(uchar, unsigned char),
         {spelled<__half>(), spelled<__half2>(), spelled<ushort4>()},
         HEDDLE_SPELLED(float, float)}};
#undef HEDDLE_SPELLED
    static const scalar numbers[3][3] = {{scalar::i8, scalar::i16, scalar::i32},
                                         {scalar::u8, scalar::u16, scalar::u32},
                                         {scalar::u8, scalar::f16, scalar::f32}};
    const int kind = static_cast<int>(c.f), width = c.x == 8 ? 0 : c.x == 16 ? 1 : 2;
    type = {numbers[kind][width], static_cast<u32>(bytes_of_channels(c)), names[kind][width][of], lengths};
  }
};

/// Whether elements of textures can be such.
inline bool are_channels(const cudaChannelFormatDesc& c) {
  const bool are_alike = (c.y == 0 || c.y == c.x) && (c.z == 0 || (c.z == c.x && c.y != 0)) && c.w == c.z;
  const bool is_known = c.f == cudaChannelFormatKindFloat
                            ? c.x == 16 || c.x == 32
                            : c.f == cudaChannelFormatKindSigned || c.f == cudaChannelFormatKindUnsigned;
  return are_alike && is_known && (c.x == 8 || c.x == 16 || c.x == 32);
}

inline bool is_extent(const cudaExtent& e, unsigned flags) {
  const bool is_layered = (flags & cudaArrayLayered) != 0, is_cube = (flags & cudaArrayCubemap) != 0;
  if (e.width == 0) return false;
  if (is_cube) return e.width == e.height && (is_layered ? e.depth != 0 && e.depth % 6 == 0 : e.depth == 6);
  if (is_layered) return e.depth != 0;
  return e.depth == 0 || e.height != 0;
}

HEDDLE_HOST make_array(allocation_name name, cudaArray_t* where, const cudaChannelFormatDesc* channels,
                       cudaExtent extent, unsigned flags) {
  if (where == nullptr || channels == nullptr) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  *where = nullptr;
  if (!are_channels(*channels)) return HEDDLE_RUNTIME(fail(cudaErrorInvalidChannelDescriptor));
  if (!is_extent(extent, flags)) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  cudaArray made{*channels, extent, flags, nullptr, false};
  const array_elements elements(*channels, extent);
  name.element = elements.type;
  const size_t bytes = slice_of(made) * at_least_one(extent.depth);
  const cudaError_t error =
      HEDDLE_RUNTIME(allocate(memory_kind::device, reinterpret_cast<void**>(&made.data), bytes, name));
  if (error == cudaSuccess) *where = new cudaArray(made);
  return error;
}

}  // namespace heddle_device

HEDDLE_HOST cudaMallocArray(heddle_device::allocation_name name, cudaArray_t* where,
                            const cudaChannelFormatDesc* channels, size_t width, size_t height = 0,
                            unsigned flags = 0) {
  return heddle_device::make_array(name, where, channels, {width, height, 0}, flags);
}
HEDDLE_HOST cudaMallocArray(cudaArray_t* where, const cudaChannelFormatDesc* channels, size_t width,
                            size_t height = 0, unsigned flags = 0) {
  return cudaMallocArray(heddle_device::of_unknown_type(nullptr), where, channels, width, height, flags);
}
HEDDLE_HOST cudaMalloc3DArray(heddle_device::allocation_name name, cudaArray_t* where,
                              const cudaChannelFormatDesc* channels, cudaExtent extent, unsigned flags = 0) {
  return heddle_device::make_array(name, where, channels, extent, flags);
}
HEDDLE_HOST cudaMalloc3DArray(cudaArray_t* where, const cudaChannelFormatDesc* channels, cudaExtent extent,
                              unsigned flags = 0) {
  return cudaMalloc3DArray(heddle_device::of_unknown_type(nullptr), where, channels, extent, flags);
}
HEDDLE_HOST cudaFreeArray(cudaArray_t array) {
  if (array == nullptr) return HEDDLE_RUNTIME(fail(cudaSuccess));
  if (array->is_level) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  // What an array is called by stays: freeing it once more is told, and so are textures that have it.
  return HEDDLE_RUNTIME(release("cudaFreeArray", heddle_device::memory_kind::device, array->data));
}

HEDDLE_HOST cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  if (array == nullptr) return HEDDLE_RUNTIME(fail(cudaSuccess));
  cudaError_t error = cudaSuccess;
  for (unsigned i = 0; i < array->count; ++i) {
    const cudaError_t freed = HEDDLE_RUNTIME(
        release("cudaFreeMipmappedArray", heddle_device::memory_kind::device, array->levels[i]->data));
    if (error == cudaSuccess) error = freed;
  }
  return error;
}
HEDDLE_HOST cudaMallocMipmappedArray(heddle_device::allocation_name name, cudaMipmappedArray_t* where,
                                     const cudaChannelFormatDesc* channels, cudaExtent extent,
                                     unsigned levels, unsigned flags = 0) {
  if (where == nullptr || channels == nullptr) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  *where = nullptr;
  const bool has_layers = (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
  size_t longest = extent.width > extent.height ? extent.width : extent.height;
  if (!has_layers && extent.depth > longest) longest = extent.depth;
  unsigned most = 0;
  for (; longest != 0; longest /= 2) ++most;
  if (levels == 0 || most > cudaMipmappedArray::most_levels)
    return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  auto* const made = new cudaMipmappedArray{*channels, extent, flags, levels < most ? levels : most, {}};
  const auto halved = [](size_t n) { return n > 1 ? n / 2 : n; };
  for (unsigned i = 0; i < made->count; ++i) {
    const cudaError_t error = heddle_device::make_array(name, &made->levels[i], channels, extent, flags);
    if (error != cudaSuccess) {
      made->count = i;
      (void)cudaFreeMipmappedArray(made);
      return HEDDLE_RUNTIME(fail(error));
    }
    made->levels[i]->is_level = true;
    extent = {halved(extent.width), halved(extent.height), has_layers ? extent.depth : halved(extent.depth)};
  }
  *where = made;
  return cudaSuccess;
}
HEDDLE_HOST cudaMallocMipmappedArray(cudaMipmappedArray_t* where, const cudaChannelFormatDesc* channels,
                                     cudaExtent extent, unsigned levels, unsigned flags = 0) {
  return cudaMallocMipmappedArray(heddle_device::of_unknown_type(nullptr), where, channels, extent, levels,
                                  flags);
}
HEDDLE_HOST cudaGetMipmappedArrayLevel(cudaArray_t* level, cudaMipmappedArray_const_t array, unsigned i) {
  if (array == nullptr || i >= array->count) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  *level = array->levels[i];
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}

// ---------------------------------------------------------------------------------------------- copies

namespace heddle_device {

/// Rows of an array from byte `x` of row `y` on.
struct array_rows {
  char* begin;
  size_t pitch;
  bool is_inside;

  array_rows(cudaArray_const_t a, size_t x, size_t y, size_t width, size_t height)
      : begin(nullptr), pitch(0), is_inside(false) {
    if (a == nullptr) return;
    pitch = pitch_of(*a);
    is_inside = x + width <= pitch && y + height <= at_least_one(a->extent.height);
    begin = a->data + (is_inside ? y * pitch + x : 0);
  }
};

HEDDLE_HOST copy_to_array(const char* function, cudaArray_t to, size_t x, size_t y, const void* from,
                          size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind,
                          cudaStream_t stream, bool is_async) {
  const array_rows rows(to, x, y, width, height);
  if (!rows.is_inside) return HEDDLE_RUNTIME(refuse_copy(function, rows.begin));
  return copy_rows(function, rows.begin, rows.pitch, from, from_pitch, width, height, kind, stream, is_async);
}
HEDDLE_HOST copy_from_array(const char* function, void* to, size_t to_pitch, cudaArray_const_t from, size_t x,
                            size_t y, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream,
                            bool is_async) {
  const array_rows rows(from, x, y, width, height);
  if (!rows.is_inside) return HEDDLE_RUNTIME(refuse_copy(function, rows.begin));
  return copy_rows(function, to, to_pitch, rows.begin, rows.pitch, width, height, kind, stream, is_async);
}
/// `bytes` of an array, over the ends of its rows, from byte `x` of row `y` on: as one row.
inline array_rows bytes_of_array(cudaArray_const_t a, size_t x, size_t y, size_t bytes) {
  array_rows result(a, 0, 0, 0, 0);
  if (a == nullptr) return result;
  const size_t first = y * result.pitch + x;
  result.is_inside = first + bytes <= slice_of(*a);
  if (result.is_inside) result.begin += first;
  return result;
}

}  // namespace heddle_device

HEDDLE_HOST cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  return heddle_device::copy_to_array("cudaMemcpy2DToArray", to, x, y, from, pitch, width, height, kind,
                                      nullptr, false);
}
HEDDLE_HOST cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                     size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream = nullptr) {
  return heddle_device::copy_to_array("cudaMemcpy2DToArrayAsync", to, x, y, from, pitch, width, height, kind,
                                      stream, true);
}
HEDDLE_HOST cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, cudaMemcpyKind kind) {
  return heddle_device::copy_from_array("cudaMemcpy2DFromArray", to, pitch, from, x, y, width, height, kind,
                                        nullptr, false);
}
HEDDLE_HOST cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                       size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream = nullptr) {
  return heddle_device::copy_from_array("cudaMemcpy2DFromArrayAsync", to, pitch, from, x, y, width, height,
                                        kind, stream, true);
}
HEDDLE_HOST cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                     size_t from_x, size_t from_y, size_t width, size_t height,
                                     cudaMemcpyKind kind = cudaMemcpyDeviceToDevice) {
  const heddle_device::array_rows rows(from, from_x, from_y, width, height);
  if (!rows.is_inside) return HEDDLE_RUNTIME(refuse_copy("cudaMemcpy2DArrayToArray", rows.begin));
  return heddle_device::copy_to_array("cudaMemcpy2DArrayToArray", to, to_x, to_y, rows.begin, rows.pitch,
                                      width, height, kind, nullptr, false);
}
HEDDLE_HOST cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                              cudaMemcpyKind kind) {
  const heddle_device::array_rows rows = heddle_device::bytes_of_array(to, x, y, bytes);
  if (!rows.is_inside) return HEDDLE_RUNTIME(refuse_copy("cudaMemcpyToArray", rows.begin));
  return heddle_device::copy_bytes("cudaMemcpyToArray", rows.begin, from, bytes, kind, nullptr, false);
}
HEDDLE_HOST cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  const heddle_device::array_rows rows = heddle_device::bytes_of_array(to, x, y, bytes);
  if (!rows.is_inside) return HEDDLE_RUNTIME(refuse_copy("cudaMemcpyToArrayAsync", rows.begin));
  return heddle_device::copy_bytes("cudaMemcpyToArrayAsync", rows.begin, from, bytes, kind, stream, true);
}
HEDDLE_HOST cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  const heddle_device::array_rows rows = heddle_device::bytes_of_array(from, x, y, bytes);
  if (!rows.is_inside) return HEDDLE_RUNTIME(refuse_copy("cudaMemcpyFromArray", rows.begin));
  return heddle_device::copy_bytes("cudaMemcpyFromArray", to, rows.begin, bytes, kind, nullptr, false);
}
HEDDLE_HOST cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  const heddle_device::array_rows rows = heddle_device::bytes_of_array(from, x, y, bytes);
  if (!rows.is_inside) return HEDDLE_RUNTIME(refuse_copy("cudaMemcpyFromArrayAsync", rows.begin));
  return heddle_device::copy_bytes("cudaMemcpyFromArrayAsync", to, rows.begin, bytes, kind, stream, true);
}

// --------------------------------------------------------------------------------------------- objects

HEDDLE_HOST cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* what,
                                    const cudaTextureDesc* how, const cudaResourceViewDesc* view) {
  using namespace heddle_device;
  if (object == nullptr || what == nullptr || how == nullptr || view != nullptr)
    return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  texture_object made{};
  const cudaError_t error = made.take(*what, *how);
  if (error != cudaSuccess) return HEDDLE_RUNTIME(fail(error));
  *object = known_textures.add(made);
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaDestroyTextureObject(cudaTextureObject_t object) {
  if (object == 0) return HEDDLE_RUNTIME(fail(cudaSuccess));
  heddle_device::texture_object* const known = heddle_device::known_textures.find(object);
  if (known == nullptr || known->is_surface) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  known->is_alive = false;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaGetTextureObjectResourceDesc(cudaResourceDesc* what, cudaTextureObject_t object) {
  const heddle_device::texture_object* const known = heddle_device::known_textures.find(object);
  if (known == nullptr || known->is_surface) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  *what = known->resource;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaGetTextureObjectTextureDesc(cudaTextureDesc* how, cudaTextureObject_t object) {
  const heddle_device::texture_object* const known = heddle_device::known_textures.find(object);
  if (known == nullptr || known->is_surface) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  *how = known->how;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* what) {
  using namespace heddle_device;
  if (object == nullptr || what == nullptr || what->resType != cudaResourceTypeArray ||
      what->res.array.array == nullptr || (what->res.array.array->flags & cudaArraySurfaceLoadStore) == 0)
    return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  texture_object made{};
  const cudaError_t error = made.take(*what, {});
  if (error != cudaSuccess) return HEDDLE_RUNTIME(fail(error));
  made.is_surface = true;
  *object = known_textures.add(made);
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  if (object == 0) return HEDDLE_RUNTIME(fail(cudaSuccess));
  heddle_device::texture_object* const known = heddle_device::known_textures.find(object);
  if (known == nullptr || !known->is_surface) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  known->is_alive = false;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* what, cudaSurfaceObject_t object) {
  const heddle_device::texture_object* const known = heddle_device::known_textures.find(object);
  if (known == nullptr || !known->is_surface) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  *what = known->resource;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
