#pragma once

#include "gpu/entry.hpp"
#include <heddle/dtype.hpp>
#include <heddle/memory.hpp>
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(count_flags, std::size_t(const bool* flags, std::size_t n, const target& where));
/// Copies the chosen elements to `out`, and the others to `others` unless that is null.
HEDDLE_GPU_ENTRY(copy_chosen_and_others,
                 void(const bool* flags, std::size_t n, const void* x, std::size_t element_bytes, void* out,
                      void* others, const target& where));
/// Copies the chosen elements to `out`, and returns their number.
HEDDLE_GPU_ENTRY(copy_chosen, std::size_t(const bool* flags, std::size_t n, const void* x,
                                          std::size_t element_bytes, void* out, const target& where));
HEDDLE_GPU_ENTRY(indices_of_flags,
                 void(const bool* flags, std::size_t n, std::size_t* out, const target& where));
/// Copies the first element of each run of equal ones to `out`, which has room for n, and returns how many.
HEDDLE_GPU_ENTRY(copy_first_of_runs,
                 std::size_t(dtype type, const void* x, std::size_t n, void* out, const target& where));
/// Flags the first of n elements and those at `count` rising offsets, and no others.
HEDDLE_GPU_ENTRY(flag_offsets, void(const std::size_t* offsets, std::size_t count, std::size_t n, bool* flags,
                                    const target& where));
HEDDLE_GPU_ENTRY(flag_changes,
                 void(dtype type, const void* x, std::size_t n, bool* flags, const target& where));

}  // namespace heddle::gpu
