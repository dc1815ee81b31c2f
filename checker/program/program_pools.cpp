#include "checker/program/program_pools.hpp"

#include "checker/program/program_runtime.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace heddle::checker {

namespace errors = heddle_device::cuda_error;
using heddle_device::location_of_device, heddle_device::reads_and_writes, heddle_device::u64;

namespace {

// cudaMemPoolAttr.
enum attribute_number : int {
  last_of_reuse = 3,
  threshold,
  reserved_now,
  most_reserved,
  used_now,
  most_used
};

}  // namespace

program_pools::program_pools(program_runtime& program) : program_(program) {
  int device = 0;
  for (program_device& d : program_.devices_.all()) {
    d.first_pool = d.pool = make(memory_kind::device, 0, device);
    d.pool_of_graphs = make(memory_kind::device, 0, device);
    ++device;
  }
}

void* program_pools::make(memory_kind kind, std::uint64_t most_bytes, int device) {
  auto pool = std::make_unique<memory_pool>();
  pool->kind = kind;
  pool->device = device;
  pool->most_bytes = most_bytes;
  void* const handle = pool.get();
  pools_[handle] = std::move(pool);
  return handle;
}

void program_pools::take_from(memory_pool& pool, allocation& a) {
  pool.used += a.memory.bytes;
  pool.reserved = std::max(pool.reserved, pool.used);
  pool.most_used = std::max(pool.most_used, pool.used);
  pool.most_reserved = std::max(pool.most_reserved, pool.reserved);
  pool_of_[&a] = &pool;
}

program_pools::memory_pool* program_pools::find(void* handle) {
  const auto found = pools_.find(handle);
  return found == pools_.end() ? nullptr : found->second.get();
}

stream_order::operation program_pools::note_allocated(const allocation& a, void* stream,
                                                      const char* function) {
  const auto when = program_.order_.enqueue(stream);
  const std::uintptr_t begin = a.memory.begin;
  program_.note_pending(
      when,
      {program_.host_place(fmt::format("calls {}", function)), 0, 0, begin, begin + a.bytes(), true, {}, {}});
  return when;
}

void program_pools::do_later(allocation& a, bool is_held_then, void* stream,
                             const stream_order::operation& when, std::function<void(allocation&)> effect) {
  std::vector<std::uint64_t> before = program_.work_before(stream);
  if (before.empty()) return effect(a);
  const std::uintptr_t begin = a.memory.begin;
  later& known = later_[begin];
  ++known.count;
  known.is_held = is_held_then;
  program_.do_after(std::move(before), when, [this, begin, effect = std::move(effect)] {
    if (--later_[begin].count == 0) later_.erase(begin);
    effect(*program_.memory_->find(begin));
  });
}

bool program_pools::is_held(const allocation& a) const {
  const auto known = later_.find(a.memory.begin);
  return known != later_.end() ? known->second.is_held : !a.is_freed;
}

int program_pools::allocate(void* handle, void** where, u64 bytes, allocation_name name, void* stream) {
  const std::lock_guard lock(program_.mutex_);
  if (where == nullptr) return program_.fail(errors::invalid_value);
  if (program_.lasting_error_ != 0) return program_.lasting_error_;
  *where = nullptr;
  if (!program_.order_.is_stream(stream)) return program_.fail(errors::invalid_resource_handle);
  const int device = program_.order_.device_of(stream);
  memory_pool* const pool = find(handle == nullptr ? program_.devices_.at(device).pool : handle);
  if (pool == nullptr) return program_.fail(errors::invalid_value);
  if (bytes == 0) return program_.fail(0);
  if (program_.graphs_.is_any_captured()) {
    heddle_device::node_request node{};
    node.kind = heddle_device::node_kind::allocation;
    node.memory_bytes = bytes;
    node.memory_name = name;
    node.memory_device = device;
    if (const auto taken = program_.graphs_.take_memory(stream, node, where)) return *taken;
  }
  if (pool->most_bytes != 0 && bytes > pool->most_bytes - std::min(pool->used, pool->most_bytes))
    return program_.fail(errors::memory_allocation);
  allocation* const a = program_.memory_->make(pool->kind, bytes, name, pool->device);
  if (a == nullptr) return program_.fail(errors::memory_allocation);
  a->made_at = program_.call_stack();
  a->is_of_pool = true;
  a->readers = pool->readers;
  take_from(*pool, *a);
  note_allocated(*a, stream, handle == nullptr ? "cudaMallocAsync" : "cudaMallocFromPoolAsync");
  *where = reinterpret_cast<void*>(a->memory.begin);
  return program_.fail(0);
}

void program_pools::release_on(allocation& a, void* stream, const char* function) {
  const auto when = program_.order_.enqueue(stream);
  const program_runtime::side all{&a, false, a.kind == memory_kind::device};
  const std::uint64_t bytes = a.bytes();
  program_.use_memory(function, when, stream, all, {a.memory.begin, bytes, 1, 1, bytes, bytes}, true);
  a.freed_at = program_.present_calls();
  do_later(a, false, stream, when, [this](allocation& freed) {
    forget(freed);
    program_.memory_->free(freed);
  });
}

bool program_pools::release_on(void* what, void* stream) {
  allocation* const a = program_.to_release("cudaFreeAsync", memory_kind::device, what);
  if (a == nullptr) return false;
  release_on(*a, stream, "cudaFreeAsync");
  return true;
}

int program_pools::release(void* what, void* stream) {
  const std::lock_guard lock(program_.mutex_);
  if (what == nullptr) return program_.fail(0);
  if (program_.lasting_error_ != 0) return program_.lasting_error_;
  if (!program_.order_.is_stream(stream)) return program_.fail(errors::invalid_resource_handle);
  if (program_.graphs_.is_any_captured()) {
    heddle_device::node_request node{};
    node.kind = heddle_device::node_kind::release;
    node.data = what;
    if (const auto taken = program_.graphs_.take(stream, node)) return *taken;
  }
  program_.go_on_with_all();
  return program_.fail(release_on(what, stream) ? 0 : int{errors::invalid_value});
}

allocation* program_pools::reserve(const heddle_device::node_request& what) {
  std::set<int> readers;
  if (!program_.devices_.has(what.memory_device) ||
      !change_readers(readers, what.memory_device, what.accesses, what.access_count))
    return nullptr;
  allocation* const a =
      program_.memory_->make(memory_kind::device, what.memory_bytes, what.memory_name, what.memory_device);
  if (a == nullptr) return nullptr;
  a->made_at = program_.call_stack();
  a->is_of_pool = true;
  a->readers = std::move(readers);
  program_.memory_->free(*a);
  return a;
}

void program_pools::allocate_reserved(void* what, void* stream) {
  allocation& reserved = *program_.memory_->find(reinterpret_cast<std::uintptr_t>(what));
  if (is_held(reserved)) release_on(reserved, stream, "cudaGraphLaunch");
  const auto when = note_allocated(reserved, stream, "cudaMallocAsync");
  do_later(reserved, true, stream, when, [this](allocation& a) {
    program_.memory_->revive(a);
    take_from(*find(program_.devices_.at(a.device).pool_of_graphs), a);
  });
}

int program_pools::make_pool(void** made, const heddle_device::pool_request& what) {
  const std::lock_guard lock(program_.mutex_);
  const bool is_of_device = what.kind == memory_kind::device;
  if (is_of_device && !program_.devices_.has(what.device)) return program_.fail(errors::invalid_device);
  *made = make(what.kind, what.most_bytes, is_of_device ? what.device : present_device());
  return program_.fail(0);
}

int program_pools::end_pool(void* handle) {
  const std::lock_guard lock(program_.mutex_);
  std::deque<program_device>& devices = program_.devices_.all();
  const bool is_a_devices = std::any_of(devices.begin(), devices.end(), [&](const program_device& d) {
    return handle == d.first_pool || handle == d.pool_of_graphs;
  });
  if (is_a_devices || find(handle) == nullptr) return program_.fail(errors::invalid_value);
  for (program_device& d : devices) {
    if (d.pool == handle) d.pool = d.first_pool;
  }
  std::erase_if(pool_of_, [&](const auto& p) { return p.second == handle; });
  pools_.erase(handle);
  return program_.fail(0);
}

void* program_pools::pool(int device, bool is_default) {
  const std::lock_guard lock(program_.mutex_);
  if (!program_.devices_.has(device)) return nullptr;
  const program_device& d = program_.devices_.at(device);
  return is_default ? d.first_pool : d.pool;
}

void* program_pools::pool_of_graphs(int device) {
  return program_.devices_.has(device) ? program_.devices_.at(device).pool_of_graphs : nullptr;
}

int program_pools::choose_pool(int device, void* handle) {
  const std::lock_guard lock(program_.mutex_);
  if (!program_.devices_.has(device)) return program_.fail(errors::invalid_device);
  const memory_pool* const pool = find(handle);
  if (pool == nullptr || (pool->kind == memory_kind::device && pool->device != device))
    return program_.fail(errors::invalid_value);
  program_.devices_.at(device).pool = handle;
  return program_.fail(0);
}

bool program_pools::change_readers(std::set<int>& readers, int device,
                                   const heddle_device::memory_access* what, u64 count) const {
  for (u64 i = 0; i < count; ++i) {
    const auto& [type, reader, flags] = what[i];
    // A device reaches its own memory, and nothing changes that.
    if (type != location_of_device || !program_.devices_.has(reader) || (reader == device && flags == 0))
      return false;
    if (flags == 0) {
      readers.erase(reader);
    } else if (reader != device) {
      readers.insert(reader);
    }
  }
  return true;
}

int program_pools::set_access(void* handle, const heddle_device::memory_access* what, u64 count) {
  const std::lock_guard lock(program_.mutex_);
  memory_pool* const pool = find(handle);
  if (pool == nullptr || (what == nullptr && count != 0)) return program_.fail(errors::invalid_value);
  std::set<int> readers = pool->readers;
  if (!change_readers(readers, pool->device, what, count)) return program_.fail(errors::invalid_device);
  pool->readers = readers;
  for (const auto& [a, of] : pool_of_) {
    if (of == pool) a->readers = readers;
  }
  return program_.fail(0);
}

int program_pools::access(void* handle, heddle_device::memory_access* what) {
  const std::lock_guard lock(program_.mutex_);
  const memory_pool* const pool = find(handle);
  if (pool == nullptr) return program_.fail(errors::invalid_value);
  if (what->location_type != location_of_device || !program_.devices_.has(what->location))
    return program_.fail(errors::invalid_device);
  const bool reaches = pool->kind != memory_kind::device || pool->device == what->location ||
                       pool->readers.count(what->location) != 0;
  what->flags = reaches ? reads_and_writes : 0;
  return program_.fail(0);
}

int program_pools::set_attribute(void* handle, int attribute, u64 value) {
  const std::lock_guard lock(program_.mutex_);
  memory_pool* const pool = find(handle);
  if (pool == nullptr || attribute < 1) return program_.fail(errors::invalid_value);
  // Of what was the most only a beginning anew can be asked.
  const bool begins_anew = attribute == most_used || attribute == most_reserved;
  static_assert(sizeof memory_pool::reuses / sizeof memory_pool::reuses[0] == last_of_reuse + 1);
  if (attribute <= last_of_reuse) {
    pool->reuses[attribute] = value;
  } else if (attribute == threshold) {
    pool->threshold = value;
  } else if (begins_anew && value == 0) {
    (attribute == most_used ? pool->most_used : pool->most_reserved) =
        attribute == most_used ? pool->used : pool->reserved;
  } else {
    return program_.fail(errors::invalid_value);
  }
  return program_.fail(0);
}

int program_pools::attribute(void* handle, int attribute, u64* value) {
  const std::lock_guard lock(program_.mutex_);
  const memory_pool* const pool = find(handle);
  if (pool == nullptr || attribute < 1 || attribute > most_used) return program_.fail(errors::invalid_value);
  *value = attribute <= last_of_reuse   ? pool->reuses[attribute]
           : attribute == threshold     ? pool->threshold
           : attribute == reserved_now  ? pool->reserved
           : attribute == most_reserved ? pool->most_reserved
           : attribute == used_now      ? pool->used
                                        : pool->most_used;
  return program_.fail(0);
}

int program_pools::trim(void* handle, u64 bytes) {
  const std::lock_guard lock(program_.mutex_);
  memory_pool* const pool = find(handle);
  if (pool == nullptr) return program_.fail(errors::invalid_value);
  pool->reserved = std::max(pool->used, std::min<std::uint64_t>(pool->reserved, bytes));
  return program_.fail(0);
}

void program_pools::forget(allocation& a) {
  const auto found = pool_of_.find(&a);
  if (found == pool_of_.end()) return;
  memory_pool& pool = *found->second;
  pool.used -= a.memory.bytes;
  // What is above the threshold goes back.
  pool.reserved = std::max(pool.used, std::min(pool.reserved, pool.threshold));
  pool_of_.erase(found);
}

}  // namespace heddle::checker
