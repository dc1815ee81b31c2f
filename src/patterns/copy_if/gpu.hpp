#pragma once

#include "gpu/entry.hpp"
#include <heddle/dtype.hpp>
#include <heddle/memory.hpp>
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(count_flags, memory(const bool* flags, std::size_t n, const target& where));
HEDDLE_GPU_ENTRY(copy_flagged, void(const bool* flags, std::size_t n, const std::size_t* before,
                                    const void* x, std::size_t element_bytes, bool all, std::size_t chosen,
                                    void* out, const target& where));
HEDDLE_GPU_ENTRY(indices_of_flags, void(const bool* flags, std::size_t n, const std::size_t* before,
                                        std::size_t* out, const target& where));
/// Flags the first of n elements and those at `count` rising offsets, and no others.
HEDDLE_GPU_ENTRY(flag_offsets, void(const std::size_t* offsets, std::size_t count, std::size_t n, bool* flags,
                                    const target& where));
HEDDLE_GPU_ENTRY(flag_changes,
                 void(dtype type, const void* x, std::size_t n, bool* flags, const target& where));

}  // namespace heddle::gpu
