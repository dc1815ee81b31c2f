#pragma once

#include <cstddef>
#include <cstdint>

/// Checks of indices, compiled for several instruction sets.
namespace heddle::cpu {

/// Whether one of n unsigned indices of so many bytes is `limit` or more.
using any_outside_kernel = bool (*)(const void* indices, std::size_t index_bytes, std::size_t n,
                                    std::uint64_t limit);

bool baseline_any_outside(const void* indices, std::size_t index_bytes, std::size_t n, std::uint64_t limit);
#if defined(HEDDLE_X86_KERNELS)
bool avx2_any_outside(const void* indices, std::size_t index_bytes, std::size_t n, std::uint64_t limit);
bool avx512_any_outside(const void* indices, std::size_t index_bytes, std::size_t n, std::uint64_t limit);
#endif

}  // namespace heddle::cpu
