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

HEDDLE_GPU_ENTRY(sort, void(dtype type, const void* x, const axis_lines& lines, sort_order order, void* out,
                            const target& where));
HEDDLE_GPU_ENTRY(argsort, void(dtype type, const void* x, const axis_lines& lines, sort_order order,
                               std::size_t* indices, const target& where));

}  // namespace heddle::gpu
