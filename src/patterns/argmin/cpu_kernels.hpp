#pragma once

#include <heddle/dtype.hpp>

#include <cstddef>

/// Searches for an element, compiled for several instruction sets.
namespace heddle::cpu {

/// The first index among n elements of one that equals *wanted, or n. NaNs equal each other, and zeros of
/// both signs. For types that have an order.
using find_kernel = std::size_t (*)(dtype type, const void* x, std::size_t n, const void* wanted);

std::size_t baseline_find(dtype type, const void* x, std::size_t n, const void* wanted);
#if defined(HEDDLE_X86_KERNELS)
std::size_t avx2_find(dtype type, const void* x, std::size_t n, const void* wanted);
std::size_t avx512_find(dtype type, const void* x, std::size_t n, const void* wanted);
#endif

}  // namespace heddle::cpu
