#pragma once

#include "gpu/entry.hpp"
#include <heddle/dtype.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(wide_sums, void(dtype type, const void* x, axis_lines all, void* sums, const target& where));
HEDDLE_GPU_ENTRY(sum_squared_deviations, void(dtype type, const void* x, axis_lines all, const void* centres,
                                              double* sums, const target& where));
HEDDLE_GPU_ENTRY(divide, void(const double* sums, std::size_t count, double divisor, bool narrow, void* out,
                              const target& where));
HEDDLE_GPU_ENTRY(are_nonzero, void(const void* x, std::size_t element_bytes, std::size_t count, bool* out,
                                   const target& where));

}  // namespace heddle::gpu
