#pragma once

#include "checker/engine/device_heap.hpp"
#include "cuda_on_cpu/device/heddle_device/runtime.hpp"

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace heddle::checker {

class program_runtime;
struct allocation;

/// The device that the calling thread of the host has chosen: 0 until it chooses.
int present_device() noexcept;

/// While it lives, this device is present on the calling thread.
class device_scope {
 public:
  explicit device_scope(int device) noexcept;
  ~device_scope();
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;

 private:
  int before_;
};

/// What a device of a program has of its own, beside streams and memory, which know their device.
struct program_device {
  device_heap heap;     ///< that its kernels allocate in
  std::set<int> peers;  ///< whose memory its kernels may reach
  /// Pools of memory: at first, at present, and of graphs.
  void *first_pool = nullptr, *pool = nullptr, *pool_of_graphs = nullptr;
};

/// The devices of a program, all alike, and its contexts.
class program_devices final : public heddle_device::device_runtime {
 public:
  program_devices(program_runtime& program, int count);

  int count(int* devices) override;
  int present(int* device) override;
  int choose(int device) override;
  int check(int device) override;
  int of_stream(void* stream, int* device) override;
  int can_reach(int* can, int device, int peer) override;
  int open_peer(int peer) override;
  int close_peer(int peer) override;

  int make_context(void** made, unsigned flags, int device) override;
  int end_context(void* handle) override;
  void* primary_context(int device) override;
  int push_context(void* handle) override;
  int pop_context(void** handle) override;
  int set_context(void* handle) override;
  void* present_context() override;
  int describe_context(void* handle, heddle_device::context_facts* facts) override;

  bool has(int device) const { return device >= 0 && device < static_cast<int>(all_.size()); }
  std::deque<program_device>& all() { return all_; }
  program_device& at(int device) { return all_[static_cast<std::size_t>(device)]; }
  program_device& present() { return at(present_device()); }
  /// Whether kernels of a device may use this memory.
  bool reaches(int device, const allocation& a) const;
  /// Why they may not, at this address of it.
  static std::string why_beyond_reach(int device, const allocation& a, std::uintptr_t address);
  /// A device that is reset reaches no other, and no other reaches it.
  void close_peers_of(int device);

 private:
  struct context {
    int device;
    unsigned flags;
  };
  context* find(void* handle);

  program_runtime& program_;
  std::deque<program_device> all_;
  std::vector<std::unique_ptr<context>> primary_, contexts_;
};

}  // namespace heddle::checker
