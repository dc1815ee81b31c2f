#pragma once

#include <heddle/dtype.hpp>
#include <heddle/shape.hpp>

#include <cstddef>

namespace heddle::cpu {

/// For each of `all` lines of x, the first index whose element equals the line's extremum, which every line
/// has; NaNs are equal to each other. `of_pieces` has the extremum of each piece of piece_elements
/// elements, or is null. A piece whose extremum is not the line's is skipped.
void find_first(dtype type, const void* x, axis_lines all, const void* extremum, const void* of_pieces,
                std::size_t piece_elements, std::size_t* index, int threads);

}  // namespace heddle::cpu
