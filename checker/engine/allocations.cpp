#include "checker/engine/allocations.hpp"

#include <heddle/error.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include <fmt/core.h>
#include <sys/mman.h>

namespace heddle::checker {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::size_t freed_ones_known = 256;

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + page - 1) / page * page;
}

/// What lies on each side is large enough for the usual mistakes to stay in it.
std::uint64_t room_beside(std::uint64_t bytes) {
  return std::clamp<std::uint64_t>(whole_pages(bytes), std::uint64_t{1} << 20, std::uint64_t{1} << 28);
}

void describe(region& r, const allocation_name& name) {
  r.name = name.name != nullptr ? name.name : "an allocation";
  r.consist_of(name.element);
  r.shift = name.element.size != 0 ? word_shift(name.element) : 2;
  r.persists = true;
}

}  // namespace

std::set<int> allocation::devices_of(std::uintptr_t begin, std::uint64_t bytes) const {
  std::set<int> result{device_at(begin)};
  for (auto at = devices_from.upper_bound(begin); at != devices_from.end() && at->first < begin + bytes; ++at)
    result.insert(at->second);
  return result;
}

allocations::allocations(const module& compiled, int devices)
    : device_bytes_(static_cast<std::size_t>(devices)) {
  // As much as the system lets a process have addresses for.
  for (std::uint64_t bytes = std::uint64_t{1} << 45; device_.begin == 0; bytes /= 2) {
    if (bytes < std::uint64_t{1} << 32) throw error("no addresses are left for a program's memory");
    void* const begin = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin == MAP_FAILED) continue;
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    device_ = {first, first + bytes / 2, first};
    host_ = {first + bytes / 2, first + bytes, first + bytes / 2};
  }
  for (const heddle_device::variable& v : compiled.variables()) add_variable(v);
}

void allocations::add_variable(const heddle_device::variable& v) {
  const allocation* const known = find_variable(reinterpret_cast<std::uintptr_t>(v.address), 0);
  // A compiler may put one of 0 bytes where another is.
  if (v.is_read_only || (known != nullptr && (known->memory.bytes != 0 || v.size == 0))) return;
  auto a = std::make_unique<allocation>();
  a->kind = v.is_managed ? memory_kind::managed : memory_kind::device;
  region& r = a->memory;
  const auto begin = reinterpret_cast<std::uintptr_t>(v.address);
  describe(r, {v.name, v.element});
  // The history of a word that two variables share would be of neither.
  if ((begin & ((std::uintptr_t{1} << r.shift) - 1)) != 0) r.shift = 0;
  r.begin = r.low = begin;
  r.high = begin + bytes_about(v);
  r.bytes = v.size;
  r.is_constant = v.is_constant;
  r.is_variable = true;
  r.space = v.is_constant ? "constant" : "device";
  if (first_variable_ == 0 || begin < first_variable_) first_variable_ = begin;
  last_variable_ = std::max(last_variable_, r.high);
  allocation& added = *all_.insert_or_assign(begin, std::move(a)).first->second;
  if (device_bytes_.size() > 1 && !v.is_managed && v.size != 0) add_instances(added, {v.name, v.element});
}

void allocations::add_instances(allocation& variable, const allocation_name& name) {
  const opening opened(*this);
  std::vector<allocation*> all;
  for (std::size_t device = 0; device < device_bytes_.size(); ++device) {
    std::unique_ptr<allocation> made =
        make_memory(memory_kind::device, variable.memory.bytes, name, static_cast<int>(device));
    if (made == nullptr)
      throw error(fmt::format("no addresses are left for {} on device {}", variable.memory.name, device));
    region& r = made->memory;
    r.set_written(true);
    r.shift = variable.memory.shift;
    r.is_variable = true;
    r.is_constant = variable.memory.is_constant;
    r.space = variable.memory.space;
    std::memcpy(reinterpret_cast<void*>(r.begin), reinterpret_cast<const void*>(variable.memory.begin),
                r.bytes);
    all.push_back(made.get());
    all_.insert_or_assign(r.low, std::move(made));
  }
  variable.device = allocation::all_devices;
  instances_.add(variable, std::move(all));
}

allocations::~allocations() {
  munmap(reinterpret_cast<void*>(device_.begin), host_.end - device_.begin);
}

void allocations::open(int by) {
  const bool was_open = opened_ > 0;
  opened_ += by;
  const bool is_open = opened_ > 0;
  if (was_open == is_open || device_.next == device_.begin) return;
  if (mprotect(reinterpret_cast<void*>(device_.begin), device_.next - device_.begin,
               is_open ? PROT_READ | PROT_WRITE : PROT_NONE) != 0)
    throw error(fmt::format("a program's memory cannot be protected: {}", std::strerror(errno)));
}

std::uintptr_t allocations::place(half& of, std::uint64_t bytes) {
  if (of.end - of.next >= bytes) {
    const std::uintptr_t at = of.next;
    of.next += bytes;
    return at;
  }
  // Addresses of what was freed are used again only when there are no others.
  for (auto at = all_.lower_bound(of.begin); at != all_.end() && at->first < of.end;) {
    at = at->second->is_freed ? all_.erase(at) : std::next(at);
  }
  freed_.clear();
  std::map<std::uintptr_t, std::uintptr_t> taken;
  for (auto at = all_.lower_bound(of.begin); at != all_.end() && at->first < of.end; ++at) {
    if (!at->second->is_mapped) taken[at->first] = at->second->memory.high;
  }
  for (const auto& [begin, r] : reserved_) taken[r.low] = r.high;
  std::uintptr_t from = of.begin;
  for (auto at = taken.lower_bound(of.begin); at != taken.end() && at->first < of.end; ++at) {
    if (at->first - from >= bytes) return from;
    from = at->second;
  }
  return of.end - from >= bytes ? from : 0;
}

std::unique_ptr<allocation> allocations::make_memory(memory_kind kind, std::uint64_t bytes,
                                                     const allocation_name& name, int device) {
  const bool is_device = kind == memory_kind::device;
  const std::uint64_t beside = room_beside(bytes), whole = whole_pages(bytes) + 2 * beside;
  const std::uintptr_t low = place(is_device ? device_ : host_, whole);
  if (low == 0) return nullptr;
  const bool is_open = !is_device || opened_ > 0;
  if (is_open && mprotect(reinterpret_cast<void*>(low), whole, PROT_READ | PROT_WRITE) != 0) return nullptr;
  auto a = std::make_unique<allocation>();
  a->kind = kind;
  a->device = device;
  region& r = a->memory;
  describe(r, name);
  r.low = low;
  r.high = low + whole;
  r.begin = low + beside;
  r.bytes = bytes;
  r.host_can_write = !is_device;
  r.set_written(false);
  return a;
}

allocation* allocations::make(memory_kind kind, std::uint64_t bytes, const allocation_name& name,
                              int device) {
  const bool is_device = kind == memory_kind::device;
  if (bytes > heddle_device::device_facts::memory || (is_device && bytes > device_bytes_left(device)))
    return nullptr;
  std::unique_ptr<allocation> a = make_memory(kind, bytes, name, device);
  if (a == nullptr) return nullptr;
  if (is_device) device_bytes_[static_cast<std::size_t>(device)] += bytes;
  return all_.insert_or_assign(a->memory.low, std::move(a)).first->second.get();
}

bool allocations::take_device_bytes(int device, std::uint64_t bytes) {
  if (bytes > device_bytes_left(device)) return false;
  device_bytes_[static_cast<std::size_t>(device)] += bytes;
  return true;
}

std::uintptr_t allocations::reserve(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t beside = room_beside(bytes);
  const std::uint64_t whole = whole_pages(bytes) + 2 * beside + alignment;
  const std::uintptr_t low = place(device_, whole);
  if (low == 0) return 0;
  const std::uintptr_t begin = (low + beside + alignment - 1) / alignment * alignment;
  reserved_[begin] = {low, low + whole};
  return begin;
}

std::unique_ptr<allocation> allocations::make_mapped(std::uintptr_t begin, std::uint64_t bytes,
                                                     const allocation_name& name,
                                                     std::map<std::uintptr_t, int> devices_from) {
  auto a = std::make_unique<allocation>();
  a->device = devices_from.begin()->second;
  a->devices_from = std::move(devices_from);
  a->is_mapped = true;
  region& r = a->memory;
  describe(r, name);
  r.begin = r.low = begin;
  r.high = begin + bytes;
  r.bytes = bytes;
  r.set_written(false);
  return a;
}

allocation* allocations::add_mapped(std::unique_ptr<allocation> a) {
  return all_.insert_or_assign(a->memory.low, std::move(a)).first->second.get();
}

void allocations::remove_mapped(const allocation& a) {
  all_.erase(a.memory.low);
}

void allocations::forget_contents(std::uintptr_t begin, std::uint64_t bytes) {
  madvise(reinterpret_cast<void*>(begin), bytes, MADV_DONTNEED);
}

std::uint64_t allocations::device_bytes() const {
  return std::accumulate(device_bytes_.begin(), device_bytes_.end(), std::uint64_t{0});
}

allocation& allocations::add_registered(void* begin, std::uint64_t bytes, const allocation_name& name,
                                        int device) {
  auto a = std::make_unique<allocation>();
  a->kind = memory_kind::registered;
  a->device = device;
  region& r = a->memory;
  describe(r, name);
  r.begin = r.low = reinterpret_cast<std::uintptr_t>(begin);
  r.high = r.low + bytes;
  r.bytes = bytes;
  if (r.begin % (std::uintptr_t{1} << r.shift) != 0) r.shift = 0;
  return *all_.insert_or_assign(r.low, std::move(a)).first->second;
}

void allocations::free(allocation& a) {
  region& r = a.memory;
  if (a.kind == memory_kind::registered) {
    all_.erase(r.low);
    return;
  }
  if (a.kind == memory_kind::device) device_bytes_[static_cast<std::size_t>(a.device)] -= r.bytes;
  const std::uintptr_t first = r.begin / page * page;
  forget_contents(first, whole_pages(r.begin + r.bytes - first));
  a.is_freed = true;
  r.freed_bytes = r.bytes;
  r.bytes = 0;
  r.forget_history();
  r.written = {};
  freed_.push_back(&a);
  if (freed_.size() > freed_ones_known) freed_.pop_front();
}

void allocations::revive(allocation& a) {
  region& r = a.memory;
  std::erase(freed_, &a);
  a.is_freed = false;
  a.freed_at.clear();
  r.bytes = std::exchange(r.freed_bytes, 0);
  r.set_written(false);
  if (a.kind == memory_kind::device) device_bytes_[static_cast<std::size_t>(a.device)] += r.bytes;
}

allocation* allocations::find(std::uintptr_t address) {
  auto after = all_.upper_bound(address);
  if (after == all_.begin()) return nullptr;
  allocation& a = *std::prev(after)->second;
  return address < a.memory.high ? &a : nullptr;
}

allocation* allocations::find_variable(std::uintptr_t address, int device) {
  allocation* const a = find(address);
  if (a == nullptr || !a->memory.is_variable) return nullptr;
  allocation* const own = instances_.find(*a, device);
  return own != nullptr ? own : a;
}

std::vector<const allocation*> allocations::variables_named(const std::string& name, int device) const {
  const std::size_t spaces = name.rfind("::");
  const std::string own = spaces == std::string::npos ? name : name.substr(spaces + 2);
  std::vector<const allocation*> result;
  for (const auto& [low, a] : all_) {
    const bool is_of_device = a->device == device || a->host_can_reach();
    if (a->memory.is_variable && is_of_device && (a->memory.name == name || a->memory.name == own))
      result.push_back(a.get());
  }
  return result;
}

std::vector<region*> allocations::regions(const std::function<bool(const allocation&)>& reaches) {
  std::vector<region*> result;
  for (const auto& [low, a] : all_) {
    if (!a->is_freed && reaches(*a)) result.push_back(&a->memory);
  }
  for (allocation* const a : freed_) result.push_back(&a->memory);
  return result;
}

std::vector<allocation*> allocations::live() const {
  std::vector<allocation*> result;
  for (const auto& [low, a] : all_) {
    if (!a->is_freed && !a->memory.is_variable && !a->is_mapped && a->kind != memory_kind::registered)
      result.push_back(a.get());
  }
  return result;
}

void allocations::forget_histories() {
  for (const auto& [low, a] : all_) a->memory.forget_history();
}

}  // namespace heddle::checker
