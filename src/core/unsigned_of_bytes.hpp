#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::impl {

/// Calls f with an unsigned integer of so many bytes: indices that are not negative, and the bits of a
/// number, can be read as that.
template <class F>
void with_unsigned_of_bytes(std::size_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

}  // namespace heddle::impl
