#pragma once

#include <heddle/target.hpp>

namespace heddle::impl {

/// Whether memory on `a` can be used by code that runs on `b` as it is: both on the CPU, or both on one GPU.
constexpr bool same_memory(const target& a, const target& b) noexcept {
  return a.is_gpu() == b.is_gpu() && (!a.is_gpu() || a.device() == b.device());
}

}  // namespace heddle::impl
