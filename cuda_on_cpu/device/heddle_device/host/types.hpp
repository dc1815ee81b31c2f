#pragma once

/// The types and numbers of the CUDA runtime that the host's part of a source names. Names, values and short
/// texts are the interface's (CUDA Runtime API, toolkit 13).

#include "../runtime.hpp"
#include "../vector_types.hpp"

#include <stddef.h>

// Headers of others ask for these before they use what is here.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__

#define CUDART_CB
#define HEDDLE_ERRORS(X)                                                                                    \
  X(cudaSuccess, 0, "no error")                                                                             \
  X(cudaErrorInvalidValue, 1, "invalid argument")                                                           \
  X(cudaErrorMemoryAllocation, 2, "out of memory")                                                          \
  X(cudaErrorInitializationError, 3, "initialization error")                                                \
  X(cudaErrorCudartUnloading, 4, "driver shutting down")                                                    \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                                     \
  X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                               \
  X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                                    \
  X(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                                                \
  X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                                            \
  X(cudaErrorInvalidTexture, 18, "invalid texture reference")                                               \
  X(cudaErrorInvalidTextureBinding, 19, "invalid texture binding")                                          \
  X(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor")                                    \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                               \
  X(cudaErrorSynchronizationError, 25, "incorrect use of __syncthreads()")                                  \
  X(cudaErrorInvalidFilterSetting, 26, "invalid filter setting")                                            \
  X(cudaErrorInvalidNormSetting, 27, "invalid norm setting")                                                \
  X(cudaErrorNotYetImplemented, 31, "feature not yet implemented")                                          \
  X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version")        \
  X(cudaErrorDevicesUnavailable, 46, "CUDA-capable device(s) is/are busy or unavailable")                   \
  X(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured")                        \
  X(cudaErrorPriorLaunchFailure, 53, "unspecified launch failure in prior launch")                          \
  X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                          \
  X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                           \
  X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                                  \
  X(cudaErrorStartupFailure, 127, "startup failure in cuda runtime")                                        \
  X(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")                                     \
  X(cudaErrorDeviceUninitialized, 201, "invalid device context")                                            \
  X(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device")       \
  X(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered")                                  \
  X(cudaErrorUnsupportedLimit, 215, "limit is not supported on this architecture")                          \
  X(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices")          \
  X(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed")                                               \
  X(cudaErrorFileNotFound, 301, "file not found")                                                           \
  X(cudaErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS")                  \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                         \
  X(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state")                   \
  X(cudaErrorSymbolNotFound, 500, "named symbol not found")                                                 \
  X(cudaErrorNotReady, 600, "device not ready")                                                             \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                               \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                          \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                                 \
  X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                               \
  X(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")                                 \
  X(cudaErrorContextIsDestroyed, 709, "context is destroyed")                                               \
  X(cudaErrorAssert, 710, "device-side assert triggered")                                                   \
  X(cudaErrorHostMemoryAlreadyRegistered, 712,                                                              \
    "part or all of the requested memory range is already mapped")                                          \
  X(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region")     \
  X(cudaErrorHardwareStackError, 714, "hardware stack error")                                               \
  X(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")                             \
  X(cudaErrorMisalignedAddress, 716, "misaligned address")                                                  \
  X(cudaErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space")            \
  X(cudaErrorInvalidPc, 718, "invalid program counter")                                                     \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                              \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")                       \
  X(cudaErrorNotPermitted, 800, "operation not permitted")                                                  \
  X(cudaErrorNotSupported, 801, "operation not supported")                                                  \
  X(cudaErrorSystemNotReady, 802, "system not yet initialized")                                             \
  X(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")             \
  X(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture")      \
  X(cudaErrorStreamCaptureMerge, 902, "operation would result in a merge of separate capture sequences")    \
  X(cudaErrorStreamCaptureUnmatched, 903, "capture was not ended in the same stream as it began")           \
  X(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work")                              \
  X(cudaErrorStreamCaptureIsolation, 905, "dependency created on uncaptured work in another stream")        \
  X(cudaErrorStreamCaptureImplicit, 906,                                                                    \
    "operation would make the legacy stream depend on a capturing blocking stream")                         \
  X(cudaErrorCapturedEvent, 907, "operation not permitted on an event last recorded in a capturing stream") \
  X(cudaErrorStreamCaptureWrongThread, 908,                                                                 \
    "attempt to terminate a thread-local capture sequence from another thread")                             \
  X(cudaErrorTimeout, 909, "wait operation timed out")                                                      \
  X(cudaErrorGraphExecUpdateFailure, 910,                                                                   \
    "the graph update was not performed because it included changes which violated constraints specific "   \
    "to instantiated graph update")                                                                         \
  X(cudaErrorInvalidClusterSize, 912, "cluster misconfiguration")                                           \
  X(cudaErrorUnknown, 999, "unknown error")
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

enum cudaError {
#define HEDDLE_ERROR(NAME, VALUE, TEXT) NAME = VALUE,
  HEDDLE_ERRORS(HEDDLE_ERROR)
#undef HEDDLE_ERROR
};
using cudaError_t = cudaError;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered,
  cudaMemoryTypeHost,
  cudaMemoryTypeDevice,
  cudaMemoryTypeManaged
};
enum cudaFuncCache {
  cudaFuncCachePreferNone,
  cudaFuncCachePreferShared,
  cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault,
  cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeClusterDimMustBeSet = 10,
  cudaFuncAttributeRequiredClusterWidth = 11,
  cudaFuncAttributeRequiredClusterHeight = 12,
  cudaFuncAttributeRequiredClusterDepth = 13,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
  cudaFuncAttributeClusterSchedulingPolicyPreference = 15
};
enum cudaLimit {
  cudaLimitStackSize,
  cudaLimitPrintfFifoSize,
  cudaLimitMallocHeapSize,
  cudaLimitDevRuntimeSyncDepth,
  cudaLimitDevRuntimePendingLaunchCount,
  cudaLimitMaxL2FetchGranularity,
  cudaLimitPersistingL2CacheSize
};
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly,
  cudaMemAdviseSetPreferredLocation,
  cudaMemAdviseUnsetPreferredLocation,
  cudaMemAdviseSetAccessedBy,
  cudaMemAdviseUnsetAccessedBy
};
enum cudaComputeMode {
  cudaComputeModeDefault,
  cudaComputeModeExclusive,
  cudaComputeModeProhibited,
  cudaComputeModeExclusiveProcess
};

// An attribute of the device, its number, and its value.
#define HEDDLE_DEVICE_ATTRIBUTES(X)                                                             \
  X(MaxThreadsPerBlock, 1, 1024)                                                                \
  X(MaxBlockDimX, 2, 1024)                                                                      \
  X(MaxBlockDimY, 3, 1024)                                                                      \
  X(MaxBlockDimZ, 4, 64)                                                                        \
  X(MaxGridDimX, 5, 2147483647)                                                                 \
  X(MaxGridDimY, 6, 65535)                                                                      \
  X(MaxGridDimZ, 7, 65535)                                                                      \
  X(MaxSharedMemoryPerBlock, 8, heddle_device::device_facts::shared_a_block)                    \
  X(TotalConstantMemory, 9, 65536)                                                              \
  X(WarpSize, 10, 32)                                                                           \
  X(MaxPitch, 11, 2147483647)                                                                   \
  X(MaxRegistersPerBlock, 12, 65536)                                                            \
  X(ClockRate, 13, 1000000)                                                                     \
  X(TextureAlignment, 14, 512)                                                                  \
  X(GpuOverlap, 15, 1)                                                                          \
  X(MultiProcessorCount, 16, heddle_device::device_facts::multiprocessors)                      \
  X(KernelExecTimeout, 17, 0)                                                                   \
  X(Integrated, 18, 0)                                                                          \
  X(CanMapHostMemory, 19, 1)                                                                    \
  X(ComputeMode, 20, 0)                                                                         \
  X(MaxTexture1DWidth, 21, 131072)                                                              \
  X(MaxTexture2DWidth, 22, 131072)                                                              \
  X(MaxTexture2DHeight, 23, 65536)                                                              \
  X(MaxTexture3DWidth, 24, 16384)                                                               \
  X(MaxTexture3DHeight, 25, 16384)                                                              \
  X(MaxTexture3DDepth, 26, 16384)                                                               \
  X(MaxTexture2DLayeredWidth, 27, 32768)                                                        \
  X(MaxTexture2DLayeredHeight, 28, 32768)                                                       \
  X(MaxTexture2DLayeredLayers, 29, 2048)                                                        \
  X(SurfaceAlignment, 30, 512)                                                                  \
  X(ConcurrentKernels, 31, 1)                                                                   \
  X(EccEnabled, 32, 0)                                                                          \
  X(PciBusId, 33, 0)                                                                            \
  X(PciDeviceId, 34, 0)                                                                         \
  X(TccDriver, 35, 0)                                                                           \
  X(MemoryClockRate, 36, 1000000)                                                               \
  X(GlobalMemoryBusWidth, 37, 512)                                                              \
  X(L2CacheSize, 38, 33554432)                                                                  \
  X(MaxThreadsPerMultiProcessor, 39, heddle_device::device_facts::threads_a_multiprocessor)     \
  X(AsyncEngineCount, 40, 2)                                                                    \
  X(UnifiedAddressing, 41, 1)                                                                   \
  X(MaxTexture1DLayeredWidth, 42, 32768)                                                        \
  X(MaxTexture1DLayeredLayers, 43, 2048)                                                        \
  X(MaxTexture2DGatherWidth, 45, 32768)                                                         \
  X(MaxTexture2DGatherHeight, 46, 32768)                                                        \
  X(MaxTexture3DWidthAlt, 47, 8192)                                                             \
  X(MaxTexture3DHeightAlt, 48, 8192)                                                            \
  X(MaxTexture3DDepthAlt, 49, 32768)                                                            \
  X(PciDomainId, 50, 0)                                                                         \
  X(TexturePitchAlignment, 51, 32)                                                              \
  X(MaxTextureCubemapWidth, 52, 32768)                                                          \
  X(MaxTextureCubemapLayeredWidth, 53, 32768)                                                   \
  X(MaxTextureCubemapLayeredLayers, 54, 2046)                                                   \
  X(MaxSurface1DWidth, 55, 32768)                                                               \
  X(MaxSurface2DWidth, 56, 131072)                                                              \
  X(MaxSurface2DHeight, 57, 65536)                                                              \
  X(MaxSurface3DWidth, 58, 16384)                                                               \
  X(MaxSurface3DHeight, 59, 16384)                                                              \
  X(MaxSurface3DDepth, 60, 16384)                                                               \
  X(MaxSurface1DLayeredWidth, 61, 32768)                                                        \
  X(MaxSurface1DLayeredLayers, 62, 2048)                                                        \
  X(MaxSurface2DLayeredWidth, 63, 32768)                                                        \
  X(MaxSurface2DLayeredHeight, 64, 32768)                                                       \
  X(MaxSurface2DLayeredLayers, 65, 2048)                                                        \
  X(MaxSurfaceCubemapWidth, 66, 32768)                                                          \
  X(MaxSurfaceCubemapLayeredWidth, 67, 32768)                                                   \
  X(MaxSurfaceCubemapLayeredLayers, 68, 2046)                                                   \
  X(MaxTexture1DLinearWidth, 69, 268435456)                                                     \
  X(MaxTexture2DLinearWidth, 70, 131072)                                                        \
  X(MaxTexture2DLinearHeight, 71, 65000)                                                        \
  X(MaxTexture2DLinearPitch, 72, 2097120)                                                       \
  X(MaxTexture2DMipmappedWidth, 73, 32768)                                                      \
  X(MaxTexture2DMipmappedHeight, 74, 32768)                                                     \
  X(ComputeCapabilityMajor, 75, 9)                                                              \
  X(ComputeCapabilityMinor, 76, 0)                                                              \
  X(MaxTexture1DMipmappedWidth, 77, 32768)                                                      \
  X(StreamPrioritiesSupported, 78, 1)                                                           \
  X(GlobalL1CacheSupported, 79, 1)                                                              \
  X(LocalL1CacheSupported, 80, 1)                                                               \
  X(MaxSharedMemoryPerMultiprocessor, 81, heddle_device::device_facts::shared_a_multiprocessor) \
  X(MaxRegistersPerMultiprocessor, 82, 65536)                                                   \
  X(ManagedMemory, 83, 1)                                                                       \
  X(IsMultiGpuBoard, 84, 0)                                                                     \
  X(MultiGpuBoardGroupID, 85, 0)                                                                \
  X(HostNativeAtomicSupported, 86, 0)                                                           \
  X(SingleToDoublePrecisionPerfRatio, 87, 2)                                                    \
  X(PageableMemoryAccess, 88, 0)                                                                \
  X(ConcurrentManagedAccess, 89, 1)                                                             \
  X(ComputePreemptionSupported, 90, 1)                                                          \
  X(CanUseHostPointerForRegisteredMem, 91, 1)                                                   \
  X(CooperativeLaunch, 95, 1)                                                                   \
  X(MaxSharedMemoryPerBlockOptin, 97, heddle_device::device_facts::most_shared_a_block)         \
  X(CanFlushRemoteWrites, 98, 0)                                                                \
  X(HostRegisterSupported, 99, 1)                                                               \
  X(PageableMemoryAccessUsesHostPageTables, 100, 0)                                             \
  X(DirectManagedMemAccessFromHost, 101, 0)                                                     \
  X(MaxBlocksPerMultiprocessor, 106, heddle_device::device_facts::blocks_a_multiprocessor)      \
  X(MaxPersistingL2CacheSize, 108, 25165824)                                                    \
  X(MaxAccessPolicyWindowSize, 109, 134217728)                                                  \
  X(ReservedSharedMemoryPerBlock, 111, heddle_device::device_facts::reserved_shared_a_block)    \
  X(SparseCudaArraySupported, 112, 0)                                                           \
  X(HostRegisterReadOnlySupported, 113, 1)                                                      \
  X(TimelineSemaphoreInteropSupported, 114, 0)                                                  \
  X(MemoryPoolsSupported, 115, 1)                                                               \
  X(GPUDirectRDMASupported, 116, 0)                                                             \
  X(GPUDirectRDMAFlushWritesOptions, 117, 0)                                                    \
  X(GPUDirectRDMAWritesOrdering, 118, 0)                                                        \
  X(MemoryPoolSupportedHandleTypes, 119, 0)                                                     \
  X(ClusterLaunch, 120, 1)                                                                      \
  X(DeferredMappingCudaArraySupported, 121, 0)                                                  \
  X(IpcEventSupport, 125, 0)                                                                    \
  X(MemSyncDomainCount, 126, 4)                                                                 \
  X(NumaConfig, 130, 0)                                                                         \
  X(NumaId, 131, -1)                                                                            \
  X(MpsEnabled, 133, 0)                                                                         \
  X(HostNumaId, 134, -1)                                                                        \
  X(D3D12CigSupported, 135, 0)                                                                  \
  X(VulkanCigSupported, 138, 0)                                                                 \
  X(GpuPciDeviceId, 139, 0)                                                                     \
  X(GpuPciSubsystemId, 140, 0)                                                                  \
  X(HostNumaMemoryPoolsSupported, 142, 0)                                                       \
  X(HostNumaMultinodeIpcSupported, 143, 0)                                                      \
  X(HostMemoryPoolsSupported, 144, 0)                                                           \
  X(OnlyPartialHostNativeAtomicSupported, 147, 0)
enum cudaDeviceAttr {
#define HEDDLE_ATTRIBUTE(NAME, NUMBER, VALUE) cudaDevAttr##NAME = NUMBER,
  HEDDLE_DEVICE_ATTRIBUTES(HEDDLE_ATTRIBUTE)
#undef HEDDLE_ATTRIBUTE
};

enum cudaDeviceP2PAttr {
  cudaDevP2PAttrPerformanceRank = 1,
  cudaDevP2PAttrAccessSupported,
  cudaDevP2PAttrNativeAtomicSupported,
  cudaDevP2PAttrCudaArrayAccessSupported
};
enum cudaMemLocationType {
  cudaMemLocationTypeInvalid,
  cudaMemLocationTypeDevice,
  cudaMemLocationTypeHost,
  cudaMemLocationTypeHostNuma,
  cudaMemLocationTypeHostNumaCurrent
};
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
enum cudaAccessProperty {
  cudaAccessPropertyNormal,
  cudaAccessPropertyStreaming,
  cudaAccessPropertyPersisting
};
struct cudaAccessPolicyWindow {
  void* base_ptr;
  size_t num_bytes;
  float hitRatio;
  cudaAccessProperty hitProp, missProp;
};

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
using cudaHostFn_t = void (*)(void*);
using cudaStreamCallback_t = void (*)(cudaStream_t, cudaError_t, void*);
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
// Of launches by kernels.
#define cudaStreamTailLaunch ((cudaStream_t)3)
#define cudaStreamFireAndForget ((cudaStream_t)4)

struct cudaUUID_t {
  char bytes[16];
};
struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  size_t totalGlobalMem, sharedMemPerBlock, memPitch, totalConstMem, textureAlignment, texturePitchAlignment,
      surfaceAlignment, sharedMemPerMultiprocessor, sharedMemPerBlockOptin, reservedSharedMemPerBlock;
  int major, minor, multiProcessorCount, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3],
      clockRate, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
      maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, regsPerBlock, regsPerMultiprocessor,
      deviceOverlap, asyncEngineCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode,
      concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, unifiedAddressing,
      streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported, managedMemory,
      isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio,
      pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported,
      canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch,
      pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, accessPolicyMaxWindowSize,
      maxTexture1D, maxTexture2D[2], maxTexture3D[3], maxTexture1DLayered[2], maxTexture2DLayered[3];
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
      preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight,
      requiredClusterDepth, clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
};
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPos {
  size_t x, y, z;
};
struct cudaPitchedPtr {
  void* ptr;
  size_t pitch, xsize, ysize;
};
#include "../textures/array_types.hpp"
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
struct cudaMemcpy3DPeerParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  int srcDevice;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  int dstDevice;
  cudaExtent extent;
};
enum cudaClusterSchedulingPolicy {
  cudaClusterSchedulingPolicyDefault,
  cudaClusterSchedulingPolicySpread,
  cudaClusterSchedulingPolicyLoadBalancing
};
enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore,
  cudaLaunchAttributeAccessPolicyWindow,
  cudaLaunchAttributeCooperative,
  cudaLaunchAttributeSynchronizationPolicy,
  cudaLaunchAttributeClusterDimension,
  cudaLaunchAttributeClusterSchedulingPolicyPreference,
  cudaLaunchAttributePriority = 8
};
union cudaLaunchAttributeValue {
  char pad[64];
  cudaAccessPolicyWindow accessPolicyWindow;
  int cooperative, priority;
  struct {
    unsigned x, y, z;
  } clusterDim;
  cudaClusterSchedulingPolicy clusterSchedulingPolicyPreference;
};
using cudaStreamAttrID = cudaLaunchAttributeID;
using cudaStreamAttrValue = cudaLaunchAttributeValue;
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

#define cudaHostAllocDefault 0u
#define cudaHostAllocPortable 1u
#define cudaHostAllocMapped 2u
#define cudaHostAllocWriteCombined 4u
#define cudaHostRegisterDefault 0u
#define cudaHostRegisterPortable 1u
#define cudaHostRegisterMapped 2u
#define cudaHostRegisterIoMemory 4u
#define cudaHostRegisterReadOnly 8u
#define cudaStreamDefault 0u
#define cudaStreamNonBlocking 1u
#define cudaEventDefault 0u
#define cudaEventBlockingSync 1u
#define cudaEventDisableTiming 2u
#define cudaEventInterprocess 4u
#define cudaEventRecordDefault 0u
#define cudaEventRecordExternal 1u
#define cudaEventWaitDefault 0u
#define cudaEventWaitExternal 1u
#define cudaMemAttachGlobal 1u
#define cudaMemAttachHost 2u
#define cudaMemAttachSingle 4u
#define cudaOccupancyDefault 0u
#define cudaDeviceScheduleAuto 0u
#define cudaDeviceScheduleSpin 1u
#define cudaDeviceScheduleYield 2u
#define cudaDeviceScheduleBlockingSync 4u
#define cudaDeviceBlockingSync 4u
#define cudaDeviceScheduleMask 7u
#define cudaDeviceLmemResizeToMax 16u
#define cudaDeviceMask 255u
#define cudaDeviceMapHost 8u
#define cudaCpuDeviceId (-1)
#define cudaInvalidDeviceId (-2)
