#pragma once

/// Of the CUDA driver API: addresses that are reserved, and memory that is mapped to them.

#include "types.hpp"

using CUmemGenericAllocationHandle = unsigned long long;
using CUmemLocation = cudaMemLocation;
using CUmemLocationType = cudaMemLocationType;
using CUmemAccessDesc = cudaMemAccessDesc;
using CUmemAccess_flags = cudaMemAccessFlags;
using CUmemAllocationType = cudaMemAllocationType;
using CUmemAllocationHandleType = cudaMemAllocationHandleType;
#define CU_MEM_LOCATION_TYPE_INVALID cudaMemLocationTypeInvalid
#define CU_MEM_LOCATION_TYPE_DEVICE cudaMemLocationTypeDevice
#define CU_MEM_LOCATION_TYPE_HOST cudaMemLocationTypeHost
#define CU_MEM_LOCATION_TYPE_HOST_NUMA cudaMemLocationTypeHostNuma
#define CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT cudaMemLocationTypeHostNumaCurrent
#define CU_MEM_ACCESS_FLAGS_PROT_NONE cudaMemAccessFlagsProtNone
#define CU_MEM_ACCESS_FLAGS_PROT_READ cudaMemAccessFlagsProtRead
#define CU_MEM_ACCESS_FLAGS_PROT_READWRITE cudaMemAccessFlagsProtReadWrite
#define CU_MEM_ALLOCATION_TYPE_INVALID cudaMemAllocationTypeInvalid
#define CU_MEM_ALLOCATION_TYPE_PINNED cudaMemAllocationTypePinned
#define CU_MEM_ALLOCATION_TYPE_MANAGED cudaMemAllocationTypeManaged
#define CU_MEM_HANDLE_TYPE_NONE cudaMemHandleTypeNone
#define CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR cudaMemHandleTypePosixFileDescriptor
#define CU_MEM_HANDLE_TYPE_WIN32 cudaMemHandleTypeWin32
#define CU_MEM_HANDLE_TYPE_WIN32_KMT cudaMemHandleTypeWin32Kmt
#define CU_MEM_HANDLE_TYPE_FABRIC cudaMemHandleTypeFabric

enum CUmemAllocationGranularity_flags {
  CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
  CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1
};
enum CUmemAllocationCompType { CU_MEM_ALLOCATION_COMP_NONE = 0, CU_MEM_ALLOCATION_COMP_GENERIC = 1 };
struct CUmemAllocationProp {
  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void* win32HandleMetaData;
  struct {
    unsigned char compressionType, gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
};

#define HEDDLE_MAPPINGS(...)                   \
  (heddle_device::program_runtime() == nullptr \
       ? CUDA_ERROR_NO_DEVICE                  \
       : heddle_device::driver_result(heddle_device::program_runtime()->mappings().__VA_ARGS__))

HEDDLE_DRIVER cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp*,
                                            CUmemAllocationGranularity_flags) {
  *bytes = heddle_device::mapping_runtime::granularity;
  return CUDA_SUCCESS;
}
// Memory of devices alone, which no other process shares.
HEDDLE_DRIVER cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* what,
                          unsigned long long) {
  if (what == nullptr || what->type != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
  if (what->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      what->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE)
    return CUDA_ERROR_NOT_SUPPORTED;
  return HEDDLE_MAPPINGS(create(handle, bytes, what->location.id));
}
HEDDLE_DRIVER cuMemRelease(CUmemGenericAllocationHandle handle) {
  return HEDDLE_MAPPINGS(release(handle));
}
HEDDLE_DRIVER cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* where) {
  return HEDDLE_MAPPINGS(retain(handle, where));
}
HEDDLE_DRIVER cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* what,
                                                     CUmemGenericAllocationHandle handle) {
  *what = {};
  what->type = CU_MEM_ALLOCATION_TYPE_PINNED;
  what->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  return HEDDLE_MAPPINGS(describe(handle, &what->location.id));
}
// With the name of what the addresses are for, as a source is rewritten to give it, and without.
HEDDLE_DRIVER cuMemAddressReserve(heddle_device::allocation_name name, CUdeviceptr* where, size_t bytes,
                                  size_t alignment, CUdeviceptr, unsigned long long) {
  void* made = nullptr;
  const CUresult error = HEDDLE_MAPPINGS(reserve(&made, bytes, alignment, name));
  if (error == CUDA_SUCCESS) *where = reinterpret_cast<CUdeviceptr>(made);
  return error;
}
HEDDLE_DRIVER cuMemAddressReserve(CUdeviceptr* where, size_t bytes, size_t alignment, CUdeviceptr wanted,
                                  unsigned long long flags) {
  return cuMemAddressReserve(heddle_device::of_unknown_type(nullptr), where, bytes, alignment, wanted, flags);
}
HEDDLE_DRIVER cuMemAddressFree(CUdeviceptr where, size_t bytes) {
  return HEDDLE_MAPPINGS(free_addresses(heddle_device::pointer_of(where), bytes));
}
// From the beginning of the memory on: CUDA takes no other offset.
HEDDLE_DRIVER cuMemMap(CUdeviceptr where, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                       unsigned long long) {
  return offset != 0 ? CUDA_ERROR_INVALID_VALUE
                     : HEDDLE_MAPPINGS(map(heddle_device::pointer_of(where), bytes, handle));
}
HEDDLE_DRIVER cuMemUnmap(CUdeviceptr where, size_t bytes) {
  return HEDDLE_MAPPINGS(unmap(heddle_device::pointer_of(where), bytes));
}
HEDDLE_DRIVER cuMemSetAccess(CUdeviceptr where, size_t bytes, const CUmemAccessDesc* what, size_t count) {
  return HEDDLE_MAPPINGS(
      set_access(heddle_device::pointer_of(where), bytes, heddle_device::accesses(what), count));
}
HEDDLE_DRIVER cuMemGetAccess(unsigned long long* flags, const CUmemLocation* where, CUdeviceptr pointer) {
  heddle_device::memory_access what{where->type, where->id, 0};
  const CUresult error = HEDDLE_MAPPINGS(access(heddle_device::pointer_of(pointer), &what));
  *flags = static_cast<unsigned>(what.flags);
  return error;
}
