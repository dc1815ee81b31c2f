#pragma once

/// The functions of the CUDA runtime that the host's part of a source calls. In a program they do what they
/// are there for, in memory of the process; beside a kernel that runs alone the host's part is compiled
/// and not run, and they say that there is no device.

#include "../launches.hpp"

#define HEDDLE_HOST inline cudaError_t
#define HEDDLE_RUNTIME(...)                                                            \
  heddle_device::ask_runtime([&](heddle_device::runtime* heddle_asked) __attribute__(( \
                                 no_sanitize("thread"))) { return heddle_asked->__VA_ARGS__; })

// ---------------------------------------------------------------------------------------------- errors

inline const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define HEDDLE_ERROR(NAME, VALUE, TEXT) \
  case NAME:                            \
    return TEXT;
    HEDDLE_ERRORS(HEDDLE_ERROR)
#undef HEDDLE_ERROR
  }
  return "unrecognized error code";
}
inline const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define HEDDLE_ERROR(NAME, VALUE, TEXT) \
  case NAME:                            \
    return #NAME;
    HEDDLE_ERRORS(HEDDLE_ERROR)
#undef HEDDLE_ERROR
  }
  return "unrecognized error code";
}
HEDDLE_HOST cudaGetLastError() {
  return HEDDLE_RUNTIME(last_error(true));
}
HEDDLE_HOST cudaPeekAtLastError() {
  return HEDDLE_RUNTIME(last_error(false));
}

// ---------------------------------------------------------------------------------------------- memory

namespace heddle_device {

template <class T>
struct pointee {
  using type = void;
};
template <class T>
struct pointee<T*> {
  using type = T;
};
template <class T>
struct pointee<T&> : pointee<T> {};
template <class T>
struct pointee<T* const> : pointee<T*> {};

constexpr allocation_name of_unknown_type(const char* name) {
  return {name, elements_of<void>()};
}
template <class T>
constexpr allocation_name named(const char* name) {
  return {name, elements_of<typename without_qualifiers<T>::type>()};
}

/// `Pointer` is the type of `&x` where x is the pointer that an allocation goes to.
template <class Pointer>
constexpr allocation_name allocated(const char* name) {
  using outer = typename pointee<Pointer>::type;
  if constexpr (__is_same(outer, void)) {
    return of_unknown_type(name);
  } else {
    return named<typename without_qualifiers<typename pointee<outer>::type>::type>(name);
  }
}

template <class T>
cudaError_t allocate(memory_kind kind, T** where, size_t bytes, allocation_name name) {
  if (name.element.size == 0) name = named<T>(name.name);
  // What is allocated may be constant to those who read it.
  return HEDDLE_RUNTIME(allocate(kind, (void**)where, bytes, name));  // NOLINT(*-cstyle-cast)
}

}  // namespace heddle_device

// With the name of what is allocated, as a source is rewritten to give it, and without.
#define HEDDLE_ALLOCATION(NAME, KIND, PARAMETERS)                                             \
  template <class T>                                                                          \
  HEDDLE_HOST NAME(heddle_device::allocation_name name, T** where, size_t bytes PARAMETERS) { \
    return heddle_device::allocate(heddle_device::memory_kind::KIND, where, bytes, name);     \
  }                                                                                           \
  template <class T>                                                                          \
  HEDDLE_HOST NAME(T** where, size_t bytes PARAMETERS) {                                      \
    return heddle_device::allocate(heddle_device::memory_kind::KIND, where, bytes,            \
                                   heddle_device::of_unknown_type(nullptr));                  \
  }
#define HEDDLE_NONE
#define HEDDLE_FLAGS , unsigned = 0
HEDDLE_ALLOCATION(cudaMalloc, device, HEDDLE_NONE)
HEDDLE_ALLOCATION(cudaMallocManaged, managed, HEDDLE_FLAGS)
HEDDLE_ALLOCATION(cudaMallocHost, pinned, HEDDLE_FLAGS)
HEDDLE_ALLOCATION(cudaHostAlloc, pinned, HEDDLE_FLAGS)
#undef HEDDLE_NONE
#undef HEDDLE_FLAGS
#undef HEDDLE_ALLOCATION
inline cudaError_t cudaMalloc(void** where, size_t bytes) {
  return cudaMalloc<void>(where, bytes);
}

template <class T>
HEDDLE_HOST cudaMallocPitch(heddle_device::allocation_name name, T** where, size_t* pitch, size_t width,
                            size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return heddle_device::allocate(heddle_device::memory_kind::device, where, *pitch * height, name);
}
template <class T>
HEDDLE_HOST cudaMallocPitch(T** where, size_t* pitch, size_t width, size_t height) {
  return cudaMallocPitch(heddle_device::of_unknown_type(nullptr), where, pitch, width, height);
}
HEDDLE_HOST cudaMalloc3D(heddle_device::allocation_name name, cudaPitchedPtr* where, cudaExtent extent) {
  where->pitch = (extent.width + 511) / 512 * 512;
  where->xsize = extent.width;
  where->ysize = extent.height;
  return heddle_device::allocate(heddle_device::memory_kind::device, &where->ptr,
                                 where->pitch * extent.height * extent.depth,
                                 heddle_device::of_unknown_type(name.name));
}
HEDDLE_HOST cudaMalloc3D(cudaPitchedPtr* where, cudaExtent extent) {
  return cudaMalloc3D(heddle_device::of_unknown_type(nullptr), where, extent);
}
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  return {width, height, depth};
}
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  return {x, y, z};
}
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width, size_t height) {
  return {pointer, pitch, width, height};
}

HEDDLE_HOST cudaFree(void* what) {
  return HEDDLE_RUNTIME(release("cudaFree", heddle_device::memory_kind::device, what));
}
HEDDLE_HOST cudaFreeHost(void* what) {
  return HEDDLE_RUNTIME(release("cudaFreeHost", heddle_device::memory_kind::pinned, what));
}
template <class T>
HEDDLE_HOST cudaHostRegister(heddle_device::allocation_name name, T* what, size_t bytes, unsigned) {
  const auto named = heddle_device::named<T>(name.name);
  return HEDDLE_RUNTIME(
      register_host(const_cast<void*>(static_cast<const volatile void*>(what)), bytes, named));
}
template <class T>
HEDDLE_HOST cudaHostRegister(T* what, size_t bytes, unsigned flags) {
  return cudaHostRegister(heddle_device::of_unknown_type(nullptr), what, bytes, flags);
}
HEDDLE_HOST cudaHostUnregister(void* what) {
  return HEDDLE_RUNTIME(unregister_host(what));
}
template <class T>
HEDDLE_HOST cudaHostGetDevicePointer(T** where, void* host, unsigned) {
  *where = static_cast<T*>(host);
  heddle_device::pointer_facts facts{};
  const cudaError_t error = HEDDLE_RUNTIME(describe(host, &facts));
  if (error != cudaSuccess) return error;
  return facts.is_known ? cudaSuccess : HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
}
template <class T>
HEDDLE_HOST cudaHostGetDevicePointer(T** where, const void* host, unsigned flags) {
  return cudaHostGetDevicePointer(where, const_cast<void*>(host), flags);
}
HEDDLE_HOST cudaHostGetFlags(unsigned* flags, void*) {
  *flags = cudaHostAllocMapped;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaMemGetInfo(size_t* free, size_t* total) {
  unsigned long long left = 0, all = 0;
  if (heddle_device::program_runtime() != nullptr) heddle_device::program_runtime()->memory_left(&left, &all);
  *free = left;
  *total = all;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  heddle_device::pointer_facts facts{};
  const cudaError_t error = HEDDLE_RUNTIME(describe(pointer, &facts));
  const cudaMemoryType type = !facts.is_known                                     ? cudaMemoryTypeUnregistered
                              : facts.kind == heddle_device::memory_kind::device  ? cudaMemoryTypeDevice
                              : facts.kind == heddle_device::memory_kind::managed ? cudaMemoryTypeManaged
                                                                                  : cudaMemoryTypeHost;
  *attributes = {type, facts.is_known ? facts.number : cudaInvalidDeviceId, facts.device, facts.host};
  return error;
}

namespace heddle_device {

HEDDLE_HOST copy_rows(const char* function, void* to, size_t to_pitch, const void* from, size_t from_pitch,
                      size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool is_async) {
  copy_request what{function,   to,
                    from,       width,
                    height,     1,
                    to_pitch,   to_pitch * height,
                    from_pitch, from_pitch * height,
                    kind,       stream,
                    is_async};
  return HEDDLE_RUNTIME(copy(what));
}
/// Of devices that the program names.
HEDDLE_HOST copy_between(copy_request what, int to_device, int from_device) {
  what.names_devices = true;
  what.to_device = to_device;
  what.from_device = from_device;
  return HEDDLE_RUNTIME(copy(what));
}
HEDDLE_HOST copy_bytes_between(const char* function, void* to, int to_device, const void* from,
                               int from_device, size_t bytes, cudaStream_t stream, bool is_async) {
  const copy_request what{
      function, to,      from, bytes, 1, 1, bytes, bytes, bytes, bytes, cudaMemcpyDeviceToDevice,
      stream,   is_async};
  return copy_between(what, to_device, from_device);
}
HEDDLE_HOST copy_bytes(const char* function, void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                       cudaStream_t stream, bool is_async) {
  return copy_rows(function, to, bytes, from, bytes, bytes, 1, kind, stream, is_async);
}
/// One side of a copy of a box. What an array consists of counts as an element, and elsewhere a byte does.
struct box_side {
  char* begin;
  size_t pitch, slice;
  bool is_right;

  box_side(cudaArray_t array, const cudaPitchedPtr& memory, const cudaPos& at, const cudaExtent& extent)
      : begin(static_cast<char*>(memory.ptr)),
        pitch(memory.pitch),
        slice(memory.pitch * memory.ysize),
        is_right(array == nullptr || memory.ptr == nullptr) {
    size_t bytes = 1;
    if (array != nullptr) {
      bytes = bytes_of_channels(array->channels);
      begin = array->data;
      pitch = pitch_of(*array);
      slice = slice_of(*array);
      is_right &= at.x + extent.width <= array->extent.width &&
                  at.y + extent.height <= at_least_one(array->extent.height) &&
                  at.z + extent.depth <= at_least_one(array->extent.depth);
    }
    begin += at.z * slice + at.y * pitch + at.x * bytes;
  }
};
inline copy_request box_of(const char* function, const cudaMemcpy3DParms& p, cudaStream_t stream,
                           bool is_async) {
  const box_side to(p.dstArray, p.dstPtr, p.dstPos, p.extent), from(p.srcArray, p.srcPtr, p.srcPos, p.extent);
  const cudaArray_t array = p.dstArray != nullptr ? p.dstArray : p.srcArray;
  const size_t width = p.extent.width * (array == nullptr ? 1 : bytes_of_channels(array->channels));
  return {function, to.begin,   from.begin, width,  p.extent.height, p.extent.depth, to.pitch,
          to.slice, from.pitch, from.slice, p.kind, stream,          is_async};
}
HEDDLE_HOST check_box(const char* function, const cudaMemcpy3DParms& p) {
  const cudaArray_t array = p.dstArray != nullptr ? p.dstArray : p.srcArray;
  const bool is_right = box_side(p.dstArray, p.dstPtr, p.dstPos, p.extent).is_right &&
                        box_side(p.srcArray, p.srcPtr, p.srcPos, p.extent).is_right;
  return is_right ? cudaSuccess
                  : HEDDLE_RUNTIME(refuse_copy(function, array == nullptr ? nullptr : array->data));
}
HEDDLE_HOST copy_box(const char* function, const cudaMemcpy3DParms& p, cudaStream_t stream, bool is_async) {
  if (const cudaError_t error = check_box(function, p); error != cudaSuccess) return error;
  const copy_request what = box_of(function, p, stream, is_async);
  return HEDDLE_RUNTIME(copy(what));
}
HEDDLE_HOST copy_box_between(const char* function, const cudaMemcpy3DPeerParms& p, cudaStream_t stream,
                             bool is_async) {
  const cudaMemcpy3DParms same{p.srcArray, p.srcPos, p.srcPtr, p.dstArray,
                               p.dstPos,   p.dstPtr, p.extent, cudaMemcpyDeviceToDevice};
  if (const cudaError_t error = check_box(function, same); error != cudaSuccess) return error;
  return copy_between(box_of(function, same, stream, is_async), p.dstDevice, p.srcDevice);
}
HEDDLE_HOST fill_rows(const char* function, void* to, size_t pitch, int value, size_t width, size_t height,
                      cudaStream_t stream, bool is_async) {
  fill_request what{function, to, value, width, height, 1, pitch, pitch * height, stream, is_async, 1};
  return HEDDLE_RUNTIME(fill(what));
}
HEDDLE_HOST fill_box(const char* function, const cudaPitchedPtr& p, int value, cudaExtent extent,
                     cudaStream_t stream, bool is_async) {
  fill_request what{function,      p.ptr,        value,   extent.width,
                    extent.height, extent.depth, p.pitch, p.pitch * p.ysize,
                    stream,        is_async,     1};
  return HEDDLE_RUNTIME(fill(what));
}

/// Where `offset` bytes into a variable of the device are.
HEDDLE_HOST find_in_variable(const void* variable, size_t offset, void** where) {
  unsigned long long size = 0;
  const cudaError_t error = HEDDLE_RUNTIME(find_variable(variable, where, &size));
  if (error != cudaSuccess) return error;
  *where = static_cast<char*>(*where) + offset;
  return cudaSuccess;
}
HEDDLE_HOST copy_to_variable(const char* function, const void* variable, const void* from, size_t bytes,
                             size_t offset, cudaMemcpyKind kind, cudaStream_t stream, bool is_async) {
  void* where = nullptr;
  const cudaError_t error = find_in_variable(variable, offset, &where);
  return error != cudaSuccess ? error : copy_bytes(function, where, from, bytes, kind, stream, is_async);
}
HEDDLE_HOST copy_from_variable(const char* function, void* to, const void* variable, size_t bytes,
                               size_t offset, cudaMemcpyKind kind, cudaStream_t stream, bool is_async) {
  void* where = nullptr;
  const cudaError_t error = find_in_variable(variable, offset, &where);
  return error != cudaSuccess ? error : copy_bytes(function, to, where, bytes, kind, stream, is_async);
}

}  // namespace heddle_device

HEDDLE_HOST cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return heddle_device::copy_bytes("cudaMemcpy", to, from, bytes, kind, nullptr, false);
}
HEDDLE_HOST cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr) {
  return heddle_device::copy_bytes("cudaMemcpyAsync", to, from, bytes, kind, stream, true);
}
HEDDLE_HOST cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return heddle_device::copy_rows("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind,
                                  nullptr, false);
}
HEDDLE_HOST cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  return heddle_device::copy_rows("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind,
                                  stream, true);
}
HEDDLE_HOST cudaMemcpy3D(const cudaMemcpy3DParms* what) {
  return heddle_device::copy_box("cudaMemcpy3D", *what, nullptr, false);
}
HEDDLE_HOST cudaMemcpy3DAsync(const cudaMemcpy3DParms* what, cudaStream_t stream = nullptr) {
  return heddle_device::copy_box("cudaMemcpy3DAsync", *what, stream, true);
}
HEDDLE_HOST cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return heddle_device::copy_bytes_between("cudaMemcpyPeer", to, to_device, from, from_device, bytes, nullptr,
                                           false);
}
HEDDLE_HOST cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream = nullptr) {
  return heddle_device::copy_bytes_between("cudaMemcpyPeerAsync", to, to_device, from, from_device, bytes,
                                           stream, true);
}
HEDDLE_HOST cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* what) {
  return heddle_device::copy_box_between("cudaMemcpy3DPeer", *what, nullptr, false);
}
HEDDLE_HOST cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* what, cudaStream_t stream = nullptr) {
  return heddle_device::copy_box_between("cudaMemcpy3DPeerAsync", *what, stream, true);
}
// Several copies of bytes; the attributes say from when on the source may change, and where both sides are.
struct cudaMemcpyAttributes {
  int srcAccessOrder;
  cudaMemLocation srcLocHint, dstLocHint;
  unsigned flags;
};
template <class To, class From>
HEDDLE_HOST cudaMemcpyBatchAsync(To* to, From* from, const size_t* bytes, size_t count, cudaMemcpyAttributes*,
                                 size_t*, size_t, cudaStream_t stream) {
  for (size_t i = 0; i < count; ++i) {
    const cudaError_t error =
        heddle_device::copy_bytes("cudaMemcpyBatchAsync", const_cast<void*>(static_cast<const void*>(to[i])),
                                  from[i], bytes[i], cudaMemcpyDefault, stream, true);
    if (error != cudaSuccess) return error;
  }
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaMemset(void* to, int value, size_t bytes) {
  return heddle_device::fill_rows("cudaMemset", to, bytes, value, bytes, 1, nullptr, false);
}
HEDDLE_HOST cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream = nullptr) {
  return heddle_device::fill_rows("cudaMemsetAsync", to, bytes, value, bytes, 1, stream, true);
}
HEDDLE_HOST cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return heddle_device::fill_rows("cudaMemset2D", to, pitch, value, width, height, nullptr, false);
}
HEDDLE_HOST cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream = nullptr) {
  return heddle_device::fill_rows("cudaMemset2DAsync", to, pitch, value, width, height, stream, true);
}
HEDDLE_HOST cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return heddle_device::fill_box("cudaMemset3D", to, value, extent, nullptr, false);
}
HEDDLE_HOST cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream = nullptr) {
  return heddle_device::fill_box("cudaMemset3DAsync", to, value, extent, stream, true);
}

template <class T>
HEDDLE_HOST cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return heddle_device::copy_to_variable("cudaMemcpyToSymbol", &symbol, from, bytes, offset, kind, nullptr,
                                         false);
}
template <class T>
HEDDLE_HOST cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = nullptr) {
  return heddle_device::copy_to_variable("cudaMemcpyToSymbolAsync", &symbol, from, bytes, offset, kind,
                                         stream, true);
}
template <class T>
HEDDLE_HOST cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return heddle_device::copy_from_variable("cudaMemcpyFromSymbol", to, &symbol, bytes, offset, kind, nullptr,
                                           false);
}
template <class T>
HEDDLE_HOST cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = nullptr) {
  return heddle_device::copy_from_variable("cudaMemcpyFromSymbolAsync", to, &symbol, bytes, offset, kind,
                                           stream, true);
}
template <class T, class S>
HEDDLE_HOST cudaGetSymbolAddress(T** where, const S& symbol) {
  void* found = nullptr;
  const cudaError_t error = heddle_device::find_in_variable(&symbol, 0, &found);
  *where = static_cast<T*>(found);
  return error;
}
template <class S>
HEDDLE_HOST cudaGetSymbolSize(size_t* bytes, const S& symbol) {
  void* where = nullptr;
  unsigned long long size = 0;
  const cudaError_t error = HEDDLE_RUNTIME(find_variable(&symbol, &where, &size));
  *bytes = size;
  return error;
}

HEDDLE_HOST cudaStreamAttachMemAsync(cudaStream_t, void*, size_t = 0, unsigned = cudaMemAttachSingle) {
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}

#include "advice.hpp"
#include "devices.hpp"
#include "launches.hpp"
#include "libraries.hpp"
#include "pools.hpp"
#include "streams.hpp"
