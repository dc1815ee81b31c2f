#pragma once

#include "checker/engine/allocations.hpp"
#include "checker/program/stream_order.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace heddle::checker {

class program_runtime;

/// Memory of a program that is allocated and freed in the order of a stream. An allocation is something that
/// is done on its stream, and so is freeing it: what uses the memory on another stream must come between.
class program_pools final : public heddle_device::pool_runtime {
 public:
  explicit program_pools(program_runtime& program);

  int allocate(void* pool, void** where, heddle_device::u64 bytes, allocation_name name,
               void* stream) override;
  int release(void* what, void* stream) override;
  int make_pool(void** made, const heddle_device::pool_request& what) override;
  int end_pool(void* handle) override;
  void* pool(int device, bool is_default) override;
  void* pool_of_graphs(int device) override;
  int choose_pool(int device, void* handle) override;
  int set_access(void* handle, const heddle_device::memory_access* what, heddle_device::u64 count) override;
  int access(void* handle, heddle_device::memory_access* what) override;
  int set_attribute(void* handle, int attribute, heddle_device::u64 value) override;
  int attribute(void* handle, int attribute, heddle_device::u64* value) override;
  int trim(void* handle, heddle_device::u64 bytes) override;

  /// The allocation is freed, in whatever way.
  void forget(allocation& a);
  // Of nodes of graphs: an allocation that is nobody's until the node is done, each time anew.
  allocation* reserve(const heddle_device::node_request& what);
  void allocate_reserved(void* what, void* stream);
  /// Says what is wrong with freeing it there, and frees it; false where it is nothing to free.
  bool release_on(void* what, void* stream);
  /// Whether it is there once all that has been put on streams is done.
  bool is_held(const allocation& a) const;
  /// Whether nothing that waits on a stream changes that.
  bool is_decided(const allocation& a) const { return later_.count(a.memory.begin) == 0; }

 private:
  struct memory_pool {
    heddle_device::memory_kind kind = heddle_device::memory_kind::device;
    int device = 0;
    std::set<int> readers;  // devices that reach it, too
    std::uint64_t most_bytes = 0, threshold = 0, used = 0, most_used = 0, reserved = 0, most_reserved = 0;
    std::uint64_t reuses[4] = {0, 1, 1, 1};  // by the attribute's number
  };
  memory_pool* find(void* handle);
  void* make(heddle_device::memory_kind kind, std::uint64_t most_bytes, int device);
  void take_from(memory_pool& pool, allocation& a);
  /// Adds or removes devices that reach memory of `device`; false where one of them cannot.
  bool change_readers(std::set<int>& readers, int device, const heddle_device::memory_access* what,
                      heddle_device::u64 count) const;
  stream_order::operation note_allocated(const allocation& a, void* stream, const char* function);
  void release_on(allocation& a, void* stream, const char* function);
  /// The effect on an allocation of something that was put on a stream and may have to wait there.
  void do_later(allocation& a, bool is_held_then, void* stream, const stream_order::operation& when,
                std::function<void(allocation&)> effect);

  program_runtime& program_;
  std::map<void*, std::unique_ptr<memory_pool>> pools_;
  std::map<allocation*, memory_pool*> pool_of_;
  /// What becomes of allocations, by their addresses, by what waits on streams.
  struct later {
    std::size_t count = 0;
    bool is_held = false;
  };
  std::map<std::uintptr_t, later> later_;
};

}  // namespace heddle::checker
