#pragma once

/// Of host.hpp: libraries of kernels that a program loads while it runs. Options of their compilation make a
/// difference to nothing here.

using cudaLibrary_t = struct CUlib_st*;
using cudaKernel_t = struct CUkern_st*;

enum cudaJitOption {
  cudaJitMaxRegisters = 0,
  cudaJitThreadsPerBlock = 1,
  cudaJitWallTime = 2,
  cudaJitInfoLogBuffer = 3,
  cudaJitInfoLogBufferSizeBytes = 4,
  cudaJitErrorLogBuffer = 5,
  cudaJitErrorLogBufferSizeBytes = 6,
  cudaJitOptimizationLevel = 7,
  cudaJitFallbackStrategy = 10,
  cudaJitGenerateDebugInfo = 11,
  cudaJitLogVerbose = 12,
  cudaJitGenerateLineInfo = 13,
  cudaJitCacheMode = 14,
  cudaJitPositionIndependentCode = 30,
  cudaJitMinCtaPerSm = 31,
  cudaJitMaxThreadsPerBlock = 32,
  cudaJitOverrideDirectiveValues = 33
};
enum cudaLibraryOption { cudaLibraryHostUniversalFunctionAndDataTable = 0, cudaLibraryBinaryIsPreserved = 1 };

/// Its name in a module says that the program may compile sources while it runs.
extern "C" __attribute__((visibility("default"))) inline int heddle_module_compiles_sources = 0;

// What modules return is the last error then.
#define HEDDLE_LIBRARY(...) HEDDLE_RUNTIME(fail(HEDDLE_RUNTIME(modules().__VA_ARGS__)))

HEDDLE_HOST cudaLibraryLoadData(cudaLibrary_t* library, const void* image, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  return HEDDLE_LIBRARY(load(reinterpret_cast<void**>(library), nullptr, image));
}
HEDDLE_HOST cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path, cudaJitOption*, void**,
                                    unsigned, cudaLibraryOption*, void**, unsigned) {
  heddle_module_compiles_sources = 1;
  return HEDDLE_LIBRARY(load(reinterpret_cast<void**>(library), path, nullptr));
}
HEDDLE_HOST cudaLibraryUnload(cudaLibrary_t library) {
  return HEDDLE_LIBRARY(unload(library));
}
HEDDLE_HOST cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  const void* found = nullptr;
  const cudaError_t error = HEDDLE_LIBRARY(find_kernel(library, name, &found));
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(found));
  return error;
}
HEDDLE_HOST cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  unsigned long long all = 0;
  const cudaError_t error = HEDDLE_LIBRARY(list_kernels(library, nullptr, &all));
  *count = static_cast<unsigned>(all);
  return error;
}
HEDDLE_HOST cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count, cudaLibrary_t library) {
  unsigned long long room = count;
  return HEDDLE_LIBRARY(
      list_kernels(library, const_cast<const void**>(reinterpret_cast<void**>(kernels)), &room));
}
HEDDLE_HOST cudaLibraryGetGlobal(void** where, size_t* bytes, cudaLibrary_t library, const char* name) {
  unsigned long long size = 0;
  const cudaError_t error = HEDDLE_LIBRARY(find_variable(library, name, where, &size));
  if (bytes != nullptr) *bytes = size;
  return error;
}
HEDDLE_HOST cudaLibraryGetManaged(void** where, size_t* bytes, cudaLibrary_t library, const char* name) {
  void* found = nullptr;
  const cudaError_t error = cudaLibraryGetGlobal(&found, bytes, library, name);
  if (error != cudaSuccess) return error;
  heddle_device::pointer_facts facts{};
  (void)HEDDLE_RUNTIME(describe(found, &facts));
  const bool is_managed = facts.is_known && facts.kind == heddle_device::memory_kind::managed;
  if (is_managed && where != nullptr) *where = found;
  return HEDDLE_RUNTIME(fail(is_managed ? cudaSuccess : cudaErrorSymbolNotFound));
}
template <class F>
HEDDLE_HOST cudaGetKernel(cudaKernel_t* kernel, F entry) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(heddle_device::address_of(entry)));
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                            int device) {
  if (const cudaError_t error = HEDDLE_RUNTIME(devices().check(device)); error != cudaSuccess) return error;
  return cudaFuncSetAttribute(kernel, attribute, value);
}
#undef HEDDLE_LIBRARY
