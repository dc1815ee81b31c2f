#include "target/gpu_devices.hpp"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/temp_storage.cuh>
#include <heddle/reduce.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/support/number_text.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <cuda_runtime.h>
#include <fmt/core.h>

namespace heddle::gpu {

namespace {

/// The remedy for an error, as the end of a sentence.
const char* remedy(cudaError_t status) {
  switch (status) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion:
      return ": Heddle was built for other GPUs; build it with CMAKE_CUDA_ARCHITECTURES=native";
    case cudaErrorInsufficientDriver:
      return ": update the driver, or build with an older CUDA toolkit";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
      return ": by this kernel or one before it; compute-sanitizer names the place";
    default:
      return "";
  }
}

}  // namespace

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // what was reported is not reported again by the next call
  fail(fmt::format("CUDA: {} in {}{}", cudaGetErrorString(status), call, remedy(status)));
}

current_device::current_device(const target& where) {
  require_device(where);  // before CUDA is called
  check(cudaGetDevice(&before_), "cudaGetDevice");
  if (before_ == where.device()) return;
  check(cudaSetDevice(where.device()), "cudaSetDevice");
}

current_device::~current_device() {
  cudaSetDevice(before_);
}

namespace {

constinit first_use of_cuda;
/// The devices that CUDA found; −1 before it was asked.
constinit std::atomic<int> devices_found = -1;

}  // namespace

/// Devices, counted once; a machine without a driver has none. Threads that come at the same time all count:
/// a lock would stay held in a child that is forked meanwhile.
int device_count() noexcept {
  of_cuda.note();
  if (of_cuda.was_before_fork()) return 0;
  int found = devices_found.load(std::memory_order_relaxed);
  if (found >= 0) return found;
  if (cudaGetDeviceCount(&found) != cudaSuccess) {
    cudaGetLastError();
    found = 0;
  }
  devices_found.store(found, std::memory_order_relaxed);
  return found;
}

namespace {

/// The pool that arrays and scratch memory of a device come from. It keeps what is given back, for the next
/// call.
cudaMemPool_t pool_of(int device) {
  static std::mutex mutex;
  static auto& pools = *new std::vector<cudaMemPool_t>(static_cast<std::size_t>(device_count()), nullptr);
  std::lock_guard lock(mutex);
  cudaMemPool_t& pool = pools[static_cast<std::size_t>(device)];
  if (pool == nullptr) {
    cudaMemPoolProps wanted{};
    wanted.allocType = cudaMemAllocationTypePinned;
    wanted.location.type = cudaMemLocationTypeDevice;
    wanted.location.id = device;
    check(cudaMemPoolCreate(&pool, &wanted), "cudaMemPoolCreate");
    std::uint64_t keep_all = UINT64_MAX;
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all),
          "cudaMemPoolSetAttribute");
  }
  return pool;
}

struct destroy_event {
  void operator()(cudaEvent_t event) const noexcept { cudaEventDestroy(event); }
};
using event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, destroy_event>;

event new_event(unsigned flags) {
  cudaEvent_t made = nullptr;
  check(cudaEventCreateWithFlags(&made, flags), "cudaEventCreate");
  return event(made);
}

}  // namespace

int toolkit_version() noexcept {
  return CUDART_VERSION;
}

std::vector<gpu_properties> devices() {
  std::vector<gpu_properties> all;
  for (int device = 0; device < device_count(); ++device) {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    all.push_back({device, properties.name, properties.major, properties.minor,
                   properties.multiProcessorCount, properties.totalGlobalMem, free_bytes(device)});
  }
  return all;
}

std::size_t free_bytes(int device) {
  const current_device on(target::gpu(device));
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  // Memory that the pool keeps for the next array is free, too.
  std::uint64_t reserved = 0, used = 0;
  check(cudaMemPoolGetAttribute(pool_of(device), cudaMemPoolAttrReservedMemCurrent, &reserved),
        "cudaMemPoolGetAttribute");
  check(cudaMemPoolGetAttribute(pool_of(device), cudaMemPoolAttrUsedMemCurrent, &used),
        "cudaMemPoolGetAttribute");
  return free + (reserved - used);
}

void require_device(const target& where) {
  const int count = device_count();
  if (where.device() < count) return;
  if (of_cuda.was_before_fork() && devices_found != 0) {
    fail(fmt::format(
        "{}: CUDA cannot be used in a process that was forked from one that used it: start this one "
        "anew, as multiprocessing does by \"spawn\", or run on serial or parallel",
        where.text()));
  }
  fail(count == 0 ? fmt::format("{}: this machine has no GPU that CUDA can use; run on serial or parallel",
                                where.text())
                  : fmt::format("{}: this machine has GPUs 0 to {}", where.text(), count - 1));
}

void* allocate(std::size_t bytes, const target& where) {
  require_device(where);
  const current_device on(where);
  const cudaMemPool_t pool = pool_of(where.device());
  void* data = nullptr;
  cudaError_t status = cudaMallocFromPoolAsync(&data, bytes, pool, where.stream());
  if (status == cudaErrorMemoryAllocation) {
    // The memory in the pool may be in pieces that are too small: give it back once, and ask again.
    cudaGetLastError();
    gpu::release_cached_memory(where);
    status = cudaMallocFromPoolAsync(&data, bytes, pool, where.stream());
  }
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    fail(fmt::format("out of memory (needs {}, {} free)", bytes_text(static_cast<double>(bytes)),
                     bytes_text(static_cast<double>(free_bytes(where.device())))));
  }
  check(status, "cudaMallocFromPoolAsync");
  return data;
}

void release(void* data, const target& where) noexcept {
  if (of_cuda.was_before_fork()) return;
  // At the end of a program CUDA may be gone before the last array: its memory went with it.
  int before = 0;
  if (cudaGetDevice(&before) != cudaSuccess) return;
  // The default stream is that of the current device.
  if (before != where.device()) cudaSetDevice(where.device());
  cudaFreeAsync(data, where.stream());
  if (before != where.device()) cudaSetDevice(before);
}

void release_cached_memory(const target& where) {
  require_device(where);
  const current_device on(where);
  // Memory that other streams free counts when the streams have freed it.
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  free_kept_storage(where);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  check(cudaMemPoolTrimTo(pool_of(where.device()), 0), "cudaMemPoolTrimTo");
}

void wait(const target& where) {
  require_device(where);
  const current_device on(where);
  check(cudaStreamSynchronize(where.stream()), "cudaStreamSynchronize");
}

namespace {

/// Pages that a GPU writes values to, handed from threads that end to threads that begin: freeing one may
/// come after the end of CUDA.
class value_slots {
 public:
  static constexpr std::size_t bytes = 4096;

  void* take(const target& where) {
    std::lock_guard lock(mutex_);
    if (!unused_.empty()) {
      void* const slot = unused_.back();
      unused_.pop_back();
      return slot;
    }
    const current_device on(where);
    void* slot = nullptr;
    check(cudaHostAlloc(&slot, bytes, cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc");
    unused_.reserve(++made_);  // giving it back takes no memory then
    return slot;
  }
  void give_back(void* slot) noexcept {
    std::lock_guard lock(mutex_);
    unused_.push_back(slot);
  }

  static value_slots& all() {
    static auto& only = *new value_slots;
    return only;
  }

 private:
  std::mutex mutex_;
  std::vector<void*> unused_;
  std::size_t made_ = 0;
};

struct slot_of_thread {
  void* slot = nullptr;
  ~slot_of_thread() {
    if (slot != nullptr && !of_cuda.was_before_fork()) value_slots::all().give_back(slot);
  }
};

}  // namespace

void* value_slot(const target& where, std::size_t bytes) {
  if (bytes > value_slots::bytes) return nullptr;
  thread_local slot_of_thread mine;
  if (mine.slot == nullptr) mine.slot = value_slots::all().take(where);
  return mine.slot;
}

void order(const target& earlier, const target& later) {
  event reached;
  {
    const current_device on(earlier);
    reached = new_event(cudaEventDisableTiming);
    check(cudaEventRecord(reached.get(), earlier.stream()), "cudaEventRecord");
  }
  const current_device on(later);
  check(cudaStreamWaitEvent(later.stream(), reached.get(), 0), "cudaStreamWaitEvent");
}

void copy(void* to, const target& to_where, const void* from, const target& from_where, std::size_t bytes) {
  if (!to_where.is_gpu()) {
    const current_device on(from_where);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, from_where.stream()),
          "cudaMemcpyAsync to the CPU");
    check(cudaStreamSynchronize(from_where.stream()), "cudaStreamSynchronize");
    return;
  }
  const current_device on(to_where);
  if (!from_where.is_gpu()) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, to_where.stream()),
          "cudaMemcpyAsync to the GPU");
    // Whether CUDA has read the source by now depends on the kind of memory and on the system.
    check(cudaStreamSynchronize(to_where.stream()), "cudaStreamSynchronize");
    return;
  }
  impl::order(from_where, to_where);
  if (to_where.device() == from_where.device()) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, to_where.stream()),
          "cudaMemcpyAsync on the GPU");
  } else {
    check(cudaMemcpyPeerAsync(to, to_where.device(), from, from_where.device(), bytes, to_where.stream()),
          "cudaMemcpyPeerAsync");
  }
  impl::order(to_where, from_where);
}

bandwidths::gpu measure(int device) {
  const target where = target::gpu(device);
  const current_device on(where);
  constexpr std::size_t bytes = std::size_t{1} << 28;
  const memory on_gpu(bytes, where), result(64, where), on_cpu(bytes, target());
  gpu::fill(on_gpu.data(), where, bytes, "", 1);
  auto seconds_of = [&](auto&& work) {
    double best = 1e300;
    for (int repeat = 0; repeat < 4; ++repeat) {
      wait(where);
      const auto start = std::chrono::steady_clock::now();
      work();
      wait(where);
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
  };
  const array_view<const float> elements(static_cast<const float*>(on_gpu.data()),
                                         shape{bytes / sizeof(float)}, where);
  const array_view<float> sum(static_cast<float*>(result.data()), shape{1}, where);
  const double all = static_cast<double>(bytes);
  bandwidths::gpu found;
  found.read = all / seconds_of([&] { reduce_into(where, sum, elements); });
  found.from_gpu = all / seconds_of([&] { gpu::copy(on_cpu.data(), target(), on_gpu.data(), where, bytes); });
  found.to_gpu = all / seconds_of([&] { gpu::copy(on_gpu.data(), where, on_cpu.data(), target(), bytes); });
  return found;
}

}  // namespace heddle::gpu
