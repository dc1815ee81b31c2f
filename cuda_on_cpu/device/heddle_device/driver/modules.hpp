#pragma once

/// Of the CUDA driver API: modules, what they name, and launches.

#include "types.hpp"

#define HEDDLE_MODULES(...)                    \
  (heddle_device::program_runtime() == nullptr \
       ? CUDA_ERROR_NO_DEVICE                  \
       : heddle_device::driver_result(heddle_device::program_runtime()->modules().__VA_ARGS__))

HEDDLE_DRIVER cuModuleLoad(CUmodule* module, const char* path) {
  heddle_module_compiles_sources = 1;
  return HEDDLE_MODULES(load(reinterpret_cast<void**>(module), path, nullptr));
}
HEDDLE_DRIVER cuModuleLoadData(CUmodule* module, const void* image) {
  return HEDDLE_MODULES(load(reinterpret_cast<void**>(module), nullptr, image));
}
HEDDLE_DRIVER cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  return cuModuleLoadData(module, image);
}
HEDDLE_DRIVER cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return cuModuleLoadData(module, image);
}
HEDDLE_DRIVER cuModuleUnload(CUmodule module) {
  return HEDDLE_MODULES(unload(module));
}
HEDDLE_DRIVER cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  const void* found = nullptr;
  const CUresult error = HEDDLE_MODULES(find_kernel(module, name, &found));
  *function = static_cast<CUfunction>(const_cast<void*>(found));
  return error;
}
HEDDLE_DRIVER cuModuleGetGlobal(CUdeviceptr* where, size_t* bytes, CUmodule module, const char* name) {
  void* found = nullptr;
  unsigned long long size = 0;
  const CUresult error = HEDDLE_MODULES(find_variable(module, name, &found, &size));
  if (where != nullptr) *where = reinterpret_cast<CUdeviceptr>(found);
  if (bytes != nullptr) *bytes = size;
  return error;
}
HEDDLE_DRIVER cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  unsigned long long all = 0;
  const CUresult error = HEDDLE_MODULES(list_kernels(module, nullptr, &all));
  *count = static_cast<unsigned>(all);
  return error;
}
HEDDLE_DRIVER cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule module) {
  unsigned long long room = count;
  return HEDDLE_MODULES(
      list_kernels(module, const_cast<const void**>(reinterpret_cast<void**>(functions)), &room));
}

// A library of the driver is a module that belongs to no context.
HEDDLE_DRIVER cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option*, void**, unsigned,
                                CUlibraryOption*, void**, unsigned) {
  return HEDDLE_MODULES(load(reinterpret_cast<void**>(library), nullptr, image));
}
HEDDLE_DRIVER cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option*, void**, unsigned,
                                    CUlibraryOption*, void**, unsigned) {
  heddle_module_compiles_sources = 1;
  return HEDDLE_MODULES(load(reinterpret_cast<void**>(library), path, nullptr));
}
HEDDLE_DRIVER cuLibraryUnload(CUlibrary library) {
  return HEDDLE_MODULES(unload(library));
}
HEDDLE_DRIVER cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  *module = reinterpret_cast<CUmodule>(library);
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return cuModuleGetFunction(reinterpret_cast<CUfunction*>(kernel), reinterpret_cast<CUmodule>(library),
                             name);
}
HEDDLE_DRIVER cuLibraryGetGlobal(CUdeviceptr* where, size_t* bytes, CUlibrary library, const char* name) {
  return cuModuleGetGlobal(where, bytes, reinterpret_cast<CUmodule>(library), name);
}
HEDDLE_DRIVER cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}

/// What is linked: the last image or file that was added.
struct CUlinkState_st {
  const void* image = nullptr;
};
HEDDLE_DRIVER cuLinkCreate(unsigned, CUjit_option*, void**, CUlinkState* made) {
  *made = new CUlinkState_st();
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuLinkAddData(CUlinkState state, CUjitInputType, void* image, size_t, const char*, unsigned,
                            CUjit_option*, void**) {
  // Several would be one module, for which there is no form.
  if (state->image != nullptr && state->image != image) return CUDA_ERROR_NOT_SUPPORTED;
  state->image = image;
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
  if (state->image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *image = const_cast<void*>(state->image);
  if (bytes != nullptr) *bytes = strlen(static_cast<const char*>(state->image)) + 1;
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuLinkDestroy(CUlinkState state) {
  delete state;
  return CUDA_SUCCESS;
}

// --------------------------------------------------------------------------------------------- functions

HEDDLE_DRIVER cuFuncGetName(const char** name, CUfunction function) {
  heddle_device::function_facts facts{};
  const CUresult error = HEDDLE_MODULES(describe(function, &facts));
  *name = facts.name;
  return error;
}
HEDDLE_DRIVER cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  heddle_device::function_facts facts{};
  const CUresult error = HEDDLE_MODULES(describe(function, &facts));
  if (error != CUDA_SUCCESS) return error;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = static_cast<int>(facts.most_threads);
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = static_cast<int>(facts.shared_limit);
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = 32;
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = 90;
      break;
    default:
      *value = 0;
  }
  return CUDA_SUCCESS;
}
HEDDLE_DRIVER cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
    return heddle_device::driver_result(HEDDLE_RUNTIME(allow_large_clusters(function, value != 0)));
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) return CUDA_SUCCESS;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0)
    return CUDA_ERROR_INVALID_VALUE;
  return heddle_device::driver_result(HEDDLE_RUNTIME(limit_shared(function, static_cast<unsigned>(value))));
}
HEDDLE_DRIVER cuFuncSetCacheConfig(CUfunction, CUfunc_cache) {
  return CUDA_SUCCESS;
}
namespace heddle_device {

inline cudaLaunchConfig_t runtime_config(const CUlaunchConfig& how) {
  return {dim3(how.gridDimX, how.gridDimY, how.gridDimZ),
          dim3(how.blockDimX, how.blockDimY, how.blockDimZ),
          how.sharedMemBytes,
          static_cast<cudaStream_t>(how.hStream),
          how.attrs,
          how.numAttrs};
}

}  // namespace heddle_device

HEDDLE_DRIVER cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                          size_t shared_bytes) {
  return heddle_device::driver_result(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, static_cast<const void*>(function), threads, shared_bytes));
}
HEDDLE_DRIVER cuOccupancyMaxPotentialBlockSize(int* least_grid, int* threads, CUfunction function,
                                               CUoccupancyB2DSize shared_of, size_t shared_bytes, int limit) {
  return heddle_device::driver_result(cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      least_grid, threads, static_cast<const void*>(function),
      [=](int n) { return shared_of != nullptr ? shared_of(n) : shared_bytes; }, limit));
}

HEDDLE_DRIVER cuOccupancyMaxPotentialClusterSize(int* blocks, CUfunction function,
                                                 const CUlaunchConfig* how) {
  const cudaLaunchConfig_t same = heddle_device::runtime_config(*how);
  return heddle_device::driver_result(
      cudaOccupancyMaxPotentialClusterSize(blocks, static_cast<const void*>(function), &same));
}
HEDDLE_DRIVER cuOccupancyMaxActiveClusters(int* clusters, CUfunction function, const CUlaunchConfig* how) {
  const cudaLaunchConfig_t same = heddle_device::runtime_config(*how);
  return heddle_device::driver_result(
      cudaOccupancyMaxActiveClusters(clusters, static_cast<const void*>(function), &same));
}

// ---------------------------------------------------------------------------------------------- launches

namespace heddle_device {

/// Where an argument of these bytes may begin; 0 where that is not known.
inline unsigned alignment_of(const parameter& p) {
  if (p.kind == parameter_kind::pointer) return sizeof(void*);
  if (p.components == 0 || p.element.type == scalar::other) return p.size <= 1 ? 1 : 0;
  const unsigned one = p.size / p.components;
  const unsigned whole = p.components == 2 ? 2 * one : p.components == 4 ? 4 * one : one;
  return whole > 16 ? 16 : whole;
}

HEDDLE_DRIVER launch_for_driver(CUfunction function, index3 grid, index3 block, unsigned shared_bytes,
                                CUstream stream, void** arguments, void** extra,
                                const launch_attributes& attributes = {}) {
  constexpr unsigned long long most = 512;
  void* pointers[most];
  if (extra != nullptr && arguments == nullptr) {
    char* buffer = nullptr;
    for (void** word = extra; *word != CU_LAUNCH_PARAM_END; word += 2) {
      if (*word == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<char*>(word[1]);
    }
    function_facts facts{};
    const CUresult error = HEDDLE_MODULES(describe(function, &facts));
    if (error != CUDA_SUCCESS) return error;
    if (buffer == nullptr || facts.parameter_count > most) return CUDA_ERROR_INVALID_VALUE;
    size_t at = 0;
    for (unsigned long long i = 0; i < facts.parameter_count; ++i) {
      const parameter& p = facts.parameters[i];
      const unsigned alignment = alignment_of(p);
      if (alignment == 0) return CUDA_ERROR_NOT_SUPPORTED;
      at = (at + alignment - 1) / alignment * alignment;
      pointers[i] = buffer + at;
      at += p.kind == parameter_kind::pointer ? sizeof(void*) : p.size;
    }
    arguments = pointers;
  }
  launch_request request{};
  request.function = function;
  request.is_address = true;
  request.arguments = arguments;
  request.attributes = attributes;
  request.grid = grid;
  request.block = block;
  request.shared_bytes = shared_bytes;
  request.stream = stream;
  return driver_result(HEDDLE_RUNTIME(launch(request)));
}

}  // namespace heddle_device

HEDDLE_DRIVER cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                             CUstream stream, void** arguments, void** extra) {
  return heddle_device::launch_for_driver(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z},
                                          shared_bytes, stream, arguments, extra);
}
HEDDLE_DRIVER cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                        unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                                        unsigned shared_bytes, CUstream stream, void** arguments) {
  return heddle_device::launch_for_driver(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z},
                                          shared_bytes, stream, arguments, nullptr, {true, false, {}});
}
HEDDLE_DRIVER cuLaunchKernelEx(const CUlaunchConfig* how, CUfunction function, void** arguments,
                               void** extra) {
  return heddle_device::launch_for_driver(function, {how->gridDimX, how->gridDimY, how->gridDimZ},
                                          {how->blockDimX, how->blockDimY, how->blockDimZ},
                                          how->sharedMemBytes, how->hStream, arguments, extra,
                                          heddle_device::attributes_of(how->attrs, how->numAttrs));
}
HEDDLE_DRIVER cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return heddle_device::driver_result(cudaLaunchHostFunc(stream, function, data));
}
