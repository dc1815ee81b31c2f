#pragma once

#include "gpu/entry.hpp"
#include <heddle/dtype.hpp>
#include <heddle/operators.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(reduce, void(runtime_op op, dtype type, const void* x, axis_lines all, void* out,
                              const target& where));
HEDDLE_GPU_ENTRY(reduce_tiles, void(runtime_op op, dtype type, const void* x, std::size_t count, void* out,
                                    const target& where));

}  // namespace heddle::gpu
