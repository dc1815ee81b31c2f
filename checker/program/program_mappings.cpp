#include "checker/program/program_mappings.hpp"

#include "checker/program/program_runtime.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>
#include <utility>

#include <fmt/core.h>

namespace heddle::checker {

namespace errors = heddle_device::cuda_error;
using heddle_device::u64;

namespace {

std::uintptr_t address_in(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

bool is_whole(std::uint64_t bytes) {
  return bytes % heddle_device::mapping_runtime::granularity == 0;
}

}  // namespace

int program_mappings::create(u64* handle, u64 bytes, int device) {
  const std::lock_guard lock(program_.mutex_);
  if (handle == nullptr || bytes == 0 || !is_whole(bytes)) return errors::invalid_value;
  if (!program_.devices_.has(device)) return errors::invalid_device;
  if (!program_.memory_->take_device_bytes(device, bytes)) return errors::memory_allocation;
  *handle = next_handle_++;
  physical_memory& made = memory_[*handle];
  made.bytes = made.written.bytes = bytes;
  made.device = device;
  made.made_at = program_.call_stack();
  made.written.set_written(false);
  return 0;
}

void program_mappings::forget_unused(std::uint64_t handle) {
  const physical_memory& m = memory_.at(handle);
  if (m.handles != 0 || m.is_mapped) return;
  program_.memory_->give_back_device_bytes(m.device, m.bytes);
  memory_.erase(handle);
}

int program_mappings::release(u64 handle) {
  const std::lock_guard lock(program_.mutex_);
  const auto found = memory_.find(handle);
  if (found == memory_.end() || found->second.handles == 0) return errors::invalid_value;
  --found->second.handles;
  forget_unused(handle);
  return 0;
}

int program_mappings::retain(u64* handle, const void* where) {
  const std::lock_guard lock(program_.mutex_);
  const reservation* const r = find(address_in(where), 1);
  if (r == nullptr) return errors::invalid_value;
  const auto after = r->parts.upper_bound(address_in(where));
  if (after == r->parts.begin()) return errors::invalid_value;
  const auto& [begin, p] = *std::prev(after);
  if (address_in(where) - begin >= p.bytes) return errors::invalid_value;
  ++memory_.at(p.handle).handles;
  *handle = p.handle;
  return 0;
}

int program_mappings::describe(u64 handle, int* device) {
  const std::lock_guard lock(program_.mutex_);
  const auto found = memory_.find(handle);
  if (found == memory_.end() || found->second.handles == 0) return errors::invalid_value;
  *device = found->second.device;
  return 0;
}

int program_mappings::reserve(void** where, u64 bytes, u64 alignment, allocation_name name) {
  const std::lock_guard lock(program_.mutex_);
  if (where == nullptr || bytes == 0 || !is_whole(bytes) || (alignment & (alignment - 1)) != 0)
    return errors::invalid_value;
  const std::uintptr_t begin = program_.memory_->reserve(bytes, std::max(alignment, granularity));
  if (begin == 0) return errors::memory_allocation;
  reservation& made = reservations_[begin];
  made.begin = begin;
  made.bytes = bytes;
  made.name = name;
  made.made_at = program_.call_stack();
  *where = reinterpret_cast<void*>(begin);
  return 0;
}

program_mappings::reservation* program_mappings::find(std::uintptr_t begin, std::uint64_t bytes) {
  const auto after = reservations_.upper_bound(begin);
  if (after == reservations_.begin()) return nullptr;
  auto& [first, r] = *std::prev(after);
  return bytes <= r.bytes && begin - first <= r.bytes - bytes ? &r : nullptr;
}

int program_mappings::free_addresses(void* where, u64 bytes) {
  const std::lock_guard lock(program_.mutex_);
  const auto found = reservations_.find(address_in(where));
  if (found == reservations_.end() || found->second.bytes != bytes || !found->second.parts.empty())
    return errors::invalid_value;
  program_.memory_->give_back_addresses(found->first);
  reservations_.erase(found);
  return 0;
}

int program_mappings::map(void* where, u64 bytes, u64 handle) {
  const std::lock_guard lock(program_.mutex_);
  const std::uintptr_t begin = address_in(where);
  reservation* const r = find(begin, bytes);
  const auto found = memory_.find(handle);
  if (r == nullptr || found == memory_.end() || bytes == 0 || !is_whole(bytes) || !is_whole(begin) ||
      bytes > found->second.bytes)
    return errors::invalid_value;
  const auto after = r->parts.lower_bound(begin);
  if (after != r->parts.end() && after->first < begin + bytes) return errors::invalid_value;
  if (after != r->parts.begin() && std::prev(after)->first + std::prev(after)->second.bytes > begin)
    return errors::invalid_value;
  physical_memory& m = found->second;
  if (m.is_mapped)
    program_.refuse(
        "cuMemMap: memory that is mapped to two addresses at once is not supported: unmap it first");
  m.is_mapped = true;
  r->parts[begin] = {bytes, handle, {}};
  join_parts(*r);
  const allocations::opening opened(*program_.memory_);
  if (!m.contents.empty()) std::memcpy(where, m.contents.data(), bytes);
  if (bytes == m.bytes) m.contents = {};
  region& own = program_.memory_->find(begin)->memory;
  own.copy_written(begin - own.begin, m.written, 0, bytes);
  return 0;
}

std::vector<std::uintptr_t> program_mappings::parts_of(const reservation& of, std::uintptr_t begin,
                                                       std::uint64_t bytes) {
  std::vector<std::uintptr_t> result;
  std::uintptr_t next = begin;
  for (auto p = of.parts.find(begin); p != of.parts.end() && p->first == next && next < begin + bytes; ++p) {
    result.push_back(p->first);
    next += p->second.bytes;
  }
  if (next != begin + bytes) result.clear();
  return result;
}

int program_mappings::unmap(void* where, u64 bytes) {
  const std::lock_guard lock(program_.mutex_);
  reservation* const r = find(address_in(where), bytes);
  if (r == nullptr) return errors::invalid_value;
  const std::vector<std::uintptr_t> parts = parts_of(*r, address_in(where), bytes);
  if (parts.empty()) return errors::invalid_value;
  program_.complete_all();
  for (const std::uintptr_t begin : parts) {
    const part p = r->parts.at(begin);
    physical_memory& m = memory_.at(p.handle);
    {
      const allocations::opening opened(*program_.memory_);
      const region& own = program_.memory_->find(begin)->memory;
      m.written.copy_written(0, own, begin - own.begin, p.bytes);
      // Nothing can ask for it any more where it has no handle.
      if (m.handles != 0) {
        m.contents.resize(m.bytes);
        std::memcpy(m.contents.data(), reinterpret_cast<const void*>(begin), p.bytes);
      }
      allocations::forget_contents(begin, p.bytes);
    }
    m.is_mapped = false;
    r->parts.erase(begin);
    forget_unused(p.handle);
  }
  join_parts(*r);
  return 0;
}

int program_mappings::set_access(void* where, u64 bytes, const heddle_device::memory_access* what,
                                 u64 count) {
  const std::lock_guard lock(program_.mutex_);
  reservation* const r = find(address_in(where), bytes);
  if (r == nullptr || (what == nullptr && count != 0)) return errors::invalid_value;
  const std::vector<std::uintptr_t> parts = parts_of(*r, address_in(where), bytes);
  if (parts.empty()) return errors::invalid_value;
  for (u64 i = 0; i < count; ++i) {
    if (what[i].location_type != heddle_device::location_of_device ||
        !program_.devices_.has(what[i].location))
      return errors::invalid_device;
  }
  for (const std::uintptr_t begin : parts) {
    std::set<int>& readers = r->parts.at(begin).readers;
    for (u64 i = 0; i < count; ++i) {
      if (what[i].flags == 0) {
        readers.erase(what[i].location);
      } else {
        readers.insert(what[i].location);
      }
    }
  }
  join_parts(*r);
  return 0;
}

int program_mappings::access(const void* where, heddle_device::memory_access* what) {
  const std::lock_guard lock(program_.mutex_);
  const allocation* const a = program_.memory_->find(address_in(where));
  if (a == nullptr || !a->is_mapped || !a->memory.has(address_in(where), 1)) return errors::invalid_value;
  what->flags = a->readers.count(what->location) != 0 ? heddle_device::reads_and_writes : 0;
  return 0;
}

void program_mappings::join_parts(reservation& of) {
  std::map<std::uintptr_t, allocation*> before = std::exchange(of.allocations, {});
  const allocation_name name = of.name;
  std::vector<std::unique_ptr<allocation>> made;
  for (auto p = of.parts.begin(); p != of.parts.end();) {
    const std::uintptr_t begin = p->first;
    const std::set<int> readers = p->second.readers;
    std::map<std::uintptr_t, int> devices_from;
    std::uintptr_t end = begin;
    for (; p != of.parts.end() && p->first == end && p->second.readers == readers; ++p) {
      devices_from[end] = memory_.at(p->second.handle).device;
      end += p->second.bytes;
    }
    const auto same = before.find(begin);
    if (same != before.end() && same->second->memory.bytes == end - begin) {
      same->second->readers = readers;
      of.allocations.insert(*same);
      before.erase(same);
      continue;
    }
    made.push_back(allocations::make_mapped(begin, end - begin, name, std::move(devices_from)));
    made.back()->readers = readers;
    made.back()->made_at = of.made_at;
  }
  // What they have of others' addresses keeps what is known of it.
  for (const auto& a : made) {
    region& r = a->memory;
    for (const auto& [first, old] : before) {
      const std::uintptr_t begin = std::max(r.begin, first);
      const std::uintptr_t end = std::min(r.begin + r.bytes, first + old->memory.bytes);
      if (begin < end) r.copy_written(begin - r.begin, old->memory, begin - first, end - begin);
    }
  }
  for (const auto& [first, old] : before) program_.memory_->remove_mapped(*old);
  for (auto& a : made) {
    const std::uintptr_t begin = a->memory.begin;
    of.allocations[begin] = program_.memory_->add_mapped(std::move(a));
  }
  // Up to the next one nothing is mapped, which is told of the one before.
  std::uintptr_t next = of.begin + of.bytes;
  for (auto a = of.allocations.rbegin(); a != of.allocations.rend(); ++a) {
    a->second->memory.high = next;
    next = a->first;
  }
}

}  // namespace heddle::checker
