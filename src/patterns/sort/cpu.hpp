#pragma once

#include <heddle/dtype.hpp>
#include <heddle/shape.hpp>
#include <heddle/sort.hpp>

#include <cstddef>

namespace heddle::cpu {

/// Sorts each line; equal elements keep their order in the indices.
void sort(dtype type, const void* x, const axis_lines& lines, sort_order order, void* out, int threads);
void argsort(dtype type, const void* x, const axis_lines& lines, sort_order order, std::size_t* indices,
             int threads);

}  // namespace heddle::cpu
