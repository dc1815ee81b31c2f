#pragma once

#include <heddle/gather.hpp>
#include <heddle/shape.hpp>

#include <cstddef>
#include <cstdint>

namespace heddle::cpu {

/// The first index of `limit` or more; their number for none.
std::size_t first_index_outside(const impl::index_list& indices, std::uint64_t limit, int threads);
/// Blocks of so many bytes, of which a line has `lines.length`.
void gather(const void* x, const axis_lines& lines, std::size_t block_bytes, const impl::index_list& indices,
            void* out, int threads);
void scatter(void* out, const axis_lines& lines, std::size_t block_bytes, const impl::index_list& indices,
             const void* values, int threads);

}  // namespace heddle::cpu
