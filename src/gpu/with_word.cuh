#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

namespace heddle::gpu {

/// Calls f with a value of the widest type in which blocks of so many bytes can be read and written whole.
template <class F>
void with_word(std::size_t block_bytes, const void* x, const void* out, const F& f) {
  const std::size_t aligned =
      block_bytes | reinterpret_cast<std::size_t>(x) | reinterpret_cast<std::size_t>(out);
  if (aligned % 16 == 0) return f(uint4{});
  if (aligned % 8 == 0) return f(std::uint64_t{});
  if (aligned % 4 == 0) return f(std::uint32_t{});
  if (aligned % 2 == 0) return f(std::uint16_t{});
  f(std::uint8_t{});
}

}  // namespace heddle::gpu
