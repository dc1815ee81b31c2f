#include "gpu.hpp"
#include <heddle/support/launch.cuh>

#include <cstdint>

#include <cuda_runtime.h>

namespace heddle::cli::bench {
namespace {

using gpu::check;
using gpu::current_device;

constexpr unsigned block_size = 256;
/// 16-byte loads that a thread has in flight.
constexpr int loads = 8;

__device__ uint4 operator|(uint4 a, uint4 b) {
  return {a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w};
}

/// All of x or'ed together, and stored only if that is a value that the caller does not expect: the compiler
/// cannot know that, and has to read.
__global__ void __launch_bounds__(block_size)
    read_all(const uint4* __restrict__ x, std::size_t count, uint4 unexpected, uint4* sink) {
  const std::size_t threads = std::size_t{gridDim.x} * block_size;
  std::size_t i = std::size_t{blockIdx.x} * block_size + threadIdx.x;
  uint4 seen[loads] = {};
  for (; i + (loads - 1) * threads < count; i += loads * threads) {
#pragma unroll
    for (int k = 0; k < loads; ++k) seen[k] = seen[k] | __ldg(x + i + k * threads);
  }
  for (; i < count; i += threads) seen[0] = seen[0] | __ldg(x + i);
  uint4 all = seen[0];
#pragma unroll
  for (int k = 1; k < loads; ++k) all = all | seen[k];
  if (all.x == unexpected.x && all.y == unexpected.y && all.z == unexpected.z && all.w == unexpected.w) {
    *sink = all;
  }
}

/// Keeps one thread of the GPU busy for so long.
__global__ void pass_time(std::uint64_t nanoseconds) {
  std::uint64_t began, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(began));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - began < nanoseconds);
}

int attribute(const target& where, cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, where.device()), "cudaDeviceGetAttribute");
  return value;
}

class event_stopwatch : public timing::stopwatch {
 public:
  explicit event_stopwatch(const target& where) : where_(where) {
    const current_device on(where);
    check(cudaEventCreate(&began_), "cudaEventCreate");
    check(cudaEventCreate(&ended_), "cudaEventCreate");
  }
  ~event_stopwatch() override {
    cudaEventDestroy(began_);
    cudaEventDestroy(ended_);
  }
  event_stopwatch(const event_stopwatch&) = delete;
  event_stopwatch& operator=(const event_stopwatch&) = delete;

  double seconds(function_ref<void()> work, std::size_t calls) override {
    const current_device on(where_);
    // The GPU is busy until the first launches have reached it; more would only add to the wait.
    constexpr std::uint64_t launch_ns = 10000, most_ns = 500000;
    const std::uint64_t wanted_ns = launch_ns * (calls + 1);
    pass_time<<<1, 1, 0, where_.stream()>>>(wanted_ns < most_ns ? wanted_ns : most_ns);
    check(cudaGetLastError(), "the launch of a kernel");
    check(cudaEventRecord(began_, where_.stream()), "cudaEventRecord");
    work();
    check(cudaEventRecord(ended_, where_.stream()), "cudaEventRecord");
    check(cudaEventSynchronize(ended_), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, began_, ended_), "cudaEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  target where_;
  cudaEvent_t began_ = nullptr, ended_ = nullptr;
};

}  // namespace

std::size_t gpu_cache_bytes(const target& where) {
  return static_cast<std::size_t>(attribute(where, cudaDevAttrL2CacheSize));
}

void read_on_gpu(const void* from, std::size_t bytes, void* sink, const target& where) {
  const current_device on(where);
  const std::size_t count = (bytes + sizeof(uint4) - 1) / sizeof(uint4);
  // Every multiprocessor full once, or a load for each thread.
  const std::size_t most = std::size_t{gpu::multiprocessors(where)} * (2048 / block_size);
  const std::size_t blocks = (count + block_size - 1) / block_size;
  const uint4 unexpected{0x9e3779b9, 0x7f4a7c15, 0xf39cc060, 0x5cedc834};
  read_all<<<static_cast<unsigned>(blocks < most ? blocks : most), block_size, 0, where.stream()>>>(
      static_cast<const uint4*>(from), count, unexpected, static_cast<uint4*>(sink));
  check(cudaGetLastError(), "the launch of a kernel");
}

std::unique_ptr<timing::stopwatch> gpu_stopwatch(const target& where) {
  return std::make_unique<event_stopwatch>(where);
}

}  // namespace heddle::cli::bench
