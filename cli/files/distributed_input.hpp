#pragma once

#include "npy_input.hpp"
#include "progress.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/ranks.hpp>
#include <heddle/shape.hpp>

#include <string>

namespace heddle::cli {

/// The elements of a file over ranks, as an array of this shape: each rank reads its own.
any_distributed_array spread(const ranks& all, npy_input& x, const shape& lengths, progress& shown);

/// Indices as int64, the type of NumPy's indices.
any_distributed_array as_int64(const distributed_array<std::size_t>& indices);

/// Throws on the first rank, which writes, for a place that cannot be written to.
void require_writable_over_ranks(const std::string& path);

}  // namespace heddle::cli
