#pragma once

#include "gpu/entry.hpp"
#include <heddle/dtype.hpp>
#include <heddle/operators.hpp>
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(segmented_scan, void(runtime_op op, dtype type, bool exclusive, const void* x, std::size_t n,
                                      const bool* flags, const void* init, void* out, const target& where));

}  // namespace heddle::gpu
