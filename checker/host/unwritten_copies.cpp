#include "checker/host/unwritten_copies.hpp"

#include <algorithm>
#include <utility>

#include <unwind.h>

namespace heddle::checker {
namespace {

constexpr std::size_t most_copies = 64;
constexpr std::uint64_t near = 4096;  // what other code writes at once

bool is_set(const unwritten_copy& c, std::uint64_t at) {
  return (c.unwritten[at / 64] >> at % 64 & 1) != 0;
}
void clear(unwritten_copy& c, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t at = first; at < last; ++at) {
    if (at % 64 == 0 && last - at >= 64) {
      c.unwritten[at / 64] = 0;
      at += 63;
    } else {
      c.unwritten[at / 64] &= ~(std::uint64_t{1} << at % 64);
    }
  }
}
bool is_empty(const unwritten_copy& c) {
  return std::all_of(c.unwritten.begin(), c.unwritten.end(), [](std::uint64_t bits) { return bits == 0; });
}

/// Whether near a byte something is not zero that was not written: then other code has written there.
bool seems_written(const unwritten_copy& c, std::uint64_t offset) {
  const std::uint64_t first = offset / near * near, last = std::min(first + near, c.bytes);
  const auto* const at = reinterpret_cast<const std::byte*>(c.begin);
  for (std::uint64_t i = first; i < last; ++i) {
    if (at[i] != std::byte{0} && is_set(c, i)) return true;
  }
  return false;
}

struct walk {
  std::uintptr_t address;
  std::optional<stack_frame> found;
};

}  // namespace

std::optional<stack_frame> frame_of(std::uintptr_t address) {
  walk w{address, std::nullopt};
  const auto own = reinterpret_cast<std::uintptr_t>(&w);
  constexpr std::uintptr_t most_of_a_stack = std::uintptr_t{1} << 30;
  if (address < own || address - own > most_of_a_stack) return std::nullopt;
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* data) -> _Unwind_Reason_Code {
        auto& w = *static_cast<walk*>(data);
        const auto end = static_cast<std::uintptr_t>(_Unwind_GetCFA(context));
        if (end <= w.address) return _URC_NO_REASON;
        w.found = stack_frame{end, static_cast<std::uintptr_t>(_Unwind_GetRegionStart(context))};
        return _URC_END_OF_STACK;
      },
      &w);
  return w.found;
}

void unwritten_copies::add(unwritten_copy c) {
  const std::lock_guard lock(mutex_);
  for (std::uintptr_t at = c.begin / near * near; at < c.begin + c.bytes; at += near)
    pages_[page_of(at) / 64].fetch_or(std::uint64_t{1} << page_of(at) % 64, std::memory_order_relaxed);
  all_.push_front(std::move(c));
  if (all_.size() > most_copies) all_.pop_back();
}

std::list<unwritten_copy>::iterator unwritten_copies::find(std::uintptr_t address) {
  return std::find_if(all_.begin(), all_.end(),
                      [&](const unwritten_copy& c) { return address - c.begin < c.bytes; });
}

void unwritten_copies::forget(std::uintptr_t address, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  for (auto c = all_.begin(); c != all_.end();) {
    const std::uintptr_t first = std::max(address, c->begin),
                         last = std::min(address + bytes, c->begin + c->bytes);
    if (first < last) clear(*c, first - c->begin, last - c->begin);
    // All of it is looked at where much was written.
    const bool is_gone = first < last && (last - first == c->bytes || (c->bytes <= near && is_empty(*c)));
    c = is_gone ? all_.erase(c) : std::next(c);
  }
}

void unwritten_copies::move(std::uintptr_t to, std::uintptr_t from, std::uint64_t bytes) {
  std::optional<unwritten_copy> moved;
  {
    const std::lock_guard lock(mutex_);
    const auto c = may_have(from) ? find(from) : all_.end();
    if (c != all_.end()) {
      const std::uint64_t first = from - c->begin, last = std::min(first + bytes, c->bytes);
      moved = unwritten_copy{to, last - first, {}, c->number_bytes, frame_of(to), c->told};
      moved->unwritten.assign((last - first) / 64 + 1, 0);
      for (std::uint64_t at = first; at < last; ++at) {
        if (is_set(*c, at)) moved->unwritten[(at - first) / 64] |= std::uint64_t{1} << (at - first) % 64;
      }
    }
  }
  forget(to, bytes);
  if (moved && !is_empty(*moved)) add(*std::move(moved));
}

std::optional<unwritten_copy> unwritten_copies::read(std::uintptr_t address, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto c = find(address);
  if (c == all_.end()) return std::nullopt;
  const std::uint64_t first = address - c->begin, last = std::min(first + bytes, c->bytes);
  std::uint64_t count = 0;
  for (std::uint64_t at = first; at < last; ++at) count += is_set(*c, at) ? 1 : 0;
  // Padding is copied with what is larger than a number, and not used.
  if (count == 0 || (bytes > c->number_bytes && count < last - first)) return std::nullopt;
  if (seems_written(*c, first)) {
    clear(*c, first / near * near, std::min(first / near * near + near, c->bytes));
    return std::nullopt;
  }
  const auto frame = c->frame ? frame_of(address) : std::nullopt;
  const bool is_there =
      !c->frame || (frame && frame->end == c->frame->end && frame->function == c->frame->function);
  std::optional<unwritten_copy> result;
  if (is_there) result = std::move(*c);
  all_.erase(c);
  return result;
}

}  // namespace heddle::checker
