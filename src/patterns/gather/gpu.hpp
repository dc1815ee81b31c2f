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
/// Gathers from an array of n elements. Returns the position of the first index that is not below `limit`, or
/// the number of indices; elements of `out` at such positions are not written.
HEDDLE_GPU_ENTRY(gather_and_check, std::size_t(const void* x, std::size_t n, std::size_t element_bytes,
                                               const impl::index_list& indices, std::uint64_t limit,
                                               void* out, const target& where));
/// Returns the same. If an index is not below `limit`, nothing is written.
HEDDLE_GPU_ENTRY(scatter, std::size_t(void* out, const axis_lines& lines, std::size_t block_bytes,
                                      const impl::index_list& indices, std::uint64_t limit,
                                      const void* values, const target& where));

}  // namespace heddle::gpu
