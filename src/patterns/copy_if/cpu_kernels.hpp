#pragma once

#include "cpu/instruction_set.hpp"
#include <heddle/dtype.hpp>

#include <cstddef>

/// Copies of chosen elements, compiled for several instruction sets.
namespace heddle::cpu {

/// The `chosen` of n elements whose flag is `wanted`.
struct flagged {
  const bool* flags;
  bool wanted;
  std::size_t n, chosen;
};

struct copy_if_kernels {
  /// How many of n flags are set.
  std::size_t (*count)(const bool* flags, std::size_t n);
  /// Copies the chosen elements of x to `out`, and writes nothing beyond.
  void (*copy)(const flagged& of, const void* x, std::size_t element_bytes, void* out);
  /// The indices of the chosen elements, counted from `first`.
  void (*indices)(const flagged& of, std::size_t first, std::size_t* out);
  /// Flags elements `first` … `last` − 1 that differ from the one before, and element 0.
  void (*flag_changes)(dtype type, const void* x, std::size_t first, std::size_t last, bool* flags);
};

const copy_if_kernels* baseline_copy_if();
#if defined(HEDDLE_X86_KERNELS)
const copy_if_kernels* avx2_copy_if();
const copy_if_kernels* avx512_copy_if();
#endif

inline const copy_if_kernels& copy_if_kernels_here() {
  return *HEDDLE_FASTEST(copy_if)();
}

}  // namespace heddle::cpu
