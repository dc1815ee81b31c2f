#pragma once

#include <heddle/dtype.hpp>
#include <heddle/shape.hpp>
#include <heddle/sort.hpp>

#include <cstddef>

namespace heddle::cpu {

/// sort and argsort by the kernels of this processor. They do nothing and return false if it has none.
bool sort_in_registers(dtype type, const void* x, const axis_lines& lines, sort_order order, void* out,
                       int threads);
bool argsort_in_registers(dtype type, const void* x, const axis_lines& lines, sort_order order,
                          std::size_t* indices, int threads);

}  // namespace heddle::cpu
