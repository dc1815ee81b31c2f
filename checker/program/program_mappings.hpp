#pragma once

#include "checker/engine/allocations.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace heddle::checker {

class program_runtime;

/// Addresses that a program reserves, and memory that it maps there. What lies side by side and is reached by
/// the same devices is one allocation. Memory has its contents at its addresses while it is mapped, and aside
/// while it is not.
class program_mappings final : public heddle_device::mapping_runtime {
 public:
  explicit program_mappings(program_runtime& program) : program_(program) {}

  int create(heddle_device::u64* handle, heddle_device::u64 bytes, int device) override;
  int release(heddle_device::u64 handle) override;
  int retain(heddle_device::u64* handle, const void* where) override;
  int describe(heddle_device::u64 handle, int* device) override;
  int reserve(void** where, heddle_device::u64 bytes, heddle_device::u64 alignment,
              allocation_name name) override;
  int free_addresses(void* where, heddle_device::u64 bytes) override;
  int map(void* where, heddle_device::u64 bytes, heddle_device::u64 handle) override;
  int unmap(void* where, heddle_device::u64 bytes) override;
  int set_access(void* where, heddle_device::u64 bytes, const heddle_device::memory_access* what,
                 heddle_device::u64 count) override;
  int access(const void* where, heddle_device::memory_access* what) override;

  /// Calls f(bytes, made_at) for what was not released, or is still mapped.
  template <class F>
  void each_left(F f) const {
    for (const auto& [handle, m] : memory_) f(m.bytes, m.made_at);
  }

 private:
  struct physical_memory {
    std::uint64_t bytes = 0;
    int device = 0;
    std::size_t handles = 1;
    bool is_mapped = false;
    std::vector<std::byte> contents;  // while it is not mapped; empty before it ever was
    region written;                   // its bits
    std::vector<std::uintptr_t> made_at;
  };
  struct part {
    std::uint64_t bytes, handle;
    std::set<int> readers;
  };
  struct reservation {
    std::uintptr_t begin = 0;
    std::uint64_t bytes = 0;
    allocation_name name{};
    std::vector<std::uintptr_t> made_at;
    std::map<std::uintptr_t, part> parts;               // by their addresses
    std::map<std::uintptr_t, allocation*> allocations;  // the same
  };
  /// The one that the range is in; null for none.
  reservation* find(std::uintptr_t begin, std::uint64_t bytes);
  /// The parts that make up the range; empty where it is not all of them.
  static std::vector<std::uintptr_t> parts_of(const reservation& of, std::uintptr_t begin,
                                              std::uint64_t bytes);
  /// Makes the allocations of what is mapped now.
  void join_parts(reservation& of);
  void forget_unused(std::uint64_t handle);

  program_runtime& program_;
  std::map<std::uintptr_t, reservation> reservations_;
  std::map<std::uint64_t, physical_memory> memory_;
  std::uint64_t next_handle_ = 1;
};

}  // namespace heddle::checker
