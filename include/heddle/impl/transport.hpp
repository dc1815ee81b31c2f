#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace heddle::impl {

/// How ranks talk to each other: bytes in the memory of the CPU. Every rank makes the same calls in the same
/// order. They return once the caller's memory may be used again, and throw heddle::error.
class transport {
 public:
  transport() = default;
  transport(const transport&) = delete;
  virtual ~transport() = default;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  virtual void barrier() = 0;
  virtual void broadcast(void* data, std::size_t bytes, int from) = 0;
  /// Puts the bytes of every rank side by side into `all`, in the order of ranks. `bytes` are those of each.
  virtual void all_gather(const void* mine, std::span<const std::size_t> bytes, void* all) = 0;
  /// `from` holds what goes to each rank and `to` what comes from each, side by side in the order of ranks.
  virtual void all_to_all(const void* from, std::span<const std::size_t> bytes_to, void* to,
                          std::span<const std::size_t> bytes_from) = 0;
  /// Ends every rank, after the message.
  [[noreturn]] virtual void abort(const std::string& message) = 0;
};

}  // namespace heddle::impl
