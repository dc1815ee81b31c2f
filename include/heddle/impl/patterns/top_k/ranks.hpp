#pragma once

#include <heddle/any_patterns.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/ranks.hpp>
#include <heddle/shape.hpp>
#include <heddle/sort_order.hpp>

#include <cstddef>
#include <vector>

namespace heddle::impl {

/// The first k elements of a distributed array and their indices in C order: on every rank, on the CPU.
any_top_elements top_over_ranks(const ranks& all, dtype type, const block_to_read& x, std::size_t k,
                                sort_order order);

/// The shape of an array with k elements along axis `a`, and its blocks: those of x, or even ones along the
/// slowest axis. Throws if an axis has fewer than k elements.
struct top_blocks {
  shape lengths;
  std::vector<std::size_t> begins;
};
top_blocks blocks_of_top(const ranks& all, dtype type, const shape& lengths,
                         const std::vector<std::size_t>& begins, std::size_t a, std::size_t k);

/// Fills the blocks with the first k elements of each line along axis `a`, and with their indices along it.
void top_along_over_ranks(const ranks& all, dtype type, const block_to_read& x, std::size_t a,
                          sort_order order, const block_to_fill& values, const block_to_fill& indices);

}  // namespace heddle::impl
