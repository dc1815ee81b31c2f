#include "checker/engine/device_heap.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace heddle::checker {

std::uintptr_t device_heap::place_for(std::uint64_t bytes) {
  if (bytes_ == 0) {
    // More than is allocated at once, so that freed memory is not given anew at once.
    constexpr std::uint64_t least_room = std::uint64_t{64} << 20, page = 4096;
    const std::uint64_t room = std::max(least_room, 4 * limit_) / page * page;
    memory_ = mapping(room, true);
    begin_ = next_ = reinterpret_cast<std::uintptr_t>(memory_.data());
    bytes_ = room;
  }
  const std::uint64_t wanted = (bytes + gap + alignment - 1) / alignment * alignment;
  if (wanted > bytes_) return 0;
  if (next_ + wanted > begin_ + bytes_) next_ = begin_;
  // What is not freed is gone around.
  for (std::uint64_t tries = blocks_.size() + 1; tries-- > 0;) {
    if (next_ + wanted > begin_ + bytes_) next_ = begin_;
    auto at = blocks_.lower_bound(next_);
    if (at != blocks_.begin() && std::prev(at)->second->memory.high > next_) --at;
    bool is_free = true;
    while (is_free && at != blocks_.end() && at->second->memory.low < next_ + wanted) {
      block& old = *at->second;
      is_free = old.is_freed && !old.is_kept;
      if (!is_free) break;
      old.is_gone = true;
      gone_.push_back(std::move(at->second));
      at = blocks_.erase(at);
    }
    if (is_free) return std::exchange(next_, next_ + wanted);
    next_ = at->second->memory.high;
  }
  return 0;
}

/// Its words' histories, which nothing is known in.
void device_heap::watch(region& r) {
  const auto covers = [&](const chunk& c) { return r.begin >= c.begin && r.begin + r.bytes <= c.end; };
  auto found = std::find_if(chunks_.begin(), chunks_.end(), covers);
  if (found == chunks_.end()) {
    constexpr std::uint64_t least = std::uint64_t{4} << 20;
    chunk made;
    made.begin = r.begin;
    made.end = r.begin + std::max(least, r.bytes);
    const std::size_t words = ((made.end - made.begin) >> shift) + 2;
    made.history = mapping(words * sizeof(record));
    made.earlier = mapping(words * sizeof(earlier_records), true);
    chunks_.push_back(std::move(made));
    found = std::prev(chunks_.end());
  }
  const std::uint64_t first = (r.begin - found->begin) >> shift;
  r.last = reinterpret_cast<record*>(found->history.data()) + first;
  r.earlier = reinterpret_cast<earlier_records*>(found->earlier.data()) + first;
  std::fill_n(r.last, (r.bytes >> shift) + 1, record{});
}

device_heap::block* device_heap::allocate(std::uint64_t bytes, bool is_written, const place& made) {
  if (bytes > limit_ || used_ + bytes > limit_) return nullptr;
  const std::uintptr_t at = place_for(bytes);
  if (at == 0) return nullptr;
  auto b = std::make_unique<block>();
  region& r = b->memory;
  r.low = at;
  r.begin = at + gap / 2;
  r.high = next_;
  r.bytes = bytes;
  r.shift = shift;
  r.name = "memory";
  r.space = "heap";
  r.persists = true;
  watch(r);
  r.set_written(is_written);
  b->made = made;
  b->is_new = true;
  used_ += bytes;
  changed_.made.push_back(b.get());
  return (blocks_[at] = std::move(b)).get();
}

void device_heap::hide(block& b) {
  b.memory.freed_bytes = b.memory.bytes;
  b.memory.bytes = 0;
  b.is_freed = true;
}

void device_heap::free(block& b, const place& freed) {
  used_ -= b.memory.bytes;
  hide(b);
  b.freed = freed;
  b.is_kept = !b.is_new;
  changed_.freed.push_back(&b);
}

device_heap::block* device_heap::find(std::uintptr_t address) {
  const auto after = blocks_.upper_bound(address);
  return after == blocks_.begin() ? nullptr : std::prev(after)->second.get();
}

std::vector<device_heap::block*> device_heap::live() {
  std::vector<block*> result;
  for (const auto& [at, b] : blocks_) {
    if (!b->is_freed) result.push_back(b.get());
  }
  return result;
}

std::vector<region*> device_heap::regions() {
  std::vector<region*> result;
  for (block* const b : live()) result.push_back(&b->memory);
  return result;
}

void device_heap::set_written() {
  for (block* const b : live()) b->memory.set_written(true);
}

void device_heap::forget_histories() {
  for (block* const b : live()) std::fill_n(b->memory.last, (b->memory.bytes >> shift) + 1, record{});
}

void device_heap::clear() {
  blocks_.clear();
  gone_.clear();
  changed_ = first_ = {};
  used_ = 0;
  next_ = begin_;
}

void device_heap::begin_launch() {
  for (block* const b : changed_.made) b->is_new = false;
  for (block* const b : changed_.freed) b->is_kept = false;
  changed_ = {};
  gone_.clear();
}

void device_heap::undo(const changes& c) {
  for (block* const b : c.freed) {
    if (b->is_gone) continue;
    b->memory.bytes = b->memory.freed_bytes;
    b->is_freed = b->is_kept = false;
    used_ += b->memory.bytes;
  }
  for (block* const b : c.made) {
    if (b->is_gone) continue;
    used_ -= b->memory.bytes;
    hide(*b);
    b->is_new = false;
  }
}

void device_heap::set_aside() {
  first_ = std::exchange(changed_, {});
  undo(first_);
  for (block* const b : first_.made) b->is_kept = true;
}

void device_heap::take_back() {
  undo(changed_);
  changed_ = {};
}

void device_heap::put_back() {
  for (block* const b : first_.made) {
    if (b->is_gone) continue;
    b->memory.bytes = b->memory.freed_bytes;
    b->is_freed = b->is_kept = false;
    used_ += b->memory.bytes;
  }
  for (block* const b : first_.freed) {
    if (b->is_gone) continue;
    used_ -= b->memory.bytes;
    hide(*b);
  }
  first_ = {};
}

}  // namespace heddle::checker
