#pragma once

#include "gpu/entry.hpp"
#include <heddle/dtype.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>

namespace heddle {
enum class sort_order : std::uint8_t;
}  // namespace heddle

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(top, void(dtype type, const void* x, std::size_t n, std::size_t k, sort_order order,
                           std::size_t* indices, const target& where));
HEDDLE_GPU_ENTRY(indices_in_array, void(const std::size_t* indices, const axis_lines& lines, std::size_t k,
                                        std::size_t* in_array, const target& where));

}  // namespace heddle::gpu
