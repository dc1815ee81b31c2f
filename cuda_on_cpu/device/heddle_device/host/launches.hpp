#pragma once

/// Of host.hpp: launches by functions, and what is asked of kernels.

namespace heddle_device {

HEDDLE_HOST launch_address(const void* function, const known_kernel& kernel, dim3 grid, dim3 block,
                           void** arguments, size_t shared_bytes, cudaStream_t stream,
                           const launch_attributes& attributes = {}) {
  launch_request request{};
  request.function = function;
  request.is_address = true;
  request.kernel = kernel;
  request.arguments = arguments;
  request.attributes = attributes;
  return launch_configuration{nullptr, grid, block, shared_bytes, stream}(request);
}

template <class F>
const void* address_of(F function) {
  return reinterpret_cast<const void*>(function);
}

}  // namespace heddle_device

HEDDLE_HOST cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return heddle_device::launch_address(function, {}, grid, block, arguments, shared_bytes, stream);
}
template <class... P>
HEDDLE_HOST cudaLaunchKernel(void (*function)(P...), dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return heddle_device::launch_address(heddle_device::address_of(function),
                                       heddle_device::kernel_of<P...>::known(function, 0), grid, block,
                                       arguments, shared_bytes, stream);
}
HEDDLE_HOST cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return heddle_device::launch_address(function, {}, grid, block, arguments, shared_bytes, stream,
                                       {true, false, {}});
}
template <class... P>
HEDDLE_HOST cudaLaunchCooperativeKernel(void (*function)(P...), dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return heddle_device::launch_address(heddle_device::address_of(function),
                                       heddle_device::kernel_of<P...>::known(function, 0), grid, block,
                                       arguments, shared_bytes, stream, {true, false, {}});
}
namespace heddle_device {

/// The others make no difference but to speed.
inline launch_attributes attributes_of(const cudaLaunchAttribute* attributes, unsigned count) {
  launch_attributes result{};
  for (unsigned i = 0; i < count; ++i) {
    const cudaLaunchAttributeValue& value = attributes[i].val;
    if (attributes[i].id == cudaLaunchAttributeCooperative) result.is_cooperative = value.cooperative != 0;
    if (attributes[i].id != cudaLaunchAttributeClusterDimension) continue;
    result.has_cluster = true;
    result.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
  }
  return result;
}

}  // namespace heddle_device

HEDDLE_HOST cudaLaunchKernelExC(const cudaLaunchConfig_t* how, const void* function, void** arguments) {
  return heddle_device::launch_address(function, {}, how->gridDim, how->blockDim, arguments,
                                       how->dynamicSmemBytes, how->stream,
                                       heddle_device::attributes_of(how->attrs, how->numAttrs));
}
template <class... P>
HEDDLE_HOST cudaLaunchKernelExC(const cudaLaunchConfig_t* how, void (*function)(P...), void** arguments) {
  return heddle_device::launch_address(heddle_device::address_of(function),
                                       heddle_device::kernel_of<P...>::known(function, 0), how->gridDim,
                                       how->blockDim, arguments, how->dynamicSmemBytes, how->stream,
                                       heddle_device::attributes_of(how->attrs, how->numAttrs));
}
template <class... P, class... A>
HEDDLE_HOST cudaLaunchKernelEx(const cudaLaunchConfig_t* how, void (*function)(P...), A&&... arguments) {
  const auto launch = [&](P... own) {
    void* const pointers[] = {heddle_device::address_of_argument(own)..., nullptr};
    return heddle_device::launch_taken<P...>(
        {nullptr, how->gridDim, how->blockDim, how->dynamicSmemBytes, how->stream}, {function, 0},
        heddle_device::attributes_of(how->attrs, how->numAttrs), pointers);
  };
  return launch(static_cast<A&&>(arguments)...);
}

template <class F>
HEDDLE_HOST cudaFuncSetAttribute(F function, cudaFuncAttribute attribute, int value) {
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return HEDDLE_RUNTIME(fail(cudaSuccess));
  if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed)
    return HEDDLE_RUNTIME(allow_large_clusters(heddle_device::address_of(function), value != 0));
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0)
    return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  return HEDDLE_RUNTIME(limit_shared(heddle_device::address_of(function), static_cast<unsigned>(value)));
}
template <class F>
HEDDLE_HOST cudaFuncSetCacheConfig(F, cudaFuncCache) {
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
template <class F>
HEDDLE_HOST cudaFuncSetSharedMemConfig(F, cudaSharedMemConfig) {
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
/// A function of the runtime's own kind is what it is launched by.
using cudaFunction_t = struct CUfunc_st*;
template <class F>
HEDDLE_HOST cudaGetFuncBySymbol(cudaFunction_t* function, F symbol) {
  *function = static_cast<cudaFunction_t>(const_cast<void*>(heddle_device::address_of(symbol)));
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
template <class F>
HEDDLE_HOST cudaFuncGetName(const char** name, F function) {
  if (heddle_device::program_runtime() == nullptr) return cudaErrorNoDevice;
  heddle_device::function_facts facts{};
  const int error =
      heddle_device::program_runtime()->modules().describe(heddle_device::address_of(function), &facts);
  *name = facts.name;
  return HEDDLE_RUNTIME(fail(error == cudaSuccess ? cudaSuccess : cudaErrorInvalidDeviceFunction));
}
template <class F>
HEDDLE_HOST cudaFuncGetAttributes(cudaFuncAttributes* attributes, F function) {
  heddle_device::kernel_facts facts{};
  const cudaError_t error = HEDDLE_RUNTIME(describe_kernel(heddle_device::address_of(function), &facts));
  *attributes = cudaFuncAttributes{};
  attributes->maxThreadsPerBlock = static_cast<int>(facts.most_threads);
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(facts.shared_limit);
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->clusterDimMustBeSet = facts.cluster.x != 0 ? 1 : 0;
  attributes->requiredClusterWidth = static_cast<int>(facts.cluster.x);
  attributes->requiredClusterHeight = static_cast<int>(facts.cluster.y);
  attributes->requiredClusterDepth = static_cast<int>(facts.cluster.z);
  attributes->nonPortableClusterSizeAllowed = facts.has_large_clusters ? 1 : 0;
  return error;
}

template <class F>
HEDDLE_HOST cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F function, int block_size,
                                                          size_t shared_bytes) {
  heddle_device::kernel_facts facts{};
  const cudaError_t error = HEDDLE_RUNTIME(describe_kernel(heddle_device::address_of(function), &facts));
  const bool fits = block_size > 0 && static_cast<unsigned>(block_size) <= facts.most_threads;
  *blocks = fits ? heddle_device::resident_blocks(static_cast<unsigned>(block_size), shared_bytes) : 0;
  return error;
}
template <class F>
HEDDLE_HOST cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, F function, int block_size,
                                                                   size_t shared_bytes, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared_bytes);
}
template <class F, class SharedBytes>
HEDDLE_HOST cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* least_grid, int* block_size, F function,
                                                           SharedBytes shared_bytes, int limit = 0) {
  heddle_device::kernel_facts facts{};
  const cudaError_t error = HEDDLE_RUNTIME(describe_kernel(heddle_device::address_of(function), &facts));
  int best = 0, best_blocks = 0;
  const int most = limit > 0 && limit < static_cast<int>(facts.most_threads)
                       ? limit
                       : static_cast<int>(facts.most_threads);
  for (int threads = most; threads > 0; threads = (threads - 1) / 32 * 32) {
    const int blocks = heddle_device::resident_blocks(static_cast<unsigned>(threads),
                                                      static_cast<size_t>(shared_bytes(threads)));
    if (blocks * threads > best_blocks * best) {
      best = threads;
      best_blocks = blocks;
    }
  }
  *block_size = best;
  *least_grid = best_blocks * heddle_device::device_facts::multiprocessors;
  return error;
}
template <class F>
HEDDLE_HOST cudaOccupancyMaxPotentialBlockSize(int* least_grid, int* block_size, F function,
                                               size_t shared_bytes = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      least_grid, block_size, function, [shared_bytes](int) { return shared_bytes; }, limit);
}
template <class F>
HEDDLE_HOST cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, F, int blocks, int) {
  using facts = heddle_device::device_facts;
  const size_t share = blocks > 0 ? facts::shared_a_multiprocessor / static_cast<unsigned>(blocks)
                                  : facts::shared_a_multiprocessor;
  *bytes = share > facts::reserved_shared_a_block ? share - facts::reserved_shared_a_block : 0;
  if (*bytes > facts::most_shared_a_block) *bytes = facts::most_shared_a_block;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
template <class F>
HEDDLE_HOST cudaOccupancyMaxPotentialClusterSize(int* blocks, F function, const cudaLaunchConfig_t*) {
  heddle_device::kernel_facts facts{};
  const cudaError_t error = HEDDLE_RUNTIME(describe_kernel(heddle_device::address_of(function), &facts));
  *blocks = facts.has_large_clusters ? heddle_device::device_facts::most_blocks_a_cluster
                                     : heddle_device::device_facts::blocks_a_cluster;
  return error;
}
/// How many clusters of the launch's size the device has at once.
template <class F>
HEDDLE_HOST cudaOccupancyMaxActiveClusters(int* clusters, F function, const cudaLaunchConfig_t* how) {
  heddle_device::kernel_facts facts{};
  const cudaError_t error = HEDDLE_RUNTIME(describe_kernel(heddle_device::address_of(function), &facts));
  const heddle_device::launch_attributes given = heddle_device::attributes_of(how->attrs, how->numAttrs);
  const heddle_device::index3 size = given.has_cluster ? given.cluster : facts.cluster;
  const int own = static_cast<int>(size.x * size.y * size.z), blocks = own > 0 ? own : 1;
  int most = 0;
  cudaOccupancyMaxPotentialClusterSize(&most, function, how);
  if (blocks > most) return HEDDLE_RUNTIME(fail(cudaErrorInvalidClusterSize));
  const dim3 block = how->blockDim;
  *clusters = heddle_device::resident_blocks(block.x * block.y * block.z, how->dynamicSmemBytes) *
              heddle_device::device_facts::multiprocessors / blocks;
  return error;
}
