#pragma once

#include "gpu/entry.hpp"
#include <heddle/dtype.hpp>
#include <heddle/operators.hpp>
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(segmented_reduce,
                 void(runtime_op op, dtype type, const void* x, std::size_t n, const std::size_t* offsets,
                      std::size_t count, void* out, const target& where));

}  // namespace heddle::gpu
