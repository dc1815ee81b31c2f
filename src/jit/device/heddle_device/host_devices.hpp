#pragma once

/// Of host.hpp: the one device that there is.

HEDDLE_HOST cudaGetDeviceCount(int* count) {
  *count = heddle_device::program_runtime() != nullptr ? 1 : 0;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaGetDevice(int* device) {
  *device = 0;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaSetDevice(int device) {
  return HEDDLE_RUNTIME(fail(device == 0 ? cudaSuccess : cudaErrorInvalidDevice));
}
HEDDLE_HOST cudaSetValidDevices(int* devices, int count) {
  return count == 0 ? HEDDLE_RUNTIME(fail(cudaSuccess)) : cudaSetDevice(devices[0]);
}
HEDDLE_HOST cudaInitDevice(int device, unsigned, unsigned) {
  return cudaSetDevice(device);
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
  if (device != 0) return HEDDLE_RUNTIME(fail(cudaErrorInvalidDevice));
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
  if (device != 0) return HEDDLE_RUNTIME(fail(cudaErrorInvalidDevice));
  *p = cudaDeviceProp{};
  const char name[] = "Heddle checker (CPU)";
  for (unsigned i = 0; i < sizeof name; ++i) p->name[i] = name[i];
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
HEDDLE_HOST cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
// No other device is there to be its peer.
HEDDLE_HOST cudaDeviceEnablePeerAccess(int, unsigned) {
  return HEDDLE_RUNTIME(fail(cudaErrorInvalidDevice));
}
HEDDLE_HOST cudaDeviceDisablePeerAccess(int) {
  return HEDDLE_RUNTIME(fail(cudaErrorInvalidDevice));
}
HEDDLE_HOST cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  *value = 0;
  return HEDDLE_RUNTIME(fail(cudaErrorInvalidDevice));
}
HEDDLE_HOST cudaDeviceGetPCIBusId(char* text, int length, int device) {
  const char name[] = "0000:00:00.0";
  if (device != 0 || length < static_cast<int>(sizeof name))
    return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  for (unsigned i = 0; i < sizeof name; ++i) text[i] = name[i];
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}

HEDDLE_HOST cudaDeviceGetByPCIBusId(int* device, const char*) {
  *device = 0;
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
