#pragma once

#include <heddle/machine.hpp>
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle {

/// `where` itself, or for `automatic` the target for many steps of a state of so many bytes: a GPU that has
/// room for it, and for so many `more`, if its steps outlast their launch, else every core, or one for
/// little.
inline target target_for_steps(const target& where, std::size_t bytes, std::size_t more = 0) {
  if (!where.is_automatic()) return where;
  constexpr std::size_t worth_a_thread = std::size_t{1} << 16, worth_a_gpu = std::size_t{1} << 18;
  for (const gpu_properties& gpu : gpus()) {
    const bool fits = bytes + bytes / 16 + more < gpu.free_bytes;
    if (fits && bytes > worth_a_gpu) return target::gpu(gpu.device);
  }
  return bytes > worth_a_thread ? target::parallel() : target::serial();
}

}  // namespace heddle
