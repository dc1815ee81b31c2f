#include "checker/engine/engine.hpp"

#include <cstring>

#include <fmt/format.h>

/// malloc, free, new and delete of kernels.
namespace heddle::checker {

void* engine::allocate(thread_state& t, std::uint64_t bytes, std::uintptr_t pc) {
  note_change();
  if (heap_ == nullptr) {
    own_heap_ = std::make_unique<device_heap>();
    heap_ = own_heap_.get();
  }
  device_heap::block* const made = heap_->allocate(bytes, !t.is_watched, place_of(t, "allocates it", pc));
  return made == nullptr ? nullptr : reinterpret_cast<void*>(made->memory.begin);
}

void engine::release(thread_state& t, void* what, std::uintptr_t pc) {
  if (what == nullptr) return;
  note_change();
  const auto address = reinterpret_cast<std::uintptr_t>(what);
  device_heap::block* const b = heap_ != nullptr && heap_->has(address) ? heap_->find(address) : nullptr;
  if (b != nullptr && !b->is_freed && b->memory.begin == address)
    return heap_->free(*b, place_of(t, "frees it", pc));
  finding* const f = report(finding_kind::invalid_free, pc, 0, b);
  if (f == nullptr) return;
  f->places.push_back(place_of(t, "frees it", pc));
  if (b != nullptr) f->places.push_back(b->made);
  if (b != nullptr && b->is_freed) f->places.push_back(b->freed);
  f->detail = b == nullptr ? "a kernel frees what no kernel has allocated"
              : b->is_freed
                  ? fmt::format("{} bytes of the heap are freed already", b->bytes())
                  : fmt::format("the pointer is {} bytes past the beginning of {} bytes of the heap",
                                static_cast<std::int64_t>(address - b->memory.begin), b->bytes());
}

void engine::add_places_of_heap(finding& f, std::uintptr_t address) const {
  const device_heap::block* const b =
      heap_ != nullptr && heap_->has(address) ? heap_->find(address) : nullptr;
  if (b == nullptr) return;
  f.places.push_back(b->made);
  if (b->is_freed) f.places.push_back(b->freed);
}

}  // namespace heddle::checker
