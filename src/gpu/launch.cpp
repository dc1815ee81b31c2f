#include <heddle/error.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>

#include <array>

#include <fmt/core.h>

namespace heddle::gpu {

unsigned multiprocessors(const target& where) {
  static std::array<std::atomic<int>, 64> known{};
  const auto device = static_cast<std::size_t>(where.device());
  int count = device < known.size() ? known[device].load(std::memory_order_relaxed) : 0;
  if (count == 0) {
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, where.device()),
          "cudaDeviceGetAttribute");
    if (device < known.size()) known[device].store(count, std::memory_order_relaxed);
  }
  return static_cast<unsigned>(count);
}

void pdl_kernel::prepare(const target& where, std::uint64_t bit) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, function_), "cudaFuncGetAttributes");
  // The code may be compiled for a lower capability than that of the device.
  const int capability = attributes.ptxVersion;
  if (capability >= 90) overlaps_.fetch_or(bit, std::memory_order_relaxed);
  const bool copies = bulk_bytes_ > 0 && capability >= 90 && capability < 120;
  if (copies) copies_.fetch_or(bit, std::memory_order_relaxed);
  const unsigned dynamic = shared_bytes_ + (copies ? bulk_bytes_ : 0);
  if (dynamic > 0) {
    int most = 0;
    check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, where.device()),
          "cudaDeviceGetAttribute");
    const std::size_t needed = dynamic + attributes.sharedSizeBytes;
    if (needed > static_cast<std::size_t>(most)) {
      fail(
          fmt::format("{}: code for compute capability {}.{} needs {} bytes of shared memory a block, and "
                      "{} has {}: build for this GPU (CMAKE_CUDA_ARCHITECTURES=native)",
                      name_, capability / 10, capability % 10, needed, where.text(), most));
    }
    check(cudaFuncSetAttribute(function_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(dynamic)),
          "cudaFuncSetAttribute");
  }
  prepared_.fetch_or(bit, std::memory_order_release);
}

void pdl_kernel::launch_with(const target& where, unsigned grid, unsigned block, void** arguments) {
  const auto device = static_cast<unsigned>(where.device());
  const std::uint64_t bit = std::uint64_t{1} << device % 64;
  if ((prepared_.load(std::memory_order_acquire) & bit) == 0) prepare(where, bit);
  const bool overlaps = (overlaps_.load(std::memory_order_relaxed) & bit) != 0;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = overlaps;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  const bool copies = (copies_.load(std::memory_order_relaxed) & bit) != 0;
  config.dynamicSmemBytes = shared_bytes_ + (copies ? bulk_bytes_ : 0);
  config.stream = where.stream();
  config.attrs = &attribute;
  config.numAttrs = overlaps ? 1 : 0;
  check(cudaLaunchKernelExC(&config, function_, arguments), name_);
}

}  // namespace heddle::gpu
