#include "checker/program/program_devices.hpp"

#include "checker/program/program_runtime.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <fmt/format.h>

namespace heddle::checker {

namespace errors = heddle_device::cuda_error;

namespace {

struct chosen_context {
  void* handle;
  int device;
};
/// Of the present thread of the host; the last is the highest.
thread_local std::vector<chosen_context> chosen;
constexpr int none = -1;
thread_local int device_of_scope = none;

}  // namespace

int present_device() noexcept {
  if (device_of_scope != none) return device_of_scope;
  return chosen.empty() ? 0 : chosen.back().device;
}

device_scope::device_scope(int device) noexcept : before_(std::exchange(device_of_scope, device)) {}

device_scope::~device_scope() {
  device_of_scope = before_;
}

program_devices::program_devices(program_runtime& program, int count) : program_(program) {
  for (int i = 0; i < count; ++i) {
    all_.emplace_back();
    primary_.push_back(std::make_unique<context>(context{i, 0}));
  }
}

int program_devices::count(int* devices) {
  *devices = static_cast<int>(all_.size());
  return program_.fail(0);
}

int program_devices::present(int* device) {
  *device = present_device();
  return program_.fail(0);
}

int program_devices::check(int device) {
  return program_.fail(has(device) ? 0 : errors::invalid_device);
}

int program_devices::choose(int device) {
  return has(device) ? set_context(primary_context(device)) : program_.fail(errors::invalid_device);
}

int program_devices::of_stream(void* stream, int* device) {
  const auto lock = program_.lock_unless_in_kernel();
  if (!program_.order_.is_stream(stream)) return program_.fail(errors::invalid_resource_handle);
  *device = program_.order_.device_of(stream);
  return program_.fail(0);
}

// --------------------------------------------------------------------------------------------------- peers

int program_devices::can_reach(int* can, int device, int peer) {
  if (!has(device) || !has(peer)) return program_.fail(errors::invalid_device);
  *can = device != peer ? 1 : 0;
  return program_.fail(0);
}

int program_devices::open_peer(int peer) {
  const auto lock = program_.lock_unless_in_kernel();
  if (!has(peer) || peer == present_device()) return program_.fail(errors::invalid_device);
  const bool is_new = present().peers.insert(peer).second;
  return program_.fail(is_new ? 0 : errors::peer_access_already_enabled);
}

int program_devices::close_peer(int peer) {
  const auto lock = program_.lock_unless_in_kernel();
  if (!has(peer)) return program_.fail(errors::invalid_device);
  return program_.fail(present().peers.erase(peer) != 0 ? 0 : errors::peer_access_not_enabled);
}

void program_devices::close_peers_of(int device) {
  at(device).peers.clear();
  for (program_device& other : all_) other.peers.erase(device);
}

bool program_devices::reaches(int device, const allocation& a) const {
  if (a.is_mapped) return a.readers.count(device) != 0;
  if (a.host_can_reach() || a.device == device || a.device == allocation::all_devices) return true;
  return a.is_of_pool ? a.readers.count(device) != 0
                      : all_[static_cast<std::size_t>(device)].peers.count(a.device) != 0;
}

std::string program_devices::why_beyond_reach(int device, const allocation& a, std::uintptr_t address) {
  return fmt::format(
      "{} is memory of device {} and the kernel runs on device {}: {}", a.memory.name, a.device_at(address),
      device,
      a.is_mapped ? fmt::format("cuMemSetAccess opens what is mapped to device {}", device)
      : a.is_of_pool
          ? fmt::format("cudaMemPoolSetAccess opens a pool's memory to device {}", device)
          : fmt::format(
                "cudaDeviceEnablePeerAccess({}, 0) opens it, called while device {} is the present one",
                a.device, device));
}

// ------------------------------------------------------------------------------------------------ contexts

program_devices::context* program_devices::find(void* handle) {
  for (const auto* const of : {&primary_, &contexts_}) {
    for (const auto& c : *of) {
      if (c.get() == handle) return c.get();
    }
  }
  return nullptr;
}

int program_devices::make_context(void** made, unsigned flags, int device) {
  const auto lock = program_.lock_unless_in_kernel();
  if (!has(device)) return program_.fail(errors::invalid_device);
  contexts_.push_back(std::make_unique<context>(context{device, flags}));
  *made = contexts_.back().get();
  return push_context(*made);
}

int program_devices::end_context(void* handle) {
  const auto lock = program_.lock_unless_in_kernel();
  if (find(handle) == nullptr) return errors::invalid_context;
  if (!chosen.empty() && chosen.back().handle == handle) chosen.pop_back();
  std::erase_if(contexts_, [&](const auto& c) { return c.get() == handle; });
  return program_.fail(0);
}

void* program_devices::primary_context(int device) {
  return has(device) ? primary_[static_cast<std::size_t>(device)].get() : nullptr;
}

int program_devices::push_context(void* handle) {
  const auto lock = program_.lock_unless_in_kernel();
  const context* const c = find(handle);
  if (c == nullptr) return errors::invalid_context;
  chosen.push_back({handle, c->device});
  return program_.fail(0);
}

int program_devices::pop_context(void** handle) {
  if (chosen.empty()) return errors::invalid_context;
  *handle = chosen.back().handle;
  chosen.pop_back();
  return program_.fail(0);
}

int program_devices::set_context(void* handle) {
  const auto lock = program_.lock_unless_in_kernel();
  const context* const c = find(handle);
  if (c == nullptr && handle != nullptr) return errors::invalid_context;
  if (!chosen.empty()) chosen.pop_back();
  if (c != nullptr) chosen.push_back({handle, c->device});
  return program_.fail(0);
}

void* program_devices::present_context() {
  return chosen.empty() ? nullptr : chosen.back().handle;
}

int program_devices::describe_context(void* handle, heddle_device::context_facts* facts) {
  const auto lock = program_.lock_unless_in_kernel();
  const context* const c = find(handle);
  if (c == nullptr) return errors::invalid_context;
  *facts = {c->device, c->flags};
  return program_.fail(0);
}

}  // namespace heddle::checker
