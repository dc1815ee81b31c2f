#include "gpu_links.hpp"

#include "nccl.hpp"
#include "transport_over.hpp"
#include <heddle/error.hpp>
#include <heddle/memory.hpp>
#include <heddle/support/launch.cuh>

#include <algorithm>
#include <bit>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include <cuda_runtime.h>
#include <fmt/format.h>

namespace heddle::impl {
namespace {

using gpu::check, gpu::current_device;

/// A stream of a device beside those of users, and before them where both wait for multiprocessors.
class own_stream {
 public:
  explicit own_stream(int device) : device_(device) {
    const current_device on(target::gpu(device));
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest),
          "cudaStreamCreateWithPriority");
  }
  ~own_stream() {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }
  own_stream(const own_stream&) = delete;
  target where() const { return target::gpu(device_, stream_); }

 private:
  int device_;
  cudaStream_t stream_ = nullptr;
};

/// A place in a stream.
class event_on {
 public:
  explicit event_on(const target& where) {
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    const cudaError_t status = cudaEventRecord(event_, where.stream());
    if (status != cudaSuccess) cudaEventDestroy(event_);
    check(status, "cudaEventRecord");
  }
  ~event_on() { cudaEventDestroy(event_); }
  event_on(const event_on&) = delete;
  void wait() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  /// Later work on the stream runs after the event.
  void hold(const target& where) const {
    check(cudaStreamWaitEvent(where.stream(), event_, 0), "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Memory of the CPU that a GPU copies to and from at full speed.
class pinned_memory {
 public:
  explicit pinned_memory(std::size_t bytes) : bytes_(bytes) {
    const cudaError_t status = cudaHostAlloc(&data_, bytes, cudaHostAllocPortable);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      fail(out_of_memory_text(bytes));
    }
    check(status, "cudaHostAlloc");
  }
  pinned_memory(pinned_memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  pinned_memory& operator=(pinned_memory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~pinned_memory() {
    if (data_ != nullptr) cudaFreeHost(data_);
  }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// Code that the transports of ranks on GPUs share.
class over_gpus : public transport_over {
 public:
  over_gpus(std::shared_ptr<transport> cpu, const target& where)
      : transport_over(std::move(cpu)), side_(where.device()) {}

  std::unique_ptr<exchange> start(std::span<const outgoing> sends, std::span<const incoming> receives,
                                  const target& where) override {
    if (!where.is_gpu()) return transport_over::start(sends, receives, where);
    if (where.device() != side_.where().device())
      fail(fmt::format("an exchange of memory on {} by rank {} of {}, whose target is gpu:{}", where.text(),
                       rank(), size(), side_.where().device()));
    const current_device on(where);
    return start_on_gpu(sends, receives, where);
  }

 protected:
  target side() const { return side_.where(); }
  /// On the current device, which is that of `where`.
  virtual std::unique_ptr<exchange> start_on_gpu(std::span<const outgoing> sends,
                                                 std::span<const incoming> receives, const target& where) = 0;

 private:
  own_stream side_;
};

/// On a stream of NCCL's own.
class over_nccl final : public over_gpus {
 public:
  over_nccl(const std::shared_ptr<transport>& cpu, const target& where)
      : over_gpus(cpu, where), connected_(cpu->rank(), cpu->size(), common_id(*cpu)) {}
  ~over_nccl() override { cudaStreamSynchronize(side().stream()); }

  using transport_over::broadcast;
  void broadcast(void* data, std::size_t bytes, int from, const target& where) override {
    if (!where.is_gpu()) return broadcast(data, bytes, from);
    if (bytes == 0) return;
    const current_device on(where);
    event_on(where).hold(side());
    connected_.broadcast(data, bytes, from, side().stream());
    event_on(side()).hold(where);
  }
  std::string between_gpus() const override {
    const int v = nccl::version();
    return fmt::format("NCCL {}.{}.{}", v / 10000, v / 100 % 100, v % 100);
  }

 protected:
  std::unique_ptr<exchange> start_on_gpu(std::span<const outgoing> sends, std::span<const incoming> receives,
                                         const target& where) override {
    event_on(where).hold(side());
    connected_.send_receive(sends, receives, side().stream());
    copy_to_self(rank(), sends, receives, side());
    return std::make_unique<running>(side(), where);
  }

 private:
  class running final : public exchange {
   public:
    running(const target& side, const target& where) : done_(side), where_(where) {}
    void wait() override {
      const current_device on(where_);
      done_.hold(where_);
    }

   private:
    event_on done_;
    target where_;
  };

  static nccl_unique_id common_id(transport& cpu) {
    nccl_unique_id id{};
    if (cpu.rank() == 0 && nccl::loaded().get_unique_id(&id) != nccl::success)
      fail(fmt::format("NCCL: ncclGetUniqueId failed on rank 0 of {}", cpu.size()));
    cpu.broadcast(&id, sizeof id, 0);
    return id;
  }

  nccl_communicator connected_;
};

/// Through the transport of the CPU: from pinned memory, or as it is where that reads the memory of GPUs.
class over_cpu final : public over_gpus {
 public:
  over_cpu(const std::shared_ptr<transport>& cpu, const target& where, const char* reason)
      : over_gpus(cpu, where), reason_(reason) {}

  std::string between_gpus() const override {
    return fmt::format("MPI, {}: {}",
                       reads() ? "which reads the memory of GPUs" : "from the memory of the CPU", reason_);
  }

 protected:
  std::unique_ptr<exchange> start_on_gpu(std::span<const outgoing> sends, std::span<const incoming> receives,
                                         const target& where) override {
    event_on(where).hold(side());
    copy_to_self(rank(), sends, receives, side());
    auto begun = std::make_unique<running>(*this, where);
    begun->stage(sends, receives);
    unsent_.push_back(begun.get());
    return begun;
  }

 private:
  class running final : public exchange {
   public:
    running(over_cpu& all, const target& where) : all_(all), where_(where) {}
    ~running() override {
      const auto at = std::find(all_.unsent_.begin(), all_.unsent_.end(), this);
      if (at != all_.unsent_.end()) all_.unsent_.erase(at);
    }

    void stage(std::span<const outgoing> sends, std::span<const incoming> receives) {
      const bool reads = all_.reads();
      for (outgoing m : sends) {
        if (m.to == all_.rank()) continue;
        if (!reads && m.bytes > 0) {
          held_.push_back(all_.take(m.bytes));
          check(cudaMemcpyAsync(held_.back().data(), m.data, m.bytes, cudaMemcpyDeviceToHost,
                                all_.side().stream()),
                "cudaMemcpyAsync to the CPU");
          m.data = held_.back().data();
        }
        sends_.push_back(m);
      }
      for (incoming m : receives) {
        if (m.from == all_.rank()) continue;
        if (!reads && m.bytes > 0) {
          held_.push_back(all_.take(m.bytes));
          delivered_.push_back({m.data, held_.back().data(), m.bytes});
          m.data = held_.back().data();
        }
        receives_.push_back(m);
      }
      copied_.emplace(all_.side());
    }

    /// Hands the messages to the CPU's transport.
    void send() {
      copied_->wait();
      running_ = all_.of_cpu()->start(sends_, receives_, target());
    }

    void wait() override {
      const current_device on(where_);
      // Messages go in the order in which exchanges were started.
      while (running_ == nullptr) {
        running* const next = all_.unsent_.front();
        all_.unsent_.pop_front();
        next->send();
      }
      running_->wait();
      const target side = all_.side();
      for (const arrival& a : delivered_)
        check(cudaMemcpyAsync(a.to, a.from, a.bytes, cudaMemcpyHostToDevice, side.stream()),
              "cudaMemcpyAsync to the GPU");
      // Until then the pinned memory is read.
      check(cudaStreamSynchronize(side.stream()), "cudaStreamSynchronize");
      for (pinned_memory& m : held_) all_.unused_.push_back(std::move(m));
      held_.clear();
    }

   private:
    struct arrival {
      void* to;
      const void* from;
      std::size_t bytes;
    };
    over_cpu& all_;
    target where_;
    std::vector<outgoing> sends_;
    std::vector<incoming> receives_;
    std::vector<pinned_memory> held_;
    std::vector<arrival> delivered_;
    std::optional<event_on> copied_;
    std::unique_ptr<exchange> running_;
  };

  bool reads() const { return of_cpu()->reads_gpus(); }

  /// Memory of a power of two of bytes, which is kept for the next exchange.
  pinned_memory take(std::size_t bytes) {
    const std::size_t wanted = std::bit_ceil(std::max<std::size_t>(bytes, 4096));
    const auto found = std::find_if(unused_.begin(), unused_.end(),
                                    [=](const pinned_memory& m) { return m.bytes() == wanted; });
    if (found == unused_.end()) return pinned_memory(wanted);
    pinned_memory taken = std::move(*found);
    unused_.erase(found);
    return taken;
  }

  const char* reason_;
  std::deque<running*> unsent_;
  std::vector<pinned_memory> unused_;
};

/// Why NCCL does not serve these ranks; null where it does.
const char* reason_against_nccl(const std::vector<gpu_place>& places) {
  if (places.size() == 1) return "there is one rank";
  for (const gpu_place& p : places) {
    if (p.is_gpu == 0) return "some ranks are on CPUs";
    if (p.nccl_version == 0) return "a rank found no NCCL (libnccl.so.2)";
    if (p.nccl_version != places[0].nccl_version) return "ranks have different versions of NCCL";
    if (std::count_if(places.begin(), places.end(),
                      [&](const gpu_place& other) { return other.device == p.device; }) > 1)
      return "ranks share a GPU";
  }
  return nullptr;
}

}  // namespace

gpu_place place_of(const target& where) {
  gpu_place place;
  if (!where.is_gpu()) return place;
  // For good: going back to the first GPU with every call would take memory of it for each rank.
  check(cudaSetDevice(where.device()), "cudaSetDevice");
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, where.device()), "cudaGetDeviceProperties");
  static_assert(sizeof properties.uuid == sizeof place.device);
  std::copy_n(reinterpret_cast<const std::uint8_t*>(&properties.uuid), place.device.size(),
              place.device.begin());
  place.is_gpu = 1;
  place.nccl_version = nccl::version();
  return place;
}

std::shared_ptr<transport> with_gpus(std::shared_ptr<transport> cpu, const target& where,
                                     const std::vector<gpu_place>& places) {
  if (!where.is_gpu()) return std::make_shared<transport_over>(std::move(cpu));
  const current_device on(where);
  const char* const reason = reason_against_nccl(places);
  if (reason != nullptr) return std::make_shared<over_cpu>(std::move(cpu), where, reason);
  return std::make_shared<over_nccl>(std::move(cpu), where);
}

}  // namespace heddle::impl
