#pragma once

#include "checker/report/finding.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <vector>

namespace heddle::checker {

/// A function's call on a thread's stack.
struct stack_frame {
  std::uintptr_t end = 0, function = 0;
};
/// The one on the calling thread's stack that an address is in; nothing for what is on no stack.
std::optional<stack_frame> frame_of(std::uintptr_t address);

/// Memory of the host that was copied from the device, where not all of it was ever written.
struct unwritten_copy {
  std::uintptr_t begin = 0;
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> unwritten;  ///< a bit a byte
  std::size_t number_bytes = 0;          ///< of a number that it consists of; 0 for structures
  std::optional<stack_frame> frame;      ///< that it is in
  finding told;                          ///< what is told where the host reads of it
};

/// Copies whose unwritten elements the host has not read yet. Elements that code outside the program may have
/// overwritten no longer belong to a copy.
class unwritten_copies {
 public:
  void add(unwritten_copy c);
  /// Whether there may be one; takes no lock.
  bool may_have(std::uintptr_t address) const noexcept {
    return (pages_[page_of(address) / 64].load(std::memory_order_relaxed) >> page_of(address) % 64 & 1) != 0;
  }
  /// The host writes there, or memory is given back.
  void forget(std::uintptr_t address, std::uint64_t bytes);
  /// The host copies: what is unwritten is so in both places.
  void move(std::uintptr_t to, std::uintptr_t from, std::uint64_t bytes);
  /// The host reads: a copy that is to be told then, and is forgotten; nothing where all was written.
  std::optional<unwritten_copy> read(std::uintptr_t address, std::uint64_t bytes);

 private:
  static constexpr std::size_t pages = 65536;
  static std::size_t page_of(std::uintptr_t address) noexcept { return (address >> 12) % pages; }
  std::list<unwritten_copy>::iterator find(std::uintptr_t address);

  std::array<std::atomic<std::uint64_t>, pages / 64>
      pages_{};  // that copies are in, and others that look alike
  std::mutex mutex_;
  std::list<unwritten_copy> all_;  // the last first
};

}  // namespace heddle::checker
