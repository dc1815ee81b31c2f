#include "checker/host/host_heap.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include <sys/mman.h>

namespace heddle::checker {
namespace {

constexpr std::uint64_t before_a_block = 64, most_bytes_kept_freed = std::uint64_t{64} << 20;

/// What lies behind a block belongs to nobody.
std::uint64_t room_behind(std::uint64_t bytes) {
  return std::clamp<std::uint64_t>(bytes / 8, 64, 65536);
}

void* reserve(std::uint64_t bytes) {
  void* const at =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

}  // namespace

host_heap::host_heap() : free_(64) {
  constexpr std::uint64_t bytes = std::uint64_t{64} << 30;
  void* const memory = reserve(bytes);
  auto* const inside = static_cast<std::uint8_t*>(reserve(bytes / grain));
  auto* const written = static_cast<std::uint8_t*>(reserve(bytes / grain));
  if (memory == nullptr || inside == nullptr || written == nullptr) {
    if (memory != nullptr) munmap(memory, bytes);
    if (inside != nullptr) munmap(inside, bytes / grain);
    if (written != nullptr) munmap(written, bytes / grain);
    return;
  }
  begin_ = next_ = reinterpret_cast<std::uintptr_t>(memory);
  bytes_ = bytes;
  inside_ = inside;
  written_ = written;
}

host_heap::~host_heap() {
  if (bytes_ == 0) return;
  munmap(reinterpret_cast<void*>(begin_), bytes_);
  munmap(inside_, bytes_ / grain);
  munmap(written_, bytes_ / grain);
}

std::size_t host_heap::class_of(std::uint64_t room) const noexcept {
  return static_cast<std::size_t>(std::bit_width(room - 1));
}

void* host_heap::allocate(std::uint64_t bytes, bool is_written, std::uintptr_t at) {
  if (bytes_ == 0 || bytes == 0 || bytes > bytes_ / 4) return nullptr;
  const std::uint64_t room = std::bit_ceil(before_a_block + bytes + room_behind(bytes));
  const std::lock_guard lock(mutex_);
  std::uintptr_t begin = 0;
  std::vector<std::uintptr_t>& reusable = free_[class_of(room)];
  if (!reusable.empty()) {
    begin = reusable.back();
    reusable.pop_back();
  } else {
    if (begin_ + bytes_ - next_ < room) return nullptr;
    begin = next_ + before_a_block;
    next_ += room;
  }
  blocks_[begin] = {begin, bytes, room, at, 0, false};
  const std::uint64_t first = (begin - begin_) / grain;
  std::memset(inside_ + first, static_cast<int>(grain), bytes / grain);
  if (bytes % grain != 0) inside_[first + bytes / grain] = static_cast<std::uint8_t>(bytes % grain);
  if (is_written) std::memset(written_ + first, 0xff, (bytes + grain - 1) / grain);
  return reinterpret_cast<void*>(begin);
}

/// For the next who has it.
void host_heap::forget(const block& b) noexcept {
  const std::uint64_t first = (b.begin - begin_) / grain, count = (b.bytes + grain - 1) / grain;
  constexpr std::uint64_t large = std::uint64_t{1} << 20;
  void* const memory = reinterpret_cast<void*>(b.begin);
  if (b.bytes >= large) {
    const std::uintptr_t page = 4096, low = (b.begin + page - 1) / page * page,
                         high = (b.begin + b.bytes) / page * page;
    // Where pages are larger, some begin before the block.
    if (madvise(reinterpret_cast<void*>(low), high - low, MADV_DONTNEED) != 0)
      std::memset(reinterpret_cast<void*>(low), 0, high - low);
    std::memset(memory, 0, low - b.begin);
    std::memset(reinterpret_cast<void*>(high), 0, b.begin + b.bytes - high);
  } else {
    std::memset(memory, 0, b.bytes);
  }
  std::memset(written_ + first, 0, count);
}

bool host_heap::free(void* what, std::uintptr_t at) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(what));
  if (found == blocks_.end() || found->second.is_freed) return false;
  block& b = found->second;
  b.is_freed = true;
  b.freed_at = at;
  std::memset(inside_ + (b.begin - begin_) / grain, 0, (b.bytes + grain - 1) / grain);
  freed_.push_back(b.begin);
  bytes_freed_ += b.room;
  while (bytes_freed_ > most_bytes_kept_freed) {
    const auto oldest = blocks_.find(freed_.front());
    freed_.pop_front();
    const block gone = oldest->second;
    blocks_.erase(oldest);
    bytes_freed_ -= gone.room;
    forget(gone);
    free_[class_of(gone.room)].push_back(gone.begin);
  }
  return true;
}

void* host_heap::reallocate(void* what, std::uint64_t bytes, std::uintptr_t at) {
  block before;
  {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(what));
    if (found == blocks_.end() || found->second.is_freed) return nullptr;
    before = found->second;
  }
  void* const made = allocate(bytes, false, at);
  if (made == nullptr) return nullptr;
  const std::uint64_t kept = std::min(bytes, before.bytes);
  std::memcpy(made, what, kept);
  std::memcpy(written_ + (reinterpret_cast<std::uintptr_t>(made) - begin_) / grain,
              written_ + (before.begin - begin_) / grain, (kept + grain - 1) / grain);
  free(what, at);
  return made;
}

bool host_heap::is_inside(std::uintptr_t address, std::uint64_t bytes) const noexcept {
  const std::uint64_t first = address - begin_, end = first + bytes;
  if (end > bytes_) return false;
  for (std::uint64_t at = first; at < end;) {
    const std::uint64_t part = at / grain, last = std::min(end, (part + 1) * grain);
    if (last - part * grain > inside_[part]) return false;
    at = last;
  }
  return true;
}

void host_heap::note_written(std::uintptr_t address, std::uint64_t bytes) noexcept {
  static_assert(grain == std::numeric_limits<std::uint8_t>::digits, "a bit for each byte");
  const std::uint64_t first = address - begin_, end = std::min(first + bytes, bytes_);
  for (std::uint64_t at = first; at < end;) {
    const std::uint64_t part = at / grain, last = std::min(end, (part + 1) * grain);
    written_[part] |= static_cast<std::uint8_t>(((1u << (last - at)) - 1) << (at % grain));
    at = last;
  }
}

bool host_heap::is_unset(std::uintptr_t address, std::uint64_t bytes) const noexcept {
  const std::uint64_t first = (address - begin_) / grain, last = (address + bytes - 1 - begin_) / grain;
  const auto is_zero = [](auto x) { return x == 0; };
  const auto* const at = reinterpret_cast<const char*>(address);
  return std::all_of(written_ + first, written_ + last + 1, is_zero) && std::all_of(at, at + bytes, is_zero);
}

std::optional<host_heap::block> host_heap::nearest(std::uintptr_t address) {
  const std::lock_guard lock(mutex_);
  const auto after = blocks_.upper_bound(address);
  if (after != blocks_.begin()) {
    const block& b = std::prev(after)->second;
    if (address < b.begin - before_a_block + b.room) return b;
  }
  if (after != blocks_.end() && address + before_a_block >= after->second.begin) return after->second;
  return std::nullopt;
}

}  // namespace heddle::checker
