#pragma once

#include "gpu/entry.hpp"
#include <heddle/algorithm.hpp>
#include <heddle/dtype.hpp>
#include <heddle/operators.hpp>
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(reduce_by, void(reduce_algorithm algorithm, runtime_op op, dtype type, const void* x,
                                 std::size_t n, void* out, const target& where));
HEDDLE_GPU_ENTRY(scan_by,
                 void(scan_algorithm algorithm, runtime_op op, dtype type, bool exclusive, const void* x,
                      std::size_t n, const void* init, void* out, const target& where));

}  // namespace heddle::gpu
