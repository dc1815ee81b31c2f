#pragma once

#include "gpu/entry.hpp"
#include <heddle/dtype.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>

namespace heddle::impl {
enum class bound : std::uint8_t;
}  // namespace heddle::impl

namespace heddle {
enum class sort_order : std::uint8_t;
}  // namespace heddle

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(bounds,
                 void(dtype type, const void* sorted, std::size_t n, sort_order order, impl::bound which,
                      const void* values, std::size_t count, std::size_t* indices, const target& where));

}  // namespace heddle::gpu
