#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace heddle::checker {

/// Memory that a program's host code has by malloc and new[]. It lies in a range of its own, where a byte of
/// notes for each eight says how many of these belong to a block, and another one which of them were written.
/// So a look at an address takes no lock.
class host_heap {
 public:
  struct block {
    std::uintptr_t begin = 0;
    std::uint64_t bytes = 0, room = 0;
    std::uintptr_t made_at = 0, freed_at = 0;  ///< calls, as addresses that they return to
    bool is_freed = false;
  };

  /// Nothing is watched where the system has no such range.
  host_heap();
  ~host_heap();
  host_heap(const host_heap&) = delete;
  host_heap& operator=(const host_heap&) = delete;

  bool has(std::uintptr_t address) const noexcept { return address - begin_ < bytes_; }
  /// Zeros; null where there is no room. They count as written when `is_written`.
  void* allocate(std::uint64_t bytes, bool is_written, std::uintptr_t at);
  /// False when no block that lives begins there.
  bool free(void* what, std::uintptr_t at);
  /// The block's contents, as far as they fit, in another; null where there is no room, or no such block.
  void* reallocate(void* what, std::uint64_t bytes, std::uintptr_t at);

  /// Whether all of these bytes, which begin in the range, belong to a block.
  bool is_inside(std::uintptr_t address, std::uint64_t bytes) const noexcept;
  void note_written(std::uintptr_t address, std::uint64_t bytes) noexcept;
  /// Whether nothing of them was ever written, neither by what is watched nor, as zeros all over say, by
  /// anything else.
  bool is_unset(std::uintptr_t address, std::uint64_t bytes) const noexcept;
  /// The block that an address is of, or that ends or begins next to it.
  std::optional<block> nearest(std::uintptr_t address);

 private:
  static constexpr std::uint64_t grain = 8;
  std::size_t class_of(std::uint64_t room) const noexcept;
  void forget(const block& b) noexcept;

  std::uintptr_t begin_ = 0, next_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint8_t* inside_ = nullptr;   // of each eight bytes, how many belong to a block
  std::uint8_t* written_ = nullptr;  // a bit for each of them
  std::mutex mutex_;
  std::map<std::uintptr_t, block> blocks_;
  std::deque<std::uintptr_t> freed_;  // not used again so soon, so that uses of them are seen
  std::uint64_t bytes_freed_ = 0;
  std::vector<std::vector<std::uintptr_t>> free_;  // by the power of two that their room is
};

}  // namespace heddle::checker
