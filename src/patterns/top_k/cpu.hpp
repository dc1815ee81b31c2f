#pragma once

#include <heddle/dtype.hpp>
#include <heddle/shape.hpp>
#include <heddle/top_k.hpp>

#include <cstddef>

namespace heddle::cpu {

/// The indices of the first k elements of each line, in the order.
void top(dtype type, const void* x, const axis_lines& lines, std::size_t k, sort_order order,
         std::size_t* indices, int threads);
/// The indices in the whole array of those in lines.
void indices_in_array(const std::size_t* indices, const axis_lines& lines, std::size_t k,
                      std::size_t* in_array, int threads);

}  // namespace heddle::cpu
