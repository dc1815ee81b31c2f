#pragma once

/// Of host.hpp: memory that is allocated and freed in the order of a stream, and the pools that it is of.

using cudaMemPool_t = struct CUmemPoolHandle_st*;

enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1,
  cudaMemPoolReuseAllowOpportunistic = 2,
  cudaMemPoolReuseAllowInternalDependencies = 3,
  cudaMemPoolAttrReleaseThreshold = 4,
  cudaMemPoolAttrReservedMemCurrent = 5,
  cudaMemPoolAttrReservedMemHigh = 6,
  cudaMemPoolAttrUsedMemCurrent = 7,
  cudaMemPoolAttrUsedMemHigh = 8
};
enum cudaMemAllocationType {
  cudaMemAllocationTypeInvalid = 0,
  cudaMemAllocationTypePinned = 1,
  cudaMemAllocationTypeManaged = 2
};
enum cudaMemAllocationHandleType {
  cudaMemHandleTypeNone = 0,
  cudaMemHandleTypePosixFileDescriptor = 1,
  cudaMemHandleTypeWin32 = 2,
  cudaMemHandleTypeWin32Kmt = 4,
  cudaMemHandleTypeFabric = 8
};
enum cudaMemAccessFlags {
  cudaMemAccessFlagsProtNone = 0,
  cudaMemAccessFlagsProtRead = 1,
  cudaMemAccessFlagsProtReadWrite = 3
};
struct cudaMemPoolProps {
  cudaMemAllocationType allocType;
  cudaMemAllocationHandleType handleTypes;
  cudaMemLocation location;
  void* win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};
struct cudaMemAccessDesc {
  cudaMemLocation location;
  cudaMemAccessFlags flags;
};

#define HEDDLE_POOLS(...)                      \
  (heddle_device::program_runtime() == nullptr \
       ? cudaErrorNoDevice                     \
       : static_cast<cudaError_t>(heddle_device::program_runtime()->pools().__VA_ARGS__))

namespace heddle_device {

template <class T>
cudaError_t allocate_on(cudaMemPool_t pool, T** where, size_t bytes, allocation_name name,
                        cudaStream_t stream) {
  if (name.element.size == 0) name = named<T>(name.name);
  return HEDDLE_POOLS(allocate(pool, reinterpret_cast<void**>(where), bytes, name, stream));
}
static_assert(sizeof(memory_access) == sizeof(cudaMemAccessDesc), "one layout");
inline const memory_access* accesses(const cudaMemAccessDesc* what) {
  return reinterpret_cast<const memory_access*>(what);
}
inline bool is_of_host(const cudaMemLocation& where) {
  return where.type == cudaMemLocationTypeHost || where.type == cudaMemLocationTypeHostNuma ||
         where.type == cudaMemLocationTypeHostNumaCurrent;
}

}  // namespace heddle_device

template <class T>
HEDDLE_HOST cudaMallocAsync(heddle_device::allocation_name name, T** where, size_t bytes,
                            cudaStream_t stream) {
  return heddle_device::allocate_on(nullptr, where, bytes, name, stream);
}
template <class T>
HEDDLE_HOST cudaMallocAsync(T** where, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(heddle_device::of_unknown_type(nullptr), where, bytes, stream);
}
template <class T>
HEDDLE_HOST cudaMallocFromPoolAsync(heddle_device::allocation_name name, T** where, size_t bytes,
                                    cudaMemPool_t pool, cudaStream_t stream) {
  return heddle_device::allocate_on(pool, where, bytes, name, stream);
}
template <class T>
HEDDLE_HOST cudaMallocFromPoolAsync(T** where, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(heddle_device::of_unknown_type(nullptr), where, bytes, pool, stream);
}
template <class T>
HEDDLE_HOST cudaMallocAsync(heddle_device::allocation_name name, T** where, size_t bytes, cudaMemPool_t pool,
                            cudaStream_t stream) {
  return cudaMallocFromPoolAsync(name, where, bytes, pool, stream);
}
template <class T>
HEDDLE_HOST cudaMallocAsync(T** where, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(where, bytes, pool, stream);
}
HEDDLE_HOST cudaFreeAsync(void* what, cudaStream_t stream) {
  return HEDDLE_POOLS(release(what, stream));
}

HEDDLE_HOST cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* what) {
  if (what == nullptr || what->handleTypes != cudaMemHandleTypeNone)
    return HEDDLE_RUNTIME(fail(what == nullptr ? cudaErrorInvalidValue : cudaErrorNotSupported));
  const bool is_shared =
      what->allocType == cudaMemAllocationTypeManaged || heddle_device::is_of_host(what->location);
  const heddle_device::pool_request request{
      is_shared ? heddle_device::memory_kind::managed : heddle_device::memory_kind::device, what->maxSize,
      what->location.id};
  return HEDDLE_POOLS(make_pool(reinterpret_cast<void**>(pool), request));
}
HEDDLE_HOST cudaMemPoolDestroy(cudaMemPool_t pool) {
  return HEDDLE_POOLS(end_pool(pool));
}
HEDDLE_HOST cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (heddle_device::program_runtime() == nullptr) return cudaErrorNoDevice;
  *pool = static_cast<cudaMemPool_t>(heddle_device::program_runtime()->pools().pool(device, true));
  return HEDDLE_RUNTIME(devices().check(device));
}
HEDDLE_HOST cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  if (heddle_device::program_runtime() == nullptr) return cudaErrorNoDevice;
  *pool = static_cast<cudaMemPool_t>(heddle_device::program_runtime()->pools().pool(device, false));
  return HEDDLE_RUNTIME(devices().check(device));
}
HEDDLE_HOST cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return HEDDLE_POOLS(choose_pool(device, pool));
}

// The same by where the memory is to be, as CUDA 13 has it.
HEDDLE_HOST cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* where, cudaMemAllocationType) {
  return where->type == cudaMemLocationTypeDevice ? cudaDeviceGetDefaultMemPool(pool, where->id)
                                                  : HEDDLE_RUNTIME(fail(cudaErrorNotSupported));
}
HEDDLE_HOST cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* where, cudaMemAllocationType) {
  return where->type == cudaMemLocationTypeDevice ? cudaDeviceGetMemPool(pool, where->id)
                                                  : HEDDLE_RUNTIME(fail(cudaErrorNotSupported));
}
HEDDLE_HOST cudaMemSetMemPool(cudaMemLocation* where, cudaMemAllocationType, cudaMemPool_t pool) {
  return where->type == cudaMemLocationTypeDevice ? cudaDeviceSetMemPool(where->id, pool)
                                                  : HEDDLE_RUNTIME(fail(cudaErrorNotSupported));
}
HEDDLE_HOST cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  const unsigned long long number = attribute < cudaMemPoolAttrReleaseThreshold
                                        ? static_cast<unsigned long long>(*static_cast<const int*>(value))
                                        : *static_cast<const unsigned long long*>(value);
  return HEDDLE_POOLS(set_attribute(pool, attribute, number));
}
HEDDLE_HOST cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  unsigned long long number = 0;
  const cudaError_t error = HEDDLE_POOLS(attribute(pool, attribute, &number));
  if (attribute < cudaMemPoolAttrReleaseThreshold) {
    *static_cast<int*>(value) = static_cast<int>(number);
  } else {
    *static_cast<unsigned long long*>(value) = number;
  }
  return error;
}
HEDDLE_HOST cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
  return HEDDLE_POOLS(trim(pool, bytes));
}
HEDDLE_HOST cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* what, size_t count) {
  return HEDDLE_POOLS(set_access(pool, heddle_device::accesses(what), count));
}
HEDDLE_HOST cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* where) {
  heddle_device::memory_access what{where->type, where->id, cudaMemAccessFlagsProtNone};
  const cudaError_t error = HEDDLE_POOLS(access(pool, &what));
  *flags = static_cast<cudaMemAccessFlags>(what.flags);
  return error;
}
