#pragma once

#include "gpu/entry.hpp"
#include <heddle/dtype.hpp>
#include <heddle/operators.hpp>
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(map, void(runtime_op f, dtype type, const void* x, bool x_is_constant, const void* y,
                           bool y_is_constant, std::size_t count, void* out, const target& where));

}  // namespace heddle::gpu
