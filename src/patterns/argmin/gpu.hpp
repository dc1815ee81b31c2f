#pragma once

#include "gpu/entry.hpp"
#include <heddle/dtype.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(find_first,
                 void(dtype type, const void* x, axis_lines all, const void* extremum, const void* of_pieces,
                      std::size_t piece, std::size_t* index, const target& where));

}  // namespace heddle::gpu
