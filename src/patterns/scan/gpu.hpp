#pragma once

#include "gpu/entry.hpp"
#include <heddle/dtype.hpp>
#include <heddle/operators.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(scan, void(runtime_op op, dtype type, bool exclusive, const void* x, axis_lines all,
                            const void* init, void* out, const target& where));

}  // namespace heddle::gpu
