#pragma once

#include "gpu/entry.hpp"
#include <heddle/dtype.hpp>
#include <heddle/runtime_op.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::gpu {

/// Both read rows, of one element or more, once.
HEDDLE_GPU_ENTRY(find_arg_of_rows, void(runtime_op op, dtype type, const void* x, std::size_t rows,
                                        std::size_t length, std::size_t* index, const target& where));
HEDDLE_GPU_ENTRY(find_minmax_of_rows, void(dtype type, const void* x, std::size_t rows, std::size_t length,
                                           void* smallest, void* largest, const target& where));
HEDDLE_GPU_ENTRY(find_first, void(dtype type, const void* x, axis_lines all, const void* extremum,
                                  std::size_t* index, const target& where));

}  // namespace heddle::gpu
