#pragma once

#include <heddle/dtype.hpp>

#include <cstddef>
#include <cstdint>

/// Looks for elements that come first in an order, compiled for several instruction sets.
namespace heddle::cpu {

/// Whether one of n elements has a key below `bound`: a key of sortable.hpp, turned if the order is
/// descending.
using any_before_kernel = bool (*)(dtype type, const void* x, std::size_t n, bool descending,
                                   std::uint64_t bound);

bool baseline_any_before(dtype type, const void* x, std::size_t n, bool descending, std::uint64_t bound);
#if defined(HEDDLE_X86_KERNELS)
bool avx2_any_before(dtype type, const void* x, std::size_t n, bool descending, std::uint64_t bound);
bool avx512_any_before(dtype type, const void* x, std::size_t n, bool descending, std::uint64_t bound);
#endif

}  // namespace heddle::cpu
