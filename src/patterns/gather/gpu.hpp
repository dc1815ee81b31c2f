#pragma once

#include "gpu/entry.hpp"
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>

namespace heddle::impl {
struct index_list;
}  // namespace heddle::impl

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(first_index_outside,
                 std::size_t(const impl::index_list& indices, std::uint64_t limit, const target& where));
HEDDLE_GPU_ENTRY(gather, void(const void* x, const axis_lines& lines, std::size_t block_bytes,
                              const impl::index_list& indices, void* out, const target& where));
HEDDLE_GPU_ENTRY(scatter, void(void* out, const axis_lines& lines, std::size_t block_bytes,
                               const impl::index_list& indices, const void* values, const target& where));

}  // namespace heddle::gpu
