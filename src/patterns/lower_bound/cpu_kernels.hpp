#pragma once

#include "cpu/instruction_set.hpp"
#include <heddle/dtype.hpp>

#include <cstddef>

/// Binary searches, compiled for several instruction sets.
namespace heddle::cpu {

/// The n elements that are searched, and which bound is wanted.
struct sorted_elements {
  const void* elements;
  std::size_t n;
  bool upper, descending;
};

/// The bounds of `count` values.
using bounds_kernel = void (*)(dtype type, const sorted_elements& sorted, const void* values,
                               std::size_t count, std::size_t* bounds);

void baseline_bounds(dtype type, const sorted_elements& sorted, const void* values, std::size_t count,
                     std::size_t* bounds);
#if defined(HEDDLE_X86_KERNELS)
void avx2_bounds(dtype type, const sorted_elements& sorted, const void* values, std::size_t count,
                 std::size_t* bounds);
void avx512_bounds(dtype type, const sorted_elements& sorted, const void* values, std::size_t count,
                   std::size_t* bounds);
#endif

inline bounds_kernel bounds_kernel_here() {
  return HEDDLE_FASTEST(bounds);
}

}  // namespace heddle::cpu
