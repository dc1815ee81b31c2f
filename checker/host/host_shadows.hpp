#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace heddle::checker {

struct allocation;

/// The memory that a program's host code has under the names of the device's variables: zeros, at addresses
/// of its own, which are not those of the device.
class host_shadows {
 public:
  host_shadows();
  ~host_shadows();
  host_shadows(const host_shadows&) = delete;
  host_shadows& operator=(const host_shadows&) = delete;

  bool has(std::uintptr_t address) const noexcept { return address - begin_ < bytes_; }
  /// The host's address for an address within a device variable; that address itself if there is no room
  /// for a copy.
  std::uintptr_t of(const allocation& variable, std::uintptr_t address);
  /// The variable's address in the device's code of one that the host has.
  std::optional<std::uintptr_t> in_code(std::uintptr_t address) const;

 private:
  std::uintptr_t begin_ = 0, next_ = 0;
  std::uint64_t bytes_ = 0;
  std::map<std::uintptr_t, std::uintptr_t> shadows_, variables_;  // by the one and by the other
};

}  // namespace heddle::checker
