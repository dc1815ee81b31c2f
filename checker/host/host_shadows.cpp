#include "checker/host/host_shadows.hpp"

#include "checker/engine/allocations.hpp"

#include <iterator>

#include <sys/mman.h>

namespace heddle::checker {
namespace {

constexpr std::uint64_t all_bytes = std::uint64_t{16} << 30, between = 4096;

}  // namespace

host_shadows::host_shadows() {
  void* const at =
      mmap(nullptr, all_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return;
  begin_ = next_ = reinterpret_cast<std::uintptr_t>(at);
  bytes_ = all_bytes;
}

host_shadows::~host_shadows() {
  if (bytes_ != 0) munmap(reinterpret_cast<void*>(begin_), bytes_);
}

std::uintptr_t host_shadows::of(const allocation& variable, std::uintptr_t address) {
  const std::uintptr_t first = variable.memory.begin;
  auto known = shadows_.find(first);
  if (known == shadows_.end()) {
    const std::uint64_t room = (variable.memory.bytes / between + 2) * between;
    if (begin_ + bytes_ - next_ < room) return address;
    known = shadows_.emplace(first, next_).first;
    variables_.emplace(next_, first);
    next_ += room;
  }
  return known->second + (address - first);
}

std::optional<std::uintptr_t> host_shadows::in_code(std::uintptr_t address) const {
  const auto after = variables_.upper_bound(address);
  if (!has(address) || after == variables_.begin()) return std::nullopt;
  const auto& [shadow, variable] = *std::prev(after);
  return variable + (address - shadow);
}

}  // namespace heddle::checker
