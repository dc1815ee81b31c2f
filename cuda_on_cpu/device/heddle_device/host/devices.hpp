#pragma once

/// Of host.hpp: the devices that there are, and what they reach of one another.

HEDDLE_HOST cudaGetDeviceCount(int* count) {
  *count = 0;
  return HEDDLE_RUNTIME(devices().count(count));
}
HEDDLE_HOST cudaGetDevice(int* device) {
  *device = 0;
  return HEDDLE_RUNTIME(devices().present(device));
}
HEDDLE_HOST cudaSetDevice(int device) {
  return HEDDLE_RUNTIME(devices().choose(device));
}
HEDDLE_HOST cudaSetValidDevices(int* devices, int count) {
  return count == 0 ? HEDDLE_RUNTIME(fail(cudaSuccess)) : cudaSetDevice(devices[0]);
}
HEDDLE_HOST cudaInitDevice(int device, unsigned, unsigned) {
  return HEDDLE_RUNTIME(devices().check(device));
}
HEDDLE_HOST cudaChooseDevice(int* device, const cudaDeviceProp*) {
  return cudaGetDevice(device);
}
HEDDLE_HOST cudaDeviceSynchronize() {
  return HEDDLE_RUNTIME(wait_for_device());
}
HEDDLE_HOST cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}
HEDDLE_HOST cudaDeviceReset() {
  return HEDDLE_RUNTIME(reset_device());
}
HEDDLE_HOST cudaThreadExit() {
  return cudaDeviceReset();
}
HEDDLE_HOST cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (const cudaError_t error = HEDDLE_RUNTIME(devices().check(device)); error != cudaSuccess) return error;
  if (attribute == cudaDevAttrPciBusId) {
    *value = device;
    return cudaSuccess;
  }
  switch (attribute) {
#define HEDDLE_ATTRIBUTE(NAME, NUMBER, VALUE) \
  case cudaDevAttr##NAME:                     \
    *value = static_cast<int>(VALUE);         \
    return HEDDLE_RUNTIME(fail(cudaSuccess));
    HEDDLE_DEVICE_ATTRIBUTES(HEDDLE_ATTRIBUTE)
#undef HEDDLE_ATTRIBUTE
  }
  return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
}
HEDDLE_HOST cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  using facts = heddle_device::device_facts;
  if (const cudaError_t error = HEDDLE_RUNTIME(devices().check(device)); error != cudaSuccess) return error;
  *p = cudaDeviceProp{};
  const char name[] = "Heddle checker (CPU)";
  for (unsigned i = 0; i < sizeof name; ++i) p->name[i] = name[i];
  p->uuid.bytes[0] = static_cast<char>(device);
  p->pciBusID = device;
  p->totalGlobalMem = facts::memory;
  p->sharedMemPerBlock = facts::shared_a_block;
  p->sharedMemPerBlockOptin = facts::most_shared_a_block;
  p->sharedMemPerMultiprocessor = facts::shared_a_multiprocessor;
  p->reservedSharedMemPerBlock = facts::reserved_shared_a_block;
  p->memPitch = 2147483647;
  p->totalConstMem = 65536;
  p->textureAlignment = p->surfaceAlignment = 512;
  p->texturePitchAlignment = 32;
  p->maxTexture1D = p->maxTexture2D[0] = 131072;
  p->maxTexture2D[1] = 65536;
  p->maxTexture3D[0] = p->maxTexture3D[1] = p->maxTexture3D[2] = 16384;
  p->maxTexture1DLayered[0] = p->maxTexture2DLayered[0] = p->maxTexture2DLayered[1] = 32768;
  p->maxTexture1DLayered[1] = p->maxTexture2DLayered[2] = 2048;
  p->major = 9;
  p->multiProcessorCount = facts::multiprocessors;
  p->warpSize = 32;
  p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 2147483647;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->clockRate = p->memoryClockRate = 1000000;
  p->memoryBusWidth = 512;
  p->l2CacheSize = 33554432;
  p->persistingL2CacheMaxSize = 25165824;
  p->accessPolicyMaxWindowSize = 134217728;
  p->maxThreadsPerMultiProcessor = facts::threads_a_multiprocessor;
  p->maxBlocksPerMultiProcessor = facts::blocks_a_multiprocessor;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->asyncEngineCount = p->singleToDoublePrecisionPerfRatio = 2;
  p->deviceOverlap = p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing =
      p->streamPrioritiesSupported = p->globalL1CacheSupported = p->localL1CacheSupported = p->managedMemory =
          p->concurrentManagedAccess = p->computePreemptionSupported = p->canUseHostPointerForRegisteredMem =
              p->cooperativeLaunch = 1;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaRuntimeGetVersion(int* version) {
  return cudaDriverGetVersion(version);
}
HEDDLE_HOST cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = 0;
  return HEDDLE_RUNTIME(devices().can_reach(can, device, peer));
}
HEDDLE_HOST cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return flags != 0 ? HEDDLE_RUNTIME(fail(cudaErrorInvalidValue)) : HEDDLE_RUNTIME(devices().open_peer(peer));
}
HEDDLE_HOST cudaDeviceDisablePeerAccess(int peer) {
  return HEDDLE_RUNTIME(devices().close_peer(peer));
}
HEDDLE_HOST cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer) {
  *value = 0;
  int can = 0;
  if (const cudaError_t error = cudaDeviceCanAccessPeer(&can, device, peer); error != cudaSuccess)
    return error;
  if (can == 0) return HEDDLE_RUNTIME(fail(cudaErrorInvalidDevice));
  // All pairs are as fast, which is rank 0.
  *value = attribute == cudaDevP2PAttrPerformanceRank ? 0 : can;
  const bool is_known =
      attribute >= cudaDevP2PAttrPerformanceRank && attribute <= cudaDevP2PAttrCudaArrayAccessSupported;
  return HEDDLE_RUNTIME(fail(is_known ? cudaSuccess : cudaErrorInvalidValue));
}

namespace heddle_device {

// A device's number is that of its bus, in two digits.
constexpr char begin_of_bus_id[] = "0000:", end_of_bus_id[] = ":00.0";
constexpr char digits_of_16[] = "0123456789ABCDEF";
constexpr int length_of_bus_id = sizeof begin_of_bus_id + 1 + sizeof end_of_bus_id;

}  // namespace heddle_device

HEDDLE_HOST cudaDeviceGetPCIBusId(char* text, int length, int device) {
  using namespace heddle_device;
  if (const cudaError_t error = HEDDLE_RUNTIME(devices().check(device)); error != cudaSuccess) return error;
  if (length < length_of_bus_id) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  for (const char* c = begin_of_bus_id; *c != 0; ++c) *text++ = *c;
  *text++ = digits_of_16[device / 16 % 16];
  *text++ = digits_of_16[device % 16];
  for (const char c : end_of_bus_id) *text++ = c;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaDeviceGetByPCIBusId(int* device, const char* text) {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) return error;
  for (int i = 0; i < count; ++i) {
    char own[heddle_device::length_of_bus_id];
    (void)cudaDeviceGetPCIBusId(own, sizeof own, i);
    const char *a = own, *b = text;
    // Digits above 9 are written either way.
    while (*a != 0 && (*a == *b || (*a >= 'A' && *a + 'a' - 'A' == *b))) ++a, ++b;
    if (*a != 0 || *b != 0) continue;
    *device = i;
    return HEDDLE_RUNTIME(fail(cudaSuccess));
  }
  return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
}
HEDDLE_HOST cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}

HEDDLE_HOST cudaGetDeviceFlags(unsigned* flags) {
  *flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* how) {
  *how = cudaSharedMemBankSizeFourByte;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaDeviceGetCacheConfig(cudaFuncCache* how) {
  *how = cudaFuncCachePreferNone;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}

// What these choose makes a difference to nothing but speed.
HEDDLE_HOST cudaCtxResetPersistingL2Cache() {
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaSetDeviceFlags(unsigned) {
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaDeviceSetCacheConfig(cudaFuncCache) {
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (limit == cudaLimitMallocHeapSize) return HEDDLE_RUNTIME(limit_heap(value));
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  if (limit == cudaLimitMallocHeapSize) {
    unsigned long long bytes = 0;
    const cudaError_t error = HEDDLE_RUNTIME(describe_heap(&bytes));
    *value = bytes;
    return error;
  }
  // The stack of a thread here, and what CUDA begins with.
  *value = limit == cudaLimitStackSize ? 262144 : 1048576;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaProfilerStart() {
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaProfilerStop() {
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
