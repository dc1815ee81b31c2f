#pragma once

#include <heddle/dtype.hpp>
#include <heddle/shape.hpp>
#include <heddle/sort.hpp>

#include <cstddef>

namespace heddle::cpu {

/// What sort and argsort do, by the kernels of this processor. False, with nothing done, if it has none.
bool sort_in_registers(dtype type, const void* x, const axis_lines& lines, sort_order order, void* out,
                       int threads);
bool argsort_in_registers(dtype type, const void* x, const axis_lines& lines, sort_order order,
                          std::size_t* indices, int threads);

}  // namespace heddle::cpu
